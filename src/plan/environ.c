/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan/environ.c - which variables the command sees
 *
 * Runs in:  the process that reads the policy.
 * Trusts:   nothing in the caller's environment: it may hold secrets, and
 *           names of code that would be loaded.
 * Must not: read the environment; it is in the facts.
 */
#include "plan/environ.h"

#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/path.h"
#include "plan/egress.h"
#include "plan/plan.h"
#include "plan/view.h"
#include "policy/match.h"

/*
 * Never inherited: what makes programs load code, and addresses of services
 * outside. An exact name in `pass` lets one through all the same.
 */
static const char *const stripped[] = {
	"LD_*", /* the dynamic loader */
	"DYLD_*",
	"GLIBC_TUNABLES",
	"GCONV_PATH",
	"BASH_ENV", /* shells: read before anything else */
	"ENV",
	"BASH_FUNC_*",
	"SHELLOPTS",
	"BASHOPTS",
	"PROMPT_COMMAND",
	"PS4",
	"PYTHONSTARTUP", /* interpreters */
	"PYTHONINSPECT",
	"PYTHONHOME",
	"PERL5OPT",
	"PERL5DB",
	"RUBYOPT",
	"NODE_OPTIONS",
	"JAVA_TOOL_OPTIONS",
	"_JAVA_OPTIONS",
	"JDK_JAVA_OPTIONS",
	"GIT_SSH", /* programs that git starts */
	"GIT_SSH_COMMAND",
	"GIT_ASKPASS",
	"GIT_EXTERNAL_DIFF",
	"GIT_PROXY_COMMAND",
	"GIT_EXEC_PATH",
	"GIT_CONFIG*",
	"SSH_ASKPASS",
	"SUDO_ASKPASS",
	"SSH_AUTH_SOCK", /* services of the session */
	"SSH_AGENT_PID",
	"GPG_AGENT_INFO",
	"DBUS_*",
	"DISPLAY",
	"WAYLAND_DISPLAY",
	"XAUTHORITY",
	"SESSION_MANAGER",
	"TMUX",
	"TMUX_PANE",
	"STY",
	"VSCODE_*",
	"DOCKER_HOST",
	"XDG_RUNTIME_DIR", /* set anew below */
	"NOTIFY_SOCKET",
	"LISTEN_*",
	"CORDON_*", /* ours: an inner cordon must not obey them */
	"SANDBOX",
	"container",
	NULL,
};

/*
 * Where programs find a proxy. The caller's own cannot be reached from a box
 * with a network of its own, and its URL may hold a password.
 */
static const char *const proxies[] = { "*_proxy", "*_PROXY", NULL };

/* ALL_PROXY gets an HTTP URL too: there are programs that do not start with
 * one of SOCKS in it, and none that needs that. ftp is not served. */
static const char *const proxy_names[] = {
	"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY",
	"http_proxy", "https_proxy", "all_proxy",
};

static const char *const no_proxy_names[] = { "NO_PROXY", "no_proxy" };

struct variables {
	char **v;
	size_t n;
};

static bool name_is(const char *variable, const char *name, size_t n)
{
	return !strncmp(variable, name, n) && variable[n] == '=';
}

/* The last word on a name is the one that counts. */
static void variable_set(struct arena *arena, struct variables *all,
			 char *variable)
{
	size_t n = strcspn(variable, "=");

	for (size_t i = 0; i < all->n; i++) {
		if (name_is(all->v[i], variable, n)) {
			all->v[i] = variable;
			return;
		}
	}
	*ARENA_PUSH(arena, all) = variable;
}

static bool list_names(const struct policy_list *list, const char *name,
		       bool patterns)
{
	for (size_t i = 0; i < list->n; i++) {
		if (patterns ? policy_name_match(list->v[i].text, name)
			     : !strcmp(list->v[i].text, name))
			return true;
	}
	return false;
}

static bool is_stripped(const char *name)
{
	for (const char *const *s = stripped; *s; s++) {
		/* None of them begins with a wildcard. */
		if (**s == *name && policy_name_match(*s, name))
			return true;
	}
	return false;
}

static bool is_proxy(const char *name)
{
	for (const char *const *p = proxies; *p; p++) {
		if (policy_name_match(*p, name))
			return true;
	}
	return false;
}

