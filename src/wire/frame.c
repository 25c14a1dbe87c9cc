/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire/frame.c - frames between supervisor, box init and guard
 *
 * Runs in:  all three.
 * Trusts:   nothing: the other end may have been taken over.
 * Must not: allocate, or accept what it would not write itself.
 */
#include "wire/frame.h"

#include <endian.h>
#include <stdbool.h>
#include <string.h>

struct head {
	uint32_t length;
	uint8_t type;
	uint8_t version;
	uint16_t stream;
};

_Static_assert(sizeof(struct head) == FRAME_HEAD, "the head has no padding");

/* Payload sizes are fixed per type, but that text follows some; 0 marks a type
 * that does not exist. */
static size_t payload_size(unsigned int type)
{
	switch (type) {
	case FRAME_EXITED:
		return sizeof(struct frame_exited);
	case FRAME_STOPPED:
	case FRAME_SIGNAL:
	case FRAME_MOUNTS:
		return sizeof(uint32_t);
	case FRAME_DENIED:
	case FRAME_USED:
		return sizeof(struct frame_told);
	default:
		return 0;
	}
}

static bool is_size(unsigned int type, size_t n)
{
	size_t size = payload_size(type);

	if (type == FRAME_DENIED || type == FRAME_USED)
		return n >= size && n <= size + FRAME_TEXT_MAX;
	return size && n == size;
}

size_t frame_format(const struct frame *frame, void *buf, size_t room)
{
	struct head head = {
		.length = htole32((uint32_t)(FRAME_HEAD - 4 + frame->n)),
		.type = (uint8_t)frame->type,
		.version = FRAME_VERSION,
		.stream = htole16(frame->stream),
	};

	if (!is_size(frame->type, frame->n) || room < FRAME_HEAD + frame->n)
		return 0;
	memcpy(buf, &head, sizeof(head));
	memcpy((char *)buf + FRAME_HEAD, frame->payload, frame->n);
	return FRAME_HEAD + frame->n;
}

int frame_parse(const void *buf, size_t n, struct frame *out)
{
	struct head head;

	if (n < FRAME_HEAD || n > FRAME_HEAD + FRAME_LIMIT)
		return -1;
	memcpy(&head, buf, sizeof(head));
	if (head.version != FRAME_VERSION || le32toh(head.length) != n - 4 ||
	    !is_size(head.type, n - FRAME_HEAD))
		return -1;

	*out = (struct frame){
		.type = (enum frame_type)head.type,
		.stream = le16toh(head.stream),
		.payload = (const char *)buf + FRAME_HEAD,
		.n = n - FRAME_HEAD,
	};
	return 0;
}

void frame_told_parse(const struct frame *frame, struct frame_told *out,
		      const char **text, size_t *n)
{
	memcpy(out, frame->payload, sizeof(*out));
	*text = (const char *)frame->payload + sizeof(*out);
	*n = frame->n - sizeof(*out);
}
