/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host/policies.c - reads the layers of a policy and lays them over each other
 *
 * Runs in:  the caller's process, before anything is planned.
 * Trusts:   the system's and the user's files, not the project's.
 * Must not: pass over a file that is there and cannot be read or understood.
 *
 * Order, later wins: built-in defaults, base profiles, system, user, project,
 * options; or `-s FILE` (weaker: CORDON_CONFIG) in place of user and project.
 * Profiles given with `-P` are the base and hold again between files and
 * options, see policy/bound.h: they were typed, as options are. The ceiling
 * comes last and can only take away.
 *
 * The base profiles are chosen once, by the first of these that names any:
 * `-P`, the settings file, a trusted project file, the user's file, the
 * system's file; `default` if none does. `extends` of the others is passed
 * over then: a file adds to the base that was chosen, it does not put another
 * one on top. A file that is itself a base and extends nothing extends
 * `default`.
 */
#include "host/policies.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/path.h"
#include "base/sha256.h"
#include "host/policy_base.h"
#include "host/policy_file.h"
#include "host/policy_protect.h"
#include "policy/bound.h"
#include "policy/decode.h"
#include "policy/fields.h"
#include "policy/match.h"
#include "policy/merge.h"
#include "policy/profiles.h"

static const char system_dir[] = HOST_SYSTEM_DIR;

/* A document of its own layer. */
struct layer {
	const char *role;
	struct policy_file file;
	const char *base; /* of its relative paths */
	bool trusted;
	struct policy policy;
};

struct loader {
	struct arena *arena;
	const struct host_policy_request *request;
	struct layer system, user, project, settings, ceiling;
	struct host_policy *out;
	struct policy_refusals refused;
	struct policy_bounds bounds; /* of -P; empty without */
};

/* Could a file of cordon's own not be opened because a box hides it? */
static bool is_hidden(const struct err *err)
{
	return err->sys == EACCES && host_is_inside_box();
}

static int read_layer(struct loader *l, const char *path,
		      enum policy_file_kind kind, struct layer *out,
		      struct err *err)
{
	struct policy_document document = { 0 };

	if (policy_file_read(l->arena, path, kind, &out->file, err) < 0)
		return out != &l->settings && is_hidden(err) ? 0 : -1;
	if (!out->file.text)
		return 0;
	out->trusted = kind == POLICY_FILE_OWN;
	document.text = out->file.text;
	document.n = out->file.n;
	document.source = path;
	document.base = out->base;
	return policy_decode(l->arena, &document, &out->policy, err);
}

/* Which file stands in place of the user's and the project's, if any. */
static const char *find_settings(const struct host_policy_request *request)
{
	const char *path = getenv("CORDON_CONFIG");

	if (request->settings)
		return request->settings;
	/* What runs in a box could have set it. */
	if (!path || !*path || getenv("CORDON_SANDBOX"))
		return NULL;
	return path;
}

static int read_settings(struct loader *l, const char *path, struct err *err)
{
	l->settings.role = "settings";
	if (read_layer(l, path, POLICY_FILE_OWN, &l->settings, err) < 0)
		return -1;
	if (!l->settings.file.text)
		return err_set(err, ERR_POLICY,
			       "settings file '%s' does not exist", path);
	return 0;
}

static int find_trust(struct loader *l, struct layer *project, struct err *err)
{
	const struct policy_context *context = l->request->context;
	struct host_trust_entry *entries;
	char hash[SHA256_HEX + 1] = "";
	size_t n;

	if (host_trust_list(l->arena, context, &entries, &n, err) < 0)
		return is_hidden(err) ? 0 : -1;
	for (size_t i = 0; i < n && !project->trusted; i++) {
		if (strcmp(entries[i].path, project->file.path))
			continue;
		if (!hash[0])
			sha256_hex(project->file.text, project->file.n, hash);
		project->trusted = !strcmp(entries[i].sha256, hash);
	}
	return 0;
}

/*
 * Trust is in the content of one file. What lies beside it in the project can
 * be changed by the next box that runs there, so it must not decide.
 */
static int check_trusted(const struct layer *project, struct err *err)
{
	const struct policy *policy = &project->policy;
	const struct policy_scalar *profile = &policy->syscalls_profile;

	for (size_t i = 0; i < policy->extends.n; i++) {
		const struct policy_item *item = &policy->extends.v[i];

		if (strchr(item->text, '/'))
			return err_set(err, ERR_POLICY,
				       "%s:%u: a project's file extends "
				       "profiles by name, not the file '%s': "
				       "trust is in one file",
				       item->origin.source, item->origin.line,
				       item->text);
	}
	if (profile->set && strcmp(profile->text, "default") &&
	    strcmp(profile->text, "strict"))
		return err_set(err, ERR_POLICY,
			       "%s:%u: a project's file cannot name the file "
			       "'%s' of system calls: trust is in one file; "
			       "name it with --seccomp",
			       profile->origin.source, profile->origin.line,
			       profile->text);
	return 0;
}

