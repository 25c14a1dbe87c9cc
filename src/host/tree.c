/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host/tree.c - bounded walks below a directory
 *
 * Runs in:  the supervisor, before anything is planned.
 * Trusts:   nothing in the tree; names may be anything but NUL and '/'.
 * Must not: follow links, recurse without bound, or stat what getdents64
 *           already tells: 200 000 names shall take about a tenth of a second.
 */
#include "host/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "host/resolve.h"
#include "policy/match.h"

enum {
	DEPTH_LIMIT = 128,
	PARTS_LIMIT = 63, /* of a pattern: states are bits of a word */
	DENTS_SIZE = 32 * 1024,
};

/* What getdents64(2) fills in. */
struct dent {
	uint64_t ino;
	int64_t off;
	unsigned short reclen;
	unsigned char type;
	char name[];
};

static void free_buffer(char **buf)
{
	free(*buf);
}

#define AUTO_FREE __attribute__((cleanup(free_buffer)))

struct tree_walk;

/*
 * Called for each name; @state is the directory's, and what is written to
 * *@below becomes that of the directories below. Returns whether to descend.
 */
typedef bool tree_visit(struct tree_walk *walk, int dir, const char *name,
			unsigned char type, uint64_t state, uint64_t *below);

struct tree_walk {
	struct host_resolver *resolver;
	struct facts_paths *found;
	tree_visit *visit;
	const char *const *parts; /* of the pattern */
	size_t parts_n;
	const struct host_inodes *inodes;
	struct host_inodes *multiple;
	size_t budget;
	char path[PATH_MAX];
	size_t len;
};

static bool path_push(struct tree_walk *walk, const char *name, size_t *saved)
{
	size_t n = strlen(name);

	*saved = walk->len;
	if (walk->len + 1 + n >= sizeof(walk->path))
		return false;
	if (walk->len > 1)
		walk->path[walk->len++] = '/';
	memcpy(walk->path + walk->len, name, n + 1);
	walk->len += n;
	return true;
}

static void path_pop(struct tree_walk *walk, size_t saved)
{
	walk->len = saved;
	walk->path[saved] = '\0';
}

static bool is_dots(const char *name)
{
	return name[0] == '.' && (!name[1] || (name[1] == '.' && !name[2]));
}

