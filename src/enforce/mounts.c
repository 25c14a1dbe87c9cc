/* SPDX-License-Identifier: Apache-2.0 */
/*
 * enforce/mounts.c - the tree that the box sees
 *
 * Runs in:  box init, with CAP_SYS_ADMIN over its own mount namespace only.
 * Trusts:   the plan; not what lies at its paths, which is compared with the
 *           identity that was planned.
 * Must not: follow a symbolic link, or mount by a path a second time.
 *
 * All private places (/tmp, /run, /dev, hollow directories, masks) are
 * directories of one tmpfs, the store: cloning a directory of it costs a third
 * of a new file system. Kernels before 6.15 clone only what is attached, so
 * the store is attached where the first private directory will cover it.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/path.h"
#include "enforce/dev.h"
#include "enforce/enforce.h"
#include "enforce/layer.h"
#include "enforce/steps.h"
#include "enforce/tree.h"
#include "plan/plan.h"

enum { MNT_DETACH = 2 };

/* A directory of ours in which mount points can be made. */
struct skeleton {
	const char *path;
	int dir;
};

struct builder {
	const struct plan *plan;
	struct arena arena;
	int store; /* root of the private tmpfs, detached */
	int root; /* of the tree that is built */
	int *clones; /* sources, by index in plan->mounts; or -1 */
	struct {
		struct skeleton *v;
		size_t n;
	} skeletons;
	struct dev_nodes devices;
	unsigned int names; /* directories made in the store */
};

/* Is this still what was planned? */
static int check_identity(int fd, const struct plan_mount *mount,
			  struct err *err)
{
	struct stat st;

	if (!mount->id.ino)
		return 0;
	if (fstat(fd, &st) < 0)
		return err_sys(err, "stat '%s'", mount->path);
	if (st.st_dev != mount->id.dev || st.st_ino != mount->id.ino)
		return err_set(err, ERR_SYS,
			       "'%s' was replaced while the box was set up; "
			       "try again",
			       mount->path);
	return 0;
}

static int open_target(const struct builder *b, const struct plan_mount *mount,
		       struct err *err)
{
	int fd = tree_open_at(b->root, mount->path);

	if (fd < 0)
		return err_sys(err, "open '%s'", mount->path);
	/* On a skeleton the mount point is ours and has another identity, and
	 * so it has in a layer; what a private directory covers does not
	 * matter. */
	if (!mount->on_skeleton && !mount->layered &&
	    mount->kind != PLAN_MOUNT_TMPFS &&
	    check_identity(fd, mount, err) < 0) {
		(void)close(fd);
		return -1;
	}
	return fd;
}

static uint64_t attributes(const struct plan_mount *mount)
{
	return MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV |
	       (mount->noexec ? MOUNT_ATTR_NOEXEC : 0) |
	       (mount->writable ? 0 : MOUNT_ATTR_RDONLY);
}

static int clone_source(int fd, const struct plan_mount *mount, struct err *err)
{
	AUTO_CLOSE int clone = -1;

	if (!mount->layered && check_identity(fd, mount, err) < 0)
		return -1;
	clone = tree_clone(fd, mount->directory, attributes(mount));
	/* A layer can be read-only as a whole and writable in parts. */
	if (clone < 0 ||
	    (mount->layered && mount->writable && tree_set_writable(clone) < 0))
		return err_sys(err, "clone '%s'", mount->path);
	return fd_take(&clone);
}

/*
 * Nothing in a layer has the identity of what it shows, so the host's is
 * compared here and the mount is made by name later. That is enough: what is
 * mounted there is a mask, or the thing itself onto itself, and nobody but the
 * host can change what the name stands for meanwhile. (The box does not run
 * yet; the layer it may have left from another time was there when the plan
 * was made, and no link is followed.)
 */
static int check_layered(const struct plan_mount *mount, struct err *err)
{
	AUTO_CLOSE int fd = tree_open_at(-1, mount->path);

	/* It is told when its turn comes, if it matters. */
	return fd < 0 ? 0 : check_identity(fd, mount, err);
}

static int open_layer(const struct plan_mount *mount, struct err *err)
{
	AUTO_CLOSE int lower = tree_open_at(-1, mount->path);

	if (lower < 0)
		return err_sys(err, "open '%s'", mount->path);
	if (check_identity(lower, mount, err) < 0)
		return -1;
	return layer_open(lower, mount->layer, attributes(mount), err);
}

static int open_source(const struct plan_mount *mount, struct err *err)
{
	AUTO_CLOSE int fd = tree_open_at(-1, mount->path);

	if (fd < 0)
		return err_sys(err, "open '%s'", mount->path);
	return clone_source(fd, mount, err);
}

/*
 * Takes hold of every source while the tree is still the host's: what is
 * mounted first would hide or narrow what is bound later, and the directories
 * of layers would be read-only.
 */
