/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard/place.c - which directory and which name a path means
 *
 * Runs in:  the guard.
 * Trusts:   nothing: path and file system may change at any time. What is
 *           found is a descriptor, and what is judged is that descriptor.
 * Must not: let the kernel follow a link of /proc for it, where "self" would
 *           be the guard.
 */
#include "guard/place.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/fd.h"
#include "guard/caller.h"
#include "guard/state.h"

void place_done(struct place *place)
{
	fd_close(&place->dir);
}

bool place_has_slash(const struct place *place)
{
	return place->name[place->len] == '/';
}

bool place_is_dots(const struct place *place)
{
	return place->len <= 2 && strspn(place->name, ".") == place->len;
}

/*
 * Cuts place->text into name and directory; returns the directory: "" where
 * the path has none, "/" for the root.
 */
static const char *cut(struct place *place)
{
	char *text = place->text;
	size_t end = strlen(text);
	size_t start;

	while (end && text[end - 1] == '/')
		end--;
	if (!end) {
		/* Only slashes. There is room: "/" has two bytes. */
		(void)strcpy(text, ".");
		place->name = text;
		place->len = 1;
		return "/";
	}
	start = end;
	while (start && text[start - 1] != '/')
		start--;
	place->name = text + start;
	place->len = end - start;
	if (!start)
		return "";
	if (strspn(text, "/") >= start)
		return "/";
	text[start - 1] = '\0';
	return text;
}

/* The kernel's own walk, where nothing of procfs has a part in it. */
static int open_fast(int base, const char *path)
{
	struct open_how how = { .flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
				.resolve = RESOLVE_NO_MAGICLINKS };
	int fd = (int)syscall(SYS_openat2, base, path, &how, sizeof(how));

	return fd < 0 ? -errno : fd;
}

/* What is known of the directory; a device with a number is not procfs. */
static int look(struct place *place)
{
	struct stat st;

	if (fstat(place->dir, &st) < 0)
		return -errno;
	place->id = (struct facts_id){ .dev = st.st_dev, .ino = st.st_ino };
	place->mode = st.st_mode;
	place->proc = major(st.st_dev) == 0 && walk_is_proc(place->dir);
	return 0;
}

int place_find_from(const struct call *call, int base, struct place *out)
{
	const char *path;
	int failed;

	if (!out->text[0])
		return -ENOENT;
	path = cut(out);
	out->dir = strncmp(path, "/proc", 5) != 0
			   ? open_fast(base, path[0] ? path : ".")
			   : -ELOOP;
	failed = out->dir < 0 ? out->dir : look(out);
	if (failed && failed != -ELOOP && !walk_may_be_proc(base, path))
		return failed;
	if (!failed && !out->proc)
		return 0;
	fd_close(&out->dir);
	out->walked = true;
	out->dir = walk_path(call, base, path, &out->way);
	return out->dir < 0 ? out->dir : look(out);
}

/* A plain name needs no walk: the caller's directory is the place. */
static bool is_plain_name(const char *path)
{
	return path[0] && !strchr(path, '/');
}

static int find_name(const struct call *call, int base, struct place *out)
{
	int failed;

	out->dir = base;
	out->name = out->text;
	out->len = strlen(out->text);
	failed = look(out);
	if (failed || !out->proc)
		return failed;
	out->walked = true;
	out->dir = walk_path(call, base, "", &out->way);
	fd_close(&base);
	return out->dir < 0 ? out->dir : 0;
}

int place_find(const struct call *call, int dirfd, uint64_t addr,
	       struct place *out)
{
	int failed = caller_read_path(&call->caller, addr, out->text);
	AUTO_CLOSE int base = -1;

	out->dir = -1;
	if (failed)
		return failed;
	if (!out->text[0])
		return -ENOENT;
	if (out->text[0] == '/')
		return place_find_from(call, call->guard->root, out);
	base = caller_open_dir(&call->caller, dirfd);
	if (base < 0)
		return base;
	if (is_plain_name(out->text))
		return find_name(call, fd_take(&base), out);
	return place_find_from(call, base, out);
}

/*
 * The kernel's rules about who may follow which link (fs.protected_symlinks)
 * are asked for by letting it follow this one. Where it ends does not matter.
 */
static int ask_kernel(const struct place *place)
{
	AUTO_CLOSE int fd = openat(place->dir, place->name, O_PATH | O_CLOEXEC);

	return fd < 0 && errno == EACCES ? -EACCES : 0;
}

int place_follow(const struct call *call, struct place *place)
{
	AUTO_CLOSE int base = -1;
	char target[PATH_MAX];
	int failed;

	if (++place->way.links > WALK_LINKS_MAX)
		return -ELOOP;
	if (place->proc && walk_is_magic(place->dir, place->name))
		return PLACE_MAGIC;
	failed = ask_kernel(place);
	if (failed)
		return failed;
	failed = walk_read_link(call, place->dir, place->name, target,
				sizeof(target));
	if (failed)
		return failed;
	base = fd_take(&place->dir);
	(void)strcpy(place->text, target);
	return place_find_from(call, base, place);
}

int place_open(const struct call *call, struct place *from)
{
	for (;;) {
		AUTO_CLOSE int fd = openat(from->dir, from->name,
					   O_PATH | O_NOFOLLOW | O_CLOEXEC);
		struct stat st;
		int failed;

		if (fd < 0 || fstat(fd, &st) < 0)
			return -errno;
		if (!S_ISLNK(st.st_mode))
			return fd_take(&fd);
		failed = place_follow(call, from);
		if (failed < 0)
			return failed;
		if (failed != PLACE_MAGIC)
			continue;
		fd_close(&fd);
		fd = openat(from->dir, from->name, O_PATH | O_CLOEXEC);
		return fd < 0 ? -errno : fd_take(&fd);
	}
}
