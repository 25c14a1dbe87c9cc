/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host/trust.c - which project files the user has approved, by content
 *
 * Runs in:  the caller's process.
 * Trusts:   the file `trust` in the user's configuration, if it is theirs.
 * Must not: remember a file without its content: a byte that changes takes
 *           the approval away.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/sha256.h"
#include "base/text.h"
#include "host/policies.h"
#include "host/policy_file.h"
#include "policy/decode.h"

static const char store_name[] = "trust";

struct entries {
	struct host_trust_entry *v;
	size_t n;
};

/* "HASH  PATH" */
static int parse_line(struct arena *arena, const char *line, size_t len,
		      struct host_trust_entry *out)
{
	if (len < SHA256_HEX + 3 || line[SHA256_HEX] != ' ' ||
	    line[SHA256_HEX + 1] != ' ' || line[SHA256_HEX + 2] != '/' ||
	    strspn(line, "0123456789abcdef") != SHA256_HEX)
		return -1;
	out->sha256 = arena_strndup(arena, line, SHA256_HEX);
	out->path = arena_strndup(arena, line + SHA256_HEX + 2,
				  len - SHA256_HEX - 2);
	return 0;
}

static int read_entries(struct arena *arena,
			const struct policy_context *context,
			struct entries *out, struct err *err)
{
	const char *path =
		arena_printf(arena, "%s/%s", context->config_dir, store_name);
	struct policy_file file;
	unsigned int number = 1;

	if (policy_file_read(arena, path, POLICY_FILE_STORE, &file, err) < 0)
		return -1;
	for (const char *line = file.text; line && *line; number++) {
		size_t len = strcspn(line, "\n");

		if (parse_line(arena, line, len, ARENA_PUSH(arena, out)) < 0)
			return err_set(err, ERR_POLICY,
				       "%s:%u: not a line of a trust store: "
				       "remove it",
				       path, number);
		line += len + (line[len] == '\n');
	}
	return 0;
}

static int write_entries(struct arena *arena,
			 const struct policy_context *context,
			 const struct entries *entries, struct err *err)
{
	struct text text = { .arena = arena };

	for (size_t i = 0; i < entries->n; i++)
		text_addf(&text, "%s  %s\n", entries->v[i].sha256,
			  entries->v[i].path);
	return policy_file_write(arena, context->config_dir, store_name,
				 text_str(&text), err);
}

/* Two that change the store at once would lose one change. Where there is no
 * directory yet there is nothing to lose. */
static int lock_store(const struct policy_context *context, int *out,
		      struct err *err)
{
	*out = open(context->config_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*out < 0 && errno == ENOENT)
		return 0;
	if (*out < 0 || flock(*out, LOCK_EX) < 0)
		return err_sys(err, "lock '%s'", context->config_dir);
	return 0;
}

/* Where the file lies, with no link on the way; itself it is none. */
static int real_file(struct arena *arena, const char *file, const char **out,
		     struct err *err)
{
	const char *slash = strrchr(file, '/');
	const char *name = slash ? slash + 1 : file;
	const char *dir =
		slash ? arena_strndup(arena, file, (size_t)(slash - file) + 1)
		      : ".";
	char real[PATH_MAX];

	if (!realpath(dir, real))
		return err_sys(err, "find '%s'", file);
	if (!*name || !strcmp(name, ".") || !strcmp(name, ".."))
		return err_set(err, ERR_USAGE, "'%s' is a directory", file);
	*out = arena_printf(arena, "%s/%s", real[1] ? real : "", name);
	return 0;
}

static void drop_path(struct entries *entries, const char *path)
{
	size_t kept = 0;

	for (size_t i = 0; i < entries->n; i++) {
		if (strcmp(entries->v[i].path, path))
			entries->v[kept++] = entries->v[i];
	}
	entries->n = kept;
}

static int read_project(struct arena *arena, const char *file,
			struct host_trust_entry *out, struct err *err)
{
	struct policy_document document = { 0 };
	char *hash = arena_alloc(arena, SHA256_HEX + 1, 1);
	struct policy_file opened;
	struct policy ignored;

	if (real_file(arena, file, &out->path, err) < 0 ||
	    policy_file_read(arena, out->path, POLICY_FILE_PROJECT, &opened,
			     err) < 0)
		return -1;
	if (!opened.text)
		return err_set(err, ERR_USAGE, "'%s' does not exist", file);
	if (strchr(out->path, '\n'))
		return err_set(err, ERR_USAGE,
			       "'%s' has a line break in its path and cannot "
			       "be trusted",
			       file);
	document.text = opened.text;
	document.n = opened.n;
	document.source = file;
	if (policy_decode(arena, &document, &ignored, err) < 0)
		return -1;
	sha256_hex(opened.text, opened.n, hash);
	out->sha256 = hash;
	return 0;
}

int host_trust_add(struct arena *arena, const struct policy_context *context,
		   const char *file, struct host_trust_entry *out,
		   struct err *err)
{
	struct host_trust_entry entry;
	struct entries entries = { 0 }, all = { 0 };
	AUTO_CLOSE int lock = -1;

	if (lock_store(context, &lock, err) < 0 ||
	    read_project(arena, file, &entry, err) < 0 ||
	    read_entries(arena, context, &entries, err) < 0)
		return -1;
	drop_path(&entries, entry.path);
	for (size_t i = 0; i < entries.n; i++)
		*ARENA_PUSH(arena, &all) = entries.v[i];
	*ARENA_PUSH(arena, &all) = entry;
	if (write_entries(arena, context, &all, err) < 0)
		return -1;
	*out = entry;
	return 0;
}

int host_trust_remove(struct arena *arena, const struct policy_context *context,
		      const char *file, struct err *err)
{
	AUTO_CLOSE int lock = -1;
	struct entries entries = { 0 };
	struct err ignored;
	const char *path = file;
	size_t before;

	if (lock_store(context, &lock, err) < 0 ||
	    read_entries(arena, context, &entries, err) < 0)
		return -1;
	/* What is gone can only be named as it stands in the store. */
	if (real_file(arena, file, &path, &ignored) < 0)
		path = file;
	before = entries.n;
	drop_path(&entries, path);
	if (entries.n == before)
		return err_set(err, ERR_USAGE, "'%s' is not trusted", path);
	return write_entries(arena, context, &entries, err);
}

int host_trust_list(struct arena *arena, const struct policy_context *context,
		    struct host_trust_entry **out, size_t *out_n,
		    struct err *err)
{
	struct entries entries = { 0 };

	if (read_entries(arena, context, &entries, err) < 0)
		return -1;
	*out = entries.v;
	*out_n = entries.n;
	return 0;
}
