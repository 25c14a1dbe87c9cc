/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/narrow.c - a policy laid over another that may only become narrower
 *
 * Runs in:  whoever loads a policy.
 * Trusts:   the policy underneath, not the one on top: it may come with a
 *           repository that was fetched a minute ago.
 * Must not: take over anything that allows more. A path below an allowed one
 *           is not always narrower: the most specific rule wins, so it would
 *           undo a denial in between. What cannot be compared is refused.
 */
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "policy/cover.h"
#include "policy/fields.h"
#include "policy/format.h"
#include "policy/merge.h"
#include "policy/values.h"

/* Compares items by nothing but their text. */
static const struct policy_field by_text = { .key = "",
					     .type = POLICY_LIST,
					     .form = POLICY_FORM_ANY };

static const char built_in[] = "built-in";

struct narrowing {
	struct arena *arena;
	const struct policy_context *context;
	const struct policy *base;
	const struct policy *over;
	enum policy_narrower by;
	struct policy *out;
	struct policy_refusals *refused;
	struct err *err;
};

static void report(struct narrowing *n, const struct policy_field *field,
		   const char *value, const struct policy_origin *origin)
{
	const char **sentence = ARENA_PUSH(n->arena, n->refused);
	const char *why = n->by == POLICY_BY_PROJECT
				  ? "would allow more and was left out: "
				    "'cordon trust' lets the file do that"
				  : "is over the system's ceiling and was cut";

	*sentence = arena_printf(n->arena, "%s: '%s: %s' %s",
				 policy_origin_format(n->arena, origin),
				 field->key, value, why);
}

static void report_item(struct narrowing *n, const struct policy_field *field,
			const struct policy_item *item)
{
	report(n, field, item->text, &item->origin);
}

static void report_removal(struct narrowing *n,
			   const struct policy_field *field, size_t removed,
			   const struct policy_origin *origin)
{
	const char **sentence = ARENA_PUSH(n->arena, n->refused);

	*sentence = arena_printf(n->arena,
				 "%s: %zu item%s of '%s' would be taken away "
				 "and stay%s: 'cordon trust' lets the file do "
				 "that",
				 policy_origin_format(n->arena, origin),
				 removed, removed == 1 ? "" : "s", field->key,
				 removed == 1 ? "s" : "");
}

/* What holds where nothing is set. */
static struct policy_scalar effective(struct narrowing *n,
				      const struct policy_field *field)
{
	struct policy_scalar scalar = *policy_field_scalar(field, n->base);

	if (scalar.set)
		return scalar;
	scalar.set = true;
	scalar.origin.source = built_in;
	if (field->type == POLICY_TEXT)
		scalar.text = field->initial;
	else
		(void)policy_value_parse(n->arena, field, field->initial,
					 &scalar.number);
	return scalar;
}

/* A file of system calls can be compared with nothing. */
static int syscalls_rank(const char *text)
{
	return !strcmp(text, "strict") ? 0 : !strcmp(text, "default") ? 1 : 2;
}

static bool text_is_wider(const struct narrowing *n,
			  const struct policy_field *field, const char *base,
			  const char *over)
{
	if (!strcmp(base, over))
		return false;
	if (field->form == POLICY_FORM_SYSCALLS && syscalls_rank(base) < 2 &&
	    syscalls_rank(over) < 2)
		return syscalls_rank(over) > syscalls_rank(base);
	/* A ceiling that names a value means that value. */
	return n->by == POLICY_BY_PROJECT;
}

static bool is_wider(const struct narrowing *n,
		     const struct policy_field *field,
		     const struct policy_scalar *base,
		     const struct policy_scalar *over)
{
	if (field->type == POLICY_TEXT)
		return text_is_wider(n, field, base->text, over->text);
	if (field->narrowing == POLICY_NARROW_RANK)
		return field->rank[over->number] > field->rank[base->number];
	if (field->narrowing == POLICY_NARROW_FALL)
		return base->number &&
		       (!over->number || over->number > base->number);
	return base->number != over->number;
}

static bool is_same(const struct policy_field *field,
		    const struct policy_scalar *a,
		    const struct policy_scalar *b)
{
	if (field->type == POLICY_TEXT)
		return !strcmp(a->text, b->text);
	return a->number == b->number;
}

