/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_GUARD_OPEN_H
#define CORDON_GUARD_OPEN_H

struct call;

/* openat(dirfd, path, flags with O_CREAT, mode). */
int open_perform(const struct call *call);

/* truncate(path, length), as openat's form has it: args[1] and [2]. */
int open_truncate(const struct call *call);

#endif