static unsigned char type_of(int dir, const struct dent *dent)
{
	struct stat st;

	if (dent->type != DT_UNKNOWN)
		return dent->type;
	if (fstatat(dir, dent->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return DT_UNKNOWN;
	return IFTODT(st.st_mode);
}

/* False when the budget is used up. Takes ownership of @dir. */
static bool walk_directory(struct tree_walk *walk, int dir, uint64_t state,
			   unsigned int depth)
{
	AUTO_CLOSE int fd = dir;
	AUTO_FREE char *buf = NULL;

	if (depth >= DEPTH_LIMIT)
		return true;
	buf = malloc(DENTS_SIZE);
	if (!buf)
		return false;
	for (;;) {
		long n = syscall(SYS_getdents64, fd, buf, DENTS_SIZE);

		/* A directory that vanished or cannot be listed by us cannot
		 * be listed by the box either, which has the same uid. */
		if (n <= 0)
			return true;
		for (long at = 0; at < n;) {
			const struct dent *dent = (const void *)(buf + at);
			unsigned char type;
			uint64_t below = 0;
			size_t saved;
			int sub;

			at += dent->reclen;
			if (is_dots(dent->name))
				continue;
			if (walk->budget-- == 0)
				return false;
			type = type_of(fd, dent);
			if (!path_push(walk, dent->name, &saved))
				continue;
			if (walk->visit(walk, fd, dent->name, type, state,
					&below) &&
			    type == DT_DIR) {
				sub = openat(fd, dent->name,
					     O_RDONLY | O_DIRECTORY |
						     O_NOFOLLOW | O_CLOEXEC);
				if (sub >= 0 &&
				    !walk_directory(walk, sub, below,
						    depth + 1))
					return false;
			}
			path_pop(walk, saved);
		}
	}
}

/* True when the whole of @real was walked. */
static bool walk_from(struct tree_walk *walk, const char *real, uint64_t state)
{
	int dir = open(real, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (dir < 0)
		return true;
	walk->len = strlen(real);
	if (walk->len >= sizeof(walk->path)) {
		(void)close(dir);
		return true;
	}
	memcpy(walk->path, real, walk->len + 1);
	return walk_directory(walk, dir, state, 0);
}

static void found_add(struct tree_walk *walk)
{
	struct arena *arena = walk->resolver->arena;
	struct facts_path *path = ARENA_PUSH(arena, walk->found);

	host_resolve(walk->resolver, arena_strdup(arena, walk->path), path);
}

/* `**` matches no component as well: its successor is active with it. */
static uint64_t closure(const struct tree_walk *walk, uint64_t state)
{
	for (size_t i = 0; i < walk->parts_n; i++) {
		if (state & (1ULL << i) && !strcmp(walk->parts[i], "**"))
			state |= 1ULL << (i + 1);
	}
	return state;
}

static bool visit_glob(struct tree_walk *walk, int dir, const char *name,
		       unsigned char type, uint64_t state, uint64_t *below)
{
	uint64_t next = 0;

	(void)dir;
	(void)type;
	for (size_t i = 0; i < walk->parts_n; i++) {
		if (!(state & (1ULL << i)))
			continue;
		if (!strcmp(walk->parts[i], "**"))
			next |= 1ULL << i;
		else if (policy_name_match(walk->parts[i], name))
			next |= 1ULL << (i + 1);
	}
	/* A trailing `**` stands for everything below, not for the directory
	 * itself: it is matched by a name, never by its closure alone. */
	if (next & (1ULL << walk->parts_n) ||
	    next & (1ULL << (walk->parts_n - 1) &
		    -(uint64_t)!strcmp(walk->parts[walk->parts_n - 1], "**"))) {
		found_add(walk);
		return false;
	}
	*below = closure(walk, next) & ~(1ULL << walk->parts_n);
	return *below != 0;
}

/* The pattern's components after its fixed part. */
static size_t split_pattern(struct arena *arena, const char *pattern,
			    const char **parts, char **fixed)
{
	const char *p = pattern;
	size_t n = 0;

	*fixed = NULL;
	while (*p && n < PARTS_LIMIT) {
		const char *name = p + strspn(p, "/");
		size_t len = strcspn(name, "/");
		const char *part;

		if (len == 0)
			break;
		part = arena_strndup(arena, name, len);
		if (!*fixed && strpbrk(part, "*?[\\"))
			*fixed = arena_strndup(arena, pattern,
					       (size_t)(p - pattern));
		if (*fixed)
			parts[n++] = part;
		p = name + len;
	}
	if (*fixed && **fixed == '\0')
		*fixed = arena_strdup(arena, "/");
	return n;
}

int host_tree_glob(struct host_resolver *resolver, const char *pattern,
		   struct facts_paths *out, struct err *err)
{
	const char *parts[PARTS_LIMIT + 1] = { 0 };
	struct tree_walk walk = {
		.resolver = resolver,
		.found = out,
		.visit = visit_glob,
		.parts = parts,
		.budget = HOST_TREE_LIMIT,
	};
	struct facts_path start;
	char *fixed;

	walk.parts_n = split_pattern(resolver->arena, pattern, parts, &fixed);
	if (walk.parts_n == 0)
		return 0;
	host_resolve(resolver, fixed, &start);
	if (start.kind != FACTS_DIRECTORY)
		return 0;
	if (walk_from(&walk, start.real, closure(&walk, 1)))
		return 0;
	return err_set(err, ERR_POLICY,
		       "pattern '%s' meets more than %d names below '%s'; "
		       "start it at a smaller directory",
		       pattern, HOST_TREE_LIMIT, fixed);
}

static bool visit_multiple(struct tree_walk *walk, int dir, const char *name,
			   unsigned char type, uint64_t state, uint64_t *below)
{
	struct stat st;

	(void)state;
	(void)below;
	if (type == DT_REG &&
	    fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
	    st.st_nlink > 1)
		*ARENA_PUSH(walk->resolver->arena, walk->multiple) =
			(struct facts_id){ .dev = st.st_dev, .ino = st.st_ino };
	return true;
}

bool host_tree_find_multiple(struct host_resolver *resolver, const char *at,
			     size_t *budget, struct host_inodes *out)
{
	struct tree_walk walk = {
		.resolver = resolver,
		.visit = visit_multiple,
		.multiple = out,
		.budget = *budget,
	};
	bool whole = walk_from(&walk, at, 0);

	*budget = whole ? walk.budget : 0;
	return whole;
}

static bool visit_names(struct tree_walk *walk, int dir, const char *name,
			unsigned char type, uint64_t state, uint64_t *below)
{
	struct stat st;

	(void)state;
	(void)below;
	if (type != DT_REG)
		return true;
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || st.st_nlink < 2)
		return false;
	for (size_t i = 0; i < walk->inodes->n; i++) {
		if (walk->inodes->v[i].dev == st.st_dev &&
		    walk->inodes->v[i].ino == st.st_ino) {
			found_add(walk);
			break;
		}
	}
	return false;
}

int host_tree_find_names(struct host_resolver *resolver, const char *at,
			 const struct host_inodes *inodes,
			 struct facts_paths *out, struct err *err)
{
	struct tree_walk walk = {
		.resolver = resolver,
		.found = out,
		.visit = visit_names,
		.inodes = inodes,
		.budget = HOST_TREE_LIMIT,
	};

	if (walk_from(&walk, at, 0))
		return 0;
	return err_set(err, ERR_POLICY,
		       "a denied file has several names, and '%s' holds more "
		       "than %d files to look for them; work in a smaller "
		       "directory",
		       at, HOST_TREE_LIMIT);
}

static bool visit_sockets(struct tree_walk *walk, int dir, const char *name,
			  unsigned char type, uint64_t state, uint64_t *below)
{
	(void)dir;
	(void)name;
	(void)state;
	(void)below;
	if (type == DT_SOCK)
		found_add(walk);
	return true;
}

int host_tree_find_sockets(struct host_resolver *resolver, const char *at,
			   struct facts_paths *out, struct err *err)
{
	struct tree_walk walk = {
		.resolver = resolver,
		.found = out,
		.visit = visit_sockets,
		.budget = HOST_TREE_LIMIT,
	};

	if (walk_from(&walk, at, 0))
		return 0;
	return err_set(err, ERR_POLICY,
		       "a socket is bound by a relative path, and '%s' holds "
		       "more than %d names to look for it; work in a smaller "
		       "directory",
		       at, HOST_TREE_LIMIT);
}
