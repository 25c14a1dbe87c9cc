/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host/tree.c - bounded walks below a directory
 *
 * Runs in:  the supervisor, before anything is planned.
 * Trusts:   nothing in the tree; names may be anything but NUL and '/'.
 * Must not: follow links, recurse without bound, pass over in silence what it
 *           could not search, or stat what getdents64 already tells:
 *           200 000 names shall take about a tenth of a second.
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
	DEPTH_LIMIT = 256,
	PARTS_LIMIT = 63, /* of a pattern: states are bits of a word */
	DENTS_SIZE = 8 * 1024, /* once per level */
};

/* What getdents64(2) fills in. */
struct dent {
	uint64_t ino;
	int64_t off;
	unsigned short reclen;
	unsigned char type;
	char name[];
};

/* How a walk ended. What was not seen is never passed over in silence. */
enum walk_end {
	WALK_WHOLE,
	WALK_TOO_MANY, /* names for the budget */
	WALK_TOO_DEEP, /* tree_walk.path is the directory not entered */
	WALK_FAILED, /* likewise; errno says why */
};

struct tree_pattern {
	const char *text;
	const char *fixed; /* the directory that all matches lie in */
	const char **parts; /* components after that */
	size_t n;
	struct facts_paths *found;
};

/* A pattern that can still match below a directory, and how far it got. */
struct tree_active {
	const struct tree_pattern *pattern;
	uint64_t state; /* bit i: parts[i] is next */
};

/* Those of one directory: a part of tree_walk.active. */
struct tree_range {
	size_t from;
	size_t to;
};

struct tree_walk;

/*
 * Called for each name in a directory. Patterns for the directory of that name
 * are pushed onto tree_walk.active. Returns whether to descend.
 */
typedef bool tree_visit(struct tree_walk *walk, int dir, const char *name,
			unsigned char type, struct tree_range here);

struct tree_walk {
	struct host_resolver *resolver;
	tree_visit *visit;
	struct facts_paths *found;
	const struct host_inodes *inodes;
	struct host_inodes *multiple;
	struct tree_active *active; /* a stack: a range for each level */
	size_t active_n;
	size_t active_room;
	const char *culprit; /* pattern for which the walk ended early */
	size_t budget;
	char *buffers[DEPTH_LIMIT]; /* of each level, made when needed */
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
	if (fstatat(dir, dent->name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		return IFTODT(st.st_mode);
	/* Opening it will tell. */
	return errno == ENOENT ? DT_UNKNOWN : DT_DIR;
}

/*
 * A directory that others closed to us is closed to the box too, which has
 * the same uid. One of our own the box can open again with chmod, and an
 * earlier box may have closed it to hide what lies in it.
 */
static bool is_closed_to_all(int dir, const char *name)
{
	struct stat st;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0 &&
	    (errno != EACCES || dir == AT_FDCWD || fstat(dir, &st) < 0))
		return true;
	return st.st_uid != geteuid();
}

/* Opens a directory; *@out is -1 where there is nothing to see in it. */
static enum walk_end enter(int dir, const char *name, int *out)
{
	*out = openat(dir, name,
		      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (*out >= 0 || errno == ENOENT || errno == ENOTDIR || errno == ELOOP)
		return WALK_WHOLE;
	if (errno != EACCES)
		return WALK_FAILED;
	if (is_closed_to_all(dir, name))
		return WALK_WHOLE;
	errno = EACCES;
	return WALK_FAILED;
}

static enum walk_end give_up(struct tree_walk *walk, struct tree_range here,
			     enum walk_end end)
{
	if (here.from < here.to)
		walk->culprit = walk->active[here.from].pattern->text;
	return end;
}

static enum walk_end walk_directory(struct tree_walk *walk, int dir,
				    struct tree_range here, unsigned int depth);

/* Trees of the kernel's: a box has its own, or there is nothing of anybody's
 * in them. */
static bool is_kernels(const char *path)
{
	return !strcmp(path, "/proc") || !strcmp(path, "/sys") ||
	       !strcmp(path, "/dev");
}

static enum walk_end walk_name(struct tree_walk *walk, int dir,
			       const struct dent *dent, struct tree_range here,
			       unsigned int depth)
{
	struct tree_range below = { walk->active_n, walk->active_n };
	unsigned char type = type_of(dir, dent);
	enum walk_end end = WALK_WHOLE;
	size_t saved;
	int sub;

	if (walk->budget-- == 0)
		return give_up(walk, here, WALK_TOO_MANY);
	if (!path_push(walk, dent->name, &saved))
		return give_up(walk, here, WALK_TOO_DEEP);
	if (walk->visit(walk, dir, dent->name, type, here) && type == DT_DIR &&
	    !is_kernels(walk->path)) {
		below.to = walk->active_n;
		if (depth + 1 >= DEPTH_LIMIT)
			return give_up(walk, below, WALK_TOO_DEEP);
		end = enter(dir, dent->name, &sub);
		if (end != WALK_WHOLE)
			return give_up(walk, below, end);
		if (sub >= 0)
			end = walk_directory(walk, sub, below, depth + 1);
	}
	walk->active_n = below.from;
	/* Else the path stays where it ended. */
	if (end == WALK_WHOLE)
		path_pop(walk, saved);
	return end;
}

/* Takes ownership of @dir. */
static enum walk_end walk_directory(struct tree_walk *walk, int dir,
				    struct tree_range here, unsigned int depth)
{
	AUTO_CLOSE int fd = dir;
	char *buf = walk->buffers[depth];
	long n;