static int clone_sources(struct builder *b, struct err *err)
{
	const struct plan_mounts *mounts = &b->plan->mounts;

	b->clones = arena_array(&b->arena, int, mounts->n);
	for (size_t i = 0; i < mounts->n; i++) {
		const struct plan_mount *mount = &mounts->v[i];

		b->clones[i] = -1;
		if (mount->layered && check_layered(mount, err) < 0)
			return -1;
		if (mount->kind == PLAN_MOUNT_COW)
			b->clones[i] = open_layer(mount, err);
		else if (mount->kind == PLAN_MOUNT_BIND && !mount->late)
			b->clones[i] = open_source(mount, err);
		else
			continue;
		if (b->clones[i] < 0)
			return -1;
	}
	return 0;
}

/* A new directory in the store; its descriptor can make entries. */
static int store_directory(struct builder *b, unsigned int mode,
			   struct err *err)
{
	char name[16];
	int fd;

	snprintf(name, sizeof(name), "%u", b->names++);
	if (mkdirat(b->store, name, 0700) < 0)
		return err_sys(err, "make a private directory");
	fd = openat(b->store, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return err_sys(err, "open a private directory");
	if (fchmodat(b->store, name, mode, 0) < 0) {
		(void)close(fd);
		return err_sys(err, "set the mode of a private directory");
	}
	return fd;
}

static void skeleton_add(struct builder *b, const char *path, int dir)
{
	*ARENA_PUSH(&b->arena, &b->skeletons) =
		(struct skeleton){ .path = path, .dir = dir };
}

/* The descriptor and the name by which @path can be made. */
static int skeleton_find(const struct builder *b, const char *path,
			 const char **name, struct err *err)
{
	const struct skeleton *best = NULL;

	for (size_t i = 0; i < b->skeletons.n; i++) {
		const struct skeleton *s = &b->skeletons.v[i];

		if (path_within(s->path, path) && strcmp(s->path, path) &&
		    (!best || strlen(s->path) > strlen(best->path)))
			best = s;
	}
	if (!best)
		return err_set(err, ERR_BUG, "no place for '%s'", path);
	*name = path + strlen(best->path);
	*name += strspn(*name, "/");
	return best->dir;
}

/* The mount point of @mount, if it has to be made. */
static int make_point(const struct builder *b, const struct plan_mount *mount,
		      struct err *err)
{
	const char *name;
	int dir;

	if (!mount->on_skeleton)
		return 0;
	dir = skeleton_find(b, mount->path, &name, err);
	if (dir < 0)
		return -1;
	if (mount->directory)
		dir = mkdirat(dir, name, 0755);
	else
		dir = mknodat(dir, name, S_IFREG | 0600, 0);
	if (dir < 0 && errno != EEXIST)
		return err_sys(err, "make the mount point '%s'", mount->path);
	return 0;
}

static int attach(const struct builder *b, const struct plan_mount *mount,
		  int clone, struct err *err)
{
	AUTO_CLOSE int fd = clone;
	AUTO_CLOSE int target = -1;

	if (make_point(b, mount, err) < 0)
		return -1;
	target = open_target(b, mount, err);
	if (target < 0)
		return -1;
	if (tree_attach(fd, target) < 0)
		return err_sys(err, "mount on '%s'", mount->path);
	return 0;
}

static int apply_readonly(struct builder *b, const struct plan_mount *mount,
			  struct err *err)
{
	(void)b;
	if (tree_set_root(attributes(mount)) < 0)
		return err_sys(err, "make the tree read-only");
	return 0;
}

/* An own directory, seen through a clone that may be read-only. */
static int apply_private(struct builder *b, const struct plan_mount *mount,
			 struct err *err)
{
	int dir = store_directory(b, mount->mode, err);
	int clone;

	if (dir < 0)
		return -1;
	clone = tree_clone(dir, false, attributes(mount));
	if (clone < 0)
		return err_sys(err, "clone a private directory");
	skeleton_add(b, mount->path, dir);
	return attach(b, mount, clone, err);
}

/* The empty root lies over the old one until the pivot. */
static int apply_root(struct builder *b, const struct plan_mount *mount,
		      struct err *err)
{
	static const char *const options[] = { "mode", "0755", NULL };
	AUTO_CLOSE int place = -1;

	(void)mount;
	if (tree_set_root(0) < 0)
		return err_sys(err, "make the mounts private");
	place = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (place < 0)
		return err_sys(err, "open '/'");
	b->root = tree_new("tmpfs", options,
			   MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
	if (b->root < 0)
		return err_sys(err, "make the new root");
	if (tree_attach(b->root, place) < 0)
		return err_sys(err, "attach the new root");
	skeleton_add(b, "/", fcntl(b->root, F_DUPFD_CLOEXEC, 3));
	return 0;
}

static int apply_bind(struct builder *b, const struct plan_mount *mount,
		      struct err *err)
{
	size_t i = (size_t)(mount - b->plan->mounts.v);
	AUTO_CLOSE int fd = -1;
	int clone = b->clones[i];

