/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd/import_srt.c - settings of Anthropic's sandbox runtime
 *
 * Runs in:  the caller's process.
 * Trusts:   nothing in the document.
 * Must not: take an empty list for "everything": it means nothing, there as
 *           here.
 */
#include "cmd/import_srt.h"

#include <string.h>

#include "base/yaml.h"

static const char no_macos[] = "it is about macOS";
static const char no_windows[] = "it is about Windows";
static const char no_tool[] = "it is about the other program's own parts";
static const char no_report[] = "it decides what is reported, not what is "
				"allowed";

/* --------------------------------------------------------------- network */

static int take_allowed(struct import *im, const struct yaml_node *node,
			const char *path)
{
	for (node = node->first; node; node = node->next) {
		if (!strcmp(node->text, "*"))
			import_note(im, IMPORT_ALLOWED, path, node, node->text,
				    "every name is not taken over; add \"*\" "
				    "to network.allow if it is meant");
		else
			import_add_host(im, IMPORT_HOSTS_ALLOW, node->text,
					node, path);
	}
	return 0;
}

static int take_denied(struct import *im, const struct yaml_node *node,
		       const char *path)
{
	for (node = node->first; node; node = node->next) {
		import_add_host(im, IMPORT_HOSTS_DENY, node->text, node, path);
		if (!strncmp(node->text, "*:", 2))
			import_note(im, IMPORT_DENIED, path, node, node->text,
				    "it denies names; an address that is "
				    "allowed at this port is reached");
	}
	return 0;
}

static int take_sockets(struct import *im, const struct yaml_node *node,
			const char *path)
{
	for (node = node->first; node; node = node->next) {
		import_add_plain_path(im, "network.unix_sockets", node->text,
				      IMPORT_ALLOWED, node, path);
		import_note(im, IMPORT_TOLD, path, node, node->text,
			    "on Linux it was not held there; here it is a way "
			    "to a program outside the box");
	}
	return 0;
}

/* One proxy for both kinds is what there is here. */
static int take_parent(struct import *im, const struct yaml_node *node,
		       const char *path)
{
	const struct yaml_node *http = import_find(node, "http");
	const struct yaml_node *https = import_find(node, "https");
	const struct yaml_node *proxy = https ? https : http;

	if (http && https && http->kind == YAML_KIND_SCALAR &&
	    https->kind == YAML_KIND_SCALAR && strcmp(http->text, https->text))
		import_note(im, IMPORT_ALLOWED, path, http, http->text,
			    "one proxy is for everything here; that for https "
			    "was taken");
	if (proxy && proxy->kind != YAML_KIND_SCALAR)
		return import_fail(im, proxy, path, "a string is expected");
	if (proxy)
		(void)import_add(im, "network.upstream_proxy", proxy->text,
				 IMPORT_ALLOWED, proxy, path);
	if (import_find(node, "noProxy"))
		import_note(im, IMPORT_ALLOWED, path, node, "noProxy",
			    "there are no exceptions from the upstream proxy");
	return 0;
}

static const struct import_key network_keys[] = {
	IMPORT_TAKE("allowedDomains", IMPORT_TEXTS, take_allowed),
	IMPORT_TAKE("deniedDomains", IMPORT_TEXTS, take_denied),
	IMPORT_TAKE("allowUnixSockets", IMPORT_TEXTS, take_sockets),
	IMPORT_TAKE("parentProxy", IMPORT_MAP, take_parent),
	IMPORT_TELL("allowAllUnixSockets", IMPORT_FLAG, IMPORT_ALLOWED,
		    "sockets of the host are allowed by path, in "
		    "network.unix_sockets; those made in the box always work"),
	IMPORT_TELL(
		"allowLocalBinding", IMPORT_FLAG, IMPORT_TOLD,
		"programs in the box can always listen, on its own network; "
		"network.publish lets the host reach a port"),
	IMPORT_TELL("httpProxyPort", IMPORT_NUMBER, IMPORT_DENIED,
		    "what a proxy of your own decided is not decided here"),
	IMPORT_TELL("socksProxyPort", IMPORT_NUMBER, IMPORT_DENIED,
		    "what a proxy of your own decided is not decided here"),
	IMPORT_TELL("mitmProxy", IMPORT_MAP, IMPORT_DENIED,
		    "there is no proxy for some names only"),
	IMPORT_TELL("tlsTerminate", IMPORT_MAP, IMPORT_DENIED,
		    "TLS is not opened, so nothing inside of it is judged"),
	IMPORT_TELL("deniedDomainReasons", IMPORT_MAP, IMPORT_TOLD,
		    "a denial names its rule, it has no text of its own"),
	IMPORT_PASS("strictAllowlist", IMPORT_FLAG),
	IMPORT_TELL("allowManagedDomainsOnly", IMPORT_FLAG, IMPORT_TOLD,
		    "all names of this file were taken; "
		    "/etc/cordon/ceiling.yaml sets "
		    "bounds for every user"),
	IMPORT_TELL("allowMachLookup", IMPORT_TEXTS, IMPORT_TOLD, no_macos),
	IMPORT_END,
};

int import_take_srt_network(struct import *im, const struct yaml_node *node,
			    const char *path)
{
	return import_take_map(im, node, path, network_keys);
}

/* ------------------------------------------------------------ filesystem */

