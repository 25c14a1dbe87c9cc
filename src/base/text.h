/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_BASE_TEXT_H
#define CORDON_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct arena;

/* A string that grows in an arena; v is always terminated once n > 0. */
struct text {
	struct arena *arena;
	char *v;
	size_t n;
	size_t room;
};

void text_add(struct text *text, const char *s);
void text_addn(struct text *text, const char *s, size_t n);
void text_addf(struct text *text, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Adds @s fit for a terminal, a log line or a comment in YAML: control
 * characters, DEL, the C1 range, separators of lines, marks of direction, byte
 * order marks and bytes that are not UTF-8 become \xNN. Everything that comes
 * from outside passes through here before a person sees it.
 */
void text_add_escaped(struct text *text, const char *s);

/* Adds @s as a word that a shell takes for this very text. */
void text_add_shell(struct text *text, const char *s);

/* Adds the words of a command as a shell would take them. */
void text_add_command(struct text *text, const char *const *words, size_t n);

/* The same, in quotes also where it needs none. */
void text_add_quoted(struct text *text, const char *s);

/* Would text_add_escaped() leave @s as it is? */
bool text_is_printable(const char *s);

/* The string so far, "" when nothing was added. */
const char *text_str(const struct text *text);

#endif
