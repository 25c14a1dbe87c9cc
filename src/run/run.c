/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/run.c - the life of a box, seen from outside
 *
 * Runs in:  the supervisor, one per box.
 * Trusts:   frames of fixed form, no more of them than their bounds.
 * Must not: end before the box has; its death takes the box with it.
 */
#include "run/run.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "egress/egress.h"
#include "event/sink.h"
#include "plan/plan.h"
#include "run/control.h"
#include "run/launch.h"
#include "run/mask.h"
#include "run/network.h"
#include "run/record.h"
#include "run/restore.h"
#include "run/tell.h"
#include "run/terminal.h"
#include "wire/frame.h"

enum {
	GRACE_MS = 2000, /* between SIGTERM and SIGKILL */
	LOOK_MS = 100, /* between looks at names that are watched */
	EGRESS_ANSWER_MS = 5000, /* to new rules */
	REPORTS_AT_ONCE = 64, /* of egress */
	POLLS_N = 5 + TERMINAL_POLLS + OUTPUT_POLLS,
	EXIT_TIMEOUT = 124,
};

static const char *const names[] = {
	[OUTCOME_EXIT] = "exit",       [OUTCOME_SIGNAL] = "signal",
	[OUTCOME_TIMEOUT] = "timeout", [OUTCOME_OOM] = "oom",
	[OUTCOME_PIDS] = "pids",       [OUTCOME_DISK] = "disk",
	[OUTCOME_OUTPUT] = "output",   [OUTCOME_CPU_TIME] = "cpu-time",
	[OUTCOME_KILLED] = "killed",   [OUTCOME_DENIED] = "denied",
	[OUTCOME_SETUP] = "setup",
};

const char *outcome_name(enum outcome_kind kind)
{
	return names[kind];
}

struct supervisor {
	struct arena *arena;
	const struct run_request *request;
	const struct plan *plan;
	struct run_box box;
	struct control control;
	struct record record;
	struct terminal *terminal;
	struct facts_id *watched; /* what last lay at each watched name */
	int signals;
	uint64_t started_ns;
	uint64_t deadline_ns; /* 0: none */
	uint64_t look_ns; /* when watched names are looked at next */
	unsigned int endings; /* signals that ask for the end */
	uint32_t rules_in_force; /* of the network, by egress's word */
	bool timed_out;
	bool killed;
	bool reported; /* the command's end is known */
	bool over;
	struct frame_exited exited;
};

static uint64_t now_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000ULL + (uint64_t)t.tv_nsec;
}

static void send_value(struct supervisor *s, enum frame_type type,
		       uint32_t value)
{
	const struct frame frame = { .type = type,
				     .payload = &value,
				     .n = sizeof(value) };
	unsigned char buf[FRAME_HEAD + sizeof(value)];
	struct err err;

	/* A box that is gone is noticed by its descriptor. */
	if (frame_format(&frame, buf, sizeof(buf)))
		(void)fd_send(s->box.control, buf, sizeof(buf), NULL, 0, &err);
}

static void kill_box(struct supervisor *s)
{
	s->killed = true;
	(void)syscall(SYS_pidfd_send_signal, s->box.pidfd, SIGKILL, NULL, 0);
}

/*
 * Stops with the box, as a shell expects of a job, and goes on with it. All of
 * the box: what still ran would have no clock. SIGTSTP and not SIGSTOP: where
 * no shell could make us go on, the kernel does not stop us.
 */
static void suspend(struct supervisor *s)
{
	sigset_t set;

	send_value(s, FRAME_SIGNAL, SIGSTOP);
	terminal_leave(s->terminal);
	sigemptyset(&set);
	sigaddset(&set, SIGTSTP);
	(void)kill(getpid(), SIGTSTP);
	(void)sigprocmask(SIG_UNBLOCK, &set, NULL);
	/* Here it goes on after SIGCONT. */
	(void)sigprocmask(SIG_BLOCK, &set, NULL);
	terminal_enter(s->terminal);
	terminal_resize(s->terminal);
	send_value(s, FRAME_SIGNAL, SIGCONT);
}

