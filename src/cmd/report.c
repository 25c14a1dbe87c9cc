/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd/report.c - what a run came to, for people and for programs
 *
 * Runs in:  the supervisor, after the box is gone.
 * Trusts:   nothing that the box had a hand in: names of programs and paths.
 * Must not: print to standard output, which is the command's.
 */
#include "cmd/report.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/log.h"
#include "cmd/output.h"
#include "cmd/prepare.h"
#include "run/run.h"

enum { SHOWN_MAX = 7 };

/* Endings that the exit code alone does not tell from others. */
static const struct {
	enum outcome_kind kind;
	const char *text;
} endings[] = {
	{ OUTCOME_TIMEOUT, "ended at its time limit (limits.wall_time)" },
	{ OUTCOME_OOM, "ended: out of memory (limits.memory)" },
	{ OUTCOME_PIDS, "ended: too many processes (limits.processes)" },
	{ OUTCOME_DISK, "ended: too much written (limits.disk)" },
	{ OUTCOME_OUTPUT, "ended: too much output (limits.output)" },
	{ OUTCOME_CPU_TIME,
	  "ended at its limit of cpu time (limits.cpu_time)" },
	{ OUTCOME_KILLED, "ended by cordon" },
	{ OUTCOME_DENIED, "refused by the policy" },
};

static void print_ending(const struct outcome *outcome)
{
	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++) {
		if (endings[i].kind == outcome->kind)
			log_warn("the command was %s", endings[i].text);
	}
	/* A person who pressed Ctrl-C or closed a pipe knows it. */
	if (outcome->kind == OUTCOME_SIGNAL && outcome->signal != SIGINT &&
	    outcome->signal != SIGPIPE && outcome->signal != SIGHUP)
		log_warn("the command was ended by signal %d (%s)",
			 outcome->signal, strsignal(outcome->signal));
}

static void print_denial(const struct outcome_denial *denial)
{
	const char *rule = denial->rule ? denial->rule : "the policy";
	char by[64] = "", times[32] = "";

	if (denial->comm)
		(void)snprintf(by, sizeof(by), ", %sby %s",
			       denial->count > 1 ? "first " : "", denial->comm);
	if (denial->count > 1)
		(void)snprintf(times, sizeof(times), ", %u times",
			       denial->count);
	log_info("  %s %s%s%s: %s", denial->operation, denial->target, times,
		 by, rule);
	if (denial->remedy && !strncmp(denial->remedy, "none: ", 6))
		log_info("    %s", denial->remedy + 6);
	else if (denial->remedy)
		log_info("    to allow it: %s", denial->remedy);
}

static void print_denials(const struct outcome *outcome)
{
	size_t shown =
		outcome->denials_n < SHOWN_MAX ? outcome->denials_n : SHOWN_MAX;
	unsigned long attempts = 0;

	if (!outcome->denials_n)
		return;
	for (size_t i = 0; i < outcome->denials_n; i++)
		attempts += outcome->denials[i].count;
	log_info("refused %lu attempt%s of the command:", attempts,
		 attempts == 1 ? "" : "s");
	for (size_t i = 0; i < shown; i++)
		print_denial(&outcome->denials[i]);
	if (shown < outcome->denials_n)
		log_info("  and %zu more; --json lists them",
			 outcome->denials_n - shown);
}

void report_print(const struct outcome *outcome)
{
	size_t shown = outcome->warnings_n < SHOWN_MAX ? outcome->warnings_n
						       : SHOWN_MAX;

	print_ending(outcome);
	print_denials(outcome);
	for (size_t i = 0; i < shown; i++)
		log_warn("%s", outcome->warnings[i]);
	if (shown < outcome->warnings_n)
		log_warn("%zu more warnings; --json lists all",
			 outcome->warnings_n - shown);
}

static json_t *strings_json(struct arena *arena, const char *const *v, size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, output_string(arena, v[i]));
	return list;
}

static json_t *denials_json(struct arena *arena, const struct outcome *outcome)
{
	json_t *list = json_array();

	for (size_t i = 0; i < outcome->denials_n; i++) {
		const struct outcome_denial *d = &outcome->denials[i];

		json_array_append_new(
			list,
			json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:I}",
				  "operation",
				  output_string(arena, d->operation), "target",
				  output_string(arena, d->target), "why",
				  output_string(arena, d->why), "rule",
				  output_string(arena, d->rule), "remedy",
				  output_string(arena, d->remedy), "comm",
				  output_string(arena, d->comm), "count",
				  (json_int_t)d->count));
	}
	return list;
}

static json_t *usage_json(const struct outcome *outcome)
{
	return json_pack(
		"{s:I, s:I, s:I, s:I}", "user_ns", (json_int_t)outcome->user_ns,
		"system_ns", (json_int_t)outcome->system_ns, "cpu_time_ns",
		(json_int_t)(outcome->user_ns + outcome->system_ns),
		"memory_peak_bytes", (json_int_t)outcome->max_rss_bytes);
}

json_t *report_json_format(struct arena *arena, const struct outcome *outcome,
			   const struct prepared *of)
{
	json_t *signal = outcome->kind == OUTCOME_SIGNAL
				 ? json_integer(outcome->signal)
				 : json_null();

	return json_pack(
		"{s:s, s:s, s:i, s:o, s:I, s:o, s:o, s:o, s:o, s:o}", "outcome",
		outcome_name(outcome->kind), "sandbox", outcome->sandbox,
		"exit_code", outcome->exit_code, "signal", signal, "wall_ns",
		(json_int_t)outcome->wall_ns, "usage", usage_json(outcome),
		"denials", denials_json(arena, outcome), "warnings",
		strings_json(arena, outcome->warnings, outcome->warnings_n),
		"notes",
		strings_json(arena, of->plan.notes.v, of->plan.notes.n),
		"refused",
		strings_json(arena, of->policy.refused, of->policy.refused_n));
}

json_t *report_json_format_error(struct arena *arena, const struct err *err,
				 int exit_code)
{
	return json_pack("{s:s, s:i, s:n, s:o}", "outcome",
			 outcome_name(OUTCOME_SETUP), "exit_code", exit_code,
			 "signal", "error", output_string(arena, err->msg));
}
