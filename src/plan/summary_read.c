/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan/summary_read.c - a box's summary of itself, back to rules
 *
 * Runs in:  `cordon explain` inside a box.
 * Trusts:   nothing: who can choose the file can write anything into it.
 * Must not: crash or answer by a summary that it does not understand.
 */
#include <jansson.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/path.h"
#include "plan/egress.h"
#include "plan/plan.h"
#include "plan/summary.h"

struct reader {
	struct arena *arena;
	struct err *err;
};

static int not_one(struct reader *r, const char *what)
{
	return err_set(r->err, ERR_POLICY,
		       "it is not a summary of this version of cordon: %s",
		       what);
}

static const char *string_of(struct reader *r, const json_t *object,
			     const char *key)
{
	const char *s = json_string_value(json_object_get(object, key));

	return s ? arena_strdup(r->arena, s) : NULL;
}

/* Which of @names the string is; -1: none. */
static int choice_of(const json_t *object, const char *key,
		     const char *const *names)
{
	const char *s = json_string_value(json_object_get(object, key));

	for (int i = 0; s && names[i]; i++) {
		if (!strcmp(s, names[i]))
			return i;
	}
	return -1;
}

static int read_items(struct reader *r, const json_t *of, const char *name,
		      struct policy_list *out)
{
	const json_t *list = json_object_get(of, name);
	size_t n = json_array_size(list);
	struct policy_item *items =
		arena_array(r->arena, struct policy_item, n);

	if (!json_is_array(list))
		return not_one(r, name);
	for (size_t i = 0; i < n; i++) {
		const json_t *item = json_array_get(list, i);

		items[i].text = string_of(r, item, "rule");
		items[i].origin.source = string_of(r, item, "origin");
		if (!items[i].text || !items[i].origin.source)
			return not_one(r, name);
	}
	*out = (struct policy_list){ .v = items, .n = n };
	return 0;
}

static int read_network(struct reader *r, const json_t *root,
			struct policy *policy, struct plan *plan)
{
	static const char *const modes[] = { "none", "filtered", "host", NULL };
	const json_t *network = json_object_get(root, "network");
	struct policy_network *out = &policy->network;
	int mode = choice_of(network, "mode", modes);

	out->mode = (struct policy_scalar){
		.set = true,
		.number = mode,
		.origin.source = string_of(r, network, "origin"),
	};
	if (mode < 0 || !out->mode.origin.source)
		return not_one(r, "network");
	if (read_items(r, network, "allow", &out->allow) < 0 ||
	    read_items(r, network, "deny", &out->deny) < 0 ||
	    read_items(r, network, "host_ports", &out->host_ports) < 0)
		return -1;
	plan->network = (enum policy_mode)mode;
	plan->egress.upstream.set =
		json_is_true(json_object_get(network, "upstream_proxy"));
	egress_rules_build(r->arena, &out->allow, &out->deny,
			   &plan->egress.rules);
	if (plan->egress.rules.allow.n != out->allow.n ||
	    plan->egress.rules.deny.n != out->deny.n)
		return not_one(r, "network");
	return 0;
}

/* By their paths alone: what lies there inside is the mask. */
static int read_masked(struct reader *r, const json_t *exec,
		       struct plan_programs *out)
{
	const json_t *list = json_object_get(exec, "masked");

	if (!json_is_array(list))
		return not_one(r, "masked");
	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *path =
			string_of(r, json_array_get(list, i), "path");

		if (!path)
			return not_one(r, "masked");
		*ARENA_PUSH(r->arena, out) =
			(struct plan_program){ .path = path, .masked = true };
	}
	return 0;
}

static int read_exec(struct reader *r, const json_t *root,
		     struct policy *policy, struct plan *plan)
{
	const json_t *exec = json_object_get(root, "exec");

