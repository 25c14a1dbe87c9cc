/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd/learn.c - `cordon learn`: a policy from what a command does
 *
 * Runs in:  the caller's process, which becomes the supervisor.
 * Trusts:   the command line.
 * Must not: let the command change anything on the host, reach or see more
 *           than the policy lets it, or leave a layer behind.
 */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/log.h"
#include "base/path.h"
#include "base/text.h"
#include "cmd/events.h"
#include "cmd/learn_uses.h"
#include "cmd/output.h"
#include "cmd/prepare.h"
#include "cmd/report.h"
#include "cmd/verb.h"
#include "event/sink.h"
#include "host/mounts.h"
#include "policy/decode.h"
#include "policy/format.h"
#include "policy/propose.h"
#include "run/layers.h"
#include "run/run.h"

struct learn_args {
	struct common_args common;
	struct policy_args policy;
	struct host_args host;
	const char *output;
	bool diff;
	bool full;
	bool force;
	bool json;
};

static const struct opt learn_options[] = {
	{ .name = "output",
	  .letter = 'o',
	  .kind = OPT_TEXT,
	  .offset = offsetof(struct learn_args, output),
	  .arg = "FILE",
	  .words = OPT_WORDS_FILE,
	  .help = "write the policy to this new file instead of standard "
		  "error; '-' is standard output" },
	{ .name = "force",
	  .kind = OPT_FLAG,
	  .offset = offsetof(struct learn_args, force),
	  .help = "put it in the place of a file that exists" },
	{ .name = "diff",
	  .kind = OPT_FLAG,
	  .offset = offsetof(struct learn_args, diff),
	  .help = "show on standard error what it would add to the policy in "
		  "force" },
	{ .name = "full",
	  .kind = OPT_FLAG,
	  .offset = offsetof(struct learn_args, full),
	  .help = "propose what is allowed already, too" },
	{ .name = "json",
	  .kind = OPT_FLAG,
	  .offset = offsetof(struct learn_args, json),
	  .help = "at the end, write outcome and proposal as one JSON object "
		  "to standard error" },
};

static const struct opt_group learn_groups[] = {
	{ "Options", learn_options,
	  sizeof(learn_options) / sizeof(*learn_options), 0 },
	POLICY_GROUPS(offsetof(struct learn_args, policy)),
	HOST_GROUP(offsetof(struct learn_args, host)),
	COMMON_GROUP,
};

/* One lesson, from its options to its end. */
struct lesson {
	struct arena *arena;
	const struct learn_args *args;
	char *const *argv;
	struct host_args host;
	struct policy present; /* in force, before the network was opened for
				* the record */
	struct prepared *plain; /* what `run` would do */
	struct prepared *layered; /* what is done */
	struct run_layers layers;
	struct run_layers_count count;
	struct learn_uses uses;
	struct outcome outcome;
	struct propose_input input;
	struct proposal proposal;
};

/* --- before the run ----------------------------------------------------- */

static int check_output(const struct learn_args *args, struct err *err)
{
	struct stat st;

	if (!args->output || !strcmp(args->output, "-") || args->force)
		return 0;
	if (lstat(args->output, &st) == 0)
		return err_set(err, ERR_USAGE,
			       "'%s' exists already; choose another name, or "
			       "--force",
			       args->output);
	return 0;
}

/* Attempts are recorded where connections end, so there has to be such a
 * place; nothing is allowed there that was not before. */
static void record_network(struct policy_network *network)
{
	if (network->mode.number != POLICY_MODE_NONE)
		return;
	network->mode.number = POLICY_MODE_FILTERED;
	network->allow.n = 0;
	network->host_ports.n = 0;
	network->publish.n = 0;
}

static bool has_mounts(const struct facts_strings *mounts, const char *path)
{
	for (size_t i = 0; i < mounts->n; i++) {
		if (path_within(path, mounts->v[i]) &&
		    strcmp(path, mounts->v[i]) != 0)
			return true;
	}
	return false;
}

