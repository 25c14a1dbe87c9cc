/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host/programs.c - where the programs of exec rules lie on this host
 *
 * Runs in:  the supervisor, with the user's rights, before any namespace.
 * Trusts:   the kernel's answers; not what lies in a directory of PATH.
 * Must not: decide what is denied, or execute anything.
 */
#include "host/programs.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/fd.h"
#include "base/path.h"
#include "host/resolve.h"
#include "plan/facts.h"

enum { DIRS_MAX = 256 }; /* PATH is the caller's; more is a mistake */

struct search {
	struct host_resolver *resolver;
	struct facts_strings dirs; /* real, each once */
	struct facts_programs *out;
};

/* Directories are often one another's: /bin is /usr/bin. */
static void add_dir(struct search *search, const char *dir)
{
	struct facts_path at;

	if (!path_is_normal(dir) || search->dirs.n == DIRS_MAX)
		return;
	host_resolve(search->resolver, dir, &at);
	if (at.kind != FACTS_DIRECTORY)
		return;
	for (size_t i = 0; i < search->dirs.n; i++) {
		if (!strcmp(search->dirs.v[i], at.real))
			return;
	}
	*ARENA_PUSH(search->resolver->arena, &search->dirs) = at.real;
}

static void add_path_variable(struct search *search)
{
	struct arena *arena = search->resolver->arena;
	const char *path = getenv("PATH");

	while (path && *path) {
		size_t n = strcspn(path, ":"), kept = n;

		while (kept > 1 && path[kept - 1] == '/')
			kept--;
		add_dir(search, arena_strndup(arena, path, kept));
		path += n + (path[n] != '\0');
	}
}

static bool is_script(const char *path)
{
	AUTO_CLOSE int fd =
		open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	char begin[2];

	return fd >= 0 && read(fd, begin, 2) == 2 && !memcmp(begin, "#!", 2);
}

static void add_program(struct search *search, const char *name,
			const char *path)
{
	struct facts_program program = { .name = name };
	struct stat st;

	host_resolve(search->resolver, path, &program.at);
	if (program.at.kind != FACTS_FILE || stat(program.at.real, &st) < 0)
		return;
	program.size = (uint64_t)st.st_size;
	program.script = is_script(program.at.real);
	*ARENA_PUSH(search->resolver->arena, search->out) = program;
}

static void find_program(struct search *search, const char *name)
{
	if (strchr(name, '/')) {
		add_program(search, name, name);
		return;
	}
	for (size_t i = 0; i < search->dirs.n; i++)
		add_program(search, name,
			    path_join(search->resolver->arena,
				      search->dirs.v[i], name));
}

static void add_other(struct search *search, const char *dir, const char *name,
		      const struct stat *st)
{
	struct arena *arena = search->resolver->arena;
	const char *path = NULL;

	for (size_t i = 0; i < search->out->n; i++) {
		struct facts_program *program = &search->out->v[i];

		if (!program->at.multiple || program->at.id.dev != st->st_dev ||
		    program->at.id.ino != st->st_ino)
			continue;
		if (!path)
			path = path_join(arena, dir, name);
		if (strcmp(path, program->at.real) != 0)
			*ARENA_PUSH(arena, &program->others) = path;
	}
}

static void find_others_in(struct search *search, const char *dir)
{
	DIR *stream = opendir(dir);
	const struct dirent *entry;
	struct stat st;

	while (stream && (entry = readdir(stream))) {
		if (entry->d_type != DT_REG && entry->d_type != DT_UNKNOWN)
			continue;
		if (fstatat(dirfd(stream), entry->d_name, &st,
			    AT_SYMLINK_NOFOLLOW) == 0 &&
		    S_ISREG(st.st_mode) && st.st_nlink > 1)
			add_other(search, dir, entry->d_name, &st);
	}
	if (stream)
		(void)closedir(stream);
}

/* A mask hides a name, not a file. */
static void find_others(struct search *search)
{
	bool any = false;

	for (size_t i = 0; i < search->out->n; i++) {
		const struct facts_path *at = &search->out->v[i].at;

		if (at->multiple) {
			add_dir(search, at->parent_real);
			any = true;
		}
	}
	for (size_t i = 0; any && i < search->dirs.n; i++)
		find_others_in(search, search->dirs.v[i]);
}

void host_programs_probe(struct host_resolver *resolver,
			 const struct plan_queries *queries, struct facts *out)
{
	struct search search = { .resolver = resolver, .out = &out->programs };

	for (size_t i = 0; i < queries->program_dirs.n; i++)
		add_dir(&search, queries->program_dirs.v[i]);
	add_path_variable(&search);
	for (size_t i = 0; i < queries->programs.n; i++)
		find_program(&search, queries->programs.v[i]);
	out->program_dirs = search.dirs;
	find_others(&search);
}
