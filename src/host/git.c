/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host/git.c - which repository a directory belongs to
 *
 * Runs in:  the supervisor.
 * Trusts:   nothing in the workspace: a `.git` file may have been planted.
 * Must not: run git.
 */
#include "host/git.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/fd.h"
#include "host/resolve.h"
#include "plan/facts.h"

/* First line of a small file, NULL if it cannot be had. */
static const char *read_line(struct arena *arena, const char *path)
{
	AUTO_CLOSE int fd =
		open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	char line[PATH_MAX + 16];
	ssize_t n;

	if (fd < 0)
		return NULL;
	n = fd_read_all(fd, line, sizeof(line) - 1);
	if (n <= 0)
		return NULL;
	line[n] = '\0';
	line[strcspn(line, "\r\n")] = '\0';
	return arena_strdup(arena, line);
}

/* Where @path (relative to @dir) leads, if it is a directory. */
static const char *real_directory(struct host_resolver *resolver,
				  const char *dir, const char *path)
{
	struct facts_path found;
	const char *joined = path;

	if (path[0] != '/')
		joined = arena_printf(resolver->arena, "%s/%s", dir, path);
	host_resolve(resolver, joined, &found);
	return found.kind == FACTS_DIRECTORY ? found.real : NULL;
}

static bool owned_by_caller(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && st.st_uid == geteuid();
}

static bool holds(struct host_resolver *resolver, const char *dir,
		  const char *name, enum facts_kind kind)
{
	struct facts_path found;

	host_resolve(resolver,
		     arena_printf(resolver->arena, "%s/%s", dir, name), &found);
	return found.kind == kind && !found.links.n;
}

/*
 * Is @dir a worktree of the repository @common, as git lays it out? `gitdir`
 * and `commondir` alone may be a box's own work, made to have any directory
 * of the user opened for the next one.
 */
static bool is_worktree_of(struct host_resolver *resolver, const char *dir,
			   const char *common)
{
	size_t n = strlen(common);

	if (strncmp(dir, common, n) != 0 ||
	    strncmp(dir + n, "/worktrees/", 11) != 0 || !dir[n + 11] ||
	    strchr(dir + n + 11, '/'))
		return false;
	return holds(resolver, common, "HEAD", FACTS_FILE) &&
	       holds(resolver, common, "objects", FACTS_DIRECTORY) &&
	       holds(resolver, common, "refs", FACTS_DIRECTORY);
}

/* A linked worktree: DIR/gitdir must name this very `.git` file. */
static void read_worktree(struct host_resolver *resolver, const char *top,
			  struct facts_git *git)
{
	struct arena *arena = resolver->arena;
	const char *line = read_line(arena, git->dot_git);
	const char *dir, *back, *common;
	struct facts_path named;

	if (!line || strncmp(line, "gitdir: ", 8) != 0)
		return;
	dir = real_directory(resolver, top, line + 8);
	if (!dir || !owned_by_caller(dir))
		return;
	git->unproven = dir;
	back = read_line(arena, arena_printf(arena, "%s/gitdir", dir));
	common = read_line(arena, arena_printf(arena, "%s/commondir", dir));
	if (!back || back[0] != '/' || !common)
		return;
	host_resolve(resolver, back, &named);
	if (named.kind != FACTS_FILE || strcmp(named.real, git->dot_git) != 0)
		return;
	common = real_directory(resolver, dir, common);
	if (!common || !owned_by_caller(common) ||
	    !is_worktree_of(resolver, dir, common))
		return;
	git->dir = dir;
	git->common = common;
	git->unproven = NULL;
}

void host_git_probe(struct host_resolver *resolver, const char *at,
		    struct facts_git *out)
{
	struct arena *arena = resolver->arena;
	struct facts_path top, found = { 0 };
	uint64_t dev;

	*out = (struct facts_git){ 0 };
	host_resolve(resolver, at, &top);
	dev = top.id.dev;
	while (top.kind == FACTS_DIRECTORY && top.id.dev == dev) {
		const char *name = arena_printf(arena, "%s/.git",
						top.real[1] ? top.real : "");

		host_resolve(resolver, name, &found);
		if (found.kind != FACTS_ABSENT)
			break;
		if (!top.real[1])
			return;
		host_resolve(resolver, top.parent_real, &top);
	}
	if (found.kind != FACTS_DIRECTORY && found.kind != FACTS_FILE)
		return;
	if (!owned_by_caller(found.real))
		return;
	/* What it leads to is not looked at: it may have been planted. */
	if (found.links.n) {
		out->dot_git = found.path;
		out->dot_git_is_file = true;
		return;
	}

	out->dot_git = found.real;
	out->dot_git_is_file = found.kind == FACTS_FILE;
	if (out->dot_git_is_file) {
		read_worktree(resolver, top.real, out);
	} else {
		out->dir = found.real;
		out->common = found.real;
	}
}
