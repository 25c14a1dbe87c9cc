/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard/caller.c - reads arguments and state of a process that waits
 *
 * Runs in:  the guard.
 * Trusts:   the kernel's /proc; nothing that the caller wrote.
 * Must not: keep CAP_SYS_PTRACE effective when a function returns: the guard
 *           opens files for others, and /proc/1/mem would open with it.
 */
#include "guard/caller.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/fd.h"

enum { PAGE = 4096 }; /* the smallest there is: never reads too far */

/*
 * Most callers can be read without it (same user, a descendant). It is needed
 * for those that made themselves undumpable, and under Yama for those whose
 * parents are gone.
 */
static int set_ptrace(bool effective)
{
	struct __user_cap_header_struct head = {
		.version = _LINUX_CAPABILITY_VERSION_3,
	};
	struct __user_cap_data_struct data[2] = { 0 };

	data[0].permitted = 1U << CAP_SYS_PTRACE;
	data[0].effective = effective ? 1U << CAP_SYS_PTRACE : 0;
	return (int)syscall(SYS_capset, &head, data);
}

int caller_raise_ptrace(void)
{
	return set_ptrace(true);
}

void caller_lower_ptrace(void)
{
	/* Going on with it would be worse than a box without a guard. */
	if (set_ptrace(false) < 0)
		abort();
}

static ssize_t read_memory(const struct caller *caller, uint64_t addr,
			   char *out, size_t n)
{
	struct iovec local = { .iov_base = out, .iov_len = n };
	struct iovec remote = { .iov_base = (void *)(uintptr_t)addr,
				.iov_len = n };
	ssize_t got = process_vm_readv(caller->tid, &local, 1, &remote, 1, 0);

	if (got >= 0 || errno != EPERM || !caller->can_ptrace)
		return got;
	if (set_ptrace(true) < 0)
		return -1;
	got = process_vm_readv(caller->tid, &local, 1, &remote, 1, 0);
	caller_lower_ptrace();
	return got;
}

int caller_read(const struct caller *caller, uint64_t addr, void *out, size_t n)
{
	ssize_t got = read_memory(caller, addr, out, n);

	if (got < 0 && errno == EPERM)
		return -EPERM;
	return got == (ssize_t)n ? 0 : -EFAULT;
}

ssize_t caller_read_string(const struct caller *caller, uint64_t addr,
			   char *out, size_t room)
{
	size_t n = 0;

	/* Page by page: the string may end just before one that is not there. */
	while (n < room) {
		size_t want = PAGE - ((addr + n) & (PAGE - 1));
		const char *end;
		ssize_t got;

		if (want > room - n)
			want = room - n;
		got = read_memory(caller, addr + n, out + n, want);
		if (got < 0)
			return errno == EPERM ? -EPERM : -EFAULT;
		if (got == 0)
			return -EFAULT;
		end = memchr(out + n, '\0', (size_t)got);
		if (end)
			return end - out;
		n += (size_t)got;
	}
	return -ENAMETOOLONG;
}

int caller_read_path(const struct caller *caller, uint64_t addr, char *out)
{
	ssize_t n = caller_read_string(caller, addr, out, PATH_MAX);

	return n < 0 ? (int)n : 0;
}

void caller_cache_init(struct caller_cache *cache)
{
	*cache = (struct caller_cache){ .dir = -1, .status = -1, .pidfd = -1 };
}

void caller_cache_done(struct caller_cache *cache)
{
	fd_close(&cache->dir);
	fd_close(&cache->status);
	fd_close(&cache->pidfd);
}

