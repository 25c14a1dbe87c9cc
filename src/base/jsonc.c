/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/jsonc.c - where things stand in JSON with comments
 *
 * It judges the form and nothing else: a file that another program owns is
 * read here to find the place of an edit.
 */
#include "base/jsonc.h"

#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/text.h"

enum { DEPTH_MAX = 128 };

struct scan {
	const char *text;
	size_t n;
	size_t at;
	const char *why; /* not NULL: it is broken at @at */
};

static bool fail(struct scan *s, const char *why)
{
	if (!s->why)
		s->why = why;
	return false;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* At a comment: moves behind it. */
static bool skip_comment(struct scan *s)
{
	const char *end;

	if (s->at + 1 < s->n && s->text[s->at + 1] == '/') {
		end = memchr(s->text + s->at, '\n', s->n - s->at);
		s->at = end ? (size_t)(end - s->text) : s->n;
		return true;
	}
	if (s->at + 1 >= s->n || s->text[s->at + 1] != '*')
		return fail(s, "a value or a comment is wanted");
	end = memmem(s->text + s->at + 2, s->n - s->at - 2, "*/", 2);
	if (!end)
		return fail(s, "the comment does not end");
	s->at = (size_t)(end - s->text) + 2;
	return true;
}

/* White space and comments. */
static bool skip_blank(struct scan *s)
{
	while (s->at < s->n) {
		if (is_space(s->text[s->at]))
			s->at++;
		else if (s->text[s->at] != '/')
			return true;
		else if (!skip_comment(s))
			return false;
	}
	return true;
}

/* The character that comes next, 0 at the end. */
static char peek(struct scan *s)
{
	return skip_blank(s) && s->at < s->n ? s->text[s->at] : '\0';
}

static int hex_digit(char c)
{
	const char *digits = "0123456789abcdef";
	const char *p =
		c ? strchr(digits, c >= 'A' && c <= 'F' ? c + 32 : c) : NULL;

	return p ? (int)(p - digits) : -1;
}

static bool scan_escape(struct scan *s)
{
	char c = s->at + 1 < s->n ? s->text[s->at + 1] : '\0';

	if (c && strchr("\"\\/bfnrt", c)) {
		s->at += 2;
		return true;
	}
	if (c != 'u' || s->n - s->at < 6)
		return fail(s, "an escape that JSON does not have");
	for (size_t i = 2; i < 6; i++) {
		if (hex_digit(s->text[s->at + i]) < 0)
			return fail(s, "an escape that JSON does not have");
	}
	s->at += 6;
	return true;
}

static bool scan_string(struct scan *s, struct jsonc_value *out)
{
	out->kind = JSONC_STRING;
	out->at = s->at++;
	while (s->at < s->n && s->text[s->at] != '"') {
		if ((unsigned char)s->text[s->at] < 0x20)
			return fail(s, "a control character in a string");
		if (s->text[s->at] != '\\')
			s->at++;
		else if (!scan_escape(s))
			return false;
	}
	if (s->at >= s->n)
		return fail(s, "the string does not end");
	out->end = ++s->at;
	return true;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_word(const char *p, size_t n)
{
	static const char *const words[] = { "true", "false", "null" };

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strlen(words[i]) == n && !memcmp(p, words[i], n))
			return true;
	}
	return false;
}

/* Nearly: what it is worth is not asked. */
static bool is_number(const char *p, size_t n)
{
	if (!n || !(is_digit(p[0]) || (p[0] == '-' && n > 1)))
		return false;
	for (size_t i = 1; i < n; i++) {
		if (!is_digit(p[i]) && !memchr("+-.eE", p[i], 5))
			return false;
	}
	return true;
}

/* true, false, null and numbers. */
static bool scan_other(struct scan *s, struct jsonc_value *out)
{
	const char *p = s->text + s->at;
	size_t len = 0;

	while (s->at + len < s->n && !is_space(p[len]) &&
	       !memchr(",:{}[]\"/", p[len], 8))
		len++;
	if (!is_word(p, len) && !is_number(p, len))
		return fail(s, "a value is wanted");
	out->kind = JSONC_OTHER;
	out->at = s->at;
	s->at += len;
	out->end = s->at;
	return true;
}

static bool scan_value(struct scan *s, unsigned int depth,
		       struct jsonc_value *out);

/* One child, up to what follows it. */
static bool scan_child(struct scan *s, bool object, unsigned int depth,
		       struct jsonc_child *out)
{
	out->at = s->at;
	if (object) {
		if (s->text[s->at] != '"')
			return fail(s, "a key in quotes is wanted");
		if (!scan_string(s, &out->key))
			return false;
		if (peek(s) != ':')
			return fail(s, "':' is wanted after the key");
		s->at++;
		(void)peek(s);
	}
	return !s->why && scan_value(s, depth, &out->value);
}

/* Behind a child: 1 there is another, 0 the container ends, -1 broken. */
static int scan_between(struct scan *s, char close)
{
	char c = peek(s);

	if (c == ',') {
		s->at++;
		c = peek(s);
	} else if (c != close) {
		(void)fail(s, c ? "',' or the end of the list is wanted"
				: "the file ends too early");
		return -1;
	}
	if (c == close)
		return 0;
	if (!c)
		(void)fail(s, "the file ends too early");
	return c ? 1 : -1;
}

