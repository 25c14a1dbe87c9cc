/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_RUN_TERMINAL_H
#define CORDON_RUN_TERMINAL_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <termios.h>

#include "run/output.h"

struct arena;
struct mask;
struct run_box;

enum { TERMINAL_BUFFER = 16 * 1024, TERMINAL_POLLS = 3 };

/* Bytes on their way in; filled only when empty, so it never grows. */
struct terminal_flow {
	char data[TERMINAL_BUFFER];
	size_t at;
	size_t n;
};

/* The relay between the caller's terminal and the one of the box. */
struct terminal {
	int master; /* -1: no relay, or the box hung up */
	int in; /* the caller's, -1 if it is not a terminal */
	int out;
	bool raw;
	struct termios saved;
	struct terminal_flow to_box;
	struct output_flow from_box;
};

/* @mask: what is blotted out of what the box shows; or NULL. */
struct terminal *terminal_new(struct arena *arena, const struct run_box *box,
			      const struct mask *mask);

/* Raw mode on and off; off is safe to call at any time. */
void terminal_enter(struct terminal *terminal);
void terminal_leave(struct terminal *terminal);
void terminal_resize(const struct terminal *terminal);

/* Fills in what to wait for, then moves what can be moved. */
void terminal_polls(const struct terminal *terminal, struct pollfd *polls);
void terminal_move(struct terminal *terminal, const struct pollfd *polls);

/* What the box wrote before it ended. */
void terminal_drain(struct terminal *terminal);

#endif
