/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd/import_json.c - JSON of other programs to a tree with places
 *
 * Runs in:  the caller's process.
 * Trusts:   nothing in the text.
 * Must not: understand the text in two ways: jansson decides what it says,
 *           and what walks over it afterwards only counts.
 *
 * jansson tells where a syntax error is, not where a value stood. So the text
 * it has accepted is walked along with the values it made of it, which come in
 * the order written.
 */
#include "cmd/import_json.h"

#include <jansson.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/jsonc_strip.h"
#include "base/yaml.h"

enum { DEPTH_MAX = 32 };

struct walker {
	struct arena *arena;
	const char *source;
	const char *text; /* as in the file */
	const char *v; /* the same without comments; valid JSON */
	size_t n;
	size_t i;
	/* the place of the last offset asked for, to go on from there */
	size_t at;
	unsigned int line;
	unsigned int column;
	struct err *err;
};

/* Columns are characters of the file, comments included. */
static void find_place(struct walker *w, size_t offset)
{
	for (; w->at < offset && w->at < w->n; w->at++) {
		if (w->text[w->at] == '\n') {
			w->line++;
			w->column = 1;
		} else if (((unsigned char)w->text[w->at + 1] & 0xc0) != 0x80) {
			w->column++;
		}
	}
}

static int fail_here(struct walker *w, size_t offset, const char *what)
{
	find_place(w, offset);
	return err_set(w->err, ERR_POLICY, "%s:%u:%u: %s", w->source, w->line,
		       w->column, what);
}

static void skip_blanks(struct walker *w)
{
	while (w->i < w->n && strchr(" \t\r\n", w->v[w->i]))
		w->i++;
}

/* Over a string or a word; brackets and signs are single characters. */
static void skip_token(struct walker *w)
{
	if (w->v[w->i] == '"') {
		for (w->i++; w->v[w->i] != '"'; w->i++)
			w->i += w->v[w->i] == '\\';
		w->i++;
		return;
	}
	w->i += strcspn(w->v + w->i, " \t\r\n,:[]{}\"");
}

/* To the next token, over one sign that may stand before it. */
static void skip_sign(struct walker *w, const char *signs)
{
	skip_blanks(w);
	if (w->i < w->n && strchr(signs, w->v[w->i]))
		w->i++;
	skip_blanks(w);
}

static int build_value(struct walker *w, const json_t *value,
		       unsigned int depth, struct yaml_node *out);

static struct yaml_node *add_child(struct walker *w, struct yaml_node *parent,
				   struct yaml_node *last)
{
	struct yaml_node *node = arena_array(w->arena, struct yaml_node, 1);

	if (last)
		last->next = node;
	else
		parent->first = node;
	parent->n++;
	return node;
}

static int build_list(struct walker *w, const json_t *list, unsigned int depth,
		      struct yaml_node *out)
{
	struct yaml_node *last = NULL;

	for (size_t i = 0; i < json_array_size(list); i++) {
		skip_sign(w, "[,");
		last = add_child(w, out, last);
		if (build_value(w, json_array_get(list, i), depth, last) < 0)
			return -1;
	}
	skip_sign(w, "["); /* of an empty list */
	skip_sign(w, "]");
	return 0;
}

static int build_map(struct walker *w, json_t *map, unsigned int depth,
		     struct yaml_node *out)
{
	struct yaml_node *last = NULL;
	const char *key;
	json_t *value;

	json_object_foreach(map, key, value)
	{
		skip_sign(w, "{,");
		last = add_child(w, out, last);
		last->key = arena_strdup(w->arena, key);
		find_place(w, w->i);
		last->key_line = w->line;
		last->key_column = w->column;
		skip_token(w);
		skip_sign(w, ":");
		if (build_value(w, value, depth, last) < 0)
			return -1;
	}
	skip_sign(w, "{");
	skip_sign(w, "}");
	return 0;
}

static int build_value(struct walker *w, const json_t *value,
		       unsigned int depth, struct yaml_node *out)
{
	size_t start = w->i;

	find_place(w, start);
	out->line = w->line;
	out->column = w->column;
	if (json_is_array(value) || json_is_object(value)) {
		if (depth >= DEPTH_MAX)
			return fail_here(w, start,
					 "nested more than 32 levels deep");
		out->kind =
			json_is_array(value) ? YAML_KIND_LIST : YAML_KIND_MAP;
		if (out->kind == YAML_KIND_LIST)
			return build_list(w, value, depth + 1, out);
		return build_map(w, (json_t *)(uintptr_t)value, depth + 1, out);
	}
	out->kind = YAML_KIND_SCALAR;
	skip_token(w);
	out->plain = !json_is_string(value);
	out->text =
		out->plain ? arena_strndup(w->arena, w->v + start, w->i - start)
			   : arena_strdup(w->arena, json_string_value(value));
	return 0;
}

/* The source jansson names is its own; its place is near the offset. */
static int fail_syntax(struct walker *w, const json_error_t *error)
{
	size_t offset = error->position > 0 ? (size_t)error->position - 1 : 0;

	return fail_here(w, offset,
			 arena_printf(w->arena, "not JSON: %s", error->text));
}

int import_json_parse(struct arena *arena, const char *text, size_t n,
		      const char *source, const struct yaml_node **out,
		      struct err *err)
{
	struct walker w = { arena, source, text, NULL, n, 0, 0, 1, 1, err };
	struct yaml_node *root = arena_array(arena, struct yaml_node, 1);
	json_error_t error;
	json_t *value;
	int r;

	w.v = jsonc_strip(arena, text, n);
	value = json_loadb(w.v, n, JSON_REJECT_DUPLICATES, &error);
	if (!value)
		return fail_syntax(&w, &error);
	skip_blanks(&w);
	r = build_value(&w, value, 0, root);
	json_decref(value);
	if (r == 0)
		*out = root;
	return r;
}
