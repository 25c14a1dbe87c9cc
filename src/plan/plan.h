/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_PLAN_PLAN_H
#define CORDON_PLAN_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/egress.h"
#include "plan/facts.h"
#include "policy/command.h"
#include "policy/policy.h"

struct arena;
struct err;
struct sock_filter;
struct text;

/*
 * What will be done: every decision, resolved and in order. enforce/ makes it
 * true, `cordon plan` prints it. Built once in an arena, then only read.
 */

enum plan_access {
	PLAN_HIDDEN, /* neither content nor names */
	PLAN_READ,
	PLAN_WRITE,
};

/* A path whose access differs from its parent's, and who said so. */
struct plan_rule {
	const char *path; /* real */
	enum plan_access access;
	bool exists;
	struct policy_origin read_origin; /* what decided reading */
	struct policy_origin write_origin; /* what decided writing */
	const char *read_key; /* "deny_read", "protected", … */
	const char *write_key;
	const char *read_text; /* as the policy has it; NULL: not from there */
	const char *write_text;
};

struct plan_rules {
	struct plan_rule *v;
	size_t n;
};

enum plan_mount_kind {
	PLAN_MOUNT_ROOT, /* an empty root to be pivoted into */
	PLAN_MOUNT_READONLY, /* the whole tree, made read-only in place */
	PLAN_MOUNT_BIND, /* a host path at the same place */
	PLAN_MOUNT_MASK_FILE, /* an unreadable empty file over it */
	PLAN_MOUNT_MASK_PROGRAM, /* the same, but that it has execute bits:
				  * a shell then tries, and says that it
				  * was refused, not that nothing is there */
	PLAN_MOUNT_MASK_DIR, /* an unreadable empty directory over it */
	PLAN_MOUNT_HOLLOW, /* a directory that shows only what is mounted
				 * into it below */
	PLAN_MOUNT_TMPFS, /* a private, writable directory */
	PLAN_MOUNT_PROC,
	PLAN_MOUNT_DEV,
	PLAN_MOUNT_SYMLINK, /* a link inside a hollow directory */
	PLAN_MOUNT_MKDIR, /* a directory inside a hollow or private one */
	PLAN_MOUNT_FILE, /* a file of ours over one of the host; or in a
				 * hollow directory, without a mount */
	PLAN_MOUNT_COW, /* a host directory, changes of which go to a layer */
};

/*
 * A directory whose changes go elsewhere: the box sees the host's with what it
 * has changed laid over it, and the host's stays as it is. The two directories
 * of a layer are on one file system, the caller's to make and to remove, and
 * lie where the box sees nothing.
 */
struct plan_layer {
	const char *path; /* of the host; real */
	const char *upper; /* what was changed */
	const char *work; /* overlayfs's own; beside @upper */
	bool transient; /* nobody wants it after a crash: never synced */
};

struct plan_layers {
	const struct plan_layer *v;
	size_t n;
};

/* In the order in which they are made. */
struct plan_mount {
	enum plan_mount_kind kind;
	bool writable;
	bool directory; /* what BIND binds */
	bool on_skeleton; /* the mount point is ours to make: it lies in
				 * a hollow or private directory */
	bool noexec; /* nothing in it is executed */
	bool late; /* BIND: what is there when it is its turn; a mask: if
		    * anything is */
	bool layered; /* lies in a layer: @id is that of the host's, which
		       * nothing in the box has */
	const char *path; /* where; for BIND and COW also what */
	struct facts_id id; /* what must be there; zero where unchecked */
	const struct plan_layer *layer; /* COW */
	unsigned int mode; /* TMPFS, HOLLOW, MKDIR */
	const char *target; /* SYMLINK */
	const char *content; /* FILE */
	bool optional; /* FILE: empty where the caller's limit of file sizes
			* does not let it be written */
	const char *reason; /* for people */
};

struct plan_mounts {
	struct plan_mount *v;
	size_t n;
};

/* Access rights by the kernel's bits; see landlock(7). */
struct plan_landlock_rule {
	const char *path;
	uint64_t access;
};

struct plan_landlock {
	bool enabled;
	uint64_t handled_fs;
	uint64_t handled_net;
	uint64_t scoped;
	struct plan_landlock_rule *v;
	size_t n;
};

struct plan_filter {
	const char *name;
	const struct sock_filter *v;
	size_t n;
};

enum plan_absent_action {
	PLAN_ABSENT_FORBID, /* the name must not come into being */
	PLAN_ABSENT_PASSAGE, /* only by mkdir; then @below is forbidden or
				 * a passage inside it */
	PLAN_ABSENT_NOTICE, /* may come into being, and is reported */
};

/* A name, absent when the box starts, in a directory. */
struct plan_absent {
	const char *path; /* for messages */
	const char *name;
	const char *below; /* PASSAGE: the rest of the path */
	enum plan_absent_action action;
	struct facts_id parent; /* zero: in any directory */
	const char *layered; /* the parent's path, if it lies in a layer:
			      * @parent is the host's until the box has
			      * mounted it */
	struct policy_origin origin;
	const char *key; /* "deny_write", "protected" */
};

