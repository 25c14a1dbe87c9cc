/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/propose_format.c - a proposal as a policy file, and as a difference
 *
 * Runs in:  the caller's process, after the run.
 * Trusts:   nothing in names: all of them are quoted or escaped.
 * Must not: print a line that a command could have written as it likes.
 */
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "policy/fields.h"
#include "policy/format.h"
#include "policy/merge.h"
#include "policy/propose.h"

static void add_lines(struct text *out, const char *title,
		      const struct propose_lines *lines)
{
	if (!lines->n)
		return;
	text_addf(out, "\n# %s\n", title);
	for (size_t i = 0; i < lines->n; i++) {
		text_add(out, "#   ");
		text_add_escaped(out, lines->v[i]);
		text_add(out, "\n");
	}
}

static void add_first(struct text *out, const struct proposal *proposal)
{
	if (!proposal->first.n)
		return;
	text_add(out, "\n# These do not exist. Make them, then add them to "
		      "filesystem.allow_write:\n");
	for (size_t i = 0; i < proposal->first.n; i++) {
		const struct propose_first *first = &proposal->first.v[i];

		text_addf(out, "#   - ");
		text_add_escaped(out, first->path);
		text_addf(out, "  # %s; ",
			  first->directory ? "mkdir -p" : "an empty file");
		text_add_escaped(out, first->evidence);
		text_add(out, "\n");
	}
}

/* What is not a rule yet, or will be none. */
static void add_notes(struct text *out, const struct proposal *proposal)
{
	add_first(out, proposal);
	add_lines(out,
		  "Asked for by name only; add them to network.allow if they "
		  "are needed:",
		  &proposal->asked);
	add_lines(out, "Refused, and not proposed:", &proposal->kept);
}

void propose_format_yaml(struct text *out, const struct proposal *proposal,
			 const struct policy_list *extends,
			 const struct policy *base)
{
	struct policy all = base ? *base : (struct policy){ 0 };

	policy_merge(out->arena, &all, &proposal->policy, &all);
	all.extends = *extends;
	all.version = (struct policy_scalar){
		.set = true,
		.number = 1,
		.origin = { .source = "of the format" },
	};
	policy_format_yaml(out, &all, true);
	add_notes(out, proposal);
}

static void diff_line(struct text *out, char sign, const char *value,
		      const struct policy_origin *origin)
{
	text_addf(out, "%c  ", sign);
	text_add_escaped(out, value);
	if (origin) {
		text_add(out, "  # ");
		text_add_escaped(out, policy_origin_format(out->arena, origin));
	}
	text_add(out, "\n");
}

static void diff_list(struct text *out, const struct policy_list *now,
		      const struct policy_list *more)
{
	for (size_t i = 0; i < now->n; i++)
		diff_line(out, ' ', now->v[i].text, NULL);
	for (size_t i = 0; i < more->n; i++)
		diff_line(out, '+', more->v[i].text, &more->v[i].origin);
}

static void diff_scalar(struct text *out, const struct policy_field *field,
			const struct policy_scalar *now,
			const struct policy_scalar *then)
{
	diff_line(out, '-', policy_scalar_format(out->arena, field, now), NULL);
	diff_line(out, '+', policy_scalar_format(out->arena, field, then),
		  &then->origin);
}

void propose_format_diff(struct text *out, const struct proposal *proposal,
			 const struct policy *present)
{
	const struct policy *more = &proposal->policy;

	text_add(out, "--- in force\n+++ proposed\n");
	for (size_t i = 0; i < policy_fields_n; i++) {
		const struct policy_field *field = &policy_fields[i];
		bool list = policy_field_is_list(field);

		if (list ? !policy_field_list(field, more)->n
			 : !policy_field_scalar(field, more)->set)
			continue;
		text_addf(out, "@@ %s @@\n", field->key);
		if (list)
			diff_list(out, policy_field_list(field, present),
				  policy_field_list(field, more));
		else
			diff_scalar(out, field,
				    policy_field_scalar(field, present),
				    policy_field_scalar(field, more));
	}
	add_notes(out, proposal);
}
