/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/expand.c - what an item of a path list means to one caller
 *
 * Runs in:  whoever plans, narrows or explains.
 * Trusts:   the context; it was read from the caller's environment, which is
 *           the caller's own.
 * Must not: look at the file system: `..` is folded by name, as in cd(1);
 *           whoever opens the result resolves links once, by descriptor.
 */
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/text.h"
#include "policy/format.h"
#include "policy/match.h"

struct variable {
	const char *name;
	size_t offset; /* in struct policy_context */
};

#define VARIABLE(name, member)                                                 \
	{                                                                      \
		name, offsetof(struct policy_context, member)                  \
	}

static const struct variable variables[] = {
	VARIABLE("HOME", home),
	VARIABLE("XDG_CONFIG_HOME", xdg_config_home),
	VARIABLE("XDG_STATE_HOME", xdg_state_home),
	VARIABLE("XDG_CACHE_HOME", xdg_cache_home),
	VARIABLE("XDG_DATA_HOME", xdg_data_home),
	VARIABLE("XDG_RUNTIME_DIR", xdg_runtime_dir),
};

enum { VARIABLES = sizeof(variables) / sizeof(variables[0]) };

/* What stands before the rest of an item's text. */
struct start {
	const char *directory; /* NULL: nothing, the text is absolute */
	const char *rest;
};

static int fail_item(struct arena *arena, const struct policy_item *item,
		     const char *why, struct err *err)
{
	return err_set(err, ERR_POLICY, "%s: path '%.200s': %s",
		       policy_origin_format(arena, &item->origin), item->text,
		       why);
}

static const char *variable_value(const struct variable *variable,
				  const struct policy_context *context)
{
	const char *const *member =
		(const void *)((const char *)context + variable->offset);

	return *member;
}

static int find_variable(struct arena *arena, const struct policy_item *item,
			 const struct policy_context *context,
			 struct start *out, struct err *err)
{
	const char *name = item->text + 1;
	size_t len = strcspn(name, "/");

	for (size_t i = 0; i < VARIABLES; i++) {
		if (strlen(variables[i].name) != len ||
		    strncmp(variables[i].name, name, len))
			continue;
		out->directory = variable_value(&variables[i], context);
		out->rest = name + len;
		if (out->directory)
			return 0;
		return fail_item(arena, item, "the variable is not set", err);
	}
	return fail_item(arena, item,
			 "only $HOME, $XDG_CONFIG_HOME, $XDG_STATE_HOME, "
			 "$XDG_CACHE_HOME, $XDG_DATA_HOME and $XDG_RUNTIME_DIR "
			 "are known; write ./$… for a file of this name",
			 err);
}

static int find_start(struct arena *arena, const struct policy_item *item,
		      const struct policy_context *context, struct start *out,
		      struct err *err)
{
	const char *text = item->text;

	out->directory = NULL;
	out->rest = text;
	if (text[0] == '/')
		return 0;
	if (text[0] == '$')
		return find_variable(arena, item, context, out, err);
	if (text[0] == '~' && (text[1] == '/' || text[1] == '\0')) {
		out->directory = context->home;
		out->rest = text + 1;
		return 0;
	}
	if (text[0] == '~')
		return fail_item(arena, item,
				 "another user's home has to be written out; "
				 "write ./~… for a file of this name",
				 err);
	out->directory = item->base ? item->base : context->workdir;
	return 0;
}

/* Forgets the last component; "" is the root. */
static void drop_component(struct text *out)
{
	while (out->n && out->v[out->n - 1] != '/')
		out->n--;
	if (out->n)
		out->n--;
}

/* How the characters of a component are taken over. */
enum copying {
	COPY_LITERAL, /* of a path that holds no escapes */
	COPY_QUOTED, /* likewise, into a pattern */
	COPY_PATTERN, /* of a pattern into a pattern */
	COPY_UNESCAPED, /* of a text with escapes into a path */
};

void policy_path_escape(struct text *out, const char *path, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (strchr("*?[\\", path[i]))
			text_add(out, "\\");
		text_addn(out, path + i, 1);
	}
}

static void copy_component(struct text *out, const char *part, size_t len,
			   enum copying how)
{
	text_add(out, "/");
	if (how == COPY_LITERAL || how == COPY_PATTERN ||
	    (how == COPY_UNESCAPED && !memchr(part, '\\', len))) {
		text_addn(out, part, len);
		return;
	}
	if (how == COPY_QUOTED) {
		policy_path_escape(out, part, len);
		return;
	}
	for (size_t i = 0; i < len; i++) {
		if (part[i] == '\\' && i + 1 < len)
			i++;
		text_addn(out, part + i, 1);
	}
}

/* 1 for ".", 2 for "..", also when written with backslashes; else 0. */
static unsigned int count_dots(const char *part, size_t len)
{
	unsigned int dots = 0;

	for (size_t i = 0; i < len; i++) {
		if (part[i] == '\\' && i + 1 < len)
			i++;
		if (part[i] != '.' || ++dots > 2)
			return 0;
	}
	return dots;
}

static bool ends_with_double_star(const struct text *out)
{
	return out->n >= 3 && !strncmp(out->v + out->n - 3, "/**", 3);
}

/* Returns false where `..` follows `**`: that could be anywhere. */
static bool add_components(struct text *out, const char *path, enum copying how)
{
	while (*path) {
		size_t len = strcspn(path, "/");
		unsigned int dots = count_dots(path, len);

		if (dots == 2) {
			if (how == COPY_PATTERN && ends_with_double_star(out))
				return false;
			drop_component(out);
		} else if (len && !dots) {
			copy_component(out, path, len, how);
		}
		path += len + (path[len] == '/');
	}
	return true;
}

static const char *finish_path(struct arena *arena, struct text *path)
{
	if (!path->n)
		return "/";
	return arena_strndup(arena, path->v, path->n);
}

int policy_path_expand(struct arena *arena, const struct policy_item *item,
		       const struct policy_context *context,
		       struct policy_path *out, struct err *err)
{
	struct text path = { .arena = arena };
	struct start start;
	bool glob;

	if (find_start(arena, item, context, &start, err) < 0)
		return -1;
	glob = policy_path_is_glob(start.rest);

	/* A pattern keeps its backslashes; a home with a `[` in its name then
	 * needs some of its own. */
	if (start.directory)
		(void)add_components(&path, start.directory,
				     glob ? COPY_QUOTED : COPY_LITERAL);
	if (!add_components(&path, start.rest,
			    glob ? COPY_PATTERN : COPY_UNESCAPED))
		return fail_item(arena, item, "'..' cannot follow '**'", err);
	out->glob = glob;
	out->path = finish_path(arena, &path);
	out->literal = out->path;
	if (glob) {
		path.n = 0;
		if (start.directory)
			(void)add_components(&path, start.directory,
					     COPY_LITERAL);
		(void)add_components(&path, start.rest, COPY_UNESCAPED);
		out->literal = finish_path(arena, &path);
	}
	return 0;
}
