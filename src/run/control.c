/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/control.c - the caller changes a box that runs
 *
 * Runs in:  the supervisor.
 * Trusts:   whoever holds the descriptor: it was given by the caller, and the
 *           command never gets it.
 * Must not: wait for the rest of a line, or for a reader of its answer.
 */
#include "run/control.h"

#include <errno.h>
#include <jansson.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void control_read(struct control *control,
		  void (*serve)(void *data, const char *line), void *data)
{
	ssize_t n = read(control->fd, control->line + control->n,
			 CONTROL_LINE_MAX - control->n);
	char *line = control->line, *end;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {
		control->fd = -1;
		return;
	}
	control->n += (size_t)n;
	while ((end = memchr(line, '\n', control->n))) {
		*end = '\0';
		serve(data, line);
		control->n -= (size_t)(end + 1 - line);
		line = end + 1;
	}
	memmove(control->line, line, control->n);
	if (control->n == CONTROL_LINE_MAX) {
		control_answer(control, "the line is too long");
		control->fd = -1;
	}
}

void control_answer(const struct control *control, const char *error)
{
	struct pollfd out = { .fd = control->fd, .events = POLLOUT };
	json_t *answer =
		error ? json_pack("{s:b, s:s}", "ok", 0, "error", error)
		      : json_pack("{s:b}", "ok", 1);
	char *line = json_dumps(answer, JSON_COMPACT);

	json_decref(answer);
	if (line && poll(&out, 1, 0) == 1 && out.revents & POLLOUT) {
		size_t n = strlen(line);

		/* Its terminator becomes the end of the line. */
		line[n] = '\n';
		(void)!write(control->fd, line, n + 1);
	}
	free(line);
}
