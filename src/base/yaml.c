/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/yaml.c - YAML text to a tree of nodes with places
 *
 * Runs in:  whoever reads a policy, before anything is decided.
 * Trusts:   nothing: a project's file may be written to confuse us.
 * Must not: expand anything. An alias would let a small file grow without
 *           bound, a tag would change what a scalar means.
 *
 * libyaml's scanner is quadratic in deeply nested flow collections, so the
 * depth is bounded while the events come, not afterwards.
 */
#include "base/yaml.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/arena.h"
#include "base/err.h"

enum { DEPTH_MAX = 32, NODES_MAX = 200 * 1000, KEY_SHOWN = 80 };

struct builder {
	struct arena *arena;
	const char *source;
	yaml_parser_t parser;
	size_t nodes;
	struct err *err;
};

/* Where one child after the other is hung. */
struct children {
	struct yaml_node *first;
	struct yaml_node **end;
	size_t n;
};

static int fail_at(const struct builder *b, const yaml_mark_t *mark,
		   const char *what)
{
	return err_set(b->err, ERR_POLICY, "%s:%zu:%zu: %s", b->source,
		       mark->line + 1, mark->column + 1, what);
}

static int fail_parser(const struct builder *b)
{
	const yaml_parser_t *p = &b->parser;

	if (p->error == YAML_MEMORY_ERROR)
		return err_set(b->err, ERR_SYS, "%s: out of memory", b->source);
	/* The reader knows bytes, not lines: the scanner's mark is near. */
	if (p->error == YAML_READER_ERROR)
		return err_set(b->err, ERR_POLICY,
			       "%s:%zu:%zu: not UTF-8 text: %s at byte %zu",
			       b->source, p->mark.line + 1, p->mark.column + 1,
			       p->problem ? p->problem : "bad byte",
			       p->problem_offset);
	return err_set(b->err, ERR_POLICY, "%s:%zu:%zu: %s%s%s", b->source,
		       p->problem_mark.line + 1, p->problem_mark.column + 1,
		       p->problem ? p->problem : "not YAML",
		       p->context ? " " : "", p->context ? p->context : "");
}

static int next_event(struct builder *b, yaml_event_t *event)
{
	if (!yaml_parser_parse(&b->parser, event))
		return fail_parser(b);
	return 0;
}

static int check_scalar(const struct builder *b, const yaml_event_t *event)
{
	const yaml_mark_t *at = &event->start_mark;

	if (event->data.scalar.anchor)
		return fail_at(b, at,
			       "anchors are not accepted: write the "
			       "value where it is used");
	if (event->data.scalar.tag)
		return fail_at(b, at, "tags are not accepted");
	if (memchr(event->data.scalar.value, '\0', event->data.scalar.length))
		return fail_at(b, at, "the text holds a NUL character");
	return 0;
}

static int check_event(const struct builder *b, const yaml_event_t *event)
{
	const yaml_mark_t *at = &event->start_mark;

	switch ((int)event->type) {
	case YAML_ALIAS_EVENT:
		return fail_at(b, at,
			       "aliases are not accepted: write the "
			       "value where it is used");
	case YAML_SCALAR_EVENT:
		return check_scalar(b, event);
	case YAML_SEQUENCE_START_EVENT:
		if (event->data.sequence_start.anchor)
			return fail_at(b, at, "anchors are not accepted");
		if (event->data.sequence_start.tag)
			return fail_at(b, at, "tags are not accepted");
		return 0;
	case YAML_MAPPING_START_EVENT:
		if (event->data.mapping_start.anchor)
			return fail_at(b, at, "anchors are not accepted");
		if (event->data.mapping_start.tag)
			return fail_at(b, at, "tags are not accepted");
		return 0;
	default:
		return 0;
	}
}

static int build_node(struct builder *b, const yaml_event_t *event,
		      unsigned int depth, struct yaml_node *out);

static int add_child(struct builder *b, struct children *list,
		     const yaml_event_t *event, unsigned int depth,
		     const struct yaml_node *key)
{
	struct yaml_node *node = arena_array(b->arena, struct yaml_node, 1);

	if (build_node(b, event, depth, node) < 0)
		return -1;
	if (key) {
		node->key = key->text;
		node->key_line = key->line;
		node->key_column = key->column;
	}
	*list->end = node;
	/* The tree is const for its readers only. */
	list->end = (struct yaml_node **)(uintptr_t)&node->next;
	list->n++;
	return 0;
}

static int build_list(struct builder *b, unsigned int depth,
		      struct children *list)
{
	for (;;) {
		yaml_event_t event;
		int r;

		if (next_event(b, &event) < 0)
			return -1;
		if (event.type == YAML_SEQUENCE_END_EVENT) {
			yaml_event_delete(&event);
			return 0;
		}
		r = add_child(b, list, &event, depth, NULL);
		yaml_event_delete(&event);
		if (r < 0)
			return -1;
	}
}

/* Reads the value that belongs to @key. */
static int add_pair(struct builder *b, unsigned int depth,
		    const yaml_event_t *event, struct children *list)
{
	struct yaml_node key = { 0 };
	yaml_event_t value;
	int r;

	if (build_node(b, event, depth, &key) < 0)
		return -1;
	if (key.kind != YAML_KIND_SCALAR)
		return fail_at(b, &event->start_mark, "a key must be a word");
	if (next_event(b, &value) < 0)
		return -1;
	r = add_child(b, list, &value, depth, &key);
	yaml_event_delete(&value);
	return r;
}

