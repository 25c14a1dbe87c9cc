/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hooks in the files of agents: in, in again, with other options, out; what
 * is not ours stays to the byte (T-170).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/text.h"
#include "cmd/hook_agent.h"
#include "cmd/hooks_edit.h"

/* Files as people have them; each is written into and restored. */
static const struct {
	const char *agent;
	const char *text;
} files[] = {
	{ "claude", "{}" },
	{ "claude", "{}\n" },
	{ "claude", "{\n}\n" },
	{ "claude", "{ }" },
	{ "claude", "\xef\xbb\xbf{\"model\":\"opus\"}" },
	{ "claude", "{\n  \"model\": \"opus\",\n  \"permissions\": {\n"
		    "    \"allow\": [\"Bash(ls:*)\"]\n  }\n}\n" },
	{ "claude", "{\r\n\t\"model\": \"opus\"\r\n}\r\n" },
	{ "claude", "// mine\n{ // all of it\n  // the model\n"
		    "  \"model\": \"opus\", // good\n  /* and */\n}\n// end" },
	{ "claude", "{\"hooks\":{}}" },
	{ "claude", "{\n  \"hooks\": {}\n}\n" },
	{ "claude", "{\n  \"hooks\": {\n  }\n}\n" },
	{ "claude", "{\n  \"hooks\": { // none yet\n  }\n}\n" },
	{ "claude", "{\"hooks\":{\"PreToolUse\":[]}}" },
	{ "claude", "{\n  \"hooks\": {\n    \"PreToolUse\": []\n  }\n}\n" },
	{ "claude", "{\n  \"hooks\": {\n    \"PreToolUse\": [\n    ]\n  }\n}" },
	{ "claude",
	  "{\n  \"hooks\": {\n    \"Stop\": [{\"hooks\": []}],\n  }\n}" },
	{ "claude", "{\n  \"hooks\": {\n    \"PreToolUse\": [\n"
		    "      { \"matcher\": \"Bash\", // theirs\n"
		    "        \"hooks\": [{\"type\": \"command\", \"command\": "
		    "\"cordon-audit hook claude\"}] },\n    ]\n  }\n}\n" },
	{ "claude", "{\"hooks\": {\"PreToolUse\": [{\"matcher\": \"Read\", "
		    "\"hooks\": [{\"type\": \"command\", \"command\": "
		    "\"x\"}]}]}, \"a\": 1}" },
	{ "claude", "{\"h\\u006foks\": {\"Stop\": []}}" },
	{ "codex", "{\n  \"hooks\": {\n    \"PostToolUse\": []\n  }\n}\n" },
	{ "cursor", "{\"version\":1}" },
	{ "cursor", "{\n  \"version\": 1,\n  \"hooks\": {\n"
		    "    \"preToolUse\": [\n      { \"command\": \"./a.sh\" }\n"
		    "    ]\n  }\n}\n" },
	{ "windsurf", "{}" },
	{ "windsurf", "{\"hooks\": {\"pre_run_command\": []}}" },
	{ "windsurf", "{\n  \"hooks\": {\n    \"pre_write_code\": [\n"
		      "      { \"command\": \"b\" } // b\n    ]\n  }\n}" },
	{ "windsurf", "{\n  \"hooks\": {\n  }\n}" },
	{ "hermes", "# mine\n" },
	{ "hermes", "model: x # y\n\nterminal:\n  backend: local\n" },
	{ "hermes", "model: x" },
	{ "hermes", "model: x\r\nhooks:\r\n  on_session_start:\r\n"
		    "    - command: a\r\n" },
	{ "hermes", "---\nhooks: {}\nmodel: x\n" },
	{ "hermes", "hooks: { } # none\nmodel: x\n" },
	{ "hermes", "hooks:\nmodel: x\n" },
	{ "hermes", "hooks: # later\n\nmodel: x\n" },
	{ "hermes", "model: x\nhooks:" },
	{ "hermes", "hooks:\n  # about it\n  pre_llm_call:\n"
		    "  - command: a\nmodel: x\n" },
	{ "hermes", "hooks:\n    pre_tool_call: []\nmodel: x\n" },
	{ "hermes", "hooks:\n    pre_tool_call:\nmodel: x\n" },
	{ "hermes", "hooks:\n  pre_tool_call:\n  - matcher: a # a\n"
		    "    command: b\n  # c\nmodel: x\n" },
	{ "hermes", "hooks:\n  pre_tool_call:\n      - command: b\n"
		    "  on_session_end: []\n" },
	{ "hermes", "prompt: |\n  text\n  hooks: no\n" },
	{ "hermes", "hooks_auto_accept: false\nhooks:\n  pre_tool_call:\n"
		    "    - command: 'b'" },
};

