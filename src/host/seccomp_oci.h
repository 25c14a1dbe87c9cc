/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_HOST_SECCOMP_OCI_H
#define CORDON_HOST_SECCOMP_OCI_H

#include <stddef.h>

struct arena;
struct err;
struct plan_filter;

/*
 * Compiles a profile in the OCI/Docker seccomp JSON format into a filter that
 * lives in @arena. ERR_POLICY says which file (@name), which entry by its
 * path (syscalls[3].args[0].op) and what is wrong with it.
 *
 * Read as the box is: without capabilities, on x86-64, on the running kernel
 * (includes, excludes). Whatever the profile says, foreign architectures and
 * x32 are killed; PLAN_SECCOMP_FLOOR must be laid over the result, which
 * alone keeps nothing of what the box rests on.
 */
int host_seccomp_parse_oci(struct arena *arena, const char *json, size_t n,
			   const char *name, struct plan_filter *out,
			   struct err *err);

#endif