	if (mount->late) {
		fd = tree_open_at(b->root, mount->path);
		/* Only files of /proc have no identity; they may be absent. */
		if (fd < 0 && errno == ENOENT && !mount->id.ino &&
		    path_within("/proc", mount->path))
			return 0;
		if (fd < 0)
			return err_sys(err, "open '%s'", mount->path);
		clone = clone_source(fd, mount, err);
	}
	b->clones[i] = -1;
	return clone < 0 ? -1 : attach(b, mount, clone, err);
}

static int apply_mask(struct builder *b, const struct plan_mount *mount,
		      struct err *err)
{
	AUTO_CLOSE int target = tree_open_at(b->root, mount->path);
	AUTO_CLOSE int clone = -1;

	if (target < 0 && mount->late &&
	    (errno == ENOENT || errno == ENOTDIR || errno == ELOOP))
		return 0;
	/* What this process may not reach the command, which has the same uid
	 * and no capability, cannot reach either: a directory of another user
	 * when root runs the box. */
	if (target < 0 && errno == EACCES)
		return 0;
	if (target < 0)
		return err_sys(err, "open '%s'", mount->path);
	if (!mount->layered && check_identity(target, mount, err) < 0)
		return -1;
	clone = tree_clone_mask(b->store, mount->kind);
	if (clone < 0)
		return err_sys(err, "clone a mask");
	if (tree_attach(clone, target) < 0) {
		if (errno == ENOENT && mount->late)
			return 0;
		return err_sys(err, "mask '%s'", mount->path);
	}
	return 0;
}

static int apply_proc(struct builder *b, const struct plan_mount *mount,
		      struct err *err)
{
	int fd = tree_new(
		"proc", NULL,
		MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);

	if (fd < 0)
		return err_sys(err,
			       "mount proc (in a container, its /proc must not "
			       "be masked)");
	return attach(b, mount, fd, err);
}

static int apply_dev(struct builder *b, const struct plan_mount *mount,
		     struct err *err)
{
	int dir = store_directory(b, 0755, err);
	int clone;

	if (dir < 0 || dev_populate(dir, err) < 0)
		return -1;
	clone = tree_clone(
		dir, false,
		MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC);
	if (clone < 0)
		return err_sys(err, "clone /dev");
	skeleton_add(b, mount->path, dir);
	if (attach(b, mount, clone, err) < 0)
		return -1;
	return dev_attach(b->root, dir, mount->noexec, &b->devices, err);
}

static int apply_symlink(struct builder *b, const struct plan_mount *mount,
			 struct err *err)
{
	const char *name;
	int dir = skeleton_find(b, mount->path, &name, err);

	if (dir < 0)
		return -1;
	if (symlinkat(mount->target, dir, name) < 0)
		return err_sys(err, "make the link '%s'", mount->path);
	return 0;
}

static int apply_mkdir(struct builder *b, const struct plan_mount *mount,
		       struct err *err)
{
	const char *name;
	int dir = skeleton_find(b, mount->path, &name, err);

	if (dir < 0)
		return -1;
	if (mkdirat(dir, name, mount->mode) < 0 && errno != EEXIST)
		return err_sys(err, "make '%s'", mount->path);
	return 0;
}

/* Its content, in a new file @name of @dir. */
static int write_content(int dir, const char *name,
			 const struct plan_mount *mount, struct err *err)
{
	int file = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
			  0444);

	if (file < 0)
		return err_sys(err, "make a file for '%s'", mount->path);
	if (fd_write_all(file, mount->content, strlen(mount->content), err) ==
	    0)
		return file;
	/* A part of it would say less than the truth. */
	if (mount->optional && err->sys == EFBIG && ftruncate(file, 0) == 0)
		return file;
	(void)close(file);
	return err_wrap(err, "write a file for '%s'", mount->path);
}

/* A file of the store, seen through a clone that nothing can write; in a
 * hollow directory that clone is there already. */
static int apply_file(struct builder *b, const struct plan_mount *mount,
		      struct err *err)
{
	AUTO_CLOSE int file = -1;
	const char *place;
	char name[16];
	int clone, dir;

