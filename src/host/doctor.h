/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_HOST_DOCTOR_H
#define CORDON_HOST_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

struct arena;

enum host_check_state { HOST_CHECK_OK, HOST_CHECK_WEAK, HOST_CHECK_MISSING };

/* One thing that cordon needs of the host, tried and not deduced. */
struct host_check {
	const char *name; /* "user_namespaces", as in `require` */
	enum host_check_state state;
	bool required; /* nothing runs without it */
	const char *found; /* what the probe saw: "ABI 7" */
	const char *meaning; /* what it gives, or what is lost */
	const char *remedy; /* NULL when the state is OK */
};

/* Every check, in the order of importance; the array lives in @arena. */
size_t host_doctor_probe(struct arena *arena, struct host_check **out);

#endif
