/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands of agents: how they are split, wrapped, and told from those that
 * start cordon itself (T-171, T-172).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/text.h"
#include "cmd/hook_agent.h"
#include "cmd/hook_check.h"
#include "cmd/hook_words.h"

/* "a b|c" for two commands. */
static const char *join(struct arena *arena, const struct hook_script *script)
{
	struct text out = { .arena = arena };

	for (size_t i = 0; i < script->n; i++) {
		text_add(&out, i ? "|" : "");
		for (size_t k = 0; k < script->v[i].n; k++)
			text_addf(&out, "%s%s", k ? " " : "",
				  script->v[i].words[k]);
	}
	return text_str(&out);
}

static void a_text_is_split_into_its_commands(void **state)
{
	static const struct {
		const char *text;
		const char *commands;
	} cases[] = {
		{ "", "" },
		{ "  # nothing\n", "" },
		{ "ls -l", "ls -l" },
		{ "a 'b c' \"d e\" f\\ g", "a b c d e f g" },
		{ "a;b&c&&d||e|f\ng", "a|b|c|d|e|f|g" },
		{ "(a; b) { c; }", "a|b|c" },
		{ "X=1 Y+=2 a", "a" },
		{ "X=1", "" },
		{ "if a; then b; else c; fi", "a|b|c" },
		{ "while ! a; do b; done", "a|b" },
		{ "for x in a b; do c; done", "for x in a b|c" },
		{ "a >f 2>&1 <g b", "a b" },
		{ ">f a", "a" },
		{ "a &>f b", "a b" },
		{ "a 2>f", "a" },
		{ "a2>f", "a2" },
		{ "a $(b \"$(c)\") d", "c|b $|a $ d" },
		{ "a \"x`b`y\"", "b|a x$y" },
		{ "a <(b) >(c)", "b|c|a $ $" },
		{ "a ${x:-$(b)}", "b|a $$" },
		{ "a $((1+2))", "1+2|a $" },
		{ "a $x$y", "a $x$y" },
		{ "a <<E\nb\nE\nc", "a|c" },
		{ "a <<'E' | b\n$(c)\nE\nd", "a|b|d" },
		{ "a <<E\n$(c)\nE\nd", "c|a|d" },
		{ "a <<-E\n\tb\n\tE\nc", "a|c" },
		{ "a <<E <<F\nb\nE\nc\nF\nd", "a|d" },
		{ "a <<< 'b c'", "a b c" },
		{ "a \\\n b", "a b" },
		{ "a\\\nb", "ab" },
		{ "a#b #c\nd", "a#b|d" },
		{ "f() { a; }", "f|a" },
		{ "case x in y) a;; esac", "case x in y|a" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		AUTO_ARENA arena = { 0 };
		struct hook_script script;

		hook_script_scan(&arena, cases[i].text, &script);
		if (script.doubt ||
		    strcmp(join(&arena, &script), cases[i].commands) != 0)
			fail_msg("%s: %s", cases[i].text,
				 join(&arena, &script));
	}
}

static void what_does_not_end_is_a_doubt(void **state)
{
	static const char *const cases[] = { "a 'b", "a \"b", "a $(b",
					     "a `b", "a ${b", "a $'b" };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		AUTO_ARENA arena = { 0 };
		struct hook_script script;

		hook_script_scan(&arena, cases[i], &script);
		assert_true(script.doubt);
	}
}

/* Each of them is a stack or a quadratic time, if it is not bounded. */
static void long_and_deep_texts_are_bounded(void **state)
{
	static const char *const parts[] = { "$(",    "\"${x:-\"", "`a ",
					     "${x:-", "<<E ",	   "((",
					     "\"$(",  "<(a ",	   "a;" };
	enum { SIZE = 1024 * 1024 };

	(void)state;
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		AUTO_ARENA arena = { 0 };
		char *text = arena_alloc(&arena, SIZE + 1, 1);
		size_t len = strlen(parts[i]);
		struct hook_script script;

		for (size_t at = 0; at + len <= SIZE; at += len)
			memcpy(text + at, parts[i], len);
		hook_script_scan(&arena, text, &script);
	}
}

