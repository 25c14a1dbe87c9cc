/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host/policy_base.c - what a policy extends, and what that extends
 *
 * Runs in:  the caller's process, before anything is planned.
 * Trusts:   shipped profiles, and files that belong to the user or root.
 * Must not: follow a chain for ever: files are told apart by their identity,
 *           not by their names, and ten in a row are enough.
 */
#include "host/policy_base.h"

#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "host/policy_file.h"
#include "policy/decode.h"
#include "policy/fields.h"
#include "policy/format.h"
#include "policy/merge.h"
#include "policy/profiles.h"

enum { DEPTH_MAX = 10 };

/* The files that led here, the nearest first. */
struct chain {
	const struct policy_file *file;
	const struct chain *from;
	unsigned int depth;
};

/* Something to extend, and where it was said. */
struct reference {
	const char *name;
	const char *directory; /* of the file it stands in; NULL: this one */
	struct policy_origin origin;
};

static const char *format_chain(struct arena *arena, const struct chain *chain,
				const char *last)
{
	const char *s = last;

	for (; chain; chain = chain->from)
		s = arena_printf(arena, "%s -> %s", chain->file->path, s);
	return s;
}

static int check_chain(struct arena *arena, const struct chain *chain,
		       const struct policy_file *file, struct err *err)
{
	for (const struct chain *c = chain; c; c = c->from) {
		if (c->file->dev == file->dev && c->file->ino == file->ino)
			return err_set(err, ERR_POLICY,
				       "policies extend each other in a cycle: "
				       "%s",
				       format_chain(arena, chain, file->path));
	}
	if (chain && chain->depth >= DEPTH_MAX)
		return err_set(err, ERR_POLICY,
			       "policies extend each other more than %d "
			       "deep: %s",
			       DEPTH_MAX,
			       format_chain(arena, chain, file->path));
	return 0;
}

static void add_source(struct policy_base *base, const char *name,
		       const char *role)
{
	struct host_policy_source *v = arena_grow(base->arena, base->sources,
						  base->sources_n, sizeof(*v));

	v[base->sources_n++] = (struct host_policy_source){ name, role, true };
	base->sources = v;
}

static void lay(struct policy_base *base, const struct policy *over)
{
	struct policy without = *over;

	memset(&without.extends, 0, sizeof(without.extends));
	policy_merge(base->arena, &base->policy, &without, &base->policy);
	if (base->keep) {
		base->documents =
			arena_grow(base->arena, base->documents,
				   base->documents_n, sizeof(*base->documents));
		base->documents[base->documents_n++] = without;
	}
}

static void lay_shipped(struct policy_base *base,
			const struct policy_profile *profile)
{
	add_source(base, arena_printf(base->arena, "profile %s", profile->name),
		   "built-in");
	lay(base, profile->policy);
}

static const char *directory_of(struct arena *arena, const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return NULL;
	return arena_strndup(arena, path,
			     slash == path ? 1 : (size_t)(slash - path));
}

static int add_reference(struct policy_base *base, const struct chain *chain,
			 const struct reference *reference, struct err *err);

static int add_all(struct policy_base *base, const struct chain *chain,
		   const struct policy_file *file,
		   const struct policy_list *extends, struct err *err)
{
	const char *directory = directory_of(base->arena, file->path);

	for (size_t i = 0; i < extends->n; i++) {
		struct reference reference = { extends->v[i].text, directory,
					       extends->v[i].origin };

		if (add_reference(base, chain, &reference, err) < 0)
			return -1;
	}
	return 0;
}

static int add_file(struct policy_base *base, const struct chain *chain,
		    const struct policy_file *file, struct err *err)
{
	struct chain here = { file, chain, chain ? chain->depth + 1 : 1 };
	struct policy_document document = { file->text, file->n, file->path,
					    NULL };
	struct policy policy;

	if (check_chain(base->arena, chain, file, err) < 0 ||
	    policy_decode(base->arena, &document, &policy, err) < 0 ||
	    add_all(base, &here, file, &policy.extends, err) < 0)
		return -1;
	/* At the bottom of every chain lies a shipped profile. */
	if (!base->sources_n)
		lay_shipped(base, policy_profile_find("default"));
	add_source(base, file->path, "profile");
	lay(base, &policy);
	return 0;
}

static bool is_profile_name(const char *name)
{
	return name[0] != '.' && !name[strspn(name, "abcdefghijklmnopqrstuvwxyz"
						    "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
						    "0123456789_.-")];
}

static const char *nearest_profile(const char *name)
{
	const char *names[32] = { NULL };
	const struct policy_profile *profiles;
	size_t n;

	profiles = policy_profiles_list(&n);
	for (size_t i = 0; i < n && i < 31; i++)
		names[i] = profiles[i].name;
	return policy_word_nearest(name, names);
}

