/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/record_network.c - what egress refused
 *
 * Runs in:  the supervisor.
 * Trusts:   nothing in a report: egress reads what the box and strangers
 *           write.
 * Must not: grow without bound: targets are listed once and counted, and the
 *           last places are for the rest.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "egress/egress.h"
#include "event/event.h"
#include "event/sink.h"
#include "plan/plan.h"
#include "run/client.h"
#include "run/launch.h"
#include "run/record.h"
#include "run/run.h"

enum { TARGETS_LIMIT = 200, SEARCH_SHARE = 20 };

static const struct egress_rule *rule_find(const struct record *record,
					   const struct egress_report *report)
{
	const struct egress_rules *rules = record->rules;
	size_t i = (size_t)report->rule;

	/* Of rules that were replaced meanwhile there is nothing to say. */
	if (report->rule < 0 || report->rules != record->rules_number)
		return NULL;
	if (i < rules->deny.n)
		return &rules->deny.v[i];
	i -= rules->deny.n;
	return i < rules->allow.n ? &rules->allow.v[i] : NULL;
}

static struct outcome_denial *denial_find(const struct record *record,
					  const char *operation,
					  const char *target, const char *why)
{
	for (size_t i = 0; i < record->outcome->denials_n; i++) {
		struct outcome_denial *d = &record->outcome->denials[i];

		if (!strcmp(d->operation, operation) &&
		    !strcmp(d->target, target) && d->why &&
		    !strcmp(d->why, why))
			return d;
	}
	return NULL;
}

/* "host:443", "[::1]:80", "host" for a question. */
static void target_format(const struct egress_target *target, char *out,
			  size_t room)
{
	bool brackets = strchr(target->name, ':') != NULL;

	if (target->port)
		(void)snprintf(out, room, brackets ? "[%s]:%u" : "%s:%u",
			       target->name, target->port);
	else
		(void)snprintf(out, room, "%s", target->name);
}

static const char *reason_format(struct arena *arena,
				 const struct egress_report *report,
				 const struct egress_target *target,
				 const struct address *address,
				 const struct egress_verdict *verdict)
{
	const char *reason = egress_reason(arena, target, address, verdict);

	if (report->why == EGRESS_NAME_DIFFERS && report->text[0])
		return arena_printf(arena, "%s; it asked for '%s'", reason,
				    report->text);
	return reason;
}

static const char *copy(struct record *record, const char *text)
{
	return text ? arena_strdup(record->arena, text) : NULL;
}

/* Where such a refusal is counted. */
static struct outcome_denial *denial_of(struct record *record,
					const struct event *event)
{
	static const char others[] = "(others)";
	struct outcome_denial *denial = denial_find(record, event->operation,
						    event->target, event->why);

	if (!denial && record->targets >= TARGETS_LIMIT)
		denial = denial_find(record, event->operation, others,
				     event->why);
	if (denial)
		return denial;
	denial = record_denial_add(record);
	record->targets++;
	denial->operation = event->operation;
	denial->why = event->why;
	if (record->targets > TARGETS_LIMIT) {
		denial->target = others;
		denial->rule = "more targets than are listed one by one";
	} else {
		denial->target = copy(record, event->target);
		denial->rule = copy(record, event->rule);
		denial->remedy = copy(record, event->remedy);
	}
	return denial;
}

static int64_t now_ns(void)
{
	struct timespec t = { 0 };

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* A look through /proc takes as long as the box has processes and descriptors,
 * and it can ask for many: most of the time must be left for other things. */
static bool client_find(struct record *record, const struct run_box *box,
			const struct egress_report *report,
			struct run_client *out)
{
	int64_t began = now_ns(), ended;
	bool found;

	if (began < record->search_after_ns)
		return false;
	found = run_client_find(box->pid, box->network.namespace,
				report->form == EGRESS_BY_DNS, report->from,
				out);
	ended = now_ns();
	record->search_after_ns = ended + SEARCH_SHARE * (ended - began);
	return found;
}

void record_refused(struct record *record, const struct run_box *box,
		    const struct egress_report *report)
{
	static const struct address none;
	AUTO_ARENA arena = { 0 };
	struct egress_verdict verdict = {
		.why = report->why <= EGRESS_BUDGET
			       ? (enum egress_why)report->why
			       : EGRESS_MALFORMED,
		.rule = rule_find(record, report),
		.class = report->class <= ADDRESS_RESERVED
				 ? (enum address_class)report->class
				 : ADDRESS_RESERVED,
	};
	const char *operation =
		report->form == EGRESS_BY_DNS ? "resolve" : "connect";
	const char *why = egress_why_code(verdict.why);
	struct egress_target to = { .port = report->port };
	struct address address;
	char target[sizeof(to.name) + 16], text[ADDRESS_TEXT] = "";
	struct outcome_denial *denial;
	struct run_client client;
	struct event event = { .kind = EVENT_DENIED,
			       .what = report->form == EGRESS_BY_DNS
					       ? EVENT_WHAT_DNS
					       : EVENT_WHAT_CONNECT,
			       .operation = operation,
			       .target = target,
			       .why = why };

	memcpy(to.name, report->name, sizeof(to.name) - 1);
	to.is_address = address_parse(to.name, strlen(to.name), &to.address);
	memcpy(address.v, report->address, sizeof(address.v));
	if (memcmp(&address, &none, sizeof(none)) != 0) {
		address_format(&address, text);
		event.address = text;
	}
	if (client_find(record, box, report, &client)) {
		event.pid = client.pid;
		event.comm = client.comm;
	}
	target_format(&to, target, sizeof(target));
	event.rule = reason_format(&arena, report, &to,
				   event.address ? &address : NULL, &verdict);
	event.remedy = egress_remedy(&arena, &to,
				     event.address ? &address : NULL, &verdict);
	if (verdict.rule)
		event.origin = record_origin(&arena, &verdict.rule->origin);
	denial = denial_of(record, &event);
	denial->count++;
	if (!denial->comm)
		denial->comm = copy(record, event.comm);
	(void)event_emit(record->events, &event);
}

void record_rules_changed(struct record *record,
			  const struct egress_rules *rules, uint32_t number)
{
	record->rules = rules;
	record->rules_number = number;
	(void)event_emit(record->events,
			 &(struct event){ .kind = EVENT_RULES_CHANGED });
}
