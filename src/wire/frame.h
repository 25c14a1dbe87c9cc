/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_WIRE_FRAME_H
#define CORDON_WIRE_FRAME_H

#include <stddef.h>
#include <stdint.h>

/*
 * The protocol between the supervisor and box init, in every tier: a
 * little-endian u32 length (of what follows it), u8 type, u8 version, u16
 * stream, payload. Anything else closes the channel.
 */
enum {
	FRAME_VERSION = 1,
	FRAME_HEAD = 8, /* length field included */
	FRAME_LIMIT = 256 * 1024, /* of the length field */
};

enum frame_type {
	FRAME_EXITED = 1, /* init → supervisor: the command ended */
	FRAME_STOPPED, /* init → supervisor: the command is stopped */
	FRAME_SIGNAL, /* supervisor → init: u32 signal */
	FRAME_MOUNTS, /* init → supervisor: u32 0, the mount table changed */
	FRAME_DENIED, /* guard → supervisor: struct frame_told and text */
	FRAME_USED, /* guard → supervisor: the same, of what was allowed */
};

struct frame {
	enum frame_type type;
	uint16_t stream;
	const void *payload; /* points into what was parsed */
	size_t n;
};

/* FRAME_EXITED: how the command ended and what it used. */
struct frame_exited {
	uint32_t status; /* as wait(2) gives it */
	uint32_t lost; /* refusals that could not be told, of the whole run */
	uint64_t user_us;
	uint64_t system_us;
	uint64_t max_rss_kib;
};

/* What somebody in the box did or tried. */
enum frame_act {
	FRAME_CREATE,
	FRAME_READ,
	FRAME_WRITE,
	FRAME_REMOVE,
	FRAME_EXEC,
	FRAME_UNIX, /* connect to a socket with a path */
	FRAME_SYSCALL,
};

/* Where in the plan the reason for a refusal stands. */
enum frame_by {
	FRAME_BY_NONE, /* nowhere: told by the text alone */
	FRAME_BY_ABSENT, /* plan->absents */
	FRAME_BY_EXEC, /* plan->exec.rules */
	FRAME_BY_PATTERN, /* plan->patterns */
	FRAME_BY_RULE, /* plan->rules */
	FRAME_BY_SOCKETS, /* network.unix_sockets: none of them */
	FRAME_BY_SYSTEM, /* exec.only_system */
	FRAME_BY_FILTER, /* syscalls.profile */
};

/*
 * FRAME_DENIED, FRAME_USED. What follows it is text: for FRAME_BY_ABSENT the
 * directory; of a file or socket its path; of an execution the path, then each
 * argument, each ended by a NUL.
 */
struct frame_told {
	uint32_t pid; /* in the box */
	uint32_t rule; /* index, see @by */
	uint8_t act; /* enum frame_act */
	uint8_t by; /* enum frame_by */
	uint8_t cut; /* there was more text */
	uint8_t doubt; /* FRAME_EXEC: refused as not all is known */
	uint32_t lost; /* refusals so far that could not be told */
	char comm[16];
	char call[16]; /* "openat", "mkdir", … */
};

enum {
	FRAME_TEXT_MAX = 4096,
	FRAME_TOLD_MAX =
		FRAME_HEAD + sizeof(struct frame_told) + FRAME_TEXT_MAX,
};

/* Writes head and payload to @buf; returns the size, 0 if it does not fit. */
size_t frame_format(const struct frame *frame, void *buf, size_t room);

/* One whole frame in @n bytes; -1 if it is anything else. */
int frame_parse(const void *buf, size_t n, struct frame *out);

/* Its head, and @text with its length, which points into the frame. */
void frame_told_parse(const struct frame *frame, struct frame_told *out,
		      const char **text, size_t *n);

#endif
