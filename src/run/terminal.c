/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/terminal.c - the caller's terminal and the one inside
 *
 * Runs in:  the supervisor.
 * Trusts:   nothing in the bytes; they are passed on as they are, but for
 *           what is blotted out.
 * Must not: give the caller's terminal itself to the box: a process there
 *           could read what is typed elsewhere or push input into it.
 */
#include "run/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/fd.h"
#include "run/launch.h"

struct terminal *terminal_new(struct arena *arena, const struct run_box *box,
			      const struct mask *mask)
{
	struct terminal *terminal = arena_array(arena, struct terminal, 1);

	terminal->master = box->terminal;
	if (terminal->master >= 0)
		output_flow_init(&terminal->from_box, arena, mask,
				 OUTPUT_REST_TERMINAL_MS);
	terminal->in = box->terminals[0] ? 0 : -1;
	terminal->out = box->terminals[1] ? 1 : box->terminals[2] ? 2 : 0;
	if (terminal->master >= 0)
		(void)fcntl(terminal->master, F_SETFL, O_NONBLOCK | O_RDWR);
	terminal_resize(terminal);
	return terminal;
}

void terminal_enter(struct terminal *terminal)
{
	struct termios raw;

	if (terminal->master < 0 || terminal->in < 0 || terminal->raw)
		return;
	/* In the background the mode belongs to somebody else. */
	if (tcgetpgrp(terminal->in) != getpgrp())
		return;
	if (tcgetattr(terminal->in, &terminal->saved) < 0)
		return;
	raw = terminal->saved;
	cfmakeraw(&raw);
	terminal->raw = tcsetattr(terminal->in, TCSADRAIN, &raw) == 0;
}

void terminal_leave(struct terminal *terminal)
{
	if (terminal->raw)
		(void)tcsetattr(terminal->in, TCSADRAIN, &terminal->saved);
	terminal->raw = false;
}

void terminal_resize(const struct terminal *terminal)
{
	struct winsize size;

	if (terminal->master >= 0 &&
	    ioctl(terminal->out, TIOCGWINSZ, &size) == 0)
		(void)ioctl(terminal->master, TIOCSWINSZ, &size);
}

void terminal_polls(const struct terminal *terminal, struct pollfd *polls)
{
	bool open = terminal->master >= 0;
	bool reading = open && terminal->in >= 0 && terminal->raw;

	polls[0] = (struct pollfd){ .fd = reading && !terminal->to_box.n
						  ? terminal->in
						  : -1,
				    .events = POLLIN };
	polls[1] = (struct pollfd){ .fd = terminal->master };
	if (!terminal->from_box.n)
		polls[1].events |= POLLIN;
	if (terminal->to_box.n)
		polls[1].events |= POLLOUT;
	polls[2] = (struct pollfd){ .fd = terminal->from_box.n ? terminal->out
							       : -1,
				    .events = POLLOUT };
}

static bool would_block(void)
{
	return errno == EAGAIN || errno == EINTR;
}

/* False when nothing will ever come from @fd again. */
static bool typed_fill(struct terminal_flow *flow, int fd)
{
	ssize_t n;

	if (flow->n)
		return true;
	n = read(fd, flow->data, sizeof(flow->data));
	if (n < 0)
		return would_block();
	flow->at = 0;
	flow->n = (size_t)n;
	return n > 0;
}

/* False when nobody reads @fd any more. */
static bool typed_empty(struct terminal_flow *flow, int fd)
{
	ssize_t n;

	if (!flow->n)
		return true;
	n = write(fd, flow->data + flow->at, flow->n);
	if (n < 0)
		return would_block();
	flow->at += (size_t)n;
	flow->n -= (size_t)n;
	return true;
}

static void hang_up(struct terminal *terminal)
{
	output_flow_end(&terminal->from_box);
	fd_close(&terminal->master);
}

void terminal_move(struct terminal *terminal, const struct pollfd *polls)
{
	if (polls[0].revents && !typed_fill(&terminal->to_box, terminal->in))
		terminal->in = -1;
	if (polls[1].revents & (POLLIN | POLLHUP) && !terminal->from_box.n &&
	    output_flow_fill(&terminal->from_box, terminal->master) < 0)
		hang_up(terminal);
	if (terminal->master >= 0 &&
	    !typed_empty(&terminal->to_box, terminal->master))
		terminal->to_box.n = 0;
	output_flow_rest(&terminal->from_box);
	if (polls[2].revents &&
	    !output_flow_empty(&terminal->from_box, terminal->out,
			       TERMINAL_BUFFER))
		terminal->from_box.n = 0;
}

void terminal_drain(struct terminal *terminal)
{
	while (terminal->master >= 0 || terminal->from_box.n) {
		if (terminal->from_box.n) {
			if (!output_flow_empty(&terminal->from_box,
					       terminal->out, TERMINAL_BUFFER))
				return;
			continue;
		}
		if (output_flow_fill(&terminal->from_box, terminal->master) <=
		    0)
			hang_up(terminal);
	}
}
