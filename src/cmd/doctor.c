/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd/doctor.c - `cordon doctor`: what this host can hold
 *
 * Runs in:  the caller's process.
 * Trusts:   host/doctor.c.
 * Must not: change anything.
 */
#include "host/doctor.h"

#include <jansson.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/text.h"
#include "cmd/output.h"
#include "cmd/verb.h"

struct doctor_args {
	struct common_args common;
	bool json;
};

static const struct opt doctor_options[] = {
	{ .name = "json",
	  .kind = OPT_FLAG,
	  .offset = offsetof(struct doctor_args, json),
	  .help = "print the checks as JSON" },
};

static const struct opt_group doctor_groups[] = {
	{ "Options", doctor_options,
	  sizeof(doctor_options) / sizeof(*doctor_options), 0 },
	COMMON_GROUP,
};

static const char *const state_names[] = {
	[HOST_CHECK_OK] = "ok",
	[HOST_CHECK_WEAK] = "weak",
	[HOST_CHECK_MISSING] = "missing",
};

static void check_format(struct text *out, const struct host_check *check)
{
	enum { NAME = 16, STATE = 7, INDENT = NAME + STATE + 4, WIDTH = 79 };

	struct text found = { .arena = out->arena };

	output_column(out, check->name, NAME);
	output_column(out, state_names[check->state], STATE);
	text_add_escaped(&found, check->found ? check->found : "");
	opt_wrap_format(out, text_str(&found), INDENT, INDENT, WIDTH);
	text_addf(out, "\n%*s", INDENT, "");
	opt_wrap_format(out, check->meaning, INDENT, INDENT, WIDTH);
	if (check->remedy) {
		text_addf(out, "\n%*s", INDENT, "");
		text_add(out, "-> ");
		opt_wrap_format(out, check->remedy, INDENT + 3, INDENT + 3,
				WIDTH);
	}
	text_add(out, "\n");
}

static json_t *check_json(struct arena *arena, const struct host_check *check)
{
	return json_pack("{s:s, s:s, s:b, s:o, s:o, s:o}", "name", check->name,
			 "state", state_names[check->state], "required",
			 check->required, "found",
			 output_string(arena, check->found), "meaning",
			 output_string(arena, check->meaning), "remedy",
			 output_string(arena, check->remedy));
}

static int print_json(struct arena *arena, const struct host_check *checks,
		      size_t n, bool usable, struct err *err)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, check_json(arena, &checks[i]));
	return output_json(
		STDOUT_FILENO,
		json_pack("{s:b, s:o}", "ok", usable, "checks", list), err);
}

static int print_text(struct arena *arena, const struct host_check *checks,
		      size_t n, bool usable, struct err *err)
{
	struct text out = { .arena = arena };

	for (size_t i = 0; i < n; i++)
		check_format(&out, &checks[i]);
	text_add(&out, usable ? "\ncordon can run here.\n"
			      : "\ncordon cannot run here: a check that it "
				"needs is missing.\n");
	return output_text(&out, err);
}

static int doctor_main(struct cmd *cmd, const void *verb_args,
		       const struct opt_rest *rest, struct err *err)
{
	const struct doctor_args *args = verb_args;
	struct host_check *checks;
	bool usable = true;
	size_t n;
	int printed;

	if (rest->n)
		return err_set(err, ERR_USAGE, "'doctor' takes no words");
	n = host_doctor_probe(cmd->arena, &checks);
	for (size_t i = 0; i < n; i++) {
		if (checks[i].required && checks[i].state == HOST_CHECK_MISSING)
			usable = false;
	}
	printed = args->json ? print_json(cmd->arena, checks, n, usable, err)
			     : print_text(cmd->arena, checks, n, usable, err);
	if (printed < 0)
		return -1;
	return usable ? 0 : 1;
}

const struct verb verb_doctor = {
	.name = "doctor",
	.summary = "check what this host can hold",
	.synopsis = "[options]",
	.text = "Tries each thing that cordon is built on and says what was "
		"found, what it means, and how to mend it. Exit status: 0 if "
		"commands can be run here, else 1.",
	.groups = { doctor_groups,
		    sizeof(doctor_groups) / sizeof(*doctor_groups) },
	.args_size = sizeof(struct doctor_args),
	.run = doctor_main,
};
