/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan/claims.c - what is said about paths, by the policy and by cordon itself
 *
 * Runs in:  the process that reads the policy, before any privilege is taken.
 * Trusts:   nothing in the policy; every path is expanded here, once.
 * Must not: look at the file system.
 */
#include "plan/claims.h"

#include <string.h>

#include "base/arena.h"
#include "base/path.h"
#include "plan/facts.h"
#include "plan/plan.h"
#include "policy/match.h"

/*
 * Files that are code to somebody later: what a shell, git, an editor or an
 * agent runs or obeys when the user next works here. They cannot be written in
 * any profile, also where they do not exist yet.
 */
static const char *const protected_everywhere[] = {
	".bashrc",
	".bash_profile",
	".bash_login",
	".bash_logout",
	".bash_aliases",
	".profile",
	".zshrc",
	".zshenv",
	".zprofile",
	".zlogin",
	".zlogout",
	".kshrc",
	".cshrc",
	".tcshrc",
	".login",
	".envrc",
	".gitconfig",
	".gitmodules",
	".ripgreprc",
	".vscode",
	".idea",
	".mcp.json",
	".cordon",
	".cordon.yaml",
	"cordon.yaml",
	".claude/settings.json",
	".claude/hooks",
	".claude/settings.local.json",
	".codex/hooks.json",
	".codex/config.toml",
	".cursor/mcp.json",
	".cursor/hooks.json",
	".gemini/settings.json",
	NULL,
};

static const char *const protected_in_home[] = {
	".ssh", /* authorized_keys lets others in, config runs commands */
	".gnupg",
	".aws",
	".kube",
	".docker", /* name programs to run */
	".npmrc",
	".cargo/config",
	".cargo/config.toml",
	".gdbinit",
	".tmux.conf",
	".screenrc",
	".psqlrc",
	".lesskey",
	".xprofile",
	".xinitrc",
	".xsession",
	".pam_environment",
	".inputrc",
	".vimrc",
	".emacs",
	".config/fish",
	".config/git",
	".config/systemd",
	".config/autostart",
	".config/environment.d",
	".config/nvim",
	".config/opencode",
	".local/bin",
	".local/share/systemd",
	".codeium/windsurf/hooks.json",
	".hermes/config.yaml",
	".claude.json",
	NULL,
};

/* Of the host, nothing shows here: sockets of services lie in /run and /tmp,
 * devices in /dev, processes in /proc. */
const char *const claims_private[] = { "/dev",	   "/proc",    "/run", "/tmp",
				       "/var/tmp", "/var/run", NULL };

/* What programs need of the system when nothing else is visible. */
static const char *const minimal_view[] = {
	"/usr",	   "/bin", "/sbin", "/lib", "/lib32", "/lib64",
	"/libx32", "/etc", "/opt",  "/nix", "/sys",   "/run/current-system",
	NULL,
};

/* Visible although they lie in a private directory. */
static const char *const always_visible[] = {
	"/run/current-system", /* NixOS: the system's programs */
	NULL,
};

/*
 * What only root can read or use: without capabilities its uid alone still
 * owns these files. To others they are closed by their modes, and hiding them
 * would cost every start a mount each.
 */
static const char *const hidden_from_root[] = {
	"/etc/shadow",
	"/etc/shadow-",
	"/etc/gshadow",
	"/etc/gshadow-",
	"/etc/security/opasswd",
	"/etc/krb5.keytab",
	"/etc/ssl/private",
	"/etc/ssh/ssh_host_rsa_key",
	"/etc/ssh/ssh_host_dsa_key",
	"/etc/ssh/ssh_host_ecdsa_key",
	"/etc/ssh/ssh_host_ed25519_key",
	"/sys/firmware",
	"/sys/kernel/debug",
	"/sys/kernel/tracing",
	"/sys/kernel/security",
	"/sys/fs/bpf",
	NULL,
};

