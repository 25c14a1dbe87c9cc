/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/decode.c - a document to a struct policy, by the field table
 *
 * Runs in:  whoever reads a policy.
 * Trusts:   nothing: the document may be a project's.
 * Must not: accept what it does not understand. Every scalar gets its type
 *           from the table, so that `no` is a name where a name belongs.
 */
#include "policy/decode.h"

#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/yaml.h"
#include "policy/fields.h"
#include "policy/format.h"
#include "policy/values.h"

enum { SHOWN = 80 };

/* Where a value stands; column 0 on the command line. */
struct place {
	struct policy_origin origin;
	unsigned int column;
	const char *base;
};

struct decoder {
	struct arena *arena;
	const struct policy_document *document;
	struct policy *out;
	struct err *err;
};

static struct place place_of(const struct decoder *d,
			     const struct yaml_node *node)
{
	struct place place = {
		.origin = { d->document->source, node->line },
		.column = node->column,
		.base = d->document->base,
	};

	return place;
}

static int fail_value(const struct place *place, const char *key,
		      const char *wrong, struct err *err)
{
	if (!place->column)
		return err_set(err, ERR_USAGE, "%s", wrong);
	return err_set(err, ERR_POLICY, "%s:%u:%u: %s: %s",
		       place->origin.source, place->origin.line, place->column,
		       key, wrong);
}

static int fail_node(const struct decoder *d, const struct yaml_node *node,
		     const char *key, const char *wrong)
{
	struct place place = place_of(d, node);

	return fail_value(&place, key, wrong, d->err);
}

static int set_scalar(struct arena *arena, const struct policy_field *field,
		      const char *text, const struct place *place,
		      struct policy_scalar *out, struct err *err)
{
	struct policy_scalar scalar = { .set = true, .origin = place->origin };
	const char *wrong;

	wrong = policy_value_parse(arena, field, text, &scalar.number);
	if (wrong)
		return fail_value(place, field->key, wrong, err);
	if (!strcmp(field->key, "version") && scalar.number != 1)
		return fail_value(place, field->key,
				  "this build reads version 1", err);
	if (field->type == POLICY_TEXT) {
		scalar.text = arena_strdup(arena, text);
		/* A scalar has no base of its own. */
		if (field->form == POLICY_FORM_SYSCALLS && place->base &&
		    !strchr("/~$", text[0]) && strcmp(text, "default") &&
		    strcmp(text, "strict"))
			scalar.text =
				arena_printf(arena, "%s/%s", place->base, text);
	}
	*out = scalar;
	return 0;
}

static void push_item(struct arena *arena, struct policy_list *list,
		      const struct policy_item *item)
{
	struct policy_item *v = arena_grow(arena, (void *)(uintptr_t)list->v,
					   list->n, sizeof(*v));

	v[list->n++] = *item;
	list->v = v;
}

static int add_item(struct arena *arena, const struct policy_field *field,
		    const char *text, const struct place *place,
		    struct policy_list *list, struct err *err)
{
	struct policy_item item = { .base = NULL, .origin = place->origin };
	const char *wrong = policy_value_check(arena, field, text);

	if (wrong)
		return fail_value(place, field->key, wrong, err);
	item.text = arena_strdup(arena, text);
	if (field->form == POLICY_FORM_PATH ||
	    field->form == POLICY_FORM_PROFILE)
		item.base = place->base;
	push_item(arena, list, &item);
	return 0;
}

/* "NAME=VALUE", or "NAME" alone where it is to be removed. */
static int add_variable(struct arena *arena, const struct policy_field *field,
			const char *name, const char *value,
			const struct place *place, struct policy_list *list,
			struct err *err)
{
	struct policy_item item = { .base = NULL, .origin = place->origin };
	const char *wrong = policy_env_name_check(arena, name);

	if (wrong)
		return fail_value(place, field->key, wrong, err);
	item.text = value ? arena_printf(arena, "%s=%s", name, value)
			  : arena_strdup(arena, name);
	push_item(arena, list, &item);
	return 0;
}

static int decode_items(const struct decoder *d,
			const struct policy_field *field,
			const struct yaml_node *node, struct policy_list *out)
{
	for (const struct yaml_node *item = node->first; item;
	     item = item->next) {
		struct place place = place_of(d, item);
		int r;

		if (item->kind != YAML_KIND_SCALAR)
			return fail_node(d, item, field->key,
					 "an item is a text");
		if (field->type == POLICY_MAP)
			r = add_variable(d->arena, field, item->text, NULL,
					 &place, out, d->err);
		else
			r = add_item(d->arena, field, item->text, &place, out,
				     d->err);
		if (r < 0)
			return -1;
	}
	return 0;
}

static int decode_pairs(const struct decoder *d,
			const struct policy_field *field,
			const struct yaml_node *node, struct policy_list *out)
{
	for (const struct yaml_node *pair = node->first; pair;
	     pair = pair->next) {
		struct place place = place_of(d, pair);

		if (pair->kind != YAML_KIND_SCALAR)
			return fail_node(d, pair, field->key,
					 "the value of a variable is a text");
		if (add_variable(d->arena, field, pair->key, pair->text, &place,
				 out, d->err) < 0)
			return -1;
	}
	return 0;
}

/*
 * {replace: …} or {remove: …}, told from a map of variables by what it holds:
 * the value of a variable is never a list or a map.
 */
static const struct yaml_node *find_change(const struct yaml_node *node,
					   enum policy_list_op *op)
{
	const struct yaml_node *inner = node->first;

	if (node->kind != YAML_KIND_MAP || node->n != 1 ||
	    inner->kind == YAML_KIND_SCALAR)
		return NULL;
	if (!strcmp(inner->key, "replace"))
		*op = POLICY_REPLACE;
	else if (!strcmp(inner->key, "remove"))
		*op = POLICY_REMOVE;
	else
		return NULL;
	return inner;
}