static bool asks_for_end(int sig)
{
	return sig == SIGINT || sig == SIGTERM || sig == SIGHUP ||
	       sig == SIGQUIT;
}

static void handle_signal(struct supervisor *s)
{
	struct signalfd_siginfo info;
	int sig;

	if (read(s->signals, &info, sizeof(info)) != sizeof(info))
		return;
	sig = (int)info.ssi_signo;
	if (sig == SIGCHLD)
		return;
	if (sig == SIGTSTP) {
		suspend(s);
		return;
	}
	if (sig == SIGWINCH)
		terminal_resize(s->terminal);
	/* Asked twice: the box does not get a say any more. */
	if (asks_for_end(sig) && s->endings++ > 0)
		kill_box(s);
	else
		send_value(s, FRAME_SIGNAL, (uint32_t)sig);
}

/*
 * A socket came and went where the box cannot go: whoever mounts has more
 * rights there than the command. Another user must not be able to end a box
 * with that.
 */
static bool is_out_of_reach(const struct supervisor *s, size_t watch,
			    uint32_t sys)
{
	return watch < s->plan->watches.n &&
	       s->plan->watches.v[watch].expected &&
	       (sys == EACCES || sys == ELOOP || sys == ENOTDIR);
}

/* What cannot be protected again must not be left open. */
static void restored(void *data, size_t watch, uint32_t sys)
{
	struct supervisor *s = data;

	if (is_out_of_reach(s, watch, sys))
		return;
	if (watch < s->plan->watches.n)
		record_remounted(&s->record, watch, sys);
	if (sys) {
		record_warn(&s->record,
			    "protection that the host took away could not be "
			    "put back, so the box was ended");
		kill_box(s);
	}
}

/* In raw mode a line feed only goes down. */
static void tell(struct supervisor *s, const struct outcome_denial *denial)
{
	if (!denial || !s->request->told)
		return;
	if (s->terminal->raw)
		(void)!write(STDERR_FILENO, "\r", 1);
	s->request->told(denial);
	if (s->terminal->raw)
		(void)!write(STDERR_FILENO, "\r", 1);
}

static void tell_used(struct supervisor *s, const struct frame *frame)
{
	AUTO_ARENA arena = { 0 };
	char comm[sizeof(((struct frame_told *)0)->comm) + 1] = "";
	struct frame_told head;
	struct run_used used;
	const char *text;
	size_t n;

	if (!s->request->used)
		return;
	frame_told_parse(frame, &head, &text, &n);
	if (head.act > FRAME_SYSCALL)
		return;
	memcpy(comm, head.comm, sizeof(head.comm));
	used = (struct run_used){ .act = (enum frame_act)head.act,
				  .path = arena_strndup(&arena, text, n),
				  .comm = comm,
				  .pid = head.pid,
				  .n = n };
	s->request->used(s->request->used_data, &used);
}

static void handle_frame(struct supervisor *s, const struct frame *frame)
{
	switch (frame->type) {
	case FRAME_EXITED:
		memcpy(&s->exited, frame->payload, sizeof(s->exited));
		s->record.lost = s->exited.lost;
		s->reported = true;
		break;
	case FRAME_STOPPED:
		/* Ctrl-Z in a terminal. Elsewhere a command that stops itself
		 * must not stop the clock that limits it. */
		if (s->terminal->raw)
			suspend(s);
		break;
	case FRAME_MOUNTS:
		run_restore(s->plan, &s->box, restored, s);
		break;
	case FRAME_DENIED:
		tell(s, record_denied(&s->record, frame));
		break;
	case FRAME_USED:
		tell_used(s, frame);
		break;
	case FRAME_SIGNAL:
		/* Ours to send: whoever sends them to us is not box init. */
		kill_box(s);
		break;
	}
}