	plan->exec.only_system =
		json_is_true(json_object_get(exec, "only_system"));
	policy->exec.only_system = (struct policy_scalar){
		.set = true,
		.number = plan->exec.only_system,
	};
	if (read_items(r, exec, "deny", &policy->exec.deny) < 0 ||
	    read_items(r, exec, "allow", &policy->exec.allow) < 0 ||
	    read_masked(r, exec, &plan->exec.programs) < 0)
		return -1;
	return command_rules_build(r->arena, &policy->exec, &plan->exec.rules,
				   r->err);
}

static int read_rule(struct reader *r, const json_t *item,
		     enum plan_access access, struct plan_rule *out)
{
	const json_t *write = json_object_get(item, "write");

	*out = (struct plan_rule){
		.path = string_of(r, item, "path"),
		.access = access,
		.exists = !json_is_true(json_object_get(item, "absent")),
		.read_key = string_of(r, item, "rule"),
		.read_origin.source = string_of(r, item, "origin"),
		.write_key = string_of(r, write ? write : item, "rule"),
		.write_origin.source =
			string_of(r, write ? write : item, "origin"),
		.read_text = string_of(r, item, "as"),
		.write_text = string_of(r, write ? write : item, "as"),
	};
	if (!out->path || !path_is_normal(out->path) || !out->read_key ||
	    !out->read_origin.source || !out->write_key ||
	    !out->write_origin.source)
		return not_one(r, "files");
	return 0;
}

static int read_files(struct reader *r, const json_t *root, struct plan *plan)
{
	static const char *const names[] = {
		[PLAN_HIDDEN] = "hidden",
		[PLAN_READ] = "read_only",
		[PLAN_WRITE] = "writable",
	};
	const json_t *files = json_object_get(root, "files");

	for (int access = PLAN_WRITE; access >= PLAN_HIDDEN; access--) {
		const json_t *list = json_object_get(files, names[access]);

		if (!json_is_array(list))
			return not_one(r, "files");
		for (size_t i = 0; i < json_array_size(list); i++) {
			if (read_rule(r, json_array_get(list, i),
				      (enum plan_access)access,
				      ARENA_PUSH(r->arena, &plan->rules)) < 0)
				return -1;
		}
	}
	return 0;
}

/* The tree itself comes first: it is what all others are exceptions from. */
static int put_root_first(struct reader *r, struct plan *plan)
{
	for (size_t i = 0; i < plan->rules.n; i++) {
		struct plan_rule root = plan->rules.v[i];

		if (strcmp(root.path, "/") != 0)
			continue;
		plan->rules.v[i] = plan->rules.v[0];
		plan->rules.v[0] = root;
		return 0;
	}
	return not_one(r, "files");
}

static bool is_cut(const json_t *root, const char *part)
{
	return json_is_true(
		json_object_get(json_object_get(root, part), "truncated"));
}

static int read_all(struct reader *r, const json_t *root, struct policy *policy,
		    struct plan *plan, struct plan_summary_cut *cut)
{
	if (json_integer_value(json_object_get(root, "version")) != 1)
		return not_one(r, "version");
	plan->inside = true;
	plan->workdir = string_of(r, root, "workdir");
	if (!plan->workdir)
		return not_one(r, "workdir");
	if (read_network(r, root, policy, plan) < 0 ||
	    read_exec(r, root, policy, plan) < 0 ||
	    read_files(r, root, plan) < 0)
		return -1;
	*cut = (struct plan_summary_cut){
		.files = is_cut(root, "files"),
		.network = is_cut(root, "network"),
		.exec = is_cut(root, "exec"),
	};
	return cut->files ? 0 : put_root_first(r, plan);
}

int plan_summary_read(struct arena *arena, const char *text,
		      struct policy *policy, struct plan *plan,
		      struct plan_summary_cut *out_cut, struct err *err)
{
	struct reader r = { .arena = arena, .err = err };
	json_error_t where;
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &where);
	int result;

	*policy = (struct policy){ 0 };
	*plan = (struct plan){ 0 };
	if (!root)
		return not_one(&r, where.text);
	result = read_all(&r, root, policy, plan, out_cut);
	json_decref(root);
	return result;
}
