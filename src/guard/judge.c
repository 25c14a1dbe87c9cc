/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guard/judge.c - which component of which absent path a name could be
 *
 * Runs in:  the guard. Makes no system calls.
 * Trusts:   the plan.
 * Must not: be more exact than the file systems. ext4 and f2fs with casefold,
 *           vfat, exfat and ntfs take ".MCP.json" for ".mcp.json".
 */
#include "guard/judge.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "plan/plan.h"

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/*
 * The two letters outside ASCII that Unicode folds into it are replaced, all
 * others are left out, as if none had a shape: too much is refused rather than
 * too little.
 */
void judge_name_init(struct judge_name *name, const char *text, size_t len)
{
	size_t n = 0;

	name->name = text;
	name->len = len;
	name->folded_len = 0;
	if (len > NAME_MAX)
		return;
	for (size_t i = 0; i < len; i++) {
		if ((unsigned char)text[i] < 0x80)
			name->folded[n++] = lower(text[i]);
		else if (len - i >= 3 && !memcmp(text + i, "\u212a", 3))
			name->folded[n++] = 'k'; /* kelvin sign */
		else if (len - i >= 2 && !memcmp(text + i, "\u017f", 2))
			name->folded[n++] = 's'; /* long s */
	}
	while (n && (name->folded[n - 1] == '.' || name->folded[n - 1] == ' '))
		n--;
	name->folded_len = n;
}

bool judge_name_is(const struct judge_name *name, const char *text, size_t len)
{
	if (name->len == len && !memcmp(name->name, text, len))
		return true;
	if (name->folded_len != len || !len)
		return false;
	/* Of an absent name that is not ASCII the only spelling is its own:
	 * what is left out of the other cannot match it. */
	for (size_t i = 0; i < len; i++)
		if (name->folded[i] != lower(text[i]))
			return false;
	return true;
}

size_t judge_depth(const struct plan_absent *absent,
		   const struct judge_name *name, size_t from, bool *last)
{
	const char *text = absent->name;
	const char *rest = absent->below;

	for (size_t depth = 0; text; depth++) {
		size_t len = strcspn(text, "/");

		*last = text[len] ? false : !rest;
		if (depth >= from && judge_name_is(name, text, len))
			return depth;
		if (text[len]) {
			text += len + 1;
		} else {
			text = rest;
			rest = NULL;
		}
	}
	return JUDGE_NOWHERE;
}

int judge_prefix(const struct plan_absent *absent, size_t depth, char *out,
		 size_t room)
{
	int n = snprintf(out, room, "%s%s%s", absent->name,
			 absent->below ? "/" : "",
			 absent->below ? absent->below : "");

	if (n < 0 || (size_t)n >= room)
		return -1;
	for (char *at = out; depth && *at; at++)
		if (*at == '/' && !--depth)
			*at = '\0';
	return 0;
}
