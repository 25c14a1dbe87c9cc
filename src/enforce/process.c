/* SPDX-License-Identifier: Apache-2.0 */
/*
 * enforce/process.c - what a process does to itself: life, limits, session,
 * capabilities, descriptors
 *
 * Runs in:  box init and command, before exec.
 * Trusts:   the plan.
 * Must not: leave a capability, a key or a descriptor behind by omission.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/keyctl.h>
#include <signal.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <termios.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "enforce/enforce.h"
#include "enforce/steps.h"
#include "enforce/tree.h"
#include "plan/plan.h"

#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC (1U << 2)
#endif

/*
 * SIGKILL when the supervisor's thread ends. The supervisor may be gone
 * already: then nothing arrives, but the "go" of the caller does not either.
 * Undumpable from here on: /proc/1 tells nothing of the caller's environment
 * and memory, and nobody attaches.
 */
int enforce_lifeline(const struct plan *plan, struct box *box, struct err *err)
{
	(void)plan;
	(void)box;
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0)
		return err_sys(err, "tie to the supervisor");
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		return err_sys(err, "become undumpable");
	return 0;
}

int enforce_bounding(const struct plan *plan, struct box *box, struct err *err)
{
	(void)plan;
	(void)box;
	for (unsigned long cap = 0;; cap++) {
		if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) == 0)
			continue;
		/* One past the last that this kernel has. */
		if (errno == EINVAL && cap > CAP_AUDIT_READ)
			break;
		return err_sys(err, "drop capability %lu", cap);
	}
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0)
		return err_sys(err, "clear the ambient capabilities");
	return 0;
}

int enforce_workdir(const struct plan *plan, struct box *box, struct err *err)
{
	int fd = tree_open_at(-1, plan->workdir);
	struct stat st;

	(void)box;
	if (fd < 0)
		return err_sys(err, "open '%s'", plan->workdir);
	if (fstat(fd, &st) < 0 || fchdir(fd) < 0) {
		(void)close(fd);
		return err_sys(err, "enter '%s'", plan->workdir);
	}
	(void)close(fd);
	/* A private directory stands in for one of the host's. */
	if (plan->workdir_id.ino && (st.st_dev != plan->workdir_id.dev ||
				     st.st_ino != plan->workdir_id.ino))
		return err_set(err, ERR_SYS,
			       "'%s' was replaced while the box was set up; "
			       "try again",
			       plan->workdir);
	return 0;
}

/*
 * The line discipline inside does what the caller's did, from before the
 * command starts: later it would undo what the command has set. What a shell
 * has set for its own line does not count.
 */
static void copy_terminal(const struct box *box)
{
	struct termios modes;
	struct winsize size;

	for (int fd = 2; fd >= 0; fd--) {
		if (!box->terminal[fd])
			continue;
		if (tcgetattr(fd, &modes) == 0 && modes.c_lflag & ICANON)
			(void)tcsetattr(box->pty_slave, TCSANOW, &modes);
		if (ioctl(fd, TIOCGWINSZ, &size) == 0)
			(void)ioctl(box->pty_slave, TIOCSWINSZ, &size);
	}
}