	if (!buf)
		buf = walk->buffers[depth] =
			arena_alloc(walk->resolver->arena, DENTS_SIZE, 1);
	while ((n = syscall(SYS_getdents64, fd, buf, DENTS_SIZE)) > 0) {
		for (long at = 0; at < n;) {
			const struct dent *dent = (const void *)(buf + at);
			enum walk_end end;

			at += dent->reclen;
			if (is_dots(dent->name))
				continue;
			end = walk_name(walk, fd, dent, here, depth);
			if (end != WALK_WHOLE)
				return end;
		}
	}
	/* It may have been removed meanwhile. */
	if (n < 0 && errno != ENOENT)
		return give_up(walk, here, WALK_FAILED);
	return WALK_WHOLE;
}

/* Everything below @real; tree_walk.active has the patterns to begin with. */
static enum walk_end walk_from(struct tree_walk *walk, const char *real)
{
	struct tree_range all = { 0, walk->active_n };
	enum walk_end end;
	int dir;

	walk->len = strlen(real);
	if (walk->len >= sizeof(walk->path))
		return give_up(walk, all, WALK_TOO_DEEP);
	memcpy(walk->path, real, walk->len + 1);
	end = enter(AT_FDCWD, real, &dir);
	if (end != WALK_WHOLE)
		return give_up(walk, all, end);
	return dir < 0 ? WALK_WHOLE : walk_directory(walk, dir, all, 0);
}

/* Says why @what could not be done below @at. */
static int fail_walk(const struct tree_walk *walk, enum walk_end end,
		     const char *at, const char *what, struct err *err)
{
	int sys = errno;

	if (end == WALK_TOO_MANY)
		return err_set(err, ERR_POLICY,
			       "%s: more than %d names lie below '%s'; start "
			       "at a smaller directory",
			       what, HOST_TREE_LIMIT, at);
	if (end == WALK_TOO_DEEP)
		return err_set(err, ERR_POLICY,
			       "%s: '%.160s%s' lies more than %d directories "
			       "deep and was not searched; start at a smaller "
			       "directory",
			       what, walk->path, walk->len > 160 ? "..." : "",
			       DEPTH_LIMIT - 1);
	return err_set(err, ERR_POLICY,
		       "%s: '%s' cannot be searched: %s; let its owner read "
		       "it, or start at a smaller directory",
		       what, walk->path, strerror(sys));
}

static void found_add(struct tree_walk *walk, struct facts_paths *found)
{
	struct arena *arena = walk->resolver->arena;
	struct facts_path *path = ARENA_PUSH(arena, found);

	host_resolve(walk->resolver, arena_strdup(arena, walk->path), path);
}

static void active_push(struct tree_walk *walk,
			const struct tree_pattern *pattern, uint64_t state)
{
	if (walk->active_n == walk->active_room) {
		size_t room = walk->active_room ? 2 * walk->active_room : 16;
		struct tree_active *more = arena_array(
			walk->resolver->arena, struct tree_active, room);

		if (walk->active_n)
			memcpy(more, walk->active,
			       walk->active_n * sizeof(*more));
		walk->active = more;
		walk->active_room = room;
	}
	walk->active[walk->active_n++] = (struct tree_active){ pattern, state };
}

static bool is_double_star(const char *part)
{
	return !strcmp(part, "**");
}

/* `**` matches no component as well: its successor is active with it. */
static uint64_t closure(const struct tree_pattern *pattern, uint64_t state)
{
	for (size_t i = 0; i < pattern->n; i++) {
		if (state & (1ULL << i) && is_double_star(pattern->parts[i]))
			state |= 1ULL << (i + 1);
	}
	return state;
}

/* What is left to match after @name; *@out_whole: it matches. */
static uint64_t advance(const struct tree_pattern *pattern, uint64_t state,
			const char *name, bool *out_whole)
{
	uint64_t end = 1ULL << pattern->n;
	uint64_t next = 0;

	for (size_t i = 0; i < pattern->n; i++) {
		if (!(state & (1ULL << i)))
			continue;
		if (is_double_star(pattern->parts[i]))
			next |= 1ULL << i;
		else if (policy_name_match(pattern->parts[i], name))
			next |= 1ULL << (i + 1);
	}
	*out_whole = next & end;
	/* A trailing `**` is any number of components, none as well: whatever
	 * can be followed by it matches, and so all below is covered. */
	if (is_double_star(pattern->parts[pattern->n - 1]))
		*out_whole |= next & end >> 1;
	return closure(pattern, next) & ~end;
}

static bool visit_globs(struct tree_walk *walk, int dir, const char *name,
			unsigned char type, struct tree_range here)
{
	size_t before = walk->active_n;

	(void)dir;
	for (size_t i = here.from; i < here.to; i++) {
		/* The array moves while it grows. */
		struct tree_active active = walk->active[i];
		uint64_t next;
		bool whole;

		next = advance(active.pattern, active.state, name, &whole);
		if (whole)
			found_add(walk, active.pattern->found);
		else if (next && type == DT_DIR)
			active_push(walk, active.pattern, next);
	}
	return walk->active_n > before;
}

static int split_pattern(struct arena *arena, struct tree_pattern *out,
			 struct err *err)
{
	const char *p = out->text;
	bool fixed = true;

