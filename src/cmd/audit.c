/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd/audit.c - `cordon audit` and `cordon audit verify`
 *
 * Runs in:  the caller's process.
 * Trusts:   nothing in the log: boxes chose the paths and names in it.
 * Must not: change the log.
 */
#include <jansson.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/text.h"
#include "cmd/audit_time.h"
#include "cmd/events.h"
#include "cmd/output.h"
#include "cmd/verb.h"
#include "event/audit.h"
#include "event/event.h"
#include "host/policies.h"

enum { FLUSH_SIZE = 64 * 1024 };

struct audit_args {
	struct common_args common;
	const char *since;
	const char *until;
	const char *kinds;
	const char *sandbox;
	struct opt_number limit;
	bool json;
};

static const struct opt audit_options[] = {
	{ .name = "since",
	  .kind = OPT_TEXT,
	  .offset = offsetof(struct audit_args, since),
	  .arg = "TIME",
	  .help = "only what happened since: 30m, 1h, 2d (so long ago), or "
		  "2026-11-16, 2026-11-16T08:30 (UTC)" },
	{ .name = "until",
	  .kind = OPT_TEXT,
	  .offset = offsetof(struct audit_args, until),
	  .arg = "TIME",
	  .help = "only what happened before; a day counts to its end" },
	{ .name = "kind",
	  .kind = OPT_TEXT,
	  .offset = offsetof(struct audit_args, kinds),
	  .arg = "KIND[,KIND...]",
	  .help = "only these: started, ended, denied, noticed, mask-lost, "
		  "mask-restored, rules-changed, limit-hit" },
	{ .name = "sandbox",
	  .kind = OPT_TEXT,
	  .offset = offsetof(struct audit_args, sandbox),
	  .arg = "ID",
	  .help = "only those of this box, as its records name it" },
	{ .name = "limit",
	  .kind = OPT_NUMBER,
	  .offset = offsetof(struct audit_args, limit),
	  .arg = "N",
	  .help = "only the last N of them" },
	{ .name = "json",
	  .kind = OPT_FLAG,
	  .offset = offsetof(struct audit_args, json),
	  .help = "print the records as they are, lines of JSON" },
};

static const struct opt_group audit_groups[] = {
	{ "Options", audit_options,
	  sizeof(audit_options) / sizeof(*audit_options), 0 },
	COMMON_GROUP,
};

struct printer {
	struct arena arena;
	struct text text;
	bool json;
};

static int flush(struct printer *p, struct err *err)
{
	int result = output_text(&p->text, err);

	p->text.n = 0;
	return result;
}

static const char *string_of(const json_t *record, const char *key)
{
	const char *s = json_string_value(json_object_get(record, key));

	return s ? s : "";
}

static void add_part(struct text *out, const char *before, const char *s,
		     const char *after)
{
	if (!*s)
		return;
	text_add(out, before);
	text_add_escaped(out, s);
	text_add(out, after);
}

static void add_words(struct text *out, const json_t *record)
{
	const json_t *argv = json_object_get(record, "argv");
	json_int_t more =
		json_integer_value(json_object_get(record, "argv_more"));
	size_t i;
	json_t *word;

	json_array_foreach(argv, i, word)
	{
		text_add(out, " ");
		text_add_escaped(out, json_string_value(word)
					      ? json_string_value(word)
					      : "?");
	}
	if (more)
		text_addf(out, " (and %lld words)", (long long)more);
}

static void add_end(struct text *out, const json_t *record)
{
	json_int_t denials =
		json_integer_value(json_object_get(record, "denials"));

	add_part(out, " ", string_of(record, "outcome"), "");
	text_addf(out, " %lld",
		  (long long)json_integer_value(
			  json_object_get(record, "exit_code")));
	if (denials)
		text_addf(out, ", %lld refused", (long long)denials);
	add_part(out, ": ", string_of(record, "why"), "");
}

