/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event/event.c - events as JSON lines
 *
 * Runs in:  the supervisor.
 * Trusts:   nothing in the strings; paths need not be UTF-8.
 * Must not: write a byte that a terminal would obey: lines are shown as they
 *           are, so they are ASCII and have no control characters.
 *
 * The order of members is fixed: ts, schema, event and sandbox come first, so
 * that lines of one kind are found without parsing (event/audit_query.c).
 */
#include "event/event.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/text.h"

/* Of a command's words: what a line may hold without being in the way. */
enum {
	ARGV_WORDS = 64,
	ARGV_BYTES = 1024,
	STRING_BYTES = 4096,
	STRING_LEAST = 32, /* with which every line fits; no id is longer */
};

/* A line, and what its strings may have of it. */
struct line {
	struct text *out;
	size_t string_bytes;
	size_t argv_bytes;
};

static const char *const kinds[EVENT_KINDS_N] = {
	[EVENT_STARTED] = "started",
	[EVENT_ENDED] = "ended",
	[EVENT_DENIED] = "denied",
	[EVENT_NOTICED] = "noticed",
	[EVENT_MASK_LOST] = "mask-lost",
	[EVENT_MASK_RESTORED] = "mask-restored",
	[EVENT_RULES_CHANGED] = "rules-changed",
	[EVENT_LIMIT_HIT] = "limit-hit",
	[EVENT_USED] = "used",
};

static const char *const whats[EVENT_WHATS_N] = {
	[EVENT_WHAT_READ] = "read",	  [EVENT_WHAT_WRITE] = "write",
	[EVENT_WHAT_CREATE] = "create",	  [EVENT_WHAT_REMOVE] = "remove",
	[EVENT_WHAT_EXEC] = "exec",	  [EVENT_WHAT_CONNECT] = "connect",
	[EVENT_WHAT_DNS] = "dns",	  [EVENT_WHAT_UNIX] = "unix",
	[EVENT_WHAT_SYSCALL] = "syscall",
};

const char *event_kind_name(enum event_kind kind)
{
	return kinds[kind];
}

bool event_kind_find(const char *name, enum event_kind *out)
{
	for (size_t i = 0; i < EVENT_KINDS_N; i++) {
		if (!strcmp(kinds[i], name)) {
			*out = (enum event_kind)i;
			return true;
		}
	}
	return false;
}

/* The character at @s and its length; 0 where it is not UTF-8. */
static size_t decode(const unsigned char *s, uint32_t *out)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n = 1;

	*out = s[0];
	if (s[0] < 0x80)
		return 1;
	if (s[0] >= 0xc2 && s[0] <= 0xdf)
		n = 2;
	else if ((s[0] & 0xf0) == 0xe0)
		n = 3;
	else if (s[0] >= 0xf0 && s[0] <= 0xf4)
		n = 4;
	else
		return 0;
	*out = s[0] & (0x7fU >> n);
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*out = *out << 6 | (s[i] & 0x3fU);
	}
	if (*out < least[n] || *out > 0x10ffff ||
	    (*out >= 0xd800 && *out <= 0xdfff))
		return 0;
	return n;
}

static void add_character(struct text *out, uint32_t c)
{
	if (c == '"')
		text_add(out, "\\\"");
	else if (c == '\\')
		text_add(out, "\\\\");
	else if (c < 0x10000)
		text_addf(out, "\\u%04x", (unsigned int)c);
	else
		text_addf(out, "\\u%04x\\u%04x",
			  0xd800U + ((c - 0x10000) >> 10),
			  0xdc00U + ((c - 0x10000) & 0x3ff));
}

/* At most @max bytes; whole characters. */
static const char *cut(struct arena *arena, const char *s, size_t max)
{
	size_t n = max;

	if (strnlen(s, max + 1) <= max)
		return s;
	while (n > max - 3 && (s[n] & 0xc0) == 0x80)
		n--;
	return arena_printf(arena, "%.*s...", (int)n, s);
}

/* Bytes that are not UTF-8 are shown as in messages. */
static void add_string(struct text *out, const char *s, size_t max)
{
	AUTO_ARENA arena = { 0 };

	s = cut(&arena, s, max);
	text_add(out, "\"");
	while (*s) {
		size_t plain = 0, n;
		uint32_t c;

		while (s[plain] >= 0x20 && s[plain] < 0x7f && s[plain] != '"' &&
		       s[plain] != '\\')
			plain++;
		text_addn(out, s, plain);
		s += plain;
		if (!*s)
			break;
		n = decode((const unsigned char *)s, &c);
		if (n)
			add_character(out, c);
		else
			text_addf(out, "\\\\x%02x", (unsigned char)*s);
		s += n ? n : 1;
	}
	text_add(out, "\"");
}