int enforce_terminal(const struct plan *plan, struct box *box, struct err *err)
{
	(void)plan;
	if (!box->terminal[0] && !box->terminal[1] && !box->terminal[2])
		return 0;
	box->pty_master = open("/dev/pts/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (box->pty_master < 0)
		return err_sys(err, "open /dev/pts/ptmx");
	if (ioctl(box->pty_master, TIOCSPTLCK, &(int){ 0 }) < 0)
		return err_sys(err, "unlock the terminal");
	box->pty_slave = ioctl(box->pty_master, TIOCGPTPEER,
			       O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (box->pty_slave < 0)
		return err_sys(err, "open the terminal");
	copy_terminal(box);
	/* Box init leads the session, as a shell would: a job whose parent is
	 * in its session can be stopped by Ctrl-Z, an orphaned one cannot. */
	if (setsid() < 0 || ioctl(box->pty_slave, TIOCSCTTY, 0) < 0)
		return err_sys(err, "take the terminal");
	return 0;
}

int enforce_no_new_privs(const struct plan *plan, struct box *box,
			 struct err *err)
{
	(void)plan;
	(void)box;
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return err_sys(err, "set no_new_privs");
	return 0;
}

int enforce_rlimits(const struct plan *plan, struct box *box, struct err *err)
{
	(void)box;
	for (size_t i = 0; i < plan->rlimits.n; i++) {
		const struct plan_rlimit *want = &plan->rlimits.v[i];
		struct rlimit limit;

		if (getrlimit((unsigned int)want->resource, &limit) < 0)
			return err_sys(err, "read the limit %s", want->name);
		/* Never raise what the caller was given. */
		if (limit.rlim_max > want->value)
			limit.rlim_max = want->value;
		limit.rlim_cur = limit.rlim_max;
		if (setrlimit((unsigned int)want->resource, &limit) < 0)
			return err_sys(err, "set the limit %s", want->name);
	}
	return 0;
}

/* A job of its own in the foreground of the box's terminal. */
static int take_terminal(const struct box *box)
{
	if (setpgid(0, 0) < 0 || tcsetpgrp(box->pty_slave, getpid()) < 0)
		return -1;
	for (int fd = 0; fd < 3; fd++) {
		if (box->terminal[fd] && dup2(box->pty_slave, fd) < 0)
			return -1;
	}
	return 0;
}

int enforce_session(const struct plan *plan, struct box *box, struct err *err)
{
	sigset_t set;

	(void)plan;
	/* Taking the foreground from the background would stop us. */
	sigfillset(&set);
	if (sigprocmask(SIG_SETMASK, &set, NULL) < 0)
		return err_sys(err, "block signals");
	if (box->pty_slave < 0 ? setsid() < 0 : take_terminal(box) < 0)
		return err_sys(err, "make a session");
	sigemptyset(&set);
	if (sigprocmask(SIG_SETMASK, &set, NULL) < 0)
		return err_sys(err, "unblock signals");
	/* The command's own PDEATHSIG: box init's end is its end, also before
	 * the kernel gets to killing the namespace. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0)
		return err_sys(err, "tie to box init");
	return 0;
}

/* The caller's session keyring may hold keys; a new, empty one does not. */
int enforce_keyring(const struct plan *plan, struct box *box, struct err *err)
{
	(void)plan;
	(void)box;
	if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) >= 0)
		return 0;
	/* A kernel without keys has none to leak. With some two hundred boxes
	 * of one user their quota of keys is used up: every filter that a box
	 * can have, the floor under a profile of the user's included, refuses
	 * the calls that would use the old keyring. */
	if (errno != ENOSYS && errno != EDQUOT)
		return err_sys(err, "join a new session keyring");
	return 0;
}

int enforce_caps_set(unsigned int permitted, unsigned int effective,
		     struct err *err)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2] = {
		{ .permitted = permitted, .effective = effective },
	};

	if (syscall(SYS_capset, &head, data) < 0)
		return err_sys(err, "drop capabilities");
	return 0;
}

int enforce_caps(const struct plan *plan, struct box *box, struct err *err)
{
	(void)plan;
	(void)box;
	return enforce_caps_set(0, 0, err);
}

int enforce_fds(const struct plan *plan, struct box *box, struct err *err)
{
	(void)plan;
	/* Closed by exec, so that an error can still be reported. */
	if (syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC) < 0)
		return err_sys(err, "close descriptors");
	for (size_t i = 0; i < box->pass_fds_n; i++) {
		if (fcntl(box->pass_fds[i], F_SETFD, 0) < 0)
			return err_sys(err, "pass descriptor %d",
				       box->pass_fds[i]);
	}
	return 0;
}

int enforce_release(const struct plan *plan, struct box *box, struct err *err)
{
	char byte;

	(void)plan;
	if (fd_read_all(box->release, &byte, 1) != 1)
		return err_set(err, ERR_SYS, "box init could not be caged");
	return 0;
}
