/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd/hooks_plugin.c - the hook of OpenCode, a plugin of one file
 *
 * Runs in:  the process of `cordon hooks`.
 * Trusts:   nothing that stands in the plugin's place.
 * Must not: replace a file that somebody else wrote, unless told to.
 */
#include <jansson.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/text.h"
#include "cmd/hook_agent.h"
#include "cmd/hook_words.h"
#include "cmd/hooks_edit.h"

static const char plugin_head[] =
	"// Written by 'cordon hooks install opencode'; 'cordon hooks "
	"uninstall opencode'\n"
	"// removes it. For OpenCode 1.18.29 and later (server) and 2 "
	"(setup).\n"
	"import { spawnSync } from \"node:child_process\"\n"
	"\n";

static const char argv_line[] = "const argv = ";

static const char plugin_rest[] =
	"const tools = new Set([\"bash\", \"shell\", \"write\", \"edit\", "
	"\"multiedit\", \"patch\",\n"
	"  \"apply_patch\", \"webfetch\"])\n"
	"\n"
	"// What fails is denied: a tool must not run because its check did "
	"not.\n"
	"function ask(tool, args, cwd) {\n"
	"  const done = spawnSync(argv[0], argv.slice(1), {\n"
	"    input: JSON.stringify({ tool, args, cwd }),\n"
	"    encoding: \"utf8\",\n"
	"    timeout: 30000,\n"
	"    maxBuffer: 16 * 1024 * 1024,\n"
	"  })\n"
	"  if (done.error) throw new Error(`cordon: "
	"${done.error.message}`)\n"
	"  if (done.status !== 0)\n"
	"    throw new Error((done.stderr || \"\").trim() || `cordon: the hook "
	"ended with ${done.status ?? done.signal}`)\n"
	"  const answer = JSON.parse(done.stdout)\n"
	"  if (answer.decision === \"deny\") throw new Error(`cordon: "
	"${answer.reason}`)\n"
	"  return answer.decision === \"wrap\" ? answer.command : undefined\n"
	"}\n"
	"\n"
	"async function server({ directory }) {\n"
	"  return {\n"
	"    \"tool.execute.before\": async (input, output) => {\n"
	"      if (!tools.has(input.tool)) return\n"
	"      const command = ask(input.tool, output.args, directory ?? "
	"process.cwd())\n"
	"      if (command !== undefined) output.args.command = command\n"
	"    },\n"
	"  }\n"
	"}\n"
	"\n"
	"async function setup(ctx) {\n"
	"  await ctx.tool.hook(\"execute.before\", async (event) => {\n"
	"    if (!tools.has(event.tool)) return\n"
	"    const session = await ctx.session?.get?.({ sessionID: "
	"event.sessionID })\n"
	"    const directory = session?.location?.directory ?? "
	"ctx.location?.directory ?? process.cwd()\n"
	"    const command = ask(event.tool, event.input, directory)\n"
	"    if (command !== undefined) event.input = { ...event.input, "
	"command }\n"
	"  })\n"
	"}\n"
	"\n"
	"export default { id: \"cordon\", server, setup }\n";

static void plugin_format(struct text *out, const char *argv, size_t n)
{
	text_add(out, plugin_head);
	text_add(out, argv_line);
	text_addn(out, argv, n);
	text_add(out, "\n");
	text_add(out, plugin_rest);
}

void hooks_plugin_format(struct text *out, const struct hooks_edit *edit)
{
	struct text argv = { .arena = out->arena };
	struct hook_script script;

	/* No shell is between: the words themselves. */
	hook_script_scan(out->arena, edit->command, &script);
	text_add(&argv, "[");
	for (size_t i = 0; script.n && i < script.v[0].n; i++) {
		text_add(&argv, i ? ", " : "");
		hooks_string_format(&argv, script.v[0].words[i]);
	}
	text_add(&argv, "]");
	plugin_format(out, text_str(&argv), argv.n);
}

static bool is_own(const char *text)
{
	return !strncmp(text, plugin_head, strlen(plugin_head));
}

/* As it was written, with any options. */
static bool is_untouched(struct arena *arena, const char *text)
{
	const char *argv = text + strlen(plugin_head);
	struct text same = { .arena = arena };

	if (!is_own(text) || strncmp(argv, argv_line, strlen(argv_line)))
		return false;
	argv += strlen(argv_line);
	plugin_format(&same, argv, strcspn(argv, "\n"));
	return !strcmp(text_str(&same), text);
}

int hooks_plugin_install(struct arena *arena, const struct hooks_edit *edit,
			 const char *text, const char **out, struct err *err)
{
	struct text whole = { .arena = arena };

	hooks_plugin_format(&whole, edit);
	if (text && !strcmp(text, text_str(&whole))) {
		*out = text;
		return 0;
	}
	if (text && !is_untouched(arena, text) && !edit->yes)
		return err_set(err, ERR_POLICY, "1:1: %s; -y replaces it",
			       is_own(text) ? "it was changed by hand"
					    : "it is not a plugin of cordon's");
	*out = text_str(&whole);
	return 0;
}

int hooks_plugin_uninstall(struct arena *arena, const struct hooks_edit *edit,
			   const char *text, const char **out, struct err *err)
{
	if (is_own(text) && !is_untouched(arena, text) && !edit->yes)
		return err_set(err, ERR_POLICY,
			       "1:1: it was changed by hand; -y removes it");
	*out = is_own(text) ? NULL : text;
	return 0;
}
