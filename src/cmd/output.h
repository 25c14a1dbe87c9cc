/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_CMD_OUTPUT_H
#define CORDON_CMD_OUTPUT_H

#include <jansson.h>

struct arena;
struct err;
struct text;

/* The answer of a verb, on standard output. It is an error if it does not
 * arrive, as on a full disk. */
int output_text(const struct text *text, struct err *err);

/* One object on one line to @fd; takes @json. */
int output_json(int fd, json_t *json, struct err *err);

/*
 * A string of JSON from bytes of any kind: what is not UTF-8 is shown as in
 * messages. NULL becomes null.
 */
json_t *output_string(struct arena *arena, const char *s);

/* Adds @s in columns of @width, escaped, and two spaces. */
void output_column(struct text *text, const char *s, size_t width);

/* "  label   value", fit for a terminal; nothing where there is no value. */
void output_line(struct text *out, const char *label, const char *value);

#endif
