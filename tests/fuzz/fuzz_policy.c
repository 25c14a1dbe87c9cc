/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a policy document: decoded, merged, narrowed, expanded and
 * printed. What was accepted and printed must be accepted again.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/path.h"
#include "base/text.h"
#include "policy/decode.h"
#include "policy/fields.h"
#include "policy/format.h"
#include "policy/match.h"
#include "policy/merge.h"
#include "policy/profiles.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static const struct policy_context context = {
	.home = "/home/u",
	.workdir = "/home/u/work",
	.xdg_config_home = "/home/u/.config",
	.xdg_state_home = "/home/u/.local/state",
	.xdg_cache_home = "/home/u/.cache",
	.xdg_data_home = "/home/u/.local/share",
	.xdg_runtime_dir = "/run/user/1000",
};

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void expand_paths(struct arena *arena, const struct policy_list *list)
{
	for (size_t i = 0; i < list->n; i++) {
		struct policy_path path;
		struct err err;

		if (policy_path_expand(arena, &list->v[i], &context, &path,
				       &err) < 0)
			continue;
		require(path_is_normal(path.literal));
		require(path_is_normal(policy_glob_prefix(arena, path.path)) ||
			!path.glob);
		if (path.glob)
			(void)policy_glob_match(path.path, path.literal);
		else
			require(!strcmp(path.path, path.literal));
	}
}

static bool is_narrower(const struct policy_field *field,
			const struct policy_scalar *a,
			const struct policy_scalar *b)
{
	if (field->narrowing == POLICY_NARROW_FALL)
		return !b->number || (a->number && a->number <= b->number);
	if (field->narrowing == POLICY_NARROW_RANK)
		return field->rank[a->number] <= field->rank[b->number];
	return true;
}

static void check_narrowed(struct arena *arena, const struct policy *over)
{
	struct policy_refusals refused = { 0 };
	struct policy base, out;
	struct err err;

	policy_merge(arena, policy_builtin(),
		     policy_profile_find("default")->policy, &base);
	if (policy_narrow(arena, &context, &base, over, POLICY_BY_PROJECT, &out,
			  &refused, &err) < 0)
		return;
	for (size_t i = 0; i < policy_fields_n; i++) {
		const struct policy_field *field = &policy_fields[i];

		if (policy_field_is_list(field)) {
			size_t was = policy_field_list(field, &base)->n;
			size_t is = policy_field_list(field, &out)->n;

			require(field->narrowing != POLICY_NARROW_GROW ||
				is >= was);
			require(field->narrowing != POLICY_NARROW_SHRINK ||
				is <= was);
			continue;
		}
		require(is_narrower(field, policy_field_scalar(field, &out),
				    policy_field_scalar(field, &base)));
	}
}

static void check_printed(struct arena *arena, const struct policy *policy)
{
	struct policy_document document = { .source = "printed" };
	struct text out = { .arena = arena };
	struct policy again;
	struct err err;

	policy_format_yaml(&out, policy, true);
	document.text = text_str(&out);
	document.n = strlen(document.text);
	require(policy_decode(arena, &document, &again, &err) == 0);
	document.text = policy_format_json(arena, policy, false);
	document.n = strlen(document.text);
	require(policy_decode(arena, &document, &again, &err) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct policy_document document = {
		.text = (const char *)data,
		.n = n,
		.source = "fuzz",
	};
	AUTO_ARENA arena = { 0 };
	struct policy policy, merged;
	struct err err = { 0 };

	if (policy_decode(&arena, &document, &policy, &err) < 0) {
		require(err.kind == ERR_POLICY);
		require(!strncmp(err.msg, "fuzz:", 5));
		return 0;
	}
	policy_merge(&arena, policy_profile_find("default")->policy, &policy,
		     &merged);
	(void)policy_check_supported(&merged, &err);
	expand_paths(&arena, &merged.filesystem.deny_read);
	expand_paths(&arena, &merged.filesystem.allow_write);
	check_narrowed(&arena, &policy);
	check_printed(&arena, &policy);
	return 0;
}
