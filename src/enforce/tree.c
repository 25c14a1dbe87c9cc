/* SPDX-License-Identifier: Apache-2.0 */
/*
 * enforce/tree.c - mounts as descriptors
 *
 * Runs in:  box init, and the supervisor's child that mounts again.
 * Trusts:   its callers.
 * Must not: take a path for granted: no link is ever followed.
 *
 * The calls are made directly: not every C library has wrappers for them.
 */
#include "enforce/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"

#ifndef AT_RECURSIVE
#define AT_RECURSIVE 0x8000
#endif

/* propagation is MS_PRIVATE or 0 */
enum { PRIVATE = 1 << 18 };

static int set_attributes(int fd, const char *path, unsigned int flags,
			  uint64_t attributes, uint64_t propagation)
{
	struct mount_attr attr = { .attr_set = attributes,
				   .propagation = propagation };

	return (int)syscall(SYS_mount_setattr, fd, path, flags, &attr,
			    sizeof(attr));
}

int tree_open_at(int root, const char *path)
{
	struct open_how how = {
		.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
		.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
	};

	if (root >= 0) {
		how.resolve |= RESOLVE_IN_ROOT;
		path += strspn(path, "/");
		if (!*path)
			path = ".";
	}
	return (int)syscall(SYS_openat2, root >= 0 ? root : AT_FDCWD, path,
			    &how, sizeof(how));
}

int tree_clone(int fd, bool recursive, uint64_t attributes)
{
	unsigned int deep = recursive ? AT_RECURSIVE : 0;
	AUTO_CLOSE int clone = (int)syscall(
		SYS_open_tree, fd, "",
		AT_EMPTY_PATH | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | deep);

	if (clone < 0 || set_attributes(clone, "", AT_EMPTY_PATH | deep,
					attributes, PRIVATE) < 0)
		return -1;
	return fd_take(&clone);
}

int tree_clone_mask(int masks, enum plan_mount_kind kind)
{
	AUTO_CLOSE int node = openat(masks,
				     kind == PLAN_MOUNT_MASK_DIR       ? "d"
				     : kind == PLAN_MOUNT_MASK_PROGRAM ? "x"
								       : "f",
				     O_PATH | O_NOFOLLOW | O_CLOEXEC);

	if (node < 0)
		return -1;
	return tree_clone(node, false,
			  MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID |
				  MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
}

/* 0 if the kernel takes them all and makes the file system. */
static int configure(int context, const char *const *options)
{
	for (; options && *options; options += 2) {
		if (syscall(SYS_fsconfig, context,
			    options[1] ? FSCONFIG_SET_STRING
				       : FSCONFIG_SET_FLAG,
			    options[0], options[1], 0) < 0)
			return -1;
	}
	return (int)syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL,
			    NULL, 0);
}

/* What the kernel says of the failure; errno is kept. */
static void read_answer(int context, char *out, size_t room)
{
	int sys = errno;
	ssize_t n = read(context, out, room - 1);

	out[n > 0 ? n : 0] = '\0';
	errno = sys;
}

int tree_new_told(const char *type, const char *const *options,
		  uint64_t attributes, char *answer, size_t room)
{
	AUTO_CLOSE int context = (int)syscall(SYS_fsopen, type, FSOPEN_CLOEXEC);

	if (context < 0)
		return -1;
	if (configure(context, options) < 0) {
		if (room)
			read_answer(context, answer, room);
		return -1;
	}
	return (int)syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC, attributes);
}

int tree_new(const char *type, const char *const *options, uint64_t attributes)
{
	return tree_new_told(type, options, attributes, NULL, 0);
}

int tree_attach(int mount, int target)
{
	return (int)syscall(SYS_move_mount, mount, "", target, "",
			    MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH);
}

int tree_set(int mount, uint64_t attributes)
{
	return set_attributes(mount, "", AT_EMPTY_PATH, attributes, 0);
}

int tree_set_writable(int mount)
{
	struct mount_attr attr = { .attr_clr = MOUNT_ATTR_RDONLY };

	return (int)syscall(SYS_mount_setattr, mount, "", AT_EMPTY_PATH, &attr,
			    sizeof(attr));
}

int tree_set_root(uint64_t attributes)
{
	return set_attributes(AT_FDCWD, "/", AT_RECURSIVE, attributes, PRIVATE);
}
