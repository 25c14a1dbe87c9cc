/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard/serve.c - one notified call after the other
 *
 * Runs in:  box init, in the box's namespaces and Landlock domain.
 * Trusts:   the plan and the kernel; every caller is hostile.
 * Must not: let a call go on in the caller (SECCOMP_USER_NOTIF_FLAG_CONTINUE)
 *           but for an execution, see exec.c: the arguments could have changed
 *           since they were read.
 */
#include "guard/guard.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "guard/exec.h"
#include "guard/limit.h"
#include "guard/peer.h"
#include "guard/perform.h"
#include "guard/report.h"
#include "guard/state.h"
#include "guard/tell.h"
#include "guard/waiting.h"

enum { CHECK_MS = 50 };

/* Linux 6.6; the headers of Debian 12 are older. */
#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS	   SECCOMP_IOW(4, __u64)
#define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP (1UL << 0)
#endif

bool call_valid(const struct call *call)
{
	return ioctl(call->guard->listener, SECCOMP_IOCTL_NOTIF_ID_VALID,
		     &call->id) == 0;
}

void call_answer(const struct call *call, int64_t value)
{
	/* The kernel's struct may only be longer on the side it writes. */
	struct seccomp_notif_resp resp = {
		.id = call->id,
		.val = value < 0 ? 0 : value,
		.error = value < 0 ? (int32_t)value : 0,
	};

	/* ENOENT: the caller died, nobody waits. */
	while (ioctl(call->guard->listener, SECCOMP_IOCTL_NOTIF_SEND, &resp) <
		       0 &&
	       errno == EINTR)
		;
}

void call_continue(const struct call *call)
{
	struct seccomp_notif_resp resp = {
		.id = call->id,
		.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE,
	};

	while (ioctl(call->guard->listener, SECCOMP_IOCTL_NOTIF_SEND, &resp) <
		       0 &&
	       errno == EINTR)
		;
}

/*
 * The guard closes its descriptor before the caller goes on, so it takes two
 * steps: the caller may write, close and execute the file, or lock and unlock
 * it, and a second descriptor would make that fail with ETXTBSY or EWOULDBLOCK.
 * (SECCOMP_ADDFD_FLAG_SEND would also return 0 to the caller if it were
 * interrupted.)
 */
int call_answer_fd(const struct call *call, int fd, int open_flags)
{
	struct seccomp_notif_addfd add = {
		.id = call->id,
		.srcfd = (uint32_t)fd,
		.newfd_flags = (uint32_t)open_flags & O_CLOEXEC,
	};
	int given;
	int sys;

	do {
		given = ioctl(call->guard->listener, SECCOMP_IOCTL_NOTIF_ADDFD,
			      &add);
	} while (given < 0 && errno == EINTR);
	sys = errno;
	(void)close(fd);
	if (given < 0)
		return sys == ENOENT ? GUARD_ANSWERED : -sys;
	call_answer(call, given);
	return GUARD_ANSWERED;
}

static void serve_call(struct guard *guard, const struct seccomp_notif *req)
{
	struct call call = {
		.guard = guard,
		.id = req->id,
		.caller = { .proc = guard->proc,
			    .tid = (pid_t)req->pid,
			    .can_ptrace = guard->can_ptrace,
			    .cache = &guard->cache },
	};
	int value;

	guard->told = false;
	value = perform_call(&call, &req->data);
	if (value != GUARD_ANSWERED)
		call_answer(&call, value);
}

int guard_serve(struct guard *guard, struct err *err)
{
	memset(guard->req, 0, guard->req_size);
	if (ioctl(guard->listener, SECCOMP_IOCTL_NOTIF_RECV, guard->req) == 0) {
		serve_call(guard, guard->req);
		/* guard_check() is not called while there is much to do. */
		if (guard->n_waiting && ++guard->served % 256 == 0)
			waiting_check(guard);
		return 0;
	}
	/* ENOENT: the caller was killed before we looked. */
	if (errno == ENOENT || errno == EINTR)
		return 0;
	return err_sys(err, "receive a notified call");
}

int guard_timeout_ms(const struct guard *guard)
{
	return guard->n_waiting ? CHECK_MS : -1;
}

void guard_check(struct guard *guard)
{
	waiting_check(guard);
}

void guard_child_ended(struct guard *guard, pid_t pid)
{
	waiting_ended(guard, pid);
}

