/* SPDX-License-Identifier: Apache-2.0 */
/*
 * egress/hosts.c - names that the host knows by itself
 *
 * Runs in:  the egress process, which reads before it is caged; then the
 *           supervisor reads.
 * Trusts:   the file, which is root's.
 * Must not: take the first half of a name for the name.
 */
#include "egress/hosts.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"

int hosts_read(struct arena *arena, const char *path, struct hosts *out,
	       struct err *err)
{
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	size_t room;
	ssize_t n;
	char *text;

	*out = (struct hosts){ .n = 0 };
	if (fd < 0)
		return errno == ENOENT || errno == EACCES
			       ? 0
			       : err_sys(err, "open %s", path);
	if (fstat(fd, &st) < 0)
		return err_sys(err, "stat %s", path);
	room = st.st_size < HOSTS_MAX ? (size_t)st.st_size : HOSTS_MAX;
	text = arena_array(arena, char, room);
	n = fd_read_all(fd, text, room);
	if (n < 0)
		return err_sys(err, "read %s", path);
	/* What the limit cuts off may be the end of a name. */
	while (st.st_size > HOSTS_MAX && n > 0 && text[n - 1] != '\n')
		n--;
	*out = (struct hosts){ .text = text, .n = (size_t)n };
	return 0;
}

/* The next word before @end; its length, 0: there is none. */
static size_t word_next(const char **at, const char *end)
{
	const char *word = *at;
	size_t n = 0;

	while (word < end && (*word == ' ' || *word == '\t' || *word == '\r'))
		word++;
	*at = word;
	while (word + n < end && word[n] != ' ' && word[n] != '\t' &&
	       word[n] != '\r')
		n++;
	return n;
}

static bool line_names(const char *at, const char *end, const char *name)
{
	size_t wanted = strlen(name);
	size_t n;

	for (; (n = word_next(&at, end)); at += n) {
		if (n == wanted && !strncasecmp(at, name, n))
			return true;
	}
	return false;
}

size_t hosts_find(const struct hosts *hosts, const char *name,
		  struct address *out, size_t room)
{
	const char *line = hosts->text;
	const char *end;
	size_t found = 0;

	if (hosts->n == 0)
		return 0;
	end = hosts->text + hosts->n;
	while (line < end && found < room) {
		const char *feed = memchr(line, '\n', (size_t)(end - line));
		const char *next = feed ? feed + 1 : end;
		const char *stop = feed ? feed : end;
		const char *remark = memchr(line, '#', (size_t)(stop - line));
		size_t n;

		stop = remark ? remark : stop;
		n = word_next(&line, stop);
		if (n && line_names(line + n, stop, name) &&
		    address_parse(line, n, &out[found]))
			found++;
		line = next;
	}
	return found;
}
