/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd/hook_own.c - would this text start cordon itself?
 *
 * Runs in:  the hook that an agent calls.
 * Trusts:   nothing: a model wrote the text.
 * Must not: be relied on: who wants to hide a name from it can. A box does
 *           not start another one, whatever is asked.
 */
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "cmd/hook_words.h"

/* Programs that run what their words or their input say. */
static const struct {
	const char *name;
	bool family; /* python is python3.11 too */
	bool reads; /* its input as well */
} launchers[] = {
	{ "env", 0, 0 },     { "command", 0, 0 },  { "exec", 0, 0 },
	{ "builtin", 0, 0 }, { "coproc", 0, 0 },   { "function", 0, 0 },
	{ "eval", 0, 1 },    { "source", 0, 1 },   { ".", 0, 1 },
	{ "trap", 0, 0 },    { "alias", 0, 0 },	   { "hash", 0, 0 },
	{ "enable", 0, 0 },  { "nohup", 0, 0 },	   { "sudo", 0, 1 },
	{ "doas", 0, 1 },    { "su", 0, 1 },	   { "runuser", 0, 1 },
	{ "setpriv", 0, 0 }, { "capsh", 0, 0 },	   { "pkexec", 0, 0 },
	{ "xargs", 0, 1 },   { "parallel", 0, 1 }, { "nice", 0, 0 },
	{ "ionice", 0, 0 },  { "chrt", 0, 0 },	   { "taskset", 0, 0 },
	{ "setsid", 0, 0 },  { "timeout", 0, 0 },  { "time", 0, 0 },
	{ "stdbuf", 0, 0 },  { "unbuffer", 0, 0 }, { "script", 0, 0 },
	{ "expect", 0, 1 },  { "watch", 0, 0 },	   { "strace", 0, 0 },
	{ "ltrace", 0, 0 },  { "gdb", 0, 1 },	   { "valgrind", 0, 0 },
	{ "perf", 0, 0 },    { "unshare", 0, 0 },  { "nsenter", 0, 0 },
	{ "chroot", 0, 0 },  { "flock", 0, 0 },	   { "systemd-run", 0, 0 },
	{ "at", 0, 1 },	     { "batch", 0, 1 },	   { "crontab", 0, 1 },
	{ "find", 0, 0 },    { "fd", 0, 0 },	   { "fdfind", 0, 0 },
	{ "busybox", 0, 1 }, { "toybox", 0, 1 },   { "sh", 0, 1 },
	{ "bash", 0, 1 },    { "rbash", 0, 1 },	   { "dash", 0, 1 },
	{ "ash", 0, 1 },     { "zsh", 0, 1 },	   { "ksh", 1, 1 },
	{ "mksh", 0, 1 },    { "fish", 0, 1 },	   { "csh", 0, 1 },
	{ "tcsh", 0, 1 },    { "python", 1, 1 },   { "pypy", 1, 1 },
	{ "perl", 1, 1 },    { "ruby", 1, 1 },	   { "node", 1, 1 },
	{ "deno", 0, 1 },    { "bun", 0, 1 },	   { "php", 1, 1 },
	{ "lua", 1, 1 },     { "tclsh", 1, 1 },	   { "awk", 0, 0 },
	{ "gawk", 0, 0 },    { "mawk", 0, 0 },	   { "ssh", 0, 1 },
	{ "tmux", 0, 0 },    { "screen", 0, 0 },   { "ld-", 1, 0 },
	{ "ld.so", 0, 0 },   { "bwrap", 0, 0 },	   { "firejail", 0, 0 },
	{ "proot", 0, 0 },   { "fakeroot", 0, 0 },
};

static const char *base_name(const char *word)
{
	const char *slash = strrchr(word, '/');

	return slash ? slash + 1 : word;
}

static bool find_launcher(const char *name, bool *reads)
{
	name = base_name(name);
	for (size_t i = 0; i < sizeof(launchers) / sizeof(*launchers); i++) {
		size_t len = strlen(launchers[i].name);

		if (strncmp(name, launchers[i].name, len) ||
		    (name[len] && !launchers[i].family))
			continue;
		*reads = launchers[i].reads;
		return true;
	}
	return false;
}

bool hook_is_launcher(const char *name)
{
	bool reads;

	return find_launcher(name, &reads);
}

/* What a name or a path is made of; all else parts words in some reading. */
static bool is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || (c && strchr("_-./+@~%", c)) ||
	       (unsigned char)c >= 0x80;
}

/* The part of @text that names cordon, with quotes and backslashes gone. */
static const char *find_in_text(struct arena *arena, const char *text,
				hook_own_fn *own, void *data)
{
	struct text part = { .arena = arena };

	for (;; text++) {
		if (*text == '\'' || *text == '"' || *text == '\\')
			continue;
		if (is_name_char(*text)) {
			text_addn(&part, text, 1);
			continue;
		}
		if (part.n && own(data, part.v, false))
			return part.v;
		if (!*text)
			return NULL;
		part.n = 0;
	}
}

static const char *find_in_words(struct arena *arena,
				 const struct hook_command *command,
				 hook_own_fn *own, void *data)
{
	const char *found = NULL;

	for (size_t i = 1; i < command->n && !found; i++)
		found = find_in_text(arena, command->words[i], own, data);
	return found;
}

const char *hook_script_find_own(struct arena *arena,
				 const struct hook_script *script,
				 const char *text, hook_own_fn *own, void *data)
{
	bool anywhere = script->doubt, reads = false;
	const char *found = NULL;

	for (size_t i = 0; i < script->n && !found; i++) {
		const struct hook_command *command = &script->v[i];

		if (own(data, command->words[0], true))
			return command->words[0];
		/* A name in escapes, $'\\x63…', is there to hide one. */
		if (command->open && strchr(command->words[0], '\\'))
			return command->words[0];
		anywhere |= command->open;
		if (!find_launcher(command->words[0], &reads))
			continue;
		anywhere |= reads && script->piped;
		found = find_in_words(arena, command, own, data);
	}
	if (!found && anywhere)
		found = find_in_text(arena, text, own, data);
	return found;
}
