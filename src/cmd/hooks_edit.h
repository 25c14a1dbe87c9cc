/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_CMD_HOOKS_EDIT_H
#define CORDON_CMD_HOOKS_EDIT_H

#include <stdbool.h>

struct arena;
struct err;
struct hook_agent;
struct text;

/*
 * Changes of an agent's file, from text to text: what is not ours stays byte
 * by byte, and uninstalling gives back what was there before installing.
 * ERR_POLICY, with the place, where the file is broken or of a form that is
 * not edited; nothing is changed then.
 */
struct hooks_edit {
	const struct hook_agent *agent;
	const char *command; /* hook_command_format() */
	bool yes; /* also what is not plainly ours */
};

/* @text NULL: there is no file. *@out is @text itself if all is there. */
int hooks_install(struct arena *arena, const struct hooks_edit *edit,
		  const char *text, const char **out, struct err *err);

/* *@out is @text itself if nothing of ours is in it, NULL if the file was
 * ours. */
int hooks_uninstall(struct arena *arena, const struct hooks_edit *edit,
		    const char *text, const char **out, struct err *err);

/* What is put into the file, as it stands in one that holds nothing else. */
void hooks_format(struct text *out, const struct hooks_edit *edit);

/* By the form of the file. */
typedef int hooks_change_fn(struct arena *arena, const struct hooks_edit *edit,
			    const char *text, const char **out,
			    struct err *err);
typedef void hooks_format_fn(struct text *out, const struct hooks_edit *edit);

hooks_change_fn hooks_json_install, hooks_json_uninstall;
hooks_change_fn hooks_yaml_install, hooks_yaml_uninstall;
hooks_change_fn hooks_plugin_install, hooks_plugin_uninstall;
hooks_format_fn hooks_json_format, hooks_yaml_format, hooks_plugin_format;

/* A string of JSON, with its quotes. */
void hooks_string_format(struct text *out, const char *s);

#endif
