/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_POLICY_COMMAND_FORMS_H
#define CORDON_POLICY_COMMAND_FORMS_H

#include <stdbool.h>
#include <stddef.h>

/* What is known of programs: which options they have, and which of them run
 * other programs than they are called. For policy/command*.c. */

enum command_option {
	COMMAND_OPTION_FLAG, /* stands alone */
	COMMAND_OPTION_VALUE, /* the next word is its value */
	COMMAND_OPTION_UNKNOWN, /* either */
};

/* How @program reads @word, which begins with '-', before its sub-command. */
enum command_option command_option_find(const char *program, const char *word);

/* Is @word, before the sub-command, no more than a choice of the tool chain:
 * `cargo +nightly publish`? */
bool command_is_toolchain(const char *program, const char *word);

/* Are letters after one '-' several options (`-it`), or one name (`-name`)? */
bool command_bundles(const char *program, const char *word);

/* Is this the name of a dynamic loader, that is given a file to run? */
bool command_is_loader(const char *name);

/*
 * Where in @argv the file stands that a loader runs; @argc if there is none.
 * *@argv0 is what the file is told that it is called, or NULL.
 */
size_t command_loader_file(const char *const *argv, size_t argc,
			   const char **argv0);

/* What follows the last '/'. */
const char *command_base_name(const char *name);

#endif
