/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_ENFORCE_DEV_H
#define CORDON_ENFORCE_DEV_H

#include <stdbool.h>

struct err;

/* The device nodes of the host that a box may use, as detached mounts. */
enum { DEV_NODES = 6 };

struct dev_nodes {
	int clone[DEV_NODES]; /* -1: not there on the host */
};

/* Before the tree loses its devices to MOUNT_ATTR_NODEV. */
int dev_nodes_open(struct dev_nodes *out, struct err *err);

/* Makes mount points, links and directories in @dir, which becomes /dev. */
int dev_populate(int dir, struct err *err);

/* After @dir was attached at /dev below @root: nodes, pts and shm. In shm
 * nothing can be executed if @noexec. */
int dev_attach(int root, int dir, bool noexec, struct dev_nodes *nodes,
	       struct err *err);

#endif
