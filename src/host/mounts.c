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

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "plan/facts.h"

enum { TABLE_MAX = 4 * 1024 * 1024, POINT_FIELD = 4 };

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

int host_mounts_read(struct arena *arena, struct facts_strings *out,
		     struct err *err)
{
	static const char name[] = "/proc/self/mountinfo";
	AUTO_CLOSE int fd = open(name, O_RDONLY | O_CLOEXEC);
	char *table;

	if (fd < 0)
		return err_sys(err, "open '%s'", name);
	if (fd_read_file(arena, fd, name, TABLE_MAX, &table, err) < 0)
		return -1;
	for (const char *line = table; line && *line;) {
		char *point = host_mounts_parse(arena, line);

		if (point)
			*ARENA_PUSH(arena, out) = point;
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	return 0;
}