static void root_add(struct arena *arena, struct facts_strings *roots,
		     const char *path)
{
	for (size_t i = 0; i < roots->n; i++) {
		if (!strcmp(roots->v[i], path))
			return;
	}
	*ARENA_PUSH(arena, roots) = path;
}

static bool is_directory(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/*
 * The working directory, the home directory and whatever else the policy lets
 * be written. What cannot have a layer the plan keeps read-only, but for the
 * working directory: without that there is little to learn.
 */
static int find_roots(struct lesson *lesson, struct facts_strings *roots,
		      struct err *err)
{
	const struct plan *plan = &lesson->plain->plan;
	const char *home = lesson->plain->context.home;
	struct facts_strings mounts = { 0 };

	if (host_mounts_read(lesson->arena, &mounts, err) < 0)
		return -1;
	if (strcmp(plan->workdir, "/") != 0)
		root_add(lesson->arena, roots, plan->workdir);
	if (strcmp(home, "/") != 0 && is_directory(home)) {
		if (!has_mounts(&mounts, home))
			root_add(lesson->arena, roots, home);
		else if (strcmp(home, plan->workdir) != 0)
			log_warn("'%s' has mounts in it, so it cannot have a "
				 "layer: the command cannot write there",
				 home);
	}
	for (size_t i = 0; i < plan->mounts.n; i++) {
		const struct plan_mount *m = &plan->mounts.v[i];

		if (m->kind == PLAN_MOUNT_BIND && m->writable && m->directory &&
		    !m->late && !has_mounts(&mounts, m->path))
			root_add(lesson->arena, roots, m->path);
	}
	return 0;
}

static int prepare_plain(struct lesson *lesson, struct err *err)
{
	static const int streams[] = { STDIN_FILENO, STDOUT_FILENO,
				       STDERR_FILENO };
	struct prepared *plain = arena_array(lesson->arena, struct prepared, 1);

	lesson->plain = plain;
	lesson->host = lesson->args->host;
	lesson->host.fds = streams;
	lesson->host.fds_n = sizeof(streams) / sizeof(*streams);
	if (prepare_policy(lesson->arena, &lesson->args->policy, plain, err) <
	    0)
		return -1;
	lesson->present = plain->policy.policy;
	record_network(&plain->policy.policy.network);
	return prepare_plan(lesson->arena, &lesson->host, NULL, plain, err);
}

static int prepare_layered(struct lesson *lesson, struct err *err)
{
	struct facts_strings roots = { 0 };
	struct host_args host = lesson->host;
	const struct plan_notes *notes;

	if (find_roots(lesson, &roots, err) < 0 ||
	    run_layers_open(lesson->arena, lesson->plain->context.state_dir,
			    "learn", &roots, &lesson->layers, err) < 0)
		return -1;
	host.layers = lesson->layers.layers;
	host.layered = true;
	host.learn = true;
	lesson->layered = arena_array(lesson->arena, struct prepared, 1);
	*lesson->layered = *lesson->plain;
	if (prepare_plan(lesson->arena, &host, NULL, lesson->layered, err) < 0)
		return -1;
	notes = &lesson->layered->plan.notes;
	for (size_t i = 0; i < notes->n; i++) {
		/* That nothing is allowed is what was asked for. */
		if (lesson->present.network.mode.number != POLICY_MODE_NONE ||
		    strncmp(notes->v[i], "network: ", 9) != 0)
			log_warn("%s", notes->v[i]);
	}
	return 0;
}

/* --- after it ----------------------------------------------------------- */

static void extend(struct lesson *lesson, struct policy_list *list,
		   const char *what)
{
	struct {
		struct policy_item *v;
		size_t n;
	} items = { (struct policy_item *)(uintptr_t)list->v, list->n };

	*ARENA_PUSH(lesson->arena, &items) = (struct policy_item){
		.text = what,
		.origin = { .source = "in force when it was learned" },
	};
	list->v = items.v;
	list->n = items.n;
}

/* With -s or -P the files of user and project are not what was asked for; a
 * project's file that is not trusted must not be trusted by this. */
static void find_extended(struct lesson *lesson, struct policy_list *out)
{
	const struct policy_args *args = &lesson->args->policy;
	const struct host_policy *policy = &lesson->plain->policy;
	char real[PATH_MAX];

	for (size_t i = 0; i < args->profiles.n; i++) {
		const char *text = args->profiles.v[i].text;

		/* A file is meant from here, not from where the policy will
		 * lie. */
		if (strchr(text, '/') && realpath(text, real))
			text = arena_strdup(lesson->arena, real);
		extend(lesson, out, text);
	}
	for (size_t i = 0; i < policy->sources_n && !args->profiles.n; i++) {
		const struct host_policy_source *source = &policy->sources[i];

		if (source->trusted && (!strcmp(source->role, "user") ||
					!strcmp(source->role, "project") ||
					!strcmp(source->role, "settings")))
			extend(lesson, out, source->name);
	}
	if (!out->n)
		extend(lesson, out, "default");
}

static void add_head(struct text *out, char *const *argv)
{
	text_add(out, "# What this command needed:");
	for (; *argv; argv++) {
		text_add(out, " ");
		text_add_escaped(out, *argv);
	}
	text_add(out, "\n# Read it before you use it: cordon run -s FILE -- "
		      "COMMAND\n");
}

/* It has to be one that loads: who reads it has nothing else to go by. */
static int format_policy(struct lesson *lesson, struct text *out,
			 struct err *err)
{
	struct policy_list extends = { 0 };
	struct policy decoded;

	find_extended(lesson, &extends);
	add_head(out, lesson->argv);
	propose_format_yaml(
		out, &lesson->proposal, &extends,
		lesson->args->policy.keys.n ? &lesson->plain->flags : NULL);
	if (policy_decode(lesson->arena,
			  &(struct policy_document){ .text = text_str(out),
						     .n = out->n,
						     .source = "proposal" },
			  &decoded, err) < 0)
		return err_wrap(err, "the proposal cannot be read again");
	return 0;
}

static int write_file(struct lesson *lesson, const struct text *text,
		      struct err *err)
{
	const char *name = lesson->args->output;
	const char *temporary =
		arena_printf(lesson->arena, "%s.%d.new", name, (int)getpid());
	AUTO_CLOSE int fd = open(
		temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
		0644);
	int moved;

	if (fd < 0)
		return err_sys(err, "make '%s'", temporary);
	if (fd_write_all(fd, text->v, text->n, err) < 0) {
		(void)unlink(temporary);
		return err_wrap(err, "'%s'", temporary);
	}
	/* A link fails where the name has come into being meanwhile. */
	moved = lesson->args->force ? rename(temporary, name)
				    : link(temporary, name);
	if (moved < 0)
		(void)err_sys(err, "name it '%s'", name);
	if (moved < 0 || !lesson->args->force)
		(void)unlink(temporary);
	return moved;
}

static int write_policy(struct lesson *lesson, struct err *err)
{
	struct text text = { .arena = lesson->arena };
	const char *name = lesson->args->output;

	if (format_policy(lesson, &text, err) < 0)
		return -1;
	if (name && !strcmp(name, "-"))
		return output_text(&text, err);
	if (name && write_file(lesson, &text, err) == 0)
		return 0;
	/* What was learned must not be lost for a full disk. */
	if (name || (!lesson->args->diff && !lesson->args->json))
		(void)!write(STDERR_FILENO, text.v, text.n);
	return name ? -1 : 0;
}

static void print_diff(struct lesson *lesson)
{
	struct text text = { .arena = lesson->arena };
	struct err ignored;

	propose_format_diff(&text, &lesson->proposal, &lesson->present);
	/* Nobody is there to read it. */
	(void)fd_write_all(STDERR_FILENO, text.v, text.n, &ignored);
}

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

static void print_summary(const struct lesson *lesson)
{
	const struct proposal *p = &lesson->proposal;
	const struct run_layers_count *c = &lesson->count;
	char first[64] = "", more[64] = "", where[256] = "";

	if (p->first.n)
		(void)snprintf(first, sizeof(first),
			       ", %zu more once something is made", p->first.n);
	if (c->removed)
		(void)snprintf(more, sizeof(more), " and %zu removed",
			       c->removed);
	if (lesson->args->output && strcmp(lesson->args->output, "-") != 0)
		(void)snprintf(where, sizeof(where), "; see %s",
			       lesson->args->output);
	log_info(
		"learned: %zu rule%s proposed%s, %zu refusal%s left out; %s%zu "
		"file%s written in the layer%s, and thrown away%s",
		p->rules, plural(p->rules), first, p->kept.n, plural(p->kept.n),
		c->more ? "more than " : "", c->files, plural(c->files), more,
		where);
	if (lesson->uses.more)
		log_warn("the command used more files than are kept; the "
			 "proposal lacks some");
}

static json_t *lines_json(struct arena *arena,
			  const struct propose_lines *lines)
{
	json_t *list = json_array();

	for (size_t i = 0; i < lines->n; i++)
		json_array_append_new(list, output_string(arena, lines->v[i]));
	return list;
}

static json_t *proposal_json(struct lesson *lesson)
{
	struct arena *arena = lesson->arena;
	const struct proposal *p = &lesson->proposal;
	json_t *first = json_array();

	for (size_t i = 0; i < p->first.n; i++)
		json_array_append_new(
			first,
			json_pack(
				"{s:o, s:b, s:o}", "path",
				output_string(arena, p->first.v[i].path),
				"directory", p->first.v[i].directory,
				"evidence",
				output_string(arena, p->first.v[i].evidence)));
	return json_pack("{s:o, s:o, s:o, s:o, s:{s:I, s:I, s:b}}", "policy",
			 json_loads(policy_format_json(arena, &p->policy, true),
				    0, NULL),
			 "first", first, "asked", lines_json(arena, &p->asked),
			 "not_proposed", lines_json(arena, &p->kept), "layer",
			 "files", (json_int_t)lesson->count.files, "removed",
			 (json_int_t)lesson->count.removed, "more",
			 lesson->count.more);
}

static void print_json(struct lesson *lesson)
{
	json_t *json = report_json_format(lesson->arena, &lesson->outcome,
					  lesson->layered);
	struct err ignored;

	json_object_set_new(json, "proposal", proposal_json(lesson));
	(void)output_json(STDERR_FILENO, json, &ignored);
}

static void propose(struct lesson *lesson)
{
	run_layers_walk(&lesson->layers, learn_uses_changed, &lesson->uses,
			&lesson->count);
	lesson->input = (struct propose_input){
		.context = &lesson->plain->context,
		.present = &lesson->present,
		.full = lesson->args->full,
	};
	learn_uses_judge(&lesson->uses, &lesson->plain->plan,
			 &lesson->input.uses);
	learn_denials_sort(lesson->arena, &lesson->outcome,
			   &lesson->plain->plan, &lesson->input);
	propose_build(lesson->arena, &lesson->input, &lesson->proposal);
}

/* --- the whole ---------------------------------------------------------- */

static int run_lesson(struct lesson *lesson, struct err *err)
{
	AUTO_SINK events = { .file = -1 };
	struct run_request request = { .argv = lesson->argv,
				       .events = &events,
				       .control_fd = -1,
				       .used = learn_uses_add,
				       .used_data = &lesson->uses };

	event_sink_init(&events);
	lesson->uses.arena = lesson->arena;
	/* The log first: what it makes has to be hidden with layers, too. */
	if (events_open(lesson->arena, &lesson->host, NULL, lesson->plain,
			&events, err) < 0 ||
	    prepare_layered(lesson, err) < 0)
		return -1;
	request.plan = &lesson->layered->plan;
	log_info("learning: what the command writes goes to a layer and is "
		 "thrown away; the policy holds as in 'run'");
	if (request.plan->network == POLICY_MODE_HOST)
		log_info("learning: the host's network is used, so connections "
			 "are not recorded");
	return run_box(lesson->arena, &request, &lesson->outcome, err);
}

static int finish(struct lesson *lesson, struct err *err)
{
	struct err closing;
	int result;

	propose(lesson);
	if (run_layers_close(&lesson->layers, &closing) < 0)
		log_warn("the layer could not be removed: %s", closing.msg);
	if (!lesson->args->json)
		report_print(&lesson->outcome);
	result = write_policy(lesson, err);
	if (lesson->args->diff && !lesson->args->json)
		print_diff(lesson);
	if (lesson->args->json)
		print_json(lesson);
	else
		print_summary(lesson);
	return result < 0 ? -1 : lesson->outcome.exit_code;
}

static int learn_command(struct cmd *cmd, const struct learn_args *args,
			 const struct opt_rest *rest, struct err *err)
{
	struct lesson *lesson = arena_array(cmd->arena, struct lesson, 1);
	struct err closing;

	*lesson = (struct lesson){ .arena = cmd->arena,
				   .args = args,
				   .argv = rest->v,
				   .layers = { .dir = -1, .lock = -1 } };
	if (!rest->n || !rest->v[0][0])
		return err_set(err, ERR_USAGE,
			       "no command given; for example: cordon learn "
			       "-o policy.yaml -- make test");
	if (host_is_inside_box())
		return err_set(err, ERR_HOST,
			       "this is the inside of a box already, where no "
			       "other can be made");
	if (check_output(args, err) < 0 || prepare_plain(lesson, err) < 0)
		return -1;
	if (run_lesson(lesson, err) == 0)
		return finish(lesson, err);
	if (run_layers_close(&lesson->layers, &closing) < 0)
		log_warn("the layer could not be removed: %s", closing.msg);
	return -1;
}

static int learn_main(struct cmd *cmd, const void *verb_args,
		      const struct opt_rest *rest, struct err *err)
{
	const struct learn_args *args = verb_args;
	int code;

	if (!args->json)
		return learn_command(cmd, args, rest, err);
	/* What would be said in words is in the object. */
	log_setup(true);
	code = learn_command(cmd, args, rest, err);
	return code < 0 ? report_json_print_error(cmd, err) : code;
}

const struct verb verb_learn = {
	.name = "learn",
	.summary = "propose a policy from what a command does",
	.synopsis = "[options] [--] command [argument ...]",
	.text = "Runs the command with the policy that 'run' would use, and "
		"proposes what that policy would have to allow besides. What "
		"the command writes to the working directory, the home "
		"directory and other places that the policy lets it write "
		"goes to a layer and is thrown away: nothing on the host "
		"changes. Secrets stay hidden, and the network is what the "
		"policy allows; attempts are recorded.\n\n"
		"Each rule of the proposal has its evidence as a comment. "
		"Rules become a directory where many files in it were used, "
		"where names look generated, or where files are made. What "
		"hides secrets or protects names is never opened; it is "
		"listed as not proposed.\n\n"
		"Exit status: that of the command, as with 'run'; 125 also if "
		"the policy could not be written.",
	.groups = { learn_groups,
		    sizeof(learn_groups) / sizeof(*learn_groups) },
	.args_size = sizeof(struct learn_args),
	.command = true,
	.runs = true,
	.words = OPT_WORDS_COMMAND,
	.run = learn_main,
};