static int decode_list(const struct decoder *d,
		       const struct policy_field *field,
		       const struct yaml_node *node, struct policy_list *out)
{
	const struct yaml_node *inner = find_change(node, &out->op);
	bool extends = field->form == POLICY_FORM_PROFILE;

	out->origin = place_of(d, node).origin;

	if (inner && extends)
		return fail_node(d, node, field->key,
				 "expected a name or a list of names");
	if (extends && node->kind == YAML_KIND_SCALAR) {
		struct place place = place_of(d, node);

		return add_item(d->arena, field, node->text, &place, out,
				d->err);
	}
	if (inner)
		node = inner;
	if (field->type == POLICY_MAP && out->op != POLICY_REMOVE) {
		if (node->kind != YAML_KIND_MAP)
			return fail_node(d, node, field->key,
					 "expected names and values, such as "
					 "{NAME: value}");
		return decode_pairs(d, field, node, out);
	}
	if (node->kind != YAML_KIND_LIST)
		return fail_node(d, node, field->key,
				 "expected a list, such as [a, b], or "
				 "{replace: [a, b]} or {remove: [a, b]}");
	return decode_items(d, field, node, out);
}

static int decode_field(const struct decoder *d,
			const struct policy_field *field,
			const struct yaml_node *node)
{
	struct place place = place_of(d, node);

	if (policy_field_is_list(field))
		return decode_list(d, field, node,
				   policy_field_list_of(field, d->out));
	if (node->kind != YAML_KIND_SCALAR)
		return fail_node(d, node, field->key,
				 "expected a single value");
	return set_scalar(d->arena, field, node->text, &place,
			  policy_field_scalar_of(field, d->out), d->err);
}

static bool is_section(const char *key)
{
	size_t len = strlen(key);

	for (size_t i = 0; i < policy_fields_n; i++) {
		if (!strncmp(policy_fields[i].key, key, len) &&
		    policy_fields[i].key[len] == '.')
			return true;
	}
	return false;
}

static int fail_unknown(const struct decoder *d, const struct yaml_node *node,
			const char *key)
{
	const char *near = policy_field_nearest(d->arena, key);

	return err_set(d->err, ERR_POLICY, "%s:%u:%u: unknown key '%.*s'%s%s%s",
		       d->document->source, node->key_line, node->key_column,
		       SHOWN, key, near ? ": did you mean '" : "",
		       near ? near : "", near ? "'?" : "");
}

/* An empty section is a heading whose keys are all commented out. */
static bool is_nothing(const struct yaml_node *node)
{
	return node->kind == YAML_KIND_SCALAR && node->plain && !node->text[0];
}

static int decode_section(const struct decoder *d,
			  const struct yaml_node *section, const char *prefix)
{
	for (const struct yaml_node *node = section->first; node;
	     node = node->next) {
		const struct policy_field *field;
		const char *key = node->key;

		if (*prefix)
			key = arena_printf(d->arena, "%s.%s", prefix, key);
		field = policy_field_find(key);
		if (!field && (!is_section(key) || strchr(node->key, '.')))
			return fail_unknown(d, node, key);
		if (field && strchr(node->key, '.'))
			return fail_unknown(d, node, key);
		if (field) {
			if (decode_field(d, field, node) < 0)
				return -1;
		} else if (node->kind == YAML_KIND_MAP) {
			if (decode_section(d, node, key) < 0)
				return -1;
		} else if (!is_nothing(node)) {
			return fail_node(d, node, key,
					 "expected keys and values");
		}
	}
	return 0;
}

int policy_decode(struct arena *arena, const struct policy_document *document,
		  struct policy *out, struct err *err)
{
	struct policy policy = { 0 };
	struct decoder d = { arena, document, &policy, err };
	const struct yaml_node *root;

	if (yaml_tree_parse(arena, document->text, document->n,
			    document->source, &root, err) < 0)
		return -1;
	if (root && root->kind != YAML_KIND_MAP && !is_nothing(root))
		return err_set(err, ERR_POLICY,
			       "%s:%u:%u: expected keys and values, such as "
			       "'filesystem:'",
			       document->source, root->line, root->column);
	if (root && decode_section(&d, root, "") < 0)
		return -1;
	*out = policy;
	return 0;
}

static int set_variable(struct arena *arena, const struct policy_field *field,
			const char *pair, const struct place *place,
			struct policy_list *list, struct err *err)
{
	const char *equals = strchr(pair, '=');

	if (!equals)
		return fail_value(place, field->key, "expected NAME=VALUE",
				  err);
	return add_variable(arena, field,
			    arena_strndup(arena, pair, (size_t)(equals - pair)),
			    equals + 1, place, list, err);
}

int policy_set_text(struct arena *arena, struct policy *policy, const char *key,
		    const char *value, struct policy_origin origin,
		    struct err *err)
{
	const struct policy_field *field = policy_field_find(key);
	struct place place = { .origin = origin };

	if (!field)
		return err_set(err, ERR_BUG, "no policy key '%s'", key);
	switch (field->type) {
	case POLICY_LIST:
		return add_item(arena, field, value, &place,
				policy_field_list_of(field, policy), err);
	case POLICY_MAP:
		return set_variable(arena, field, value, &place,
				    policy_field_list_of(field, policy), err);
	case POLICY_BOOL:
	case POLICY_CHOICE:
	case POLICY_INTEGER:
	case POLICY_SIZE:
	case POLICY_DURATION:
	case POLICY_CPUS:
	case POLICY_TEXT:
		break;
	}
	return set_scalar(arena, field, value, &place,
			  policy_field_scalar_of(field, policy), err);
}
