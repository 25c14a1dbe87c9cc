/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd/run.c - `cordon run`: a command in a box
 *
 * Runs in:  the caller's process, which becomes the supervisor.
 * Trusts:   the command line.
 * Must not: write to standard output, which is the command's.
 */
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/log.h"
#include "base/text.h"
#include "cmd/control.h"
#include "cmd/events.h"
#include "cmd/output.h"
#include "cmd/prepare.h"
#include "cmd/report.h"
#include "cmd/verb.h"
#include "event/event.h"
#include "event/sink.h"
#include "plan/exec_text.h"
#include "policy/command.h"
#include "policy/format.h"
#include "run/run.h"

enum { STREAMS_N = 3 };

struct run_args {
	struct common_args common;
	struct policy_args policy;
	struct host_args host;
	const char *string;
	bool json;
	bool verbose;
	bool explain;
	const char *events;
	struct opt_number events_fd;
	struct opt_number control_fd;
	struct opt_values pass_fds;
};

static const struct opt run_options[] = {
	{ .name = "command",
	  .letter = 'c',
	  .kind = OPT_TEXT,
	  .offset = offsetof(struct run_args, string),
	  .arg = "STRING",
	  .help = "run '/bin/sh -c STRING'; words that follow are $0, $1, "
		  "..." },
	{ .name = "json",
	  .kind = OPT_FLAG,
	  .offset = offsetof(struct run_args, json),
	  .help = "at the end, write the outcome as one JSON object to "
		  "standard error" },
	{ .name = "verbose",
	  .letter = 'v',
	  .kind = OPT_FLAG,
	  .offset = offsetof(struct run_args, verbose),
	  .help = "at the start, list the rules that hold" },
	{ .name = "explain",
	  .kind = OPT_FLAG,
	  .offset = offsetof(struct run_args, explain),
	  .help = "tell every file and system call that is refused, with the "
		  "rule and what would change it; each open takes about "
		  "12 microseconds more" },
	{ .name = "events",
	  .kind = OPT_TEXT,
	  .offset = offsetof(struct run_args, events),
	  .arg = "FILE",
	  .help = "append what happens to this file, as lines of JSON",
	  .words = OPT_WORDS_FILE },
	{ .name = "events-fd",
	  .kind = OPT_NUMBER,
	  .offset = offsetof(struct run_args, events_fd),
	  .arg = "N",
	  .help = "write what happens as lines of JSON to this descriptor" },
	{ .name = "control-fd",
	  .kind = OPT_NUMBER,
	  .offset = offsetof(struct run_args, control_fd),
	  .arg = "N",
	  .help = "take changes of network rules from this descriptor, as "
		  "lines of JSON, and answer each" },
	{ .name = "pass-fd",
	  .kind = OPT_LIST,
	  .offset = offsetof(struct run_args, pass_fds),
	  .arg = "N",
	  .help = "leave this descriptor open for the command; 0, 1 and 2 "
		  "always are" },
};

static const struct opt_group run_groups[] = {
	{ "Options", run_options, sizeof(run_options) / sizeof(*run_options),
	  0 },
	POLICY_GROUPS(offsetof(struct run_args, policy)),
	HOST_GROUP(offsetof(struct run_args, host)),
	COMMON_GROUP,
};

/* The command's words: those given, or a shell before them for -c. */
static int build_argv(struct arena *arena, const struct run_args *args,
		      const struct opt_rest *rest, char *const **out,
		      struct err *err)
{
	char **argv;
	size_t n = 0;

	if (!args->string) {
		if (!rest->n)
			return err_set(err, ERR_USAGE,
				       "no command given; for example: "
				       "cordon run -- make test");
		if (!rest->v[0][0])
			return err_set(err, ERR_USAGE,
				       "the name of the command is empty");
		*out = rest->v;
		return 0;
	}
	argv = arena_array(arena, char *, rest->n + 4);
	argv[n++] = arena_strdup(arena, "/bin/sh");
	argv[n++] = arena_strdup(arena, "-c");
	argv[n++] = arena_strdup(arena, args->string);
	for (size_t i = 0; i < rest->n; i++)
		argv[n++] = rest->v[i];
	*out = argv;
	return 0;
}

static int check_fd(const char *option, unsigned int fd, struct err *err)
{
	if (fcntl((int)fd, F_GETFD) < 0)
		return err_set(err, ERR_USAGE,
			       "--%s: descriptor %u is not open", option, fd);
	return 0;
}

/* Of events and control, the command has neither: it could write events of its
 * own, or allow itself what it likes. */
static int build_own_fd(const char *option, const struct opt_number *given,
			const struct host_args *commands, int *out,
			struct err *err)
{
	*out = -1;
	if (!given->set)
		return 0;
	if (check_fd(option, given->value, err) < 0)
		return -1;
	*out = (int)given->value;
	return events_check_apart(option, *out, commands, err);
}

/* The standard streams and those named: all that the command will have. */
static int build_fds(struct arena *arena, const struct run_args *args,
		     struct run_request *out, struct host_args *host,
		     struct err *err)
{
	int *fds = arena_array(arena, int, STREAMS_N + args->pass_fds.n);

	for (int fd = 0; fd < STREAMS_N; fd++)
		fds[fd] = fd;
	for (size_t i = 0; i < args->pass_fds.n; i++) {
		struct opt_number fd;

		if (opt_number_parse(args->pass_fds.v[i].text, &fd) < 0)
			return err_set(err, ERR_USAGE,
				       "--pass-fd: '%s' is not a number",
				       args->pass_fds.v[i].text);
		if (check_fd("pass-fd", fd.value, err) < 0)
			return -1;
		fds[STREAMS_N + i] = (int)fd.value;
	}
	out->pass_fds = fds + STREAMS_N;
	out->pass_fds_n = args->pass_fds.n;
	host->fds = fds;
	host->fds_n = STREAMS_N + args->pass_fds.n;
	if (build_own_fd("events-fd", &args->events_fd, host, &out->events->fd,
			 err) < 0)
		return -1;
	return build_own_fd("control-fd", &args->control_fd, host,
			    &out->control_fd, err);
}

