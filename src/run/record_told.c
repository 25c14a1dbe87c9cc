/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/record_told.c - what the guard refused
 *
 * Runs in:  the supervisor.
 * Trusts:   the plan; not the frames, whose text is what the box wrote.
 * Must not: grow without bound: what is refused is listed once and counted,
 *           and the last place is for the rest.
 */
#include <seccomp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/path.h"
#include "base/text.h"
#include "event/event.h"
#include "event/sink.h"
#include "plan/exec_text.h"
#include "plan/explain.h"
#include "plan/plan.h"
#include "run/record.h"
#include "run/run.h"
#include "wire/frame.h"

enum { TOLD_LIMIT = 200, ARGV_MAX = 64 };

/* A frame taken apart; strings live as long as the call. */
struct told {
	struct frame_told head;
	const char *text; /* terminated */
	const char *argv[ARGV_MAX + 1]; /* FRAME_EXEC: path, then arguments */
	size_t argc;
	const char *operation;
	const char *target;
	const char *rule; /* "exec.deny 'git push'" */
	const char *origin; /* of it; NULL: cordon itself */
	const char *remedy;
	const char *why;
};

static const struct {
	const char *word;
	enum event_what what;
} acts[] = {
	[FRAME_CREATE] = { "create", EVENT_WHAT_CREATE },
	[FRAME_READ] = { "read", EVENT_WHAT_READ },
	[FRAME_WRITE] = { "write", EVENT_WHAT_WRITE },
	[FRAME_REMOVE] = { "remove", EVENT_WHAT_REMOVE },
	[FRAME_EXEC] = { "exec", EVENT_WHAT_EXEC },
	[FRAME_UNIX] = { "connect", EVENT_WHAT_UNIX },
	[FRAME_SYSCALL] = { "syscall", EVENT_WHAT_SYSCALL },
};

static const char *quote_rule(struct arena *arena, const char *key,
			      const char *text)
{
	return arena_printf(arena, "%s '%s'", key, text);
}

static bool describe_absent(struct arena *arena, const struct plan *plan,
			    struct told *told)
{
	const struct plan_absent *absent;

	if (told->head.rule >= plan->absents.n)
		return false;
	absent = &plan->absents.v[told->head.rule];
	told->target = absent->path;
	told->rule = absent->key;
	told->origin = record_origin(arena, &absent->origin);
	if (!strcmp(absent->key, "git"))
		told->remedy =
			"--git=open lets the command change what git runs";
	else if (!strcmp(absent->key, "deny_write"))
		told->remedy = arena_printf(
			arena, "remove '%s' from filesystem.deny_write",
			absent->path);
	else
		told->remedy = "none: it is protected in every profile; make "
			       "it yourself, outside the box";
	return true;
}

/* A command line that a shell would take, as far as it is known. */
static const char *command_line(struct arena *arena, const struct told *told)
{
	struct text line = { .arena = arena };

	if (told->argc > 1)
		text_add_command(&line, told->argv + 1, told->argc - 1);
	else
		text_add_shell(&line, told->argc ? told->argv[0] : "");
	if (told->head.cut)
		text_add(&line, " ...");
	return text_str(&line);
}

static bool describe_exec(struct arena *arena, const struct plan *plan,
			  struct told *told)
{
	const struct command_rule *rule;
	struct command_seen seen = { .names = told->argv,
				     .names_n = told->argc ? 1 : 0,
				     .argv = told->argv + 1,
				     .cut = told->head.cut };

	told->target = command_line(arena, told);
	if (told->head.by == FRAME_BY_SYSTEM) {
		told->rule = arena_printf(
			arena,
			"exec.only_system: '%s' lies where the box can "
			"write",
			told->argc ? told->argv[0] : "");
		told->remedy = PLAN_EXEC_SYSTEM_REMEDY;
		return true;
	}
	if (told->head.rule >= plan->exec.rules.n)
		return false;
	rule = &plan->exec.rules.v[told->head.rule];
	told->rule = quote_rule(arena, "exec.deny", rule->text);
	told->origin = record_origin(arena, &rule->origin);
	if (told->head.doubt)
		told->why = "not all of what is executed is known: too many "
			    "arguments, or a file that cannot be read";
	seen.argc = told->argc ? told->argc - 1 : 0;
	told->remedy = plan_exec_remedy(arena, &plan->exec, &seen, rule);
	return true;
}

static bool describe_pattern(struct arena *arena, const struct plan *plan,
			     struct told *told)
{
	const struct plan_pattern *pattern;

