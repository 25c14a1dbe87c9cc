/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd/import_fence.c - settings of fence
 *
 * Runs in:  the caller's process.
 * Trusts:   nothing in the document.
 * Must not: read another file: what the settings extend is named, not
 *           followed.
 */
#include <string.h>

#include "base/arena.h"
#include "base/yaml.h"
#include "cmd/import.h"

/* What one key has to know of others. */
struct fence {
	const struct yaml_node *network;
	bool local; /* the template has a way to the host's loopback */
	bool template; /* one that is known */
};

/* --------------------------------------------------------------- extends */

struct template
{
	const char *name;
	const char *profile;
	bool local;
	bool every_name;
	enum import_loss loss;
	const char *why; /* what is not the same; NULL: nothing */
};

static const struct template templates[] = {
	{ "code", "code", true, false, IMPORT_TOLD, NULL },
	{ "code-strict", "code-strict", true, false, IMPORT_TOLD, NULL },
	{ "git-readonly", "git-readonly", false, false, IMPORT_TOLD, NULL },
	{ "code-relaxed", "code", true, true, IMPORT_TOLD, NULL },
	{ "hermes", "code", true, false, IMPORT_ALLOWED,
	  "there is no such profile: what it allows besides 'code' has to be "
	  "added" },
	{ "local-dev-server", "default", true, false, IMPORT_ALLOWED,
	  "there is no such profile: 'default' lets the current directory be "
	  "written, /tmp is the box's own" },
};

static const struct template *find_template(const char *name)
{
	for (size_t i = 0; i < sizeof(templates) / sizeof(*templates); i++) {
		if (!strcmp(templates[i].name, name))
			return &templates[i];
	}
	return NULL;
}

static void allow_every_name(struct import *im, const struct yaml_node *node,
			     const char *path)
{
	(void)import_add(im, "network.allow", "*", IMPORT_ALLOWED, node, path);
	import_note(im, IMPORT_ALLOWED, path, node, "*",
		    "every name at ports 80 and 443; no address and nothing "
		    "of the local network: the box keeps a network of its own");
}

static void take_extends(struct import *im, const struct yaml_node *node)
{
	const struct template *found = find_template(node->text);
	struct fence *fence = im->state;

	if (!found) {
		import_note(im, IMPORT_DENIED, "extends", node, node->text,
			    "it was not read: what it denies is not denied by "
			    "this policy, unless profile 'base' does");
		return;
	}
	fence->template = true;
	fence->local = found->local;
	import_extend(im, found->profile);
	if (found->why)
		import_note(im, found->loss, "extends", node, node->text,
			    found->why);
	if (found->every_name)
		allow_every_name(im, node, "extends");
}

/* --------------------------------------------------------------- network */

static int take_allowed(struct import *im, const struct yaml_node *node,
			const char *path)
{
	for (node = node->first; node; node = node->next) {
		if (!strcmp(node->text, "*"))
			allow_every_name(im, node, path);
		else
			import_add_host(im, IMPORT_HOSTS_ALLOW, node->text,
					node, path);
	}
	return 0;
}

