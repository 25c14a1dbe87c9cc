/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/text.c - strings that grow, and the one place that makes them safe to
 * print
 */
#include "base/text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"

static char *text_room(struct text *text, size_t more)
{
	size_t need = text->n + more + 1;

	if (need > text->room) {
		size_t room = text->room ? text->room * 2 : 128;
		char *v;

		if (room < need)
			room = need;
		v = arena_alloc(text->arena, room, 1);
		if (text->n)
			memcpy(v, text->v, text->n);
		text->v = v;
		text->room = room;
	}
	return text->v + text->n;
}

void text_addn(struct text *text, const char *s, size_t n)
{
	char *end = text_room(text, n);

	memcpy(end, s, n);
	end[n] = '\0';
	text->n += n;
}

void text_add(struct text *text, const char *s)
{
	text_addn(text, s, strlen(s));
}

void text_addf(struct text *text, const char *fmt, ...)
{
	va_list ap;
	char *end;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n <= 0)
		return;

	end = text_room(text, (size_t)n);
	va_start(ap, fmt);
	vsnprintf(end, (size_t)n + 1, fmt, ap);
	va_end(ap);
	text->n += (size_t)n;
}

/*
 * Marks of direction make a path read as another one. U+2028 and U+2029 end a
 * line for YAML, also that of a comment; a byte order mark, U+FFFE and U+FFFF
 * are refused by it wherever they stand.
 */
static bool is_deceptive(unsigned int c)
{
	return c == 0x061c || c == 0x200e || c == 0x200f ||
	       (c >= 0x2028 && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069) ||
	       c == 0xfeff || c == 0xfffe || c == 0xffff;
}

/* Length of the UTF-8 sequence at @s, 0 if there is none that is printable. */
static size_t printable_sequence(const unsigned char *s)
{
	size_t len;

	if (s[0] >= 0x20 && s[0] < 0x7f)
		return 1;
	if (s[0] >= 0xc2 && s[0] <= 0xdf)
		len = 2;
	else if (s[0] >= 0xe0 && s[0] <= 0xef)
		len = 3;
	else if (s[0] >= 0xf0 && s[0] <= 0xf4)
		len = 4;
	else
		return 0;

	for (size_t i = 1; i < len; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	}
	/* U+0080 to U+009F are control characters too; overlong forms of the
	 * three- and four-byte sequences, halves of UTF-16 pairs and what is
	 * beyond U+10FFFF are no characters: JSON has no place for them. */
	if ((s[0] == 0xc2 && s[1] < 0xa0) || (s[0] == 0xe0 && s[1] < 0xa0) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xed && s[1] >= 0xa0) ||
	    (s[0] == 0xf4 && s[1] >= 0x90))
		return 0;
	if (len == 2 && is_deceptive((s[0] & 0x1fU) << 6 | (s[1] & 0x3fU)))
		return 0;
	if (len == 3 && is_deceptive((s[0] & 0x0fU) << 12 |
				     (s[1] & 0x3fU) << 6 | (s[2] & 0x3fU)))
		return 0;
	return len;
}

/* Bytes that need no second look. */
static size_t plain_run(const char *s)
{
	size_t n = 0;

	while (s[n] >= 0x20 && s[n] < 0x7f)
		n++;
	return n;
}

void text_add_escaped(struct text *text, const char *s)
{
	while (*s) {
		const unsigned char *u = (const unsigned char *)s;
		size_t len = plain_run(s);

		if (!len)
			len = printable_sequence(u);

		if (len)
			text_addn(text, s, len);
		else if (*s == '\n')
			text_add(text, "\\n");
		else
			text_addf(text, "\\x%02x", (unsigned int)*u);
		s += len ? len : 1;
	}
}

bool text_is_printable(const char *s)
{
	while (*s) {
		size_t len = plain_run(s);

		if (!len)
			len = printable_sequence((const unsigned char *)s);
		if (!len)
			return false;
		s += len;
	}
	return true;
}

void text_add_shell(struct text *text, const char *s)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789_-+=./:,@%^";

	if (*s && s[strspn(s, plain)] == '\0') {
		text_add(text, s);
		return;
	}
	text_add_quoted(text, s);
}

void text_add_quoted(struct text *text, const char *s)
{
	text_add(text, "'");
	for (; *s; s++) {
		if (*s == '\'')
			text_add(text, "'\\''");
		else
			text_addn(text, s, 1);
	}
	text_add(text, "'");
}

void text_add_command(struct text *text, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		text_add(text, i ? " " : "");
		text_add_shell(text, words[i]);
	}
}

const char *text_str(const struct text *text)
{
	return text->n ? text->v : "";
}
