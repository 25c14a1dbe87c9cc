/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/glibc.c - what libraries built for glibc expect of it, for musl
 *
 * Runs in:  every process; called by libyaml, jansson and libseccomp only.
 * Trusts:   the sizes of destinations, which the compiler put in.
 * Must not: return after a destination would have been overrun.
 *
 * Distributions build their static libraries with _FORTIFY_SOURCE, which turns
 * calls whose destination has a known size into the functions below. They are
 * part of glibc's ABI, described in the Linux Standard Base; musl has none of
 * them. The size is SIZE_MAX where the compiler does not know it. The flag
 * asks to refuse %n in a format that can be written to: these libraries have
 * none, their formats are literals.
 */
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Declared here, as the only callers are compiled already. */
int __sprintf_chk(char *to, int flag, size_t size, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
int __snprintf_chk(char *to, size_t n, int flag, size_t size,
		   const char *format, ...)
	__attribute__((format(printf, 5, 6)));
int __vsnprintf_chk(char *to, size_t n, int flag, size_t size,
		    const char *format, va_list args)
	__attribute__((format(printf, 5, 0)));
int __fprintf_chk(FILE *to, int flag, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
char *__strncpy_chk(char *to, const char *from, size_t n, size_t size);

int __vsnprintf_chk(char *to, size_t n, int flag, size_t size,
		    const char *format, va_list args)
{
	(void)flag;
	if (n > size)
		abort();
	return vsnprintf(to, n, format, args);
}

int __snprintf_chk(char *to, size_t n, int flag, size_t size,
		   const char *format, ...)
{
	va_list args;
	int written;

	va_start(args, format);
	written = __vsnprintf_chk(to, n, flag, size, format, args);
	va_end(args);
	return written;
}

int __sprintf_chk(char *to, int flag, size_t size, const char *format, ...)
{
	/* What is longer than an int can tell fails by itself. */
	size_t room = size < INT_MAX ? size : INT_MAX;
	va_list args;
	int written;

	(void)flag;
	va_start(args, format);
	written = vsnprintf(to, room, format, args);
	va_end(args);
	/* Cut short: without the check it would have run over. */
	if (written >= 0 && (size_t)written >= room)
		abort();
	return written;
}

int __fprintf_chk(FILE *to, int flag, const char *format, ...)
{
	va_list args;
	int written;

	(void)flag;
	va_start(args, format);
	written = vfprintf(to, format, args);
	va_end(args);
	return written;
}

char *__strncpy_chk(char *to, const char *from, size_t n, size_t size)
{
	if (n > size)
		abort();
	return strncpy(to, from, n);
}
