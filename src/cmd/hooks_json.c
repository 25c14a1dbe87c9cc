/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd/hooks_json.c - the hook in files of JSON, with or without comments
 *
 * Runs in:  the process of `cordon hooks`.
 * Trusts:   the person who names the file; nothing in it.
 * Must not: write a file anew from what it means: its layout and comments are
 *           its owner's.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/jsonc.h"
#include "base/text.h"
#include "cmd/hook_agent.h"
#include "cmd/hooks_edit.h"

enum { ENTRIES_MAX = 1000 };

void hooks_string_format(struct text *out, const char *s)
{
	json_t *json = json_string(s);
	char *text = json_dumps(json, JSON_ENCODE_ANY);

	text_add(out, text ? text : "\"\"");
	free(text);
	json_decref(json);
}

/* {"matcher":…,"hooks":[{"type":"command","command":…}]}, or flat. */
static const char *entry_format(struct arena *arena,
				const struct hooks_edit *edit)
{
	const struct hook_agent *agent = edit->agent;
	bool groups = agent->file == HOOK_FILE_GROUPS;
	struct text out = { .arena = arena };

	text_add(&out, "{");
	if (agent->matcher)
		text_addf(&out, "\"matcher\":\"%s\",", agent->matcher);
	if (groups)
		text_add(&out, "\"hooks\":[{\"type\":\"command\",");
	text_add(&out, "\"command\":");
	hooks_string_format(&out, edit->command);
	/* Windsurf has neither matchers nor times. */
	text_add(&out,
		 agent->matcher ? ",\"timeout\":30" : ",\"show_output\":true");
	if (agent->closed)
		text_addf(&out, ",%s", agent->closed);
	text_add(&out, groups ? "}]}" : "}");
	return text_str(&out);
}

void hooks_json_format(struct text *out, const struct hooks_edit *edit)
{
	const char *entry = entry_format(out->arena, edit);
	struct text piece = { .arena = out->arena };

	text_addf(&piece, "{%s\"hooks\":{",
		  edit->agent->version ? "\"version\":1," : "");
	for (size_t i = 0; i < HOOK_EVENTS_MAX && edit->agent->events[i]; i++)
		text_addf(&piece, "%s\"%s\":[%s]", i ? "," : "",
			  edit->agent->events[i], entry);
	text_add(&piece, "}}");
	jsonc_format(out, text_str(&piece), "\n", "");
	text_add(out, "\n");
}

/* ------------------------------------------------------------ finding ours */

/* One step down, from a container to a child of it. */
struct step {
	struct jsonc_value container;
	struct jsonc_child child;
};

/* The ways down: to "hooks", to the event's list, to the entry in it, and in
 * groups to the hook in the entry's own list. */
enum { STEP_HOOKS, STEP_EVENT, STEP_ENTRY, STEP_HOOK, STEPS };

struct place {
	struct step v[STEPS];
	size_t last; /* the step to our command */
	const char *command;
};

static int find_one(struct arena *arena, const struct jsonc *doc,
		    const struct jsonc_value *object, const char *key,
		    enum jsonc_kind kind, struct step *out, struct err *err)
{
	size_t n = jsonc_find(arena, doc, object, key, &out->child);

	out->container = *object;
	if (n > 1)
		return err_set(err, ERR_POLICY, "\"%s\" is there twice", key);
	if (n && out->child.value.kind != kind)
		return err_set(err, ERR_POLICY, "\"%s\" is not %s", key,
			       kind == JSONC_OBJECT ? "an object" : "a list");
	return (int)n;
}

/* The command of a hook, if it is ours. */
static const char *own_command(struct arena *arena, const struct jsonc *doc,
			       const struct jsonc_value *hook,
			       const struct hooks_edit *edit)
{
	struct jsonc_child child;
	const char *command;

	if (!jsonc_find(arena, doc, hook, "command", &child))
		return NULL;
	command = jsonc_string(arena, doc, &child.value);
	if (!command ||
	    !hook_command_is_own(arena, command, edit->agent, edit->command))
		return NULL;
	return command;
}