static int read_project(struct loader *l, struct err *err)
{
	const char *path;

	l->project.role = "project";
	if (host_project_find(l->arena, l->request->context, &path, err) < 0)
		return -1;
	if (!path)
		return 0;
	l->project.base =
		arena_strndup(l->arena, path,
			      strrchr(path, '/') == path
				      ? 1
				      : (size_t)(strrchr(path, '/') - path));
	if (read_layer(l, path, POLICY_FILE_PROJECT, &l->project, err) < 0)
		return -1;
	if (!l->project.file.text)
		return err_set(err, ERR_POLICY,
			       "project file '%s' went away while it was read",
			       path);
	if (find_trust(l, &l->project, err) < 0)
		return -1;
	return l->project.trusted ? check_trusted(&l->project, err) : 0;
}

static int read_ceiling(struct loader *l, struct err *err)
{
	const char *path =
		arena_printf(l->arena, "%s/ceiling.yaml", system_dir);

	l->ceiling.role = "ceiling";
	if (read_layer(l, path, POLICY_FILE_OWN, &l->ceiling, err) < 0)
		return -1;
	if (l->ceiling.policy.extends.n)
		return err_set(err, ERR_POLICY,
			       "%s:%u: a ceiling extends nothing", path,
			       l->ceiling.policy.extends.origin.line);
	return 0;
}

static int read_layers(struct loader *l, struct err *err)
{
	const struct policy_context *context = l->request->context;
	const char *settings = find_settings(l->request);
	const char *system =
		arena_printf(l->arena, "%s/config.yaml", system_dir);

	l->system.role = "system";
	l->user.role = "user";
	if (read_layer(l, system, POLICY_FILE_OWN, &l->system, err) < 0 ||
	    read_ceiling(l, err) < 0)
		return -1;
	if (settings)
		return read_settings(l, settings, err);
	/* The system's file is root's own. */
	if (strcmp(context->config_dir, system_dir) &&
	    read_layer(l,
		       arena_printf(l->arena, "%s/config.yaml",
				    context->config_dir),
		       POLICY_FILE_OWN, &l->user, err) < 0)
		return -1;
	return l->request->no_project ? 0 : read_project(l, err);
}

static void add_source(struct loader *l, const char *name, const char *role,
		       bool trusted)
{
	struct host_policy_source *v = arena_grow(
		l->arena, l->out->sources, l->out->sources_n, sizeof(*v));

	v[l->out->sources_n++] =
		(struct host_policy_source){ name, role, trusted };
	l->out->sources = v;
}

static void keep_bounds(struct loader *l, const struct policy_base *base)
{
	struct policy *policy = arena_array(l->arena, struct policy, 1);

	*policy = base->policy;
	l->bounds = (struct policy_bounds){
		.names = base->names,
		.base = policy,
		.documents = base->documents,
		.n = base->documents_n,
	};
}

/* Who names the base; see the head of this file. */
static int lay_base(struct loader *l, struct err *err)
{
	const struct layer *choosers[] = { &l->settings, &l->project, &l->user,
					   &l->system };
	struct policy_base base = {
		.arena = l->arena,
		.context = l->request->context,
		.system_dir = system_dir,
	};
	int r = 0;

	base.policy = *policy_builtin();
	if (l->request->profiles && l->request->profiles[0]) {
		base.keep = true;
		r = policy_base_add_names(&base, l->request->profiles, err);
		goto done;
	}
	for (size_t i = 0; i < sizeof(choosers) / sizeof(choosers[0]); i++) {
		const struct layer *layer = choosers[i];

		if (!layer->file.text || !layer->trusted ||
		    !layer->policy.extends.n)
			continue;
		r = policy_base_add_extends(&base, &layer->file, &layer->policy,
					    err);
		goto done;
	}
	r = policy_base_add_names(
		&base, (const char *const[]){ "default", NULL }, err);
done:
	if (r < 0)
		return -1;
	l->out->policy = base.policy;
	if (base.keep)
		keep_bounds(l, &base);
	/* A project that names what holds anyway asks for nothing. */
	l->out->policy.extends = base.extends;
	l->out->profile = base.names;
	for (size_t i = 0; i < base.sources_n; i++)
		add_source(l, base.sources[i].name, base.sources[i].role, true);
	return 0;
}

/* With every link resolved, as far as it exists. */
static const char *real_path(struct arena *arena, const char *path)
{
	char *head = arena_strdup(arena, path);
	char real[PATH_MAX];

	for (;;) {
		char *slash = strrchr(head, '/');
		size_t len = strlen(head);

		if (realpath(len ? head : "/", real))
			return arena_printf(arena, "%s%s", real[1] ? real : "",
					    path + len);
		if (!slash)
			return path;
		*slash = '\0';
	}
}

/*
 * A path that narrows by its name may lead anywhere by a link that came with
 * the repository. Below the project's directory, or from the root, it has to
 * be what it says.
 */
static bool is_where_it_says(struct loader *l, const char *base,
			     const char *path)
{
	const char *real = real_path(l->arena, path);
	const char *expected = path;

	if (base && base[1] && path_within(base, path))
		expected = arena_printf(l->arena, "%s%s",
					real_path(l->arena, base),
					path + strlen(base));
	return !strcmp(real, expected);
}

