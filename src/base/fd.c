/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/fd.c - descriptors: ownership, whole reads and writes, passing them on
 */
#include "base/fd.h"

#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"

void fd_close(int *fd)
{
	int saved = errno;

	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
	errno = saved;
}

int fd_take(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

int fd_write_all(int fd, const void *data, size_t n, struct err *err)
{
	const char *p = data;

	while (n) {
		ssize_t done = write(fd, p, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return err_sys(err, "write");
		p += done;
		n -= (size_t)done;
	}
	return 0;
}

ssize_t fd_read_all(int fd, void *data, size_t n)
{
	char *p = data;
	size_t got = 0;

	while (got < n) {
		ssize_t done = read(fd, p + got, n - got);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -1;
		if (done == 0)
			break;
		got += (size_t)done;
	}
	return (ssize_t)got;
}

int fd_read_file(struct arena *arena, int fd, const char *name, size_t limit,
		 char **out, struct err *err)
{
	struct stat st;
	ssize_t got;
	size_t room;
	char *data;

	if (fstat(fd, &st) < 0)
		return err_sys(err, "stat '%s'", name);
	if (st.st_size > (off_t)limit)
		return err_set(err, ERR_POLICY,
			       "'%s' has %lld bytes, more than the %zu that "
			       "are accepted",
			       name, (long long)st.st_size, limit);

	/* Pseudo files say 0; one byte more tells a file that grew. */
	room = st.st_size > 0 ? (size_t)st.st_size : limit;
	data = arena_alloc(arena, room + 2, 1);
	got = fd_read_all(fd, data, room + 1);
	if (got < 0)
		return err_sys(err, "read '%s'", name);
	if ((size_t)got > limit)
		return err_set(err, ERR_POLICY,
			       "'%s' has more than the %zu bytes that are "
			       "accepted",
			       name, limit);
	if ((size_t)got > room)
		return err_set(err, ERR_POLICY,
			       "'%s' changed while it was read", name);
	if (memchr(data, '\0', (size_t)got))
		return err_set(err, ERR_POLICY, "'%s' holds a NUL byte", name);
	data[got] = '\0';
	*out = data;
	return 0;
}

union fds_control {
	char room[CMSG_SPACE(sizeof(int) * FD_MESSAGE_MAX)];
	struct cmsghdr align;
};

static int send_message(int sock, const void *data, size_t n, const int *fds,
			size_t nfds, int flags)
{
	union fds_control control = { 0 };
	struct iovec iov = { .iov_base = (void *)(uintptr_t)data,
			     .iov_len = n };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };

	assert(nfds <= FD_MESSAGE_MAX);
	if (nfds) {
		struct cmsghdr *c;

		msg.msg_control = control.room;
		msg.msg_controllen = CMSG_SPACE(sizeof(int) * nfds);
		c = CMSG_FIRSTHDR(&msg);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(int) * nfds);
		memcpy(CMSG_DATA(c), fds, sizeof(int) * nfds);
	}
	while (sendmsg(sock, &msg, flags | MSG_NOSIGNAL) < 0) {
		if (errno != EINTR)
			return -1;
	}
	return 0;
}

int fd_send(int sock, const void *data, size_t n, const int *fds, size_t nfds,
	    struct err *err)
{
	return send_message(sock, data, n, fds, nfds, 0) < 0
		       ? err_sys(err, "send")
		       : 0;
}

int fd_send_now(int sock, const void *data, size_t n, const int *fds,
		size_t nfds)
{
	return send_message(sock, data, n, fds, nfds, MSG_DONTWAIT);
}

ssize_t fd_recv(int sock, void *data, size_t n, int *fds, size_t *nfds)
{
	union fds_control control = { 0 };
	struct iovec iov = { .iov_base = data, .iov_len = n };
	struct msghdr msg = { .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = control.room,
			      .msg_controllen = sizeof(control.room) };
	size_t room = *nfds;
	ssize_t got;

	*nfds = 0;
	do {
		got = recvmsg(sock, &msg, MSG_CMSG_CLOEXEC);
	} while (got < 0 && errno == EINTR);
	if (got < 0)
		return -1;

	for (struct cmsghdr *c = CMSG_FIRSTHDR(&msg); c;
	     c = CMSG_NXTHDR(&msg, c)) {
		int got_fds[FD_MESSAGE_MAX];
		size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);

		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		memcpy(got_fds, CMSG_DATA(c), count * sizeof(int));
		for (size_t i = 0; i < count; i++) {
			if (*nfds < room)
				fds[(*nfds)++] = got_fds[i];
			else
				fd_close(&got_fds[i]);
		}
	}
	if (msg.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) {
		for (size_t i = 0; i < *nfds; i++)
			fd_close(&fds[i]);
		*nfds = 0;
		errno = EMSGSIZE;
		return -1;
	}
	return got;
}
