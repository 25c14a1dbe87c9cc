/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd/prepare_options.c - the options that every verb with a policy has
 *
 * Runs in:  the caller's process.
 * Trusts:   nothing; this is data.
 * Must not: repeat what policy/fields.c says of a key: values are checked
 *           there.
 */
#include "cmd/prepare.h"

#define AT(member) offsetof(struct policy_args, member)

/* An option that sets a key; another spelling of the one before; a word for
 * one of its values; an option for one value. */
#define KEY(option, short_form, what, to, offer, says)                         \
	{                                                                      \
		.name = (option), .letter = (short_form), .kind = OPT_LIST,    \
		.offset = AT(keys), .arg = (what), .key = (to),                \
		.words = (offer), .help = (says)                               \
	}
#define ALSO(option, short_form, what, offer)                                  \
	{                                                                      \
		.name = (option), .letter = (short_form), .kind = OPT_LIST,    \
		.offset = AT(keys), .arg = (what), .words = (offer)            \
	}
#define SAME(option, stands_for)                                               \
	{                                                                      \
		.name = (option), .kind = OPT_LIST, .offset = AT(keys),        \
		.value = (stands_for)                                          \
	}
#define FIXED(option, to, stands_for, says)                                    \
	{                                                                      \
		.name = (option), .kind = OPT_LIST, .offset = AT(keys),        \
		.key = (to), .value = (stands_for), .help = (says)             \
	}

const struct opt policy_options[POLICY_OPTIONS_N] = {
	{ .name = "profile",
	  .letter = 'P',
	  .kind = OPT_LIST,
	  .offset = AT(profiles),
	  .arg = "NAME|FILE",
	  .words = OPT_WORDS_PROFILE,
	  .help = "start from this profile instead of 'default' (see 'cordon "
		  "profiles'); given again, the later one is laid over the "
		  "earlier" },
	{ .name = "settings",
	  .letter = 's',
	  .kind = OPT_TEXT,
	  .offset = AT(settings),
	  .arg = "FILE",
	  .words = OPT_WORDS_FILE,
	  .help = "use this policy file in place of the user's and the "
		  "project's" },
	{ .name = "no-project",
	  .kind = OPT_FLAG,
	  .offset = AT(no_project),
	  .help = "do not look for a .cordon.yaml in this directory and "
		  "above" },
	{ .name = "workdir",
	  .letter = 'C',
	  .kind = OPT_TEXT,
	  .offset = AT(workdir),
	  .arg = "DIR",
	  .words = OPT_WORDS_DIRECTORY,
	  .help = "start in this directory instead of the current one" },
	KEY("require", 0, "NAME", "require", OPT_WORDS_NONE,
	    "refuse to run where this layer is missing, e.g. landlock"),
};

const struct opt file_options[FILE_OPTIONS_N] = {
	KEY("allow-read", 0, "PATH", "filesystem.allow_read", OPT_WORDS_FILE,
	    "let it read this file or directory"),
	ALSO("read", 'r', "PATH", OPT_WORDS_FILE),
	ALSO("ro", 0, "PATH", OPT_WORDS_FILE),
	KEY("deny-read", 0, "PATH", "filesystem.deny_read", OPT_WORDS_FILE,
	    "hide this from it; may be a pattern: '**/.env'"),
	KEY("allow-write", 0, "PATH", "filesystem.allow_write", OPT_WORDS_FILE,
	    "let it change this file or directory"),
	ALSO("write", 'w', "PATH", OPT_WORDS_FILE),
	ALSO("rw", 0, "PATH", OPT_WORDS_FILE),
	KEY("deny-write", 0, "PATH", "filesystem.deny_write", OPT_WORDS_FILE,
	    "keep this as it is, also if it does not exist yet"),
	KEY("git", 0, "work|readonly|open", "filesystem.git", OPT_WORDS_CHOICE,
	    "what it may do to .git: 'work' (default) can commit but cannot "
	    "touch hooks and configuration"),
	KEY("view", 0, "host|minimal", "filesystem.view", OPT_WORDS_CHOICE,
	    "'host': all but the hidden is readable; 'minimal': only the "
	    "system's directories and what is allowed"),
};