static int take_denied(struct import *im, const struct yaml_node *node,
		       const char *path)
{
	for (node = node->first; node; node = node->next)
		import_add_host(im, IMPORT_HOSTS_DENY, node->text, node, path);
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

/* Is the host's loopback reached at all? */
static bool local_outbound(const struct import *im)
{
	const struct fence *fence = im->state;
	const struct yaml_node *outbound =
		import_find(fence->network, "allowLocalOutbound");
	const struct yaml_node *binding =
		import_find(fence->network, "allowLocalBinding");

	if (outbound)
		return import_is_true(outbound);
	return binding ? import_is_true(binding) : fence->local;
}

static int take_ports(struct import *im, const struct yaml_node *node,
		      const char *path)
{
	bool open = local_outbound(im);

	for (node = node->first; node; node = node->next) {
		if (open)
			(void)import_add(im, "network.host_ports", node->text,
					 IMPORT_ALLOWED, node, path);
		else
			import_note(im, IMPORT_TOLD, path, node, node->text,
				    "allowLocalOutbound is off, so it was not "
				    "reached there");
	}
	return 0;
}

static int take_outbound(struct import *im, const struct yaml_node *node,
			 const char *path)
{
	const struct fence *fence = im->state;

	if (import_is_true(node) &&
	    !import_find(fence->network, "allowLocalOutboundPorts"))
		import_note(im, IMPORT_ALLOWED, path, node, NULL,
			    "the host's loopback is reached by port: list them "
			    "in network.host_ports");
	return 0;
}

static int take_upstream(struct import *im, const struct yaml_node *node,
			 const char *path)
{
	if (import_add(im, "network.upstream_proxy", node->text, IMPORT_ALLOWED,
		       node, path))
		import_note(im, IMPORT_TOLD, path, node, NULL,
			    "all that is allowed goes through it, not only "
			    "what no rule names");
	return 0;
}

static int take_action(struct import *im, const struct yaml_node *node,
		       const char *path)
{
	if (strcmp(node->text, "deny"))
		import_note(im, IMPORT_ALLOWED, path, node, node->text,
			    "what no rule names is denied, not left to a "
			    "proxy");
	return 0;
}

static const struct import_key network_keys[] = {
	IMPORT_TAKE("allowedDomains", IMPORT_TEXTS, take_allowed),
	IMPORT_TAKE("deniedDomains", IMPORT_TEXTS, take_denied),
	IMPORT_TAKE("allowUnixSockets", IMPORT_TEXTS, take_sockets),
	IMPORT_TELL("allowAllUnixSockets", IMPORT_FLAG, IMPORT_ALLOWED,
		    "sockets of the host are allowed by path, in "
		    "network.unix_sockets"),
	IMPORT_TELL("allowLocalBinding", IMPORT_FLAG, IMPORT_TOLD,
		    "programs in the box can always listen, on its own "
		    "network; network.publish lets the host reach a port"),
	IMPORT_TAKE("allowLocalOutbound", IMPORT_FLAG, take_outbound),
	IMPORT_TAKE("allowLocalOutboundPorts", IMPORT_NUMBERS, take_ports),
	IMPORT_TELL("httpProxyPort", IMPORT_NUMBER, IMPORT_TOLD,
		    "the ports inside are fixed: 3128 and 1080"),
	IMPORT_TELL("socksProxyPort", IMPORT_NUMBER, IMPORT_TOLD,
		    "the ports inside are fixed: 3128 and 1080"),
	IMPORT_TAKE("upstreamProxy", IMPORT_TEXT, take_upstream),
	IMPORT_TAKE("defaultAction", IMPORT_TEXT, take_action),
	IMPORT_END,
};

static int take_network(struct import *im, const struct yaml_node *node,
			const char *path)
{
	return import_take_map(im, node, path, network_keys);
}

/* ------------------------------------------------------------ filesystem */

static int take_allow_execute(struct import *im, const struct yaml_node *node,
			      const char *path)
{
	for (const struct yaml_node *item = node->first; item;
	     item = item->next)
		import_note(im, IMPORT_DENIED, path, item, item->text,
			    "it can be read and, if a directory, listed as "
			    "well");
	return import_take_allow_read(im, node, path);
}

static int take_deny_default(struct import *im, const struct yaml_node *node,
			     const char *path)
{
	if (import_is_true(node))
		(void)import_add(im, "filesystem.view", "minimal",
				 IMPORT_DENIED, node, path);
	return 0;
}

static int take_strict(struct import *im, const struct yaml_node *node,
		       const char *path)
{
	if (import_is_true(node))
		import_note(im, IMPORT_DENIED, path, node, NULL,
			    "the system's directories can be read in every "
			    "view; deny them in filesystem.deny_read");
	return take_deny_default(im, node, path);
}

static const struct import_key filesystem_keys[] = {
	IMPORT_TAKE("defaultDenyRead", IMPORT_FLAG, take_deny_default),
	IMPORT_TAKE("strictDenyRead", IMPORT_FLAG, take_strict),
	IMPORT_TAKE("allowRead", IMPORT_TEXTS, import_take_allow_read),
	IMPORT_TAKE("allowExecute", IMPORT_TEXTS, take_allow_execute),
	IMPORT_TAKE("denyRead", IMPORT_TEXTS, import_take_deny_read),
	IMPORT_TAKE("allowWrite", IMPORT_TEXTS, import_take_allow_write),
	IMPORT_TAKE("denyWrite", IMPORT_TEXTS, import_take_deny_write),
	IMPORT_TELL("allowGitConfig", IMPORT_FLAG, IMPORT_ALLOWED,
		    "a repository's configuration can make git run programs; "
		    "filesystem.git: open allows it, with hooks and all"),
	IMPORT_TELL("wslInterop", IMPORT_FLAG, IMPORT_ALLOWED,
		    "programs of Windows are not started from a box"),
	IMPORT_END,
};

static int take_filesystem(struct import *im, const struct yaml_node *node,
			   const char *path)
{
	return import_take_map(im, node, path, filesystem_keys);
}

/* --------------------------------------------------------------- command */

static int take_deny(struct import *im, const struct yaml_node *node,
		     const char *path)
{
	for (node = node->first; node; node = node->next)
		import_add_command(im, false, node->text, IMPORT_DENIED, node,
				   path);
	return 0;
}

static int take_allow(struct import *im, const struct yaml_node *node,
		      const char *path)
{
	for (node = node->first; node; node = node->next)
		import_add_command(im, true, node->text, IMPORT_ALLOWED, node,
				   path);
	return 0;
}

static int take_defaults(struct import *im, const struct yaml_node *node,
			 const char *path)
{
	const struct fence *fence = im->state;

	if (!import_is_true(node) && fence->template)
		import_note(im, IMPORT_ALLOWED, path, node, NULL,
			    "commands that the profile denies stay denied");
	return 0;
}

static const struct import_key command_keys[] = {
	IMPORT_TAKE("deny", IMPORT_TEXTS, take_deny),
	IMPORT_TAKE("allow", IMPORT_TEXTS, take_allow),
	IMPORT_TAKE("useDefaults", IMPORT_FLAG, take_defaults),
	IMPORT_TELL("runtimeExecPolicy", IMPORT_TEXT, IMPORT_TOLD,
		    "whole programs are always denied by their file, others "
		    "by their arguments"),
	IMPORT_TELL("acceptSharedBinaryCannotRuntimeDeny", IMPORT_TEXTS,
		    IMPORT_ALLOWED,
		    "one name of a program with many is denied without the "
		    "others, so there is no exception"),
	IMPORT_END,
};

static int take_command(struct import *im, const struct yaml_node *node,
			const char *path)
{
	return import_take_map(im, node, path, command_keys);
}

/* -------------------------------------------------------------- document */

static const char no_ssh[] = "there are no rules for what ssh does on other "
			     "hosts; allow or deny hosts in network.*, ssh in "
			     "exec.deny";

static const struct import_key ssh_keys[] = {
	IMPORT_TELL("allowedHosts", IMPORT_TEXTS, IMPORT_ALLOWED, no_ssh),
	IMPORT_TELL("deniedHosts", IMPORT_TEXTS, IMPORT_DENIED, no_ssh),
	IMPORT_TELL("allowedCommands", IMPORT_TEXTS, IMPORT_DENIED, no_ssh),
	IMPORT_TELL("deniedCommands", IMPORT_TEXTS, IMPORT_DENIED, no_ssh),
	IMPORT_TELL("allowAllCommands", IMPORT_FLAG, IMPORT_TOLD, no_ssh),
	IMPORT_TELL("inheritDeny", IMPORT_FLAG, IMPORT_DENIED, no_ssh),
	IMPORT_END,
};

static int take_ssh(struct import *im, const struct yaml_node *node,
		    const char *path)
{
	return import_take_map(im, node, path, ssh_keys);
}

static const struct import_key devices_keys[] = {
	IMPORT_TELL("mode", IMPORT_TEXT, IMPORT_TOLD,
		    "a box always has a small /dev of its own"),
	IMPORT_TELL("allow", IMPORT_TEXTS, IMPORT_ALLOWED,
		    "devices are not passed into a box"),
	IMPORT_END,
};

static int take_devices(struct import *im, const struct yaml_node *node,
			const char *path)
{
	return import_take_map(im, node, path, devices_keys);
}

static const struct import_key root_keys[] = {
	IMPORT_PASS("extends", IMPORT_TEXT), /* taken before the others */
	IMPORT_PASS("$schema", IMPORT_TEXT),
	IMPORT_TELL("allowPty", IMPORT_FLAG, IMPORT_TOLD,
		    "a box that is started on a terminal always has one"),
	IMPORT_PASS("forceNewSession", IMPORT_FLAG),
	IMPORT_TAKE("network", IMPORT_MAP, take_network),
	IMPORT_TAKE("filesystem", IMPORT_MAP, take_filesystem),
	IMPORT_TAKE("devices", IMPORT_MAP, take_devices),
	IMPORT_TAKE("command", IMPORT_MAP, take_command),
	IMPORT_TAKE("ssh", IMPORT_MAP, take_ssh),
	IMPORT_TELL("macos", IMPORT_MAP, IMPORT_TOLD, "it is about macOS"),
	IMPORT_END,
};

int import_read_fence(struct import *im, const struct yaml_node *root)
{
	const struct yaml_node *extends = import_find(root, "extends");
	const struct yaml_node *defaults =
		import_find(import_find(root, "command"), "useDefaults");
	struct fence *fence = arena_array(im->arena, struct fence, 1);

	fence->network = import_find(root, "network");
	im->state = fence;
	if (extends && extends->kind == YAML_KIND_SCALAR && !extends->plain)
		take_extends(im, extends);
	if (!fence->template) {
		import_extend(im, "base");
		if (!defaults || import_is_true(defaults))
			import_extend(im, "commands");
	}
	im->network_said = !fence->template;
	return root ? import_take_map(im, root, "", root_keys) : 0;
}
