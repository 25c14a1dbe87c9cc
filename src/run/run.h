/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_RUN_RUN_H
#define CORDON_RUN_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/policy.h"
#include "wire/frame.h"

struct arena;
struct err;
struct event_sink;
struct plan;

/* What ended the command. Names are part of the interface. */
enum outcome_kind {
	OUTCOME_EXIT,
	OUTCOME_SIGNAL,
	OUTCOME_TIMEOUT,
	OUTCOME_OOM,
	OUTCOME_PIDS,
	OUTCOME_DISK,
	OUTCOME_OUTPUT,
	OUTCOME_CPU_TIME,
	OUTCOME_KILLED, /* by cordon on the caller's demand */
	OUTCOME_DENIED,
	OUTCOME_SETUP, /* the command never started */
};

/* One kind of denial, counted. */
struct outcome_denial {
	const char *operation; /* "create", "connect", "resolve" */
	const char *target; /* path; or host:port */
	const char *why; /* network: a word for programs; else NULL */
	const char *rule; /* "protected (profile base:12)" */
	const char *remedy; /* the line or option that would allow it */
	const char *comm; /* the first program that tried */
	unsigned int count;
};

struct outcome {
	enum outcome_kind kind;
	const char *sandbox; /* id, as in events */
	int exit_code; /* what cordon exits with */
	int signal; /* OUTCOME_SIGNAL */
	uint64_t wall_ns;
	uint64_t user_ns;
	uint64_t system_ns;
	uint64_t max_rss_bytes;
	struct outcome_denial *denials;
	size_t denials_n;
	const char **warnings; /* planted repositories, masks lost, … */
	size_t warnings_n;
};

/* Rules that are to be in force from now on. */
struct run_change {
	struct policy_list allow;
	struct policy_list deny;
	bool cut; /* end connections that they do not allow */
};

/* Turns a line of the control channel into rules; what they hold lives as long
 * as the run. */
typedef int run_change_fn(void *data, const char *line, struct run_change *out,
			  struct err *err);

/* The first denial by a rule of which somebody should know now. */
typedef void run_told_fn(const struct outcome_denial *denial);

/* What somebody in the box used; strings live as long as the call. */
struct run_used {
	enum frame_act act;
	const char *path; /* of a directory with a slash behind it; of an
			   * execution the program, then each argument, each
			   * ended by a NUL */
	const char *comm;
	uint32_t pid; /* in the box */
	size_t n; /* bytes of @path, without a NUL at its end */
};

typedef void run_used_fn(void *data, const struct run_used *used);

struct run_request {
	const struct plan *plan;
	char *const *argv;
	const int *pass_fds; /* descriptors that stay open, besides 0-2 */
	size_t pass_fds_n;
	struct event_sink *events; /* where to tell what happens */
	int control_fd; /* asks for changes, line by line; -1: none */
	run_change_fn *change;
	void *change_data;
	run_told_fn *told; /* of a denial, at once; NULL: at the end */
	run_used_fn *used; /* plan->learn: each thing once; or NULL */
	void *used_data;
};

const char *outcome_name(enum outcome_kind kind);

/*
 * Runs @request->argv in a box. Returns 0 with the outcome of a command that
 * ran, -1 with the reason where it never started. The kind of the error gives
 * the exit code: ERR_NOT_FOUND 127, ERR_NOT_EXECUTABLE 126, others 125.
 */
int run_box(struct arena *arena, const struct run_request *request,
	    struct outcome *out, struct err *err);

#endif