static int drop_links(struct loader *l, const struct layer *layer,
		      struct policy_list *list, const char *key,
		      struct err *err)
{
	struct policy_item *kept =
		arena_array(l->arena, struct policy_item, list->n);
	size_t n = 0;

	for (size_t i = 0; i < list->n; i++) {
		const struct policy_item *item = &list->v[i];
		struct policy_path path;

		if (item->origin.source == layer->file.path) {
			if (policy_path_expand(l->arena, item,
					       l->request->context, &path,
					       err) < 0)
				return -1;
			if (!is_where_it_says(l, layer->base, path.path)) {
				*ARENA_PUSH(l->arena, &l->refused) =
					arena_printf(
						l->arena,
						"%s:%u: '%s: %s' is reached "
						"through a symbolic link and "
						"was left out",
						item->origin.source,
						item->origin.line, key,
						item->text);
				continue;
			}
		}
		kept[n++] = *item;
	}
	list->v = kept;
	list->n = n;
	return 0;
}

static int narrow_by(struct loader *l, const struct layer *layer,
		     enum policy_narrower by, struct err *err)
{
	struct policy *policy = &l->out->policy;

	if (policy_narrow(l->arena, l->request->context, policy, &layer->policy,
			  by, policy, &l->refused, err) < 0)
		return -1;
	if (by == POLICY_BY_CEILING)
		return 0;
	for (size_t i = 0; i < policy_fields_n; i++) {
		const struct policy_field *field = &policy_fields[i];

		if (field->narrowing == POLICY_NARROW_PATHS &&
		    drop_links(l, layer, policy_field_list_of(field, policy),
			       field->key, err) < 0)
			return -1;
	}
	return 0;
}

static int lay_layer(struct loader *l, struct layer *layer, struct err *err)
{
	if (!layer->file.text)
		return 0;
	add_source(l, layer->file.path, layer->role, layer->trusted);
	if (!layer->trusted)
		return narrow_by(l, layer, POLICY_BY_PROJECT, err);
	memset(&layer->policy.extends, 0, sizeof(layer->policy.extends));
	policy_merge(l->arena, &l->out->policy, &layer->policy,
		     &l->out->policy);
	return 0;
}

static int lay_all(struct loader *l, struct err *err)
{
	if (lay_base(l, err) < 0 || lay_layer(l, &l->system, err) < 0 ||
	    lay_layer(l, &l->user, err) < 0 ||
	    lay_layer(l, &l->project, err) < 0 ||
	    lay_layer(l, &l->settings, err) < 0)
		return -1;
	if (l->bounds.n &&
	    policy_bound(l->arena, l->request->context, &l->out->policy,
			 &l->bounds, &l->out->policy, &l->refused, err) < 0)
		return -1;
	if (l->request->flags) {
		add_source(l, "options", "flags", true);
		policy_merge(l->arena, &l->out->policy, l->request->flags,
			     &l->out->policy);
	}
	if (!l->ceiling.file.text)
		return 0;
	add_source(l, l->ceiling.file.path, l->ceiling.role, true);
	return narrow_by(l, &l->ceiling, POLICY_BY_CEILING, err);
}

int host_policy_load(struct arena *arena,
		     const struct host_policy_request *request,
		     struct host_policy *out, struct err *err)
{
	struct host_policy loaded = { 0 };
	struct loader l = { .arena = arena,
			    .request = request,
			    .out = &loaded };

	if (read_layers(&l, err) < 0 || lay_all(&l, err) < 0 ||
	    policy_protect_files(arena, request->context, &loaded, err) < 0)
		return -1;
	/* All of it is merged in: to extend it again would undo removals. */
	memset(&loaded.policy.extends, 0, sizeof(loaded.policy.extends));
	loaded.refused = l.refused.v;
	loaded.refused_n = l.refused.n;
	*out = loaded;
	return 0;
}

static int find_in(struct arena *arena, const char *dir, const char **out,
		   struct err *err)
{
	static const char *const names[] = { ".cordon.yaml", "cordon.yaml" };
	struct stat st;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const char *path = arena_printf(arena, "%s/%s",
						dir[1] ? dir : "", names[i]);

		if (!lstat(path, &st)) {
			*out = path;
			return 0;
		}
		if (errno != ENOENT && errno != ENOTDIR && errno != EACCES)
			return err_sys(err, "look for '%s'", path);
	}
	return 0;
}

int host_project_find(struct arena *arena, const struct policy_context *context,
		      const char **out, struct err *err)
{
	char *dir = arena_strdup(arena, context->workdir);
	const char *found = NULL;

	for (;;) {
		char *slash = strrchr(dir, '/');

		if (find_in(arena, dir, &found, err) < 0)
			return -1;
		if (found || !dir[1] || !strcmp(dir, context->home))
			break;
		slash[slash == dir] = '\0';
	}
	*out = found;
	return 0;
}
