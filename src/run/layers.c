/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/layers.c - layers that live as long as one run
 *
 * Runs in:  the supervisor.
 * Trusts:   the state directory, which is the user's and hidden from boxes.
 *           Not what a box has left in a layer.
 * Must not: follow a link in a layer, or leave one behind.
 */
#include "run/layers.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/path.h"
#include "base/remove.h"

enum {
	TRIES = 20,
	DEPTH_MAX = 64,
	ENTRIES_MAX = 200000,
	LOCK_WAIT_MS = 5000, /* it is held while a few directories are made */
};

/* What of @path existed before, in bytes, goes to *@had if that is less. */
static int make_path(struct arena *arena, const char *path, size_t *had,
		     struct err *err)
{
	char *at = arena_strdup(arena, path);
	size_t above = 0;

	for (char *p = at + 1;; p++) {
		char end = *p;

		if (end != '/' && end != '\0')
			continue;
		*p = '\0';
		if (mkdir(at, 0700) == 0)
			*had = above < *had ? above : *had;
		else if (errno != EEXIST)
			return err_set(err, ERR_HOST,
				       "make the directory '%s' for layers: "
				       "%s; XDG_STATE_HOME can name another",
				       at, strerror(errno));
		*p = end;
		if (!end)
			return 0;
		above = (size_t)(p - at);
	}
}

