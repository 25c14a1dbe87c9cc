/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd/profiles.c - `cordon profiles`: what -P can name
 *
 * Runs in:  the caller's process.
 * Trusts:   nothing in the directories that it lists.
 * Must not: change anything.
 */
#include "policy/profiles.h"

#include <dirent.h>
#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/text.h"
#include "cmd/output.h"
#include "cmd/verb.h"
#include "host/policies.h"

struct profiles_args {
	struct common_args common;
	bool json;
	bool names;
};

static const struct opt profiles_options[] = {
	{ .name = "json",
	  .kind = OPT_FLAG,
	  .offset = offsetof(struct profiles_args, json),
	  .help = "print them as JSON" },
	{ .name = "names",
	  .kind = OPT_FLAG,
	  .offset = offsetof(struct profiles_args, names),
	  .help = "print the names alone" },
};

static const struct opt_group profiles_groups[] = {
	{ "Options", profiles_options,
	  sizeof(profiles_options) / sizeof(*profiles_options), 0 },
	COMMON_GROUP,
};

struct entry {
	const char *name;
	const char *source; /* "shipped", or the file */
	const char *description;
};

struct entries {
	struct entry *v;
	size_t n;
};

static bool has_entry(const struct entries *entries, const char *name)
{
	for (size_t i = 0; i < entries->n; i++) {
		if (!strcmp(entries->v[i].name, name))
			return true;
	}
	return false;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct entry *)a)->name,
		      ((const struct entry *)b)->name);
}

/* NAME.yaml in @directory, unless the name is taken: by a file of a directory
 * before, or by a shipped profile. */
static void add_directory(struct arena *arena, const char *directory,
			  struct entries *entries)
{
	size_t first = entries->n;
	struct dirent *found;
	DIR *dir = opendir(directory);

	if (!dir)
		return; /* most people have none */
	while ((found = readdir(dir))) {
		size_t len = strlen(found->d_name);
		const char *name;

		if (found->d_name[0] == '.' || len <= strlen(".yaml") ||
		    strcmp(found->d_name + len - strlen(".yaml"), ".yaml"))
			continue;
		name = arena_strndup(arena, found->d_name,
				     len - strlen(".yaml"));
		if (has_entry(entries, name))
			continue;
		*ARENA_PUSH(arena, entries) = (struct entry){
			.name = name,
			.source = arena_printf(arena, "%s/%s", directory,
					       found->d_name),
		};
	}
	closedir(dir);
	if (entries->n > first)
		qsort(entries->v + first, entries->n - first,
		      sizeof(*entries->v), by_name);
}

static int list_profiles(struct arena *arena, struct entries *out,
			 struct err *err)
{
	struct policy_context context;
	const struct policy_profile *shipped;
	size_t n;

	/* From "/": which profiles there are does not depend on where one
	 * stands. */
	if (host_context_read(arena, "/", &context, err) < 0)
		return -1;
	shipped = policy_profiles_list(&n);
	for (size_t i = 0; i < n; i++)
		*ARENA_PUSH(arena, out) = (struct entry){
			.name = shipped[i].name,
			.source = "shipped",
			.description = shipped[i].description,
		};
	add_directory(arena,
		      arena_printf(arena, "%s/profiles", context.config_dir),
		      out);
	add_directory(arena, "/etc/cordon/profiles", out);
	return 0;
}

static int print_json(struct arena *arena, const struct entries *entries,
		      struct err *err)
{
	json_t *list = json_array();

	for (size_t i = 0; i < entries->n; i++) {
		const struct entry *e = &entries->v[i];

		json_array_append_new(
			list, json_pack("{s:o, s:o, s:o}", "name",
					output_string(arena, e->name), "source",
					output_string(arena, e->source),
					"description",
					output_string(arena, e->description)));
	}
	return output_json(STDOUT_FILENO, list, err);
}

static int print_text(struct arena *arena, const struct entries *entries,
		      bool names, struct err *err)
{
	struct text out = { .arena = arena };

	for (size_t i = 0; i < entries->n; i++) {
		const struct entry *e = &entries->v[i];

		if (names) {
			text_add_escaped(&out, e->name);
		} else {
			output_column(&out, e->name, 12);
			text_add_escaped(&out, e->description ? e->description
							      : e->source);
		}
		text_add(&out, "\n");
	}
	return output_text(&out, err);
}

static int profiles_main(struct cmd *cmd, const void *verb_args,
			 const struct opt_rest *rest, struct err *err)
{
	const struct profiles_args *args = verb_args;
	struct entries entries = { 0 };

	if (rest->n)
		return err_set(err, ERR_USAGE, "'profiles' takes no words");
	if (list_profiles(cmd->arena, &entries, err) < 0)
		return -1;
	return args->json ? print_json(cmd->arena, &entries, err)
			  : print_text(cmd->arena, &entries, args->names, err);
}

const struct verb verb_profiles = {
	.name = "profiles",
	.summary = "list the profiles that -P can name",
	.synopsis = "[options]",
	.text = "Lists the shipped profiles and those in your configuration "
		"directory and in /etc/cordon/profiles.",
	.groups = { profiles_groups,
		    sizeof(profiles_groups) / sizeof(*profiles_groups) },
	.args_size = sizeof(struct profiles_args),
	.run = profiles_main,
};