/* The hooks in one entry of a list: itself, or those of its own list. */
static bool find_in_entry(struct arena *arena, const struct jsonc *doc,
			  const struct hooks_edit *edit, struct place *out)
{
	struct jsonc_child list;
	struct jsonc_children all;

	out->last = STEP_ENTRY;
	if (edit->agent->file == HOOK_FILE_FLAT) {
		out->command = own_command(
			arena, doc, &out->v[STEP_ENTRY].child.value, edit);
		return out->command != NULL;
	}
	if (!jsonc_find(arena, doc, &out->v[STEP_ENTRY].child.value, "hooks",
			&list))
		return false;
	jsonc_list(arena, doc, &list.value, &all);
	for (size_t i = 0; i < all.n; i++) {
		out->command = own_command(arena, doc, &all.v[i].value, edit);
		if (!out->command)
			continue;
		/* An entry that holds nothing but ours goes as a whole. */
		if (all.n > 1)
			out->last = STEP_HOOK;
		out->v[STEP_HOOK] = (struct step){ list.value, all.v[i] };
		return true;
	}
	return false;
}

/* 1: @out leads to a hook of ours for this event; 0: there is none. */
static int find_own(struct arena *arena, const struct jsonc *doc,
		    const struct hooks_edit *edit, const char *event,
		    struct place *out, struct err *err)
{
	struct jsonc_children all;
	int found;

	if (doc->root.kind != JSONC_OBJECT)
		return err_set(err, ERR_POLICY, "1:1: an object is wanted");
	found = find_one(arena, doc, &doc->root, "hooks", JSONC_OBJECT,
			 &out->v[STEP_HOOKS], err);
	if (found <= 0)
		return found;
	found = find_one(arena, doc, &out->v[STEP_HOOKS].child.value, event,
			 JSONC_ARRAY, &out->v[STEP_EVENT], err);
	if (found <= 0)
		return found;
	jsonc_list(arena, doc, &out->v[STEP_EVENT].child.value, &all);
	for (size_t i = 0; i < all.n; i++) {
		out->v[STEP_ENTRY] =
			(struct step){ out->v[STEP_EVENT].child.value,
				       all.v[i] };
		if (find_in_entry(arena, doc, edit, out))
			return 1;
	}
	return 0;
}

/* ---------------------------------------------------------------- removing */

/* With the lists and objects that came with it. */
static void remove_own(struct arena *arena, const struct jsonc *doc,
		       const struct place *place, struct text *out)
{
	size_t at = place->last;

	while (at && at <= STEP_ENTRY &&
	       jsonc_is_made(arena, doc, &place->v[at].container))
		at--;
	jsonc_remove(arena, doc, &place->v[at].container, &place->v[at].child,
		     out);
}

static int remove_event(struct arena *arena, const struct hooks_edit *edit,
			const char *event, const char **text, struct err *err)
{
	for (size_t i = 0; i < ENTRIES_MAX; i++) {
		struct text out = { .arena = arena };
		struct place place = { 0 };
		struct jsonc doc;
		int found;

		if (jsonc_parse(*text, strlen(*text), &doc, err) < 0)
			return -1;
		found = find_own(arena, &doc, edit, event, &place, err);
		if (found <= 0)
			return found;
		remove_own(arena, &doc, &place, &out);
		*text = text_str(&out);
	}
	return err_set(err, ERR_POLICY, "there are too many entries");
}

/* Is it the file that hooks_json_format() gives, with any command? */
static bool is_made(struct arena *arena, const struct hooks_edit *edit,
		    const char *text)
{
	struct text whole = { .arena = arena };
	struct hooks_edit same = *edit;
	struct place place = { 0 };
	struct jsonc doc;
	struct err ignored;

	if (jsonc_parse(text, strlen(text), &doc, &ignored) < 0 ||
	    find_own(arena, &doc, edit, edit->agent->events[0], &place,
		     &ignored) <= 0)
		return false;
	same.command = place.command;
	hooks_json_format(&whole, &same);
	return !strcmp(text_str(&whole), text);
}

int hooks_json_uninstall(struct arena *arena, const struct hooks_edit *edit,
			 const char *text, const char **out, struct err *err)
{
	const char *changed = text;

	*out = NULL;
	if (is_made(arena, edit, text))
		return 0;
	/* Last in, first out. */
	for (size_t i = HOOK_EVENTS_MAX; i-- > 0;) {
		if (edit->agent->events[i] &&
		    remove_event(arena, edit, edit->agent->events[i], &changed,
				 err) < 0)
			return -1;
	}
	*out = changed;
	return 0;
}

