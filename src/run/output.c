/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/output.c - what the command writes, on its way through the supervisor
 *
 * Runs in:  the supervisor.
 * Trusts:   nothing in the bytes.
 * Must not: block: signals and the clock are the supervisor's too. Nor make
 *           the caller's descriptors non-blocking, which others share.
 */
#include "run/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "plan/plan.h"
#include "run/mask.h"

static uint64_t now_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000ULL + (uint64_t)t.tv_nsec;
}

void output_flow_init(struct output_flow *flow, struct arena *arena,
		      const struct mask *mask, unsigned int rest_ms)
{
	*flow = (struct output_flow){
		.mask = mask ? mask_stream_new(arena, mask) : NULL,
		.data = arena_array(arena, char, mask ? MASK_OUT : MASK_FEED),
		.rest_ms = rest_ms,
	};
}

static bool would_block(void)
{
	return errno == EAGAIN || errno == EINTR;
}

static void feed_mask(struct output_flow *flow, size_t n)
{
	flow->n = mask_feed(flow->mask, n, flow->data);
	flow->due_ns = mask_holds(flow->mask)
			       ? now_ns() + flow->rest_ms * 1000000ULL
			       : 0;
}

int output_flow_fill(struct output_flow *flow, int fd)
{
	ssize_t n;

	if (flow->n)
		return 0;
	n = read(fd, flow->mask ? mask_room(flow->mask) : flow->data,
		 MASK_FEED);
	if (n < 0)
		return would_block() ? 0 : -1;
	if (n == 0)
		return -1;
	flow->at = 0;
	flow->bytes += (size_t)n;
	if (flow->mask)
		feed_mask(flow, (size_t)n);
	else
		flow->n = (size_t)n;
	return 1;
}

bool output_flow_empty(struct output_flow *flow, int fd, size_t max)
{
	ssize_t n;

	if (!flow->n)
		return true;
	n = write(fd, flow->data + flow->at, flow->n < max ? flow->n : max);
	if (n < 0)
		return would_block();
	flow->at += (size_t)n;
	flow->n -= (size_t)n;
	return true;
}

uint64_t output_flow_due_ns(const struct output_flow *flow, uint64_t due_ns)
{
	/* With bytes to be written it is not its turn. */
	if (!flow->due_ns || flow->n)
		return due_ns;
	return !due_ns || flow->due_ns < due_ns ? flow->due_ns : due_ns;
}

void output_flow_rest(struct output_flow *flow)
{
	if (!flow->due_ns || flow->n || now_ns() < flow->due_ns)
		return;
	flow->at = 0;
	flow->n = mask_flush(flow->mask, flow->data);
	flow->due_ns = 0;
}

void output_flow_end(struct output_flow *flow)
{
	flow->due_ns = 0;
	if (!flow->mask)
		return;
	flow->at = 0;
	flow->n = mask_end(flow->mask, flow->data);
}

