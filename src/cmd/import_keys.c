/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd/import_keys.c - keys of another program's settings, by tables
 *
 * Runs in:  the caller's process.
 * Trusts:   nothing in the document.
 * Must not: pass over a key in silence, unless its row says so.
 */
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/yaml.h"
#include "cmd/import.h"

enum { SHOWN = 80 };

int import_fail(struct import *im, const struct yaml_node *node,
		const char *path, const char *what)
{
	return err_set(im->err, ERR_POLICY, "%s:%u:%u: %.*s%s%s", im->source,
		       node->line, node->column, SHOWN, path, *path ? ": " : "",
		       what);
}

static bool is_null(const struct yaml_node *node)
{
	return node->kind == YAML_KIND_SCALAR && node->plain &&
	       (!strcmp(node->text, "null") || !strcmp(node->text, "~") ||
		!*node->text);
}

static bool is_flag(const struct yaml_node *node)
{
	return node->kind == YAML_KIND_SCALAR && node->plain &&
	       (!strcmp(node->text, "true") || !strcmp(node->text, "false"));
}

/* Whole and not negative; how large is for the taker to say. */
static bool is_number(const struct yaml_node *node)
{
	return node->kind == YAML_KIND_SCALAR && node->plain && *node->text &&
	       !node->text[strspn(node->text, "0123456789")];
}

/* In YAML a word needs no quotes, in JSON it has them. */
static bool is_text(const struct yaml_node *node)
{
	return node->kind == YAML_KIND_SCALAR && !is_flag(node) &&
	       !is_number(node) && !is_null(node);
}

static bool is_map(const struct yaml_node *node)
{
	return node->kind == YAML_KIND_MAP;
}

struct shape {
	bool (*check)(const struct yaml_node *node);
	bool list;
	const char *what;
};

static const struct shape shapes[] = {
	[IMPORT_FLAG] = { is_flag, false, "true or false is expected" },
	[IMPORT_NUMBER] = { is_number, false, "a whole number is expected" },
	[IMPORT_TEXT] = { is_text, false, "a string is expected" },
	[IMPORT_TEXTS] = { is_text, true, "a list of strings is expected" },
	[IMPORT_NUMBERS] = { is_number, true,
			     "a list of whole numbers is expected" },
	[IMPORT_MAP] = { is_map, false, "an object is expected" },
	[IMPORT_MAPS] = { is_map, true, "a list of objects is expected" },
};

static int check_type(struct import *im, const struct yaml_node *node,
		      const char *path, enum import_type type)
{
	const struct shape *shape = &shapes[type];

	if (type == IMPORT_ANY || (!shape->list && shape->check(node)))
		return 0;
	if (!shape->list || node->kind != YAML_KIND_LIST)
		return import_fail(im, node, path, shape->what);
	for (const struct yaml_node *item = node->first; item;
	     item = item->next) {
		if (!shape->check(item))
			return import_fail(im, item, path, shape->what);
	}
	return 0;
}

/* Does it ask for anything? */
static bool says_something(const struct yaml_node *node)
{
	if (node->kind != YAML_KIND_SCALAR)
		return node->n > 0;
	return !(node->plain && !strcmp(node->text, "false"));
}

static void note_key(struct import *im, const struct yaml_node *node,
		     const char *path, const struct import_key *row)
{
	const struct yaml_node *item = node->first;

	if (!row->why || !says_something(node))
		return;
	if (row->type != IMPORT_TEXTS && row->type != IMPORT_NUMBERS) {
		import_note(im, row->loss, path, node,
			    row->type == IMPORT_TEXT ? node->text : NULL,
			    row->why);
		return;
	}
	for (; item; item = item->next)
		import_note(im, row->loss, path, item, item->text, row->why);
}

static const struct import_key *find_row(const struct import_key *keys,
					 const char *name)
{
	for (; keys->name; keys++) {
		if (!strcmp(keys->name, name))
			return keys;
	}
	return NULL;
}

static int take_key(struct import *im, const struct yaml_node *node,
		    const char *path, const struct import_key *row)
{
	if (!row) {
		import_note(im, IMPORT_TOLD, path, node, NULL,
			    "this key is not known and was not looked at");
		return 0;
	}
	if (check_type(im, node, path, row->type) < 0)
		return -1;
	if (row->take)
		return row->take(im, node, path);
	note_key(im, node, path, row);
	return 0;
}

int import_take_map(struct import *im, const struct yaml_node *map,
		    const char *path, const struct import_key *keys)
{
	for (const struct yaml_node *node = map->first; node;
	     node = node->next) {
		const char *where = *path ? arena_printf(im->arena, "%s.%s",
							 path, node->key)
					  : node->key;

		if (is_null(node))
			continue;
		if (take_key(im, node, where, find_row(keys, node->key)) < 0)
			return -1;
	}
	return 0;
}

const struct yaml_node *import_find(const struct yaml_node *map,
				    const char *key)
{
	const struct yaml_node *node = map && map->kind == YAML_KIND_MAP
					       ? yaml_node_get(map, key)
					       : NULL;

	return node && !is_null(node) ? node : NULL;
}

bool import_is_true(const struct yaml_node *node)
{
	return node && is_flag(node) && node->text[0] == 't';
}

static int take_paths(struct import *im, const struct yaml_node *node,
		      const char *path, const char *key, enum import_loss loss)
{
	for (node = node->first; node; node = node->next)
		import_add_path(im, key, node->text, loss, node, path);
	return 0;
}

int import_take_deny_read(struct import *im, const struct yaml_node *node,
			  const char *path)
{
	return take_paths(im, node, path, "filesystem.deny_read",
			  IMPORT_DENIED);
}

int import_take_allow_read(struct import *im, const struct yaml_node *node,
			   const char *path)
{
	return take_paths(im, node, path, "filesystem.allow_read",
			  IMPORT_ALLOWED);
}

int import_take_allow_write(struct import *im, const struct yaml_node *node,
			    const char *path)
{
	return take_paths(im, node, path, "filesystem.allow_write",
			  IMPORT_ALLOWED);
}

int import_take_deny_write(struct import *im, const struct yaml_node *node,
			   const char *path)
{
	return take_paths(im, node, path, "filesystem.deny_write",
			  IMPORT_DENIED);
}
