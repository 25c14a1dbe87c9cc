/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd/import.c - `cordon policy import`
 *
 * Runs in:  the caller's process.
 * Trusts:   the command line; nothing in the file.
 * Must not: overwrite a file that it was not told to, or leave half of one.
 */
#include "cmd/import.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/log.h"
#include "base/text.h"
#include "cmd/import_file.h"
#include "cmd/output.h"
#include "cmd/verb.h"
#include "host/policies.h"
#include "policy/format.h"
#include "policy/profiles.h"

enum { SIZE_LIMIT = 1024 * 1024 };

struct import_args {
	struct common_args common;
	const char *from;
	const char *output;
	const char *extends;
	bool no_extends;
	bool json;
	bool yes;
};

static const struct opt import_options[] = {
	{ .name = "from",
	  .kind = OPT_TEXT,
	  .offset = offsetof(struct import_args, from),
	  .arg = "srt|fence|aigate|claude",
	  .words = OPT_WORDS_CHOICE,
	  .help = "whose settings FILE is" },
	{ .name = "output",
	  .letter = 'o',
	  .kind = OPT_TEXT,
	  .offset = offsetof(struct import_args, output),
	  .arg = "FILE",
	  .words = OPT_WORDS_FILE,
	  .help = "write the policy to this file, readable for you alone" },
	{ .name = "yes",
	  .letter = 'y',
	  .kind = OPT_FLAG,
	  .offset = offsetof(struct import_args, yes),
	  .help = "with -o: replace a file that exists" },
	{ .name = "extends",
	  .kind = OPT_TEXT,
	  .offset = offsetof(struct import_args, extends),
	  .arg = "PROFILE",
	  .words = OPT_WORDS_PROFILE,
	  .help = "profile that the policy is laid over; what it allows is "
		  "allowed as well" },
	{ .name = "no-extends",
	  .kind = OPT_FLAG,
	  .offset = offsetof(struct import_args, no_extends),
	  .help = "lay it over 'base', which hides secrets and allows "
		  "nothing" },
	{ .name = "json",
	  .kind = OPT_FLAG,
	  .offset = offsetof(struct import_args, json),
	  .help = "print policy and notes as JSON" },
};

static const struct opt_group import_groups[] = {
	{ "Options", import_options,
	  sizeof(import_options) / sizeof(*import_options), 0 },
	COMMON_GROUP,
};

static int check_words(const struct import_args *args,
		       const struct opt_rest *rest,
		       const struct import_tool **tool, struct err *err)
{
	if (!args->from)
		return err_set(err, ERR_USAGE,
			       "--from srt|fence|aigate|claude is missing");
	for (*tool = import_tools; (*tool)->name; (*tool)++) {
		if (!strcmp((*tool)->name, args->from))
			break;
	}
	if (!(*tool)->name)
		return err_set(err, ERR_USAGE,
			       "--from: '%s' is not srt, fence, aigate or "
			       "claude",
			       args->from);
	if (args->extends && args->no_extends)
		return err_set(err, ERR_USAGE,
			       "--extends and --no-extends contradict");
	if (!rest->n)
		return err_set(err, ERR_USAGE,
			       "no file given; - is the standard input");
	if (rest->n > 1)
		return err_set(err, ERR_USAGE, "'%s' is one word too many",
			       rest->v[1]);
	return 0;
}

static int read_settings(struct arena *arena, const char *file, char **out,
			 struct err *err)
{
	AUTO_CLOSE int fd = -1;

	if (!strcmp(file, "-"))
		return fd_read_file(arena, STDIN_FILENO, "standard input",
				    SIZE_LIMIT, out, err);
	fd = open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (fd < 0)
		return err_sys(err, "open '%s'", file);
	return fd_read_file(arena, fd, file, SIZE_LIMIT, out, err);
}

/* ---------------------------------------------------------------- output */

static int write_temporary(const char *name, const struct text *text,
			   struct err *err)
{
	AUTO_CLOSE int fd =
		open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
		     0600);

	if (fd < 0 || fchmod(fd, 0600) < 0)
		return err_sys(err, "make '%s'", name);
	if (fd_write_all(fd, text->v, text->n, err) < 0)
		return err_wrap(err, "'%s'", name);
	if (fsync(fd) < 0)
		return err_sys(err, "write '%s' to the disk", name);
	return 0;
}

/* Whole or not at all; and not over another one, unless that is meant. */
static int put_in_place(const char *temporary, const char *file, bool replace,
			struct err *err)
{
	unsigned int flags = replace ? 0 : RENAME_NOREPLACE;

	if (syscall(SYS_renameat2, AT_FDCWD, temporary, AT_FDCWD, file,
		    flags) == 0)
		return 0;
	if (errno == EEXIST && !replace)
		return err_set(err, ERR_SYS,
			       "'%s' exists already; -y replaces it", file);
	return err_sys(err, "rename to '%s'", file);
}

