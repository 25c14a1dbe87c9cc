/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard/report.c - tells the supervisor what was refused or used
 *
 * Runs in:  the guard and its children.
 * Trusts:   nothing in the text, which is the caller's.
 * Must not: wait, but for what is learned.
 */
#include "guard/report.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "guard/guard.h"
#include "guard/place.h"
#include "guard/state.h"

/*
 * A supervisor that is slow, as its own reader is, must not keep the box
 * waiting: what it has no room for is counted, by the children too.
 */
int report_init(struct guard *guard)
{
	void *room = mmap(NULL, sizeof(*guard->lost), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (room == MAP_FAILED)
		return -1;
	guard->lost = room;
	return 0;
}

void report_done(struct guard *guard)
{
	if (guard->lost)
		(void)munmap(guard->lost, sizeof(*guard->lost));
}

unsigned int guard_lost(const struct guard *guard)
{
	return *guard->lost;
}

static void tell(const struct call *call, enum frame_type type,
		 const struct report *report, int flags)
{
	struct {
		struct frame_told head;
		char text[FRAME_TEXT_MAX];
	} payload = { .head = { .pid = (uint32_t)call->caller.tid,
				.rule = (uint32_t)report->rule,
				.act = (uint8_t)report->act,
				.by = (uint8_t)report->by,
				.cut = report->cut,
				.doubt = report->doubt,
				.lost = *call->guard->lost } };
	size_t n = report->n;
	struct frame frame = { .type = type, .payload = &payload };
	char buf[FRAME_TOLD_MAX];

	if (n > sizeof(payload.text)) {
		n = sizeof(payload.text);
		payload.head.cut = true;
	}
	if (n)
		memcpy(payload.text, report->text, n);
	frame.n = sizeof(payload.head) + n;
	caller_read_comm(&call->caller, payload.head.comm,
			 sizeof(payload.head.comm));
	(void)snprintf(payload.head.call, sizeof(payload.head.call), "%s",
		       call->name);
	n = frame_format(&frame, buf, sizeof(buf));
	if (send(call->guard->report, buf, n, flags | MSG_NOSIGNAL) < 0)
		(*call->guard->lost)++;
}

void report_denied(const struct call *call, const struct report *report)
{
	call->guard->told = true;
	tell(call, FRAME_DENIED, report, MSG_DONTWAIT);
}

void report_used(const struct call *call, const struct report *report)
{
	tell(call, FRAME_USED, report, 0);
}

size_t report_path(const struct call *call, int fd, char *out, size_t room)
{
	char name[16];
	ssize_t n;

	(void)snprintf(name, sizeof(name), "%d", fd);
	n = readlinkat(call->guard->self_fd, name, out, room - 1);
	out[n > 0 ? n : 0] = '\0';
	return n > 0 ? (size_t)n : 0;
}

size_t report_place(const struct call *call, const struct place *place,
		    char *out, size_t room)
{
	size_t n = report_path(call, place->dir, out, room);

	if (n == 1 && out[0] == '/')
		n = 0;
	if ((!n && !out[0]) || n + 1 + place->len >= room)
		return 0;
	out[n++] = '/';
	memcpy(out + n, place->name, place->len);
	out[n + place->len] = '\0';
	return n + place->len;
}
