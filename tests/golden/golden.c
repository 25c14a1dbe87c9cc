/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/golden/golden.c - prints the plan of a policy on a host on paper
 *
 *     golden POLICY WORLD
 *
 * Runs in:  the golden test, without privileges.
 * Trusts:   the cases in the tree.
 * Must not: look at the real host, so that the same case gives the same text
 *           anywhere.
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/text.h"
#include "plan/plan.h"
#include "plan/text.h"
#include "policy/decode.h"
#include "policy/merge.h"
#include "policy/profiles.h"
#include "world.h"

static const char *const kind_names[] = {
	"none", "usage",     "policy",	       "host",
	"sys",	"not found", "not executable", "bug",
};

/* An expected error is an answer like another. */
static int print_error(const struct err *err)
{
	printf("error (%s): %s\n", kind_names[err->kind], err->msg);
	return 0;
}

static char *read_file(struct arena *arena, const char *name)
{
	AUTO_CLOSE int fd = open(name, O_RDONLY | O_CLOEXEC);
	struct err err;
	char *text;

	if (fd < 0 || fd_read_file(arena, fd, name, 1 << 20, &text, &err) < 0) {
		fprintf(stderr, "golden: cannot read '%s'\n", name);
		exit(2);
	}
	return text;
}

/* built-in < profiles that it extends (or default) < the case's policy */
static int load_policy(struct arena *arena, const char *name,
		       struct policy *out, struct err *err)
{
	const char *text = read_file(arena, name);
	struct policy_document document = {
		.text = text,
		.n = strlen(text),
		.source = "policy.yaml",
	};
	struct policy policy;

	if (policy_decode(arena, &document, &policy, err) < 0)
		return -1;
	*out = *policy_builtin();
	for (size_t i = 0; i < policy.extends.n || !i; i++) {
		const char *wanted =
			policy.extends.n ? policy.extends.v[i].text : "default";
		const struct policy_profile *profile =
			policy_profile_find(wanted);

		if (!profile)
			return err_set(err, ERR_POLICY,
				       "no profile '%s' is shipped", wanted);
		policy_merge(arena, out, profile->policy, out);
	}
	policy_merge(arena, out, &policy, out);
	return policy_check_supported(out, err);
}

int main(int argc, char **argv)
{
	AUTO_ARENA arena = { 0 };
	struct text text = { .arena = &arena };
	struct plan_options options = { 0 };
	struct plan_queries queries = { 0 };
	struct facts facts = { 0 };
	struct policy policy = { 0 };
	struct plan plan = { 0 };
	struct world world;
	struct err err;

	if (argc != 3) {
		fprintf(stderr, "usage: golden POLICY WORLD\n");
		return 2;
	}
	world_parse(&arena, read_file(&arena, argv[2]), &world);
	options.allow_degraded.v = world.degraded.v;
	options.allow_degraded.n = world.degraded.n;
	options.layers = (struct plan_layers){ world.layers.v, world.layers.n };
	options.layered = world.layered;
	if (load_policy(&arena, argv[1], &policy, &err) < 0 ||
	    plan_queries_build(&arena, &policy, &world.context, &options,
			       &queries, &err) < 0)
		return print_error(&err);
	world_answer(&world, &queries, &facts);
	if (plan_build(&arena, &policy, &world.context, &queries, &facts,
		       &options, &plan, &err) < 0)
		return print_error(&err);
	plan_text_format(&plan, &text);
	fputs(text_str(&text), stdout);
	return 0;
}
