/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_HOST_GIT_H
#define CORDON_HOST_GIT_H

struct facts_git;
struct host_resolver;

/*
 * The repository that git would use in the directory @at: nearest `.git`
 * upwards, on the same file system, owned by the caller. A `.git` file is
 * believed only if the worktree it names points back to it, so that a planted
 * one cannot open another repository to the box.
 */
void host_git_probe(struct host_resolver *resolver, const char *at,
		    struct facts_git *out);

#endif
