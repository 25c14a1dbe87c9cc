/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules and a command line of any bytes. What stays true: a rule that denies a
 * program as a whole denies it under every spelling of its arguments; more
 * arguments that are not known never turn a denial into none; a verdict has
 * the rule that it is from.
 *
 * The input is lines: rules ("+…" denies, "-…" allows), an empty line, names
 * of the file ("@…") and words of the command.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "policy/command.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

struct items {
	struct policy_item *v;
	size_t n;
};

struct strings {
	const char **v;
	size_t n;
};

static char *next_line(char **rest)
{
	char *line = *rest, *end = strchr(line, '\n');

	*rest = end ? end + 1 : line + strlen(line);
	if (end)
		*end = '\0';
	return line;
}

static void read_rules(struct arena *arena, char **rest,
		       struct policy_exec *out)
{
	struct items deny = { 0 }, allow = { 0 };

	while (**rest) {
		char *line = next_line(rest);

		if (!*line)
			break;
		*ARENA_PUSH(arena, *line == '-' ? &allow : &deny) =
			(struct policy_item){ .text = line + 1,
					      .origin = { "fuzz", 1 } };
	}
	out->deny = (struct policy_list){ .v = deny.v, .n = deny.n };
	out->allow = (struct policy_list){ .v = allow.v, .n = allow.n };
}

static void check(const struct command_rules *rules, struct command_seen *seen)
{
	struct command_verdict verdict, cut;

	command_judge(rules, seen, &verdict);
	if (verdict.denied && (!verdict.rule || verdict.rule->allow))
		abort();
	if (!verdict.denied && verdict.rule && !verdict.rule->allow)
		abort();
	if (verdict.doubt && !verdict.denied)
		abort();
	seen->cut = true;
	command_judge(rules, seen, &cut);
	if (verdict.denied && (!cut.denied || cut.doubt != verdict.doubt))
		abort();
	if (!seen->argc)
		return;
	/* Known in part it is denied, certainly or in doubt. */
	seen->argc--;
	command_judge(rules, seen, &cut);
	if (verdict.denied && !cut.denied && seen->argc)
		abort();
}

static void check_whole(struct arena *arena, struct command_seen *seen)
{
	struct policy_item item = { .text = "", .origin = { "fuzz", 1 } };
	struct policy_exec exec = { .deny = { .v = &item, .n = 1 } };
	struct command_verdict verdict;
	struct command_rules rules;
	const char *name, *base;
	struct err err;

	if (!seen->argc)
		return;
	name = seen->argv[0];
	base = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
	if (!*base || strpbrk(base, " \t\r\n\\'\"|;&<>*") || *base == '-' ||
	    !strcmp(base, ".") || !strcmp(base, ".."))
		return;
	item.text = base;
	if (command_rules_build(arena, &exec, &rules, &err) < 0)
		abort();
	command_judge(&rules, seen, &verdict);
	if (!verdict.denied && *name != '-')
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	AUTO_ARENA arena = { 0 };
	char *text = arena_strndup(&arena, (const char *)data, n), *rest = text;
	struct strings names = { 0 }, argv = { 0 };
	struct policy_exec exec = { 0 };
	struct command_rules rules;
	struct command_seen seen;
	struct err err;

	read_rules(&arena, &rest, &exec);
	while (*rest) {
		char *line = next_line(&rest);
		bool is_name = *line == '@';

		*ARENA_PUSH(&arena, is_name ? &names : &argv) = line + is_name;
	}
	seen = (struct command_seen){
		.names = names.v,
		.names_n = names.n,
		.argv = argv.v,
		.argc = argv.n,
	};
	check_whole(&arena, &seen);
	if (command_rules_build(&arena, &exec, &rules, &err) == 0)
		check(&rules, &seen);
	return 0;
}
