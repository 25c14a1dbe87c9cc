/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_POLICY_FIELDS_H
#define CORDON_POLICY_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/policy.h"

struct arena;
struct text;

/*
 * The schema: one row per key, and nothing about a key anywhere else. Decoding,
 * errors, merging, narrowing, the JSON Schema and the manual follow the rows.
 */

enum policy_type {
	POLICY_BOOL, /* struct policy_scalar.number: 0, 1 */
	POLICY_CHOICE, /* .number: index in choices */
	POLICY_INTEGER, /* .number */
	POLICY_SIZE, /* .number: bytes */
	POLICY_DURATION, /* .number: milliseconds */
	POLICY_CPUS, /* .number: thousandths */
	POLICY_TEXT, /* .text */
	POLICY_LIST, /* struct policy_list */
	POLICY_MAP, /* struct policy_list of "NAME=VALUE" */
};

/* What a text or an item must look like. */
enum policy_form {
	POLICY_FORM_ANY,
	POLICY_FORM_PATH, /* not empty; relative to the item's base */
	POLICY_FORM_ENV, /* name of a variable, or a pattern of such */
	POLICY_FORM_PORT, /* 1 to 65535 */
	POLICY_FORM_PUBLISH, /* [ADDRESS:][HOST:]PORT */
	POLICY_FORM_HOST, /* name, pattern, address or network [:PORT] */
	POLICY_FORM_ENDPOINT, /* ADDRESS:PORT or nothing */
	POLICY_FORM_PROXY, /* http://HOST:PORT or nothing */
	POLICY_FORM_COMMAND, /* a program and leading arguments */
	POLICY_FORM_PROFILE, /* name or file of a policy */
	POLICY_FORM_REGEX, /* see policy/regex.h */
	POLICY_FORM_SYSCALLS, /* default, strict or a file */
	POLICY_FORM_WORD, /* one of choices */
};

/* What a document that may only narrow can do to a key. */
enum policy_narrowing {
	POLICY_NARROW_NEVER, /* nothing */
	POLICY_NARROW_GROW, /* add items */
	POLICY_NARROW_SHRINK, /* take items away, compared by their text */
	POLICY_NARROW_PATHS, /* likewise, compared by components */
	POLICY_NARROW_HOSTS, /* likewise, compared as network names */
	POLICY_NARROW_FALL, /* lower it; 0 is the highest */
	POLICY_NARROW_RANK, /* move to a choice of lower rank */
};

enum { POLICY_CHOICES_MAX = 6 };

struct policy_field {
	const char *key; /* dotted: "filesystem.deny_read" */
	enum policy_type type;
	enum policy_form form;
	size_t offset; /* in struct policy */
	const char *member; /* the same in C, for what writes C */
	const char *choices[POLICY_CHOICES_MAX + 1]; /* NULL-terminated */
	/* RANK: a digit for each choice (false, true); 0 is the narrowest */
	const char *rank;
	/* default as it would be written; "" is none or an empty list; items
	 * part at spaces */
	const char *initial;
	enum policy_narrowing narrowing;
	bool supported; /* false: refused unless at its default */
	unsigned int unsupported_choices; /* bit per choice refused */
	const char *doc; /* one sentence */
};

extern const struct policy_field policy_fields[];
extern const size_t policy_fields_n;

/* NULL if there is no such key. */
const struct policy_field *policy_field_find(const char *key);

/* Layers of a box by name, as `require` and --allow-degraded name them; ends
 * with NULL. */
const char *const *policy_layer_names(void);

/* The known key or section most like @key, for "did you mean"; or NULL. */
const char *policy_field_nearest(struct arena *arena, const char *key);
/* Likewise among @words, which end with NULL. */
const char *policy_word_nearest(const char *word, const char *const *words);

bool policy_field_is_list(const struct policy_field *field);

/* Who asks for it: the origin of a text or of the first item of a list; NULL
 * if that is empty. Of another scalar, who set it. */
const struct policy_origin *
policy_field_origin(const struct policy_field *field,
		    const struct policy *policy);

/* The value's place in a policy. The field must be of that shape. */
const struct policy_scalar *
policy_field_scalar(const struct policy_field *field,
		    const struct policy *policy);
const struct policy_list *policy_field_list(const struct policy_field *field,
					    const struct policy *policy);
struct policy_scalar *policy_field_scalar_of(const struct policy_field *field,
					     struct policy *policy);
struct policy_list *policy_field_list_of(const struct policy_field *field,
					 struct policy *policy);

/* The schema as JSON Schema 2020-12, and as rows for cordon.policy(5). */
char *policy_schema_format(struct arena *arena);
void policy_fields_format_mdoc(struct text *out);

#endif
