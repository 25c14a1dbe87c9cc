/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_PLAN_FACTS_H
#define CORDON_PLAN_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What the plan has to know of this host, and nothing else: plan_queries()
 * asks, host/ looks once, plan_build() decides on the answers alone.
 *
 * An identity is a device and an inode number. A descriptor does not cross
 * into another mount namespace, so what the box mounts is opened there again,
 * without following links, and refused if its identity is not the one in the
 * plan.
 */

enum facts_kind {
	FACTS_ABSENT, /* does not exist; its parent may */
	FACTS_FILE,
	FACTS_DIRECTORY,
	FACTS_SOCKET,
	FACTS_OTHER, /* device, fifo */
	FACTS_UNREACHABLE, /* could not be looked at: see sys */
};

struct facts_id {
	uint64_t dev;
	uint64_t ino;
};

/* A symbolic link that was met on the way, with its own parents resolved. */
struct facts_link {
	const char *path;
	const char *target; /* as stored in the link */
	struct facts_id id;
};

struct facts_links {
	struct facts_link *v;
	size_t n;
};

struct facts_path {
	const char *path; /* as asked: absolute and normal */
	const char *real; /* the same with every link resolved; of an
				 * absent path as far as its parents exist */
	enum facts_kind kind;
	int sys; /* errno behind FACTS_UNREACHABLE */
	bool closed; /* a directory of the caller's own lets nobody in: it
		      * can be opened again by whoever runs as the caller */
	bool multiple; /* regular file with more than one name */
	struct facts_id id; /* of what @real names, if it exists */
	struct facts_id parent; /* of the deepest directory that exists */
	const char *parent_real;
	struct facts_links links;
};

struct facts_paths {
	struct facts_path *v;
	size_t n;
};

/* Answer to a pattern: every path that matched when it was looked at. */
struct facts_glob {
	const char *pattern;
	struct facts_paths found;
};

struct facts_globs {
	struct facts_glob *v;
	size_t n;
};

struct facts_strings {
	const char **v;
	size_t n;
};

/* How git sees the working directory. Paths are real; NULL without git. */
struct facts_git {
	const char *dir; /* the repository's own directory */
	const char *common; /* shared part; differs from dir in a worktree */
	const char *dot_git; /* the .git name in the tree: file or directory */
	bool dot_git_is_file; /* or a link */
	const char *unproven; /* directory that a .git file names without
				 * being named by it */
};

struct facts_ids {
	struct facts_id *v;
	size_t n;
};

/* A file that the command is given open; not the outputs, see run/output.c,
 * unless they are open for reading alone. */
struct facts_given {
	int fd;
	bool writable; /* open for writing too: nothing else is known then */
	const char *path; /* real; where it was if @gone; NULL: no name */
	bool gone; /* no longer there, but it has another name */
	struct facts_ids ids; /* of the file, and unless it is @gone of each
				 * directory above it, upwards */
};

struct facts_givens {
	struct facts_given *v;
	size_t n;
};

/* A program that exec rules are about, in one of the directories where
 * programs lie. */
struct facts_program {
	const char *name; /* as asked: a name, or a path */
	struct facts_path at; /* where it was found; not absent */
	uint64_t size;
	bool script; /* begins with "#!" */
	struct facts_strings others; /* further names of the same file, in
				      * those directories and its own */
};

struct facts_programs {
	struct facts_program *v;
	size_t n;
};

struct facts {
	unsigned int kernel; /* 0x061200 for 6.18 */
	int landlock_abi; /* 0: none */
	int landlock_errno; /* why, if none */
	struct facts_paths paths; /* answers, in the order of asking */
	uint32_t *index; /* of them, see facts_index_build() */
	size_t index_mask;
	struct facts_globs globs;
	struct facts_paths sockets; /* pathname sockets bound on the host */
	struct facts_paths hard_links; /* other names of denied files */
	struct facts_paths readonly_links; /* of those not to be written */
	struct facts_givens given;
	struct facts_strings environ; /* NAME=VALUE of the caller */
	struct facts_git git;
	struct facts_programs programs; /* in the order of asking; where they
					 * lie is also among @paths */
	struct facts_strings program_dirs; /* where they were looked for; real
					    */
	struct facts_strings mounts; /* mount points, if they were asked */
	const char *hostname; /* as uname(2) has it */
	bool no_network_namespaces; /* it makes none */
	bool inside_box; /* this process is in a box already */
	struct facts_strings unfinished; /* looks that met a bound, for notes */
};

struct arena;
struct claims;

/* Which looks plan_build() needs; see plan_queries_build(). */
struct plan_queries {
	struct facts_strings paths;
	struct facts_strings globs; /* absolute patterns */
	struct facts_strings denied; /* paths and patterns whose hard links
					 * matter */
	struct facts_strings readonly; /* likewise: not to be written */
	struct facts_strings private; /* directories of which the box sees
					 * nothing: sockets there are left out */
	const char *git_at; /* NULL: do not look */
	struct facts_strings git_names; /* asked below the git directories */
	const char *links_at; /* where hard links are looked for */
	struct facts_strings programs; /* names, or paths where they have a
					* '/'; looked for in */
	struct facts_strings program_dirs; /* and in the caller's PATH */
	bool mounts; /* which mount points there are */
	const int *fds; /* descriptors that the command will have */
	size_t fds_n;
	const struct claims *claims; /* what was asked for, to be decided */
};

/* Makes the answers findable; again after each change of facts->paths. */
void facts_index_build(struct arena *arena, struct facts *facts);

/* The answer for exactly this path, NULL if it was not asked. */
const struct facts_path *facts_path_find(const struct facts *facts,
					 const char *path);

#endif
