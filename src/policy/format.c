/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/format.c - a policy as text
 *
 * Runs in:  whoever shows a policy.
 * Trusts:   nothing: items may hold anything but NUL.
 * Must not: print a text that is not quoted and escaped: it may reach a
 *           terminal.
 */
#include "policy/format.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "policy/fields.h"
#include "policy/match.h"

struct unit {
	const char *name;
	int64_t scale;
};

static const struct unit size_units[] = {
	{ "TiB", INT64_C(1) << 40 }, { "GiB", 1 << 30 }, { "MiB", 1 << 20 },
	{ "KiB", 1 << 10 },	     { "", 1 },
};

static const struct unit duration_units[] = {
	{ "h", 3600 * 1000 },
	{ "m", 60 * 1000 },
	{ "s", 1000 },
	{ "ms", 1 },
};

/* In the largest unit that leaves no rest. */
static const char *format_units(struct arena *arena, int64_t value,
				const struct unit *unit)
{
	if (!value)
		return "0";
	while (value % unit->scale)
		unit++;
	return arena_printf(arena, "%lld%s", (long long)(value / unit->scale),
			    unit->name);
}

static const char *format_cpus(struct arena *arena, int64_t thousandths)
{
	char *s = arena_printf(arena, "%lld.%03lld",
			       (long long)(thousandths / 1000),
			       (long long)(thousandths % 1000));
	size_t n = strlen(s);

	while (s[n - 1] == '0')
		s[--n] = '\0';
	if (s[n - 1] == '.')
		s[--n] = '\0';
	return s;
}

const char *policy_scalar_format(struct arena *arena,
				 const struct policy_field *field,
				 const struct policy_scalar *scalar)
{
	switch (field->type) {
	case POLICY_BOOL:
		return scalar->number ? "true" : "false";
	case POLICY_CHOICE:
		return field->choices[scalar->number];
	case POLICY_INTEGER:
		return arena_printf(arena, "%lld", (long long)scalar->number);
	case POLICY_SIZE:
		return format_units(arena, scalar->number, size_units);
	case POLICY_DURATION:
		return format_units(arena, scalar->number, duration_units);
	case POLICY_CPUS:
		return format_cpus(arena, scalar->number);
	case POLICY_TEXT:
		return scalar->text ? scalar->text : "";
	case POLICY_LIST:
	case POLICY_MAP:
		break;
	}
	return "";
}

const char *policy_origin_format(struct arena *arena,
				 const struct policy_origin *origin)
{
	if (!origin->source)
		return "built-in";
	if (!origin->line)
		return origin->source;
	return arena_printf(arena, "%s:%u", origin->source, origin->line);
}

bool policy_origin_is_option(const struct policy_origin *origin)
{
	return origin->source && !strncmp(origin->source, "--", 2);
}

/* Relative paths are shown with what they are relative to. */
static const char *item_text(struct arena *arena,
			     const struct policy_field *field,
			     const struct policy_item *item)
{
	if (field->form != POLICY_FORM_PATH || !item->base ||
	    strchr("/~$", item->text[0]))
		return item->text;
	return arena_printf(arena, "%s/%s", item->base, item->text);
}

static json_t *json_text(struct arena *arena, const char *s)
{
	struct text text = { .arena = arena };
	json_t *value = json_string(s);

	if (value)
		return value;
	/* Not UTF-8, as a path on the command line may be. */
	text_add_escaped(&text, s);
	return json_string(text_str(&text));
}

/* The code point at @s, which is UTF-8, and its length. */
static unsigned int code_point(const char *s, size_t *len)
{
	const unsigned char *u = (const unsigned char *)s;
	unsigned int c;

	*len = u[0] < 0x80 ? 1 : u[0] < 0xe0 ? 2 : u[0] < 0xf0 ? 3 : 4;
	c = *len == 1 ? u[0] : u[0] & (0x7fU >> *len);
	for (size_t i = 1; i < *len; i++)
		c = c << 6 | (u[i] & 0x3fU);
	return c;
}

/*
 * What jansson leaves as it is although a terminal obeys it (DEL, C1, marks
 * of direction) or YAML takes it for a line break is escaped. All of it lies
 * in the basic plane: YAML knows no pairs of surrogates.
 */
