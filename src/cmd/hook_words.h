/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_CMD_HOOK_WORDS_H
#define CORDON_CMD_HOOK_WORDS_H

#include <stdbool.h>
#include <stddef.h>

struct arena;

/*
 * What an agent gives to a shell, split into simple commands. This is no shell:
 * it expands nothing and knows no state, so it can be deceived, and is advice
 * for an agent that means well. The wall is the box.
 */
struct hook_command {
	const char *const *words; /* without quotes, from its name on */
	size_t n; /* never 0 */
	bool open; /* what the name will be is not known here */
};

struct hook_script {
	struct hook_command *v; /* those in substitutions too */
	size_t n;
	bool doubt; /* a quote does not end, or there is too much of it */
	bool plain; /* one command, without substitution, redirection, &, ; */
	bool literal; /* no shell makes another word of any in it */
	bool piped; /* something is read by something: | or < */
};

void hook_script_scan(struct arena *arena, const char *text,
		      struct hook_script *out);

/* `cd DIR` and nothing else, DIR as it stands there: it has to happen in the
 * agent's own shell, where an expansion could run what a name says. */
bool hook_script_is_cd(const struct hook_script *script);

/* Does this word name cordon? @command: it stands where a command's name does,
 * so that it may be a pattern and PATH is searched. */
typedef bool hook_own_fn(void *data, const char *word, bool command);

/*
 * The word by which the script would start cordon: as a command's name, behind
 * a program that runs others (env, sudo, xargs, sh -c, …), or in a text that
 * is read as a script. In doubt it does. NULL: it does not.
 */
const char *hook_script_find_own(struct arena *arena,
				 const struct hook_script *script,
				 const char *text, hook_own_fn *own,
				 void *data);

/* Is it the name of a program that runs what its words say? */
bool hook_is_launcher(const char *name);

#endif
