/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd/prepare.c - from options to a plan, the same way for every verb
 *
 * Runs in:  the caller's process.
 * Trusts:   the command line; files only as far as host/ says.
 * Must not: decide anything about the box; start anything.
 */
#include "cmd/prepare.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/log.h"
#include "host/facts.h"
#include "host/seccomp_oci.h"
#include "policy/decode.h"
#include "policy/match.h"

enum { SECCOMP_FILE_MAX = 4 * 1024 * 1024 };

/* Where the values of --ulimit go, by the names of ulimit(1) and Docker. */
static const struct {
	const char *name;
	const char *key;
} ulimits[] = {
	{ "nofile", "limits.open_files" },
	{ "fsize", "limits.file_size" },
};

static int set_key(struct arena *arena, struct policy *flags, const char *key,
		   const struct opt_value *value, const char *text,
		   struct err *err)
{
	struct policy_origin origin = {
		.source = arena_printf(arena, "--%s", value->opt->name),
	};

	if (policy_set_text(arena, flags, key, text, origin, err) < 0)
		return err_wrap(err, "--%s", value->opt->name);
	return 0;
}

static int set_ulimit(struct arena *arena, struct policy *flags,
		      const struct opt_value *value, char *word,
		      struct err *err)
{
	char *number = strchr(word, '=');

	if (!number)
		return err_set(err, ERR_USAGE, "--ulimit: '%s' is not NAME=N",
			       word);
	*number++ = '\0';
	for (size_t i = 0; i < sizeof(ulimits) / sizeof(*ulimits); i++) {
		if (!strcmp(word, ulimits[i].name))
			return set_key(arena, flags, ulimits[i].key, value,
				       number, err);
	}
	return err_set(err, ERR_USAGE,
		       "--ulimit: '%s' is not supported: nofile and fsize are",
		       word);
}

static int set_ulimits(struct arena *arena, struct policy *flags,
		       const struct opt_value *value, struct err *err)
{
	char *words = arena_strdup(arena, value->text);
	char *word;

	while ((word = strsep(&words, ","))) {
		if (set_ulimit(arena, flags, value, word, err) < 0)
			return -1;
	}
	return 0;
}

static int set_option(struct arena *arena, struct policy *flags,
		      const struct opt_value *value, struct err *err)
{
	const char *key = value->opt->key;

	if (!strcmp(key, PREPARE_ULIMIT))
		return set_ulimits(arena, flags, value, err);
	if (!strcmp(key, PREPARE_VARIABLE))
		key = strchr(value->text, '=') ? "environment.set"
					       : "environment.pass";
	return set_key(arena, flags, key, value, value->text, err);
}

/* Who types what can be reached wants a network that leads there. */
static void imply_filtered(struct policy_network *network)
{
	const struct policy_list *lists[] = { &network->allow,
					      &network->publish,
					      &network->host_ports };

	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
		if (network->mode.set || !lists[i]->n)
			continue;
		network->mode = (struct policy_scalar){
			.set = true,
			.number = POLICY_MODE_FILTERED,
			.origin = lists[i]->v[0].origin,
		};
	}
}

static int build_flags(struct arena *arena, const struct policy_args *args,
		       struct policy *out, struct err *err)
{
	for (size_t i = 0; i < args->keys.n; i++) {
		if (set_option(arena, out, &args->keys.v[i], err) < 0)
			return -1;
	}
	imply_filtered(&out->network);
	return 0;
}

/* The texts of a list option, NULL-terminated; NULL where none was given. */
static const char *const *list_texts(struct arena *arena,
				     const struct opt_values *values)
{
	const char **texts;

	if (!values->n)
		return NULL;
	texts = arena_array(arena, const char *, values->n + 1);
	for (size_t i = 0; i < values->n; i++)
		texts[i] = values->v[i].text;
	return texts;
}

int prepare_layers(struct arena *arena, const struct policy_args *args,
		   const struct policy_context *context,
		   const struct policy *flags, struct host_policy *out,
		   struct err *err)
{
	const struct host_policy_request request = {
		.context = context,
		.settings = args->settings,
		.profiles = list_texts(arena, &args->profiles),
		.flags = flags,
		.no_project = args->no_project,
	};