/* -------------------------------------------------------------- installing */

/* The entry as it stands, if it means the same as ours. */
static bool is_same(const struct jsonc *doc, const struct place *place,
		    const char *entry)
{
	const struct jsonc_value *at = &place->v[STEP_ENTRY].child.value;
	json_t *a = json_loadb(doc->text + at->at, at->end - at->at, 0, NULL);
	json_t *b = json_loads(entry, 0, NULL);
	bool same = a && b && json_equal(a, b);

	json_decref(a);
	json_decref(b);
	return same;
}

static int add_entry(struct arena *arena, const struct hooks_edit *edit,
		     const char *event, const char **text, struct err *err)
{
	const char *entry = entry_format(arena, edit);
	struct text out = { .arena = arena };
	struct step hooks, list;
	struct jsonc doc;
	int found;

	if (jsonc_parse(*text, strlen(*text), &doc, err) < 0)
		return -1;
	found = find_one(arena, &doc, &doc.root, "hooks", JSONC_OBJECT, &hooks,
			 err);
	if (found < 0)
		return -1;
	if (!found) {
		jsonc_insert(arena, &doc, &doc.root,
			     arena_printf(arena, "\"hooks\":{\"%s\":[%s]}",
					  event, entry),
			     &out);
		*text = text_str(&out);
		return 0;
	}
	found = find_one(arena, &doc, &hooks.child.value, event, JSONC_ARRAY,
			 &list, err);
	if (found < 0)
		return -1;
	jsonc_insert(arena, &doc,
		     found ? &list.child.value : &hooks.child.value,
		     found ? entry
			   : arena_printf(arena, "\"%s\":[%s]", event, entry),
		     &out);
	*text = text_str(&out);
	return 0;
}

/* Without it Cursor takes no notice of the file. */
static int check_version(struct arena *arena, const struct jsonc *doc,
			 const struct hook_agent *agent, struct err *err)
{
	struct jsonc_child version;

	if (!agent->version ||
	    jsonc_find(arena, doc, &doc->root, "version", &version) == 1)
		return 0;
	return err_set(err, ERR_POLICY,
		       "\"version\": 1 is missing, without which %s does not "
		       "read the file",
		       agent->title);
}

/* Is every entry of ours there, once and as it shall be? */
static int is_there(struct arena *arena, const struct hooks_edit *edit,
		    const char *text, struct err *err)
{
	const char *entry = entry_format(arena, edit);
	struct jsonc doc;

	if (jsonc_parse(text, strlen(text), &doc, err) < 0)
		return -1;
	for (size_t i = 0; i < HOOK_EVENTS_MAX && edit->agent->events[i]; i++) {
		struct place place = { 0 };
		int found = find_own(arena, &doc, edit, edit->agent->events[i],
				     &place, err);

		if (found <= 0)
			return found;
		if (place.last != STEP_ENTRY || !is_same(&doc, &place, entry))
			return 0;
	}
	return check_version(arena, &doc, edit->agent, err) < 0 ? -1 : 1;
}

int hooks_json_install(struct arena *arena, const struct hooks_edit *edit,
		       const char *text, const char **out, struct err *err)
{
	struct text whole = { .arena = arena };
	const char *changed = text;
	struct jsonc doc;
	int there = text ? is_there(arena, edit, text, err) : 0;

	if (there < 0)
		return -1;
	if (text && !there &&
	    hooks_json_uninstall(arena, edit, text, &changed, err) < 0)
		return -1;
	if (!changed) {
		hooks_json_format(&whole, edit);
		*out = text_str(&whole);
		return 0;
	}
	if (jsonc_parse(changed, strlen(changed), &doc, err) < 0 ||
	    check_version(arena, &doc, edit->agent, err) < 0)
		return -1;
	for (size_t i = 0;
	     !there && i < HOOK_EVENTS_MAX && edit->agent->events[i]; i++) {
		if (add_entry(arena, edit, edit->agent->events[i], &changed,
			      err) < 0)
			return -1;
	}
	*out = changed;
	return 0;
}