static char *dump_json(struct arena *arena, const json_t *value, size_t flags)
{
	struct text out = { .arena = arena };
	char *dumped = json_dumps(value, flags);

	for (const char *s = dumped ? dumped : "null"; *s;) {
		size_t len;
		unsigned int c = code_point(s, &len);

		if (c == 0x7f || (c >= 0x80 && c <= 0xa0) ||
		    (c >= 0x2000 && c < 0x2070) || (c >= 0xfe00 && c < 0x10000))
			text_addf(&out, "\\u%04x", c);
		else
			text_addn(&out, s, len);
		s += len;
	}
	free(dumped);
	return out.v;
}

/* As in JSON, which is YAML. */
const char *policy_text_quote(struct arena *arena, const char *s)
{
	json_t *value = json_text(arena, s);
	const char *quoted = dump_json(arena, value, JSON_ENCODE_ANY);

	json_decref(value);
	return quoted;
}

const char *policy_option_format(struct arena *arena, const char *name,
				 const char *path)
{
	struct text escaped = { .arena = arena };
	struct text out = { .arena = arena };

	if (!text_is_printable(path))
		return NULL;
	policy_path_escape(&escaped, path, strlen(path));
	text_addf(&out, "--%s=", name);
	text_add_quoted(&out, text_str(&escaped));
	return text_str(&out);
}

struct yaml_printer {
	struct text *out;
	bool origins;
	const char *section; /* key whose headings were printed last */
};

static void print_end(struct yaml_printer *p,
		      const struct policy_origin *origin)
{
	if (p->origins) {
		text_add(p->out, "  # ");
		text_add_escaped(p->out,
				 policy_origin_format(p->out->arena, origin));
	}
	text_add(p->out, "\n");
}

static void print_indent(struct yaml_printer *p, unsigned int depth)
{
	text_addf(p->out, "%*s", (int)(depth * 2), "");
}

/* The headings above @key that were not printed yet; returns the depth. */
static unsigned int print_headings(struct yaml_printer *p, const char *key)
{
	unsigned int depth = 0;

	for (const char *part = key, *dot; (dot = strchr(part, '.'));
	     part = dot + 1, depth++) {
		size_t len = (size_t)(dot - key) + 1;

		if (p->section && !strncmp(p->section, key, len))
			continue;
		print_indent(p, depth);
		text_addf(p->out, "%.*s:\n", (int)(dot - part), part);
	}
	p->section = key;
	return depth;
}

static const char *last_part(const char *key)
{
	const char *dot = strrchr(key, '.');

	return dot ? dot + 1 : key;
}

static void print_scalar(struct yaml_printer *p,
			 const struct policy_field *field,
			 const struct policy_scalar *scalar)
{
	struct arena *arena = p->out->arena;
	const char *value = policy_scalar_format(arena, field, scalar);

	if (field->type == POLICY_TEXT)
		value = policy_text_quote(arena, value);
	print_indent(p, print_headings(p, field->key));
	text_addf(p->out, "%s: %s", last_part(field->key), value);
	print_end(p, &scalar->origin);
}

static void print_item(struct yaml_printer *p, const struct policy_field *field,
		       const struct policy_item *item, bool pair)
{
	struct arena *arena = p->out->arena;
	const char *equals = strchr(item->text, '=');

	if (pair && equals)
		text_addf(p->out, "%.*s: %s", (int)(equals - item->text),
			  item->text, policy_text_quote(arena, equals + 1));
	else
		text_addf(p->out, "- %s",
			  policy_text_quote(arena,
					    item_text(arena, field, item)));
	print_end(p, &item->origin);
}

static void print_list(struct yaml_printer *p, const struct policy_field *field,
		       const struct policy_list *list)
{
	static const char *const ops[] = { "", "replace", "remove" };
	bool pairs = field->type == POLICY_MAP && list->op != POLICY_REMOVE;
	unsigned int depth = print_headings(p, field->key);

	print_indent(p, depth++);
	text_addf(p->out, "%s:", last_part(field->key));
	if (list->op != POLICY_APPEND) {
		text_add(p->out, "\n");
		print_indent(p, depth++);
		text_addf(p->out, "%s:", ops[list->op]);
	}
	if (!list->n)
		text_add(p->out, pairs ? " {}" : " []");
	text_add(p->out, "\n");
	for (size_t i = 0; i < list->n; i++) {
		print_indent(p, depth);
		print_item(p, field, &list->v[i], pairs);
	}
}

