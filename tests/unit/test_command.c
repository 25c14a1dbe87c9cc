/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exec rules: the verdicts of commands.txt, what is no rule, and the rules of
 * shipped profiles.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/text.h"
#include "policy/command.h"
#include "policy/profiles.h"

enum { WORDS_MAX = 64, CASES_MIN = 200 };

struct words {
	const char *v[WORDS_MAX];
	size_t n;
};

/* Words between blanks; those in single quotes may have blanks. */
static void split(char *text, struct words *out)
{
	out->n = 0;
	while (*(text += strspn(text, " "))) {
		const char *stop = *text == '\'' ? "'" : " ";

		text += *text == '\'';
		assert_true(out->n < WORDS_MAX);
		out->v[out->n++] = text;
		text += strcspn(text, stop);
		if (*text)
			*text++ = '\0';
	}
}

struct table {
	struct arena arena;
	struct policy_item deny[64], allow[64];
	struct policy_exec exec;
	struct command_rules rules;
	unsigned int line;
	unsigned int cases;
};

static void add_item(struct table *table, struct policy_list *list,
		     struct policy_item *room, const char *text)
{
	assert_true(list->n < 64);
	room[list->n++] = (struct policy_item){
		.text = arena_strdup(&table->arena, text),
		.origin = { .source = "commands.txt", .line = table->line },
	};
	list->v = room;
}

static void build(struct table *table)
{
	struct err err;

	if (command_rules_build(&table->arena, &table->exec, &table->rules,
				&err) < 0)
		fail_msg("commands.txt:%u: %s", table->line, err.msg);
}

/* {PATH} … WORDS, perhaps "..." */
static void judge(struct table *table, char *text, struct command_verdict *out)
{
	struct words names = { .n = 0 }, argv;
	struct command_seen seen = { .cut = false };

	while (*text == '{') {
		char *end = strchr(text, '}');

		assert_non_null(end);
		*end = '\0';
		names.v[names.n++] = text + 1;
		text = end + 1 + strspn(end + 1, " ");
	}
	split(text, &argv);
	if (argv.n && !strcmp(argv.v[argv.n - 1], "...")) {
		seen.cut = true;
		argv.n--;
	}
	seen.names = names.v;
	seen.names_n = names.n;
	seen.argv = argv.v;
	seen.argc = argv.n;
	command_judge(&table->rules, &seen, out);
}

static void check_case(struct table *table, char *line)
{
	char *rule = strchr(line, '\t'), *words = strchr(rule + 1, '\t');
	char *shown = arena_strdup(&table->arena, words + 1);
	struct command_verdict verdict;
	const char *got;

	*rule++ = '\0';
	*words++ = '\0';
	judge(table, words, &verdict);
	got = !verdict.denied ? "allow" : verdict.doubt ? "doubt" : "deny";
	if (strcmp(got, line) != 0 ||
	    strcmp(verdict.rule ? verdict.rule->text : "-", rule) != 0)
		fail_msg("commands.txt:%u: %s: %s by '%s', not %s by '%s'",
			 table->line, shown, got,
			 verdict.rule ? verdict.rule->text : "-", line, rule);
	if (verdict.rule)
		assert_int_equal(verdict.rule->allow, !verdict.denied);
	table->cases++;
}

static void check_line(struct table *table, char *line)
{
	line[strcspn(line, "\n")] = '\0';
	table->line++;
	switch (line[0]) {
	case '\0':
	case '#':
		break;
	case '[':
		table->exec = (struct policy_exec){ .deny = { .n = 0 } };
		build(table);
		break;
	case '+':
		add_item(table, &table->exec.deny, table->deny, line + 2);
		build(table);
		break;
	case '-':
		add_item(table, &table->exec.allow, table->allow, line + 2);
		build(table);
		break;
	default:
		check_case(table, line);
	}
}

