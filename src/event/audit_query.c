/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event/audit_query.c - finds lines in the audit log
 *
 * Runs in:  whoever asks.
 * Trusts:   nothing in the files.
 * Must not: parse a line to see that it is not wanted: a million of them are
 *           looked through in less than a second.
 *
 * Quotes inside of strings are escaped, so what is compared here, at its fixed
 * place, cannot be part of one.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "event/audit.h"
#include "event/audit_file.h"
#include "event/event.h"

#define TS_KEY	    "{\"ts\":\""
#define EVENT_KEY   "\",\"schema\":1,\"event\":\""
#define SANDBOX_KEY "\",\"sandbox\":\""

enum {
	TS_AT = sizeof(TS_KEY) - 1,
	TS_SIZE = 24,
	KIND_AT = TS_AT + TS_SIZE + sizeof(EVENT_KEY) - 1,
};

struct search {
	const struct audit_query *query;
	struct {
		const char *name;
		size_t n;
	} kinds[EVENT_KINDS_N];
	size_t kinds_n;
	audit_line_fn *found; /* NULL: only count */
	void *data;
	uint64_t skip; /* so many before the first one is told */
	uint64_t count;
};

static bool starts(const char *at, size_t left, const char *s, size_t n)
{
	return left >= n && !memcmp(at, s, n);
}

/* How long the wanted name at KIND_AT is; 0: it is not wanted. */
static size_t match_kind(const struct search *s, const char *line, size_t n)
{
	for (size_t i = 0; i < s->kinds_n; i++) {
		size_t len = s->kinds[i].n;

		if (starts(line + KIND_AT, n - KIND_AT, s->kinds[i].name,
			   len) &&
		    n > KIND_AT + len && line[KIND_AT + len] == '"')
			return len;
	}
	return 0;
}

static bool match_sandbox(const char *at, size_t left, const char *sandbox)
{
	size_t n = strlen(sandbox), key = sizeof(SANDBOX_KEY) - 1;

	return starts(at, left, SANDBOX_KEY, key) && left > key + n &&
	       !memcmp(at + key, sandbox, n) && at[key + n] == '"';
}

static bool matches(const struct search *s, const char *line, size_t n)
{
	const struct audit_query *q = s->query;
	size_t kind;

	if (n < KIND_AT || memcmp(line, TS_KEY, TS_AT) != 0 ||
	    memcmp(line + TS_AT + TS_SIZE, EVENT_KEY, sizeof(EVENT_KEY) - 1))
		return false;
	kind = match_kind(s, line, n);
	if (!kind)
		return false;
	if ((q->since && memcmp(line + TS_AT, q->since, TS_SIZE) < 0) ||
	    (q->until && memcmp(line + TS_AT, q->until, TS_SIZE) >= 0))
		return false;
	return !q->sandbox || match_sandbox(line + KIND_AT + kind,
					    n - KIND_AT - kind, q->sandbox);
}

static int search_file(struct search *s, struct audit_reader *reader,
		       struct err *err)
{
	char *line;
	size_t n;
	int got;

	while ((got = audit_reader_next(reader, &line, &n)) > 0) {
		if (!reader->whole || !matches(s, line, n) ||
		    s->count++ < s->skip || !s->found)
			continue;
		if (s->found(s->data, line, n, err) < 0)
			return -1;
	}
	return got < 0 ? err_sys(err, "read the audit log") : 0;
}

/* No line is older than the file's day begins, but for a line that waited for
 * the lock over midnight; none is younger than it ends. */
static bool is_worth_reading(const struct audit_query *q, const char *name)
{
	return !q->since || strncmp(name, q->since, AUDIT_DAY) >= 0;
}

static int search_all(struct search *s, struct arena *arena, int dir,
		      struct err *err)
{
	struct audit_reader reader;
	struct audit_names names;

	if (audit_names_read(arena, dir, &names, err) < 0)
		return -1;
	audit_reader_init(&reader, arena);
	for (size_t i = 0; i < names.n; i++) {
		AUTO_CLOSE int fd = -1;
		struct stat st;

		if (!is_worth_reading(s->query, names.v[i]))
			continue;
		fd = openat(dir, names.v[i],
			    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
		if (fd < 0 || fstat(fd, &st) < 0)
			return err_sys(err, "open '%s'", names.v[i]);
		audit_reader_start(&reader, fd, 0, (uint64_t)st.st_size);
		if (search_file(s, &reader, err) < 0)
			return -1;
	}
	return 0;
}

static void add_kinds(struct search *s, unsigned int kinds)
{
	for (unsigned int i = 0; i < EVENT_KINDS_N; i++) {
		const char *name = event_kind_name((enum event_kind)i);

		if (kinds && !(kinds >> i & 1))
			continue;
		s->kinds[s->kinds_n].name = name;
		s->kinds[s->kinds_n++].n = strlen(name);
	}
}

int event_audit_query(const char *dir, const struct audit_query *query,
		      audit_line_fn *found, void *data, struct err *err)
{
	AUTO_ARENA arena = { 0 };
	AUTO_CLOSE int fd = audit_dir_open(dir);
	struct search search = { .query = query };

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0)
		return err_sys(err, "open '%s'", dir);
	add_kinds(&search, query->kinds);
	/* Counting first is faster than keeping as many as may be asked for. */
	if (query->limit) {
		if (search_all(&search, &arena, fd, err) < 0)
			return -1;
		if (search.count > query->limit)
			search.skip = search.count - query->limit;
		search.count = 0;
	}
	search.found = found;
	search.data = data;
	return search_all(&search, &arena, fd, err);
}