static void narrow_scalar(struct narrowing *n, const struct policy_field *field)
{
	const struct policy_scalar *over = policy_field_scalar(field, n->over);
	struct policy_scalar base = effective(n, field);
	const struct policy_scalar *lost;

	if (!over->set || is_same(field, &base, over))
		return;
	if (!is_wider(n, field, &base, over)) {
		*policy_field_scalar_of(field, n->out) = *over;
		lost = n->by == POLICY_BY_CEILING ? &base : NULL;
		/* Nobody asked for a default. */
		if (lost && !strcmp(base.origin.source, built_in))
			lost = NULL;
	} else {
		lost = n->by == POLICY_BY_PROJECT ? over : NULL;
	}
	if (lost)
		report(n, field, policy_scalar_format(n->arena, field, lost),
		       &lost->origin);
}

/* Lays one list over the result, without repetitions. */
static void lay_list(struct narrowing *n, const struct policy_field *field,
		     const struct policy_list *list)
{
	struct policy one = { 0 };

	*policy_field_list_of(field, &one) = *list;
	policy_merge(n->arena, n->out, &one, n->out);
}

/* Deny lists: what is added is taken, what is taken away is not. */
static int grow_list(struct narrowing *n, const struct policy_field *field)
{
	const struct policy_list *base = policy_field_list(field, n->base);
	const struct policy_list *over = policy_field_list(field, n->over);
	struct policy_list added = { .v = over->v, .n = over->n };
	struct cover_items items = { 0 };
	size_t removed = 0, at;
	struct cover named;

	if (over->op != POLICY_REMOVE)
		lay_list(n, field, &added);
	if (over->op == POLICY_APPEND || n->by != POLICY_BY_PROJECT)
		return 0;

	items.v = arena_array(n->arena, struct cover_item, over->n);
	for (; items.n < over->n; items.n++)
		items.v[items.n].item = &over->v[items.n];
	cover_build(n->arena, &by_text, &items, &named);
	for (size_t i = 0; i < base->n; i++) {
		struct cover_item item = { .item = &base->v[i] };
		bool found = cover_find(&named, &item, &at) == COVER_EQUAL;

		removed += found == (over->op == POLICY_REMOVE);
	}
	if (removed)
		report_removal(n, field, removed, &over->origin);
	return 0;
}

/* Both sides of a list that may only shrink. */
struct shrinking {
	const struct policy_field *field;
	struct cover_items base_items;
	struct cover_items over_items;
	struct cover base;
	struct cover over;
	struct cover denied; /* what @base denies, for paths */
	bool intersect; /* what @over does not name goes */
	struct policy_list out;
};

static void push_item(struct narrowing *n, struct shrinking *s,
		      const struct policy_item *item)
{
	struct policy_item *v = arena_grow(
		n->arena, (void *)(uintptr_t)s->out.v, s->out.n, sizeof(*v));

	v[s->out.n++] = *item;
	s->out.v = v;
}

static void push_narrow(struct narrowing *n, struct shrinking *s,
			const struct policy_item *item)
{
	struct policy_item narrow = *item;

	narrow.narrow = true;
	push_item(n, s, &narrow);
}

static void keep_base(struct narrowing *n, struct shrinking *s)
{
	for (size_t i = 0; i < s->base_items.n; i++) {
		const struct cover_item *item = &s->base_items.v[i];
		size_t at;

		if (!s->intersect || cover_find(&s->over, item, &at))
			push_item(n, s, item->item);
		else if (n->by == POLICY_BY_CEILING)
			report_item(n, s->field, item->item);
	}
}

/*
 * Is a path that lies below an allowed one of length @at as open as that one?
 * Not if something in between is denied. Names with a dot in front may be
 * protected without being named in any list.
 */
static bool path_is_open(const struct shrinking *s,
			 const struct cover_item *item, size_t at)
{
	size_t denied_at;

	if (item->path.glob)
		return false;
	if (cover_find(&s->denied, item, &denied_at) && denied_at >= at)
		return false;
	return !strstr(item->path.path + (at > 1 ? at : 0), "/.");
}

static bool may_take(const struct shrinking *s, const struct cover_item *item,
		     size_t at)
{
	switch (s->field->narrowing) {
	case POLICY_NARROW_PATHS:
		return path_is_open(s, item, at);
	case POLICY_NARROW_HOSTS:
		return true;
	case POLICY_NARROW_NEVER:
	case POLICY_NARROW_GROW:
	case POLICY_NARROW_SHRINK: /* an exact name beats a denial */
	case POLICY_NARROW_FALL:
	case POLICY_NARROW_RANK:
		break;
	}
	return false;
}

static void take_over(struct narrowing *n, struct shrinking *s)
{
	for (size_t i = 0; i < s->over_items.n; i++) {
		const struct cover_item *item = &s->over_items.v[i];
		enum cover_answer answer;
		size_t at;

		answer = cover_find(&s->base, item, &at);
		if (answer == COVER_EQUAL)
			continue;
		if (answer == COVER_BELOW && may_take(s, item, at)) {
			/* Below an allowed path it changes nothing, unless
			 * that one goes or is only implied. */
			if (s->intersect || !at)
				push_narrow(n, s, item->item);
		} else if (n->by == POLICY_BY_PROJECT) {
			report_item(n, s->field, item->item);
		}
	}
}