/* False at the end of the channel, or if it carries anything else. */
static bool receive(struct supervisor *s)
{
	unsigned char buf[FRAME_TOLD_MAX];
	struct frame frame;
	size_t fds = 0;
	ssize_t n = fd_recv(s->box.control, buf, sizeof(buf), NULL, &fds);

	if (n < 0 && errno == EAGAIN)
		return true;
	if (n <= 0)
		return false;
	if (frame_parse(buf, (size_t)n, &frame) < 0) {
		kill_box(s);
		return false;
	}
	handle_frame(s, &frame);
	return true;
}

/*
 * A file that the host renames over a mount takes the mount away, which box
 * init notices at once. One that it moves aside takes the mount along, and one
 * that was not there had none: these are found by looking.
 */
static bool watched_changed(struct supervisor *s)
{
	bool changed = false;

	for (size_t i = 0; i < s->plan->watches.n; i++) {
		struct facts_id id = { 0 };
		struct stat st;

		if (lstat(s->plan->watches.v[i].path, &st) == 0)
			id = (struct facts_id){ st.st_dev, st.st_ino };
		if (id.dev != s->watched[i].dev || id.ino != s->watched[i].ino)
			changed = true;
		s->watched[i] = id;
	}
	return changed;
}

/* By the clock: a box that always has something to say changes nothing. */
static bool look_is_due(struct supervisor *s)
{
	uint64_t now;

	if (!s->plan->watches.n)
		return false;
	now = now_ns();
	if (now < s->look_ns)
		return false;
	s->look_ns = now + LOOK_MS * 1000000ULL;
	return true;
}

static int timeout_ms(const struct supervisor *s)
{
	uint64_t due = s->deadline_ns;
	uint64_t now, left;

	if (s->plan->watches.n && (!due || s->look_ns < due))
		due = s->look_ns;
	due = output_due_ns(&s->box.output, due);
	due = output_flow_due_ns(&s->terminal->from_box, due);
	if (!due)
		return -1;
	now = now_ns();
	left = now < due ? (due - now) / 1000000 + 1 : 0;
	return left > INT_MAX ? INT_MAX : (int)left;
}

static void handle_deadline(struct supervisor *s)
{
	if (!s->deadline_ns || now_ns() < s->deadline_ns)
		return;
	if (s->timed_out) {
		kill_box(s);
		s->deadline_ns = 0;
		return;
	}
	s->timed_out = true;
	run_tell_limit(&s->record, "limits.wall_time");
	s->deadline_ns = now_ns() + GRACE_MS * 1000000ULL;
	/* A stopped command would not hear it. */
	send_value(s, FRAME_SIGNAL, SIGCONT);
	send_value(s, FRAME_SIGNAL, SIGTERM);
}

/* What egress has refused, or asks. Without egress the box has no network that anybody
 * judges: it ends. */
static void receive_reports(struct supervisor *s)
{
	struct egress_report report;
	int got = 0;

	/* As many as there are must not keep us from a signal or the clock. */
	for (int i = 0; i < REPORTS_AT_ONCE; i++) {
		got = run_network_receive(&s->box.network, &report);
		if (got <= 0)
			break;
		if (report.kind == EGRESS_REFUSED)
			record_refused(&s->record, &s->box, &report);
		else if (report.kind == EGRESS_DONE)
			s->rules_in_force = report.rules;
		else if (report.kind == EGRESS_USES_FILES)
			run_files_renew(&s->box.network.files,
					s->box.network.channel, report.files);
	}
	if (got >= 0)
		return;
	fd_close(&s->box.network.channel);
	record_warn(&s->record, "the process that filters the network ended, "
				"so the box was ended");
	kill_box(s);
}

/* Whoever is told that rules hold must be able to rely on it. */
static int await_rules(struct supervisor *s, const struct egress_rules *rules,
		       struct err *err)
{
	const uint64_t until = now_ns() + EGRESS_ANSWER_MS * 1000000ULL;
	struct pollfd channel = { .events = POLLIN };

