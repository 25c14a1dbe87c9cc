/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/schema.c - the field table as JSON Schema and as a manual's rows
 *
 * Runs in:  `cordon policy schema`, and the build of the manual.
 * Trusts:   the field table.
 * Must not: say anything of a key that the table does not say.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "policy/fields.h"

static const char size_pattern[] =
	"^(0|[1-9][0-9]*)(\\.[0-9]{1,9})?"
	"(B|K|M|G|T|KiB|MiB|GiB|TiB|KB|MB|GB|TB|k|m|g|kB)?$";
static const char duration_pattern[] =
	"^(0|[1-9][0-9]*)(\\.[0-9]{1,9})?(ms|s|m|h|d)?$";

static json_t *choices_schema(const struct policy_field *field)
{
	json_t *words = json_array();

	for (size_t i = 0; field->choices[i]; i++)
		json_array_append_new(words, json_string(field->choices[i]));
	return json_pack("{s:o}", "enum", words);
}

static json_t *item_schema(const struct policy_field *field)
{
	switch (field->form) {
	case POLICY_FORM_WORD:
		return choices_schema(field);
	case POLICY_FORM_PORT:
	case POLICY_FORM_PUBLISH:
		return json_pack("{s:[s,s]}", "type", "string", "integer");
	case POLICY_FORM_ANY:
	case POLICY_FORM_PATH:
	case POLICY_FORM_ENV:
	case POLICY_FORM_HOST:
	case POLICY_FORM_ENDPOINT:
	case POLICY_FORM_PROXY:
	case POLICY_FORM_COMMAND:
	case POLICY_FORM_PROFILE:
	case POLICY_FORM_REGEX:
	case POLICY_FORM_SYSCALLS:
		break;
	}
	return json_pack("{s:s, s:i}", "type", "string", "minLength", 1);
}

static json_t *array_schema(const struct policy_field *field)
{
	return json_pack("{s:s, s:o}", "type", "array", "items",
			 item_schema(field));
}

/* {NAME: …} with nothing else in it. */
static json_t *change_schema(const char *name, json_t *inner)
{
	return json_pack("{s:s, s:{s:o}, s:[s], s:b}", "type", "object",
			 "properties", name, inner, "required", name,
			 "additionalProperties", 0);
}

static json_t *list_schema(const struct policy_field *field)
{
	if (field->form == POLICY_FORM_PROFILE)
		return json_pack("{s:[o, o]}", "anyOf", item_schema(field),
				 array_schema(field));
	return json_pack("{s:[o, o, o]}", "anyOf", array_schema(field),
			 change_schema("replace", array_schema(field)),
			 change_schema("remove", array_schema(field)));
}

static json_t *pairs_schema(void)
{
	return json_pack("{s:s, s:{s:[s, s, s]}}", "type", "object",
			 "additionalProperties", "type", "string", "number",
			 "boolean");
}

static json_t *map_schema(const struct policy_field *field)
{
	return json_pack("{s:[o, o, o]}", "anyOf", pairs_schema(),
			 change_schema("replace", pairs_schema()),
			 change_schema("remove", array_schema(field)));
}

static json_t *value_schema(const struct policy_field *field)
{
	switch (field->type) {
	case POLICY_BOOL:
		return json_pack("{s:s}", "type", "boolean");
	case POLICY_CHOICE:
		return choices_schema(field);
	case POLICY_INTEGER:
		return json_pack("{s:s, s:i}", "type", "integer", "minimum", 0);
	case POLICY_SIZE:
		return json_pack("{s:[s,s], s:s, s:i}", "type", "string",
				 "integer", "pattern", size_pattern, "minimum",
				 0);
	case POLICY_DURATION:
		return json_pack("{s:[s,s], s:s, s:i}", "type", "string",
				 "number", "pattern", duration_pattern,
				 "minimum", 0);
	case POLICY_CPUS:
		return json_pack("{s:s, s:i}", "type", "number", "minimum", 0);
	case POLICY_TEXT:
		return json_pack("{s:s}", "type", "string");
	case POLICY_LIST:
		return list_schema(field);
	case POLICY_MAP:
		return map_schema(field);
	}
	return json_object();
}

