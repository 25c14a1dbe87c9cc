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
#include <unistd.h>

#include "base/err.h"
#include "base/log.h"
#include "cmd/output.h"
#include "cmd/prepare.h"
#include "cmd/verb.h"
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

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* Denials of one kind by one rule: they are told together. */
static bool same_group(const struct outcome_denial *a,
		       const struct outcome_denial *b)
{
	return !strcmp(a->operation, b->operation) &&
	       same_text(a->rule, b->rule);
}

struct group {
	const struct outcome_denial *first;
	size_t targets;
	unsigned long attempts;
	bool one_remedy; /* the same for all */
};

/* The group that denial @at is the first of; false if it is not. */
static bool find_group(const struct outcome *outcome, size_t at,
		       struct group *out)
{
	const struct outcome_denial *first = &outcome->denials[at];

	for (size_t i = 0; i < at; i++) {
		if (same_group(&outcome->denials[i], first))
			return false;
	}
	*out = (struct group){ .first = first, .one_remedy = true };
	for (size_t i = at; i < outcome->denials_n; i++) {
		const struct outcome_denial *denial = &outcome->denials[i];

		if (!same_group(denial, first))
			continue;
		out->targets++;
		out->attempts += denial->count;
		out->one_remedy &= same_text(denial->remedy, first->remedy);
	}
	return true;
}

static void print_remedy(const struct group *group)
{
	const char *remedy = group->first->remedy;

	if (!remedy)
		return;
	if (!strncmp(remedy, "none: ", 6))
		log_info("    %s", remedy + 6);
	else
		log_info("    to allow %s: %s",
			 group->one_remedy ? "it" : "the first", remedy);
}

static void print_group(const struct group *group)
{
	const struct outcome_denial *first = group->first;
	const char *rule = first->rule ? first->rule : "the policy";
	char by[64] = "", times[32] = "", others[64] = "";

	if (first->comm)
		(void)snprintf(by, sizeof(by), ", %sby %s",
			       group->attempts > 1 ? "first " : "",
			       first->comm);
	if (group->targets > 1)
		(void)snprintf(others, sizeof(others), " and %zu other%s",
			       group->targets - 1,
			       group->targets > 2 ? "s" : "");
	if (group->attempts > 1)
		(void)snprintf(times, sizeof(times), ", %lu times",
			       group->attempts);
	log_info("  %s %s%s%s%s: %s", first->operation, first->target, others,
		 times, by, rule);
	print_remedy(group);
}

/* What the policy has no part in comes last. */
static bool is_policys(const struct group *group)
{
	return !group->first->rule ||
	       strncmp(group->first->rule, "not by the policy", 17) != 0;
}

static size_t print_groups(const struct outcome *outcome, bool policys,
			   size_t left, size_t *out_more)
{
	struct group group;

	for (size_t i = 0; i < outcome->denials_n; i++) {
		if (!find_group(outcome, i, &group) ||
		    is_policys(&group) != policys)
			continue;
		if (left) {
			print_group(&group);
			left--;
		} else {
			++*out_more;
		}
	}
	return left;
}

static void print_denials(const struct outcome *outcome)
{
	unsigned long attempts = 0;
	size_t more = 0;

	if (!outcome->denials_n)
		return;
	for (size_t i = 0; i < outcome->denials_n; i++)
		attempts += outcome->denials[i].count;
	log_info("refused %lu attempt%s of the command:", attempts,
		 attempts == 1 ? "" : "s");
	(void)print_groups(outcome, false,
			   print_groups(outcome, true, SHOWN_MAX, &more),
			   &more);
	if (more)
		log_info("  and %zu more; --json lists them", more);
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

int report_json_print_error(const struct cmd *cmd, const struct err *err)
{
	int code = verb_exit_code(cmd->verb, err);
	json_t *object = json_pack("{s:s, s:i, s:n, s:o}", "outcome",
				   outcome_name(OUTCOME_SETUP), "exit_code",
				   code, "signal", "error",
				   output_string(cmd->arena, err->msg));
	struct err ignored;

	/* The exit code says it too, if nobody reads this. */
	(void)output_json(STDERR_FILENO, object, &ignored);
	return code;
}
