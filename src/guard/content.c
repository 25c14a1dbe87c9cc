/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard/content.c - is this file a copy of that program?
 *
 * Runs in:  the guard.
 * Trusts:   nothing: a file may change while it is read. A rule for arguments
 *           is no wall, and neither is this: one byte more is another file.
 * Must not: wait, or read much for a caller that executes again and again.
 */
#include "guard/content.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "guard/guard.h"
#include "guard/state.h"
#include "plan/plan.h"

enum { CHUNK = 4096, COPY_MAX = 256 * 1024 * 1024 };

/* *@out is -1 if it is not there, was replaced, or cannot be read: then nobody
 * in the box can have copied it. */
static int open_masked(const struct plan_program *program, int *out,
		       struct err *err)
{
	AUTO_CLOSE int fd = open(program->path,
				 O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;

	*out = -1;
	if (fd < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM))
		return err_sys(err, "open '%s'", program->path);
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    st.st_dev == program->id.dev && st.st_ino == program->id.ino)
		*out = fd_take(&fd);
	return 0;
}

int guard_programs_open(const struct plan *plan, int **out, struct err *err)
{
	const struct plan_programs *programs = &plan->exec.programs;

	*out = NULL;
	if (!plan->exec.judged || !programs->n)
		return 0;
	*out = calloc(programs->n, sizeof(**out));
	if (!*out)
		return err_set(err, ERR_SYS, "no memory for programs");
	for (size_t i = 0; i < programs->n; i++) {
		const struct plan_program *program = &programs->v[i];

		(*out)[i] = -1;
		if (program->masked && program->size &&
		    open_masked(program, &(*out)[i], err) < 0)
			return -1;
	}
	return 0;
}

void guard_know_programs(struct guard *guard, const int *programs)
{
	guard->programs = programs;
}

static int open_content(const struct call *call, int file)
{
	char name[16];

	(void)snprintf(name, sizeof(name), "%d", file);
	return openat(call->guard->self_fd, name,
		      O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

static bool same_content(int a, int b, uint64_t size)
{
	char left[CHUNK], right[CHUNK];

	for (uint64_t at = 0; at < size; at += CHUNK) {
		size_t want = size - at < CHUNK ? (size_t)(size - at) : CHUNK;

		if (pread(a, left, want, (off_t)at) != (ssize_t)want ||
		    pread(b, right, want, (off_t)at) != (ssize_t)want ||
		    memcmp(left, right, want) != 0)
			return false;
	}
	return true;
}

/* A masked one as it was before, any other as it is now. */
static int open_program(const struct call *call,
			const struct plan_program *program)
{
	const int *masked = call->guard->programs;
	size_t i = (size_t)(program - call->guard->plan->exec.programs.v);

	if (!program->masked)
		return openat(call->guard->root, program->path,
			      O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (masked && masked[i] >= 0)
		return fcntl(masked[i], F_DUPFD_CLOEXEC, 3);
	errno = ENOENT;
	return -1;
}

/* 1, 0, or -1: it cannot be known now. */
static int compare(const struct call *call, int file, uint64_t size,
		   const struct plan_program *program)
{
	AUTO_CLOSE int a = open_content(call, file);
	AUTO_CLOSE int b = a < 0 ? -1 : open_program(call, program);
	struct stat st;

	if (a < 0 || (b < 0 && errno != ENOENT && errno != EACCES))
		return -1;
	return b >= 0 && fstat(b, &st) == 0 && S_ISREG(st.st_mode) &&
	       same_content(a, b, size);
}

bool content_is_copy(const struct call *call, struct content_cache *cache,
		     int file, const struct stat *st,
		     const struct plan_program *program)
{
	size_t slot = cache->next % (sizeof(cache->v) / sizeof(cache->v[0]));
	int same;

	if ((uint64_t)st->st_size != program->size || st->st_size > COPY_MAX)
		return false;
	for (size_t i = 0; i < sizeof(cache->v) / sizeof(cache->v[0]); i++) {
		if (cache->v[i].program == program &&
		    cache->v[i].id.dev == st->st_dev &&
		    cache->v[i].id.ino == st->st_ino &&
		    !memcmp(&cache->v[i].changed, &st->st_ctim,
			    sizeof(st->st_ctim)))
			return cache->v[i].same;
	}
	same = compare(call, file, (uint64_t)st->st_size, program);
	/* What cannot be read may well be one. */
	if (same < 0)
		return true;
	cache->next++;
	cache->v[slot].id = (struct facts_id){ st->st_dev, st->st_ino };
	cache->v[slot].changed = st->st_ctim;
	cache->v[slot].program = program;
	cache->v[slot].same = same;
	return cache->v[slot].same;
}
