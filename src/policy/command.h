/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_POLICY_COMMAND_H
#define CORDON_POLICY_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "policy/policy.h"

struct arena;
struct err;

/*
 * Rules of exec.deny and exec.allow: "sudo", "git push", "dd if=". The first
 * word is a program, by its name or by its path; the others are its first
 * arguments, after options that stand before the sub-command (`git -C x
 * push`). A last word that ends in "=" is the beginning of any later argument.
 * The longest rule that matches decides; of equally long ones, the denial.
 */
struct command_rule {
	const char *const *words;
	size_t n;
	bool allow;
	const char *text; /* as written */
	struct policy_origin origin;
};

struct command_rules {
	struct command_rule *v;
	size_t n;
};

/* Words as a shell would split them, without any expansion. */
int command_rules_build(struct arena *arena, const struct policy_exec *exec,
			struct command_rules *out, struct err *err);

/* What is about to be executed, as far as it is known. */
struct command_seen {
	/* what the file is called: its path as it was given, its real path,
	 * paths of programs that are the same file or have the same content;
	 * base names are taken here */
	const char *const *names;
	size_t names_n;
	const char *const *argv; /* argv[0] is a name too */
	size_t argc;
	bool cut; /* there are more arguments than these */
};

struct command_verdict {
	bool denied;
	bool doubt; /* denied because not all arguments are known */
	const struct command_rule *rule; /* that decided; NULL: none applies */
};

/*
 * Under every name, of a multicall program as the applet that is meant, and
 * behind a dynamic loader: denied under one of them is denied. Makes no system
 * call and allocates nothing.
 */
void command_judge(const struct command_rules *rules,
		   const struct command_seen *seen,
		   struct command_verdict *out);

/* Is this the name of a program that is many: busybox, coreutils, …? */
bool command_is_multicall(const char *name);

#endif
