/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_BASE_YAML_H
#define CORDON_BASE_YAML_H

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct err;

enum yaml_kind { YAML_KIND_SCALAR, YAML_KIND_LIST, YAML_KIND_MAP };

/*
 * A document as a tree that knows where each part stood. Scalars are text:
 * what `no` or `010` means is for the reader to say.
 */
struct yaml_node {
	enum yaml_kind kind;
	unsigned int line; /* from 1 */
	unsigned int column; /* from 1, in characters */
	bool plain; /* scalar without quotes */
	const char *text; /* scalar; holds no NUL, is UTF-8 */
	const struct yaml_node *first; /* list, map: first child */
	size_t n; /* list, map: children */
	const struct yaml_node *next; /* sibling, in the order written */
	const char *key; /* in a map; else NULL */
	unsigned int key_line;
	unsigned int key_column;
};

/*
 * Parses one document of YAML 1.1 without anchors, aliases, tags, directives
 * of tags, keys that are not scalars and keys that occur twice; at most 32
 * levels deep and 200 000 nodes. *@out is NULL for an empty document. Fails
 * with ERR_POLICY and "SOURCE:LINE:COLUMN: …".
 */
int yaml_tree_parse(struct arena *arena, const char *text, size_t n,
		    const char *source, const struct yaml_node **out,
		    struct err *err);

/* The child of a map, NULL if there is none. */
const struct yaml_node *yaml_node_get(const struct yaml_node *map,
				      const char *key);

#endif
