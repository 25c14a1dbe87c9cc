/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/log.c - the one place that writes messages to standard error
 *
 * Runs in:  processes that talk to a person; never between clone and exec.
 * Trusts:   nothing: a message may quote a hostile file or path.
 * Must not: write to standard output, use colour, or write bytes that a
 *           terminal would obey.
 */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/text.h"

/* The only state that is not passed along: set once, before any thread or
 * child exists. */
static bool log_quiet;

void log_setup(bool quiet)
{
	log_quiet = quiet;
}

__attribute__((format(printf, 2, 0))) static void
write_line(const char *label, const char *fmt, va_list ap)
{
	AUTO_ARENA arena = { 0 };
	struct text line = { .arena = &arena };
	struct err err;
	va_list again;
	char *message;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, again);
	va_end(again);
	if (n < 0)
		return;
	message = arena_alloc(&arena, (size_t)n + 1, 1);
	vsnprintf(message, (size_t)n + 1, fmt, ap);

	text_add(&line, "cordon: ");
	text_add(&line, label);
	text_add_escaped(&line, message);
	text_add(&line, "\n");
	/* One write, so that lines of several processes do not mix. There is
	 * nobody left to tell when standard error is closed. */
	(void)fd_write_all(STDERR_FILENO, line.v, line.n, &err);
}

void log_error(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	write_line("", fmt, ap);
	va_end(ap);
}

void log_warn(const char *fmt, ...)
{
	va_list ap;

	if (log_quiet)
		return;
	va_start(ap, fmt);
	write_line("warning: ", fmt, ap);
	va_end(ap);
}

void log_info(const char *fmt, ...)
{
	va_list ap;

	if (log_quiet)
		return;
	va_start(ap, fmt);
	write_line("", fmt, ap);
	va_end(ap);
}