/* Sockets of services that hand out the host, wherever they lie. */
static const char *const always_hidden[] = {
	"/var/lib/lxd/unix.socket",
	"/var/snap/lxd/common/lxd/unix.socket",
	"/nix/var/nix/daemon-socket",
	NULL,
};

/*
 * In a git directory ordinary work writes objects, refs, logs, the index and
 * files beside it. These are the rest: what git runs or obeys.
 */
const char *const claims_git_names[] = {
	"hooks",
	"config",
	"config.worktree",
	"commondir",
	"gitdir",
	"modules",
	"worktrees",
	"branches",
	"remotes",
	"info/attributes",
	"info/grafts",
	"objects/info/alternates",
	"objects/info/http-alternates",
	NULL,
};

static const struct policy_origin built_in = { .source = "built-in" };

static void claim_add(struct arena *arena, struct claims *out,
		      enum claim_kind kind, const char *path, const char *key)
{
	*ARENA_PUSH(arena, out) = (struct claim){
		.kind = kind,
		.path = path,
		.shipped = true,
		.key = key,
		.origin = built_in,
	};
}

static void claims_add_names(struct arena *arena, struct claims *out,
			     enum claim_kind kind, const char *dir,
			     const char *const *names, const char *key)
{
	for (; *names; names++)
		claim_add(arena, out, kind,
			  dir ? path_join(arena, dir, *names) : *names, key);
}

static int claims_add_list(struct arena *arena, struct claims *out,
			   enum claim_kind kind, const struct policy_list *list,
			   const struct policy_context *context,
			   const char *key, struct err *err)
{
	for (size_t i = 0; i < list->n; i++) {
		struct claim claim = {
			.kind = kind,
			.key = key,
			.text = list->v[i].text,
			.narrow = list->v[i].narrow,
			.origin = list->v[i].origin,
		};
		struct policy_path path;

		if (policy_path_expand(arena, &list->v[i], context, &path,
				       err) < 0)
			return -1;
		claim.path = path.path;
		claim.literal = path.literal;
		claim.glob = path.glob;
		claim.shipped = !strncmp(claim.origin.source, "profile ", 8) ||
				!strcmp(claim.origin.source, built_in.source);
		*ARENA_PUSH(arena, out) = claim;
	}
	return 0;
}

/* cordon's own files are invisible: a box must not learn or change them. */
static void claims_add_own(struct arena *arena, struct claims *out,
			   const struct policy_context *context)
{
	const char *const own[] = {
		context->config_dir,  context->state_dir, context->cache_dir,
		context->runtime_dir, "/etc/cordon",	  "/var/lib/cordon",
		"/var/cache/cordon",  "/run/cordon",
	};

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		if (!own[i])
			continue;
		claim_add(arena, out, CLAIM_DENY_READ, own[i], "own files");
		claim_add(arena, out, CLAIM_DENY_WRITE, own[i], "own files");
	}
}

static void claims_add_layers(struct arena *arena, struct claims *out,
			      const struct plan_layers *layers)
{
	for (size_t i = 0; i < layers->n; i++) {
		claim_add(arena, out, CLAIM_LAYER, layers->v[i].path, "layer");
		out->v[out->n - 1].layer = &layers->v[i];
		out->v[out->n - 1].shipped = false;
	}
}

static bool claim_writes(const struct claim *claim)
{
	return claim->kind == CLAIM_ALLOW_WRITE || claim->kind == CLAIM_LAYER;
}

/*
 * Could anything in the home directory be writable? The working directory and
 * the home directory are real paths; other paths may lead anywhere.
 */
static bool home_may_be_writable(const struct claims *claims,
				 const struct policy_context *context)
{
	if (path_within(context->workdir, context->home))
		return true;
	for (size_t i = 0; i < claims->n; i++) {
		if (claim_writes(&claims->v[i]) &&
		    !path_within(context->workdir, claims->v[i].path))
			return true;
	}
	return false;
}

