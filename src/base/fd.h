/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_BASE_FD_H
#define CORDON_BASE_FD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct arena;
struct err;

/* Closes *@fd unless it is negative, and forgets it. errno is kept. */
void fd_close(int *fd);

#define AUTO_CLOSE __attribute__((cleanup(fd_close)))

/* Moves ownership out of a scoped variable. */
int fd_take(int *fd);

/* The whole of @n bytes, restarted after signals. */
int fd_write_all(int fd, const void *data, size_t n, struct err *err);

/* Bytes read, short only at end of file; -1 with errno. */
ssize_t fd_read_all(int fd, void *data, size_t n);

/*
 * The content of an open file, terminated, in @arena. Fails with ERR_POLICY
 * where it is larger than @limit or holds a NUL byte. @name is for the
 * message.
 */
int fd_read_file(struct arena *arena, int fd, const char *name, size_t limit,
		 char **out, struct err *err);

enum { FD_MESSAGE_MAX = 128 }; /* descriptors */

/* One message of bytes with at most FD_MESSAGE_MAX descriptors, over a unix
 * socket. */
int fd_send(int sock, const void *data, size_t n, const int *fds, size_t nfds,
	    struct err *err);
/* Likewise, without waiting for room (EAGAIN). -1 with errno. */
int fd_send_now(int sock, const void *data, size_t n, const int *fds,
		size_t nfds);
/*
 * Receives such a message; returns its length, 0 at end of file, -1 with
 * errno. Descriptors are close-on-exec; *@nfds says how many there is room
 * for and then how many came. A cut message is EMSGSIZE.
 */
ssize_t fd_recv(int sock, void *data, size_t n, int *fds, size_t *nfds);

#endif
