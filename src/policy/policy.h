/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_POLICY_POLICY_H
#define CORDON_POLICY_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What the user wants: the decoded form of policy documents. A struct policy
 * is data: built once in an arena, then only read. One is made from each
 * document, profile or command line; policy_merge() lays one over another.
 */

/* Where a value came from; quoted by `explain`, errors and denials. */
struct policy_origin {
	const char *source; /* "profile default", a file, "--deny-read" */
	unsigned int line; /* in that file; 0 where there is none */
};

/* A value of one key. Which member holds it follows from its type. */
struct policy_scalar {
	bool set;
	int64_t number; /* bool, choice, bytes, milliseconds, 1/1000 */
	const char *text; /* type text; NULL when unset */
	struct policy_origin origin;
};

struct policy_item {
	const char *text; /* as written; "NAME=VALUE" in a map */
	/* what a relative path is relative to; NULL: the working directory
	 * of the run */
	const char *base;
	/* from a document that may only narrow: it undoes no denial, also
	 * where a link leads it into one */
	bool narrow;
	struct policy_origin origin;
};

/* How a list in a document changes the list it is laid over. */
enum policy_list_op {
	POLICY_APPEND, /* [a, b]             */
	POLICY_REPLACE, /* {replace: [a, b]}  */
	POLICY_REMOVE, /* {remove: [a, b]}   */
};

struct policy_list {
	const struct policy_item *v;
	size_t n;
	enum policy_list_op op;
	struct policy_origin origin; /* of the list in its document */
};

/* Values of the keys that are a choice, in the order of their names. */
enum policy_tier { POLICY_TIER_LIGHT, POLICY_TIER_LXC, POLICY_TIER_STRONG };
enum policy_view { POLICY_VIEW_HOST, POLICY_VIEW_MINIMAL };
enum policy_git { POLICY_GIT_WORK, POLICY_GIT_READONLY, POLICY_GIT_OPEN };
enum policy_mode {
	POLICY_MODE_NONE,
	POLICY_MODE_FILTERED,
	POLICY_MODE_HOST,
};
enum policy_on_error { POLICY_ON_ERROR_CONTINUE, POLICY_ON_ERROR_STOP };
enum policy_workspace {
	POLICY_WORKSPACE_READONLY,
	POLICY_WORKSPACE_COW,
	POLICY_WORKSPACE_WRITABLE,
};
enum policy_accel { POLICY_ACCEL_KVM, POLICY_ACCEL_ANY };

struct policy_filesystem {
	struct policy_scalar view; /* enum policy_view */
	struct policy_list allow_read;
	struct policy_list deny_read;
	struct policy_list allow_write;
	struct policy_list deny_write;
	struct policy_scalar git; /* enum policy_git */
	struct policy_scalar copy_on_write; /* bool */
	struct policy_scalar strict; /* bool */
	struct policy_scalar ignore_missing; /* bool */
};

struct policy_exec {
	struct policy_list deny;
	struct policy_list allow;
	struct policy_scalar only_system; /* bool */
	struct policy_scalar report; /* bool */
};

struct policy_network {
	struct policy_scalar mode; /* enum policy_mode */
	struct policy_list allow;
	struct policy_list deny;
	struct policy_list host_ports;
	struct policy_list publish;
	struct policy_list unix_sockets;
	struct policy_scalar upstream_proxy; /* text */
	struct policy_scalar resolver; /* text */
};

struct policy_environment {
	struct policy_scalar inherit; /* bool */
	struct policy_list pass;
	struct policy_list deny;
	struct policy_list set; /* map: "NAME=VALUE" */
};

struct policy_limits {
	struct policy_scalar memory; /* bytes */
	struct policy_scalar cpus; /* thousandths of a core */
	struct policy_scalar processes;
	struct policy_scalar wall_time; /* ms */
	struct policy_scalar cpu_time; /* ms */
	struct policy_scalar file_size; /* bytes */
	struct policy_scalar open_files;
	struct policy_scalar disk; /* bytes */
	struct policy_scalar output; /* bytes */
};

struct policy {
	struct policy_scalar version;
	struct policy_list extends;
	struct policy_scalar tier; /* enum policy_tier */
	struct policy_scalar min_tier; /* enum policy_tier */
	struct policy_filesystem filesystem;
	struct policy_exec exec;
	struct policy_network network;
	struct policy_environment environment;
	struct policy_limits limits;
	struct policy_scalar syscalls_profile; /* text: name or file */
	struct policy_list mask_presets;
	struct policy_list mask_patterns;
	struct policy_scalar audit_on_error; /* enum policy_on_error */
	struct policy_list setup_network;
	struct policy_scalar setup_lock; /* bool */
	struct policy_scalar workspace; /* enum policy_workspace */
	struct policy_scalar strong_accel; /* enum policy_accel */
	struct policy_scalar strong_memory; /* bytes */
	struct policy_scalar strong_cpus; /* thousandths of a core */
	struct policy_scalar lxc_executable; /* text */
	struct policy_scalar lxc_instance; /* text */
	struct policy_list require;
};

/*
 * Whose policy it is: what `~`, `$XDG_…` and relative paths mean. Every path
 * is absolute and normal.
 */
struct policy_context {
	const char *home;
	const char *workdir;
	const char *config_dir; /* cordon's own, see cordon(1) FILES */
	const char *state_dir;
	const char *cache_dir;
	const char *runtime_dir;
	const char *xdg_config_home;
	const char *xdg_state_home;
	const char *xdg_cache_home;
	const char *xdg_data_home;
	const char *xdg_runtime_dir; /* of the caller; NULL if unset */
	unsigned int uid;
	unsigned int gid;
};

#endif
