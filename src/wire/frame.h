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
	FRAME_DENIED, /* guard → supervisor: struct frame_denied */
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
	uint32_t unused; /* zero: what follows is aligned */
	uint64_t user_us;
	uint64_t system_us;
	uint64_t max_rss_kib;
};

/* FRAME_DENIED: a name that was not allowed to come into being. */
struct frame_denied {
	uint32_t pid; /* in the box */
	uint32_t absent; /* index in plan->absents */
	char comm[16];
	char call[16]; /* "openat", "mkdir", … */
	char where[224]; /* directory, as far as it fits */
};

/* Writes head and payload to @buf; returns the size, 0 if it does not fit. */
size_t frame_format(const struct frame *frame, void *buf, size_t room);

/* One whole frame in @n bytes; -1 if it is anything else. */
int frame_parse(const void *buf, size_t n, struct frame *out);

#endif
