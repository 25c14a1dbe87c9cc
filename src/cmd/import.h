/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_CMD_IMPORT_H
#define CORDON_CMD_IMPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "policy/policy.h"

struct arena;
struct err;
struct policy_field;
struct text;
struct yaml_node;

/*
 * Settings of another program become a policy. What has no counterpart is
 * noted, and nothing becomes possible that was not possible there: what a
 * reader is not sure of it leaves out and notes.
 */

/* What the difference means to whoever relied on the settings. */
enum import_loss {
	IMPORT_DENIED, /* denied there, not denied here */
	IMPORT_ALLOWED, /* allowed there, not allowed here */
	IMPORT_TOLD, /* neither, but not quite the same */
};

enum { IMPORT_LOSSES = 3 };

struct import_note {
	enum import_loss loss;
	const char *key; /* "network.allowedDomains" */
	const char *item; /* what was written; NULL: the key as a whole */
	unsigned int line;
	const char *why;
};

struct import_notes {
	struct import_note *v;
	size_t n;
};

struct import {
	struct arena *arena;
	const char *source; /* of messages: the file */
	const struct policy_context *context;
	const char *extends; /* chosen by the caller; NULL: by the reader */
	struct policy policy;
	struct import_notes notes;
	struct err *err;

	/* What import_settle() has to know of the program. */
	bool allow_read_wins; /* over a denied path around it */
	bool deny_exec_wins; /* over a longer command that is allowed */
	bool network_said; /* what is not allowed is denied */
	bool network_off; /* everything is denied */

	void *state; /* the reader's own */
};

/* One for each program; @root is the document, NULL if it is empty. */
typedef int import_reader(struct import *im, const struct yaml_node *root);

import_reader import_read_srt;
import_reader import_read_fence;
import_reader import_read_aigate;
import_reader import_read_claude;

/* ---- keys of a document, as tables (import_keys.c) ---- */

enum import_type {
	IMPORT_ANY,
	IMPORT_FLAG,
	IMPORT_NUMBER,
	IMPORT_TEXT,
	IMPORT_TEXTS,
	IMPORT_NUMBERS,
	IMPORT_MAP,
	IMPORT_MAPS, /* a list of them */
};

/* @path is the name of the key with what it stands in. */
typedef int import_take(struct import *im, const struct yaml_node *node,
			const char *path);

struct import_key {
	const char *name; /* NULL ends a table */
	enum import_type type;
	import_take *take; /* NULL: it is noted */
	enum import_loss loss;
	const char *why; /* noted; NULL: passed over in silence */
};

/* Rows: taken by a function, noted, passed over. */
#define IMPORT_TAKE(key, kind, function)                                       \
	{                                                                      \
		.name = (key), .type = (kind), .take = (function)              \
	}
#define IMPORT_TELL(key, kind, meaning, text)                                  \
	{                                                                      \
		.name = (key), .type = (kind), .loss = (meaning),              \
		.why = (text)                                                  \
	}
#define IMPORT_PASS(key, kind)                                                 \
	{                                                                      \
		.name = (key), .type = (kind)                                  \
	}
#define IMPORT_END                                                             \
	{                                                                      \
		.name = NULL                                                   \
	}

/*
 * Hands every key of @map to its row. Keys without a row are noted; null is
 * like absent. A value of the wrong type is ERR_POLICY with its place. A key
 * that is only noted is so when it asks for something: not when it is false or
 * empty.
 */
int import_take_map(struct import *im, const struct yaml_node *map,
		    const char *path, const struct import_key *keys);

/* The key of a map, NULL if it is absent or null. */
const struct yaml_node *import_find(const struct yaml_node *map,
				    const char *key);
bool import_is_true(const struct yaml_node *node);
int import_fail(struct import *im, const struct yaml_node *node,
		const char *path, const char *what);

/* ---- the policy (import_policy.c) ---- */

void import_note(struct import *im, enum import_loss loss, const char *path,
		 const struct yaml_node *node, const char *item,
		 const char *why);

/*
 * A value for @key of the policy. What the schema does not take becomes a note
 * with @loss; then false.
 */
bool import_add(struct import *im, const char *key, const char *value,
		enum import_loss loss, const struct yaml_node *node,
		const char *path);

/* A profile that the reader chose, unless the caller has chosen one. */
void import_extend(struct import *im, const char *profile);

/* Path rules with `*`, `?`, `[…]` and `**`. */
void import_add_path(struct import *im, const char *key, const char *pattern,
		     enum import_loss loss, const struct yaml_node *node,
		     const char *path);
/* Lists of them that mean the same as our key of that name. */
import_take import_take_allow_read, import_take_deny_read,
	import_take_allow_write, import_take_deny_write;
/* The same where such characters have no meaning. */
void import_add_plain_path(struct import *im, const char *key, const char *name,
			   enum import_loss loss, const struct yaml_node *node,
			   const char *path);
/* A command by its first words. */
void import_add_command(struct import *im, bool allow, const char *words,
			enum import_loss loss, const struct yaml_node *node,
			const char *path);
/* NAME, *.NAME or an address, with a port or not. */
enum import_hosts {
	IMPORT_HOSTS_DENY,
	IMPORT_HOSTS_ALLOW, /* without a port: at every port */
	IMPORT_HOSTS_WEB, /* without a port: http and https */
};

void import_add_host(struct import *im, enum import_hosts list,
		     const char *host, const struct yaml_node *node,
		     const char *path);

/* ---- the end (import_settle.c, import_text.c) ---- */

/*
 * Takes out what would be allowed here and was denied there, as rules weigh
 * differently, and says what the network is.
 */
int import_settle(struct import *im);

/* The document, with the notes as comments. @tool and @file are for its head.
 * ERR_BUG if it would not be read again. */
int import_format(struct import *im, const char *tool, const char *file,
		  struct text *out);

/* Notes of one kind about one key as a line, the next one from *@i on; false
 * at the end. They are sorted before the first call. */
void import_notes_sort(struct import *im);
bool import_notes_line(const struct import *im, size_t *i, struct text *out);

extern const char *const import_loss_names[IMPORT_LOSSES];
extern const char *const import_loss_titles[IMPORT_LOSSES];

#endif
