/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_BASE_REMOVE_H
#define CORDON_BASE_REMOVE_H

struct err;

/*
 * Removes @name in the directory @dir and all that is in it, however deep and
 * whatever its modes; no link is followed and no path is built. Needs a few
 * descriptors and no more memory than one directory takes. It is no error if
 * there is nothing. Nobody else may be at work in it.
 */
int remove_tree(int dir, const char *name, struct err *err);

#endif
