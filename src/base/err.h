/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_BASE_ERR_H
#define CORDON_BASE_ERR_H

/*
 * An error is a kind, the errno behind it, and one sentence that grows
 * outwards as callers put their own context in front:
 *
 *     start box "b7": mounts: bind /srv/data: No such file or directory
 *
 * It is a plain value of fixed size. It needs no allocation and no release,
 * and it crosses a pipe in one write: that is how a child which fails between
 * clone() and exec() tells its parent why.
 */

enum err_kind {
	ERR_NONE,
	ERR_USAGE, /* the command line or the API request is wrong */
	ERR_POLICY, /* the policy is wrong; the message names the line */
	ERR_HOST, /* this kernel or host cannot do what the plan needs */
	ERR_SYS, /* a system call failed that should have worked */
	ERR_NOT_FOUND, /* the command does not exist */
	ERR_NOT_EXECUTABLE, /* the command exists and may not be run */
	ERR_BUG, /* we broke one of our own rules */
};

struct err {
	enum err_kind kind;
	int sys; /* errno, or 0 where no system call was involved */
	char msg[496]; /* always terminated; cut at the end if too long */
};

/*
 * All three return -1, so that failing is one line:
 *
 *     return err_sys(err, "open %s", path);
 *
 * err_sys() reads errno before anything else can change it. err_wrap() keeps
 * kind and errno, and puts "context: " in front of the message.
 */
int err_set(struct err *err, enum err_kind kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int err_sys(struct err *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
int err_wrap(struct err *err, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