	while (s->rules_in_force != s->box.network.rules && now_ns() < until) {
		channel.fd = s->box.network.channel;
		if (channel.fd < 0 || poll(&channel, 1, EGRESS_ANSWER_MS) == 0)
			break;
		receive_reports(s);
	}
	if (s->rules_in_force != s->box.network.rules) {
		kill_box(s);
		return err_set(err, ERR_SYS,
			       "egress does not answer, so the box is ended");
	}
	record_rules_changed(&s->record, rules, s->box.network.rules);
	return 0;
}

static int change_rules(struct supervisor *s, const char *line, struct err *err)
{
	struct run_change change = { 0 };
	struct egress_rules *rules;

	if (s->plan->network != POLICY_MODE_FILTERED)
		return err_set(err, ERR_USAGE,
			       "the network of this box is not filtered");
	if (s->request->change(s->request->change_data, line, &change, err) < 0)
		return -1;
	rules = arena_array(s->arena, struct egress_rules, 1);
	egress_rules_build(s->arena, &change.allow, &change.deny, rules);
	if (run_network_change(&s->box.network, &change.allow, &change.deny,
			       change.cut, err) < 0)
		return -1;
	return await_rules(s, rules, err);
}

static void serve_control(void *data, const char *line)
{
	struct supervisor *s = data;
	struct err err;

	if (change_rules(s, line, &err) < 0)
		control_answer(&s->control, err.msg);
	else
		control_answer(&s->control, NULL);
}

static int supervise(struct supervisor *s, struct err *err)
{
	struct pollfd polls[POLLS_N];

	while (!s->over) {
		polls[0] =
			(struct pollfd){ .fd = s->box.pidfd, .events = POLLIN };
		polls[1] = (struct pollfd){ .fd = s->box.control,
					    .events = POLLIN };
		polls[2] =
			(struct pollfd){ .fd = s->signals, .events = POLLIN };
		polls[3] = (struct pollfd){ .fd = s->box.network.channel,
					    .events = POLLIN };
		polls[4] = (struct pollfd){ .fd = s->control.fd,
					    .events = POLLIN };
		terminal_polls(s->terminal, polls + 5);
		output_polls(&s->box.output, polls + 5 + TERMINAL_POLLS);
		if (poll(polls, POLLS_N, timeout_ms(s)) < 0 && errno != EINTR)
			return err_sys(err, "wait for the box");
		if (look_is_due(s) && watched_changed(s))
			run_restore(s->plan, &s->box, restored, s);
		terminal_move(s->terminal, polls + 5);
		output_move(&s->box.output, polls + 5 + TERMINAL_POLLS);
		if (polls[3].revents)
			receive_reports(s);
		if (polls[4].revents)
			control_read(&s->control, serve_control, s);
		if (polls[2].revents)
			handle_signal(s);
		if (polls[1].revents && !receive(s))
			fd_close(&s->box.control);
		handle_deadline(s);
		if (event_sink_must_stop(s->record.events) && !s->killed) {
			record_warn(&s->record,
				    "the audit log cannot be written, so the "
				    "box was ended (audit.on_error: stop)");
			kill_box(s);
		}
		/* Last, so that what was sent before the end is known. */
		if (polls[0].revents && !(polls[1].revents & POLLIN))
			s->over = true;
	}
	return 0;
}

static int block_signals(struct err *err)
{
	static const int forwarded[] = { SIGINT,  SIGTERM, SIGHUP,   SIGQUIT,
					 SIGUSR1, SIGUSR2, SIGWINCH, SIGTSTP };
	sigset_t set;
	int fd;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(forwarded) / sizeof(forwarded[0]); i++)
		sigaddset(&set, forwarded[i]);
	if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
		return err_sys(err, "block signals");
	fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		return err_sys(err, "open a signal descriptor");
	return fd;
}

