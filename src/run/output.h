/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_RUN_OUTPUT_H
#define CORDON_RUN_OUTPUT_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct err;
struct mask;
struct mask_stream;
struct plan;

/*
 * Bytes of the command on their way out. Filled only when all that it has is
 * written, so it never grows and who reads slowly slows the command down.
 */
struct output_flow {
	struct mask_stream *mask; /* NULL: as they are */
	char *data; /* to be written: n bytes from at */
	size_t at;
	size_t n;
	unsigned int rest_ms; /* how long bytes are held back at most */
	uint64_t due_ns; /* when they are given out; 0: none are held */
	uint64_t bytes; /* that have come from the command */
};

enum {
	/* What is typed is echoed; whoever types must not notice. */
	OUTPUT_REST_TERMINAL_MS = 50,
	OUTPUT_REST_PIPE_MS = 500,
};

void output_flow_init(struct output_flow *flow, struct arena *arena,
		      const struct mask *mask, unsigned int rest_ms);

/* 1: read something; 0: there is nothing now; -1: nothing will ever come. */
int output_flow_fill(struct output_flow *flow, int fd);
/* Writes what can be written, at most @max bytes. False when nobody reads @fd
 * any more. */
bool output_flow_empty(struct output_flow *flow, int fd, size_t max);
/* When bytes have been held back for long enough, if that is before @due_ns;
 * 0: never. */
uint64_t output_flow_due_ns(const struct output_flow *flow, uint64_t due_ns);
/* Gives out what was held back for its time, or, at the end, all of it. */
void output_flow_rest(struct output_flow *flow);
void output_flow_end(struct output_flow *flow);

/*
 * Standard output and error of a command whose output is looked at, or that
 * may not have a file of its own (exec.only_system): pipes that end in the
 * supervisor. Otherwise the command has what the caller gave.
 */
struct output_stream {
	int from; /* read end of the command's pipe; -1: done */
	int to; /* 1, 2 or .again */
	int again; /* the caller's pipe, opened a second time; or -1 */
	size_t write_max; /* what a write cannot block for */
	struct output_flow flow;
};

struct output {
	struct output_stream v[2];
	size_t n;
};

enum { OUTPUT_POLLS = 4 };

/*
 * Opens the pipes: out->v[].from here, and in @inside, by stream, what takes
 * the place of it in the box; -1: it stays. Output and error that are one
 * file stay one, so that their order is kept.
 */
int output_open(const struct plan *plan, const bool *terminals,
		struct output *out, int inside[3], struct err *err);
void output_close(struct output *output);

/* Before the first poll. */
void output_init(struct output *output, struct arena *arena,
		 const struct mask *mask);

void output_polls(const struct output *output, struct pollfd *polls);
void output_move(struct output *output, const struct pollfd *polls);

/* As output_flow_due_ns(), of all. */
uint64_t output_due_ns(const struct output *output, uint64_t due_ns);

/* After the box has ended: everything that it wrote, unless nobody reads it
 * and @stop becomes readable. */
void output_drain(struct output *output, int stop);

#endif
