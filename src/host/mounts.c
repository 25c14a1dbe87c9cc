/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host/mounts.c - where something is mounted
 *
 * Runs in:  the supervisor, with the user's rights.
 * Trusts:   the kernel's table.
 * Must not: touch what is mounted: a server that is gone would block it.
 */
#include "host/mounts.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/text.h"
#include "plan/facts.h"

enum { POINT_FIELD = 4 };

static bool is_octal(const char *s)
{
	for (int i = 0; i < 3; i++) {
		if (s[i] < '0' || s[i] > '7')
			return false;
	}
	return true;
}

/* The kernel writes blanks, line feeds and backslashes as \040. */
static void unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from; to++) {
		if (from[0] == '\\' && is_octal(from + 1)) {
			*to = (char)((from[1] - '0') << 6 |
				     (from[2] - '0') << 3 | (from[3] - '0'));
			from += 4;
		} else {
			*to = *from++;
		}
	}
	*to = '\0';
}

char *host_mounts_parse(struct arena *arena, const char *line)
{
	char *point;

	for (int field = 0; field < POINT_FIELD; field++) {
		line += strcspn(line, " \n");
		if (*line != ' ')
			return NULL;
		line++;
	}
	if (*line != '/')
		return NULL;
	point = arena_strndup(arena, line, strcspn(line, " \n"));
	unescape(point);
	return point;
}

/* It says that it is empty, so its size is not known before. */
static int read_table(int fd, struct text *out)
{
	char piece[8192];
	ssize_t n;

	while ((n = read(fd, piece, sizeof(piece))) > 0)
		text_addn(out, piece, (size_t)n);
	return n < 0 ? -1 : 0;
}

int host_mounts_read(struct arena *arena, struct facts_strings *out,
		     struct err *err)
{
	static const char name[] = "/proc/self/mountinfo";
	AUTO_CLOSE int fd = open(name, O_RDONLY | O_CLOEXEC);
	struct text table = { .arena = arena };

	if (fd < 0 || read_table(fd, &table) < 0)
		return err_sys(err, "read '%s'", name);
	for (const char *line = text_str(&table); line && *line;) {
		char *point = host_mounts_parse(arena, line);

		if (point)
			*ARENA_PUSH(arena, out) = point;
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	return 0;
}
