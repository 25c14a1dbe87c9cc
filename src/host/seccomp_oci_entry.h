/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_HOST_SECCOMP_OCI_ENTRY_H
#define CORDON_HOST_SECCOMP_OCI_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "host/json.h"
#include "plan/bpf.h"

/* What the profile says of a call. */
struct host_oci_call {
	const char *path; /* of the entry without arguments, or NULL */
	uint32_t action; /* of that entry */
	struct host_oci_rules {
		struct plan_bpf_rule *v;
		size_t n;
	} rules; /* of entries with arguments, as in the file */
};

/* A profile while it is read; see host/seccomp_oci.c. */
struct host_oci {
	struct host_json json;
	uint32_t default_action; /* SECCOMP_RET_… */
	unsigned int kernel[2]; /* the running one: major, minor */
	size_t rules; /* added so far */
	struct host_oci_call *calls; /* PLAN_BPF_NUMBERS of them */
};

/* An action and the errno that belongs to it, by name (Podman) or as a number
 * (Docker). */
struct host_oci_action_keys {
	const char *action;
	const char *errno_name;
	const char *errno_number;
};

int host_oci_read_action(struct host_oci *r, const char *path, json_t *object,
			 const struct host_oci_action_keys *keys,
			 uint32_t *out);

/* Adds the rules of one element of "syscalls" to the calls. */
int host_oci_add_entry(struct host_oci *r, const char *path, json_t *object);

#endif
