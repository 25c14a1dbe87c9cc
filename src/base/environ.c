/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/environ.c - forgets the variables of a process
 *
 * Runs in:  box init and the egress process.
 * Trusts:   nothing.
 * Must not: be called where the variables are still needed.
 */
#include "base/environ.h"

#include <string.h>
#include <unistd.h>

void environ_forget(void)
{
	for (char **e = environ; e && *e; e++)
		explicit_bzero(*e, strlen(*e));
	environ = NULL;
}
