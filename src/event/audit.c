/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event/audit.c - appends to the audit log
 *
 * Runs in:  the supervisor; many at a time.
 * Trusts:   the directory to be its user's own; not that the last writer
 *           came to an end of its line.
 * Must not: leave a descriptor open: what is forked would inherit it.
 *
 * The line is written first and `head` after it, both under the lock. A writer
 * that dies in between leaves a line that head does not know: the next one
 * takes it over if it continues the chain. What is no such line was cut by a
 * crash or a full disk; it is taken off, and a record says so and quotes it.
 */
#include "event/audit.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/text.h"
#include "event/audit_file.h"
#include "event/event.h"

enum {
	QUOTE = 512,
	TS_AT = 7, /* {"ts":" */
	LINE_ROOM = 2048, /* of nearly all lines */
};

#define ROTATE_BYTES (64ULL * 1024 * 1024)

struct log {
	struct arena *arena;
	int dir;
	int head_fd;
	int fd; /* of the file that is written */
	struct audit_head head; /* seq 0: nothing was written yet */
	const char *found; /* what the last writer left behind; or NULL */
	const char *quoted;
};

static int make_directory(char *path, struct err *err)
{
	struct stat st;

	for (char *p = path + 1;; p++) {
		char c = *p;

		if (c && c != '/')
			continue;
		*p = '\0';
		if (mkdir(path, 0700) < 0 && errno != EEXIST &&
		    (errno != EROFS || stat(path, &st) < 0))
			return err_sys(err, "make '%s'", path);
		*p = c;
		if (!c)
			return 0;
	}
}

int event_audit_make(const char *dir, bool *made, struct err *err)
{
	AUTO_CLOSE int fd = audit_dir_open(dir);
	AUTO_ARENA arena = { 0 };
	struct stat st;

	*made = false;
	if (fd < 0 && errno == ENOENT) {
		if (make_directory(arena_strdup(&arena, dir), err) < 0)
			return -1;
		*made = true;
		fd = audit_dir_open(dir);
	}
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(err, "open '%s'", dir);
	if (st.st_uid != geteuid())
		return err_set(err, ERR_HOST,
			       "'%s' belongs to another user (%u)", dir,
			       st.st_uid);
	if (st.st_mode & 077 && fchmod(fd, 0700) < 0)
		return err_sys(err, "make '%s' private", dir);
	return 0;
}

/* Goes through lines from @from on, as far as they continue the chain. Returns
 * where that ends; what follows is quoted. */
static int follow(struct log *log, int fd, uint64_t from, uint64_t size,
		  uint64_t *out, struct err *err)
{
	struct audit_reader reader;
	struct audit_record record;
	char *line;
	size_t n;
	int got;

	audit_reader_init(&reader, log->arena);
	audit_reader_start(&reader, fd, from, size);
	*out = from;
	while ((got = audit_reader_next(&reader, &line, &n)) > 0) {
		if (!reader.whole || !audit_record_parse(line, n, &record) ||
		    !record.fits || record.seq != log->head.seq + 1 ||
		    strcmp(record.prev, log->head.hash) != 0)
			break;
		log->head.seq = record.seq;
		memcpy(log->head.hash, record.hash, sizeof(record.hash));
		*out = reader.at;
	}
	if (got < 0)
		return err_sys(err, "read the audit log");
	if (got > 0)
		log->quoted = arena_strndup(
			log->arena, line, strnlen(line, n < QUOTE ? n : QUOTE));
	return 0;
}