static void only_cd_alone_is_cd(void **state)
{
	static const struct {
		const char *text;
		bool cd;
	} cases[] = {
		{ "cd", true },
		{ "cd /tmp", true },
		{ "  cd  'a b'\n", true },
		{ "cd \"a b\"/c\\ d", true },
		{ "cd '$(x)`x`*'", true },
		{ "cd \"\\$x [a]\"", true },
		{ "cd ~", true },
		{ "cd ~/x", true },
		{ "cd a~b/c#", false },
		{ "cd C#", true },
		{ "cd -P ..", true },
		{ "cd -L -- -x", true },
		{ "cd -- x", true },
		{ "cd -", true },
		/* What a shell makes of these may be a command. */
		{ "cd $HOME", false },
		{ "cd \"$HOME/x\"", false },
		{ "cd ${PWD@P}", false },
		{ "cd ${(e)PWD}", false },
		{ "cd \"${PWD@P}\"", false },
		{ "cd $'a'", false },
		{ "cd $\"a\"", false },
		{ "cd ~user", false },
		{ "cd ~+", false },
		{ "cd ~[x]", false },
		{ "cd ~$x", false },
		{ "cd *", false },
		{ "cd a?", false },
		{ "cd [ab]", false },
		{ "cd {a,b}", false },
		{ "cd =ls", false },
		{ "cd !!", false },
		{ "cd \"!x\"", false },
		{ "cd ^a", false },
		{ "cd a # b", false },
		{ "cd a #$(ls)", false },
		{ "cd -e x", false },
		{ "cd -@ x", false },
		{ "cd -2", false },
		{ "cd +1", false },
		{ "cd a b", false },
		{ "cd -P a b", false },
		{ "c$x a", false },
		{ "cd a && ls", false },
		{ "cd a; ls", false },
		{ "cd a & ", false },
		{ "cd a | cat", false },
		{ "cd $(ls)", false },
		{ "cd `ls`", false },
		{ "cd ${x:-$(ls)}", false },
		{ "cd <(ls)", false },
		{ "cd a > b", false },
		{ "cd a\nls", false },
		{ "(cd a)", false },
		{ "X=1 cd a", false },
		{ "cdx a", false },
		{ "./cd a", false },
		{ "cd 'a", false },
		{ "cd a b c d", false },
		{ "command cd a", false },
		{ "", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		AUTO_ARENA arena = { 0 };
		struct hook_script script;

		hook_script_scan(&arena, cases[i].text, &script);
		if (hook_script_is_cd(&script) != cases[i].cd)
			fail_msg("%s", cases[i].text);
	}
}

static bool is_own(void *data, const char *word, bool command)
{
	const char *slash = strrchr(word, '/');

	(void)data;
	(void)command;
	return !strcmp(slash ? slash + 1 : word, "cordon");
}

static const char *const starts[] = {
	"cordon run ls",
	"cordon",
	"/usr/local/bin/cordon run ls",
	"./cordon run ls",
	"~/bin/cordon run ls",
	"cd x && cordon run ls",
	"ls; cordon run ls",
	"ls | cordon run cat",
	"ls & cordon run ls",
	"ls || cordon run ls",
	"ls\ncordon run ls",
	"(cordon run ls)",
	"{ cordon run ls; }",
	"! cordon run ls",
	"if cordon run ls; then :; fi",
	"for x in 1; do cordon run ls; done",
	"X=1 cordon run ls",
	"X=1 Y=2 cordon run ls",
	">log cordon run ls",
	"echo $(cordon run ls)",
	"echo \"$(cordon run ls)\"",
	"echo `cordon run ls`",
	"X=$(cordon run ls)",
	"cat <(cordon run ls)",
	"echo ${x:-$(cordon run ls)}",
	"cat <<E\n$(cordon run ls)\nE",
	"c''ordon run ls",
	"\"cor\"don run ls",
	"cor\\don run ls",
	"\\cordon run ls",
	"'cordon' run ls",
	"cor\\\ndon run ls",
	"env cordon run ls",
	"env -i X=1 cordon run ls",
	"env -S 'cordon run ls'",
	"command cordon run ls",
	"exec cordon run ls",
	"exec -a x cordon run ls",
	"nohup cordon run ls &",
	"sudo cordon run ls",
	"sudo -u x -- cordon run ls",
	"doas cordon run ls",
	"nice -n 5 cordon run ls",
	"timeout 5 cordon run ls",
	"time -p cordon run ls",
	"setsid cordon run ls",
	"stdbuf -o0 cordon run ls",
	"strace -f cordon run ls",
	"xargs cordon run",
	"echo ls | xargs -I{} cordon run {}",
	"find . -exec cordon run {} \\;",
	"sh -c 'cordon run ls'",
	"sh -c \"cd x; exec cordon run ls\"",
	"bash -lc 'X=1 cordon run ls'",
	"sh -c \"sh -c 'cordon run ls'\"",
	"eval 'cordon run ls'",
	"eval cordon run ls",
	"echo 'cordon run ls' | sh",
	"sh <<E\ncordon run ls\nE",
	"bash <<< 'cordon run ls'",
	"python3 -c 'import os; os.system(\"cordon run ls\")'",
	"perl -e 'exec \"cordon\", \"run\"'",
	"busybox env cordon run ls",
	"/lib64/ld-linux-x86-64.so.2 /usr/bin/cordon run ls",
	"X=cordon; $X run ls",
	"X=cordon\n\"$X\" run ls",
	"$(which cordon) run ls",
	"{cordon,run,ls}",
	"alias x=cordon; x run ls",
	"function f { cordon run ls; }; f",
	"trap 'cordon run ls' EXIT",
	"$'\\x63ordon' run ls",
	"cordon 'no end",
	"sudo sh -c \"cordon run ls",
};

static const char *const starts_not[] = {
	"ls",
	"make test",
	"grep -r cordon src",
	"git commit -m 'cordon: say more'",
	"git log --grep=cordon",
	"cat cordon.c",
	"ls cordon-1.2",
	"man cordon",
	"echo cordon run ls",
	"cat > README <<E\ncordon run ls\nE",
	"cat > README <<'E'\n$(cordon run ls)\nE",
	"make && ls # cordon run ls",
	"bash test.sh && grep cordon log",
	"[ -x cordon ] && make",
	"[[ $x == cordon ]] && make",
	"$CC -c main.c",
	"echo 'it is cordon'",
	"printf '%s\\n' cordon",
	"echo $'cordon\\n'",
};

static void commands_that_start_cordon_are_found(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(starts) / sizeof(*starts); i++) {
		AUTO_ARENA arena = { 0 };
		struct hook_script script;

		hook_script_scan(&arena, starts[i], &script);
		if (!hook_script_find_own(&arena, &script, starts[i], is_own,
					  NULL))
			fail_msg("not found: %s", starts[i]);
	}
}