static int fail_reference(struct policy_base *base,
			  const struct reference *reference, const char *what,
			  struct err *err)
{
	const char *near = nearest_profile(reference->name);

	return err_set(err, ERR_POLICY, "%s: no profile '%.80s'%s%s%s%s",
		       policy_origin_format(base->arena, &reference->origin),
		       reference->name, what, near ? "; did you mean '" : "",
		       near ? near : "", near ? "'?" : "");
}

/* A path is relative to the file that names it, a home's to the user. */
static const char *reference_path(struct policy_base *base,
				  const struct reference *reference)
{
	const char *name = reference->name;

	while (!strncmp(name, "./", 2))
		name += 2;
	if (!strncmp(name, "~/", 2))
		return arena_printf(base->arena, "%s%s", base->context->home,
				    name + 1);
	if (name[0] == '/' || !reference->directory)
		return name;
	return arena_printf(base->arena, "%s/%s", reference->directory, name);
}

static int add_path(struct policy_base *base, const struct chain *chain,
		    const struct reference *reference, struct err *err)
{
	struct policy_file *file =
		arena_array(base->arena, struct policy_file, 1);
	const char *path = reference_path(base, reference);

	if (policy_file_read(base->arena, path, POLICY_FILE_OWN, file, err) < 0)
		return -1;
	if (!file->text)
		return err_set(
			err, ERR_POLICY, "%s: '%s' does not exist",
			policy_origin_format(base->arena, &reference->origin),
			path);
	return add_file(base, chain, file, err);
}

/* A file in profiles/ of the user or the system. */
static int add_named(struct policy_base *base, const struct chain *chain,
		     const struct reference *reference, struct err *err)
{
	const char *dirs[] = { base->context->config_dir, base->system_dir };
	struct policy_file *file =
		arena_array(base->arena, struct policy_file, 1);

	if (!is_profile_name(reference->name))
		return fail_reference(base, reference,
				      ": a file is named by a path with a '/'",
				      err);
	for (size_t i = 0; i < 2; i++) {
		const char *path =
			arena_printf(base->arena, "%s/profiles/%s.yaml",
				     dirs[i], reference->name);

		if (policy_file_read(base->arena, path, POLICY_FILE_OWN, file,
				     err) < 0)
			return -1;
		if (file->text)
			return add_file(base, chain, file, err);
	}
	return fail_reference(base, reference,
			      arena_printf(base->arena,
					   ", neither shipped nor in "
					   "'%s/profiles'",
					   dirs[0]),
			      err);
}

/* A file that will never be read would be believed in. */
static int check_not_shadowed(struct policy_base *base, const char *name,
			      struct err *err)
{
	const char *path = arena_printf(base->arena, "%s/profiles/%s.yaml",
					base->context->config_dir, name);

	if (access(path, F_OK))
		return 0;
	return err_set(err, ERR_POLICY,
		       "'%s' has the name of a shipped profile and would not "
		       "be read: rename it",
		       path);
}

static int add_reference(struct policy_base *base, const struct chain *chain,
			 const struct reference *reference, struct err *err)
{
	const struct policy_profile *shipped;

	if (strchr(reference->name, '/'))
		return add_path(base, chain, reference, err);
	shipped = policy_profile_find(reference->name);
	if (!shipped)
		return add_named(base, chain, reference, err);
	if (check_not_shadowed(base, reference->name, err) < 0)
		return -1;
	lay_shipped(base, shipped);
	return 0;
}

static void add_name(struct policy_base *base, const char *name)
{
	struct policy_item *v =
		arena_grow(base->arena, (void *)(uintptr_t)base->extends.v,
			   base->extends.n, sizeof(*v));

	v[base->extends.n++] = (struct policy_item){ .text = name };
	base->extends.v = v;
	base->names = base->names ? arena_printf(base->arena, "%s+%s",
						 base->names, name)
				  : name;
}

int policy_base_add_names(struct policy_base *base, const char *const *names,
			  struct err *err)
{
	for (; *names; names++) {
		struct reference reference = { *names,
					       NULL,
					       { "--profile", 0 } };

		if (add_reference(base, NULL, &reference, err) < 0)
			return -1;
		add_name(base, *names);
	}
	return 0;
}

int policy_base_add_extends(struct policy_base *base,
			    const struct policy_file *file,
			    const struct policy *document, struct err *err)
{
	struct chain here = { file, NULL, 1 };

	if (add_all(base, &here, file, &document->extends, err) < 0)
		return -1;
	for (size_t i = 0; i < document->extends.n; i++)
		add_name(base, document->extends.v[i].text);
	return 0;
}
