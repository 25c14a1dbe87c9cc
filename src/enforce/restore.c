/* SPDX-License-Identifier: Apache-2.0 */
/*
 * enforce/restore.c - a mount that the host took away is made again
 *
 * Runs in:  a child of the supervisor, in the box's namespaces.
 * Trusts:   the plan; not what lies at its paths now.
 * Must not: follow a symbolic link.
 */
#include <errno.h>
#include <linux/mount.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/fd.h"
#include "enforce/enforce.h"
#include "enforce/tree.h"
#include "plan/plan.h"

/* Is the mount that was made at @fd still there? */
static bool is_mounted(int fd, const struct plan_watch *watch, int masks)
{
	struct stat st, mask;
	struct statvfs fs;

	if (watch->mount == PLAN_MOUNT_BIND)
		return fstatvfs(fd, &fs) == 0 && fs.f_flag & ST_RDONLY;
	return fstat(fd, &st) == 0 && fstat(masks, &mask) == 0 &&
	       st.st_dev == mask.st_dev;
}

/*
 * The kernel takes a mount away before it puts the new file in its place; for
 * a moment nothing can be mounted there (ENOENT).
 */
enum { RESTORE_TRIES = 50, RESTORE_WAIT_US = 100 };

static int restore_once(const struct plan_watch *watch, int masks)
{
	AUTO_CLOSE int target = tree_open_at(-1, watch->path);
	AUTO_CLOSE int clone = -1;
	struct stat st;

	if (target < 0)
		return errno == ENOENT ? 0 : -1;
	if (is_mounted(target, watch, masks))
		return 0;
	if (fstat(target, &st) < 0)
		return -1;
	if (watch->mount == PLAN_MOUNT_BIND)
		clone = tree_clone(target, S_ISDIR(st.st_mode),
				   MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID |
					   MOUNT_ATTR_NODEV);
	else
		clone = tree_clone_mask(masks, S_ISDIR(st.st_mode)
						       ? PLAN_MOUNT_MASK_DIR
						       : watch->mount);
	if (clone < 0)
		return -1;
	return tree_attach(clone, target) < 0 ? -1 : 1;
}

int enforce_watch_restore(const struct plan *plan, size_t watch,
			  const struct box *box)
{
	for (int tries = 0;; tries++) {
		int result = restore_once(&plan->watches.v[watch], box->masks);

		if (result >= 0 || errno != ENOENT)
			return result;
		if (tries == RESTORE_TRIES)
			return 0;
		(void)usleep(RESTORE_WAIT_US);
	}
}
