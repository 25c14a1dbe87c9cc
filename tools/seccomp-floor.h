/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_TOOLS_SECCOMP_FLOOR_H
#define CORDON_TOOLS_SECCOMP_FLOOR_H

#include "seccomp-rules.h"

/*
 * Laid over a profile of the user's: what the box itself rests on, and what
 * no profile was ever meant to give. All else is the profile's affair.
 */
/* clang-format off */
static const struct call floor_calls[] = {
	EXCEPT(ioctl, ioctl_rules),
	/* namespaces */
	EXCEPT(clone, clone_rules),
	ABSENT(clone3),	/* its flags lie in memory; libc then uses clone */
	REFUSE(unshare), REFUSE(setns), REFUSE(listns),
	/* mounts */
	REFUSE(mount), REFUSE(umount2), REFUSE(pivot_root), REFUSE(chroot),
	REFUSE(open_tree), REFUSE(open_tree_attr), REFUSE(move_mount),
	REFUSE(fsopen), REFUSE(fsconfig), REFUSE(fsmount), REFUSE(fspick),
	REFUSE(mount_setattr), REFUSE(statmount), REFUSE(listmount),
	/* ways around the other rules */
	ABSENT(io_uring_setup), ABSENT(io_uring_enter),
	ABSENT(io_uring_register), REFUSE(open_by_handle_at),
	/* the kernel's own affairs */
	REFUSE(bpf), REFUSE(perf_event_open), REFUSE(userfaultfd),
	REFUSE(add_key), REFUSE(request_key), REFUSE(keyctl),
	REFUSE(init_module), REFUSE(finit_module), REFUSE(delete_module),
	REFUSE(kexec_load), REFUSE(kexec_file_load), REFUSE(reboot),
	/* set-id files and devices */
	EXCEPT(open, open_rules), EXCEPT(openat, openat_rules),
	EXCEPT(creat, mode1_rules), EXCEPT(chmod, mode1_rules),
	EXCEPT(fchmod, mode1_rules), EXCEPT(fchmodat, mode2_rules),
	EXCEPT(fchmodat2, mode2_rules), EXCEPT(mknod, mknod_rules),
	EXCEPT(mknodat, mknodat_rules),
};

/*
 * Laid over one of the others: what the guard judges, and then does in place
 * of the caller. What can make a name, and what leads to a socket: its address
 * lies in memory. The kernel takes the stricter answer, so what the other
 * filter refuses never reaches the guard.
 */
static const struct call notify_calls[] = {
	EXCEPT(open, notify_open_rules),
	EXCEPT(openat, notify_openat_rules),
	ABSENT(openat2),	/* its flags lie in memory, where they can
				 * change; callers fall back to openat */
	NOTIFY(connect), NOTIFY(bind),
	NOTIFY(creat), NOTIFY(mkdir), NOTIFY(mkdirat), NOTIFY(mknod),
	NOTIFY(mknodat), NOTIFY(rename), NOTIFY(renameat),
	NOTIFY(renameat2), NOTIFY(link), NOTIFY(linkat), NOTIFY(symlink),
	NOTIFY(symlinkat),
	/* A domain of the command's own would not bind the guard that acts
	 * for it: better none than one with a hole. */
	ABSENT(landlock_create_ruleset), ABSENT(landlock_add_rule),
	ABSENT(landlock_restrict_self),
};

/* Added where executions are judged. */
static const struct call notify_exec_calls[] = {
	NOTIFY(execve), NOTIFY(execveat),
};

/* Added where every open is: in place of those above, and what else changes a
 * file by its name. */
static const struct call notify_opens_calls[] = {
	EXCEPT(open, notify_opens_rules),
	EXCEPT(openat, notify_opensat_rules),
	NOTIFY(unlink), NOTIFY(unlinkat), NOTIFY(rmdir), NOTIFY(truncate),
};

/* Added where nothing that the box can write is executed. */
static const struct call notify_memfd_calls[] = {
	NOTIFY(memfd_create),
};

/*
 * Laid over the others where the command is given files open that it may not
 * write, and Landlock does not handle truncating yet (before Linux 6.2). The
 * answer is the one that it gives later.
 */
static const struct call keep_calls[] = {
	CALL(__NR_truncate, RET_ERRNO(EACCES), NULL),
	EXCEPT(open, keep_open_rules), EXCEPT(openat, keep_openat_rules),
	ABSENT(openat2),	/* its flags lie in memory */
};
/* clang-format on */

#endif