	return host_policy_load(arena, &request, out, err);
}

int prepare_policy(struct arena *arena, const struct policy_args *args,
		   struct prepared *out, struct err *err)
{
	if (host_context_read(arena, args->workdir, &out->context, err) < 0)
		return -1;
	if (build_flags(arena, args, &out->flags, err) < 0)
		return -1;
	if (prepare_layers(arena, args, &out->context,
			   args->keys.n ? &out->flags : NULL, &out->policy,
			   err) < 0)
		return -1;
	for (size_t i = 0; i < out->policy.refused_n; i++)
		log_warn("%s", out->policy.refused[i]);
	return 0;
}

/* Reads the OCI file that syscalls.profile names, if it is one. */
static int load_seccomp(struct arena *arena, struct prepared *prepared,
			bool *out_is_file, struct err *err)
{
	const struct policy_scalar *profile =
		&prepared->policy.policy.syscalls_profile;
	struct policy_item item = { .origin = profile->origin };
	struct policy_path path;
	AUTO_CLOSE int fd = -1;
	struct stat st;
	char *json;

	*out_is_file = false;
	if (!profile->text || !strcmp(profile->text, "default") ||
	    !strcmp(profile->text, "strict"))
		return 0;
	item.text = profile->text;
	if (policy_path_expand(arena, &item, &prepared->context, &path, err) <
	    0)
		return -1;
	/* Not blocking: it may be a fifo. */
	fd = open(path.literal, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return err_sys(err, "open the seccomp profile '%s'",
			       path.literal);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return err_set(err, ERR_POLICY,
			       "the seccomp profile '%s' is not a file",
			       path.literal);
	if (fd_read_file(arena, fd, path.literal, SECCOMP_FILE_MAX, &json,
			 err) < 0)
		return -1;
	*out_is_file = true;
	return host_seccomp_parse_oci(arena, json, strlen(json), path.literal,
				      &prepared->seccomp, err);
}

static void add_looks(struct arena *arena, const struct facts_strings *look,
		      struct plan_queries *queries)
{
	for (size_t i = 0; look && i < look->n; i++)
		*ARENA_PUSH(arena, &queries->paths) = look->v[i];
}

int prepare_plan(struct arena *arena, const struct host_args *args,
		 const struct facts_strings *look, struct prepared *prepared,
		 struct err *err)
{
	const struct policy *policy = &prepared->policy.policy;
	struct plan_options options = { .layers = args->layers,
					.layered = args->layered,
					.explain = args->explain,
					.learn = args->learn };
	struct plan_queries queries = { 0 };
	bool is_file;

	if (prepared->inside) {
		add_looks(arena, look, &queries);
		return host_facts_probe(arena, &queries, &prepared->facts, err);
	}
	for (size_t i = 0; i < args->allow_degraded.n; i++)
		*ARENA_PUSH(arena, &options.allow_degraded) =
			args->allow_degraded.v[i].text;
	if (policy_check_supported(policy, err) < 0 ||
	    plan_queries_build(arena, policy, &prepared->context, &options,
			       &queries, err) < 0)
		return -1;
	add_looks(arena, look, &queries);
	queries.fds = args->fds;
	queries.fds_n = args->fds_n;
	if (host_facts_probe(arena, &queries, &prepared->facts, err) < 0 ||
	    load_seccomp(arena, prepared, &is_file, err) < 0)
		return -1;
	if (is_file)
		options.seccomp_file = &prepared->seccomp;
	return plan_build(arena, policy, &prepared->context, &queries,
			  &prepared->facts, &options, &prepared->plan, err);
}

int prepare_all(struct arena *arena, const struct policy_args *policy,
		const struct host_args *host, struct prepared *out,
		struct err *err)
{
	if (prepare_policy(arena, policy, out, err) < 0 ||
	    prepare_plan(arena, host, NULL, out, err) < 0)
		return -1;
	for (size_t i = 0; i < out->plan.notes.n; i++)
		log_warn("%s", out->plan.notes.v[i]);
	return 0;
}
