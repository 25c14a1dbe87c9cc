/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_GUARD_PROTECT_H
#define CORDON_GUARD_PROTECT_H

#include <stdbool.h>

struct call;
struct place;

enum {
	PROTECT_NEW = 1, /* the call fails if the name exists */
	PROTECT_MKDIR = 2, /* it makes an empty directory */
};

/*
 * May the name come into being by this call? 0, or -EACCES and reported. With
 * PROTECT_NEW a forbidden name that exists is -EEXIST, and no report.
 */
int protect_judge(const struct call *call, const struct place *place,
		  unsigned int how);

/* The name has come into being: reports it if the plan asks for that. */
void protect_notice(const struct call *call, const struct place *place);

#endif
