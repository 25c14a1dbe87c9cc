/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_POLICY_PROPOSE_H
#define CORDON_POLICY_PROPOSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/policy.h"

struct arena;
struct text;

/*
 * From what a command did, or tried to do, to the smallest policy that would
 * have let it. Pure: what the present policy says of each use, and what there
 * is on the host, is part of the input.
 */
enum propose_act {
	PROPOSE_READ,
	PROPOSE_WRITE, /* of a file that exists, in place */
	PROPOSE_CREATE,
	PROPOSE_REMOVE,
	PROPOSE_EXEC,
};

enum propose_verdict {
	PROPOSE_REFUSED, /* by the present policy, which could allow it */
	PROPOSE_ALLOWED, /* by the present policy */
	PROPOSE_KEPT, /* refused by what no proposal opens: see why */
};

struct propose_use {
	enum propose_act act;
	const char *path; /* absolute and normal; real */
	const char *comm; /* the program; NULL: not known */
	unsigned int count;
	enum propose_verdict verdict;
	const char *why; /* KEPT: the rule */
	size_t existing; /* bytes of @path that exist on the host */
	bool directory; /* @path is one, or was made as one */
};

struct propose_uses {
	struct propose_use *v;
	size_t n;
};

/* A connection that was refused; or a name that was only asked for. */
struct propose_host {
	const char *name; /* or an address */
	uint16_t port; /* 0: only asked for */
	const char *comm;
	unsigned int count;
	const char *why; /* not to be proposed: the rule; else NULL */
};

struct propose_hosts {
	struct propose_host *v;
	size_t n;
};

/* A command that was refused. */
struct propose_command {
	const char *text; /* as in exec.allow: "git push" */
	const char *comm; /* who tried */
	unsigned int count;
	const char *why; /* not to be proposed: the rule; else NULL */
};

struct propose_commands {
	struct propose_command *v;
	size_t n;
};

struct propose_input {
	const struct policy_context *context;
	const struct policy *present; /* in force */
	struct propose_uses uses;
	struct propose_hosts hosts;
	struct propose_commands commands;
	bool full; /* what is allowed already, too */
};

/* A rule that holds only when something is made first. */
struct propose_first {
	const char *path; /* as in a policy */
	bool directory; /* mkdir; otherwise an empty file */
	const char *evidence;
};

struct propose_lines {
	const char **v;
	size_t n;
};

struct proposal {
	struct policy policy; /* what to add; the origin of each item is its
			       * evidence */
	size_t rules; /* in @policy */
	struct {
		struct propose_first *v;
		size_t n;
	} first;
	struct propose_lines kept; /* what was refused and is not proposed */
	struct propose_lines asked; /* names that were only asked for */
};

void propose_build(struct arena *arena, const struct propose_input *input,
		   struct proposal *out);

/*
 * A document: what it extends, what is proposed with its evidence as comments,
 * the rest as comments. @base holds what else is to stand in it (options of the
 * run), or is NULL.
 */
void propose_format_yaml(struct text *out, const struct proposal *proposal,
			 const struct policy_list *extends,
			 const struct policy *base);

/* The lists that grow, in the manner of diff -u: what is in force, and what
 * would be added. */
void propose_format_diff(struct text *out, const struct proposal *proposal,
			 const struct policy *present);

/* Does it look like a name that a program made up: tmpab3x, 3f9c…, 20240102? */
bool propose_name_is_generated(const char *name, size_t len);

#endif
