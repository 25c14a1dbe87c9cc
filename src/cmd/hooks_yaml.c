/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd/hooks_yaml.c - the hook in a file of YAML
 *
 * Runs in:  the process of `cordon hooks`.
 * Trusts:   the person who names the file; nothing in it.
 * Must not: touch a line that is not ours. What stands in braces is edited
 *           only where they are empty; else the person is asked to do it.
 *
 * As in base/jsonc_edit.c the form of what is put in tells what was there:
 * lines where there were lines or nothing, braces where a key had `{}` or no
 * value at all.
 */
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/text.h"
#include "base/yaml.h"
#include "cmd/hook_agent.h"
#include "cmd/hooks_edit.h"

static const char hooks_key[] = "hooks";

/* What stands behind a key. */
enum value_form {
	VALUE_NONE, /* the key is not there */
	VALUE_EMPTY, /* nothing */
	VALUE_LINES, /* on the lines that follow */
	VALUE_BRACES, /* {…} or […] behind it */
	VALUE_BELOW, /* {…} or […] on the line that follows */
	VALUE_OTHER,
};

struct value {
	const struct yaml_node *node;
	enum value_form form;
	size_t start; /* of the key's line */
	size_t end; /* of that line, before its newline */
	size_t at; /* BRACES, BELOW: of the bracket */
	size_t indent; /* of the key */
};

struct document {
	struct arena *arena;
	const char *text;
	size_t n;
	const char *newline;
	const struct yaml_node *root;
	struct value hooks;
	struct value list;
};

/* -------------------------------------------------------------- our text */

static void add_lines(struct text *out, const struct hooks_edit *edit,
		      const char *newline, size_t indent)
{
	text_addf(out, "%*s- matcher: ", (int)indent, "");
	hooks_string_format(out, edit->agent->matcher);
	text_addf(out, "%s%*s  command: ", newline, (int)indent, "");
	hooks_string_format(out, edit->command);
	text_addf(out, "%s%*s  timeout: 30%s%*s  fail_closed: true", newline,
		  (int)indent, "", newline, (int)indent, "");
}

static void add_braces(struct text *out, const struct hooks_edit *edit)
{
	text_add(out, "{matcher: ");
	hooks_string_format(out, edit->agent->matcher);
	text_add(out, ", command: ");
	hooks_string_format(out, edit->command);
	text_add(out, ", timeout: 30, fail_closed: true}");
}

static void add_whole(struct text *out, const struct hooks_edit *edit,
		      const char *newline)
{
	text_addf(out, "%s:%s  %s:%s", hooks_key, newline,
		  edit->agent->events[0], newline);
	add_lines(out, edit, newline, 4);
}

void hooks_yaml_format(struct text *out, const struct hooks_edit *edit)
{
	add_whole(out, edit, "\n");
	text_add(out, "\n");
}

/* --------------------------------------------------------------- reading */

static size_t line_start(const struct document *doc, unsigned int line)
{
	const char *p = doc->text;

	while (--line && p)
		p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL;
	return p ? (size_t)(p - doc->text) : doc->n;
}

static size_t line_end(const struct document *doc, size_t at)
{
	size_t end = at + strcspn(doc->text + at, "\n");

	return end > at && doc->text[end - 1] == '\r' ? end - 1 : end;
}

/* The form of what follows the key, which stands plainly on its line. */
static void read_value(const struct document *doc, const char *key,
		       const struct yaml_node *node, struct value *out)
{
	size_t at, next;

	*out = (struct value){ .node = node };
	if (!node)
		return;
	out->form = VALUE_OTHER;
	out->start = line_start(doc, node->key_line);
	out->end = line_end(doc, out->start);
	out->indent = node->key_column - 1;
	at = out->start + out->indent;
	if (strspn(doc->text + out->start, " ") != out->indent ||
	    strncmp(doc->text + at, key, strlen(key)) ||
	    doc->text[at + strlen(key)] != ':')
		return;
	at += strlen(key) + 1;
	at += strspn(doc->text + at, " \t");
	if (at < out->end && strchr("{[", doc->text[at])) {
		out->form = VALUE_BRACES;
		out->at = at;
		return;
	}
	if (at < out->end && doc->text[at] != '#')
		return;
	if (node->kind == YAML_KIND_SCALAR) {
		if (node->plain && !node->text[0])
			out->form = VALUE_EMPTY;
		return;
	}
	next = line_start(doc, node->line);
	next += strspn(doc->text + next, " ");
	out->at = next;
	out->form = strchr("{[", doc->text[next]) ? VALUE_BELOW : VALUE_LINES;
}