	if (mount->on_skeleton) {
		dir = skeleton_find(b, mount->path, &place, err);
		if (dir >= 0)
			file = write_content(dir, place, mount, err);
		return file < 0 ? -1 : 0;
	}
	snprintf(name, sizeof(name), "%u", b->names++);
	file = write_content(b->store, name, mount, err);
	if (file < 0)
		return -1;
	clone = tree_clone(file, false, attributes(mount) | MOUNT_ATTR_NOEXEC);
	if (clone < 0)
		return err_sys(err, "clone a file for '%s'", mount->path);
	return attach(b, mount, clone, err);
}

/* Opened with the sources, as its directories cannot be reached any more. */
static int apply_layer(struct builder *b, const struct plan_mount *mount,
		       struct err *err)
{
	size_t i = (size_t)(mount - b->plan->mounts.v);
	int layer = b->clones[i];

	b->clones[i] = -1;
	return attach(b, mount, layer, err);
}

typedef int mount_fn(struct builder *b, const struct plan_mount *mount,
		     struct err *err);

static mount_fn *const appliers[] = {
	[PLAN_MOUNT_ROOT] = apply_root,
	[PLAN_MOUNT_READONLY] = apply_readonly,
	[PLAN_MOUNT_BIND] = apply_bind,
	[PLAN_MOUNT_MASK_FILE] = apply_mask,
	[PLAN_MOUNT_MASK_PROGRAM] = apply_mask,
	[PLAN_MOUNT_MASK_DIR] = apply_mask,
	[PLAN_MOUNT_HOLLOW] = apply_private,
	[PLAN_MOUNT_TMPFS] = apply_private,
	[PLAN_MOUNT_PROC] = apply_proc,
	[PLAN_MOUNT_DEV] = apply_dev,
	[PLAN_MOUNT_SYMLINK] = apply_symlink,
	[PLAN_MOUNT_MKDIR] = apply_mkdir,
	[PLAN_MOUNT_FILE] = apply_file,
	[PLAN_MOUNT_COW] = apply_layer,
};

/* The store, with the nodes that masks are clones of. */
static int store_open(struct builder *b, struct err *err)
{
	static const char *const options[] = { "mode", "0700", NULL };
	const struct plan_mounts *mounts = &b->plan->mounts;

	b->store = tree_new("tmpfs", options,
			    MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
	if (b->store < 0)
		return err_sys(err, "make the private file system");
	if (mknodat(b->store, "f", S_IFREG | 0000, 0) < 0 ||
	    mknodat(b->store, "x", S_IFREG | 0111, 0) < 0 ||
	    mkdirat(b->store, "d", 0000) < 0)
		return err_sys(err, "make the nodes for masks");
	for (size_t i = 0; i < mounts->n; i++) {
		if (mounts->v[i].kind == PLAN_MOUNT_TMPFS)
			return attach(b, &mounts->v[i],
				      fcntl(b->store, F_DUPFD_CLOEXEC, 3), err);
	}
	return err_set(err, ERR_BUG, "the plan has no private directory");
}

/* One descriptor per source: a large policy needs more than the usual. */
static void raise_descriptors(void)
{
	struct rlimit limit;

	/* If it cannot be raised, opening fails and says so. */
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = limit.rlim_max;
		(void)setrlimit(RLIMIT_NOFILE, &limit);
	}
}

/*
 * The new root lies over the old one. pivot_root() swaps them, and the old
 * tree is let go: no path, not even "..", leads back to it.
 */
static int settle_root(int root, struct err *err)
{
	if (tree_set(root, MOUNT_ATTR_RDONLY) < 0)
		return err_sys(err, "make the new root read-only");
	if (fchdir(root) < 0)
		return err_sys(err, "enter the new root");
	if (syscall(SYS_pivot_root, ".", ".") < 0)
		return err_sys(err, "pivot into the new root");
	if (syscall(SYS_umount2, ".", MNT_DETACH) < 0)
		return err_sys(err, "let go of the old root");
	return 0;
}

int enforce_mounts(const struct plan *plan, struct box *box, struct err *err)
{
	struct builder b = { .plan = plan, .store = -1, .root = -1 };
	struct stat st;

	raise_descriptors();
	(void)umask(0);
	if (dev_nodes_open(&b.devices, err) < 0 || clone_sources(&b, err) < 0)
		return -1;
	for (size_t i = 0; i < plan->mounts.n; i++) {
		const struct plan_mount *mount = &plan->mounts.v[i];

		if (appliers[mount->kind](&b, mount, err) < 0)
			return -1;
		/* The first is the tree itself. */
		if (i == 0 && store_open(&b, err) < 0)
			return -1;
	}
	if (b.root >= 0 && settle_root(b.root, err) < 0)
		return -1;
	(void)umask(022);
	for (size_t i = 0; i < b.skeletons.n; i++)
		fd_close(&b.skeletons.v[i].dir);
	fd_close(&b.root);
	arena_free(&b.arena);
	if (fstat(b.store, &st) < 0)
		return err_sys(err, "stat the private file system");
	box->private_dev = st.st_dev;
	box->masks = b.store;
	return layer_settle(plan, err);
}
