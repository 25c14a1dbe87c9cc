/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tools/profiles-compile.c - shipped profiles as C, so that a run parses none
 *
 * Runs in:  the build: profiles-compile OUT.c base.yaml NAME.yaml…
 * Trusts:   the profiles; a broken one fails the build.
 * Must not: be part of what is installed.
 *
 * The first profile is the one that others are laid over; it can be extended
 * and is not listed.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "policy/decode.h"
#include "policy/fields.h"
#include "policy/merge.h"

enum { PROFILES_MAX = 64, SIZE_MAX_BYTES = 1024 * 1024 };

struct profile {
	const char *name;
	const char *description;
	struct policy policy;
	bool resolved;
	bool resolving;
};

struct profiles {
	struct arena arena;
	struct profile v[PROFILES_MAX];
	size_t n;
};

static void fail(const char *message)
{
	fprintf(stderr, "profiles-compile: %s\n", message);
	exit(1);
}

/* "dir/NAME.yaml" */
static const char *name_of(struct arena *arena, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	const char *dot = strrchr(name, '.');

	return arena_strndup(arena, name,
			     dot ? (size_t)(dot - name) : strlen(name));
}

static const char *first_comment(struct arena *arena, const char *text)
{
	if (strncmp(text, "# ", 2))
		fail("a profile begins with a comment that describes it");
	return arena_strndup(arena, text + 2, strcspn(text + 2, "\n"));
}

static void read_profile(struct profiles *all, const char *path)
{
	struct profile *profile = &all->v[all->n++];
	struct policy_document document = { 0 };
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct err err;
	char *text;

	if (fd < 0)
		fail(path);
	if (fd_read_file(&all->arena, fd, path, SIZE_MAX_BYTES, &text, &err) <
	    0)
		fail(err.msg);
	profile->name = name_of(&all->arena, path);
	profile->description = first_comment(&all->arena, text);
	document.text = text;
	document.n = strlen(text);
	document.source =
		arena_printf(&all->arena, "profile %s", profile->name);
	if (policy_decode(&all->arena, &document, &profile->policy, &err) < 0)
		fail(err.msg);
}

static struct profile *find_profile(struct profiles *all, const char *name)
{
	for (size_t i = 0; i < all->n; i++) {
		if (!strcmp(all->v[i].name, name))
			return &all->v[i];
	}
	fail(arena_printf(&all->arena, "no profile '%s'", name));
	return NULL;
}

static void resolve_profile(struct profiles *all, struct profile *profile)
{
	const struct policy_list extends = profile->policy.extends;
	struct policy under = { 0 };

	if (profile->resolved)
		return;
	if (profile->resolving)
		fail("profiles extend each other");
	profile->resolving = true;
	memset(&profile->policy.extends, 0, sizeof(profile->policy.extends));
	for (size_t i = 0; i < extends.n; i++) {
		struct profile *other = find_profile(all, extends.v[i].text);

		resolve_profile(all, other);
		policy_merge(&all->arena, &under, &other->policy, &under);
	}
	policy_merge(&all->arena, &under, &profile->policy, &profile->policy);
	profile->resolved = true;
}

static void set_initial(struct arena *arena, struct policy *policy,
			const struct policy_field *field)
{
	struct policy_origin origin = { "built-in", 0 };
	const char *rest = field->initial;
	struct err err;

	if (!policy_field_is_list(field)) {
		if (policy_set_text(arena, policy, field->key, rest, origin,
				    &err) < 0)
			fail(err.msg);
		return;
	}
	while (*rest) {
		size_t len = strcspn(rest, " ");
		const char *word = arena_strndup(arena, rest, len);

		if (policy_set_text(arena, policy, field->key, word, origin,
				    &err) < 0)
			fail(err.msg);
		rest += len + strspn(rest + len, " ");
	}
}

static void print_string(FILE *out, const char *s)
{
	if (!s) {
		fputs("NULL", out);
		return;
	}
	fputc('"', out);
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		/* Octal: a hexadecimal escape would take the digits after. */
		if (c < 0x20 || c >= 0x7f || c == '"' || c == '\\' || c == '?')
			fprintf(out, "\\%03o", (unsigned int)c);
		else
			fputc(c, out);
	}
	fputc('"', out);
}

static void print_origin(FILE *out, const struct policy_origin *origin)
{
	fputs("{ ", out);
	print_string(out, origin->source);
	fprintf(out, ", %u }", origin->line);
}