	out->fixed = policy_glob_prefix(arena, out->text);
	out->parts = arena_array(arena, const char *, PARTS_LIMIT);
	for (;;) {
		const char *name = p + strspn(p, "/");
		const char *part;

		p = name + strcspn(name, "/");
		if (p == name)
			return 0;
		part = arena_strndup(arena, name, (size_t)(p - name));
		fixed = fixed && !policy_path_is_glob(part);
		if (fixed)
			continue;
		if (out->n == PARTS_LIMIT)
			return err_set(err, ERR_POLICY,
				       "pattern '%s' has more than %d "
				       "components",
				       out->text, PARTS_LIMIT);
		out->parts[out->n++] = part;
	}
}

static int by_fixed(const void *a, const void *b)
{
	const struct tree_pattern *x = a, *y = b;
	int order = strcmp(x->fixed, y->fixed);

	return order ? order : strcmp(x->text, y->text);
}

/* Patterns that begin at the same directory. */
static int find_group(struct host_resolver *resolver,
		      const struct tree_pattern *patterns, size_t n,
		      struct err *err)
{
	struct tree_walk walk = {
		.resolver = resolver,
		.visit = visit_globs,
		.budget = HOST_TREE_LIMIT,
	};
	struct facts_path start;
	enum walk_end end;

	host_resolve(resolver, patterns[0].fixed, &start);
	if (start.kind != FACTS_DIRECTORY)
		return 0;
	for (size_t i = 0; i < n; i++)
		active_push(&walk, &patterns[i], closure(&patterns[i], 1));
	end = walk_from(&walk, start.real);
	if (end == WALK_WHOLE)
		return 0;
	return fail_walk(
		&walk, end, patterns[0].fixed,
		arena_printf(resolver->arena, "pattern '%s'", walk.culprit),
		err);
}

int host_tree_globs(struct host_resolver *resolver, struct facts_globs *globs,
		    struct err *err)
{
	struct tree_pattern *patterns =
		arena_array(resolver->arena, struct tree_pattern, globs->n);
	size_t n = 0;

	for (size_t i = 0; i < globs->n; i++) {
		patterns[n] = (struct tree_pattern){
			.text = globs->v[i].pattern,
			.found = &globs->v[i].found,
		};
		if (split_pattern(resolver->arena, &patterns[n], err) < 0)
			return -1;
		n += patterns[n].n > 0;
	}
	if (n)
		qsort(patterns, n, sizeof(*patterns), by_fixed);
	for (size_t from = 0, to; from < n; from = to) {
		for (to = from + 1; to < n; to++) {
			if (strcmp(patterns[to].fixed, patterns[from].fixed))
				break;
		}
		if (find_group(resolver, patterns + from, to - from, err) < 0)
			return -1;
	}
	return 0;
}

static bool visit_multiple(struct tree_walk *walk, int dir, const char *name,
			   unsigned char type, struct tree_range here)
{
	struct stat st;

	(void)here;
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
	bool whole = walk_from(&walk, at) == WALK_WHOLE;

	*budget = whole ? walk.budget : 0;
	return whole;
}

static bool visit_names(struct tree_walk *walk, int dir, const char *name,
			unsigned char type, struct tree_range here)
{
	struct stat st;

	(void)here;
	if (type != DT_REG)
		return true;
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || st.st_nlink < 2)
		return false;
	for (size_t i = 0; i < walk->inodes->n; i++) {
		if (walk->inodes->v[i].dev == st.st_dev &&
		    walk->inodes->v[i].ino == st.st_ino) {
			found_add(walk, walk->found);
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
	enum walk_end end;

	end = walk_from(&walk, at);
	if (end == WALK_WHOLE)
		return 0;
	return fail_walk(&walk, end, at, "find the other names of denied files",
			 err);
}

static bool visit_sockets(struct tree_walk *walk, int dir, const char *name,
			  unsigned char type, struct tree_range here)
{
	(void)dir;
	(void)name;
	(void)here;
	if (type == DT_SOCK)
		found_add(walk, walk->found);
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
	enum walk_end end;

	end = walk_from(&walk, at);
	if (end == WALK_WHOLE)
		return 0;
	return fail_walk(&walk, end, at,
			 "find a socket that is bound by a relative path", err);
}
