/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event/audit_verify.c - is the audit log as it was written?
 *
 * Runs in:  whoever asks.
 * Trusts:   nothing in the files; that `head` and the files are looked at
 *           while no one writes.
 * Must not: keep writers waiting while it reads: the lock is held only until
 *           the sizes are known, and what is added later is not looked at.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "event/audit.h"
#include "event/audit_file.h"

enum { PROBLEMS_MAX = 100 };

/* What the log was at one moment. */
struct moment {
	bool has_head;
	struct audit_head head;
	struct audit_names names;
	uint64_t *sizes;
};

struct check {
	struct arena *arena;
	struct audit_report *report;
	const struct moment *moment;
	const char *file;
	uint64_t line;
	uint64_t seq; /* of the record before */
	char hash[SHA256_HEX + 1];
	bool doubtful; /* the line before was broken: what follows it is not
			* held against it */
	bool any; /* there was a record */
	bool head_differs;
};

__attribute__((format(printf, 3, 4))) static void
add_problem(struct check *c, uint64_t line, const char *fmt, ...)
{
	struct audit_problem problem = { .file = c->file, .line = line };
	char text[240];
	va_list ap;

	if (c->report->n >= PROBLEMS_MAX) {
		c->report->more++;
		return;
	}
	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	problem.text = arena_strdup(c->arena, text);
	*ARENA_PUSH(c->arena, c->report) = problem;
}

static const char *records_text(struct arena *arena, uint64_t from, uint64_t to)
{
	if (from == to)
		return arena_printf(arena, "record %" PRIu64 " is", from);
	return arena_printf(arena, "records %" PRIu64 " to %" PRIu64 " are",
			    from, to);
}

/* Does the record stand where it was written? */
static void check_place(struct check *c, const struct audit_record *r)
{
	if (c->any && r->seq <= c->seq)
		add_problem(c, c->line,
			    "is out of order: record %" PRIu64
			    " after record %" PRIu64,
			    r->seq, c->seq);
	else if (c->doubtful)
		return;
	else if (r->seq > c->seq + 1)
		add_problem(c, c->line, "comes too early: %s missing before it",
			    records_text(c->arena, c->seq + 1, r->seq - 1));
	else if (strcmp(r->prev, c->hash) != 0)
		add_problem(c, c->line,
			    "does not continue what stands before it, which "
			    "was replaced");
}

static void check_line(struct check *c, char *line, size_t n)
{
	struct audit_record r;

	if (!audit_record_parse(line, n, &r)) {
		add_problem(c, c->line, "is not a record");
		c->doubtful = true;
		return;
	}
	if (!r.fits) {
		add_problem(c, c->line,
			    "was changed: its hash does not fit (record "
			    "%" PRIu64 ")",
			    r.seq);
	} else {
		check_place(c, &r);
		if (!c->any)
			c->report->first = r.seq;
		c->any = true;
	}
	/* The number of a changed line need not be true. */
	c->seq = r.fits ? r.seq : c->seq + 1;
	c->doubtful = !r.fits;
	memcpy(c->hash, r.hash, sizeof(c->hash));
	c->report->records++;
	if (r.fits && r.seq == c->moment->head.seq &&
	    strcmp(r.hash, c->moment->head.hash) != 0)
		c->head_differs = true;
}

static int check_file(struct check *c, int dir, size_t i,
		      struct audit_reader *reader, struct err *err)
{
	const bool last = i + 1 == c->moment->names.n;
	AUTO_CLOSE int fd = -1;
	char *line;
	size_t n;
	int got;

	c->file = c->moment->names.v[i];
	c->line = 0;
	fd = openat(dir, c->file,
		    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return err_sys(err, "open '%s'", c->file);
	audit_reader_start(reader, fd, 0, c->moment->sizes[i]);
	while ((got = audit_reader_next(reader, &line, &n)) > 0) {
		c->line++;
		if (reader->whole)
			check_line(c, line, n);
		else if (last && reader->at == c->moment->sizes[i])
			c->report->note = "the last line is cut off, by a "
					  "crash or a full disk; the next run "
					  "mends it";
		else
			add_problem(c, c->line, "is not a record");
	}
	if (got < 0)
		return err_sys(err, "read '%s'", c->file);
	return 0;
}

static void check_head(struct check *c)
{
	const struct audit_head *head = &c->moment->head;

	c->file = AUDIT_HEAD;
	if (!c->moment->has_head) {
		if (c->moment->names.n)
			add_problem(c, 0,
				    "is missing or damaged: whether the end "
				    "of the log was removed is not known");
		return;
	}
	if (c->seq < head->seq) {
		c->file = arena_strdup(c->arena, head->file);
		add_problem(c, 0, "%s missing at the end of the log",
			    records_text(c->arena, c->seq + 1, head->seq));
	} else if (c->head_differs) {
		add_problem(c, 0,
			    "knows another record %" PRIu64 " than the log has",
			    head->seq);
	}
}

static int look(struct arena *arena, int dir, struct moment *out,
		struct err *err)
{
	AUTO_CLOSE int head = audit_head_open(dir, false, err);

	if (head < 0 && err->sys != ENOENT)
		return -1;
	if (audit_names_read(arena, dir, &out->names, err) < 0)
		return -1;
	out->sizes = arena_array(arena, uint64_t, out->names.n);
	for (size_t i = 0; i < out->names.n; i++) {
		struct stat st;

		if (fstatat(dir, out->names.v[i], &st, AT_SYMLINK_NOFOLLOW) < 0)
			return err_sys(err, "look at '%s'", out->names.v[i]);
		out->sizes[i] = (uint64_t)st.st_size;
	}
	if (head >= 0)
		out->has_head = audit_head_read(head, &out->head);
	return 0;
}

int event_audit_verify(struct arena *arena, const char *dir, bool pruned,
		       struct audit_report *out, struct err *err)
{
	AUTO_CLOSE int fd = audit_dir_open(dir);
	struct moment moment = { 0 };
	struct check check = { .arena = arena,
			       .report = out,
			       .moment = &moment,
			       .hash = AUDIT_GENESIS,
			       .doubtful = pruned };
	struct audit_reader reader;

	*out = (struct audit_report){ 0 };
	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0)
		return err_sys(err, "open '%s'", dir);
	if (look(arena, fd, &moment, err) < 0)
		return -1;
	audit_reader_init(&reader, arena);
	out->files = moment.names.n;
	for (size_t i = 0; i < moment.names.n; i++) {
		if (check_file(&check, fd, i, &reader, err) < 0)
			return -1;
	}
	out->last = check.seq;
	check_head(&check);
	return 0;
}
