/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd/explain_exec.c - `cordon explain exec`: may a box execute this?
 *
 * Runs in:  the caller's process.
 * Trusts:   the command line.
 * Must not: execute anything.
 */
#include "cmd/explain_exec.h"

#include <jansson.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/path.h"
#include "base/text.h"
#include "cmd/output.h"
#include "cmd/prepare.h"
#include "plan/exec_text.h"
#include "policy/command.h"
#include "policy/match.h"

/* PATH as the box will have it. */
static const char *path_variable(const struct policy *policy)
{
	const struct policy_list *set = &policy->environment.set;
	const char *path = getenv("PATH");

	for (size_t i = 0; i < set->n; i++) {
		if (!strncmp(set->v[i].text, "PATH=", 5))
			path = set->v[i].text + 5;
	}
	return path ? path : "/usr/local/bin:/usr/bin:/bin";
}

/* Where the program may lie, the first that exists being meant. */
static int list_places(struct arena *arena, const struct prepared *prepared,
		       const char *name, struct facts_strings *out,
		       struct err *err)
{
	const char *path = path_variable(&prepared->policy.policy);
	struct policy_item item = {
		.text = name,
		.origin = { .source = "command line" },
	};
	struct policy_path place;

	if (strchr(name, '/')) {
		if (policy_path_expand(arena, &item, &prepared->context, &place,
				       err) < 0)
			return -1;
		*ARENA_PUSH(arena, out) = place.literal;
		return 0;
	}
	while (*path) {
		size_t n = strcspn(path, ":");
		char *dir = arena_strndup(arena, path, n);

		if (path_is_normal(dir))
			*ARENA_PUSH(arena, out) = path_join(arena, dir, name);
		path += n + (path[n] != '\0');
	}
	return 0;
}

static const struct facts_path *find_file(const struct prepared *prepared,
					  const struct facts_strings *places)
{
	for (size_t i = 0; i < places->n; i++) {
		const struct facts_path *fact =
			facts_path_find(&prepared->facts, places->v[i]);

		if (fact && fact->kind == FACTS_FILE)
			return fact;
	}
	return NULL;
}

/* Its names: where it was found, its real path, the same file elsewhere. */
static void add_names(struct arena *arena, const struct plan *plan,
		      const struct facts_path *file, struct facts_strings *out)
{
	if (!file)
		return;
	*ARENA_PUSH(arena, out) = file->path;
	*ARENA_PUSH(arena, out) = file->real;
	for (size_t i = 0; i < plan->exec.programs.n; i++) {
		const struct plan_program *program = &plan->exec.programs.v[i];

		if (program->id.dev == file->id.dev &&
		    program->id.ino == file->id.ino)
			*ARENA_PUSH(arena, out) = program->path;
	}
}

static const char *held_in_words(const char *held)
{
	if (!held)
		return NULL;
	if (!strcmp(held, "mask"))
		return "by a mask on the file: a wall";
	if (!strcmp(held, "noexec"))
		return "by a mount on which nothing is executed: a wall";
	if (!strcmp(held, "name"))
		return "by its name when it is executed: a guard-rail";
	return "by its arguments when it is executed: a guard-rail";
}

static int print(struct arena *arena, char *const *words, size_t n,
		 const struct facts_path *file,
		 const struct plan_exec_verdict *verdict, bool json,
		 struct err *err)
{
	struct text out = { .arena = arena }, line = { .arena = arena };
	json_t *argv = json_array();

	text_add_command(&line, (const char *const *)words, n);
	text_add(&out, "exec ");
	text_add_escaped(&out, text_str(&line));
	for (size_t i = 0; i < n; i++)
		json_array_append_new(argv, output_string(arena, words[i]));
	if (json)
		return output_json(
			STDOUT_FILENO,
			json_pack(
				"[{s:s, s:o, s:o, s:b, s:o, s:o, s:o}]",
				"operation", "exec", "command", argv, "path",
				output_string(arena, file ? file->real : NULL),
				"allowed", verdict->allowed, "held_by",
				output_string(arena, verdict->held), "rule",
				output_string(arena, verdict->reason), "remedy",
				output_string(arena, verdict->remedy)),
			err);
	json_decref(argv);
	text_addf(&out, ": %s\n", verdict->allowed ? "allowed" : "denied");
	output_line(&out, "path",
		    file ? file->real : "not found on this host's PATH");
	output_line(&out, "rule", verdict->reason);
	output_line(&out, "held", held_in_words(verdict->held));
	output_line(&out, "change", verdict->remedy);
	return output_text(&out, err);
}

int explain_exec(struct arena *arena, const struct host_args *host,
		 struct prepared *prepared, char *const *words, size_t n,
		 bool json, struct err *err)
{
	struct facts_strings places = { 0 }, names = { 0 };
	struct plan_exec_verdict verdict;
	const struct facts_path *file;
	struct command_seen seen;

	if (!words[0][0])
		return err_set(err, ERR_USAGE,
			       "the name of the command is empty");
	if (list_places(arena, prepared, words[0], &places, err) < 0 ||
	    prepare_plan(arena, host, &places, prepared, err) < 0)
		return -1;
	file = find_file(prepared, &places);
	add_names(arena, &prepared->plan, file, &names);
	seen = (struct command_seen){
		.names = names.v,
		.names_n = names.n,
		.argv = (const char *const *)words,
		.argc = n,
	};
	plan_explain_exec(arena, &prepared->plan, &seen,
			  file ? file->real : NULL, &verdict);
	if (print(arena, words, n, file, &verdict, json, err) < 0)
		return -1;
	return verdict.allowed ? 0 : 1;
}
