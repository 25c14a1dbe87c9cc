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

/* Letters outside ASCII that Unicode folds into it; none becomes longer. */
static const struct {
	const char *letter;
	const char *folded;
} folds[] = {
	{ "\u212a", "k" }, /* kelvin sign */
	{ "\u017f", "s" }, /* long s */
	{ "\u00df", "ss" },  { "\u1e9e", "ss" }, { "\ufb00", "ff" },
	{ "\ufb01", "fi" },  { "\ufb02", "fl" }, { "\ufb03", "ffi" },
	{ "\ufb04", "ffl" }, { "\ufb05", "st" }, { "\ufb06", "st" },
};

/* What the letter at the start of @text becomes; "" if it is left out. */
static const char *fold(const char *text, size_t len)
{
	for (size_t i = 0; i < sizeof(folds) / sizeof(folds[0]); i++) {
		size_t n = strlen(folds[i].letter);

		if (len >= n && !memcmp(text, folds[i].letter, n))
			return folds[i].folded;
	}
	return "";
}

/*
 * What is outside ASCII and not folded into it is left out, as if it had no
 * shape: too much is refused rather than too little.
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
		else
			for (const char *at = fold(text + i, len - i); *at;)
				name->folded[n++] = *at++;
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