/* The last record of a file, if it has any that is whole. */
static int find_last(struct log *log, const char *name, struct err *err)
{
	AUTO_CLOSE int fd = openat(
		log->dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct audit_reader reader;
	struct audit_record record;
	struct stat st;
	char *line;
	size_t n;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_sys(err, "open '%s'", name);
	audit_reader_init(&reader, log->arena);
	audit_reader_start(&reader, fd, 0, (uint64_t)st.st_size);
	while (audit_reader_next(&reader, &line, &n) > 0) {
		if (!reader.whole || !audit_record_parse(line, n, &record) ||
		    !record.fits)
			continue;
		(void)snprintf(log->head.file, AUDIT_NAME, "%s", name);
		log->head.size = reader.at;
		log->head.seq = record.seq;
		memcpy(log->head.hash, record.hash, sizeof(record.hash));
	}
	return 0;
}

/* `head` is missing or cannot be read: what the files say is the best there
 * is. Whoever verifies sees that it was so. */
static int load_without_head(struct log *log, struct err *err)
{
	struct audit_names names;

	log->head = (struct audit_head){ .hash = AUDIT_GENESIS };
	if (audit_names_read(log->arena, log->dir, &names, err) < 0)
		return -1;
	for (size_t i = names.n; i-- > 0 && !log->head.seq;) {
		if (find_last(log, names.v[i], err) < 0)
			return -1;
	}
	if (log->head.seq)
		log->found = "the head of the log was missing";
	return 0;
}

/* The file of the day, or the next one where that is full. Never one before
 * the last, should the clock have been put back. */
static void choose_file(struct log *log, const char *ts, uint64_t rotate,
			uint64_t *expected)
{
	char day[AUDIT_DAY + 1];
	unsigned int number;

	*expected = 0;
	if (!log->head.seq || strncmp(ts, log->head.file, AUDIT_DAY) > 0) {
		audit_name_format(ts, 0, log->head.file);
		return;
	}
	if (log->head.size < rotate) {
		*expected = log->head.size;
		return;
	}
	(void)audit_name_parse(log->head.file, day, &number);
	audit_name_format(day, number + 1, log->head.file);
}

/* What is there against what head expects. */
static int catch_up(struct log *log, uint64_t expected, struct err *err)
{
	uint64_t good = expected;
	struct stat st;

	if (fstat(log->fd, &st) < 0 || !S_ISREG(st.st_mode))
		return err_set(err, ERR_HOST, "'%s' is not a file",
			       log->head.file);
	log->head.size = (uint64_t)st.st_size;
	if (log->head.size < expected) {
		log->found = "the end of the log was missing";
		return 0;
	}
	if (log->head.size == expected)
		return 0;
	if (follow(log, log->fd, expected, log->head.size, &good, err) < 0)
		return -1;
	if (good == log->head.size)
		return 0;
	if (ftruncate(log->fd, (off_t)good) < 0)
		return err_sys(err, "mend '%s'", log->head.file);
	log->head.size = good;
	log->found = "a record was cut off while it was written";
	return 0;
}

static int append(struct log *log, const char *object, size_t n,
		  struct err *err)
{
	char small[LINE_ROOM], *line = small, hash[SHA256_HEX + 1];
	ssize_t done;

	if (n + AUDIT_TAIL > sizeof(small))
		line = arena_array(log->arena, char, n + AUDIT_TAIL);
	memcpy(line, object, n);
	n = audit_record_format(line, n, log->head.seq + 1, log->head.hash,
				hash);
	done = write(log->fd, line, n);
	if (done != (ssize_t)n) {
		if (done >= 0)
			errno = ENOSPC;
		(void)err_sys(err, "write '%s'", log->head.file);
		/* Else the next one has to. */
		if (done > 0)
			(void)!ftruncate(log->fd, (off_t)log->head.size);
		return -1;
	}
	log->head.seq++;
	log->head.size += n;
	memcpy(log->head.hash, hash, sizeof(hash));
	return 0;
}

static int append_notice(struct log *log, struct err *err)
{
	struct text line = { .arena = log->arena };
	struct event event = { .kind = EVENT_NOTICED,
			       .sandbox = "audit",
			       .why = log->found,
			       .target = log->quoted };

	if (!log->found)
		return 0;
	event_format(&line, &event);
	return append(log, line.v, line.n, err);
}

static int append_all(struct log *log, const char *object, size_t n,
		      uint64_t rotate, struct err *err)
{
	uint64_t expected;

	if (!audit_head_read(log->head_fd, &log->head) &&
	    load_without_head(log, err) < 0)
		return -1;
	choose_file(log, object + TS_AT, rotate, &expected);
	log->fd = openat(log->dir, log->head.file,
			 O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK |
				 O_CLOEXEC,
			 0600);
	if (log->fd < 0)
		return err_sys(err, "open '%s'", log->head.file);
	if (catch_up(log, expected, err) < 0 || append_notice(log, err) < 0 ||
	    append(log, object, n, err) < 0)
		return -1;
	return audit_head_write(log->head_fd, &log->head, err);
}

int event_audit_append(const char *dir, const char *object, size_t n,
		       uint64_t rotate_bytes, struct err *err)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	AUTO_ARENA arena = { 0 };
	struct log log = { .arena = &arena, .head_fd = -1, .fd = -1 };
	struct sigaction before;
	int result = -1;

	log.dir = audit_dir_open(dir);
	if (log.dir < 0)
		return err_sys(err, "open '%s'", dir);
	/* A limit on the size of files is an error, not our end. */
	(void)sigaction(SIGXFSZ, &ignore, &before);
	log.head_fd = audit_head_open(log.dir, true, err);
	if (log.head_fd >= 0)
		result = append_all(&log, object, n,
				    rotate_bytes ? rotate_bytes : ROTATE_BYTES,
				    err);
	fd_close(&log.fd);
	fd_close(&log.head_fd);
	fd_close(&log.dir);
	(void)sigaction(SIGXFSZ, &before, NULL);
	return result;
}