static void others_that_name_it_are_not(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(starts_not) / sizeof(*starts_not); i++) {
		AUTO_ARENA arena = { 0 };
		struct hook_script script;

		hook_script_scan(&arena, starts_not[i], &script);
		if (hook_script_find_own(&arena, &script, starts_not[i], is_own,
					 NULL))
			fail_msg("found: %s", starts_not[i]);
	}
}

static void a_wrapper_is_ours_to_the_byte(void **state)
{
	static const struct hook_pinned pinned = { "/opt/cordon",
						   " --profile=strict" };
	static const char *const commands[] = { "ls",  "",	    "it's",
						"'",   "''",	    "a\nb",
						"\\'", "$(x) \"y\"" };
	static const char *const others[] = {
		"'/opt/cordon' run --profile=strict -c 'ls' ",
		" '/opt/cordon' run --profile=strict -c 'ls'",
		"'/opt/cordon' run --profile=strict -c 'ls' x",
		"'/opt/cordon' run --profile=strict -c 'ls'; id",
		"'/opt/cordon' run --profile=strict -c 'ls''x'",
		"'/opt/cordon' run --profile=strict -c 'l\"s\"'\"'\"''",
		"'/opt/cordon' run --profile=strict -c ls",
		"'/opt/cordon' run --profile=strict -c 'ls",
		"'/opt/cordon' run --profile=strict -c '",
		"'/opt/cordon' run  --profile=strict -c 'ls'",
		"'/opt/cordon' run --profile=dev -c 'ls'",
		"'/opt/cordon' run -c 'ls'",
		"/opt/cordon run --profile=strict -c 'ls'",
		"'/tmp/cordon' run --profile=strict -c 'ls'",
		"cordon run --profile=strict -c 'ls'",
		"'/opt/cordon' run --profile=strict -c 'a\\''",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++) {
		AUTO_ARENA arena = { 0 };
		const char *text =
			hook_wrap_format(&arena, &pinned, commands[i]);

		assert_string_equal(hook_wrap_parse(&arena, &pinned, text),
				    commands[i]);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		AUTO_ARENA arena = { 0 };

		if (hook_wrap_parse(&arena, &pinned, others[i]))
			fail_msg("taken for ours: %s", others[i]);
	}
}