static void command_lines_have_their_verdicts(void **state)
{
	struct table table = { .cases = 0 };
	const char *dir = getenv("CORDON_TEST_DATA");
	char path[4096], line[1024];
	FILE *file;

	(void)state;
	snprintf(path, sizeof(path), "%s/commands.txt",
		 dir ? dir : "tests/unit");
	file = fopen(path, "re");
	if (!file)
		fail_msg("cannot read %s", path);
	while (fgets(line, sizeof(line), file))
		check_line(&table, line);
	assert_int_equal(fclose(file), 0);
	assert_true(table.cases >= CASES_MIN);
	arena_free(&table.arena);
}

static int build_one(struct arena *arena, const char *text, bool allow,
		     struct command_rules *out, struct err *err)
{
	struct policy_item *item = arena_array(arena, struct policy_item, 1);
	struct policy_exec exec = { .deny = { .n = 0 } };
	struct policy_list *list = allow ? &exec.allow : &exec.deny;

	item->text = text;
	item->origin = (struct policy_origin){ "a.yaml", 7 };
	list->v = item;
	list->n = 1;
	return command_rules_build(arena, &exec, out, err);
}

static void what_is_no_rule_is_refused_with_its_place(void **state)
{
	static const struct {
		const char *text;
		const char *says;
	} wrong[] = {
		{ "", "names no program" },
		{ "  \t ", "names no program" },
		{ "''", "names no program" },
		{ "/", "names no program" },
		{ "..", "names no program" },
		{ "git 'push", "quote that is not closed" },
		{ "git \"push", "quote that is not closed" },
		{ "git push\\", "ends in a backslash" },
		{ "./run", "from '/' on" },
		{ "/usr//bin/x", "from '/' on" },
		{ "/usr/../x y", "from '/' on" },
		{ "~/bin/x", "from '/' on" },
		{ "-v git", "begins with an option" },
		{ "a && b", "more than one command" },
		{ "a | b", "more than one command" },
		{ "a; b", "more than one command" },
		{ "a > b", "more than one command" },
		{ "git *", "has a '*'" },
	};
	AUTO_ARENA arena = { 0 };
	struct command_rules rules;
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		assert_int_equal(
			build_one(&arena, wrong[i].text, i % 2, &rules, &err),
			-1);
		assert_int_equal(err.kind, ERR_POLICY);
		if (!strstr(err.msg, wrong[i].says) ||
		    !strstr(err.msg, "a.yaml:7: exec."))
			fail_msg("'%s': %s", wrong[i].text, err.msg);
	}
	/* The control: quoted they are words. */
	assert_int_equal(
		build_one(&arena, "git '*' \";\" \\|", false, &rules, &err), 0);
	assert_int_equal(rules.v[0].n, 4);
	assert_string_equal(rules.v[0].words[3], "|");
}

static void a_rule_has_a_bound_of_words(void **state)
{
	AUTO_ARENA arena = { 0 };
	struct text text = { .arena = &arena };
	struct command_rules rules;
	struct err err;

	(void)state;
	for (int i = 0; i < 63; i++)
		text_add(&text, "w ");
	assert_int_equal(
		build_one(&arena, text_str(&text), false, &rules, &err), 0);
	text_add(&text, "w");
	assert_int_equal(
		build_one(&arena, text_str(&text), false, &rules, &err), -1);
	assert_non_null(strstr(err.msg, "too many words"));
}

static void nothing_is_denied_without_rules_or_words(void **state)
{
	const struct command_rules none = { 0 };
	struct command_seen seen = { 0 };
	struct command_verdict verdict;
	AUTO_ARENA arena = { 0 };
	struct command_rules rules;
	struct err err;

	(void)state;
	command_judge(&none, &seen, &verdict);
	assert_false(verdict.denied);
	assert_int_equal(build_one(&arena, "sudo", false, &rules, &err), 0);
	command_judge(&rules, &seen, &verdict);
	assert_false(verdict.denied);
	assert_null(verdict.rule);
}