static const struct import_key filesystem_keys[] = {
	IMPORT_TAKE("denyRead", IMPORT_TEXTS, import_take_deny_read),
	IMPORT_TAKE("allowRead", IMPORT_TEXTS, import_take_allow_read),
	IMPORT_TAKE("allowWrite", IMPORT_TEXTS, import_take_allow_write),
	IMPORT_TAKE("denyWrite", IMPORT_TEXTS, import_take_deny_write),
	IMPORT_TELL("allowGitConfig", IMPORT_FLAG, IMPORT_ALLOWED,
		    "a repository's configuration can make git run programs; "
		    "filesystem.git: open allows it, with hooks and all"),
	IMPORT_TELL("disabled", IMPORT_FLAG, IMPORT_ALLOWED,
		    "files are never unprotected as a whole; the rules beside "
		    "it were "
		    "taken"),
	IMPORT_TELL("allowManagedReadPathsOnly", IMPORT_FLAG, IMPORT_TOLD,
		    "all paths of this file were taken"),
	IMPORT_END,
};

int import_take_srt_filesystem(struct import *im, const struct yaml_node *node,
			       const char *path)
{
	return import_take_map(im, node, path, filesystem_keys);
}

/* ----------------------------------------------------------- credentials */

/* Hidden here; where it was to be replaced by a stand-in, that is stricter. */
static int take_secret(struct import *im, const struct yaml_node *entry,
		       const char *path, const char *member, const char *key)
{
	const struct yaml_node *name = import_find(entry, member);
	const struct yaml_node *mode = import_find(entry, "mode");

	if (!name || name->kind != YAML_KIND_SCALAR || name->plain)
		return import_fail(im, name ? name : entry, path,
				   "a string is expected");
	if (mode && mode->kind == YAML_KIND_SCALAR &&
	    strcmp(mode->text, "deny"))
		import_note(im, IMPORT_ALLOWED, path, name, name->text,
			    "there is no stand-in for a secret: it is hidden");
	if (!strcmp(member, "path"))
		import_add_plain_path(im, key, name->text, IMPORT_DENIED, name,
				      path);
	else
		(void)import_add(im, key, name->text, IMPORT_DENIED, name,
				 path);
	return 0;
}

static int take_files(struct import *im, const struct yaml_node *node,
		      const char *path)
{
	for (node = node->first; node; node = node->next) {
		if (take_secret(im, node, path, "path",
				"filesystem.deny_read") < 0)
			return -1;
	}
	return 0;
}

static int take_variables(struct import *im, const struct yaml_node *node,
			  const char *path)
{
	for (node = node->first; node; node = node->next) {
		if (take_secret(im, node, path, "name", "environment.deny") < 0)
			return -1;
	}
	return 0;
}

static const struct import_key credentials_keys[] = {
	IMPORT_TAKE("files", IMPORT_MAPS, take_files),
	IMPORT_TAKE("envVars", IMPORT_MAPS, take_variables),
	IMPORT_TELL("allowPlaintextInject", IMPORT_FLAG, IMPORT_ALLOWED,
		    "secrets are not put into requests"),
	IMPORT_TELL("awsPairs", IMPORT_MAPS, IMPORT_ALLOWED,
		    "secrets are not put into requests"),
	IMPORT_TELL("sigv4", IMPORT_MAP, IMPORT_TOLD,
		    "secrets are not put into requests"),
	IMPORT_END,
};

int import_take_srt_credentials(struct import *im, const struct yaml_node *node,
				const char *path)
{
	return import_take_map(im, node, path, credentials_keys);
}

/* -------------------------------------------------------------- document */

static const struct import_key root_keys[] = {
	IMPORT_TAKE("network", IMPORT_MAP, import_take_srt_network),
	IMPORT_TAKE("filesystem", IMPORT_MAP, import_take_srt_filesystem),
	IMPORT_TAKE("credentials", IMPORT_MAP, import_take_srt_credentials),
	IMPORT_PASS("$schema", IMPORT_TEXT),
	IMPORT_PASS("enabled", IMPORT_FLAG),
	IMPORT_TELL("ignoreViolations", IMPORT_MAP, IMPORT_TOLD, no_report),
	IMPORT_TELL("enableWeakerNestedSandbox", IMPORT_FLAG, IMPORT_TOLD,
		    "nothing is weakened to run inside a container"),
	IMPORT_TELL("enableWeakerNetworkIsolation", IMPORT_FLAG, IMPORT_TOLD,
		    no_macos),
	IMPORT_TELL("allowAppleEvents", IMPORT_FLAG, IMPORT_TOLD, no_macos),
	IMPORT_TELL("allowPty", IMPORT_FLAG, IMPORT_TOLD,
		    "a box that is started on a terminal always has one"),
	IMPORT_TELL("mandatoryDenySearchDepth", IMPORT_NUMBER, IMPORT_TOLD,
		    "protected names are protected in the working directory "
		    "and the "
		    "home directory; add a pattern to deny_write for others"),
	IMPORT_TELL("ripgrep", IMPORT_MAP, IMPORT_TOLD, no_tool),
	IMPORT_TELL("seccomp", IMPORT_MAP, IMPORT_TOLD, no_tool),
	IMPORT_TELL("bwrapPath", IMPORT_TEXT, IMPORT_TOLD, no_tool),
	IMPORT_TELL("socatPath", IMPORT_TEXT, IMPORT_TOLD, no_tool),
	IMPORT_TELL("javaAgentJarPath", IMPORT_TEXT, IMPORT_TOLD, no_tool),
	IMPORT_TELL("windows", IMPORT_MAP, IMPORT_TOLD, no_windows),
	IMPORT_TELL("git", IMPORT_MAP, IMPORT_ALLOWED,
		    "git's own list of safe directories is not changed"),
	IMPORT_END,
};

int import_read_srt(struct import *im, const struct yaml_node *root)
{
	im->allow_read_wins = true;
	im->network_said = true;
	/* Nothing is writable but what is said. */
	import_extend(im, "base");
	return root ? import_take_map(im, root, "", root_keys) : 0;
}