static void a_patch_names_its_files(void **state)
{
	AUTO_ARENA arena = { 0 };
	struct hook_texts files;

	(void)state;
	hook_patch_list(&arena,
			"*** Begin Patch\n*** Add File: a b\n+x\n"
			"*** Update File: c\r\n*** Move to: /d\n@@\n-y\n"
			"*** Delete File: e\n+*** Add File: no\n*** End Patch",
			&files);
	assert_int_equal(files.n, 4);
	assert_string_equal(files.v[0], "a b");
	assert_string_equal(files.v[1], "c");
	assert_string_equal(files.v[2], "/d");
	assert_string_equal(files.v[3], "e");
}

/* Tools are lenient with their own form. */
static void a_patch_in_other_spelling_names_them_too(void **state)
{
	static const struct {
		const char *line;
		const char *first;
		const char *second;
	} cases[] = {
		{ "***Update File:/a", "/a", NULL },
		{ "***  update   file  :\t/a \t", "/a", NULL },
		{ " \t*** Delete File: /a", "/a", NULL },
		{ "*** Move File: a -> /b", "a", "/b" },
		{ "*** Move File: a->/b", "a", "/b" },
		{ "*** Move to: /b", "/b", NULL },
		{ "*** Rename File: a -> /b", "a", "/b" },
		{ "*** Update File: a -> /b", "a -> /b", NULL },
		{ "*** End Patch", NULL, NULL },
		{ "+*** Add File: a", NULL, NULL },
		{ "*** Add File:", NULL, NULL },
		{ "** Add File: a", NULL, NULL },
		{ "*** a note: b", NULL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		AUTO_ARENA arena = { 0 };
		struct hook_texts files;
		size_t n = !!cases[i].first + !!cases[i].second;

		hook_patch_list(&arena, cases[i].line, &files);
		if (files.n != n)
			fail_msg("%s: %zu", cases[i].line, files.n);
		if (n > 0)
			assert_string_equal(files.v[0], cases[i].first);
		if (n > 1)
			assert_string_equal(files.v[1], cases[i].second);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_text_is_split_into_its_commands),
		cmocka_unit_test(what_does_not_end_is_a_doubt),
		cmocka_unit_test(long_and_deep_texts_are_bounded),
		cmocka_unit_test(only_cd_alone_is_cd),
		cmocka_unit_test(commands_that_start_cordon_are_found),
		cmocka_unit_test(others_that_name_it_are_not),
		cmocka_unit_test(a_wrapper_is_ours_to_the_byte),
		cmocka_unit_test(a_patch_names_its_files),
		cmocka_unit_test(a_patch_in_other_spelling_names_them_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