	if (told->head.rule >= plan->patterns.n)
		return false;
	pattern = &plan->patterns.v[told->head.rule];
	told->target = told->text;
	told->rule = quote_rule(arena, pattern->key, pattern->pattern);
	told->origin = record_origin(arena, &pattern->origin);
	told->remedy = plan_remedy_remove(arena, pattern->key, pattern->text);
	return true;
}

/* A rule for a name that lies in the directory @path, and keeps that from
 * being moved or removed. */
static const struct plan_rule *find_below(const struct plan *plan,
					  const char *path)
{
	for (size_t i = 0; i < plan->rules.n; i++) {
		const struct plan_rule *rule = &plan->rules.v[i];

		if (rule->access != PLAN_WRITE && path_within(path, rule->path))
			return rule;
	}
	return NULL;
}

/* Refused by something that the plan does not know. */
static void describe_other(struct arena *arena, const struct plan *plan,
			   struct told *told)
{
	const struct plan_rule *below = told->head.act == FRAME_REMOVE
						? find_below(plan, told->text)
						: NULL;

	told->rule = "not by the policy: owner and mode of the file";
	told->remedy = "none: change its mode, outside the box";
	if (path_within("/proc", told->text) || path_within("/sys", told->text))
		told->remedy = "none: the kernel keeps it";
	if (!below)
		return;
	told->rule = arena_printf(arena, "'%s' lies in it: %s", below->path,
				  below->write_key);
	told->remedy = "none: a directory that holds a protected name stays "
		       "where it is";
}

/* In words for who does not know what a view is. */
static const char *plain_reason(const struct plan_verdict *verdict, bool write)
{
	if (strncmp(verdict->reason, "view: ", 6) != 0)
		return verdict->reason;
	return write ? "read-only: nothing in filesystem.allow_write covers it"
		     : "hidden: nothing in filesystem.allow_read shows it";
}

/* "/", "/usr", "/home/me": too much to open for one name. */
static bool is_broad(const char *dir)
{
	size_t parts = 0;

	for (const char *p = dir; *p; p++)
		parts += *p == '/' && p[1];
	return parts < 3;
}

/* To make or remove a name its directory has to be writable. */
static void describe_directory(struct arena *arena, const struct plan *plan,
			       struct told *told)
{
	const char *slash = strrchr(told->text, '/');
	const char *dir = slash == told->text
				  ? "/"
				  : arena_strndup(arena, told->text,
						  (size_t)(slash - told->text));
	struct plan_verdict verdict;

	if (told->head.act != FRAME_CREATE && told->head.act != FRAME_REMOVE)
		return;
	plan_explain_path(arena, plan, dir, true, &verdict);
	if (verdict.allowed)
		return;
	if (told->head.act == FRAME_CREATE && is_broad(dir))
		told->remedy =
			arena_printf(arena, "make it outside the box, then %s",
				     told->remedy);
	else
		told->remedy = verdict.remedy;
}

static bool describe_path(struct arena *arena, const struct plan *plan,
			  struct told *told)
{
	bool write =
		told->head.act != FRAME_READ && told->head.act != FRAME_EXEC;
	struct plan_verdict verdict;

	if (told->text[0] != '/')
		return false;
	plan_explain_path(arena, plan, told->text, write, &verdict);
	told->target = told->text;
	/* What lies in a private directory is the box's own. */
	if (verdict.allowed || !strcmp(verdict.rule->read_key, "private")) {
		describe_other(arena, plan, told);
		return true;
	}
	told->rule = plain_reason(&verdict, write);
	told->remedy = verdict.remedy;
	describe_directory(arena, plan, told);
	return true;
}

static bool describe_call(struct arena *arena, const struct plan *plan,
			  struct told *told)
{
	char *name = seccomp_syscall_resolve_num_arch(SCMP_ARCH_X86_64,
						      atoi(told->text));

	told->target = arena_strdup(arena, name ? name : told->text);
	free(name);
	told->rule =
		arena_printf(arena, "syscalls.profile: %s", plan->seccomp.name);
	told->remedy = "none: cordon.policy(5) says what syscalls.profile "
		       "can allow";
	return true;
}

static bool describe(struct arena *arena, const struct plan *plan,
		     struct told *told)
{
	if (told->head.act >= sizeof(acts) / sizeof(*acts))
		return false;
	told->operation = acts[told->head.act].word;
	switch (told->head.by) {
	case FRAME_BY_ABSENT:
		return describe_absent(arena, plan, told);
	case FRAME_BY_EXEC:
	case FRAME_BY_SYSTEM:
		return describe_exec(arena, plan, told);
	case FRAME_BY_PATTERN:
		return describe_pattern(arena, plan, told);
	case FRAME_BY_RULE:
		return describe_path(arena, plan, told);
	case FRAME_BY_FILTER:
		return describe_call(arena, plan, told);
	case FRAME_BY_SOCKETS:
		told->target = told->text;
		told->rule = "a socket of the host that network.unix_sockets "
			     "does not name";
		told->remedy =
			plan_remedy_option(arena, "unix-socket", told->text);
		return true;
	default:
		return false;
	}
}