static int write_policy(struct arena *arena, const char *file, bool replace,
			const struct text *text, struct err *err)
{
	const char *slash = strrchr(file, '/');
	size_t dir = slash ? (size_t)(slash + 1 - file) : 0;
	const char *temporary = arena_printf(arena, "%.*s.%.200s.%ld", (int)dir,
					     file, file + dir, (long)getpid());

	if (!file[dir])
		return err_set(err, ERR_USAGE, "-o: '%s' names no file", file);
	if (write_temporary(temporary, text, err) < 0 ||
	    put_in_place(temporary, file, replace, err) < 0) {
		(void)unlink(temporary); /* ENOENT if it was not made */
		return -1;
	}
	return 0;
}

static json_t *json_notes(const struct import *im)
{
	json_t *list = json_array();

	for (size_t i = 0; i < im->notes.n; i++) {
		const struct import_note *note = &im->notes.v[i];

		json_array_append_new(
			list,
			json_pack("{s:s, s:o, s:o, s:i, s:o}", "kind",
				  import_loss_names[note->loss], "key",
				  output_string(im->arena, note->key), "item",
				  output_string(im->arena, note->item), "line",
				  (int)note->line, "why",
				  output_string(im->arena, note->why)));
	}
	return list;
}

static int print_json(const struct import *im, const char *file,
		      const struct text *text, struct err *err)
{
	json_t *policy = json_loads(
		policy_format_json(im->arena, &im->policy, false), 0, NULL);

	if (!policy)
		return err_set(err, ERR_BUG, "import: the policy is not JSON");
	return output_json(STDOUT_FILENO,
			   json_pack("{s:o, s:o, s:o, s:o}", "file",
				     output_string(im->arena, file), "policy",
				     policy, "notes", json_notes(im), "yaml",
				     output_string(im->arena, text_str(text))),
			   err);
}

static void log_notes(const struct import *im)
{
	for (size_t i = 0; i < im->notes.n;) {
		enum import_loss loss = im->notes.v[i].loss;
		struct text line = { .arena = im->arena };

		(void)import_notes_line(im, &i, &line);
		if (loss == IMPORT_DENIED)
			log_warn("%s: %s", import_loss_titles[loss],
				 text_str(&line));
		else
			log_info("%s: %s", import_loss_titles[loss],
				 text_str(&line));
	}
}

/* A profile of another build, or of the user's own, which may be there. */
static void check_profiles(const struct import *im)
{
	for (size_t i = 0; i < im->policy.extends.n; i++) {
		const char *name = im->policy.extends.v[i].text;

		if (!strchr(name, '/') && !policy_profile_find(name))
			log_warn("profile '%s' is not one of this build; "
				 "'cordon profiles' lists them",
				 name);
	}
}

static int import_main(struct cmd *cmd, const void *verb_args,
		       const struct opt_rest *rest, struct err *err)
{
	const struct import_args *args = verb_args;
	struct text text = { .arena = cmd->arena };
	struct import im = { .arena = cmd->arena, .err = err };
	const struct import_tool *tool = NULL;
	struct policy_context context;
	char *settings;

	if (check_words(args, rest, &tool, err) < 0 ||
	    read_settings(cmd->arena, rest->v[0], &settings, err) < 0 ||
	    host_context_read(cmd->arena, NULL, &context, err) < 0)
		return -1;
	im.source = strcmp(rest->v[0], "-") ? rest->v[0] : "standard input";
	im.context = &context;
	im.extends = args->no_extends ? "base" : args->extends;
	if (import_parse(&im, tool, settings, strlen(settings)) < 0 ||
	    import_format(&im, tool->name, im.source, &text) < 0)
		return -1;
	if (args->output &&
	    write_policy(cmd->arena, args->output, args->yes, &text, err) < 0)
		return -1;
	log_notes(&im);
	check_profiles(&im);
	if (args->output)
		log_info("wrote %s; 'cordon check %s' checks it", args->output,
			 args->output);
	if (args->json)
		return print_json(&im, args->output, &text, err);
	return args->output ? 0 : output_text(&text, err);
}

const struct verb verb_policy_import = {
	.name = "policy import",
	.summary = "make a policy of another program's settings",
	.synopsis = "--from srt|fence|aigate|claude [options] FILE",
	.text = "Prints a policy made of the settings of srt, fence, aigate or "
		"Claude Code in FILE, or - for the standard input. What has no "
		"counterpart is listed on standard error and in its comments, "
		"first what was denied there and is not here; nothing else "
		"becomes possible that was not. What would be asked about is "
		"denied.",
	.groups = { import_groups,
		    sizeof(import_groups) / sizeof(*import_groups) },
	.args_size = sizeof(struct import_args),
	.words = OPT_WORDS_FILE,
	.run = import_main,
};
