/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_GUARD_CALLER_H
#define CORDON_GUARD_CALLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Reading a process that waits for the guard. Nothing here is trusted to stay
 * as it is: what counts is copied once, then call_valid() says whether it was
 * the caller's. All return -errno.
 */

/*
 * Of the last caller, kept open: the descriptors belong to the task and not to
 * its number. Of a task that is gone they read ESRCH, even if another one has
 * the number now.
 */
struct caller_cache {
	pid_t tid;
	int dir; /* O_PATH of /proc/TID */
	int status; /* /proc/TID/status */
	int pidfd; /* of the thread; before Linux 6.9 of its process */
};

void caller_cache_init(struct caller_cache *cache);
void caller_cache_done(struct caller_cache *cache);

struct caller {
	int proc; /* O_PATH of /proc */
	pid_t tid; /* the thread that made the call */
	bool can_ptrace; /* CAP_SYS_PTRACE may be raised to read it */
	struct caller_cache *cache;
};

struct caller_status {
	pid_t tgid;
	mode_t umask;
	bool alone; /* the process has no other thread */
	uint64_t blocked; /* signals, as in sigset_t */
	uint64_t own; /* that wait for the thread and have an effect */
	uint64_t shared; /* that wait for any thread that does not block them,
			  * likewise */
};

/*
 * CAP_SYS_PTRACE, for what the caller may do to itself and the guard to nobody.
 * What is raised must be lowered before anything else is done.
 */
int caller_raise_ptrace(void);
void caller_lower_ptrace(void);

/* Copies @n bytes, all or none. */
int caller_read(const struct caller *caller, uint64_t addr, void *out,
		size_t n);

/* Copies the string at @addr and returns its length. With -ENAMETOOLONG @out
 * holds its first @room bytes, without a NUL. */
ssize_t caller_read_string(const struct caller *caller, uint64_t addr,
			   char *out, size_t room);

/* Copies the string at @addr; out has PATH_MAX bytes. */
int caller_read_path(const struct caller *caller, uint64_t addr, char *out);

/* Opens /proc/TID/@what, following it, with CAP_SYS_PTRACE if needed. */
int caller_open(const struct caller *caller, const char *what, int flags);

/* O_PATH of the directory that @dirfd means to the caller. */
int caller_open_dir(const struct caller *caller, int dirfd);

/* O_PATH of whatever descriptor @fd is; AT_FDCWD is the directory. */
int caller_open_fd(const struct caller *caller, int fd);

/* The caller's very descriptor @fd, as dup(2) would give it. */
int caller_get_fd(const struct caller *caller, int fd);

/* The process that the thread belongs to, or -errno. */
int caller_tgid(const struct caller *caller);

int caller_read_status(const struct caller *caller, struct caller_status *out);

/* How large it may make a file (RLIMIT_FSIZE); 0 if that cannot be read. */
uint64_t caller_read_file_limit(const struct caller *caller);

/* The device number of the controlling terminal; 0 without one. */
int caller_read_tty(const struct caller *caller, dev_t *out);

/* The name of the thread, terminated; empty if it is gone. */
void caller_read_comm(const struct caller *caller, char *out, size_t room);

#endif
