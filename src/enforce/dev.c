/* SPDX-License-Identifier: Apache-2.0 */
/*
 * enforce/dev.c - a /dev with what every program needs and nothing else
 *
 * Runs in:  box init, in its own mount namespace.
 * Trusts:   the host's device nodes of these names.
 * Must not: make device nodes; an unprivileged process cannot.
 */
#include "enforce/dev.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "enforce/tree.h"

static const char *const nodes[DEV_NODES] = {
	"null", "zero", "full", "random", "urandom", "tty",
};

static const struct {
	const char *name;
	const char *target;
} links[] = {
	{ "fd", "/proc/self/fd" },	 { "stdin", "/proc/self/fd/0" },
	{ "stdout", "/proc/self/fd/1" }, { "stderr", "/proc/self/fd/2" },
	{ "ptmx", "pts/ptmx" },
};

int dev_nodes_open(struct dev_nodes *out, struct err *err)
{
	for (size_t i = 0; i < DEV_NODES; i++) {
		AUTO_CLOSE int fd = -1;
		char path[32];

		snprintf(path, sizeof(path), "/dev/%s", nodes[i]);
		fd = tree_open_at(-1, path);
		if (fd < 0)
			return err_sys(err, "open '%s'", path);
		/* Read-only is the node and not the device: root, who owns the
		 * host's nodes, could change their modes. */
		out->clone[i] =
			tree_clone(fd, false,
				   MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID |
					   MOUNT_ATTR_NOEXEC);
		if (out->clone[i] < 0)
			return err_sys(err, "clone '%s'", path);
	}
	return 0;
}

int dev_populate(int dir, struct err *err)
{
	for (size_t i = 0; i < DEV_NODES; i++) {
		if (mknodat(dir, nodes[i], S_IFREG | 0600, 0) < 0)
			return err_sys(err, "make /dev/%s", nodes[i]);
	}
	for (size_t i = 0; i < sizeof(links) / sizeof(links[0]); i++) {
		if (symlinkat(links[i].target, dir, links[i].name) < 0)
			return err_sys(err, "make /dev/%s", links[i].name);
	}
	if (mkdirat(dir, "pts", 0755) < 0 || mkdirat(dir, "shm", 01777) < 0)
		return err_sys(err, "make directories in /dev");
	return 0;
}

static int attach_at(int root, const char *path, int mount, struct err *err)
{
	AUTO_CLOSE int fd = mount;
	AUTO_CLOSE int target = tree_open_at(root, path);

	if (target < 0)
		return err_sys(err, "open '%s'", path);
	if (tree_attach(fd, target) < 0)
		return err_sys(err, "mount on '%s'", path);
	return 0;
}

static int attach_pts(int root, struct err *err)
{
	/* The group of terminals has no meaning in the box's namespace. */
	static const char *const options[] = { "ptmxmode", "0666", "mode",
					       "0620", NULL };
	int fd = tree_new("devpts", options,
			  MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC);

	if (fd < 0)
		return err_sys(err, "mount devpts");
	return attach_at(root, "/dev/pts", fd, err);
}

static int attach_shm(int root, int dir, bool noexec, struct err *err)
{
	AUTO_CLOSE int shm = openat(dir, "shm", O_PATH | O_CLOEXEC);
	int fd;

	if (shm < 0)
		return err_sys(err, "open /dev/shm");
	fd = tree_clone(shm, false,
			MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV |
				(noexec ? MOUNT_ATTR_NOEXEC : 0));
	if (fd < 0)
		return err_sys(err, "clone /dev/shm");
	return attach_at(root, "/dev/shm", fd, err);
}

int dev_attach(int root, int dir, bool noexec, struct dev_nodes *all,
	       struct err *err)
{
	for (size_t i = 0; i < DEV_NODES; i++) {
		char path[32];

		snprintf(path, sizeof(path), "/dev/%s", nodes[i]);
		if (attach_at(root, path, fd_take(&all->clone[i]), err) < 0)
			return -1;
	}
	if (attach_pts(root, err) < 0)
		return -1;
	return attach_shm(root, dir, noexec, err);
}