static void fill_outcome(const struct supervisor *s, struct outcome *out)
{
	int status = (int)s->exited.status;

	out->wall_ns = now_ns() - s->started_ns;
	out->user_ns = s->exited.user_us * 1000;
	out->system_ns = s->exited.system_us * 1000;
	out->max_rss_bytes = s->exited.max_rss_kib * 1024;
	if (s->timed_out) {
		out->kind = OUTCOME_TIMEOUT;
		out->exit_code = EXIT_TIMEOUT;
	} else if (!s->reported || s->killed) {
		out->kind = OUTCOME_KILLED;
		out->signal = SIGKILL;
		out->exit_code = 128 + SIGKILL;
	} else if (WIFSIGNALED(status)) {
		out->kind = OUTCOME_SIGNAL;
		out->signal = WTERMSIG(status);
		out->exit_code = 128 + WTERMSIG(status);
	} else {
		out->kind = OUTCOME_EXIT;
		out->exit_code = WEXITSTATUS(status);
	}
}

static void finish(struct supervisor *s, struct outcome *out)
{
	struct egress_report report;
	siginfo_t info;

	while (waitid(P_PIDFD, (id_t)s->box.pidfd, &info, WEXITED) < 0 &&
	       errno == EINTR)
		;
	output_drain(&s->box.output, s->signals);
	terminal_drain(s->terminal);
	terminal_leave(s->terminal);
	if (!s->killed && !s->timed_out)
		run_network_drain(&s->box.network);
	/* What was refused last is told too. Its end is no surprise now. */
	while (run_network_receive(&s->box.network, &report) > 0) {
		if (report.kind == EGRESS_REFUSED)
			record_refused(&s->record, &s->box, &report);
	}
	run_network_stop(&s->box.network);
	fill_outcome(s, out);
	record_check_names(&s->record);
	run_tell_ended(&s->record);
}

int run_box(struct arena *arena, const struct run_request *request,
	    struct outcome *out, struct err *err)
{
	struct supervisor s = { .arena = arena,
				.request = request,
				.plan = request->plan,
				.control.fd = request->control_fd };
	const struct mask *mask;
	int result;

	/* It outlives the events. */
	*out = (struct outcome){
		.sandbox = arena_strdup(arena, request->events->sandbox),
	};
	if (run_check_streams(err) < 0 ||
	    mask_build(arena, &s.plan->masks, &mask, err) < 0)
		return -1;
	s.signals = block_signals(err);
	if (s.signals < 0)
		return -1;
	s.started_ns = now_ns();
	/* Where it must be known, before there is anything to be known;
	 * otherwise the command need not wait for it. */
	if (request->events->audit_must && run_tell_started(request) < 0) {
		*err = request->events->audit_err;
		return err_wrap(err, "the audit log cannot be written "
				     "(audit.on_error: stop)");
	}
	if (run_launch(request, &s.box, err) < 0) {
		run_tell_failed(request, err);
		return -1;
	}
	/* Writing to a terminal or pipe that is gone is an error to handle,
	 * and so is a file that would be larger than the caller's limit.
	 * Only now: what is ignored is inherited by the command. */
	(void)signal(SIGPIPE, SIG_IGN);
	(void)signal(SIGTTOU, SIG_IGN);
	(void)signal(SIGXFSZ, SIG_IGN);
	record_init(&s.record, arena, request->plan, out, request->events);
	if (!request->events->audit_must)
		(void)run_tell_started(request);
	if (request->plan->wall_time_ms)
		s.deadline_ns =
			s.started_ns + request->plan->wall_time_ms * 1000000ULL;
	s.look_ns = now_ns() + LOOK_MS * 1000000ULL;
	s.watched =
		arena_array(arena, struct facts_id, request->plan->watches.n);
	for (size_t i = 0; i < request->plan->watches.n; i++)
		s.watched[i] = request->plan->watches.v[i].id;
	if (s.control.fd >= 0)
		s.control.line = arena_array(arena, char, CONTROL_LINE_MAX);
	run_tell_ports(&s.record, &s.box);
	s.terminal = terminal_new(arena, &s.box, mask);
	output_init(&s.box.output, arena, mask);
	terminal_enter(s.terminal);
	result = supervise(&s, err);
	if (result < 0)
		kill_box(&s);
	finish(&s, out);
	return result;
}
