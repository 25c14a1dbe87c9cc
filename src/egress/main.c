/* SPDX-License-Identifier: Apache-2.0 */
/*
 * egress/main.c - the process that a box's network ends in
 *
 * Runs in:  a child of the supervisor, outside the box.
 * Trusts:   the plan and the supervisor.
 * Must not: serve before it is caged.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "egress/change.h"
#include "egress/confine.h"
#include "egress/dial.h"
#include "egress/dns.h"
#include "egress/files.h"
#include "egress/front.h"
#include "egress/names.h"
#include "egress/resolve.h"
#include "egress/session.h"
#include "egress/state.h"

enum {
	FILES_MAX = 16384, /* descriptors that are asked for */
	FILES_OTHER = 64, /* of them not for sessions */
	FILES_PER_SESSION = 2,
};

void egress_report(const struct egress *egress,
		   const struct egress_report *report)
{
	/* If nobody reads, the message is lost and a refusal stands. That rules
	 * are in force is waited for, so it is read. */
	(void)send(egress->channel.fd, report, sizeof(*report),
		   report->kind == EGRESS_DONE ? MSG_NOSIGNAL
					       : MSG_DONTWAIT | MSG_NOSIGNAL);
}

static int32_t rule_number(const struct egress *egress,
			   const struct egress_rule *rule)
{
	const struct egress_rules *rules = &egress->rules;

	for (size_t i = 0; i < rules->deny.n; i++) {
		if (rule == &rules->deny.v[i])
			return (int32_t)i;
	}
	for (size_t i = 0; i < rules->allow.n; i++) {
		if (rule == &rules->allow.v[i])
			return (int32_t)(rules->deny.n + i);
	}
	return -1;
}

static void copy_text(char *out, size_t room, const char *text)
{
	size_t n = text ? strlen(text) : 0;

	if (n)
		memcpy(out, text, n < room ? n : room - 1);
}

void egress_refused(struct egress *egress, const struct egress_target *target,
		    const struct address *address,
		    const struct egress_verdict *verdict, const char *asked,
		    enum egress_form form, uint16_t from)
{
	struct egress_report message = {
		.kind = EGRESS_REFUSED,
		.why = verdict->why,
		.form = form,
		.port = target->port,
		.from = from,
		.rule = rule_number(egress, verdict->rule),
		.rules = egress->rules_number,
		.class = verdict->class,
	};

	if (address)
		memcpy(message.address, address->v, sizeof(address->v));
	copy_text(message.name, sizeof(message.name), target->name);
	copy_text(message.text, sizeof(message.text), asked);
	egress_report(egress, &message);
}

/* False where it cannot be understood. */
static bool take_message(struct egress *egress, const char *data, size_t n,
			 int fd)
{
	struct egress_report done = { .kind = EGRESS_DONE };
	uint32_t kind;

	if (n < sizeof(kind))
		return false;
	memcpy(&kind, data, sizeof(kind));
	if (kind == EGRESS_FILES) {
		egress_files_apply(egress, data, n, fd);
		return true;
	}
	if (kind != EGRESS_CHANGE || !egress_change_apply(egress, data, n))
		return false;
	done.rules = egress->rules_number;
	egress_report(egress, &done);
	return true;
}

static void channel_ready(struct source *source, uint32_t events)
{
	struct egress *egress =
		(struct egress *)((char *)source -
				  offsetof(struct egress, channel));
	AUTO_CLOSE int fd = -1;
	size_t fds = 1;
	ssize_t n =
		fd_recv(source->fd, egress->scratch, EGRESS_SCRATCH, &fd, &fds);

	(void)events;
	/* Files for which there was no descriptor left: they come again. Rules
	 * need none. */
	if (n < 0 && (errno == EAGAIN || errno == EMSGSIZE))
		return;
	/* The box is over, or its supervisor, and then we are killed. */
	if (n == 0) {
		(void)source_watch(&egress->loop, source, 0);
		session_drain_all(egress);
		return;
	}
	/* Without rules that can be understood there must be no network. */
	if (n < 0 || !take_message(egress, egress->scratch, (size_t)n, fd))
		_exit(1);
}

