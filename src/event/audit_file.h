/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_EVENT_AUDIT_FILE_H
#define CORDON_EVENT_AUDIT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/sha256.h"

struct arena;
struct err;

/* What files of the audit log consist of; shared by those who write, search
 * and check it. */

enum {
	AUDIT_NAME = 40, /* of a file, with its end */
	AUDIT_LINE_MAX = 512 * 1024,
	AUDIT_DAY = 10, /* "2026-11-16" */
};

#define AUDIT_HEAD "head"

/* Before the first record. */
#define AUDIT_GENESIS                                                          \
	"0000000000000000000000000000000000000000000000000000000000000000"

/* The end of the log: content of the file `head`. */
struct audit_head {
	char file[AUDIT_NAME];
	uint64_t size; /* of that file, when the record was written */
	uint64_t seq;
	char hash[SHA256_HEX + 1];
};

/* What makes a line a record. */
struct audit_record {
	uint64_t seq;
	char prev[SHA256_HEX + 1];
	char hash[SHA256_HEX + 1];
	bool fits; /* the hash is that of the line */
};

/* "2026-11-16.jsonl" is number 0 of its day, "2026-11-16.1.jsonl" number 1. */
bool audit_name_parse(const char *name, char day[AUDIT_DAY + 1],
		      unsigned int *number);
void audit_name_format(const char *day, unsigned int number,
		       char out[AUDIT_NAME]);

struct audit_names {
	char (*v)[AUDIT_NAME];
	size_t n;
};

/* Files of the log, oldest first. */
int audit_names_read(struct arena *arena, int dir, struct audit_names *out,
		     struct err *err);

/* A descriptor of the directory; -1 with errno. */
int audit_dir_open(const char *dir);

/*
 * The file `head`, locked: to write it (made if it is missing) or to read what
 * the log is at one moment. The lock goes with the descriptor. Waits for
 * others, but not for ever. -1 with errno ENOENT if there is none to read.
 */
int audit_head_open(int dir, bool write, struct err *err);

/* 1; 0 where there is none or it cannot be understood. */
int audit_head_read(int fd, struct audit_head *out);
int audit_head_write(int fd, const struct audit_head *head, struct err *err);

/* The line for @object (with room for AUDIT_TAIL more bytes), complete with
 * its line feed; returns its length and puts the hash into @hash. */
enum { AUDIT_TAIL = 256 };
size_t audit_record_format(char *object, size_t n, uint64_t seq,
			   const char *prev, char hash[SHA256_HEX + 1]);

/* Takes a line (without line feed) apart; false if it is no record. @line is
 * as it was afterwards. */
bool audit_record_parse(char *line, size_t n, struct audit_record *out);

/* Lines of a file between two offsets. */
struct audit_reader {
	int fd; /* borrowed */
	uint64_t at; /* where the next line begins */
	uint64_t end;
	char *buf;
	size_t pos, have; /* in @buf */
	bool whole; /* the line that was read had its line feed */
};

void audit_reader_init(struct audit_reader *reader, struct arena *arena);
void audit_reader_start(struct audit_reader *reader, int fd, uint64_t from,
			uint64_t end);

/* 1 with a line, 0 at the end, -1 with errno. A line that is longer than
 * AUDIT_LINE_MAX comes in pieces that are not whole. */
int audit_reader_next(struct audit_reader *reader, char **line, size_t *n);

#endif