/* A name is enough: the kernel executes without arguments too. */
static void a_file_without_arguments_is_judged_by_its_names(void **state)
{
	const char *const names[] = { "/usr/bin/sudo" };
	struct command_seen seen = { .names = names, .names_n = 1 };
	struct command_verdict verdict;
	AUTO_ARENA arena = { 0 };
	struct command_rules rules;
	struct err err;

	(void)state;
	assert_int_equal(build_one(&arena, "sudo", false, &rules, &err), 0);
	command_judge(&rules, &seen, &verdict);
	assert_true(verdict.denied);
	assert_int_equal(build_one(&arena, "sudo -u", false, &rules, &err), 0);
	command_judge(&rules, &seen, &verdict);
	assert_false(verdict.denied);
	seen.cut = true;
	command_judge(&rules, &seen, &verdict);
	assert_true(verdict.denied);
	assert_true(verdict.doubt);
}

/* Readings do not multiply: as many arguments as the kernel takes. */
static void long_command_lines_are_judged_in_time(void **state)
{
	enum { ARGS = 100000 };
	AUTO_ARENA arena = { 0 };
	const char **argv = arena_array(&arena, const char *, ARGS);
	struct command_seen seen = { .argv = argv, .argc = ARGS };
	struct command_verdict verdict;
	struct command_rules rules;
	struct err err;

	(void)state;
	for (size_t i = 0; i < ARGS; i++)
		argv[i] = i % 3 ? "-x" : "a";
	argv[0] = "frob";
	assert_int_equal(build_one(&arena, "frob a a a a a a a a b", false,
				   &rules, &err),
			 0);
	command_judge(&rules, &seen, &verdict);
	assert_false(verdict.denied);
	for (size_t i = 0; i < ARGS; i++)
		argv[i] = "busybox";
	argv[ARGS - 1] = "wget";
	assert_int_equal(build_one(&arena, "wget", false, &rules, &err), 0);
	command_judge(&rules, &seen, &verdict);
	assert_true(verdict.denied);
}

static void multicall_programs_are_known_by_name(void **state)
{
	(void)state;
	assert_true(command_is_multicall("busybox"));
	assert_true(command_is_multicall("/usr/bin/coreutils"));
	assert_true(command_is_multicall("toybox"));
	assert_false(command_is_multicall("ls"));
	assert_false(command_is_multicall(""));
	assert_false(command_is_multicall("busybox toybox"));
	assert_false(command_is_multicall("busy"));
}

static const struct policy *profile(const char *name)
{
	const struct policy_profile *found = policy_profile_find(name);

	if (!found)
		fail_msg("no profile %s", name);
	return found->policy;
}

static bool has(const struct policy_list *list, const char *text)
{
	for (size_t i = 0; i < list->n; i++) {
		if (!strcmp(list->v[i].text, text))
			return true;
	}
	return false;
}

/* Judges @words, between blanks, as the profile does. */
static bool denies(const char *name, const char *words)
{
	AUTO_ARENA arena = { 0 };
	char *text = arena_strdup(&arena, words), *save = NULL;
	const char *argv[16];
	struct command_seen seen = { .argv = argv };
	struct command_verdict verdict;
	struct command_rules rules;
	struct err err = { 0 };

	for (char *word = strtok_r(text, " ", &save); word;
	     word = strtok_r(NULL, " ", &save))
		argv[seen.argc++] = word;
	if (command_rules_build(&arena, &profile(name)->exec, &rules, &err) < 0)
		fail_msg("%s: %s", name, err.msg);
	command_judge(&rules, &seen, &verdict);
	return verdict.denied;
}