/* Names of what is printed count policies and fields. */
static void print_items(FILE *out, size_t policy, size_t field,
			const struct policy_list *list)
{
	if (!list->n)
		return;
	fprintf(out, "static const struct policy_item items_%zu_%zu[] = {\n",
		policy, field);
	for (size_t i = 0; i < list->n; i++) {
		fputs("\t{ ", out);
		print_string(out, list->v[i].text);
		fputs(", NULL, false, ", out);
		print_origin(out, &list->v[i].origin);
		fputs(" },\n", out);
	}
	fputs("};\n", out);
}

static void print_list(FILE *out, size_t policy, size_t field,
		       const struct policy_list *list)
{
	static const char *const ops[] = { "POLICY_APPEND", "POLICY_REPLACE",
					   "POLICY_REMOVE" };

	if (!list->n && list->op == POLICY_APPEND)
		return;
	fprintf(out, "\t.%s = { ", policy_fields[field].member);
	if (list->n)
		fprintf(out, "items_%zu_%zu, ", policy, field);
	else
		fputs("NULL, ", out);
	fprintf(out, "%zu, %s, ", list->n, ops[list->op]);
	print_origin(out, &list->origin);
	fputs(" },\n", out);
}

static void print_scalar(FILE *out, size_t field,
			 const struct policy_scalar *scalar)
{
	if (!scalar->set)
		return;
	fprintf(out, "\t.%s = { true, %lld, ", policy_fields[field].member,
		(long long)scalar->number);
	print_string(out, scalar->text);
	fputs(", ", out);
	print_origin(out, &scalar->origin);
	fputs(" },\n", out);
}

static void print_policy(FILE *out, size_t number, const struct policy *policy)
{
	for (size_t i = 0; i < policy_fields_n; i++) {
		if (policy_field_is_list(&policy_fields[i]))
			print_items(
				out, number, i,
				policy_field_list(&policy_fields[i], policy));
	}
	fprintf(out, "static const struct policy policy_%zu = {\n", number);
	for (size_t i = 0; i < policy_fields_n; i++) {
		const struct policy_field *field = &policy_fields[i];

		if (policy_field_is_list(field))
			print_list(out, number, i,
				   policy_field_list(field, policy));
		else
			print_scalar(out, i,
				     policy_field_scalar(field, policy));
	}
	fputs("};\n\n", out);
}

static void print_profiles(FILE *out, const struct profiles *all)
{
	fputs("static const struct policy_profile profiles[] = {\n", out);
	for (size_t i = 0; i < all->n; i++) {
		fputs("\t{ ", out);
		print_string(out, all->v[i].name);
		fputs(", ", out);
		print_string(out, all->v[i].description);
		fprintf(out, ", &policy_%zu },\n", i);
	}
	fputs("};\n\n"
	      "const struct policy_profile *"
	      "policy_profile_find(const char *name)\n{\n"
	      "\tfor (size_t i = 0; "
	      "i < sizeof(profiles) / sizeof(profiles[0]); i++) {\n"
	      "\t\tif (!strcmp(profiles[i].name, name))\n"
	      "\t\t\treturn &profiles[i];\n\t}\n"
	      "\treturn NULL;\n}\n\n"
	      "const struct policy_profile *"
	      "policy_profiles_list(size_t *out_n)\n{\n"
	      "\t*out_n = sizeof(profiles) / sizeof(profiles[0]) - 1;\n"
	      "\treturn profiles + 1;\n}\n\n",
	      out);
	fprintf(out,
		"const struct policy *policy_builtin(void)\n{\n"
		"\treturn &policy_%zu;\n}\n",
		all->n);
}

int main(int argc, char **argv)
{
	static struct profiles all;
	struct policy builtin = { 0 };
	FILE *out;

	if (argc < 3 || argc - 2 > PROFILES_MAX)
		fail("usage: profiles-compile OUT.c base.yaml NAME.yaml...");
	for (int i = 2; i < argc; i++)
		read_profile(&all, argv[i]);
	out = fopen(argv[1], "we");
	if (!out)
		fail(argv[1]);
	fputs("/* Made from profiles by profiles-compile. */\n"
	      "#include \"policy/profiles.h\"\n\n#include <string.h>\n\n",
	      out);
	for (size_t i = 0; i < all.n; i++) {
		resolve_profile(&all, &all.v[i]);
		print_policy(out, i, &all.v[i].policy);
	}
	for (size_t i = 0; i < policy_fields_n; i++)
		set_initial(&all.arena, &builtin, &policy_fields[i]);
	print_policy(out, all.n, &builtin);
	print_profiles(out, &all);
	if (fclose(out))
		fail("the output could not be written");
	arena_free(&all.arena);
	return 0;
}