static struct hooks_edit edit_for(const char *agent, const char *command)
{
	struct hooks_edit edit = { .agent = hook_agent_find(agent),
				   .command = command };

	assert_non_null(edit.agent);
	return edit;
}

static const char *command_for(struct arena *arena, const char *agent,
			       const char *path, const char *options)
{
	struct hook_pinned pinned = { path, options };

	return hook_command_format(arena, &pinned, hook_agent_find(agent),
				   false);
}

static const char *install(struct arena *arena, const struct hooks_edit *edit,
			   const char *text)
{
	const char *out = NULL;
	struct err err = { 0 };

	if (hooks_install(arena, edit, text, &out, &err) < 0)
		fail_msg("%s: %s", text, err.msg);
	return out;
}

static const char *uninstall(struct arena *arena, const struct hooks_edit *edit,
			     const char *text)
{
	const char *out = NULL;
	struct err err = { 0 };

	if (hooks_uninstall(arena, edit, text, &out, &err) < 0)
		fail_msg("%s: %s", text, err.msg);
	return out;
}

static void in_and_out_leaves_the_same_bytes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		AUTO_ARENA arena = { 0 };
		struct hooks_edit edit = edit_for(
			files[i].agent, command_for(&arena, files[i].agent,
						    "/opt/it's/cordon", ""));
		struct hooks_edit other = edit_for(
			files[i].agent,
			command_for(&arena, files[i].agent, "/usr/bin/cordon",
				    " --profile='a \"b\" \\c'"));
		const char *in = install(&arena, &edit, files[i].text);
		const char *changed;

		assert_string_not_equal(in, files[i].text);
		assert_ptr_equal(install(&arena, &edit, in), in);
		/* With other options it is another entry, not a second. */
		changed = install(&arena, &other, in);
		assert_string_not_equal(changed, in);
		assert_string_equal(install(&arena, &edit, changed), in);
		assert_string_equal(uninstall(&arena, &other, changed),
				    files[i].text);
		assert_string_equal(uninstall(&arena, &edit, in),
				    files[i].text);
		assert_ptr_equal(uninstall(&arena, &edit, files[i].text),
				 files[i].text);
	}
}

static void a_file_that_was_made_goes_as_a_whole(void **state)
{
	static const char *const agents[] = {
		"claude", "codex", "cursor", "opencode", "hermes", "windsurf"
	};

	(void)state;
	for (size_t i = 0; i < sizeof(agents) / sizeof(*agents); i++) {
		AUTO_ARENA arena = { 0 };
		struct hooks_edit edit = edit_for(
			agents[i],
			command_for(&arena, agents[i], "/usr/bin/cordon", ""));
		const char *in = install(&arena, &edit, NULL);

		assert_non_null(in);
		assert_ptr_equal(install(&arena, &edit, in), in);
		edit.command = command_for(&arena, agents[i], "/x/cordon", "");
		assert_null(uninstall(&arena, &edit, in));
	}
}