static void profiles_deny_the_commands_of_their_names(void **state)
{
	static const struct {
		const char *profile;
		const char *denied[12];
		const char *allowed[8];
	} rows[] = {
		{ "commands",
		  { "reboot", "systemctl reboot", "init 6", "modprobe x",
		    "mkfs.ext4 /dev/sda", "dd bs=1 if=/dev/zero",
		    "docker run -it --privileged x", "docker run -v /:/h x",
		    "unshare -r", "curl x", "kubectl -n x delete y" },
		  { "git push", "sudo id", "init 3", "docker run x",
		    "kubectl get x", "systemctl status x", "dd of=x" } },
		{ "guarded",
		  { "sudo id", "su", "doas x", "git -C x push", "git-push",
		    "git checkout -- x", "git rebase main", "npm publish",
		    "cargo +nightly publish", "twine upload x", "gh pr create",
		    "gh api -X POST x" },
		  { "git status", "git commit -m x", "git checkout main",
		    "npm install", "cargo build", "gh pr list", "gh api x",
		    "curl x" } },
		{ "code",
		  { "sudo id", "git push", "gem push x", "reboot", "nc x 1",
		    "ftp x", "gh repo delete x", "kubectl exec x" },
		  { "curl x", "wget x", "ssh x", "scp a b", "rsync a b",
		    "git status", "npm test" } },
		{ "code-strict", { "sudo", "git push" }, { "curl x", "ls" } },
		{ "git-readonly",
		  { "git push", "git reset", "git clean", "git merge x" },
		  { "git log", "sudo id", "git checkout main" } },
		{ "agent", { 0 }, { "git push", "sudo id", "curl x" } },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		for (size_t k = 0; k < 12 && rows[i].denied[k]; k++) {
			if (!denies(rows[i].profile, rows[i].denied[k]))
				fail_msg("%s allows %s", rows[i].profile,
					 rows[i].denied[k]);
		}
		for (size_t k = 0; k < 8 && rows[i].allowed[k]; k++) {
			if (denies(rows[i].profile, rows[i].allowed[k]))
				fail_msg("%s denies %s", rows[i].profile,
					 rows[i].allowed[k]);
		}
	}
}

static void profiles_for_code_open_no_wide_way_out(void **state)
{
	static const char *const both[] = { "code", "code-strict" };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		const struct policy *p = profile(both[i]);

		assert_int_equal(p->network.mode.number, POLICY_MODE_FILTERED);
		assert_int_equal(p->filesystem.view.number,
				 i ? POLICY_VIEW_MINIMAL : POLICY_VIEW_HOST);
		assert_true(has(&p->network.allow, "api.anthropic.com"));
		assert_true(has(&p->filesystem.allow_write, "."));
		assert_true(has(&p->filesystem.deny_write, "**/.env"));
		for (size_t k = 0; k < p->network.allow.n; k++)
			assert_null(strstr(p->network.allow.v[k].text,
					   "amazonaws"));
		for (size_t k = 0; k < p->filesystem.allow_write.n; k++) {
			const char *path = p->filesystem.allow_write.v[k].text;

			assert_null(strchr(path, '*'));
			assert_string_not_equal(path, "~/.config");
			assert_string_not_equal(path, "~/.local/share");
			assert_string_not_equal(path, "$XDG_CONFIG_HOME");
			assert_string_not_equal(path, "$XDG_DATA_HOME");
		}
	}
	assert_int_equal(profile("git-readonly")->filesystem.git.number,
			 POLICY_GIT_READONLY);
	assert_int_equal(profile("git-readonly")->network.mode.number,
			 POLICY_MODE_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(command_lines_have_their_verdicts),
		cmocka_unit_test(what_is_no_rule_is_refused_with_its_place),
		cmocka_unit_test(a_rule_has_a_bound_of_words),
		cmocka_unit_test(nothing_is_denied_without_rules_or_words),
		cmocka_unit_test(
			a_file_without_arguments_is_judged_by_its_names),
		cmocka_unit_test(long_command_lines_are_judged_in_time),
		cmocka_unit_test(multicall_programs_are_known_by_name),
		cmocka_unit_test(profiles_deny_the_commands_of_their_names),
		cmocka_unit_test(profiles_for_code_open_no_wide_way_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
