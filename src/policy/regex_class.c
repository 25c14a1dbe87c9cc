/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/regex_class.c - sets of bytes in a regular expression
 *
 * Runs in:  whoever checks a policy, and the supervisor.
 * Trusts:   nothing.
 * Must not: read past the end of the text, or depend on a locale.
 */
#include "policy/regex_class.h"

#include <string.h>

void regex_class_add(struct regex_class *class, unsigned char byte)
{
	class->bits[byte / 64] |= UINT64_C(1) << byte % 64;
}

bool regex_class_has(const struct regex_class *class, unsigned char byte)
{
	return class->bits[byte / 64] >> byte % 64 & 1;
}

void regex_class_invert(struct regex_class *class)
{
	for (size_t i = 0; i < 4; i++)
		class->bits[i] = ~class->bits[i];
}

void regex_class_fold(struct regex_class *class)
{
	for (int c = 'A'; c <= 'Z'; c++) {
		unsigned char upper = (unsigned char)c;
		unsigned char lower = (unsigned char)(c | 0x20);

		if (regex_class_has(class, upper))
			regex_class_add(class, lower);
		if (regex_class_has(class, lower))
			regex_class_add(class, upper);
	}
}

static void add_all(struct regex_class *class, const struct regex_class *more)
{
	for (size_t i = 0; i < 4; i++)
		class->bits[i] |= more->bits[i];
}

static void add_range(struct regex_class *class, int first, int last)
{
	for (int byte = first; byte <= last; byte++)
		regex_class_add(class, (unsigned char)byte);
}

/* Pairs of first and last byte, as [:names:] and escapes have them. */
static const struct {
	const char *name;
	char escape; /* 0: none; its upper case is the opposite */
	const char *ranges;
} named[] = {
	{ "digit", 'd', "09" },
	{ "word", 'w', "09AZaz__" },
	{ "space", 's', "\t\r  " },
	{ "alpha", 0, "AZaz" },
	{ "alnum", 0, "09AZaz" },
	{ "upper", 0, "AZ" },
	{ "lower", 0, "az" },
	{ "xdigit", 0, "09AFaf" },
	{ "blank", 0, "\t\t  " },
	{ "punct", 0, "!/:@[`{~" },
	{ "graph", 0, "!~" },
	{ "print", 0, " ~" },
	{ "cntrl", 0, "\x01\x1f\x7f\x7f" },
};

enum { NAMED_N = sizeof(named) / sizeof(*named) };

static void add_named(struct regex_class *class, size_t i)
{
	for (const char *r = named[i].ranges; *r; r += 2)
		add_range(class, r[0], r[1]);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)(c | 0x20);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool escape_set(char c, struct regex_class *out)
{
	for (size_t i = 0; i < NAMED_N; i++) {
		if (!named[i].escape || (c | 0x20) != named[i].escape)
			continue;
		add_named(out, i);
		if (c != named[i].escape)
			regex_class_invert(out);
		return true;
	}
	return false;
}

static const char *escape_hex(const char **at, int *byte)
{
	int high = hex_digit((*at)[0]);
	int low = high < 0 ? -1 : hex_digit((*at)[1]);

	if (low < 0)
		return "\\x wants two hexadecimal digits";
	*byte = high * 16 + low;
	*at += 2;
	return NULL;
}

const char *regex_class_escape(const char **at, struct regex_class *out,
			       int *byte)
{
	static const char letters[] = "tnrfv", values[] = "\t\n\r\f\v";
	const char *letter;
	char c = **at;

	*out = (struct regex_class){ 0 };
	*byte = -1;
	if (!c)
		return "it ends with a backslash";
	(*at)++;
	if (escape_set(c, out))
		return NULL;
	letter = strchr(letters, c);
	if (letter) {
		*byte = (unsigned char)values[letter - letters];
	} else if (c == 'x') {
		const char *wrong = escape_hex(at, byte);

		if (wrong)
			return wrong;
	} else if (c >= '0' && c <= '9') {
		return "references back such as \\1 are not known";
	} else if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		   (unsigned char)c >= 0x80) {
		return "this letter behind a backslash is not known; known "
		       "are b B d D s S w W t n r f v and xHH";
	} else {
		*byte = (unsigned char)c;
	}
	regex_class_add(out, (unsigned char)*byte);
	return NULL;
}

/* [:name:], from behind "[:" to behind ":]". */
static const char *named_class(const char **at, struct regex_class *out)
{
	const char *end = strstr(*at, ":]");

	for (size_t i = 0; end && i < NAMED_N; i++) {
		size_t n = strlen(named[i].name);

		if ((size_t)(end - *at) != n || strncmp(*at, named[i].name, n))
			continue;
		add_named(out, i);
		*at = end + 2;
		return NULL;
	}
	return "this [:name:] is not known";
}

/* One byte or set between brackets; *@byte is -1 for a set. */
static const char *member(const char **at, struct regex_class *out, int *byte)
{
	char c = **at;

	*out = (struct regex_class){ 0 };
	*byte = -1;
	if (c == '[' && (*at)[1] == ':') {
		*at += 2;
		return named_class(at, out);
	}
	if (c == '[' && ((*at)[1] == '.' || (*at)[1] == '='))
		return "[. .] and [= =] are not known";
	(*at)++;
	if (c == '\\')
		return regex_class_escape(at, out, byte);
	if ((unsigned char)c >= 0x80)
		return "between brackets stand ASCII characters only";
	*byte = (unsigned char)c;
	regex_class_add(out, (unsigned char)c);
	return NULL;
}

const char *regex_class_brackets(const char **at, bool fold,
				 struct regex_class *out)
{
	struct regex_class one;
	bool inverted = **at == '^';
	const char *wrong, *first;
	int from, to;

	*out = (struct regex_class){ 0 };
	*at += inverted;
	for (first = *at; **at != ']' || *at == first; add_all(out, &one)) {
		if (!**at)
			return "'[' has no ']'; write \\[ for the character";
		wrong = member(at, &one, &from);
		if (wrong)
			return wrong;
		/* Behind a set it is the character: [\w-.] */
		if (from < 0 || (*at)[0] != '-' || (*at)[1] == ']' || !(*at)[1])
			continue;
		(*at)++;
		wrong = member(at, &one, &to);
		if (wrong)
			return wrong;
		if (to < from)
			return "a range between brackets is not FIRST-LAST";
		add_range(&one, from, to);
	}
	(*at)++;
	if (fold)
		regex_class_fold(out);
	if (inverted)
		regex_class_invert(out);
	return NULL;
}
