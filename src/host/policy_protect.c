/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host/policy_protect.c - what decided over this run is closed to the box
 *
 * Runs in:  the caller's process, after the layers were laid.
 * Trusts:   the names under which files were read.
 * Must not: forget the name for what it leads to: a link in the workspace can
 *           be turned round. The plan looks at every link on the way; here a
 *           name only becomes absolute.
 */
#include "host/policy_protect.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/path.h"
#include "base/text.h"
#include "host/policies.h"
#include "policy/match.h"
#include "policy/merge.h"

static const struct policy_origin policy_file = { .source = "policy file" };

/*
 * Where the last `..` leads is for the kernel to say, which follows links
 * first; what comes after it is kept as it is written.
 */
static const char *resolve_dots(struct arena *arena, const char *path)
{
	char real[PATH_MAX];
	const char *end = NULL;

	for (const char *p = path; (p = strstr(p, "/..")); p += 3) {
		if (p[3] == '/' || p[3] == '\0')
			end = p + 3;
	}
	if (!end)
		return path;
	if (!realpath(arena_strndup(arena, path, (size_t)(end - path)), real))
		return path;
	return arena_printf(arena, "%s%s", real[1] ? real : "", end);
}

/* NULL where no name leads to the file any more. */
static int absolute_name(struct arena *arena, const char *path,
			 const char **out, struct err *err)
{
	char buf[PATH_MAX];

	if (path[0] != '/') {
		if (!getcwd(buf, sizeof(buf)))
			return err_sys(err, "find the directory of '%s'", path);
		path = arena_printf(arena, "%s/%s", buf, path);
	}
	*out = resolve_dots(arena, path);
	/* /dev/stdin and what a shell makes of <(…): every process has its
	 * own, so it is not the name that counts. */
	if (path_within("/dev", *out) || path_within("/proc", *out))
		*out = realpath(*out, buf) ? arena_strdup(arena, buf) : NULL;
	return 0;
}

/* Written so that it is read as this very path and no pattern. */
static const char *quote(struct arena *arena, const char *path)
{
	struct text out = { .arena = arena };

	for (; *path; path++) {
		if (strchr("*?[\\", *path))
			text_add(&out, "\\");
		text_addn(&out, path, 1);
	}
	return text_str(&out);
}

static int add_file(struct arena *arena, const char *path,
		    struct policy_list *list, struct err *err)
{
	struct policy_item *v;
	const char *name;

	if (absolute_name(arena, path, &name, err) < 0)
		return -1;
	if (!name)
		return 0;
	v = arena_grow(arena, (void *)(uintptr_t)list->v, list->n, sizeof(*v));
	v[list->n++] = (struct policy_item){
		.text = quote(arena, name),
		.origin = policy_file,
	};
	list->v = v;
	return 0;
}

/* A file of system calls is policy too. */
static int add_syscalls(struct arena *arena,
			const struct policy_context *context,
			const struct policy_scalar *profile,
			struct policy_list *list, struct err *err)
{
	struct policy_item item = { .text = profile->text,
				    .origin = profile->origin };
	struct policy_path path;

	if (!profile->text || !strcmp(profile->text, "default") ||
	    !strcmp(profile->text, "strict"))
		return 0;
	if (policy_path_expand(arena, &item, context, &path, err) < 0)
		return -1;
	return add_file(arena, path.literal, list, err);
}

static bool is_file(const struct host_policy_source *source)
{
	return strcmp(source->role, "built-in") != 0 &&
	       strcmp(source->role, "flags") != 0;
}

int policy_protect_files(struct arena *arena,
			 const struct policy_context *context,
			 struct host_policy *policy, struct err *err)
{
	struct policy files = { 0 };
	struct policy_list *list = &files.filesystem.deny_write;

	for (size_t i = 0; i < policy->sources_n; i++) {
		if (is_file(&policy->sources[i]) &&
		    add_file(arena, policy->sources[i].name, list, err) < 0)
			return -1;
	}
	if (add_syscalls(arena, context, &policy->policy.syscalls_profile, list,
			 err) < 0)
		return -1;
	if (list->n)
		policy_merge(arena, &policy->policy, &files, &policy->policy);
	return 0;
}
