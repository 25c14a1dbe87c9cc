/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/record.c - denials and warnings of one run
 *
 * Runs in:  the supervisor.
 * Trusts:   the plan; not the frames, which come from inside the box.
 * Must not: grow without bound: each rule is listed once, and counted.
 */
#include "run/record.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/path.h"
#include "event/event.h"
#include "event/sink.h"
#include "plan/plan.h"
#include "run/run.h"

enum { WARNINGS_LIMIT = 100, PLANTED_LIMIT = 100, RECORD_WHERE = 256 };

void record_init(struct record *record, struct arena *arena,
		 const struct plan *plan, struct outcome *outcome,
		 struct event_sink *events)
{
	*record = (struct record){
		.arena = arena,
		.plan = plan,
		.outcome = outcome,
		.events = events,
		.rules = &plan->egress.rules,
		.remounted = arena_array(arena, bool, plan->watches.n),
	};
}

void record_warn(struct record *record, const char *text)
{
	struct {
		const char **v;
		size_t n;
	} list = { record->outcome->warnings, record->outcome->warnings_n };

	if (list.n >= WARNINGS_LIMIT)
		return;
	*ARENA_PUSH(record->arena, &list) = text;
	record->outcome->warnings = list.v;
	record->outcome->warnings_n = list.n;
}

const char *record_origin(struct arena *arena,
			  const struct policy_origin *origin)
{
	if (!origin->source || !origin->line)
		return origin->source;
	return arena_printf(arena, "%s:%u", origin->source, origin->line);
}

struct outcome_denial *record_denial_add(struct record *record)
{
	struct {
		struct outcome_denial *v;
		size_t n;
	} list = { record->outcome->denials, record->outcome->denials_n };

	*ARENA_PUSH(record->arena, &list) = (struct outcome_denial){ 0 };
	record->outcome->denials = list.v;
	record->outcome->denials_n = list.n;
	return &record->outcome->denials[list.n - 1];
}

static bool is_planted(const char *where)
{
	char path[RECORD_WHERE + 8];
	struct stat st;

	return (size_t)snprintf(path, sizeof(path), "%s/.git", where) <
		       sizeof(path) &&
	       lstat(path, &st) == 0;
}

/*
 * The box can make as many as it likes. When no more are kept, one that is
 * gone gives up its place: decoys do not hide what is there at the end.
 */
void record_planted_add(struct record *record, const char *where)
{
	const size_t room = RECORD_WHERE;
	char *slot = NULL;

	for (size_t i = 0; i < record->planted.n; i++) {
		if (!strcmp(record->planted.v[i], where))
			return;
	}
	/* What is in a layer is not in anybody's way. */
	for (size_t i = 0; i < record->plan->layers.n; i++) {
		if (path_within(record->plan->layers.v[i].path, where))
			return;
	}
	if (record->planted.n < PLANTED_LIMIT) {
		slot = arena_array(record->arena, char, room);
		*ARENA_PUSH(record->arena, &record->planted) = slot;
	} else {
		record->planted_more++;
		for (size_t i = 0; !slot && i < PLANTED_LIMIT; i++) {
			if (!is_planted(record->planted.v[i]))
				slot = record->planted.v[i];
		}
	}
	if (slot)
		(void)snprintf(slot, room, "%s", where);
}

void record_remounted(struct record *record, size_t watch, uint32_t sys)
{
	const char *path = record->plan->watches.v[watch].path;
	struct event event = { .kind = EVENT_MASK_LOST, .target = path };

	(void)event_emit(record->events, &event);
	if (sys) {
		record_warn(record,
			    arena_printf(record->arena,
					 "'%s' was replaced on the host and "
					 "could not be protected again: %s",
					 path, strerror((int)sys)));
		return;
	}
	if (!record->remounted[watch] &&
	    !record->plan->watches.v[watch].expected)
		record_warn(record,
			    arena_printf(record->arena,
					 "'%s' appeared or was replaced "
					 "while the command ran, and was "
					 "protected again",
					 path));
	record->remounted[watch] = true;
	event.kind = EVENT_MASK_RESTORED;
	(void)event_emit(record->events, &event);
}

static bool was_remounted(const struct record *record, const char *path)
{
	for (size_t i = 0; i < record->plan->watches.n; i++) {
		if (record->remounted[i] &&
		    !strcmp(record->plan->watches.v[i].path, path))
			return true;
	}
	return false;
}

/* Those that are still there come one by one: decoys do not hide them. */
static void check_planted(struct record *record)
{
	struct arena *arena = record->arena;
	unsigned int more = record->planted_more;

	for (size_t i = 0; i < record->planted.n; i++) {
		const char *where = record->planted.v[i];

		if (!is_planted(where) ||
		    record->outcome->warnings_n + 1 >= WARNINGS_LIMIT)
			more++;
		else
			record_warn(record,
				    arena_printf(arena,
						 "a git repository came into "
						 "being in '%s'; look at its "
						 "hooks and config before you "
						 "run git there",
						 where));
	}
	if (more)
		record_warn(record,
			    arena_printf(arena,
					 "%u more git repositories came into "
					 "being, and may have been moved since",
					 more));
}

void record_check_names(struct record *record)
{
	const struct plan_mounts *mounts = &record->plan->mounts;

	for (size_t i = 0; i < mounts->n; i++) {
		const struct plan_mount *m = &mounts->v[i];
		struct stat st;

		if (m->kind != PLAN_MOUNT_BIND || m->writable || !m->late ||
		    !m->id.ino || was_remounted(record, m->path))
			continue;
		if (lstat(m->path, &st) < 0 || st.st_dev != m->id.dev ||
		    st.st_ino != m->id.ino)
			record_warn(record,
				    arena_printf(record->arena,
						 "'%s' is not what it was when "
						 "the command started",
						 m->path));
	}
	for (size_t i = 0; i < record->plan->absents.n; i++) {
		const struct plan_absent *a = &record->plan->absents.v[i];
		struct stat st;

		if (a->action != PLAN_ABSENT_NOTICE &&
		    !was_remounted(record, a->path) && lstat(a->path, &st) == 0)
			record_warn(record,
				    arena_printf(record->arena,
						 "'%s' came into being while "
						 "the command ran",
						 a->path));
	}
	check_planted(record);
}
