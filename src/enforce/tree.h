/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_ENFORCE_TREE_H
#define CORDON_ENFORCE_TREE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Mounts as descriptors. Each returns a descriptor (close-on-exec, the
 * caller's) or 0, and -1 with errno.
 */

/* @path below the descriptor @root (-1: of the process), no links followed. */
int tree_open_at(int root, const char *path);
/* A detached copy of what is mounted at @fd, with MOUNT_ATTR_… added. */
int tree_clone(int fd, bool recursive, uint64_t attributes);
/* A new, detached file system; @options are pairs of strings. */
int tree_new(const char *type, const char *const *options, uint64_t attributes);
int tree_attach(int mount, int target);
/* Adds attributes: to one mount; to every mount of the namespace, which become
 * private at the same time. */
int tree_set(int mount, uint64_t attributes);
int tree_set_root(uint64_t attributes);

#endif
