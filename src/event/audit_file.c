/* SPDX-License-Identifier: Apache-2.0 */
/*
 * event/audit_file.c - what the files of the audit log consist of
 *
 * Runs in:  the supervisor, and whoever searches or checks the log.
 * Trusts:   nothing in the files: they may have been changed.
 * Must not: wait for ever for a lock that a stopped process holds.
 *
 * A record is a line
 *
 *     {"ts":…,"event":…,…,"seq":N,"prev":"H","hash":"H"}
 *
 * The hash is the SHA-256 of the line without `,"hash":"H"`, so a sed and a
 * sha256sum can check it.
 */
#include "event/audit_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"

enum {
	HEAD_SIZE = 192, /* always: it is written in place */
	LOCK_WAIT_MS = 2000,
	READ_SIZE = 1024 * 1024,
	NUMBER_MAX = 999999,
};

bool audit_name_parse(const char *name, char day[AUDIT_DAY + 1],
		      unsigned int *number)
{
	static const char form[] = "dddd-dd-dd";
	char again[AUDIT_NAME], *end;
	unsigned long n = 0;

	for (size_t i = 0; form[i]; i++) {
		if (form[i] == 'd' ? name[i] < '0' || name[i] > '9'
				   : name[i] != form[i])
			return false;
	}
	memcpy(day, name, AUDIT_DAY);
	day[AUDIT_DAY] = '\0';
	if (name[AUDIT_DAY] == '.' && name[AUDIT_DAY + 1] >= '1' &&
	    name[AUDIT_DAY + 1] <= '9') {
		n = strtoul(name + AUDIT_DAY + 1, &end, 10);
		if (n > NUMBER_MAX)
			return false;
	}
	*number = (unsigned int)n;
	audit_name_format(day, *number, again);
	return !strcmp(again, name);
}

void audit_name_format(const char *day, unsigned int number,
		       char out[AUDIT_NAME])
{
	if (number)
		(void)snprintf(out, AUDIT_NAME, "%.10s.%u.jsonl", day, number);
	else
		(void)snprintf(out, AUDIT_NAME, "%.10s.jsonl", day);
}

static int compare_names(const void *a, const void *b)
{
	char day_a[AUDIT_DAY + 1], day_b[AUDIT_DAY + 1];
	unsigned int n_a = 0, n_b = 0;
	int order;

	(void)audit_name_parse(a, day_a, &n_a);
	(void)audit_name_parse(b, day_b, &n_b);
	order = strcmp(day_a, day_b);
	return order ? order : (n_a > n_b) - (n_a < n_b);
}

int audit_names_read(struct arena *arena, int dir, struct audit_names *out,
		     struct err *err)
{
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char day[AUDIT_DAY + 1];
	struct dirent *entry;
	unsigned int number;
	DIR *stream;

	*out = (struct audit_names){ 0 };
	stream = fd < 0 ? NULL : fdopendir(fd);
	if (!stream) {
		fd_close(&fd);
		return err_sys(err, "list the audit log");
	}
	while ((entry = readdir(stream))) {
		if (strlen(entry->d_name) < AUDIT_NAME &&
		    audit_name_parse(entry->d_name, day, &number))
			(void)snprintf(*ARENA_PUSH(arena, out), AUDIT_NAME,
				       "%s", entry->d_name);
	}
	(void)closedir(stream);
	arena_sort(arena, out->v, out->n, sizeof(*out->v), compare_names);
	return 0;
}

