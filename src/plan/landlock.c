/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan/landlock.c - which Landlock rights are handled, and where they are given
 *
 * Runs in:  the process that reads the policy.
 * Trusts:   the view.
 * Must not: look at the file system.
 *
 * Behind the mounts Landlock handles writing, creating and devices. It does
 * not handle reading or executing, which the mounts decide and which would be
 * looked up at every open (1.4 x on open/close loops); nor truncating, unless
 * the command is given a file that it may not write: then it is what stops the
 * descriptor from being reopened and the file from being emptied.
 */
#include "plan/landlock.h"

#include <string.h>

#include "base/arena.h"
#include "plan/plan.h"
#include "plan/view.h"

/* landlock(7); the headers of older systems do not have all of them. */
#define FS_EXECUTE     (1ULL << 0)
#define FS_WRITE_FILE  (1ULL << 1)
#define FS_READ_FILE   (1ULL << 2)
#define FS_READ_DIR    (1ULL << 3)
#define FS_REMOVE_DIR  (1ULL << 4)
#define FS_REMOVE_FILE (1ULL << 5)
#define FS_MAKE_CHAR   (1ULL << 6)
#define FS_MAKE_DIR    (1ULL << 7)
#define FS_MAKE_REG    (1ULL << 8)
#define FS_MAKE_SOCK   (1ULL << 9)
#define FS_MAKE_FIFO   (1ULL << 10)
#define FS_MAKE_BLOCK  (1ULL << 11)
#define FS_MAKE_SYM    (1ULL << 12)
#define FS_REFER       (1ULL << 13)
#define FS_TRUNCATE    (1ULL << 14)
#define FS_IOCTL_DEV   (1ULL << 15)

#define SCOPE_ABSTRACT_UNIX (1ULL << 0)
#define SCOPE_SIGNAL	    (1ULL << 1)

/* Rights over a file; the others need a directory. */
#define FILE_RIGHTS (FS_WRITE_FILE | FS_TRUNCATE | FS_IOCTL_DEV)

/* Devices and block special files are made by nobody. */
#define WRITE_RIGHTS                                                           \
	(FS_WRITE_FILE | FS_REMOVE_DIR | FS_REMOVE_FILE | FS_MAKE_DIR |        \
	 FS_MAKE_REG | FS_MAKE_SOCK | FS_MAKE_FIFO | FS_MAKE_SYM | FS_REFER |  \
	 FS_TRUNCATE | FS_IOCTL_DEV)

#define NET_BIND_TCP (1ULL << 0)

#define HANDLED_RIGHTS (WRITE_RIGHTS | FS_MAKE_CHAR | FS_MAKE_BLOCK)

static const char *const names[] = {
	"execute",    "write_file",  "read_file", "read_dir",
	"remove_dir", "remove_file", "make_char", "make_dir",
	"make_reg",   "make_sock",   "make_fifo", "make_block",
	"make_sym",   "refer",	     "truncate",  "ioctl_dev",
};

const char *plan_landlock_name(unsigned int bit)
{
	return bit < sizeof(names) / sizeof(names[0]) ? names[bit] : NULL;
}

static uint64_t rights_of_abi(int abi)
{
	if (abi < 3)
		return ~(FS_TRUNCATE | FS_IOCTL_DEV);
	if (abi < 5)
		return ~FS_IOCTL_DEV;
	return ~0ULL;
}

static void rule_add(struct arena *arena, struct plan *plan, const char *path,
		     uint64_t access)
{
	access &= plan->landlock.handled_fs;
	if (!access)
		return;
	*ARENA_PUSH(arena, &plan->landlock) =
		(struct plan_landlock_rule){ .path = path, .access = access };
}

void plan_landlock_build(struct arena *arena, const struct view *view,
			 const struct facts *facts, bool given_kept,
			 struct plan *plan)
{
	struct plan_landlock *landlock = &plan->landlock;

	/* ABI 1 cannot rename between directories, which builds do. */
	if (facts->landlock_abi < 2)
		return;
	landlock->enabled = true;
	landlock->handled_fs =
		HANDLED_RIGHTS & rights_of_abi(facts->landlock_abi);
	if (!given_kept)
		landlock->handled_fs &= ~FS_TRUNCATE;
	if (facts->landlock_abi >= 6)
		landlock->scoped = SCOPE_ABSTRACT_UNIX | SCOPE_SIGNAL;

	for (size_t i = 0; i < view->n; i++) {
		const struct view_node *node = &view->v[i];
		const struct view_node *above = node->above;

		if (node->access != PLAN_WRITE || node->link ||
		    node->kind == FACTS_ABSENT)
			continue;
		/* A rule covers what lies below it. */
		if (above && above->access == PLAN_WRITE && !above->private &&
		    !node->private)
			continue;
		if (!strcmp(node->path, "/proc"))
			rule_add(arena, plan, node->path, FS_WRITE_FILE);
		else if (node->kind == FACTS_DIRECTORY)
			rule_add(arena, plan, node->path, WRITE_RIGHTS);
		else
			rule_add(arena, plan, node->path, FILE_RIGHTS);
	}
}

void plan_landlock_close(const struct facts *facts, struct plan_landlock *out)
{
	*out = (struct plan_landlock){ .enabled = facts->landlock_abi > 0 };
	out->handled_fs =
		(HANDLED_RIGHTS | FS_EXECUTE | FS_READ_FILE | FS_READ_DIR) &
		rights_of_abi(facts->landlock_abi);
	if (facts->landlock_abi < 2)
		out->handled_fs &= ~FS_REFER;
	if (facts->landlock_abi >= 4)
		out->handled_net = NET_BIND_TCP;
	if (facts->landlock_abi >= 6)
		out->scoped = SCOPE_ABSTRACT_UNIX | SCOPE_SIGNAL;
}