/* YAML has line breaks that nobody sees as such; with one of them lines would
 * not be where they are looked for. */
static bool has_odd_breaks(const char *text)
{
	for (const char *p = text; (p = strchr(p, '\r')); p++) {
		if (p[1] != '\n')
			return true;
	}
	return strstr(text, "\xc2\x85") || strstr(text, "\xe2\x80\xa8") ||
	       strstr(text, "\xe2\x80\xa9");
}

static int read_document(struct arena *arena, const struct hook_agent *agent,
			 const char *text, struct document *out,
			 struct err *err)
{
	const char *newline = strchr(text, '\n');

	*out = (struct document){ .arena = arena,
				  .text = text,
				  .n = strlen(text) };
	out->newline = newline && newline > text && newline[-1] == '\r' ? "\r\n"
									: "\n";
	if (yaml_tree_parse(arena, text, out->n, agent->path, &out->root, err) <
	    0)
		return -1;
	if (has_odd_breaks(text))
		return err_set(err, ERR_POLICY,
			       "its lines end in ways that are not edited "
			       "here");
	if (out->root &&
	    (out->root->kind != YAML_KIND_MAP ||
	     (out->root->first && out->root->first->key_column != 1)))
		return err_set(err, ERR_POLICY,
			       "1:1: keys at the beginning of lines are "
			       "wanted");
	read_value(out, hooks_key,
		   out->root ? yaml_node_get(out->root, hooks_key) : NULL,
		   &out->hooks);
	read_value(out, agent->events[0],
		   out->hooks.node && out->hooks.node->kind == YAML_KIND_MAP
			   ? yaml_node_get(out->hooks.node, agent->events[0])
			   : NULL,
		   &out->list);
	return 0;
}

/* Our entry in the list; NULL if there is none. */
static const struct yaml_node *find_own(const struct document *doc,
					const struct hooks_edit *edit)
{
	const struct yaml_node *item =
		doc->list.node && doc->list.node->kind == YAML_KIND_LIST
			? doc->list.node->first
			: NULL;

	for (; item; item = item->next) {
		const struct yaml_node *command =
			item->kind == YAML_KIND_MAP
				? yaml_node_get(item, "command")
				: NULL;

		if (command && command->kind == YAML_KIND_SCALAR &&
		    hook_command_is_own(doc->arena, command->text, edit->agent,
					edit->command))
			return item;
	}
	return NULL;
}

/* -------------------------------------------------------------- installing */

static void splice(const struct document *doc, size_t from, size_t to,
		   const struct text *middle, const char **out)
{
	struct text text = { .arena = doc->arena };

	text_addn(&text, doc->text, from);
	if (middle)
		text_addn(&text, text_str(middle), middle->n);
	text_addn(&text, doc->text + to, doc->n - to);
	*out = text_str(&text);
}

static int refuse(const struct value *value, const char *key, struct err *err)
{
	return err_set(err, ERR_POLICY,
		       "%u:%u: what stands behind '%s' is in a form that is "
		       "not edited here",
		       value->node->key_line, value->node->key_column, key);
}

/* At the end, after a line break. */
static void append(const struct document *doc, const struct hooks_edit *edit,
		   const char **out)
{
	bool open = doc->n && doc->text[doc->n - 1] != '\n';
	struct text middle = { .arena = doc->arena };

	text_add(&middle, open ? doc->newline : "");
	add_whole(&middle, edit, doc->newline);
	text_add(&middle, open ? "" : doc->newline);
	splice(doc, doc->n, doc->n, &middle, out);
}

