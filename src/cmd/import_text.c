/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd/import_text.c - the policy that was made, and what is said about it
 *
 * Runs in:  the caller's process.
 * Trusts:   nothing: names and values are another program's.
 * Must not: print a text of the settings unescaped; end a comment before its
 *           line does.
 */
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/text.h"
#include "cmd/import.h"
#include "policy/decode.h"
#include "policy/format.h"

const char *const import_loss_names[IMPORT_LOSSES] = {
	[IMPORT_DENIED] = "denied",
	[IMPORT_ALLOWED] = "allowed",
	[IMPORT_TOLD] = "told",
};

const char *const import_loss_titles[IMPORT_LOSSES] = {
	[IMPORT_DENIED] = "denied there, not here",
	[IMPORT_ALLOWED] = "allowed there, not here",
	[IMPORT_TOLD] = "to know",
};

/* The beginning of a long value is enough to find it. */
enum { ITEM_SHOWN = 200, WHY_SHOWN = 1000, ITEMS_SHOWN = 40 };

static int compare_notes(const void *a, const void *b)
{
	const struct import_note *x = a, *y = b;
	int order;

	if (x->loss != y->loss)
		return x->loss < y->loss ? -1 : 1;
	order = strcmp(x->key, y->key);
	return order ? order : strcmp(x->why, y->why);
}

void import_notes_sort(struct import *im)
{
	arena_sort(im->arena, im->notes.v, im->notes.n, sizeof(*im->notes.v),
		   compare_notes);
}

/* The character at @s, which is UTF-8 but may be one that is none. */
static size_t take_character(const char *s, unsigned int *out)
{
	const unsigned char *u = (const unsigned char *)s;
	size_t len = u[0] < 0x80 ? 1 : u[0] < 0xe0 ? 2 : u[0] < 0xf0 ? 3 : 4;

	*out = len == 1 ? u[0] : u[0] & (0x7fU >> len);
	for (size_t i = 1; i < len; i++)
		*out = *out << 6 | (u[i] & 0x3fU);
	return len;
}

/*
 * Fit for a terminal, and for a comment: to YAML there are more ends of a line
 * than one, and characters that it does not read at all. At most @limit bytes,
 * by whole characters.
 */
static void add_safe(struct text *out, const char *s, size_t limit)
{
	struct text all = { .arena = out->arena };
	size_t end = out->n + limit;

	text_add_escaped(&all, s);
	for (const char *p = text_str(&all); *p;) {
		unsigned int c;
		size_t len = take_character(p, &c);

		if (out->n + len > end) {
			text_add(out, "...");
			return;
		}
		if ((c >= 0x2000 && c < 0x2070) ||
		    (c >= 0xd800 && c < 0xe000) ||
		    (c >= 0xfe00 && c < 0x10000) || c > 0x10ffff)
			text_addf(out, "\\u%04x", c);
		else
			text_addn(out, p, len);
		p += len;
	}
}

static void add_item(struct text *out, const char *item)
{
	text_add(out, "'");
	add_safe(out, item, ITEM_SHOWN);
	text_add(out, "'");
}

static size_t same_notes(const struct import_notes *notes, size_t first)
{
	size_t end = first + 1;

	while (end < notes->n &&
	       !compare_notes(&notes->v[first], &notes->v[end]))
		end++;
	return end;
}

static void add_items(struct text *out, const struct import_note *notes,
		      size_t n)
{
	const char *between = ": ";
	size_t shown = 0;

	for (size_t i = 0; i < n; i++) {
		if (!notes[i].item)
			continue;
		if (shown++ >= ITEMS_SHOWN)
			continue;
		text_add(out, between);
		add_item(out, notes[i].item);
		between = ", ";
	}
	if (shown > ITEMS_SHOWN)
		text_addf(out, " and %zu more", shown - ITEMS_SHOWN);
}

bool import_notes_line(const struct import *im, size_t *i, struct text *out)
{
	const struct import_note *note = &im->notes.v[*i];
	size_t end;

	if (*i >= im->notes.n)
		return false;
	end = same_notes(&im->notes, *i);
	add_safe(out, note->key, ITEM_SHOWN);
	if (note->line)
		text_addf(out, " (line %u)", note->line);
	add_items(out, note, end - *i);
	text_add(out, ": ");
	add_safe(out, note->why, WHY_SHOWN);
	*i = end;
	return true;
}

static void format_head(struct import *im, const char *tool, const char *file,
			struct text *out)
{
	text_addf(out, "# Made by 'cordon policy import --from %s' from ",
		  tool);
	add_safe(out, file, WHY_SHOWN);
	text_add(out, ".\n# Relative paths are relative to the working "
		      "directory of a run, in a project's\n"
		      "# .cordon.yaml to the directory of that file.\n");
	for (size_t i = 0; i < im->notes.n;) {
		enum import_loss loss = im->notes.v[i].loss;

		text_addf(out, "#\n# %s:\n", import_loss_titles[loss]);
		while (i < im->notes.n && im->notes.v[i].loss == loss) {
			text_add(out, "# - ");
			(void)import_notes_line(im, &i, out);
			text_add(out, "\n");
		}
	}
	text_add(out, "\n");
}

/* What does not load is no policy; that would be our mistake. */
static int check_again(struct import *im, const struct text *text)
{
	struct policy_document document = {
		.text = text->v,
		.n = text->n,
		.source = "the result",
	};
	struct policy again = { 0 };

	if (policy_decode(im->arena, &document, &again, im->err) == 0)
		return 0;
	im->err->kind = ERR_BUG;
	return err_wrap(im->err, "import");
}

int import_format(struct import *im, const char *tool, const char *file,
		  struct text *out)
{
	struct text text = { .arena = im->arena };

	format_head(im, tool, file, &text);
	policy_format_yaml(&text, &im->policy, false);
	if (check_again(im, &text) < 0)
		return -1;
	text_addn(out, text.v, text.n);
	return 0;
}
