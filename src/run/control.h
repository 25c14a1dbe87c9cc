/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_RUN_CONTROL_H
#define CORDON_RUN_CONTROL_H

#include <stddef.h>

enum { CONTROL_LINE_MAX = 64 * 1024 };

/* Lines that arrive on a descriptor of the caller's. */
struct control {
	int fd; /* -1: none, or at its end */
	char *line;
	size_t n;
};

/* Reads what is there and calls @serve with each whole line. At the end, and at
 * a line that is too long, nobody is heard any more and what holds stays. */
void control_read(struct control *control,
		  void (*serve)(void *data, const char *line), void *data);
/* One line back, if the descriptor can be written. */
void control_answer(const struct control *control, const char *error);

#endif
