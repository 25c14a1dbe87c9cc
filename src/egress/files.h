/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_EGRESS_FILES_H
#define CORDON_EGRESS_FILES_H

#include <stddef.h>

struct egress;

/* Has the supervisor told of the resolver's use of the host's files. */
void egress_files_follow(struct egress *egress);

/* Takes them into use as a message (struct egress_files) and its descriptor
 * say. Where they cannot be read the old ones stay, and are asked for again. */
void egress_files_apply(struct egress *egress, const char *data, size_t n,
			int fd);

#endif