void policy_format_yaml(struct text *out, const struct policy *policy,
			bool origins)
{
	struct yaml_printer p = { .out = out, .origins = origins };

	for (size_t i = 0; i < policy_fields_n; i++) {
		const struct policy_field *field = &policy_fields[i];
		const struct policy_scalar *scalar;
		const struct policy_list *list;

		if (policy_field_is_list(field)) {
			list = policy_field_list(field, policy);
			if (list->n || list->op == POLICY_REPLACE)
				print_list(&p, field, list);
			continue;
		}
		scalar = policy_field_scalar(field, policy);
		if (scalar->set)
			print_scalar(&p, field, scalar);
	}
}

/* The object that holds @key, made where it is missing. */
static json_t *json_section(json_t *root, const char *key)
{
	json_t *at = root;

	for (const char *dot; (dot = strchr(key, '.')); key = dot + 1) {
		char part[64];
		json_t *inner;

		memcpy(part, key, (size_t)(dot - key));
		part[dot - key] = '\0';
		inner = json_object_get(at, part);
		if (!inner) {
			inner = json_object();
			json_object_set_new(at, part, inner);
		}
		at = inner;
	}
	return at;
}

static json_t *with_origin(struct arena *arena, json_t *value,
			   const struct policy_origin *origin, bool origins)
{
	json_t *both;

	if (!origins)
		return value;
	both = json_object();
	json_object_set_new(both, "value", value);
	json_object_set_new(
		both, "origin",
		json_text(arena, policy_origin_format(arena, origin)));
	return both;
}

static json_t *scalar_json(struct arena *arena,
			   const struct policy_field *field,
			   const struct policy_scalar *scalar)
{
	if (field->type == POLICY_BOOL)
		return json_boolean(scalar->number);
	if (field->type == POLICY_INTEGER)
		return json_integer(scalar->number);
	return json_text(arena, policy_scalar_format(arena, field, scalar));
}

static json_t *pairs_json(struct arena *arena, const struct policy_list *list,
			  bool origins)
{
	json_t *pairs = json_object();

	for (size_t i = 0; i < list->n; i++) {
		const struct policy_item *item = &list->v[i];
		size_t len = strcspn(item->text, "=");
		const char *value = item->text + len + (item->text[len] == '=');

		json_object_set_new(pairs,
				    arena_strndup(arena, item->text, len),
				    with_origin(arena, json_text(arena, value),
						&item->origin, origins));
	}
	return pairs;
}

static json_t *items_json(struct arena *arena, const struct policy_field *field,
			  const struct policy_list *list, bool origins)
{
	json_t *items = json_array();

	for (size_t i = 0; i < list->n; i++) {
		const struct policy_item *item = &list->v[i];
		json_t *text = json_text(arena, item_text(arena, field, item));

		json_array_append_new(
			items,
			with_origin(arena, text, &item->origin, origins));
	}
	return items;
}

static json_t *list_json(struct arena *arena, const struct policy_field *field,
			 const struct policy_list *list, bool origins)
{
	json_t *all, *change;

	if (field->type == POLICY_MAP && list->op != POLICY_REMOVE)
		all = pairs_json(arena, list, origins);
	else
		all = items_json(arena, field, list, origins);
	if (list->op == POLICY_APPEND)
		return all;
	change = json_object();
	json_object_set_new(
		change, list->op == POLICY_REPLACE ? "replace" : "remove", all);
	return change;
}

static json_t *field_json(struct arena *arena, const struct policy_field *field,
			  const struct policy *policy, bool origins)
{
	const struct policy_scalar *scalar;
	const struct policy_list *list;

	if (policy_field_is_list(field)) {
		list = policy_field_list(field, policy);
		if (!list->n && list->op != POLICY_REPLACE)
			return NULL;
		return list_json(arena, field, list, origins);
	}
	scalar = policy_field_scalar(field, policy);
	if (!scalar->set)
		return NULL;
	return with_origin(arena, scalar_json(arena, field, scalar),
			   &scalar->origin, origins);
}

char *policy_format_json(struct arena *arena, const struct policy *policy,
			 bool origins)
{
	json_t *root = json_object();
	char *dumped;

	for (size_t i = 0; i < policy_fields_n; i++) {
		const char *key = policy_fields[i].key;
		json_t *value =
			field_json(arena, &policy_fields[i], policy, origins);

		if (value)
			json_object_set_new(json_section(root, key),
					    last_part(key), value);
	}
	dumped = dump_json(arena, root, JSON_INDENT(2));
	json_decref(root);
	return dumped;
}
