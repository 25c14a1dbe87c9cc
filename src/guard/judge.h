/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_GUARD_JUDGE_H
#define CORDON_GUARD_JUDGE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

struct plan_absent;

/*
 * A name that is about to be made, and the ASCII that it could be taken for:
 * on file systems that ignore case, trailing dots and blanks, or code points
 * without a shape, another spelling makes the same file.
 */
struct judge_name {
	const char *name;
	size_t len;
	char folded[NAME_MAX];
	size_t folded_len; /* 0: a name that no file system takes */
};

void judge_name_init(struct judge_name *name, const char *text, size_t len);

/* Could the name stand for the @len bytes at @text on some file system? */
bool judge_name_is(const struct judge_name *name, const char *text, size_t len);

#define JUDGE_NOWHERE SIZE_MAX

/*
 * An absent path hangs below a directory: its name, then what is below. At
 * which depth, @from or deeper, has it a component that @name could be? *@last
 * says whether that is the end of the path. JUDGE_NOWHERE if it has none.
 */
size_t judge_depth(const struct plan_absent *absent,
		   const struct judge_name *name, size_t from, bool *last);

/* The first @depth components of it, joined; -1 if that is too long. */
int judge_prefix(const struct plan_absent *absent, size_t depth, char *out,
		 size_t room);

#endif