/* In every directory that may be written, and in the home directory. */
static void claims_add_protected(struct arena *arena, struct claims *out,
				 const struct policy_context *context)
{
	size_t n = out->n;

	claims_add_names(arena, out, CLAIM_DENY_WRITE, context->workdir,
			 protected_everywhere, "protected");
	for (size_t i = 0; i < n; i++) {
		/* The array moves while it grows. */
		struct claim claim = out->v[i];

		size_t first = out->n;

		if (!claim_writes(&claim) || claim.glob ||
		    !strcmp(claim.path, context->workdir))
			continue;
		claims_add_names(arena, out, CLAIM_DENY_WRITE, claim.path,
				 protected_everywhere, "protected");
		while (first < out->n)
			out->v[first++].root = claim.path;
	}
	if (!home_may_be_writable(out, context))
		return;
	claims_add_names(arena, out, CLAIM_DENY_WRITE, context->home,
			 protected_everywhere, "protected");
	claims_add_names(arena, out, CLAIM_DENY_WRITE, context->home,
			 protected_in_home, "protected");
}

int claims_build(struct arena *arena, const struct policy *policy,
		 const struct policy_context *context,
		 const struct plan_layers *layers, struct claims *out,
		 struct err *err)
{
	const struct policy_filesystem *fs = &policy->filesystem;

	*out = (struct claims){ 0 };
	if (claims_add_list(arena, out, CLAIM_ALLOW_READ, &fs->allow_read,
			    context, "allow_read", err) < 0 ||
	    claims_add_list(arena, out, CLAIM_DENY_READ, &fs->deny_read,
			    context, "deny_read", err) < 0 ||
	    claims_add_list(arena, out, CLAIM_ALLOW_WRITE, &fs->allow_write,
			    context, "allow_write", err) < 0 ||
	    claims_add_list(arena, out, CLAIM_DENY_WRITE, &fs->deny_write,
			    context, "deny_write", err) < 0 ||
	    claims_add_list(arena, out, CLAIM_ALLOW_READ,
			    &policy->network.unix_sockets, context,
			    "unix_sockets", err) < 0)
		return -1;
	claims_add_layers(arena, out, layers);

	claims_add_names(arena, out, CLAIM_PRIVATE, NULL, claims_private,
			 "private");
	claims_add_names(arena, out, CLAIM_DENY_READ, NULL, always_hidden,
			 "hidden");
	if (context->uid == 0)
		claims_add_names(arena, out, CLAIM_DENY_READ, NULL,
				 hidden_from_root, "hidden");
	claims_add_names(arena, out, CLAIM_SYSTEM, NULL,
			 fs->view.number == POLICY_VIEW_MINIMAL
				 ? minimal_view
				 : always_visible,
			 "system");
	/* The name server's address lies in /run with systemd-resolved. */
	if (policy->network.mode.number == POLICY_MODE_HOST)
		claim_add(arena, out, CLAIM_SYSTEM, "/etc/resolv.conf",
			  "system");
	claims_add_protected(arena, out, context);
	claims_add_own(arena, out, context);
	return 0;
}

void claims_add_git(struct arena *arena, enum policy_git mode,
		    const struct facts_git *git, struct claims *out)
{
	const char *dirs[] = { git->common, git->dir };

	if (mode == POLICY_GIT_OPEN || !git->dot_git)
		return;
	if (git->dot_git_is_file)
		claim_add(arena, out, CLAIM_DENY_WRITE, git->dot_git, "git");
	if (git->unproven)
		claims_add_names(arena, out, CLAIM_DENY_WRITE, git->unproven,
				 claims_git_names, "git");
	for (size_t i = 0; i < 2; i++) {
		if (!dirs[i] || (i == 1 && !strcmp(dirs[0], dirs[1])))
			continue;
		if (mode == POLICY_GIT_READONLY) {
			claim_add(arena, out, CLAIM_DENY_WRITE, dirs[i], "git");
			continue;
		}
		claim_add(arena, out, CLAIM_ALLOW_WRITE, dirs[i], "git");
		claims_add_names(arena, out, CLAIM_DENY_WRITE, dirs[i],
				 claims_git_names, "git");
	}
}