static bool is_passed(const struct policy *policy, const char *name)
{
	const struct policy_environment *env = &policy->environment;

	if (list_names(&env->pass, name, false))
		return true;
	if (is_stripped(name) || list_names(&env->deny, name, true))
		return false;
	if (policy->network.mode.number != POLICY_MODE_HOST && is_proxy(name))
		return false;
	return env->inherit.number || list_names(&env->pass, name, true);
}

/* A socket that was let in may be found by its usual variable. */
static bool names_allowed_socket(const struct policy *policy,
				 const struct policy_context *context,
				 const char *variable)
{
	const struct policy_list *list = &policy->network.unix_sockets;
	AUTO_ARENA scratch = { 0 };
	const char *value = strchr(variable, '=');

	if (!value || strncmp(variable, "SSH_AUTH_SOCK=", 14) != 0)
		return false;
	for (size_t i = 0; i < list->n; i++) {
		struct policy_path path;
		struct err ignored;

		if (policy_path_expand(&scratch, &list->v[i], context, &path,
				       &ignored) == 0 &&
		    !strcmp(path.path, value + 1))
			return true;
	}
	return false;
}

/* TMPDIR has to lead to a place where the command may write. */
static bool tmpdir_is_usable(const struct view *view, const char *value)
{
	return path_is_normal(value) &&
	       view_find(view, value)->access == PLAN_WRITE &&
	       !view_find(view, value)->private;
}

static void add_inherited(struct arena *arena, const struct policy *policy,
			  const struct policy_context *context,
			  const struct facts *facts, struct variables *all)
{
	for (size_t i = 0; i < facts->environ.n; i++) {
		const char *variable = facts->environ.v[i];
		const char *equals = strchr(variable, '=');
		char *name;

		if (!equals || equals == variable)
			continue;
		name = arena_strndup(arena, variable,
				     (size_t)(equals - variable));
		if (is_passed(policy, name) ||
		    names_allowed_socket(policy, context, variable))
			variable_set(arena, all, arena_strdup(arena, variable));
	}
}

static const char *variable_get(const struct variables *all, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; i < all->n; i++) {
		if (name_is(all->v[i], name, n))
			return all->v[i] + n + 1;
	}
	return NULL;
}

static void add_proxies(struct arena *arena, struct variables *all)
{
	for (size_t i = 0; i < sizeof(proxy_names) / sizeof(*proxy_names); i++)
		variable_set(arena, all,
			     arena_printf(arena, "%s=http://127.0.0.1:%d",
					  proxy_names[i], EGRESS_HTTP_PORT));
	for (size_t i = 0; i < 2; i++)
		variable_set(arena, all,
			     arena_printf(arena, "%s=localhost,127.0.0.1,::1",
					  no_proxy_names[i]));
}

void plan_environ_build(struct arena *arena, const struct policy *policy,
			const struct policy_context *context,
			const struct facts *facts, const struct view *view,
			struct plan *plan)
{
	const struct policy_list *set = &policy->environment.set;
	struct variables all = { 0 };
	const char *home, *tmpdir;

	add_inherited(arena, policy, context, facts, &all);
	if (!variable_get(&all, "PATH"))
		variable_set(arena, &all,
			     arena_strdup(arena,
					  "PATH=/usr/local/bin:/usr/bin:/bin"));
	home = variable_get(&all, "HOME");
	/* Rules were made for that one. */
	if (!home || home[0] != '/')
		variable_set(arena, &all,
			     arena_printf(arena, "HOME=%s", context->home));
	tmpdir = variable_get(&all, "TMPDIR");
	if (!tmpdir || !tmpdir_is_usable(view, tmpdir))
		variable_set(arena, &all, arena_strdup(arena, "TMPDIR=/tmp"));
	variable_set(arena, &all,
		     arena_printf(arena, "XDG_RUNTIME_DIR=/run/user/%u",
				  context->uid));
	variable_set(arena, &all,
		     arena_printf(arena, "PWD=%s", context->workdir));
	if (plan->network == POLICY_MODE_FILTERED)
		add_proxies(arena, &all);
	for (size_t i = 0; i < set->n; i++)
		variable_set(arena, &all, arena_strdup(arena, set->v[i].text));
	/* Last, so that nothing hides that this is a box. */
	variable_set(arena, &all, arena_strdup(arena, "CORDON_SANDBOX=1"));
	variable_set(arena, &all, arena_strdup(arena, "SANDBOX=cordon"));
	variable_set(arena, &all, arena_strdup(arena, "container=cordon"));
	*ARENA_PUSH(arena, &all) = NULL;
	plan->environ = all.v;
}