static int open_dir(int dir, const char *path, int *out, struct err *err)
{
	*out = openat(dir, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return *out < 0 ? err_sys(err, "open %s for the guard", path) : 0;
}

static bool can_ptrace(void)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2] = { 0 };

	return syscall(SYS_capget, &head, data) == 0 &&
	       data[0].permitted & 1U << CAP_SYS_PTRACE;
}

/* Without it no program in the box could connect to anything. */
static int check_getfd(const struct guard *guard, struct err *err)
{
	AUTO_CLOSE int pidfd = (int)syscall(SYS_pidfd_open, getpid(), 0);
	AUTO_CLOSE int fd = -1;

	if (pidfd >= 0)
		fd = (int)syscall(SYS_pidfd_getfd, pidfd, guard->root, 0);
	if (fd < 0)
		return err_sys(err,
			       "take a descriptor of another process (in a "
			       "container, its filter must allow pidfd_open "
			       "and pidfd_getfd)");
	return 0;
}

static int prepare(struct guard *guard, struct err *err)
{
	struct stat st;

	if (open_dir(AT_FDCWD, "/", &guard->root, err) < 0 ||
	    open_dir(AT_FDCWD, "/proc", &guard->proc, err) < 0 ||
	    open_dir(guard->proc, "self", &guard->self, err) < 0 ||
	    open_dir(guard->self, "fd", &guard->self_fd, err) < 0)
		return -1;
	if (fstat(guard->root, &st) < 0)
		return err_sys(err, "look at the root");
	guard->root_dev = st.st_dev;
	if (fstat(guard->self, &st) < 0)
		return err_sys(err, "look at the guard's own /proc/self");
	guard->self_id =
		(struct facts_id){ .dev = st.st_dev, .ino = st.st_ino };
	guard->proc_dev = st.st_dev;
	guard->can_ptrace = can_ptrace();
	if (check_getfd(guard, err) < 0)
		return -1;
	/* Nobody of the same user may read or change it. */
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		return err_sys(err, "close the guard to other processes");
	guard->umask = umask(077);
	(void)umask(guard->umask);
	/*
	 * Caller and guard never run at the same time: on one CPU they need no
	 * interrupt to wake each other. Older kernels do without.
	 */
	(void)ioctl(guard->listener, SECCOMP_IOCTL_NOTIF_SET_FLAGS,
		    SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP);
	return 0;
}

/* Room as large as the kernel wants it, which may be newer than we are. */
static int room_new(struct guard *guard, struct err *err)
{
	struct seccomp_notif_sizes sizes = { 0 };

	if (syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) < 0)
		return err_sys(err, "ask for the size of notifications");
	guard->req_size = sizes.seccomp_notif;
	if (guard->req_size < sizeof(struct seccomp_notif))
		guard->req_size = sizeof(struct seccomp_notif);
	guard->req = calloc(1, guard->req_size);
	if (!guard->req || limit_init() < 0 || report_init(guard) < 0 ||
	    waiting_init(guard) < 0 || exec_init(guard) < 0 ||
	    peer_init(guard) < 0 || tell_init(guard) < 0)
		return err_sys(err, "make room for notifications");
	return 0;
}

struct guard *guard_new(int listener, int report, const struct plan *plan,
			struct err *err)
{
	struct guard *guard = calloc(1, sizeof(*guard));
	sigset_t all;

	if (!guard) {
		err_sys(err, "room for the guard");
		return NULL;
	}
	*guard = (struct guard){ .listener = listener,
				 .report = report,
				 .plan = plan,
				 .root = -1,
				 .proc = -1,
				 .self = -1,
				 .self_fd = -1 };
	/* Signals are for the command; the guard ends when it has ended. */
	sigfillset(&all);
	(void)sigprocmask(SIG_BLOCK, &all, NULL);
	caller_cache_init(&guard->cache);
	if (room_new(guard, err) < 0 || prepare(guard, err) < 0) {
		guard_free(guard);
		return NULL;
	}
	return guard;
}

void guard_free(struct guard *guard)
{
	if (!guard)
		return;
	waiting_done(guard);
	exec_done(guard);
	peer_done(guard);
	tell_done(guard);
	report_done(guard);
	free(guard->req);
	caller_cache_done(&guard->cache);
	fd_close(&guard->self_fd);
	fd_close(&guard->self);
	fd_close(&guard->proc);
	fd_close(&guard->root);
	free(guard);
}