static bool is_one_file(int a, int b)
{
	struct stat x, y;

	return fstat(a, &x) == 0 && fstat(b, &y) == 0 && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

/*
 * A way to write that does not block: a pipe can be opened again without
 * changing the caller's end; a file does not block; elsewhere a little fits
 * where there is room at all.
 */
static void open_target(struct output_stream *s, int to)
{
	char path[32];
	struct stat st;

	s->to = to;
	s->write_max = PIPE_BUF;
	if (fstat(to, &st) < 0)
		return;
	if (S_ISREG(st.st_mode))
		s->write_max = SIZE_MAX;
	if (!S_ISFIFO(st.st_mode))
		return;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", to);
	s->again = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
	if (s->again < 0)
		return;
	s->to = s->again;
	s->write_max = SIZE_MAX;
}

static int stream_open(int to, struct output *out, int *inside, struct err *err)
{
	int pipes[2];

	if (pipe2(pipes, O_CLOEXEC) < 0)
		return err_sys(err, "make a pipe for the output");
	/* Ours alone: the command's end blocks as usual. */
	(void)fcntl(pipes[0], F_SETFL, O_NONBLOCK);
	*inside = pipes[1];
	out->v[out->n] =
		(struct output_stream){ .from = pipes[0], .again = -1 };
	open_target(&out->v[out->n++], to);
	return 0;
}

/* On the caller's mount, where what the command wrote could be executed. */
static bool is_file(int fd)
{
	struct stat st;

	return fstat(fd, &st) < 0 || S_ISREG(st.st_mode) || S_ISBLK(st.st_mode);
}

static bool is_relayed(const struct plan *plan, int fd)
{
	return plan->masks.n || (plan->exec.only_system && is_file(fd));
}

int output_open(const struct plan *plan, const bool *terminals,
		struct output *out, int inside[3], struct err *err)
{
	*out = (struct output){ .n = 0 };
	for (int fd = 0; fd < 3; fd++)
		inside[fd] = -1;
	for (int fd = 1; fd < 3; fd++) {
		if (terminals[fd] || !is_relayed(plan, fd))
			continue;
		if (fd == 2 && inside[1] >= 0 && is_one_file(1, 2))
			inside[2] = inside[1];
		else if (stream_open(fd, out, &inside[fd], err) < 0)
			return -1;
	}
	return 0;
}

void output_close(struct output *output)
{
	for (size_t i = 0; i < output->n; i++) {
		fd_close(&output->v[i].from);
		fd_close(&output->v[i].again);
	}
}

void output_init(struct output *output, struct arena *arena,
		 const struct mask *mask)
{
	for (size_t i = 0; i < output->n; i++)
		output_flow_init(&output->v[i].flow, arena, mask,
				 OUTPUT_REST_PIPE_MS);
}

void output_polls(const struct output *output, struct pollfd *polls)
{
	for (size_t i = 0; i < OUTPUT_POLLS; i++)
		polls[i] = (struct pollfd){ .fd = -1 };
	for (size_t i = 0; i < output->n; i++) {
		const struct output_stream *s = &output->v[i];

		if (s->flow.n)
			polls[2 * i] = (struct pollfd){ .fd = s->to,
							.events = POLLOUT };
		else
			polls[2 * i + 1] = (struct pollfd){ .fd = s->from,
							    .events = POLLIN };
	}
}

/* Whoever read it is gone: the command is told as by the pipe it had. */
static void stop_stream(struct output_stream *s)
{
	s->flow.n = 0;
	s->flow.due_ns = 0;
	fd_close(&s->from);
}

static void stream_read(struct output_stream *s)
{
	if (output_flow_fill(&s->flow, s->from) >= 0)
		return;
	output_flow_end(&s->flow);
	fd_close(&s->from);
}

void output_move(struct output *output, const struct pollfd *polls)
{
	for (size_t i = 0; i < output->n; i++) {
		struct output_stream *s = &output->v[i];

		if (polls[2 * i + 1].revents)
			stream_read(s);
		if (polls[2 * i].revents &&
		    !output_flow_empty(&s->flow, s->to, s->write_max))
			stop_stream(s);
		output_flow_rest(&s->flow);
	}
}

uint64_t output_due_ns(const struct output *output, uint64_t due_ns)
{
	for (size_t i = 0; i < output->n; i++)
		due_ns = output_flow_due_ns(&output->v[i].flow, due_ns);
	return due_ns;
}

/* False when it is not worth waiting for any more. */
static bool await_reader(const struct output_stream *s, int stop)
{
	struct pollfd polls[2] = { { .fd = s->to, .events = POLLOUT },
				   { .fd = stop, .events = POLLIN } };

	if (poll(polls, 2, -1) < 0)
		return errno == EINTR;
	return polls[0].revents || !polls[1].revents;
}

static void stream_drain(struct output_stream *s, int stop)
{
	while (s->from >= 0 || s->flow.n) {
		if (s->flow.n) {
			if (!await_reader(s, stop) ||
			    !output_flow_empty(&s->flow, s->to, s->write_max))
				stop_stream(s);
			continue;
		}
		/* All who wrote are dead: nothing now is nothing ever. */
		if (output_flow_fill(&s->flow, s->from) <= 0) {
			output_flow_end(&s->flow);
			fd_close(&s->from);
		}
	}
}

void output_drain(struct output *output, int stop)
{
	for (size_t i = 0; i < output->n; i++)
		stream_drain(&output->v[i], stop);
}
