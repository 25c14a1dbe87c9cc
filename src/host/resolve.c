/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host/resolve.c - where a path leads on this host
 *
 * Runs in:  the supervisor, before anything is planned.
 * Trusts:   nothing that it finds: links may be planted, trees may change
 *           while they are looked at. enforce/ checks identities again.
 * Must not: follow a link without recording it, or open what it looks at: a
 *           fifo or device would notice.
 */
#include "host/resolve.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/path.h"
#include "plan/facts.h"

enum {
	BUCKETS = 256,
	MISSES_TOLERATED = 2, /* before a directory is listed instead */
	LISTING_SIZE = 8 * 1024,
	LINKS_FOLLOWED = 40, /* as the kernel does */
};

/* One name of the tree, its parents being real directories. */
struct host_node {
	struct host_node *next;
	const char *path;
	mode_t mode; /* 0: could not be opened, see sys */
	int sys;
	unsigned int misses; /* names asked for that are not there */
	struct host_names *names; /* of a directory with many misses */
	nlink_t links;
	bool own; /* belongs to the caller */
	struct facts_id id;
	const char *target; /* of a symbolic link */
};

static size_t hash_path(const char *path)
{
	size_t h = 5381;

	for (; *path; path++)
		h = h * 33 ^ (unsigned char)*path;
	return h % BUCKETS;
}

/* Names that a directory holds; larger ones are asked name by name. */
struct host_names {
	bool usable;
	uint64_t bits[16]; /* by hash: a clear bit is an absent name */
};

static unsigned int hash_name(const char *name)
{
	unsigned int h = 2166136261U;

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 16777619U;
	return (h ^ h >> 16) % 1024;
}

/*
 * Most rules name files that are not there. One listing of a home directory
 * answers for all of them; whatever might be there is still looked at.
 */