/* What a person made of it meanwhile. */
static void only_ours_is_taken_out(void **state)
{
	static const struct {
		const char *agent;
		const char *text;
		const char *without;
	} cases[] = {
		/* moved behind another, with a comment */
		{ "claude",
		  "{\"hooks\": {\"PreToolUse\": [{\"a\": 1}, // one\n"
		  "  {\"hooks\": [{\"command\": \"'/x/cordon' hook "
		  "claude\"}]}\n]}}",
		  "{\"hooks\": {\"PreToolUse\": [{\"a\": 1} // one\n]}}" },
		/* another hook in our entry */
		{ "claude",
		  "{\"hooks\": {\"PreToolUse\": [{\"hooks\": [{\"command\": "
		  "\"/x/cordon hook claude -P dev\"}, {\"command\": "
		  "\"y\"}]}]}}",
		  "{\"hooks\": {\"PreToolUse\": [{\"hooks\": [{\"command\": "
		  "\"y\"}]}]}}" },
		/* twice */
		{ "cursor",
		  "{\"version\": 1, \"hooks\": {\"preToolUse\": [{\"command\": "
		  "\"/x/cordon hook cursor\"}, {\"command\": \"'/y/cordon' "
		  "hook cursor\"}]}}",
		  "{\"version\": 1}" },
		/* not ours: other programs, other agents, more than a call */
		{ "claude",
		  "{\"hooks\": {\"PreToolUse\": [{\"hooks\": [{\"command\": "
		  "\"cordon-x hook claude\"}, {\"command\": \"/x/cordon hook "
		  "codex\"}, {\"command\": \"/x/cordon hook claude; y\"}, "
		  "{\"command\": \"/x/cordon doctor\"}, {\"command\": 1}, "
		  "{\"command\": \"\\u0000\"}, 7]}, 8]}}",
		  NULL },
		{ "hermes",
		  "hooks:\n  pre_tool_call:\n    - command: /x/cordon-y hook "
		  "hermes\n    - x\n",
		  NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		AUTO_ARENA arena = { 0 };
		struct hooks_edit edit = edit_for(cases[i].agent, "x");
		const char *out = uninstall(&arena, &edit, cases[i].text);

		assert_string_equal(out, cases[i].without ? cases[i].without
							  : cases[i].text);
	}
}

static void what_cannot_be_edited_is_refused(void **state)
{
	static const struct {
		const char *agent;
		const char *text;
		const char *word;
	} cases[] = {
		{ "claude", "", "1:1" },
		{ "claude", "{\n  \"a\": 1\n  \"b\": 2\n}", "3:3" },
		{ "claude", "[]", "object" },
		{ "claude", "{\"hooks\": []}", "object" },
		{ "claude", "{\"hooks\": {\"PreToolUse\": {}}}", "list" },
		{ "claude", "{\"hooks\": {}, \"hooks\": {}}", "twice" },
		{ "cursor", "{}", "version" },
		{ "hermes", "a: [\n", "2:1" },
		{ "hermes", "- a\n", "1:1" },
		{ "hermes", "{model: x}\n", "1:1" },
		{ "hermes", "  model: x\n", "1:1" },
		{ "hermes", "{}", "1:1" },
		{ "hermes", "a: 1\r\rb: 2\n", "lines end" },
		{ "hermes", "hooks:\n  pre_tool_call:\n    command: a\n",
		  "2:3" },
		{ "hermes", "hooks:\n  - a\n", "1:1" },
		{ "hermes", "hooks: {on_session_start: []}\n", "1:1" },
		{ "hermes", "hooks: ~\n", "1:1" },
		{ "hermes", "hooks:\n  {a: []}\n", "1:1" },
		{ "hermes", "hooks:\n  pre_tool_call: [{command: a}]\n",
		  "2:3" },
		{ "hermes", "\"hooks\": {}\n", "1:1" },
		{ "hermes", "a: &x 1\nb: *x\n", "anchor" },
		{ "hermes", "a: 1\n...\n", "form" },
		{ "opencode", "export default {}\n", "not a plugin" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		AUTO_ARENA arena = { 0 };
		struct hooks_edit edit =
			edit_for(cases[i].agent, "'/x/cordon' hook x");
		struct err err = { 0 };
		const char *out;

		assert_int_equal(
			hooks_install(&arena, &edit, cases[i].text, &out, &err),
			-1);
		if (!strstr(err.msg, cases[i].word) || err.kind != ERR_POLICY)
			fail_msg("%s: %s", cases[i].text, err.msg);
	}
}

static void what_was_changed_by_hand_is_left_to_hands(void **state)
{
	AUTO_ARENA arena = { 0 };
	struct hooks_edit edit = edit_for("hermes", "'/x/cordon' hook hermes");
	struct err err = { 0 };
	const char *out;

	(void)state;
	assert_int_equal(
		hooks_uninstall(&arena, &edit,
				"hooks:\n  pre_tool_call:\n"
				"    - command: /x/cordon hook hermes\n",
				&out, &err),
		-1);
	assert_non_null(strstr(err.msg, "3:"));

	edit = edit_for("opencode", "'/x/cordon' hook opencode");
	out = install(&arena, &edit, NULL);
	out = arena_printf(&arena, "%s// mine\n", out);
	assert_int_equal(hooks_uninstall(&arena, &edit, out, &out, &err), -1);
	assert_int_equal(hooks_install(&arena, &edit, out, &out, &err), -1);
	edit.yes = true;
	assert_null(uninstall(&arena, &edit, out));
	assert_ptr_equal(uninstall(&arena, &edit, "x"), "x");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_and_out_leaves_the_same_bytes),
		cmocka_unit_test(a_file_that_was_made_goes_as_a_whole),
		cmocka_unit_test(only_ours_is_taken_out),
		cmocka_unit_test(what_cannot_be_edited_is_refused),
		cmocka_unit_test(what_was_changed_by_hand_is_left_to_hands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