static void add_member(const struct line *line, const char *key,
		       const char *value)
{
	struct text *out = line->out;

	if (!value)
		return;
	text_add(out, ",\"");
	text_add(out, key);
	text_add(out, "\":");
	add_string(out, value, line->string_bytes);
}

/* At least @width digits. */
static void add_digits(struct text *out, uint64_t value, size_t width)
{
	char digits[24];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value || sizeof(digits) - at < width);
	text_addn(out, digits + at, sizeof(digits) - at);
}

static void add_number(struct text *out, const char *key, uint64_t value)
{
	text_add(out, ",\"");
	text_add(out, key);
	text_add(out, "\":");
	add_digits(out, value, 1);
}

static void add_count(struct text *out, const char *key, uint64_t value)
{
	if (value)
		add_number(out, key, value);
}

/* By hand: printf() would take most of the time that a line needs. */
static void add_time(struct text *out)
{
	struct timespec now = { 0 };
	struct tm tm = { 0 };

	(void)clock_gettime(CLOCK_REALTIME, &now);
	(void)gmtime_r(&now.tv_sec, &tm);
	const struct {
		int value;
		size_t width;
		const char *after;
	} parts[] = {
		{ tm.tm_year + 1900, 4, "-" },
		{ tm.tm_mon + 1, 2, "-" },
		{ tm.tm_mday, 2, "T" },
		{ tm.tm_hour, 2, ":" },
		{ tm.tm_min, 2, ":" },
		{ tm.tm_sec, 2, "." },
		{ (int)(now.tv_nsec / 1000000), 3, "Z\"" },
	};

	text_add(out, "{\"ts\":\"");
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		add_digits(out, (uint64_t)parts[i].value, parts[i].width);
		text_add(out, parts[i].after);
	}
}

/* Whole words, as many as fit; the rest are counted. */
static void add_argv(const struct line *line, char *const *argv)
{
	struct text *out = line->out;
	size_t left = line->argv_bytes, n = 0;
	uint64_t more = 0;

	if (!argv)
		return;
	text_add(out, ",\"argv\":[");
	for (; argv[n]; n++) {
		size_t size = strnlen(argv[n], left + 1);

		if (more || n >= ARGV_WORDS || size > left) {
			more++;
			continue;
		}
		left -= size;
		text_add(out, n ? "," : "");
		add_string(out, argv[n], line->argv_bytes);
	}
	text_add(out, "]");
	add_count(out, "argv_more", more);
}

static void format(const struct line *line, const struct event *event)
{
	struct text *out = line->out;

	add_time(out);
	add_number(out, "schema", 1);
	add_member(line, "event", kinds[event->kind]);
	add_member(line, "sandbox", event->sandbox);
	add_member(line, "what", whats[event->what]);
	add_count(out, "pid", event->pid);
	add_member(line, "comm", event->comm);
	add_member(line, "op", event->operation);
	add_member(line, "target", event->target);
	add_member(line, "address", event->address);
	add_member(line, "why", event->why);
	add_member(line, "rule", event->rule);
	add_member(line, "origin", event->origin);
	add_member(line, "hint", event->remedy);
	add_argv(line, event->argv);
	add_count(out, "count", event->count);
	if (event->kind == EVENT_ENDED) {
		add_member(line, "outcome", event->outcome);
		add_number(out, "exit_code", (uint64_t)event->exit_code);
		add_count(out, "denials", event->denials);
		add_count(out, "unlisted", event->unlisted);
	}
	text_add(out, "}");
}

void event_format(struct text *out, const struct event *event)
{
	struct line line = { .out = out,
			     .string_bytes = STRING_BYTES,
			     .argv_bytes = ARGV_BYTES };
	const size_t start = out->n;

	format(&line, event);
	while (out->n - start > EVENT_LINE_MAX &&
	       line.string_bytes > STRING_LEAST) {
		line.string_bytes /= 2;
		if (line.argv_bytes > line.string_bytes)
			line.argv_bytes = line.string_bytes;
		out->n = start;
		format(&line, event);
	}
}
