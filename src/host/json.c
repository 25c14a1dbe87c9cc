/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Strict reading of JSON, with the place of each mistake.
 *
 * Runs in:  supervisor
 * Trusts:   jansson for the syntax; nothing in the document
 * Must not: repair or convert: what has the wrong type is an error
 */
#include "host/json.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"

int host_json_fail(struct host_json *json, const char *path, const char *fmt,
		   ...)
{
	char what[400];
	va_list ap;

	va_start(ap, fmt);
	/* cut where it is too long, as errors are */
	(void)vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return err_set(json->err, ERR_POLICY, "%s %s: %s%s%s", json->kind,
		       json->name, path, *path ? ": " : "", what);
}

const char *host_json_join(struct host_json *json, const char *path,
			   const char *key)
{
	return arena_printf(json->arena, "%s%s%s", path, *path ? "." : "", key);
}

const char *host_json_at(struct host_json *json, const char *path, size_t i)
{
	return arena_printf(json->arena, "%s[%zu]", path, i);
}

static bool is_known(const char *const *known, const char *key)
{
	for (; *known; known++)
		if (!strcmp(*known, key))
			return true;
	return false;
}

int host_json_check_keys(struct host_json *json, const char *path,
			 json_t *object, const char *const *known)
{
	if (!json_is_object(object))
		return host_json_fail(json, path, "must be an object");
	for (void *i = json_object_iter(object); i;
	     i = json_object_iter_next(object, i))
		if (!is_known(known, json_object_iter_key(i)))
			return host_json_fail(json, path, "unknown key '%s'",
					      json_object_iter_key(i));
	return 0;
}

json_t *host_json_find(json_t *object, const char *key)
{
	json_t *value = json_object_get(object, key);

	return json_is_null(value) ? NULL : value;
}

int host_json_read_string(struct host_json *json, const char *path,
			  json_t *object, const char *key, const char **out)
{
	json_t *value = host_json_find(object, key);

	if (value && !json_is_string(value))
		return host_json_fail(json, host_json_join(json, path, key),
				      "must be a string");
	*out = json_string_value(value);
	return 0;
}

int host_json_read_strings(struct host_json *json, const char *path,
			   json_t *object, const char *key, json_t **out)
{
	json_t *list = host_json_find(object, key);
	const char *where = host_json_join(json, path, key);

	if (list && !json_is_array(list))
		return host_json_fail(json, where, "must be a list");
	for (size_t i = 0; i < json_array_size(list); i++)
		if (!json_is_string(json_array_get(list, i)))
			return host_json_fail(json,
					      host_json_at(json, where, i),
					      "must be a string");
	*out = list;
	return 0;
}

bool host_json_has_string(json_t *list, const char *s)
{
	for (size_t i = 0; i < json_array_size(list); i++)
		if (!strcmp(json_string_value(json_array_get(list, i)), s))
			return true;
	return false;
}

int host_json_read_number(struct host_json *json, const char *path,
			  json_t *object, const char *key, uint64_t max,
			  uint64_t *out)
{
	json_t *value = host_json_find(object, key);

	if (!json_is_integer(value) || json_integer_value(value) < 0 ||
	    (uint64_t)json_integer_value(value) > max)
		return host_json_fail(json, host_json_join(json, path, key),
				      "must be a whole number from 0 to %llu",
				      (unsigned long long)max);
	*out = (uint64_t)json_integer_value(value);
	return 0;
}
