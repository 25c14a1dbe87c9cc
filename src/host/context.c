/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host/context.c - who asks: home, working directory, cordon's own places
 *
 * Runs in:  the caller's process.
 * Trusts:   the caller's environment: it is theirs to set.
 * Must not: use getpwuid(): a static binary would load the system's name
 *           service modules.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/text.h"
#include "host/policies.h"

/* "." and ".." folded by name, as the shell does; NULL if not absolute. */
static const char *fold_path(struct arena *arena, const char *path)
{
	struct text out = { .arena = arena };

	if (!path || path[0] != '/')
		return NULL;
	while (*path) {
		size_t len = strcspn(path, "/");

		if (len == 2 && !strncmp(path, "..", 2)) {
			while (out.n && out.v[--out.n] != '/')
				;
		} else if (len && !(len == 1 && path[0] == '.')) {
			text_add(&out, "/");
			text_addn(&out, path, len);
		}
		path += len + (path[len] == '/');
	}
	return out.n ? arena_strndup(arena, out.v, out.n) : "/";
}

/* The sixth field of the line whose third is @uid. */
static const char *home_from_line(struct arena *arena, char *line,
				  unsigned int uid)
{
	char *field[7] = { NULL }, *end;
	size_t n = 0;

	line[strcspn(line, "\n")] = '\0';
	for (char *p = line; p && n < 7; n++) {
		field[n] = p;
		p = strchr(p, ':');
		if (p)
			*p++ = '\0';
	}
	if (n < 7 || !field[2][0] || strtoul(field[2], &end, 10) != uid || *end)
		return NULL;
	return fold_path(arena, field[5]);
}

static const char *home_from_passwd(struct arena *arena, unsigned int uid)
{
	FILE *file = fopen("/etc/passwd", "re");
	const char *home = NULL;
	char *line = NULL;
	size_t room = 0;

	if (!file)
		return NULL;
	while (!home && getline(&line, &room, file) >= 0)
		home = home_from_line(arena, line, uid);
	free(line);
	(void)fclose(file);
	return home;
}

/* Real, like the working directory: rules compare the two. */
static int read_home(struct arena *arena, struct policy_context *out,
		     struct err *err)
{
	char real[PATH_MAX];

	out->home = fold_path(arena, getenv("HOME"));
	if (!out->home)
		out->home = home_from_passwd(arena, out->uid);
	if (!out->home)
		return err_set(err, ERR_HOST,
			       "HOME is not set to a path, and /etc/passwd has "
			       "no home for user %u: set HOME",
			       out->uid);
	if (realpath(out->home, real))
		out->home = arena_strdup(arena, real);
	return 0;
}

static int read_workdir(struct arena *arena, const char *workdir,
			struct policy_context *out, struct err *err)
{
	char path[PATH_MAX];

	if (workdir && !realpath(workdir, path))
		return err_sys(err, "working directory '%s'", workdir);
	if (!workdir && !getcwd(path, sizeof(path))) {
		if (errno == ENOENT)
			return err_set(err, ERR_HOST,
				       "the working directory was deleted: "
				       "change to another one or name one with "
				       "-C");
		return err_sys(err, "find the working directory");
	}
	if (path[0] != '/')
		return err_set(err, ERR_HOST,
			       "the working directory cannot be reached from "
			       "the root: name another one with -C");
	out->workdir = arena_strdup(arena, path);
	return 0;
}

/* A variable that is not an absolute path counts as unset. */
static const char *xdg_path(struct arena *arena, const char *name,
			    const char *home, const char *otherwise)
{
	const char *path = fold_path(arena, getenv(name));

	if (path || !otherwise)
		return path;
	return fold_path(arena, arena_printf(arena, "%s/%s", home, otherwise));
}

static void set_own_paths(struct arena *arena, struct policy_context *out)
{
	if (!out->uid) {
		out->config_dir = HOST_SYSTEM_DIR;
		out->state_dir = "/var/lib/cordon";
		out->cache_dir = "/var/cache/cordon";
		out->runtime_dir = "/run/cordon";
		return;
	}
	out->config_dir =
		arena_printf(arena, "%s/cordon", out->xdg_config_home);
	out->state_dir = arena_printf(arena, "%s/cordon", out->xdg_state_home);
	out->cache_dir = arena_printf(arena, "%s/cordon", out->xdg_cache_home);
	if (out->xdg_runtime_dir)
		out->runtime_dir =
			arena_printf(arena, "%s/cordon", out->xdg_runtime_dir);
	else
		out->runtime_dir =
			arena_printf(arena, "%s/run", out->state_dir);
}

bool host_is_inside_box(void)
{
	enum { SECCOMP_FILTERED = 2 };

	return getenv("CORDON_SANDBOX") &&
	       prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 &&
	       prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == SECCOMP_FILTERED;
}

int host_context_read(struct arena *arena, const char *workdir,
		      struct policy_context *out, struct err *err)
{
	struct policy_context c = { .uid = geteuid(), .gid = getegid() };

	if (read_home(arena, &c, err) < 0 ||
	    read_workdir(arena, workdir, &c, err) < 0)
		return -1;
	c.xdg_config_home =
		xdg_path(arena, "XDG_CONFIG_HOME", c.home, ".config");
	c.xdg_state_home =
		xdg_path(arena, "XDG_STATE_HOME", c.home, ".local/state");
	c.xdg_cache_home = xdg_path(arena, "XDG_CACHE_HOME", c.home, ".cache");
	c.xdg_data_home =
		xdg_path(arena, "XDG_DATA_HOME", c.home, ".local/share");
	c.xdg_runtime_dir = xdg_path(arena, "XDG_RUNTIME_DIR", c.home, NULL);
	set_own_paths(arena, &c);
	*out = c;
	return 0;
}