static json_t *section_schema(void)
{
	return json_pack("{s:s, s:{}, s:b}", "type", "object", "properties",
			 "additionalProperties", 0);
}

/* The `properties` that @key is one of, made where they are missing. */
static json_t *properties_of(json_t *root, const char *key)
{
	json_t *properties = json_object_get(root, "properties");

	for (const char *dot; (dot = strchr(key, '.')); key = dot + 1) {
		char part[64];
		json_t *section;

		memcpy(part, key, (size_t)(dot - key));
		part[dot - key] = '\0';
		section = json_object_get(properties, part);
		if (!section) {
			section = section_schema();
			json_object_set_new(properties, part, section);
		}
		properties = json_object_get(section, "properties");
	}
	return properties;
}

static void add_field(json_t *root, const struct policy_field *field)
{
	const char *dot = strrchr(field->key, '.');
	json_t *schema = value_schema(field);

	json_object_set_new(schema, "description", json_string(field->doc));
	if (!strcmp(field->key, "version"))
		json_object_set_new(schema, "const", json_integer(1));
	json_object_set_new(properties_of(root, field->key),
			    dot ? dot + 1 : field->key, schema);
}

char *policy_schema_format(struct arena *arena)
{
	json_t *root = section_schema();
	char *dumped, *copy;

	json_object_set_new(
		root, "$schema",
		json_string("https://json-schema.org/draft/2020-12/schema"));
	json_object_set_new(root, "title", json_string("cordon policy"));
	for (size_t i = 0; i < policy_fields_n; i++)
		add_field(root, &policy_fields[i]);
	dumped = json_dumps(root, JSON_INDENT(2) | JSON_SORT_KEYS);
	copy = arena_strdup(arena, dumped ? dumped : "{}");
	free(dumped);
	json_decref(root);
	return copy;
}

static const char *const type_names[] = {
	[POLICY_BOOL] = "true or false",
	[POLICY_CHOICE] = "",
	[POLICY_INTEGER] = "number",
	[POLICY_SIZE] = "size",
	[POLICY_DURATION] = "duration",
	[POLICY_CPUS] = "number",
	[POLICY_TEXT] = "text",
	[POLICY_LIST] = "list",
	[POLICY_MAP] = "names and values",
};

static void add_type(struct text *out, const struct policy_field *field)
{
	text_add(out, type_names[field->type]);
	if (field->form == POLICY_FORM_WORD)
		text_add(out, " of ");
	for (size_t i = 0; field->choices[i]; i++)
		text_addf(out, "%s%s", i ? " | " : "", field->choices[i]);
}

/* Sources of manuals have short lines. */
static void add_wrapped(struct text *out, const char *sentence)
{
	enum { WIDTH = 72 };

	while (strlen(sentence) > WIDTH) {
		size_t len = WIDTH;

		while (len && sentence[len] != ' ')
			len--;
		if (!len)
			break;
		text_addn(out, sentence, len);
		text_add(out, "\n");
		sentence += len + 1;
	}
	text_addf(out, "%s\n", sentence);
}

/* A row whose key this build refuses says so. */
void policy_fields_format_mdoc(struct text *out)
{
	text_add(out, ".Bl -tag -width Ds\n");
	for (size_t i = 0; i < policy_fields_n; i++) {
		const struct policy_field *field = &policy_fields[i];

		text_addf(out, ".It Ic %s\n", field->key);
		text_add(out, "(");
		add_type(out, field);
		if (field->initial[0])
			text_addf(out, "; default\n.Ql %s )\n", field->initial);
		else
			text_add(out, ")\n");
		add_wrapped(out, field->doc);
		if (!field->supported)
			text_add(out, "Not supported by this build.\n");
		for (size_t c = 0; field->choices[c]; c++) {
			if (field->unsupported_choices >> c & 1)
				text_addf(out,
					  ".Ql %s\nis not supported by this "
					  "build.\n",
					  field->choices[c]);
		}
	}
	text_add(out, ".El\n");
}
