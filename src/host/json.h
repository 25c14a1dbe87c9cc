/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_HOST_JSON_H
#define CORDON_HOST_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

struct arena;
struct err;

/*
 * Strict reading of a JSON document. Each function that can fail does so with
 * ERR_POLICY and names the document and the place in it:
 *
 *     seccomp profile /etc/x.json: syscalls[3].args[0].op: must be a string
 *
 * A place is given as the @path of an object ("" at the top) and a key of it.
 * A key that is null counts as absent.
 */
struct host_json {
	struct arena *arena; /* for paths */
	const char *kind; /* "seccomp profile" */
	const char *name; /* of the document */
	struct err *err;
};

int host_json_fail(struct host_json *json, const char *path, const char *fmt,
		   ...) __attribute__((format(printf, 3, 4)));

const char *host_json_join(struct host_json *json, const char *path,
			   const char *key);
const char *host_json_at(struct host_json *json, const char *path, size_t i);

/* Is it an object with no other keys than @known, which ends with NULL? */
int host_json_check_keys(struct host_json *json, const char *path,
			 json_t *object, const char *const *known);

/* NULL where the key is absent. */
json_t *host_json_find(json_t *object, const char *key);
int host_json_read_string(struct host_json *json, const char *path,
			  json_t *object, const char *key, const char **out);
/* A list of strings. */
int host_json_read_strings(struct host_json *json, const char *path,
			   json_t *object, const char *key, json_t **out);
bool host_json_has_string(json_t *list, const char *s);

/* Must be there. */
int host_json_read_number(struct host_json *json, const char *path,
			  json_t *object, const char *key, uint64_t max,
			  uint64_t *out);

#endif
