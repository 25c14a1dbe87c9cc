/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_POLICY_NAMES_H
#define CORDON_POLICY_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Syntax of what network rules name. Each returns NULL where @text is well
 * formed, else what is wrong with it, as the end of a sentence.
 */
const char *policy_host_check(const char *text);
const char *policy_port_check(const char *text);
const char *policy_publish_check(const char *text);
const char *policy_endpoint_check(const char *text);
const char *policy_proxy_check(const char *text);

/* Does network pattern @wide cover all that @narrow names, ports included? */
bool policy_host_covers(const char *wide, const char *narrow);

#endif