/* "create /w/.mcp.json, by sh[2], 10th time: protected (built-in)" */
static void add_act(struct text *out, const json_t *record)
{
	const char *what = string_of(record, "what");
	json_int_t count = json_integer_value(json_object_get(record, "count"));
	json_int_t pid = json_integer_value(json_object_get(record, "pid"));
	const char *rule = string_of(record, "rule");

	add_part(out, " ", *what ? what : string_of(record, "op"), "");
	add_part(out, " ", string_of(record, "target"), "");
	add_part(out, " (", string_of(record, "address"), ")");
	add_part(out, ", by ", string_of(record, "comm"), "");
	if (pid)
		text_addf(out, "[%lld]", (long long)pid);
	if (count > 1)
		text_addf(out, ", time %lld", (long long)count);
	add_part(out, ": ", *rule ? rule : string_of(record, "why"), "");
	add_part(out, " (", string_of(record, "origin"), ")");
}

static void format_record(struct text *out, const json_t *record)
{
	const char *kind = string_of(record, "event");
	const char *hint = string_of(record, "hint");

	text_add_escaped(out, string_of(record, "ts"));
	add_part(out, " ", string_of(record, "sandbox"), "");
	add_part(out, " ", kind, "");
	if (!strcmp(kind, "ended")) {
		add_end(out, record);
		add_words(out, record);
	} else if (!strcmp(kind, "started")) {
		add_words(out, record);
	} else {
		add_act(out, record);
	}
	if (!strncmp(hint, "none: ", 6))
		add_part(out, "\n    ", hint + 6, "");
	else
		add_part(out, "\n    to allow it: ", hint, "");
	text_add(out, "\n");
}

static int print_line(void *data, const char *line, size_t n, struct err *err)
{
	struct printer *p = data;
	json_t *record;

	if (p->json) {
		text_addn(&p->text, line, n);
		text_add(&p->text, "\n");
	} else {
		record = json_loadb(line, n, 0, NULL);
		/* verify says what is wrong with it. */
		if (!record)
			return 0;
		format_record(&p->text, record);
		json_decref(record);
	}
	return p->text.n < FLUSH_SIZE ? 0 : flush(p, err);
}

static int parse_kinds(struct arena *arena, const char *list, unsigned int *out,
		       struct err *err)
{
	*out = 0;
	while (list) {
		size_t n = strcspn(list, ",");
		const char *name = arena_strndup(arena, list, n);
		enum event_kind kind;

		if (!event_kind_find(name, &kind))
			return err_set(
				err, ERR_USAGE,
				"--kind: '%s' is none of started, ended, "
				"denied, noticed, mask-lost, "
				"mask-restored, rules-changed, "
				"limit-hit",
				name);
		*out |= 1U << kind;
		list = list[n] ? list + n + 1 : NULL;
	}
	return 0;
}

static int build_query(struct arena *arena, const struct audit_args *args,
		       struct audit_query *out, struct err *err)
{
	*out = (struct audit_query){ .sandbox = args->sandbox,
				     .limit = args->limit.value };
	if (args->limit.set && !args->limit.value)
		return err_set(err, ERR_USAGE, "--limit: at least 1");
	if (args->since &&
	    audit_time_parse(arena, args->since, false, &out->since, err) < 0)
		return err_wrap(err, "--since");
	if (args->until &&
	    audit_time_parse(arena, args->until, true, &out->until, err) < 0)
		return err_wrap(err, "--until");
	return parse_kinds(arena, args->kinds, &out->kinds, err);
}

static int find_dir(struct arena *arena, const char **out, struct err *err)
{
	struct policy_context context;

	if (host_context_read(arena, "/", &context, err) < 0)
		return -1;
	*out = events_audit_dir(arena, context.state_dir);
	return 0;
}

static int audit_main(struct cmd *cmd, const void *verb_args,
		      const struct opt_rest *rest, struct err *err)
{
	const struct audit_args *args = verb_args;
	struct printer printer = { .json = args->json };
	struct audit_query query;
	const char *dir;
	int result;

	if (rest->n)
		return err_set(err, ERR_USAGE,
			       "'%s' is no option; 'audit verify' is the only "
			       "word that can follow",
			       rest->v[0]);
	if (build_query(cmd->arena, args, &query, err) < 0 ||
	    find_dir(cmd->arena, &dir, err) < 0)
		return -1;
	printer.text.arena = &printer.arena;
	result = event_audit_query(dir, &query, print_line, &printer, err);
	if (result == 0)
		result = flush(&printer, err);
	arena_free(&printer.arena);
	return result;
}