const struct opt network_options[NETWORK_OPTIONS_N] = {
	KEY("network", 0, "none|filtered|host", "network.mode",
	    OPT_WORDS_CHOICE,
	    "'none': no network at all; 'filtered': only what is allowed; "
	    "'host': the host's, unfiltered"),
	SAME("no-net", "none"),
	SAME("block-net", "none"),
	KEY("allow-domain", 0, "HOST[:PORT]", "network.allow", OPT_WORDS_NONE,
	    "let it reach this name, '*.NAME' or address at ports 80 and 443, "
	    "or at PORT; without --network the network is filtered then"),
	ALSO("net-allow", 0, "HOST[:PORT]", OPT_WORDS_NONE),
	ALSO("allow-net", 0, "HOST[:PORT]", OPT_WORDS_NONE),
	KEY("deny-domain", 0, "HOST[:PORT]", "network.deny", OPT_WORDS_NONE,
	    "keep it from this name or address, whatever is allowed"),
	ALSO("net-deny", 0, "HOST[:PORT]", OPT_WORDS_NONE),
	KEY("publish", 'p', "[[ADDRESS:]HOSTPORT:]PORT", "network.publish",
	    OPT_WORDS_NONE,
	    "let the host reach this port of it, on the host's loopback "
	    "unless ADDRESS is given; filters the network as above"),
	KEY("host-port", 0, "PORT", "network.host_ports", OPT_WORDS_NONE,
	    "let it reach this port of the host's loopback, as localhost and "
	    "as host.cordon.internal; filters the network as above"),
	KEY("upstream-proxy", 0, "URL", "network.upstream_proxy",
	    OPT_WORDS_NONE,
	    "connect through this HTTP proxy: http://HOST:PORT"),
	KEY("resolver", 0, "ADDRESS:PORT", "network.resolver", OPT_WORDS_NONE,
	    "ask this name server instead of the system's"),
	KEY("unix-socket", 0, "PATH", "network.unix_sockets", OPT_WORDS_FILE,
	    "let it connect to this socket of the host"),
	ALSO("allow-unix-socket", 0, "PATH", OPT_WORDS_FILE),
};

const struct opt exec_options[EXEC_OPTIONS_N] = {
	KEY("deny-exec", 0, "COMMAND", "exec.deny", OPT_WORDS_COMMAND,
	    "keep it from executing this program ('sudo'), or this with "
	    "arguments ('git push')"),
	KEY("allow-exec", 0, "COMMAND", "exec.allow", OPT_WORDS_COMMAND,
	    "let it execute this all the same, where it is longer than what "
	    "denies it: 'git push origin docs'"),
	FIXED("only-system", "exec.only_system", "true",
	      "let it execute nothing that it can write"),
};

const struct opt process_options[PROCESS_OPTIONS_N] = {
	KEY("env", 'e', "NAME[=VALUE]", PREPARE_VARIABLE, OPT_WORDS_VARIABLE,
	    "pass this variable although it looks like a secret, or set it"),
	FIXED("clean-env", "environment.inherit", "false",
	      "start with an empty environment but for what -e names"),
	KEY("timeout", 't', "DURATION", "limits.wall_time", OPT_WORDS_NONE,
	    "end it after this time: 500ms, 30s, 5m, 1h; exit code 124"),
	KEY("ulimit", 0, "NAME=N[,NAME=N]", PREPARE_ULIMIT, OPT_WORDS_NONE,
	    "limit open files (nofile) and the size of files it writes "
	    "(fsize)"),
	KEY("seccomp", 0, "default|strict|FILE", "syscalls.profile",
	    OPT_WORDS_FILE,
	    "which system calls it has; FILE is in the OCI (Docker) format"),
	KEY("mask", 0, "openai|anthropic|aws_key|aws_secret|github|bearer",
	    "output.mask.presets", OPT_WORDS_CHOICE,
	    "show secrets of this kind in its output as ***"),
	KEY("mask-pattern", 0, "REGEX", "output.mask.patterns", OPT_WORDS_NONE,
	    "show what matches in its output as ***; see cordon.inside(7)"),
};

const struct opt host_options[HOST_OPTIONS_N] = {
	{ .name = "allow-degraded",
	  .kind = OPT_LIST,
	  .offset = offsetof(struct host_args, allow_degraded),
	  .arg = "NAME",
	  .help = "run although this layer (landlock, landlock_scopes, "
		  "network_namespaces) is "
		  "missing here; 'cordon plan' shows what is weaker then" },
};