struct plan_absents {
	struct plan_absent *v;
	size_t n;
};

/* A name whose mount is made again when the host replaces what lies there,
 * which takes the mount away, or makes it for the first time. */
struct plan_watch {
	const char *path;
	bool expected; /* comes and goes: a socket; not worth a warning */
	struct facts_id id; /* of what lay there; zero: nothing */
	enum plan_mount_kind mount; /* a mask or BIND (ro) */
};

struct plan_watches {
	struct plan_watch *v;
	size_t n;
};

/* A program that a rule is about, found on the host; once for each name that
 * it is judged by wherever it lies. */
struct plan_program {
	const char *path; /* real, or a link that means no other program */
	struct facts_id id;
	uint64_t size; /* of the file: a copy has the same; 0: copies are not
			* looked for */
	bool masked; /* denied as a whole: nobody gets its content */
};

struct plan_programs {
	struct plan_program *v;
	size_t n;
};

struct plan_notes {
	const char **v;
	size_t n;
};

/* What may be executed. */
struct plan_exec {
	struct command_rules rules;
	struct plan_programs programs;
	bool judged; /* every execution is looked at before it happens */
	bool only_system; /* nothing that the box can write is executed */
	struct plan_notes notes; /* rules that change nothing */
};

/* What is decided at every open, by name. */
struct plan_pattern {
	const char *pattern; /* absolute; of policy_glob_match() */
	bool read; /* may not be read either */
	struct policy_origin origin;
	const char *key; /* "deny_read", "deny_write" */
	const char *text; /* as it was written */
	const char *fixed; /* the directory that all matches lie in, with no
			    * link in it; without @parts what is denied */
	const char **parts; /* components after that */
	size_t parts_n;
};

/* What is allowed inside of it; see plan/patterns.h. */
struct plan_exception {
	const char *path; /* real */
	bool write; /* or only to be read */
};

struct plan_patterns {
	struct plan_pattern *v;
	size_t n;
	struct plan_exception *except;
	size_t except_n;
};

/* What is blotted out in the output. */
struct plan_mask {
	const char *name; /* of the preset; NULL: a pattern of the policy */
	const char *pattern; /* of regex_parse() */
	struct policy_origin origin;
};

struct plan_masks {
	struct plan_mask *v;
	size_t n;
};

struct plan_rlimit {
	int resource;
	const char *name;
	uint64_t value;
};

struct plan_rlimits {
	struct plan_rlimit *v;
	size_t n;
};

struct plan {
	const char *workdir;
	struct facts_id workdir_id;
	unsigned int uid;
	unsigned int gid;
	enum policy_mode network;
	struct plan_egress egress; /* POLICY_MODE_FILTERED */
	enum policy_view view;
	enum policy_git git;
	const char *git_dir; /* NULL without a repository */
	struct plan_rules rules;
	struct plan_layers layers; /* those that the box has */
	struct plan_mounts mounts;
	struct plan_landlock landlock;
	struct plan_landlock cage; /* of processes that need no file at all */
	struct plan_filter seccomp;
	struct plan_filter notify; /* hands calls to the guard */
	bool notify_holds; /* @seccomp is a part of @notify */
	bool seccomp_floor; /* it is the user's: ours is laid under it */
	bool seccomp_keep; /* a filter keeps given files from being emptied,
			    * as this Landlock cannot */
	struct plan_absents absents;
	struct plan_watches watches;
	struct plan_exec exec;
	struct plan_patterns patterns; /* filesystem.strict */
	struct facts_strings sockets; /* of the host, that may be connected
				       * to; real paths */
	bool explain; /* refusals are told exactly, which takes a look at
			 * every open */
	bool learn; /* what is used is told */
	bool inside; /* read back in the box: its own directories are meant */
	struct plan_masks masks;
	struct plan_rlimits rlimits;
	char *const *environ; /* NULL-terminated */
	uint64_t wall_time_ms; /* 0: none */
	struct plan_notes notes; /* what is weaker here than asked */
};

/* What the caller of plan_build() decides besides the policy. */
struct plan_options {
	struct plan_notes allow_degraded; /* names of --allow-degraded */
	const struct plan_filter *seccomp_file; /* from an OCI profile, read
						 * by the caller; or NULL */
	struct plan_layers layers; /* directories that are written in a
				    * layer, whatever the policy says of
				    * writing them as a whole; what is hidden
				    * or protected stays so */
	bool layered; /* nothing of the host is written but in a layer */
	bool explain;
	bool learn;
};

/* Pure: what must be known before @policy can be planned. */
int plan_queries_build(struct arena *arena, const struct policy *policy,
		       const struct policy_context *context,
		       const struct plan_options *options,
		       struct plan_queries *out, struct err *err);

/*
 * Pure: the plan, or ERR_POLICY or ERR_HOST with the reason and the remedy.
 * @facts are the answers to @queries. Everything lives in @arena or is
 * borrowed from the arguments.
 */
int plan_build(struct arena *arena, const struct policy *policy,
	       const struct policy_context *context,
	       const struct plan_queries *queries, const struct facts *facts,
	       const struct plan_options *options, struct plan *out,
	       struct err *err);

#endif