/* The box that is there has neither namespaces nor files for another. */
static int check_outside(struct err *err)
{
	if (!host_is_inside_box())
		return 0;
	return err_set(err, ERR_HOST,
		       "this is the inside of a box already, and boxes are "
		       "not nested: run the command as it is, or start it from "
		       "outside");
}

static void print_banner(struct arena *arena, const struct prepared *prepared)
{
	struct text banner = { .arena = arena };
	char *line;

	plan_banner_format(&banner, &prepared->policy.policy, &prepared->plan);
	while ((line = strsep(&banner.v, "\n"))) {
		if (*line)
			log_info("%s", line);
	}
}

/* Where the command was refused something, in its own words and place. */
static void say_denied(const struct outcome_denial *denial)
{
	const char *remedy = denial->remedy ? denial->remedy : "";

	log_info("refused: %s %s: %s%s%s", denial->operation, denial->target,
		 denial->rule, *remedy ? "; to allow it: " : "", remedy);
}

/* What would fail in the box with less to say. */
static int check_command(struct arena *arena, const struct plan *plan,
			 char *const *argv, struct event_sink *events,
			 struct err *err)
{
	struct command_seen seen = { .argv = (const char *const *)argv };
	struct text line = { .arena = arena };
	struct command_verdict verdict;
	struct event event = { .kind = EVENT_DENIED,
			       .what = EVENT_WHAT_EXEC,
			       .operation = "execve",
			       .argv = argv };

	while (argv[seen.argc])
		seen.argc++;
	command_judge(&plan->exec.rules, &seen, &verdict);
	if (!verdict.denied)
		return 0;
	text_add_command(&line, seen.argv, seen.argc);
	event.target = text_str(&line);
	event.rule = arena_printf(arena, "exec.deny '%s'", verdict.rule->text);
	event.origin = policy_origin_format(arena, &verdict.rule->origin);
	event.remedy =
		plan_exec_remedy(arena, &plan->exec, &seen, verdict.rule);
	(void)event_emit(events, &event); /* nothing runs in any case */
	return err_set(err, ERR_NOT_EXECUTABLE,
		       "refused: exec %.200s: %s (%s); to allow it: %s",
		       event.target, event.rule, event.origin, event.remedy);
}

static int run_command(struct cmd *cmd, const struct run_args *args,
		       const struct opt_rest *rest, struct err *err)
{
	struct prepared *prepared = arena_array(cmd->arena, struct prepared, 1);
	struct control_base base = { .arena = cmd->arena,
				     .args = &args->policy,
				     .prepared = prepared };
	AUTO_SINK events = { .file = -1 };
	struct run_request request = { .plan = &prepared->plan,
				       .events = &events,
				       .change = control_change,
				       .change_data = &base,
				       .told = say_denied };
	struct host_args host = args->host;
	struct outcome outcome = { 0 };

	event_sink_init(&events);
	host.explain = args->explain;
	if (check_outside(err) < 0 ||
	    build_argv(cmd->arena, args, rest, &request.argv, err) < 0 ||
	    build_fds(cmd->arena, args, &request, &host, err) < 0 ||
	    prepare_all(cmd->arena, &args->policy, &host, prepared, err) < 0 ||
	    events_open(cmd->arena, &host, args->events, prepared, &events,
			err) < 0 ||
	    check_command(cmd->arena, &prepared->plan, request.argv, &events,
			  err) < 0)
		return -1;
	if (args->verbose)
		print_banner(cmd->arena, prepared);
	if (run_box(cmd->arena, &request, &outcome, err) < 0)
		return -1;
	if (!args->json) {
		report_print(&outcome);
		return outcome.exit_code;
	}
	/* The command is done; its exit code is worth more than the report. */
	(void)output_json(STDERR_FILENO,
			  report_json_format(cmd->arena, &outcome, prepared),
			  err);
	return outcome.exit_code;
}

static int run_main(struct cmd *cmd, const void *verb_args,
		    const struct opt_rest *rest, struct err *err)
{
	const struct run_args *args = verb_args;
	int code;

	if (!args->json)
		return run_command(cmd, args, rest, err);
	/* What would be said in words is in the object. */
	log_setup(true);
	code = run_command(cmd, args, rest, err);
	return code < 0 ? report_json_print_error(cmd, err) : code;
}

const struct verb verb_run = {
	.name = "run",
	.summary = "run a command in a box",
	.synopsis = "[options] [--] command [argument ...]\n"
		    "[options] -c STRING [argument ...]",
	.text = "Runs the command so that it can read what the policy shows, "
		"change what the policy lets it change, and nothing else. "
		"With the profile 'default' secrets are hidden, the current "
		"directory is writable and there is no network.\n\n"
		"Options end at the first word that is none: in 'cordon run "
		"npm test --flag' the flag is npm's.\n\n"
		"A file that is given open for reading, as standard input or "
		"with --pass-fd, is not writable by that. One that the policy "
		"keeps inside a writable directory would be, and is refused: "
		"use a pipe.\n\n"
		"Exit status: that of the command; 124 time limit, 125 the "
		"box could not be made and nothing ran, 126 not executable, "
		"127 not found, 128+n ended by signal n.",
	.groups = { run_groups, sizeof(run_groups) / sizeof(*run_groups) },
	.args_size = sizeof(struct run_args),
	.command = true,
	.runs = true,
	.words = OPT_WORDS_COMMAND,
	.run = run_main,
};
