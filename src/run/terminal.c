/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/terminal.c - the caller's terminal and the one inside
 *
 * Runs in:  the supervisor.
 * Trusts:   nothing in the bytes; they are passed on unread.
 * Must not: give the caller's terminal itself to the box: a process there
 *           could read what is typed elsewhere or push input into it.
 */
#include "run/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/fd.h"
#include "run/launch.h"

void terminal_init(struct terminal *terminal, const struct run_box *box)
{
	terminal->master = box->terminal;
	terminal->raw = false;
	terminal->to_box.n = terminal->to_box.at = 0;
	terminal->from_box.n = terminal->from_box.at = 0;
	terminal->in = box->terminals[0] ? 0 : -1;
	terminal->out = box->terminals[1] ? 1 : box->terminals[2] ? 2 : 0;
	if (terminal->master >= 0)
		(void)fcntl(terminal->master, F_SETFL, O_NONBLOCK | O_RDWR);
	terminal_resize(terminal);
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
static bool flow_fill(struct terminal_flow *flow, int fd)
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
static bool flow_empty(struct terminal_flow *flow, int fd)
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

void terminal_move(struct terminal *terminal, const struct pollfd *polls)
{
	if (polls[0].revents && !flow_fill(&terminal->to_box, terminal->in))
		terminal->in = -1;
	if (polls[1].revents & (POLLIN | POLLHUP) &&
	    !flow_fill(&terminal->from_box, terminal->master))
		fd_close(&terminal->master);
	if (terminal->master >= 0 &&
	    !flow_empty(&terminal->to_box, terminal->master))
		terminal->to_box.n = 0;
	if (polls[2].revents && !flow_empty(&terminal->from_box, terminal->out))
		terminal->from_box.n = 0;
}

void terminal_drain(struct terminal *terminal)
{
	while (terminal->master >= 0 || terminal->from_box.n) {
		if (terminal->from_box.n) {
			if (!flow_empty(&terminal->from_box, terminal->out))
				return;
			continue;
		}
		if (!flow_fill(&terminal->from_box, terminal->master) ||
		    !terminal->from_box.n)
			fd_close(&terminal->master);
	}
}