int audit_dir_open(const char *dir)
{
	return open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Asked for again and again: a process that was stopped while it holds the
 * lock must not hold up every box of its user. */
static int lock_wait(int fd, int operation)
{
	struct timespec nap = { .tv_nsec = 200000 };

	for (int waited = 0; waited < LOCK_WAIT_MS * 5; waited++) {
		if (flock(fd, operation | LOCK_NB) == 0)
			return 0;
		if (errno != EWOULDBLOCK && errno != EINTR)
			return -1;
		(void)nanosleep(&nap, NULL);
	}
	errno = EWOULDBLOCK;
	return -1;
}

int audit_head_open(int dir, bool write, struct err *err)
{
	const int flags = write ? O_RDWR | O_CREAT : O_RDONLY;

	for (int tries = 0; tries < 10; tries++) {
		AUTO_CLOSE int fd = openat(
			dir, AUDIT_HEAD,
			flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
		struct stat st;

		if (fd < 0)
			return err_sys(err, "open '%s'", AUDIT_HEAD);
		if (lock_wait(fd, write ? LOCK_EX : LOCK_SH) < 0)
			return err_sys(err, "lock '%s'", AUDIT_HEAD);
		if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
			return err_set(err, ERR_HOST, "'%s' is not a file",
				       AUDIT_HEAD);
		/* Removed while we waited: the lock would hold nobody. */
		if (st.st_nlink)
			return fd_take(&fd);
	}
	return err_set(err, ERR_HOST, "'%s' is removed again and again",
		       AUDIT_HEAD);
}

int audit_head_read(int fd, struct audit_head *out)
{
	char text[HEAD_SIZE + 1], day[AUDIT_DAY + 1];
	struct audit_head head = { 0 };
	unsigned int number;
	ssize_t n = pread(fd, text, HEAD_SIZE, 0);

	if (n <= 0)
		return 0;
	text[n] = '\0';
	if (sscanf(text,
		   "{\"file\":\"%39[-.0-9a-z]\",\"size\":%" SCNu64
		   ",\"seq\":%" SCNu64 ",\"hash\":\"%64[0-9a-f]\"}",
		   head.file, &head.size, &head.seq, head.hash) != 4 ||
	    strlen(head.hash) != SHA256_HEX ||
	    !audit_name_parse(head.file, day, &number))
		return 0;
	*out = head;
	return 1;
}

int audit_head_write(int fd, const struct audit_head *head, struct err *err)
{
	char text[HEAD_SIZE + 1];
	int n = snprintf(text, sizeof(text),
			 "{\"file\":\"%s\",\"size\":%" PRIu64
			 ",\"seq\":%" PRIu64 ",\"hash\":\"%s\"}",
			 head->file, head->size, head->seq, head->hash);

	/* Always as long: what was there before is covered. */
	memset(text + n, ' ', (size_t)(HEAD_SIZE - n));
	text[HEAD_SIZE - 1] = '\n';
	if (pwrite(fd, text, HEAD_SIZE, 0) != HEAD_SIZE)
		return err_sys(err, "write '%s'", AUDIT_HEAD);
	return 0;
}

#define HASH_KEY ",\"hash\":\""
#define PREV_KEY ",\"prev\":\""
#define SEQ_KEY	 ",\"seq\":"

enum {
	KEY = sizeof(HASH_KEY) - 1, /* PREV_KEY is as long */
	HASH_PART = KEY + SHA256_HEX + 2, /* `"}` ends the line */
	PREV_PART = KEY + SHA256_HEX + 1,
	SEQ_DIGITS = 20,
};

size_t audit_record_format(char *object, size_t n, uint64_t seq,
			   const char *prev, char hash[SHA256_HEX + 1])
{
	/* Over the closing brace, which comes again. */
	n = n - 1 +
	    (size_t)snprintf(object + n - 1, AUDIT_TAIL,
			     SEQ_KEY "%" PRIu64 PREV_KEY "%s\"}", seq, prev);
	sha256_hex(object, n, hash);
	return n - 1 +
	       (size_t)snprintf(object + n - 1, AUDIT_TAIL, HASH_KEY "%s\"}\n",
				hash);
}

static bool take_hash(const char *part, const char *key,
		      char out[SHA256_HEX + 1])
{
	if (memcmp(part, key, KEY))
		return false;
	memcpy(out, part + KEY, SHA256_HEX);
	out[SHA256_HEX] = '\0';
	return strspn(out, "0123456789abcdef") == SHA256_HEX &&
	       part[KEY + SHA256_HEX] == '"';
}

bool audit_record_parse(char *line, size_t n, struct audit_record *out)
{
	const size_t least = 2 + sizeof(SEQ_KEY) + PREV_PART + HASH_PART;
	char hash[SHA256_HEX + 1];
	const char *seq;
	size_t digits = 0;
	char *end;

	if (n < least || line[0] != '{' || line[n - 1] != '}')
		return false;
	end = line + n - HASH_PART;
	seq = end - PREV_PART;
	if (!take_hash(end, HASH_KEY, out->hash) ||
	    !take_hash(seq, PREV_KEY, out->prev))
		return false;
	while (digits < SEQ_DIGITS && seq[-1] >= '0' && seq[-1] <= '9') {
		seq--;
		digits++;
	}
	if (!digits || seq - line < (ptrdiff_t)sizeof(SEQ_KEY) ||
	    memcmp(seq - (sizeof(SEQ_KEY) - 1), SEQ_KEY, sizeof(SEQ_KEY) - 1))
		return false;
	out->seq = strtoull(seq, NULL, 10);
	*end = '}';
	sha256_hex(line, (size_t)(end - line) + 1, hash);
	*end = ',';
	out->fits = !memcmp(hash, out->hash, SHA256_HEX);
	return true;
}

void audit_reader_init(struct audit_reader *reader, struct arena *arena)
{
	*reader = (struct audit_reader){
		.fd = -1,
		.buf = arena_array(arena, char, READ_SIZE),
	};
}

void audit_reader_start(struct audit_reader *reader, int fd, uint64_t from,
			uint64_t end)
{
	reader->fd = fd;
	reader->at = from;
	reader->end = end;
	reader->pos = 0;
	reader->have = 0;
}

/* More of the file behind what is there; false at its end. */
static ssize_t fill(struct audit_reader *r)
{
	uint64_t offset = r->at + (r->have - r->pos);
	size_t room;
	ssize_t got;

	if (r->pos) {
		memmove(r->buf, r->buf + r->pos, r->have - r->pos);
		r->have -= r->pos;
		r->pos = 0;
	}
	room = READ_SIZE - r->have;
	if (r->end - offset < room)
		room = (size_t)(r->end - offset);
	do {
		got = room ? pread(r->fd, r->buf + r->have, room, (off_t)offset)
			   : 0;
	} while (got < 0 && errno == EINTR);
	if (got > 0)
		r->have += (size_t)got;
	return got;
}

int audit_reader_next(struct audit_reader *r, char **line, size_t *n)
{
	size_t seen = 0;

	for (;;) {
		char *from = r->buf + r->pos;
		char *lf = memchr(from + seen, '\n', r->have - r->pos - seen);
		ssize_t got;

		seen = r->have - r->pos;
		r->whole = lf != NULL;
		*line = from;
		*n = lf ? (size_t)(lf - from) : seen;
		if (!lf && seen < AUDIT_LINE_MAX) {
			got = fill(r);
			if (got < 0)
				return -1;
			if (got > 0)
				continue;
			*line = r->buf + r->pos;
		}
		r->pos += *n + (lf != NULL);
		r->at += *n + (lf != NULL);
		return *n || lf ? 1 : 0;
	}
}
