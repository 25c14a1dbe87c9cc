/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_RUN_RECORD_H
#define CORDON_RUN_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct arena;
struct egress_report;
struct egress_rules;
struct event_sink;
struct frame;
struct outcome;
struct outcome_denial;
struct plan;
struct policy_origin;
struct run_box;

/*
 * What is known of a run while it goes on: denials and warnings, counted, and
 * passed on as events.
 */
struct record {
	struct arena *arena;
	const struct plan *plan;
	struct outcome *outcome;
	struct event_sink *events;
	size_t told; /* by the guard, that are listed */
	uint32_t lost; /* refusals that the guard could not tell */
	const struct egress_rules *rules; /* of the network, in force */
	uint32_t rules_number;
	size_t targets; /* of the network that are listed */
	int64_t search_after_ns; /* when clients may be searched for again */
	bool *remounted; /* by index in plan->watches */
	struct {
		char **v;
		size_t n;
	} planted; /* directories where a repository came into being */
	unsigned int planted_more; /* beyond those that are kept */
};

void record_init(struct record *record, struct arena *arena,
		 const struct plan *plan, struct outcome *outcome,
		 struct event_sink *events);
/* "profile base:12"; NULL if it is not known. */
const char *record_origin(struct arena *arena,
			  const struct policy_origin *origin);
/* One more, empty; valid until the next. */
struct outcome_denial *record_denial_add(struct record *record);

/*
 * A FRAME_DENIED of the guard's. Returns the denial if it is the first of its
 * rule and somebody should be told at once; else NULL.
 */
const struct outcome_denial *record_denied(struct record *record,
					   const struct frame *frame);
/* A repository came into being in @where. */
void record_planted_add(struct record *record, const char *where);
/* A connection or a question that egress refused to @box. */
void record_refused(struct record *record, const struct run_box *box,
		    const struct egress_report *report);
/* @rules are kept. */
void record_rules_changed(struct record *record,
			  const struct egress_rules *rules, uint32_t number);
void record_remounted(struct record *record, size_t watch, uint32_t sys);
void record_warn(struct record *record, const char *text);

/* After the end: do protected files still sit at their names? */
void record_check_names(struct record *record);

#endif