static void split_argv(struct told *told, size_t n)
{
	const char *at = told->text;

	while (at < told->text + n && told->argc < ARGV_MAX) {
		told->argv[told->argc++] = at;
		at += strlen(at) + 1;
	}
}

static struct outcome_denial *denial_find(struct record *record,
					  const char *operation,
					  const char *target, const char *rule)
{
	for (size_t i = 0; i < record->outcome->denials_n; i++) {
		struct outcome_denial *d = &record->outcome->denials[i];

		if (!strcmp(d->operation, operation) &&
		    !strcmp(d->target, target) && d->rule && rule &&
		    !strcmp(d->rule, rule))
			return d;
	}
	return NULL;
}

static bool is_rule_known(const struct record *record, const char *rule)
{
	for (size_t i = 0; i < record->outcome->denials_n; i++) {
		const char *other = record->outcome->denials[i].rule;

		if (other && !strcmp(other, rule))
			return true;
	}
	return false;
}

static const char *copy(struct record *record, const char *text)
{
	return text ? arena_strdup(record->arena, text) : NULL;
}

/* Where it is counted. */
static struct outcome_denial *denial_of(struct record *record,
					const struct told *told)
{
	static const char others[] = "(others)";
	static const char more[] = "more than are listed one by one";
	struct outcome_denial *denial =
		denial_find(record, told->operation, told->target, told->rule);

	if (!denial && record->told >= TOLD_LIMIT)
		denial = denial_find(record, told->operation, others, more);
	if (denial)
		return denial;
	denial = record_denial_add(record);
	record->told++;
	denial->operation = told->operation;
	if (record->told > TOLD_LIMIT) {
		denial->target = others;
		denial->rule = more;
		return denial;
	}
	denial->target = copy(record, told->target);
	denial->rule = copy(record, told->rule);
	denial->remedy = copy(record, told->remedy);
	denial->why = copy(record, told->why);
	return denial;
}

/* What is refused on purpose of the user's is said where they see it. */
static bool is_told_at_once(const struct told *told)
{
	return told->head.by == FRAME_BY_EXEC ||
	       told->head.by == FRAME_BY_SYSTEM ||
	       told->head.by == FRAME_BY_SOCKETS;
}

const struct outcome_denial *record_denied(struct record *record,
					   const struct frame *frame)
{
	AUTO_ARENA arena = { 0 };
	struct told told = { 0 };
	struct outcome_denial *denial;
	struct event event = { .kind = EVENT_DENIED };
	char comm[sizeof(told.head.comm) + 1] = "";
	char call[sizeof(told.head.call) + 1] = "";
	const char *text;
	bool first;
	size_t n;

	frame_told_parse(frame, &told.head, &text, &n);
	if (told.head.lost > record->lost)
		record->lost = told.head.lost;
	told.text = arena_strndup(&arena, text, n);
	if (told.head.act == FRAME_EXEC)
		split_argv(&told, n);
	if (!describe(&arena, record->plan, &told))
		return NULL;
	memcpy(comm, told.head.comm, sizeof(told.head.comm));
	memcpy(call, told.head.call, sizeof(told.head.call));
	event.what = acts[told.head.act].what;
	event.pid = told.head.pid;
	event.comm = comm;
	event.operation = call[0] ? call : told.target;
	event.target = told.target;
	if (told.argc > 1)
		event.argv = (char *const *)(uintptr_t)(told.argv + 1);
	if (told.head.by == FRAME_BY_ABSENT &&
	    record->plan->absents.v[told.head.rule].action ==
		    PLAN_ABSENT_NOTICE) {
		event.kind = EVENT_NOTICED;
		event.what = EVENT_WHAT_NONE;
		event.target = told.text;
		(void)event_emit(record->events, &event);
		record_planted_add(record, told.text);
		return NULL;
	}
	event.rule = told.rule;
	event.origin = told.origin;
	if (told.origin)
		told.rule =
			arena_printf(&arena, "%s (%s)", told.rule, told.origin);
	first = is_told_at_once(&told) && !is_rule_known(record, told.rule);
	denial = denial_of(record, &told);
	denial->count++;
	/* The box can ask as often as it likes; nothing may grow with it. */
	if (!denial->comm)
		denial->comm = arena_strdup(record->arena, comm);
	event.why = told.why;
	event.remedy = told.remedy;
	(void)event_emit(record->events, &event);
	return first ? denial : NULL;
}