/* Into a list, or with its key into "hooks". @key is NULL for the list. */
static int insert(const struct document *doc, const struct value *value,
		  const char *key, const struct hooks_edit *edit,
		  const char **out, struct err *err)
{
	struct text middle = { .arena = doc->arena };
	enum yaml_kind kind = key ? YAML_KIND_MAP : YAML_KIND_LIST;
	size_t column = value->node->column - 1;
	size_t at = value->end;

	if (value->form != VALUE_EMPTY && value->node->kind != kind)
		return refuse(value, key ? hooks_key : edit->agent->events[0],
			      err);
	if (value->form == VALUE_BRACES && !value->node->n) {
		at = value->at + 1;
	} else if (value->form == VALUE_EMPTY) {
		text_addf(&middle, "%s%*s%s", doc->newline,
			  (int)value->indent + 2, "", key ? "{" : "[");
	} else if (value->form != VALUE_LINES) {
		return refuse(value, key ? hooks_key : edit->agent->events[0],
			      err);
	}
	if (value->form == VALUE_LINES) {
		text_add(&middle, doc->newline);
		if (key)
			text_addf(&middle, "%*s%s:%s", (int)column, "", key,
				  doc->newline);
		add_lines(&middle, edit, doc->newline, column + (key ? 2 : 0));
	} else {
		if (key)
			text_addf(&middle, "%s: [", key);
		add_braces(&middle, edit);
		text_add(&middle, key ? "]" : "");
		if (value->form == VALUE_EMPTY)
			text_add(&middle, key ? "}" : "]");
	}
	splice(doc, at, at, &middle, out);
	return 0;
}

/* A document in braces, or one that ends, cannot be added to at its end. */
static int check_end(const struct document *doc, struct err *err)
{
	bool ends = !strncmp(doc->text, "...", 3) || strstr(doc->text, "\n...");

	/* In one over lines a key comes first. */
	if (!ends &&
	    (!doc->root || (doc->root->first &&
			    doc->root->line == doc->root->first->key_line &&
			    doc->root->column == doc->root->first->key_column)))
		return 0;
	return err_set(err, ERR_POLICY,
		       "1:1: the document is in a form that is not edited "
		       "here");
}

static bool is_same(const struct yaml_node *item, const struct hooks_edit *edit)
{
	const struct yaml_node *command = yaml_node_get(item, "command");
	const struct yaml_node *matcher = yaml_node_get(item, "matcher");
	const struct yaml_node *closed = yaml_node_get(item, "fail_closed");

	return !strcmp(command->text, edit->command) && matcher &&
	       matcher->text && !strcmp(matcher->text, edit->agent->matcher) &&
	       closed && closed->text && !strcmp(closed->text, "true");
}

int hooks_yaml_install(struct arena *arena, const struct hooks_edit *edit,
		       const char *text, const char **out, struct err *err)
{
	struct text whole = { .arena = arena };
	const struct yaml_node *item;
	struct document doc;

	if (text && read_document(arena, edit->agent, text, &doc, err) < 0)
		return -1;
	item = text ? find_own(&doc, edit) : NULL;
	*out = text;
	if (item && is_same(item, edit))
		return 0;
	if (item && hooks_yaml_uninstall(arena, edit, text, &text, err) < 0)
		return -1;
	if (!text) {
		hooks_yaml_format(&whole, edit);
		*out = text_str(&whole);
		return 0;
	}
	if (read_document(arena, edit->agent, text, &doc, err) < 0)
		return -1;
	if (doc.list.node)
		return insert(&doc, &doc.list, NULL, edit, out, err);
	if (doc.hooks.node)
		return insert(&doc, &doc.hooks, edit->agent->events[0], edit,
			      out, err);
	if (check_end(&doc, err) < 0)
		return -1;
	append(&doc, edit, out);
	return 0;
}

/* ---------------------------------------------------------------- removing */

