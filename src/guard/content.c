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
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "guard/state.h"
#include "plan/plan.h"

enum { CHUNK = 4096, COPY_MAX = 256 * 1024 * 1024 };

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

/* 1, 0, or -1: it cannot be known now. */
static int compare(const struct call *call, int file, uint64_t size,
		   const struct plan_program *program)
{
	AUTO_CLOSE int a = open_content(call, file);
	AUTO_CLOSE int b = a < 0 ? -1
				 : openat(call->guard->root, program->path,
					  O_RDONLY | O_NONBLOCK | O_CLOEXEC);
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

	if (program->masked || (uint64_t)st->st_size != program->size ||
	    st->st_size > COPY_MAX)
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