/* As many sessions as there are descriptors for. */
static void count_sessions(struct egress *egress)
{
	struct rlimit files = { 1024, 1024 };
	rlim_t n;

	(void)getrlimit(RLIMIT_NOFILE, &files);
	files.rlim_cur =
		files.rlim_max < FILES_MAX ? files.rlim_max : FILES_MAX;
	(void)setrlimit(RLIMIT_NOFILE, &files);
	n = files.rlim_cur > FILES_OTHER
		    ? (files.rlim_cur - FILES_OTHER) / FILES_PER_SESSION
		    : 1;
	egress->sessions_max =
		n < EGRESS_SESSIONS_MAX ? (unsigned int)n : EGRESS_SESSIONS_MAX;
}

static int listen_one(struct egress *egress, const struct egress_listener *l,
		      int fd)
{
	switch (l->kind) {
	case EGRESS_PROXY:
		return front_proxy_listen(egress, fd);
	case EGRESS_DNS:
		return dns_listen(egress, fd);
	case EGRESS_STREAM:
	case EGRESS_STREAM_PORT:
		return front_stream_listen(egress, fd);
	case EGRESS_HOST_PORT:
		return front_host_listen(egress, fd, l->port);
	}
	return -1;
}

static int listen_all(struct egress *egress, struct err *err)
{
	const struct egress_start *start = egress->start;
	const struct plan_egress *plan = start->plan;

	for (size_t i = 0; i < plan->listeners.n; i++) {
		if (start->listeners[i] >= 0 &&
		    listen_one(egress, &plan->listeners.v[i],
			       start->listeners[i]) < 0)
			return err_sys(err, "listen in the box");
	}
	for (size_t i = 0; i < plan->publish.n; i++) {
		if (front_publish_listen(egress, start->publish[i],
					 plan->publish.v[i].port) < 0)
			return err_sys(err, "listen for published ports");
	}
	return 0;
}

static void queue_add(struct egress *egress, struct timer_queue *queue,
		      unsigned int ms)
{
	queue->ms = ms;
	timer_queue_add(&egress->loop, queue);
}

static int prepare(struct egress *egress, struct err *err)
{
	const struct egress_start *start = egress->start;

	count_sessions(egress);
	egress->rules = start->plan->rules;
	egress->spare = dup(start->channel);
	egress->scratch = malloc(EGRESS_SCRATCH);
	if (!egress->scratch || egress->spare < 0)
		return err_sys(err, "prepare");
	if (loop_init(&egress->loop, err) < 0)
		return -1;
	queue_add(egress, &egress->handshake, EGRESS_HANDSHAKE_MS);
	queue_add(egress, &egress->connecting, EGRESS_CONNECTING_MS);
	queue_add(egress, &egress->idle, EGRESS_IDLE_MS);
	queue_add(egress, &egress->head_starts, DIAL_HEAD_START_MS);
	if (own_init(&egress->own, err) < 0)
		return -1;
	egress->names = names_new(&egress->arena);
	egress->resolver =
		resolver_new(&egress->arena, &egress->loop, start->plan, err);
	if (!egress->resolver || listen_all(egress, err) < 0)
		return -1;
	egress_files_follow(egress);
	egress->channel =
		(struct source){ .fd = start->channel, .ready = channel_ready };
	if (source_watch(&egress->loop, &egress->channel, EPOLLIN) < 0)
		return err_sys(err, "wait for the supervisor");
	return confine(start->cage, err);
}

/* Everything that it was given, in one array. */
static int *given(struct egress *egress, size_t *n)
{
	const struct egress_start *start = egress->start;
	size_t listeners = start->plan->listeners.n;
	size_t publish = start->plan->publish.n;
	int *all = arena_array(&egress->arena, int, listeners + publish + 2);

	memcpy(all, start->listeners, listeners * sizeof(int));
	if (publish)
		memcpy(all + listeners, start->publish, publish * sizeof(int));
	all[listeners + publish] = start->channel;
	all[listeners + publish + 1] = start->inside;
	*n = listeners + publish + 2;
	return all;
}

_Noreturn void egress_main(const struct egress_start *start)
{
	struct egress egress = { .start = start };
	struct egress_report message = { .kind = EGRESS_READY };
	struct err err;
	size_t n;
	int *keep;

	egress.channel.fd = start->channel;
	keep = given(&egress, &n);
	if (confine_begin("cordon-egress", keep, n, &err) < 0 ||
	    prepare(&egress, &err) < 0) {
		message.kind = EGRESS_FAILED;
		copy_text(message.text, sizeof(message.text), err.msg);
		egress_report(&egress, &message);
		_exit(1);
	}
	egress_report(&egress, &message);
	(void)loop_run(&egress.loop, &err);
	_exit(1);
}