static bool is_at(const struct document *doc, size_t at, const struct text *t)
{
	return at <= doc->n && doc->n - at >= t->n &&
	       !memcmp(doc->text + at, text_str(t), t->n);
}

/* In braces: what insert() put there, and how long it is; 0: it is not. */
static size_t match_braces(const struct document *doc,
			   const struct value *value, const char *key,
			   const struct hooks_edit *own, size_t *at)
{
	struct text t = { .arena = doc->arena };
	bool below = value->form == VALUE_BELOW;

	*at = below ? value->end : value->at + 1;
	if (below)
		text_addf(&t, "%s%*s%s", doc->newline, (int)value->indent + 2,
			  "", key ? "{" : "[");
	if (key)
		text_addf(&t, "%s: [", key);
	add_braces(&t, own);
	text_add(&t, key ? "]" : "");
	if (below)
		text_add(&t, key ? "}" : "]");
	return is_at(doc, *at, &t) ? t.n : 0;
}

/* The line before @start, if it is a key of ours that holds nothing else. */
static size_t take_key(const struct document *doc, const struct value *value,
		       const char *key, size_t start, size_t indent)
{
	struct text t = { .arena = doc->arena };

	text_addf(&t, "%*s%s:%s", (int)indent, "", key, doc->newline);
	if (value->node->n != 1 || value->start + t.n != start ||
	    !is_at(doc, value->start, &t))
		return start;
	return value->start;
}

static size_t match_lines(const struct document *doc,
			  const struct yaml_node *item,
			  const struct hooks_edit *own, size_t *at)
{
	size_t indent = doc->list.node->column - 1;
	size_t start = line_start(doc, item->line), end, first;
	struct text t = { .arena = doc->arena };

	add_lines(&t, own, doc->newline, indent);
	end = start + t.n;
	if (!is_at(doc, start, &t) || line_end(doc, end) != end)
		return 0;
	first = take_key(doc, &doc->list, own->agent->events[0], start,
			 indent >= 2 ? indent - 2 : 0);
	if (first != start)
		first = take_key(doc, &doc->hooks, hooks_key, first, 0);
	/* With the break behind it, or at the end the one before it. */
	if (end < doc->n)
		end += strlen(doc->newline);
	else if (first >= strlen(doc->newline))
		first -= strlen(doc->newline);
	*at = first;
	return end - first;
}

static int remove_item(const struct document *doc, const struct hook_agent *a,
		       const struct yaml_node *item, const char **out,
		       struct err *err)
{
	struct hooks_edit own = {
		.agent = a,
		.command = yaml_node_get(item, "command")->text,
	};
	size_t at = 0, n;

	if (doc->hooks.form == VALUE_BRACES || doc->hooks.form == VALUE_BELOW)
		n = match_braces(doc, &doc->hooks, a->events[0], &own, &at);
	else if (doc->list.form == VALUE_BRACES ||
		 doc->list.form == VALUE_BELOW)
		n = match_braces(doc, &doc->list, NULL, &own, &at);
	else
		n = match_lines(doc, item, &own, &at);
	if (!n)
		return err_set(err, ERR_POLICY,
			       "%u:%u: the entry was changed by hand: remove "
			       "it by hand",
			       item->line, item->column);
	splice(doc, at, at + n, NULL, out);
	return 0;
}

int hooks_yaml_uninstall(struct arena *arena, const struct hooks_edit *edit,
			 const char *text, const char **out, struct err *err)
{
	const char *changed = text;
	struct document doc;

	for (;;) {
		struct text whole = { .arena = arena };
		struct hooks_edit same = *edit;
		const struct yaml_node *item;

		if (read_document(arena, edit->agent, changed, &doc, err) < 0)
			return -1;
		item = find_own(&doc, edit);
		if (!item)
			break;
		same.command = yaml_node_get(item, "command")->text;
		hooks_yaml_format(&whole, &same);
		if (!strcmp(text_str(&whole), changed)) {
			*out = NULL;
			return 0;
		}
		if (remove_item(&doc, edit->agent, item, &changed, err) < 0)
			return -1;
	}
	*out = changed;
	return 0;
}
