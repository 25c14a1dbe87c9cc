/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_GUARD_EXEC_H
#define CORDON_GUARD_EXEC_H

struct call;
struct err;
struct guard;

/* Room for judging executions; -1 with errno. */
int exec_init(struct guard *guard);
void exec_done(struct guard *guard);

/* execveat(dirfd, path, argv, envp, flags) */
int exec_judge(const struct call *call);

/* memfd_create(name, flags): a file that cannot be mapped as code. */
int exec_memfd(const struct call *call);

#endif
