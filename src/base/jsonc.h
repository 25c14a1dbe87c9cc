/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_BASE_JSONC_H
#define CORDON_BASE_JSONC_H

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct err;
struct text;

/*
 * JSON with comments and trailing commas, looked at as bytes: where things
 * stand, so that one of them can be put in or taken out and every other byte
 * stays what it is.
 */
enum jsonc_kind { JSONC_OBJECT, JSONC_ARRAY, JSONC_STRING, JSONC_OTHER };

struct jsonc_value {
	enum jsonc_kind kind;
	size_t at; /* its first byte */
	size_t end; /* the byte after its last */
};

/* The document, which jsonc_parse() has found to be well formed. */
struct jsonc {
	const char *text;
	size_t n;
	struct jsonc_value root;
};

/* A child of an object or of an array. */
struct jsonc_child {
	size_t at; /* of its key, or of the value in an array */
	struct jsonc_value key; /* of an object's */
	struct jsonc_value value;
};

struct jsonc_children {
	struct jsonc_child *v;
	size_t n;
};

/* Fails with ERR_POLICY and "LINE:COLUMN: …". @text is borrowed. */
int jsonc_parse(const char *text, size_t n, struct jsonc *out, struct err *err);

/* In the order written; none of what has none. */
void jsonc_list(struct arena *arena, const struct jsonc *doc,
		const struct jsonc_value *container,
		struct jsonc_children *out);

/* What a string means, in UTF-8; NULL if it holds a NUL or half a pair. */
char *jsonc_string(struct arena *arena, const struct jsonc *doc,
		   const struct jsonc_value *string);

/* The members of @object with this key; more than one is a mistake. */
size_t jsonc_find(struct arena *arena, const struct jsonc *doc,
		  const struct jsonc_value *object, const char *key,
		  struct jsonc_child *out);

/*
 * The whole text with @piece, a value or "key": value without white space
 * between its parts, as the first child of @container. What is there is not
 * touched: no comma, comment or line end of others. jsonc_remove() gives back
 * the very text.
 */
void jsonc_insert(struct arena *arena, const struct jsonc *doc,
		  const struct jsonc_value *container, const char *piece,
		  struct text *out);

/* The whole text without this child. */
void jsonc_remove(struct arena *arena, const struct jsonc *doc,
		  const struct jsonc_value *container,
		  const struct jsonc_child *child, struct text *out);

/* Is @container one that came with its only child, by jsonc_insert()? */
bool jsonc_is_made(struct arena *arena, const struct jsonc *doc,
		   const struct jsonc_value *container);

/* @piece over lines, two spaces more at each level, after @indent. */
void jsonc_format(struct text *out, const char *piece, const char *newline,
		  const char *indent);

#endif