/* What the policy denies, for the keys that are paths. */
static int find_denied(struct narrowing *n, struct shrinking *s)
{
	const struct policy_field *read =
		policy_field_find("filesystem.deny_read");
	const struct policy_field *write =
		policy_field_find("filesystem.deny_write");
	struct policy both = { 0 };
	struct cover_items items;

	both.filesystem.deny_read = n->base->filesystem.deny_read;
	if (s->field->offset ==
	    offsetof(struct policy, filesystem.allow_write)) {
		struct policy more = { 0 };

		more.filesystem.deny_read = *policy_field_list(write, n->base);
		policy_merge(n->arena, &both, &more, &both);
	}
	if (cover_items_build(n->arena, n->context, read,
			      policy_field_list(read, &both), &items,
			      n->err) < 0)
		return -1;
	cover_build(n->arena, read, &items, &s->denied);
	return 0;
}

static int compare_lists(struct narrowing *n, struct shrinking *s,
			 const struct policy_list *over)
{
	const struct policy_field *field = s->field;

	if (cover_items_build(n->arena, n->context, field,
			      policy_field_list(field, n->base), &s->base_items,
			      n->err) < 0 ||
	    cover_items_build(n->arena, n->context, field, over, &s->over_items,
			      n->err) < 0)
		return -1;
	cover_build(n->arena, field, &s->base_items, &s->base);
	cover_build(n->arena, field, &s->over_items, &s->over);
	if (field->narrowing != POLICY_NARROW_PATHS)
		return 0;
	/* The whole tree can be read where nothing else is said. */
	s->base.everything =
		field->offset ==
			offsetof(struct policy, filesystem.allow_read) &&
		n->base->filesystem.view.number == POLICY_VIEW_HOST;
	return find_denied(n, s);
}

static int shrink_list(struct narrowing *n, const struct policy_field *field)
{
	const struct policy_list *over = policy_field_list(field, n->over);
	struct shrinking s = { .field = field };

	if (over->op == POLICY_REMOVE || (!over->n && !over->op)) {
		lay_list(n, field, over);
		return 0;
	}
	s.intersect = over->op == POLICY_REPLACE || n->by == POLICY_BY_CEILING;
	if (compare_lists(n, &s, over) < 0)
		return -1;
	keep_base(n, &s);
	take_over(n, &s);
	s.out.op = POLICY_REPLACE;
	lay_list(n, field, &s.out);
	policy_field_list_of(field, n->out)->op =
		policy_field_list(field, n->base)->op;
	return 0;
}

static int never_list(struct narrowing *n, const struct policy_field *field)
{
	const struct policy_list *base = policy_field_list(field, n->base);
	const struct policy_list *over = policy_field_list(field, n->over);

	for (size_t i = 0; i < over->n; i++) {
		bool there = false;

		for (size_t j = 0; j < base->n && !there; j++)
			there = !strcmp(base->v[j].text, over->v[i].text);
		if (!there)
			report_item(n, field, &over->v[i]);
	}
	return 0;
}

static int narrow_list(struct narrowing *n, const struct policy_field *field)
{
	switch (field->narrowing) {
	case POLICY_NARROW_GROW:
		return grow_list(n, field);
	case POLICY_NARROW_SHRINK:
	case POLICY_NARROW_PATHS:
	case POLICY_NARROW_HOSTS:
		return shrink_list(n, field);
	case POLICY_NARROW_NEVER:
		return never_list(n, field);
	case POLICY_NARROW_FALL:
	case POLICY_NARROW_RANK:
		break;
	}
	return err_set(n->err, ERR_BUG, "'%s' has no way to narrow a list",
		       field->key);
}

int policy_narrow(struct arena *arena, const struct policy_context *context,
		  const struct policy *base, const struct policy *over,
		  enum policy_narrower by, struct policy *out,
		  struct policy_refusals *refused, struct err *err)
{
	struct policy result = *base;
	struct narrowing n = { arena, context, base,	over,
			       by,    &result, refused, err };

	for (size_t i = 0; i < policy_fields_n; i++) {
		const struct policy_field *field = &policy_fields[i];

		if (!policy_field_is_list(field))
			narrow_scalar(&n, field);
		else if (narrow_list(&n, field) < 0)
			return -1;
	}
	*out = result;
	return 0;
}