static void node_list(struct host_resolver *resolver, struct host_node *dir)
{
	AUTO_CLOSE int fd = open(
		dir->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	char buf[LISTING_SIZE] __attribute__((aligned(8)));
	long n;

	dir->names = arena_alloc(resolver->arena, 1, sizeof(*dir->names));
	if (fd < 0)
		return;
	n = syscall(SYS_getdents64, fd, buf, sizeof(buf));
	for (long at = 0; at < n;) {
		const struct dirent64 *entry = (const void *)(buf + at);
		unsigned int h = hash_name(entry->d_name);

		dir->names->bits[h / 64] |= 1ULL << h % 64;
		at += entry->d_reclen;
	}
	dir->names->usable =
		n >= 0 && syscall(SYS_getdents64, fd, buf, sizeof(buf)) == 0;
}

static bool node_lacks(struct host_resolver *resolver, struct host_node *dir,
		       const char *name)
{
	unsigned int h = hash_name(name);

	if (!dir->names && dir->misses > MISSES_TOLERATED)
		node_list(resolver, dir);
	return dir->names && dir->names->usable &&
	       !(dir->names->bits[h / 64] & 1ULL << h % 64);
}

static void node_read_link(struct host_resolver *resolver,
			   struct host_node *node)
{
	char target[PATH_MAX];
	ssize_t n = readlink(node->path, target, sizeof(target) - 1);

	if (n <= 0) {
		node->mode = 0;
		node->sys = n < 0 ? errno : ENOENT;
		return;
	}
	node->target = arena_strndup(resolver->arena, target, (size_t)n);
}

static struct host_node *node_add(struct host_resolver *resolver,
				  const char *path, bool absent)
{
	size_t at = hash_path(path);
	struct host_node *node = arena_alloc(resolver->arena, 1, sizeof(*node));
	struct stat st;

	node->path = path;
	node->next = resolver->buckets[at];
	resolver->buckets[at] = node;
	if (absent || lstat(path, &st) < 0) {
		node->sys = absent ? ENOENT : errno;
		return node;
	}
	node->mode = st.st_mode;
	node->links = st.st_nlink;
	node->own = st.st_uid == resolver->uid;
	node->id = (struct facts_id){ .dev = st.st_dev, .ino = st.st_ino };
	if (S_ISLNK(node->mode))
		node_read_link(resolver, node);
	return node;
}

static struct host_node *node_find(const struct host_resolver *resolver,
				   const char *path)
{
	struct host_node *node = resolver->buckets[hash_path(path)];

	while (node && strcmp(node->path, path) != 0)
		node = node->next;
	return node;
}

/* The child @name of the real directory @dir; @path is both together. */
static struct host_node *node_child(struct host_resolver *resolver,
				    struct host_node *dir, const char *path,
				    const char *name)
{
	struct host_node *node = node_find(resolver, path);

	if (node)
		return node;
	node = node_add(resolver, arena_strdup(resolver->arena, path),
			node_lacks(resolver, dir, name));
	dir->misses += node->mode == 0;
	return node;
}

int host_resolver_init(struct arena *arena, struct host_resolver *out,
		       struct err *err)
{
	struct host_node *root;

	*out = (struct host_resolver){ .arena = arena, .uid = geteuid() };
	out->buckets = arena_array(arena, struct host_node *, BUCKETS);
	out->real = arena_array(arena, char, PATH_MAX);
	root = node_add(out, "/", false);
	if (!S_ISDIR(root->mode)) {
		errno = root->sys;
		return err_sys(err, "look at '/'");
	}
	return 0;
}

/* A walk in progress: where it stands and what is still to be walked. */
struct walk {
	struct host_resolver *resolver;
	struct facts_path *out;
	struct host_node *at; /* a real directory */
	const char *rest; /* components still to go */
	char *real; /* path of @at or of its child */
	unsigned int followed;
};

static void walk_up(struct walk *walk)
{
	char *slash = strrchr(walk->real, '/');

	if (slash == walk->real)
		slash++;
	*slash = '\0';
	walk->at = node_find(walk->resolver, walk->real);
}

static enum facts_kind kind_of(mode_t mode)
{
	if (S_ISREG(mode))
		return FACTS_FILE;
	if (S_ISDIR(mode))
		return FACTS_DIRECTORY;
	if (S_ISSOCK(mode))
		return FACTS_SOCKET;
	return FACTS_OTHER;
}

static void walk_end(struct walk *walk, const struct host_node *node)
{
	struct facts_path *out = walk->out;

	out->real = arena_strdup(walk->resolver->arena, walk->real);
	out->id = node->id;
	out->kind = kind_of(node->mode);
	out->multiple = S_ISREG(node->mode) && node->links > 1;
}

/* The walk cannot go on at @node; @rest is what would have come after it. */
static void walk_stop(struct walk *walk, const struct host_node *node,
		      const char *rest)
{
	struct facts_path *out = walk->out;
	int sys = node->mode ? ENOTDIR : node->sys;

	rest += strspn(rest, "/");
	out->real = *rest ? path_join(walk->resolver->arena, walk->real, rest)
			  : arena_strdup(walk->resolver->arena, walk->real);
	out->kind = sys == ENOENT || sys == ENOTDIR ? FACTS_ABSENT
						    : FACTS_UNREACHABLE;
	out->sys = sys;
	out->closed = sys == EACCES && walk->at->own;
}

static int walk_follow(struct walk *walk, const struct host_node *link,
		       const char *rest)
{
	*ARENA_PUSH(walk->resolver->arena, &walk->out->links) =
		(struct facts_link){ .path = link->path,
				     .target = link->target,
				     .id = link->id };
	if (++walk->followed > LINKS_FOLLOWED)
		return ELOOP;
	walk->rest =
		arena_printf(walk->resolver->arena, "%s%s", link->target, rest);

	if (link->target[0] == '/') {
		memcpy(walk->real, "/", 2);
		walk->at = node_find(walk->resolver, "/");
	} else {
		walk_up(walk);
	}
	return 0;
}

/* Appends a component to @real; errno-like result. */
static int walk_append(struct walk *walk, const char *name, size_t len)
{
	size_t n = strlen(walk->real);

	if (len > NAME_MAX || n + 1 + len >= PATH_MAX)
		return ENAMETOOLONG;
	if (n > 1)
		walk->real[n++] = '/';
	memcpy(walk->real + n, name, len);
	walk->real[n + len] = '\0';
	return 0;
}

static void walk_unreachable(struct walk *walk, int sys)
{
	walk->out->real = walk->out->path;
	walk->out->kind = FACTS_UNREACHABLE;
	walk->out->sys = sys;
}

/* One component; true while there is more to do. */
static bool walk_step(struct walk *walk)
{
	const char *name = walk->rest + strspn(walk->rest, "/");
	size_t len = strcspn(name, "/");
	const char *rest = name + len;
	struct host_node *node;
	int sys;

	if (len == 0) {
		walk_end(walk, walk->at);
		return false;
	}
	walk->rest = rest;
	if (len == 1 && name[0] == '.')
		return true;
	if (len == 2 && name[0] == '.' && name[1] == '.') {
		walk_up(walk);
		return true;
	}

	/* The parent of what comes last is the one that exists last. */
	walk->out->parent = walk->at->id;
	walk->out->parent_real = walk->at->path;
	sys = walk_append(walk, name, len);
	if (sys) {
		walk_unreachable(walk, sys);
		return false;
	}
	node = node_child(walk->resolver, walk->at, walk->real,
			  strrchr(walk->real, '/') + 1);
	if (S_ISLNK(node->mode)) {
		sys = walk_follow(walk, node, rest);
		if (sys)
			walk_unreachable(walk, sys);
		return sys == 0;
	}
	if (S_ISDIR(node->mode)) {
		walk->at = node;
		return true;
	}
	if (node->mode && rest[strspn(rest, "/")] == '\0')
		walk_end(walk, node);
	else
		walk_stop(walk, node, rest);
	return false;
}

/* Most paths lie in a directory that was walked before, without links. */
static void walk_start(struct walk *walk, const char *path)
{
	const char *slash = strrchr(path, '/');
	size_t len = (size_t)(slash - path);
	struct host_node *at = NULL;

	if (len && len < PATH_MAX) {
		memcpy(walk->real, path, len);
		walk->real[len] = '\0';
		at = node_find(walk->resolver, walk->real);
	}
	if (at && S_ISDIR(at->mode)) {
		walk->at = at;
		walk->rest = slash;
		return;
	}
	memcpy(walk->real, "/", 2);
	walk->at = node_find(walk->resolver, "/");
	walk->rest = path;
}

void host_resolve(struct host_resolver *resolver, const char *path,
		  struct facts_path *out)
{
	struct walk walk = {
		.resolver = resolver,
		.out = out,
		.real = resolver->real,
	};

	*out = (struct facts_path){ .path = path };
	walk_start(&walk, path);
	while (walk_step(&walk))
		;
	/* The parent of a directory that was walked into is one above. */
	if (out->kind == FACTS_DIRECTORY && out->real[1] != '\0') {
		walk_up(&walk);
		out->parent = walk.at->id;
		out->parent_real = walk.at->path;
	}
}