const struct verb verb_audit = {
	.name = "audit",
	.summary = "show what boxes did and what was refused",
	.synopsis = "[options]",
	.text = "Prints the audit log, oldest first: every command that was "
		"run, how it ended, and what was refused to it, with the rule "
		"and what would allow it. Times are UTC.",
	.groups = { audit_groups,
		    sizeof(audit_groups) / sizeof(*audit_groups) },
	.args_size = sizeof(struct audit_args),
	.words = OPT_WORDS_CHOICE,
	.choices = "verify",
	.run = audit_main,
};

struct verify_args {
	struct common_args common;
	bool pruned;
	bool json;
};

static const struct opt verify_options[] = {
	{ .name = "pruned",
	  .kind = OPT_FLAG,
	  .offset = offsetof(struct verify_args, pruned),
	  .help = "the oldest files may have been removed" },
	{ .name = "json",
	  .kind = OPT_FLAG,
	  .offset = offsetof(struct verify_args, json),
	  .help = "print the result as JSON" },
};

static const struct opt_group verify_groups[] = {
	{ "Options", verify_options,
	  sizeof(verify_options) / sizeof(*verify_options), 0 },
	COMMON_GROUP,
};

static json_t *report_json(struct arena *arena, const char *dir,
			   const struct audit_report *report)
{
	json_t *problems = json_array();

	for (size_t i = 0; i < report->n; i++) {
		const struct audit_problem *p = &report->v[i];

		json_array_append_new(
			problems,
			json_pack("{s:o, s:o, s:o}", "file",
				  output_string(arena, p->file), "line",
				  p->line ? json_integer((json_int_t)p->line)
					  : json_null(),
				  "problem", output_string(arena, p->text)));
	}
	return json_pack(
		"{s:b, s:o, s:I, s:I, s:I, s:I, s:o, s:I, s:o}", "whole",
		!report->n, "directory", output_string(arena, dir), "files",
		(json_int_t)report->files, "records",
		(json_int_t)report->records, "first", (json_int_t)report->first,
		"last", (json_int_t)report->last, "problems", problems,
		"problems_more", (json_int_t)report->more, "note",
		output_string(arena, report->note));
}

static void report_format(struct text *out, const char *dir,
			  const struct audit_report *report)
{
	for (size_t i = 0; i < report->n; i++) {
		const struct audit_problem *p = &report->v[i];

		text_add_escaped(out, p->file);
		if (p->line)
			text_addf(out, ": line %llu",
				  (unsigned long long)p->line);
		text_add(out, p->line ? " " : ": ");
		text_add_escaped(out, p->text);
		text_add(out, "\n");
	}
	if (report->more)
		text_addf(out, "and %llu more\n",
			  (unsigned long long)report->more);
	if (report->note)
		text_addf(out, "note: %s\n", report->note);
	text_add_escaped(out, dir);
	text_addf(out, ": %s: %llu record%s in %llu file%s\n",
		  report->n ? "BROKEN" : "whole",
		  (unsigned long long)report->records,
		  report->records == 1 ? "" : "s",
		  (unsigned long long)report->files,
		  report->files == 1 ? "" : "s");
}

static int verify_main(struct cmd *cmd, const void *verb_args,
		       const struct opt_rest *rest, struct err *err)
{
	const struct verify_args *args = verb_args;
	struct text out = { .arena = cmd->arena };
	struct audit_report report;
	const char *dir;

	if (rest->n)
		return err_set(err, ERR_USAGE, "'audit verify' takes no words");
	if (find_dir(cmd->arena, &dir, err) < 0 ||
	    event_audit_verify(cmd->arena, dir, args->pruned, &report, err) < 0)
		return -1;
	report_format(&out, dir, &report);
	if ((args->json
		     ? output_json(STDOUT_FILENO,
				   report_json(cmd->arena, dir, &report), err)
		     : output_text(&out, err)) < 0)
		return -1;
	return report.n ? 1 : 0;
}

const struct verb verb_audit_verify = {
	.name = "audit verify",
	.summary = "check that the audit log is as it was written",
	.synopsis = "[options]",
	.text = "Checks the number and the hashes of every record and says "
		"which lines were changed, removed or moved, and which files "
		"are missing. Exit status: 0 if the log is whole, 1 if not.",
	.groups = { verify_groups,
		    sizeof(verify_groups) / sizeof(*verify_groups) },
	.args_size = sizeof(struct verify_args),
	.run = verify_main,
};
