/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd/output.c - answers on standard output, for people and for programs
 *
 * Runs in:  the caller's process.
 * Trusts:   nothing that it prints.
 * Must not: lose an answer without saying so.
 */
#include "cmd/output.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/text.h"

int output_text(const struct text *text, struct err *err)
{
	if (fd_write_all(STDOUT_FILENO, text_str(text), text->n, err) < 0)
		return err_wrap(err, "standard output");
	return 0;
}

int output_json(int fd, json_t *json, struct err *err)
{
	AUTO_ARENA arena = { 0 };
	struct text text = { .arena = &arena };
	/* ASCII: characters that move text on a terminal are escaped. */
	char *s = json_dumps(json, JSON_COMPACT | JSON_ENSURE_ASCII);

	json_decref(json);
	if (!s)
		return err_set(err, ERR_BUG, "an answer is no JSON");
	text_add(&text, s);
	text_add(&text, "\n");
	free(s);
	if (fd_write_all(fd, text.v, text.n, err) < 0)
		return err_wrap(err, "descriptor %d", fd);
	return 0;
}

json_t *output_string(struct arena *arena, const char *s)
{
	struct text text = { .arena = arena };
	json_t *json;

	if (!s)
		return json_null();
	json = json_string(s);
	if (json)
		return json;
	text_add_escaped(&text, s);
	return json_string(text_str(&text));
}

/* Characters, not bytes. */
static size_t count_columns(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

void output_column(struct text *text, const char *s, size_t width)
{
	size_t start = text->n;
	size_t used;

	text_add_escaped(text, s);
	used = text->n > start ? count_columns(text->v + start) : 0;
	text_addf(text, "%*s", (int)(used < width ? width - used : 0) + 2, "");
}

void output_line(struct text *out, const char *label, const char *value)
{
	if (!value)
		return;
	text_addf(out, "  %-8s", label);
	text_add_escaped(out, value);
	text_add(out, "\n");
}
