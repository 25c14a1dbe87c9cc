/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/support.c - refuses what this build does not enforce, or what cannot
 * hold together
 *
 * Runs in:  whoever plans or checks a policy.
 * Trusts:   the field table to say what is enforced.
 * Must not: let a key pass that would be accepted and ignored.
 */
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "policy/command.h"
#include "policy/decode.h"
#include "policy/fields.h"
#include "policy/format.h"
#include "policy/values.h"

static bool scalar_is_initial(struct arena *arena,
			      const struct policy_field *field,
			      const struct policy_scalar *scalar)
{
	int64_t initial = 0;

	if (!scalar->set)
		return true;
	if (field->type == POLICY_TEXT)
		return !strcmp(scalar->text, field->initial);
	(void)policy_value_parse(arena, field, field->initial, &initial);
	return scalar->number == initial;
}

static int check_scalar(struct arena *arena, const struct policy_field *field,
			const struct policy_scalar *scalar, struct err *err)
{
	const char *place = policy_origin_format(arena, &scalar->origin);

	if (!field->supported && !scalar_is_initial(arena, field, scalar))
		return err_set(err, ERR_POLICY,
			       "%s: '%s' is not supported by this build", place,
			       field->key);
	if (field->type == POLICY_CHOICE && scalar->set &&
	    field->unsupported_choices >> scalar->number & 1)
		return err_set(err, ERR_POLICY,
			       "%s: '%s: %s' is not supported by this build",
			       place, field->key,
			       field->choices[scalar->number]);
	return 0;
}

/* Rules of a filtered network; what denies is the first. */
static const char *const network_rules[] = {
	"network.deny",	   "network.allow",	     "network.host_ports",
	"network.publish", "network.upstream_proxy", "network.resolver",
};

/*
 * Nothing filters the host's network. Who types --network host over a file
 * that allows some of it has all of that and more, which is said in the plan;
 * what is denied cannot be kept, whoever denies it.
 */
static int check_network(struct arena *arena, const struct policy *policy,
			 struct err *err)
{
	const struct policy_scalar *mode = &policy->network.mode;

	if (mode->number != POLICY_MODE_HOST)
		return 0;
	for (size_t i = 0; i < sizeof(network_rules) / sizeof(*network_rules);
	     i++) {
		const struct policy_field *field =
			policy_field_find(network_rules[i]);
		const struct policy_origin *origin =
			policy_field_origin(field, policy);

		if (!origin)
			continue;
		if (i > 0 && policy_origin_is_option(&mode->origin) &&
		    !policy_origin_is_option(origin))
			continue;
		return err_set(err, ERR_POLICY,
			       "%s: '%s' cannot be held with 'network.mode: "
			       "host' (%s), which filters nothing; use "
			       "'filtered', or take it out",
			       policy_origin_format(arena, origin), field->key,
			       policy_origin_format(arena, &mode->origin));
	}
	return 0;
}

int policy_check_supported(const struct policy *policy, struct err *err)
{
	AUTO_ARENA arena = { 0 };
	struct command_rules rules;

	for (size_t i = 0; i < policy_fields_n; i++) {
		const struct policy_field *field = &policy_fields[i];
		const struct policy_list *list;

		if (!policy_field_is_list(field)) {
			if (check_scalar(&arena, field,
					 policy_field_scalar(field, policy),
					 err) < 0)
				return -1;
			continue;
		}
		list = policy_field_list(field, policy);
		if (!field->supported && list->n)
			return err_set(err, ERR_POLICY,
				       "%s: '%s' is not supported by this "
				       "build",
				       policy_origin_format(&arena,
							    &list->v[0].origin),
				       field->key);
	}
	if (command_rules_build(&arena, &policy->exec, &rules, err) < 0)
		return -1;
	return check_network(&arena, policy, err);
}
