/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any text as the file of an agent: what the hook is put into gives back the
 * same bytes when it is taken out, or is refused. And any text as a command:
 * it is split without harm, and is one word when it is quoted.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/text.h"
#include "cmd/hook_agent.h"
#include "cmd/hook_words.h"
#include "cmd/hooks_edit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static bool is_own(void *data, const char *word, bool command)
{
	(void)data;
	(void)command;
	return !strcmp(word, "cordon");
}

static void split(struct arena *arena, const char *text)
{
	struct text quoted = { .arena = arena };
	struct hook_script script;

	hook_script_scan(arena, text, &script);
	(void)hook_script_is_cd(&script);
	(void)hook_script_find_own(arena, &script, text, is_own, NULL);
	text_add_quoted(&quoted, text);
	hook_script_scan(arena, text_str(&quoted), &script);
	if (script.doubt || script.n > 1 ||
	    (script.n &&
	     (script.v[0].n != 1 || strcmp(script.v[0].words[0], text) != 0)))
		abort();
}

static void there_and_back(struct arena *arena, const char *agent,
			   const char *text)
{
	struct hooks_edit edit = {
		.agent = hook_agent_find(agent),
		.command = arena_printf(arena, "'/x/cordon' hook %s -P 'a b'",
					agent),
	};
	const char *in, *out;
	struct err err = { 0 };

	/* What holds a hook already is another matter. */
	if (hooks_uninstall(arena, &edit, text, &out, &err) < 0 ||
	    out != text || hooks_install(arena, &edit, text, &in, &err) < 0) {
		if (err.kind == ERR_BUG)
			abort();
		return;
	}
	if (hooks_uninstall(arena, &edit, in, &out, &err) < 0)
		abort();
	/* Of nothing a file was made. */
	if (out ? strcmp(out, text) != 0 : *text != '\0')
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const char *const agents[] = { "claude", "cursor", "hermes",
					      "windsurf" };
	AUTO_ARENA arena = { 0 };
	const char *text;

	if (n < 1 || memchr(data + 1, '\0', n - 1))
		return 0;
	text = arena_strndup(&arena, (const char *)data + 1, n - 1);
	if (data[0] % 5 == 4)
		split(&arena, text);
	else
		there_and_back(&arena, agents[data[0] % 5], text);
	return 0;
}
