/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_ENFORCE_TREE_H
#define CORDON_ENFORCE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/plan.h"

/*
 * Mounts as descriptors. Each returns a descriptor (close-on-exec, the
 * caller's) or 0, and -1 with errno.
 */

/* @path below the descriptor @root (-1: of the process), no links followed. */
int tree_open_at(int root, const char *path);
/* A detached copy of what is mounted at @fd, with MOUNT_ATTR_… added. */
int tree_clone(int fd, bool recursive, uint64_t attributes);
/* Likewise of one of the empty nodes in @masks, for a kind of mask. */
int tree_clone_mask(int masks, enum plan_mount_kind kind);
/* A new, detached file system; @options are pairs of strings, of which the
 * second is NULL for one without a value. */
int tree_new(const char *type, const char *const *options, uint64_t attributes);
/* The same, with the kernel's own words for a failure in @answer, if it has
 * any. */
int tree_new_told(const char *type, const char *const *options,
		  uint64_t attributes, char *answer, size_t room);
int tree_attach(int mount, int target);
/* Adds attributes: to one mount; to every mount of the namespace, which become
 * private at the same time. */
int tree_set(int mount, uint64_t attributes);
/* Of a mount that this namespace has made itself. */
int tree_set_writable(int mount);
int tree_set_root(uint64_t attributes);

#endif
