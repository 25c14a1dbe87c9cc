/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd/audit_time.c - times as people write them
 *
 * Runs in:  the caller's process.
 * Trusts:   the command line.
 * Must not: take one time for another: what is not understood is refused.
 */
#include "cmd/audit_time.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/arena.h"
#include "base/err.h"

static const struct {
	char letter;
	long seconds;
} units[] = {
	{ 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 }, { 'w', 604800 },
};

/* So many that the result is a year of four digits. */
enum { AGO_MAX = 50L * 366 * 86400 };

static const char *moment_format(struct arena *arena, time_t seconds, long ms)
{
	struct tm tm = { 0 };

	(void)gmtime_r(&seconds, &tm);
	return arena_printf(arena, "%04d-%02d-%02dT%02d:%02d:%02d.%03ldZ",
			    tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday,
			    tm.tm_hour, tm.tm_min, tm.tm_sec, ms);
}

static bool parse_ago(const char *s, long *out)
{
	char *end;
	long n;

	if (*s < '0' || *s > '9')
		return false;
	n = strtol(s, &end, 10);
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		if (*end != units[i].letter || end[1])
			continue;
		if (n > AGO_MAX / units[i].seconds)
			return false;
		*out = n * units[i].seconds;
		return true;
	}
	return false;
}

/* Two digits, or four, at *@s, which moves behind them. */
static bool take_number(const char **s, int digits, int *out)
{
	*out = 0;
	for (int i = 0; i < digits; i++, (*s)++) {
		if (**s < '0' || **s > '9')
			return false;
		*out = *out * 10 + (**s - '0');
	}
	return true;
}

static bool take_char(const char **s, char c)
{
	if (**s != c)
		return false;
	(*s)++;
	return true;
}

/* *@unit: how many milliseconds the text leaves open. */
static bool parse_moment(const char *s, struct tm *tm, int *ms, long *unit)
{
	*ms = 0;
	*unit = 86400000;
	if (!take_number(&s, 4, &tm->tm_year) || !take_char(&s, '-') ||
	    !take_number(&s, 2, &tm->tm_mon) || !take_char(&s, '-') ||
	    !take_number(&s, 2, &tm->tm_mday))
		return false;
	if (!*s)
		return true;
	*unit = 60000;
	if ((!take_char(&s, 'T') && !take_char(&s, ' ')) ||
	    !take_number(&s, 2, &tm->tm_hour) || !take_char(&s, ':') ||
	    !take_number(&s, 2, &tm->tm_min))
		return false;
	if (take_char(&s, ':')) {
		*unit = 1000;
		if (!take_number(&s, 2, &tm->tm_sec))
			return false;
		if (take_char(&s, '.')) {
			*unit = 1;
			if (!take_number(&s, 3, ms))
				return false;
		}
	}
	(void)take_char(&s, 'Z');
	return !*s;
}

int audit_time_parse(struct arena *arena, const char *s, bool end,
		     const char **out, struct err *err)
{
	struct tm tm = { 0 }, given;
	long ago, unit;
	time_t at;
	int ms;

	if (parse_ago(s, &ago)) {
		*out = moment_format(arena, time(NULL) - ago, 0);
		return 0;
	}
	if (!parse_moment(s, &tm, &ms, &unit))
		return err_set(err, ERR_USAGE,
			       "'%s' is no time; write 30m, 1h, 2d, "
			       "2026-11-16 or 2026-11-16T08:30 (UTC)",
			       s);
	tm.tm_year -= 1900;
	tm.tm_mon -= 1;
	given = tm;
	at = timegm(&tm);
	/* The 31st of a month that has 30 days has become another day. */
	if (tm.tm_mday != given.tm_mday || tm.tm_mon != given.tm_mon ||
	    tm.tm_hour != given.tm_hour || tm.tm_min != given.tm_min ||
	    tm.tm_sec != given.tm_sec)
		return err_set(err, ERR_USAGE, "there is no '%s'", s);
	if (end) {
		at += unit / 1000 + (ms + unit % 1000) / 1000;
		ms = (int)((ms + unit) % 1000);
	}
	*out = moment_format(arena, at, ms);
	return 0;
}