static bool scan_container(struct scan *s, unsigned int depth,
			   struct jsonc_value *out)
{
	bool object = s->text[s->at] == '{';
	char close = object ? '}' : ']';
	struct jsonc_child child;
	int more;

	out->kind = object ? JSONC_OBJECT : JSONC_ARRAY;
	out->at = s->at++;
	if (depth > DEPTH_MAX)
		return fail(s, "nested too deeply");
	more = peek(s) == close ? 0 : 1;
	if (s->at >= s->n)
		return fail(s, "the file ends too early");
	while (more > 0) {
		if (!scan_child(s, object, depth + 1, &child))
			return false;
		more = scan_between(s, close);
	}
	if (more < 0 || s->why)
		return false;
	out->end = ++s->at;
	return true;
}

static bool scan_value(struct scan *s, unsigned int depth,
		       struct jsonc_value *out)
{
	if (s->at >= s->n)
		return fail(s, "the file ends too early");
	if (s->text[s->at] == '{' || s->text[s->at] == '[')
		return scan_container(s, depth, out);
	if (s->text[s->at] == '"')
		return scan_string(s, out);
	return scan_other(s, out);
}

int jsonc_parse(const char *text, size_t n, struct jsonc *out, struct err *err)
{
	struct scan s = { .text = text, .n = n };
	struct jsonc doc = { .text = text, .n = n };
	size_t line = 1, column = 1;

	if (n >= 3 && !memcmp(text, "\xef\xbb\xbf", 3))
		s.at = 3;
	(void)peek(&s);
	if (!s.why && scan_value(&s, 0, &doc.root) && peek(&s))
		(void)fail(&s, "something follows after the value");
	if (!s.why) {
		*out = doc;
		return 0;
	}
	for (size_t i = 0; i < s.at && i < n; i++) {
		column = text[i] == '\n' ? 1 : column + 1;
		line += text[i] == '\n';
	}
	return err_set(err, ERR_POLICY, "%zu:%zu: %s", line, column, s.why);
}

void jsonc_list(struct arena *arena, const struct jsonc *doc,
		const struct jsonc_value *container, struct jsonc_children *out)
{
	struct scan s = { .text = doc->text,
			  .n = doc->n,
			  .at = container->at + 1 };
	bool object = container->kind == JSONC_OBJECT;
	char close = object ? '}' : ']';
	struct jsonc_child child = { 0 };

	*out = (struct jsonc_children){ 0 };
	if ((!object && container->kind != JSONC_ARRAY) || peek(&s) == close)
		return;
	do {
		if (!scan_child(&s, object, 0, &child))
			return;
		*ARENA_PUSH(arena, out) = child;
	} while (scan_between(&s, close) > 0);
}

/* ---------------------------------------------------------------- strings */

static unsigned int read_hex(const char *p)
{
	unsigned int value = 0;

	for (size_t i = 0; i < 4; i++)
		value = value * 16 + (unsigned int)hex_digit(p[i]);
	return value;
}

static void add_utf8(struct text *out, unsigned int c)
{
	char b[4];
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	for (size_t i = n; i-- > 1; c >>= 6)
		b[i] = (char)(0x80 | (c & 0x3f));
	b[0] = (char)(n == 1 ? c : ((0xf00u >> n) & 0xff) | c);
	text_addn(out, b, n);
}

/* At "\uXXXX": how many bytes it takes, 0 if it stands for nothing. */
static size_t add_unicode(struct text *out, const char *p, const char *end)
{
	unsigned int c = read_hex(p + 2), low;

	if (c == 0 || (c >= 0xdc00 && c < 0xe000))
		return 0;
	if (c < 0xd800 || c >= 0xe000) {
		add_utf8(out, c);
		return 6;
	}
	if (end - p < 12 || p[6] != '\\' || p[7] != 'u')
		return 0;
	low = read_hex(p + 8);
	if (low < 0xdc00 || low >= 0xe000)
		return 0;
	add_utf8(out, 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00));
	return 12;
}

char *jsonc_string(struct arena *arena, const struct jsonc *doc,
		   const struct jsonc_value *string)
{
	const char *p = doc->text + string->at + 1;
	const char *end = doc->text + string->end - 1;
	struct text out = { .arena = arena };

	if (string->kind != JSONC_STRING)
		return NULL;
	while (p < end) {
		static const char from[] = "\"\\/bfnrt";
		static const char to[] = "\"\\/\b\f\n\r\t";
		size_t used = 2;

		if (*p != '\\') {
			text_addn(&out, p++, 1);
			continue;
		}
		if (p[1] == 'u')
			used = add_unicode(&out, p, end);
		else
			text_addn(&out, &to[strchr(from, p[1]) - from], 1);
		if (!used)
			return NULL;
		p += used;
	}
	return out.n ? out.v : arena_strdup(arena, "");
}

size_t jsonc_find(struct arena *arena, const struct jsonc *doc,
		  const struct jsonc_value *object, const char *key,
		  struct jsonc_child *out)
{
	struct jsonc_children all;
	size_t found = 0;

	if (object->kind != JSONC_OBJECT)
		return 0;
	jsonc_list(arena, doc, object, &all);
	for (size_t i = 0; i < all.n; i++) {
		const char *name = jsonc_string(arena, doc, &all.v[i].key);

		if (!name || strcmp(name, key) != 0)
			continue;
		if (!found++)
			*out = all.v[i];
	}
	return found;
}