static int open_directory(int dir, const char *name)
{
	return openat(dir, name,
		      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Asked for again and again: whoever was stopped while it had the lock must
 * not hold up all others without a word. */
static int lock_parent(int fd, const char *path, struct err *err)
{
	const struct timespec nap = { .tv_nsec = 1000000 };

	for (int waited = 0; waited < LOCK_WAIT_MS; waited++) {
		if (flock(fd, LOCK_EX | LOCK_NB) == 0)
			return 0;
		if (errno != EWOULDBLOCK && errno != EINTR)
			return err_sys(err, "lock '%s'", path);
		(void)nanosleep(&nap, NULL);
	}
	return err_set(err, ERR_HOST,
		       "another cordon has had '%s' locked for %d seconds; if "
		       "it was stopped, continue or end it",
		       path, LOCK_WAIT_MS / 1000);
}

/* Nobody else's: what is in it is removed without a question. */
static int open_parent(const char *path, struct err *err)
{
	AUTO_CLOSE int fd = -1;
	struct stat st;

	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return err_sys(err, "make the directory '%s'", path);
	fd = open_directory(AT_FDCWD, path);
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(err, "open '%s'", path);
	if (st.st_uid != geteuid())
		return err_set(err, ERR_HOST, "'%s' belongs to another user",
			       path);
	if (fchmod(fd, 0700) < 0)
		return err_sys(err, "take '%s'", path);
	if (lock_parent(fd, path, err) < 0)
		return -1;
	return fd_take(&fd);
}

/* Whoever made it is gone, and took the lock along. */
static void sweep_one(int dir, const char *name)
{
	AUTO_CLOSE int fd = open_directory(dir, name);
	struct err err;

	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0)
		return;
	/* What cannot be removed now is tried again the next time. */
	(void)remove_tree(dir, name, &err);
}

static void sweep(int dir)
{
	int copy = open_directory(dir, ".");
	DIR *names = copy < 0 ? NULL : fdopendir(copy);
	const struct dirent *e;

	if (!names) {
		fd_close(&copy);
		return;
	}
	while ((e = readdir(names))) {
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			sweep_one(dir, e->d_name);
	}
	(void)closedir(names);
}

static void random_name(char *out, size_t room)
{
	static const char digits[] = "0123456789abcdefghjkmnpqrstvwxyz";
	unsigned char bytes[24];
	size_t n = room - 1 < sizeof(bytes) ? room - 1 : sizeof(bytes);

	if (getrandom(bytes, n, 0) != (ssize_t)n)
		memset(bytes, getpid() & 0xff, n);
	for (size_t i = 0; i < n; i++)
		out[i] = digits[bytes[i] % (sizeof(digits) - 1)];
	out[n] = '\0';
}

/* With @parent locked, so that nobody sweeps it before it has its lock. */
static int make_own(struct run_layers *layers, struct err *err)
{
	for (int i = 0; i < TRIES; i++) {
		random_name(layers->name, sizeof(layers->name));
		if (mkdirat(layers->dir, layers->name, 0700) == 0)
			break;
		if (errno != EEXIST || i + 1 == TRIES)
			return err_sys(err, "make a directory in '%s'",
				       layers->parent);
	}
	layers->lock = open_directory(layers->dir, layers->name);
	if (layers->lock < 0 || flock(layers->lock, LOCK_EX | LOCK_NB) < 0)
		return err_sys(err, "lock '%s/%s'", layers->parent,
			       layers->name);
	return 0;
}

static int make_layer(struct arena *arena, const struct run_layers *layers,
		      size_t i, const char *root, struct plan_layer *out,
		      struct err *err)
{
	const char *at = arena_printf(arena, "%s/%s/%zu", layers->parent,
				      layers->name, i);
	struct stat st;

	*out = (struct plan_layer){
		.path = root,
		.upper = path_join(arena, at, "upper"),
		.work = path_join(arena, at, "work"),
		.transient = true,
	};
	if (mkdir(at, 0700) < 0 || mkdir(out->upper, 0700) < 0 ||
	    mkdir(out->work, 0700) < 0)
		return err_sys(err, "make a layer in '%s'", at);
	/* The mode of the root is that of the layer. */
	if (stat(root, &st) < 0 || chmod(out->upper, st.st_mode & 0777) < 0)
		return err_sys(err, "take the mode of '%s'", root);
	return 0;
}

/*
 * The directory can be removed by another that ends, between its making and
 * its lock: then it is made again.
 */
static int open_locked(struct arena *arena, struct run_layers *layers,
		       struct err *err)
{
	for (int i = 0; i < TRIES; i++) {
		struct stat here, there;

		if (make_path(arena, layers->state, &layers->made, err) < 0)
			return -1;
		layers->dir = open_parent(layers->parent, err);
		if (layers->dir < 0)
			return -1;
		if (fstat(layers->dir, &here) == 0 &&
		    stat(layers->parent, &there) == 0 &&
		    here.st_ino == there.st_ino && here.st_dev == there.st_dev)
			return 0;
		fd_close(&layers->dir);
	}
	return err_set(err, ERR_SYS, "'%s' is removed again and again",
		       layers->parent);
}

int run_layers_open(struct arena *arena, const char *state, const char *kind,
		    const struct facts_strings *roots, struct run_layers *out,
		    struct err *err)
{
	struct plan_layer *v = arena_array(arena, struct plan_layer, roots->n);
	struct err ignored;
	int result;

	*out = (struct run_layers){ .state = state,
				    .kind = kind,
				    .parent = path_join(arena, state, kind),
				    .made = strlen(state),
				    .dir = -1,
				    .lock = -1 };
	if (open_locked(arena, out, err) < 0)
		return -1;
	sweep(out->dir);
	result = make_own(out, err);
	for (size_t i = 0; i < roots->n && result == 0; i++)
		result = make_layer(arena, out, i, roots->v[i], &v[i], err);
	(void)flock(out->dir, LOCK_UN);
	out->layers = (struct plan_layers){ v, roots->n };
	if (result < 0)
		(void)run_layers_close(out, &ignored);
	return result;
}

/* Directories that are empty now and were not there before. */
static void remove_path(const struct run_layers *layers)
{
	char path[4096];
	size_t n = strlen(layers->state);

	if (n >= sizeof(path))
		return;
	memcpy(path, layers->state, n + 1);
	(void)rmdir(layers->parent);
	while (n > layers->made && rmdir(path) == 0) {
		while (n && path[--n] != '/')
			;
		path[n] = '\0';
	}
}

int run_layers_close(struct run_layers *layers, struct err *err)
{
	int result;

	if (layers->dir < 0)
		return 0;
	result = layers->name[0] ? remove_tree(layers->dir, layers->name, err)
				 : 0;
	fd_close(&layers->lock);
	fd_close(&layers->dir);
	if (result < 0)
		return err_wrap(err, "in '%s'", layers->parent);
	remove_path(layers);
	return 0;
}

struct walk {
	struct arena arena;
	run_changed_fn *changed;
	void *data;
	size_t entries;
	struct run_layers_count *count;
};

static bool is_whiteout(const struct stat *st)
{
	return S_ISCHR(st->st_mode) && st->st_rdev == 0;
}

static void tell(struct walk *walk, const struct stat *st, const char *path,
		 bool *descend)
{
	struct stat host;
	bool exists = lstat(path, &host) == 0;
	bool directory = S_ISDIR(st->st_mode);

	*descend = directory;
	if (is_whiteout(st)) {
		walk->count->removed++;
		walk->changed(walk->data, RUN_REMOVED, path, false);
		return;
	}
	if (!directory)
		walk->count->files++;
	/* A directory is copied for what changes in it. */
	if (directory && exists && S_ISDIR(host.st_mode))
		return;
	walk->changed(walk->data, exists ? RUN_CHANGED : RUN_MADE, path,
		      directory);
}

/* NOLINTNEXTLINE(misc-no-recursion): bounded by DEPTH_MAX */
static void walk_directory(struct walk *walk, int dir, const char *path,
			   unsigned int depth)
{
	int copy = open_directory(dir, ".");
	DIR *names = copy < 0 ? NULL : fdopendir(copy);
	const struct dirent *e;

	if (!names || depth > DEPTH_MAX) {
		walk->count->more = true;
		if (names)
			(void)closedir(names);
		else
			fd_close(&copy);
		return;
	}
	while ((e = readdir(names)) && !walk->count->more) {
		AUTO_CLOSE int inner = -1;
		const char *below;
		struct stat st;
		bool descend;

		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") ||
		    fstatat(dir, e->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		if (++walk->entries > ENTRIES_MAX)
			walk->count->more = true;
		below = path_join(&walk->arena, path, e->d_name);
		tell(walk, &st, below, &descend);
		if (!descend)
			continue;
		/* The box may have closed it; it is thrown away soon. */
		(void)!fchmodat(dir, e->d_name, 0700, 0);
		inner = open_directory(dir, e->d_name);
		if (inner >= 0)
			walk_directory(walk, inner, below, depth + 1);
	}
	(void)closedir(names);
}

void run_layers_walk(const struct run_layers *layers, run_changed_fn *changed,
		     void *data, struct run_layers_count *out)
{
	struct walk walk = { .changed = changed, .data = data, .count = out };

	*out = (struct run_layers_count){ 0 };
	for (size_t i = 0; i < layers->layers.n; i++) {
		const struct plan_layer *layer = &layers->layers.v[i];
		AUTO_CLOSE int dir = -1;

		(void)chmod(layer->upper, 0700);
		dir = open_directory(AT_FDCWD, layer->upper);
		if (dir >= 0)
			walk_directory(&walk, dir, layer->path, 0);
		walk.entries = 0;
	}
	arena_free(&walk.arena);
}