static int build_map(struct builder *b, unsigned int depth,
		     struct children *list)
{
	for (;;) {
		yaml_event_t event;
		int r;

		if (next_event(b, &event) < 0)
			return -1;
		if (event.type == YAML_MAPPING_END_EVENT) {
			yaml_event_delete(&event);
			return 0;
		}
		r = add_pair(b, depth, &event, list);
		yaml_event_delete(&event);
		if (r < 0)
			return -1;
	}
}

static int compare_keys(const void *a, const void *b)
{
	const struct yaml_node *x = *(const struct yaml_node *const *)a;
	const struct yaml_node *y = *(const struct yaml_node *const *)b;
	int order = strcmp(x->key, y->key);

	if (order)
		return order;
	if (x->key_line != y->key_line)
		return x->key_line < y->key_line ? -1 : 1;
	return (x->key_column > y->key_column) -
	       (x->key_column < y->key_column);
}

static int check_duplicates(const struct builder *b,
			    const struct children *list)
{
	const struct yaml_node **keys;
	size_t n = 0;

	if (list->n < 2)
		return 0;
	keys = arena_array(b->arena, const struct yaml_node *, list->n);
	for (const struct yaml_node *node = list->first; node;
	     node = node->next)
		keys[n++] = node;
	qsort(keys, n, sizeof(*keys), compare_keys);
	for (size_t i = 1; i < n; i++) {
		if (strcmp(keys[i - 1]->key, keys[i]->key))
			continue;
		return err_set(b->err, ERR_POLICY,
			       "%s:%u:%u: key '%.*s' was given before, in "
			       "line %u",
			       b->source, keys[i]->key_line,
			       keys[i]->key_column, KEY_SHOWN, keys[i]->key,
			       keys[i - 1]->key_line);
	}
	return 0;
}

static int build_collection(struct builder *b, const yaml_event_t *event,
			    unsigned int depth, struct yaml_node *out)
{
	struct children list = { .end = &list.first };

	if (depth >= DEPTH_MAX)
		return fail_at(b, &event->start_mark,
			       "nested more than 32 levels deep");
	if (event->type == YAML_SEQUENCE_START_EVENT) {
		out->kind = YAML_KIND_LIST;
		if (build_list(b, depth + 1, &list) < 0)
			return -1;
	} else {
		out->kind = YAML_KIND_MAP;
		if (build_map(b, depth + 1, &list) < 0 ||
		    check_duplicates(b, &list) < 0)
			return -1;
	}
	out->first = list.first;
	out->n = list.n;
	return 0;
}

static int build_node(struct builder *b, const yaml_event_t *event,
		      unsigned int depth, struct yaml_node *out)
{
	if (++b->nodes > NODES_MAX)
		return fail_at(b, &event->start_mark,
			       "more than 200000 values in one document");
	if (check_event(b, event) < 0)
		return -1;

	out->line = (unsigned int)event->start_mark.line + 1;
	out->column = (unsigned int)event->start_mark.column + 1;
	if (event->type != YAML_SCALAR_EVENT)
		return build_collection(b, event, depth, out);

	out->kind = YAML_KIND_SCALAR;
	out->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	out->text =
		arena_strndup(b->arena, (const char *)event->data.scalar.value,
			      event->data.scalar.length);
	return 0;
}

/* One step of what surrounds the root: stream and document. */
static int build_outer(struct builder *b, const yaml_event_t *event,
		       const struct yaml_node **root)
{
	struct yaml_node *node;

	switch ((int)event->type) {
	case YAML_STREAM_START_EVENT:
	case YAML_STREAM_END_EVENT:
	case YAML_DOCUMENT_END_EVENT:
		return 0;
	case YAML_DOCUMENT_START_EVENT:
		if (event->data.document_start.tag_directives.start !=
		    event->data.document_start.tag_directives.end)
			return fail_at(b, &event->start_mark,
				       "tags are not accepted");
		if (*root)
			return fail_at(b, &event->start_mark,
				       "a second document begins here: one "
				       "file holds one document");
		return 0;
	default:
		node = arena_array(b->arena, struct yaml_node, 1);
		*root = node;
		return build_node(b, event, 0, node);
	}
}

static int build_document(struct builder *b, const struct yaml_node **root)
{
	bool done = false;

	while (!done) {
		yaml_event_t event;
		int r;

		if (next_event(b, &event) < 0)
			return -1;
		done = event.type == YAML_STREAM_END_EVENT;
		r = build_outer(b, &event, root);
		yaml_event_delete(&event);
		if (r < 0)
			return -1;
	}
	return 0;
}

int yaml_tree_parse(struct arena *arena, const char *text, size_t n,
		    const char *source, const struct yaml_node **out,
		    struct err *err)
{
	struct builder b = { .arena = arena, .source = source, .err = err };
	const struct yaml_node *root = NULL;
	int r;

	if (memchr(text, '\0', n))
		return err_set(err, ERR_POLICY, "%s: holds a NUL byte", source);
	if (!yaml_parser_initialize(&b.parser))
		return err_set(err, ERR_SYS, "%s: out of memory", source);
	/* Without this UTF-16 would be accepted too; with it a byte order
	 * mark is no longer taken off. */
	if (n >= 3 && !memcmp(text, "\xef\xbb\xbf", 3)) {
		text += 3;
		n -= 3;
	}
	yaml_parser_set_encoding(&b.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&b.parser, (const unsigned char *)text, n);
	r = build_document(&b, &root);
	yaml_parser_delete(&b.parser);
	if (r == 0)
		*out = root;
	return r;
}

const struct yaml_node *yaml_node_get(const struct yaml_node *map,
				      const char *key)
{
	for (const struct yaml_node *node = map->first; node;
	     node = node->next) {
		if (!strcmp(node->key, key))
			return node;
	}
	return NULL;
}
