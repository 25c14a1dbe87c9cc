/* SPDX-License-Identifier: Apache-2.0 */
/*
 * egress/change.c - rules that are replaced while the box runs
 *
 * Runs in:  the supervisor (format), the egress process (apply).
 * Trusts:   the supervisor.
 * Must not: leave an instant without rules: the old ones hold until the new
 *           ones are whole.
 */
#include "egress/change.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "egress/own.h"
#include "egress/session.h"
#include "egress/state.h"

static char *put(char *at, char *end, const char *text)
{
	size_t n = strlen(text) + 1;

	if (!at || (size_t)(end - at) < n)
		return NULL;
	memcpy(at, text, n);
	return at + n;
}

static char *put_list(char *at, char *end, const char *which,
		      const struct policy_list *list)
{
	char line[16];

	for (size_t i = 0; i < list->n; i++) {
		const struct policy_item *item = &list->v[i];

		(void)snprintf(line, sizeof(line), "%u", item->origin.line);
		at = put(at, end, which);
		at = put(at, end, item->text);
		at = put(at, end, item->origin.source);
		at = put(at, end, line);
	}
	return at;
}

size_t egress_change_format(const struct egress_change *change,
			    const struct policy_list *allow,
			    const struct policy_list *deny, char *out,
			    size_t room)
{
	char *at = out + sizeof(*change), *end = out + room;

	if (room < sizeof(*change))
		return 0;
	memcpy(out, change, sizeof(*change));
	at = put_list(at, end, "a", allow);
	at = put_list(at, end, "d", deny);
	return at ? (size_t)(at - out) : 0;
}

struct items {
	struct policy_item *v;
	size_t n;
};

static const char *take(const char **at, const char *end)
{
	const char *text = *at, *nul;

	if (!text)
		return NULL;
	nul = memchr(text, '\0', (size_t)(end - text));
	*at = nul ? nul + 1 : NULL;
	return nul ? text : NULL;
}

/* False where the message is not what egress_change_format() makes. */
static bool parse_items(struct arena *arena, const char *at, const char *end,
			struct items *allow, struct items *deny)
{
	while (at && at < end) {
		const char *which = take(&at, end), *text = take(&at, end);
		const char *source = take(&at, end), *line = take(&at, end);

		if (!line)
			return false;
		*ARENA_PUSH(arena, *which == 'a' ? allow : deny) =
			(struct policy_item){
				.text = text,
				.origin = { source, (unsigned int)strtoul(
							    line, NULL, 10) },
			};
	}
	return at != NULL;
}

/* Connections that would not be made today. */
static void cut(struct egress *egress)
{
	struct session *next;

	for (struct session *s = egress->sessions; s; s = next) {
		struct egress_verdict verdict;

		next = s->next;
		if (!s->judged)
			continue;
		if (!egress_judge(&egress->rules, &s->target, &verdict) ||
		    (s->address_judged && s->server.fd >= 0 &&
		     !egress_judge_address(
			     &egress->rules, &s->target, &s->reached,
			     own_address(&egress->own, &egress->loop,
					 &s->reached),
			     &verdict)))
			session_reset(s);
	}
}

bool egress_change_apply(struct egress *egress, const char *data, size_t n)
{
	struct egress_change change;
	struct arena arena = { 0 };
	struct items allow = { 0 }, deny = { 0 };
	struct policy_list allow_list, deny_list;
	char *copy;

	if (n < sizeof(change))
		return false;
	memcpy(&change, data, sizeof(change));
	copy = arena_alloc(&arena, 1, n);
	memcpy(copy, data, n);
	if (!parse_items(&arena, copy + sizeof(change), copy + n, &allow,
			 &deny)) {
		arena_free(&arena);
		return false;
	}
	allow_list = (struct policy_list){ .v = allow.v, .n = allow.n };
	deny_list = (struct policy_list){ .v = deny.v, .n = deny.n };
	egress_rules_build(&arena, &allow_list, &deny_list, &egress->rules);
	egress->rules_number = change.rules;
	arena_free(&egress->rules_arena);
	egress->rules_arena = arena;
	if (change.cut)
		cut(egress);
	return true;
}
