/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/tell.c - the beginning and the end of a run, as events
 *
 * Runs in:  the supervisor.
 * Trusts:   the outcome.
 * Must not: keep quiet about what could not be told.
 */
#include "run/tell.h"

#include <inttypes.h>

#include "base/arena.h"
#include "base/err.h"
#include "event/event.h"
#include "event/sink.h"
#include "plan/plan.h"
#include "run/launch.h"
#include "run/record.h"
#include "run/run.h"

enum { EXIT_SETUP = 125, EXIT_NOT_EXECUTABLE = 126, EXIT_NOT_FOUND = 127 };

int run_tell_started(const struct run_request *request)
{
	return event_emit(request->events,
			  &(struct event){ .kind = EVENT_STARTED,
					   .target = request->argv[0],
					   .argv = request->argv });
}

void run_tell_failed(const struct run_request *request, const struct err *err)
{
	struct event event = { .kind = EVENT_ENDED,
			       .target = request->argv[0],
			       .why = err->msg,
			       .argv = request->argv,
			       .outcome = outcome_name(OUTCOME_SETUP),
			       .exit_code = EXIT_SETUP };

	if (err->kind == ERR_NOT_FOUND)
		event.exit_code = EXIT_NOT_FOUND;
	else if (err->kind == ERR_NOT_EXECUTABLE)
		event.exit_code = EXIT_NOT_EXECUTABLE;
	(void)event_emit(request->events, &event);
}

void run_tell_ports(struct record *record, const struct run_box *box)
{
	if (record->plan->network == POLICY_MODE_FILTERED &&
	    !box->network.every_port)
		record_warn(record,
			    "this kernel has no TPROXY: without proxy "
			    "variables, programs reach names at the ports of "
			    "the rules alone");
}

static void warn_of_events(struct record *record)
{
	const struct event_sink *events = record->events;

	if (events->lost)
		record_warn(
			record,
			arena_printf(record->arena,
				     "%" PRIu64 " event%s lost, as nobody "
				     "took them",
				     events->lost,
				     events->lost == 1 ? " was" : "s were"));
	if (record->lost)
		record_warn(
			record,
			arena_printf(record->arena,
				     "%" PRIu32 " refusal%s not told, as "
				     "there were too many at once",
				     record->lost,
				     record->lost == 1 ? " was" : "s were"));
	if (events->unaudited && !events->audit)
		record_warn(record, arena_printf(record->arena,
						 "this run is not in the audit "
						 "log: %s",
						 events->audit_err.msg));
	else if (events->unaudited)
		record_warn(record, arena_printf(record->arena,
						 "the audit log lacks %" PRIu64
						 " records of this run: %s",
						 events->unaudited,
						 events->audit_err.msg));
}

void run_tell_limit(struct record *record, const char *key)
{
	(void)event_emit(
		record->events,
		&(struct event){ .kind = EVENT_LIMIT_HIT, .rule = key });
}

void run_tell_ended(struct record *record)
{
	/* They have a line nowhere, and are counted all the same. */
	record->events->denials += record->lost;
	record->events->unlisted += record->lost;
	(void)event_emit(
		record->events,
		&(struct event){ .kind = EVENT_ENDED,
				 .outcome = outcome_name(record->outcome->kind),
				 .exit_code = record->outcome->exit_code });
	warn_of_events(record);
}