/* Opens the caller's directory in /proc anew. */
static int refresh(const struct caller *caller)
{
	struct caller_cache *cache = caller->cache;
	char name[16];

	caller_cache_done(cache);
	(void)snprintf(name, sizeof(name), "%d", (int)caller->tid);
	cache->tid = caller->tid;
	cache->dir =
		openat(caller->proc, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return cache->dir < 0 ? -errno : 0;
}

int caller_open(const struct caller *caller, const char *what, int flags)
{
	struct caller_cache *cache = caller->cache;
	int fd;

	if (cache->tid == caller->tid && cache->dir >= 0) {
		fd = openat(cache->dir, what, flags | O_CLOEXEC);
		if (fd >= 0)
			return fd;
	}
	fd = refresh(caller);
	if (fd < 0)
		return fd;
	fd = openat(cache->dir, what, flags | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	if (errno != EACCES || !caller->can_ptrace || set_ptrace(true) < 0)
		return -errno;
	fd = openat(cache->dir, what, flags | O_CLOEXEC);
	if (fd < 0)
		fd = -errno;
	caller_lower_ptrace();
	return fd;
}

/*
 * The directory of descriptors of a caller that made itself undumpable is
 * closed to all others, whatever they are capable of.
 */
static int copy_fd(const struct caller *caller, int fd)
{
	AUTO_CLOSE int process = -1;
	int got = caller_tgid(caller);

	if (got < 0 || !caller->can_ptrace)
		return -EACCES;
	process = (int)syscall(SYS_pidfd_open, got, 0);
	if (process < 0 || set_ptrace(true) < 0)
		return -EACCES;
	got = (int)syscall(SYS_pidfd_getfd, process, fd, 0);
	if (got < 0)
		got = -errno;
	caller_lower_ptrace();
	return got;
}

static int open_base(const struct caller *caller, int fd, int flags)
{
	char what[32];
	int got;

	if (fd == AT_FDCWD)
		return caller_open(caller, "cwd", flags);
	if (fd < 0)
		return -EBADF;
	(void)snprintf(what, sizeof(what), "fd/%d", fd);
	got = caller_open(caller, what, flags);
	if (got == -EACCES)
		return copy_fd(caller, fd);
	return got == -ENOENT ? -EBADF : got;
}

int caller_open_dir(const struct caller *caller, int dirfd)
{
	return open_base(caller, dirfd, O_PATH | O_DIRECTORY);
}

int caller_open_fd(const struct caller *caller, int fd)
{
	return open_base(caller, fd, O_PATH);
}

/*
 * Of the thread, as threads can have tables of descriptors of their own.
 * Before Linux 6.9 there is nothing but its process.
 */
static int open_pidfd(const struct caller *caller)
{
	const unsigned int thread = O_EXCL; /* PIDFD_THREAD */
	struct caller_status status;
	int fd = (int)syscall(SYS_pidfd_open, caller->tid, thread);
	int failed;

	if (fd < 0 && errno == EINVAL) {
		failed = caller_read_status(caller, &status);
		if (failed)
			return failed;
		fd = (int)syscall(SYS_pidfd_open, status.tgid, 0);
	}
	return fd < 0 ? -errno : fd;
}

static int get_fd(const struct caller *caller, int fd)
{
	int pidfd = caller->cache->pidfd;
	int got = (int)syscall(SYS_pidfd_getfd, pidfd, fd, 0);

	if (got >= 0 || errno != EPERM || !caller->can_ptrace)
		return got < 0 ? -errno : got;
	if (set_ptrace(true) < 0)
		return -EPERM;
	got = (int)syscall(SYS_pidfd_getfd, pidfd, fd, 0);
	if (got < 0)
		got = -errno;
	caller_lower_ptrace();
	return got;
}

int caller_get_fd(const struct caller *caller, int fd)
{
	struct caller_cache *cache = caller->cache;
	int got;

	if (cache->tid == caller->tid && cache->pidfd >= 0) {
		got = get_fd(caller, fd);
		if (got != -ESRCH)
			return got;
	}
	got = open_pidfd(caller);
	if (got < 0)
		return got;
	if (cache->tid != caller->tid) {
		caller_cache_done(cache);
		cache->tid = caller->tid;
	}
	fd_close(&cache->pidfd);
	cache->pidfd = got;
	return get_fd(caller, fd);
}

/* The number behind "\nName:\t", or @none. */
static uint64_t status_field(const char *text, const char *name, int base,
			     uint64_t none)
{
	const char *at = strstr(text, name);

	return at ? strtoull(at + strlen(name), NULL, base) : none;
}

/* Signals that would interrupt a call: all but those without an effect. */
static void read_signals(const char *text, struct caller_status *out)
{
	const uint64_t harmless = 1U << (SIGCHLD - 1) | 1U << (SIGCONT - 1) |
				  1U << (SIGURG - 1) | 1U << (SIGWINCH - 1);
	uint64_t caught = status_field(text, "\nSigCgt:\t", 16, 0);
	uint64_t ignored = status_field(text, "\nSigIgn:\t", 16, 0);
	uint64_t effect;

	out->blocked = status_field(text, "\nSigBlk:\t", 16, 0);
	effect = ~out->blocked & ~ignored & (caught | ~harmless);
	out->own = effect & status_field(text, "\nSigPnd:\t", 16, 0);
	out->shared = effect & status_field(text, "\nShdPnd:\t", 16, 0);
}

static ssize_t read_cached_status(const struct caller *caller, char *out,
				  size_t room)
{
	struct caller_cache *cache = caller->cache;
	ssize_t got;

	if (cache->tid == caller->tid && cache->status >= 0) {
		got = pread(cache->status, out, room, 0);
		if (got > 0)
			return got;
	}
	fd_close(&cache->status);
	cache->status = caller_open(caller, "status", O_RDONLY);
	if (cache->status < 0)
		return cache->status;
	got = pread(cache->status, out, room, 0);
	return got > 0 ? got : -ESRCH;
}

int caller_read_status(const struct caller *caller, struct caller_status *out)
{
	char text[4096];
	ssize_t got = read_cached_status(caller, text, sizeof(text) - 1);
	uint64_t umask_bits;

	if (got < 0)
		return (int)got;
	text[got] = '\0';
	/* The name comes first and is the caller's choice; the kernel escapes
	 * line feeds in it, so "\nUmask:" is its own. */
	umask_bits = status_field(text, "\nUmask:\t", 8, UINT64_MAX);
	out->tgid = (pid_t)status_field(text, "\nTgid:\t", 10, 0);
	if (umask_bits > 07777 || out->tgid <= 0)
		return -ESRCH;
	out->umask = (mode_t)umask_bits;
	out->alone = status_field(text, "\nThreads:\t", 10, 0) == 1;
	read_signals(text, out);
	return 0;
}

int caller_tgid(const struct caller *caller)
{
	AUTO_CLOSE int process = (int)syscall(SYS_pidfd_open, caller->tid, 0);
	struct caller_status status;
	int failed;

	/* It takes the first thread of a process only, and less time. */
	if (process >= 0)
		return caller->tid;
	failed = caller_read_status(caller, &status);
	return failed ? failed : (int)status.tgid;
}

uint64_t caller_read_file_limit(const struct caller *caller)
{
	static const char line[] = "\nMax file size";
	AUTO_CLOSE int fd = caller_open(caller, "limits", O_RDONLY);
	char text[4096];
	const char *at;
	ssize_t got = fd < 0 ? 0 : read(fd, text, sizeof(text) - 1);

	text[got > 0 ? got : 0] = '\0';
	at = strstr(text, line);
	if (!at)
		return 0;
	at += sizeof(line) - 1;
	at += strspn(at, " ");
	return !strncmp(at, "unlimited", 9) ? UINT64_MAX
					    : strtoull(at, NULL, 10);
}

int caller_read_tty(const struct caller *caller, dev_t *out)
{
	AUTO_CLOSE int fd = caller_open(caller, "stat", O_RDONLY);
	char text[512];
	const char *at;
	ssize_t got;
	long nr = 0;

	if (fd < 0)
		return -ENXIO;
	got = read(fd, text, sizeof(text) - 1);
	if (got <= 0)
		return -ENXIO;
	text[got] = '\0';
	/* "pid (comm) state ppid pgrp session tty_nr": comm may hold ")" */
	at = strrchr(text, ')');
	if (!at || sscanf(at + 1, " %*c %*d %*d %*d %ld", &nr) != 1)
		return -ENXIO;
	*out = makedev((unsigned long)nr >> 8 & 0xfff,
		       ((unsigned long)nr & 0xff) |
			       ((unsigned long)nr >> 12 & 0xfff00));
	return 0;
}

void caller_read_comm(const struct caller *caller, char *out, size_t room)
{
	AUTO_CLOSE int fd = caller_open(caller, "comm", O_RDONLY);
	ssize_t got = fd < 0 ? 0 : read(fd, out, room - 1);

	out[got > 0 ? got : 0] = '\0';
	out[strcspn(out, "\n")] = '\0';
}
