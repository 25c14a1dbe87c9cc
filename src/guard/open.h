/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_GUARD_OPEN_H
#define CORDON_GUARD_OPEN_H

struct call;

/* openat(dirfd, path, flags with O_CREAT, mode). */
int open_perform(const struct call *call);

#endif
