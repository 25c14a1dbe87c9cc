/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire/tls.c - which server a ClientHello asks for
 *
 * Runs in:  the egress process.
 * Trusts:   nothing: clients choose every byte.
 * Must not: allocate, or find another name than a server would: where one
 *           could read the message in another way, it is malformed.
 *
 * The message lies in records that may cut it anywhere, so it is read through
 * struct reader, which steps over their heads. Only the outer name counts: an
 * encrypted one (ECH) is behind the server that the outer one leads to.
 */
#include "wire/tls.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
	RECORD_HEAD = 5,
	RECORD_HANDSHAKE = 22,
	RECORD_MAX = 1 << 14,
	MESSAGE_HEAD = 4,
	MESSAGE_CLIENT_HELLO = 1,
	RANDOM_SIZE = 32,
	SESSION_MAX = 32,
	EXTENSION_SERVER_NAME = 0,
	NAME_HOST = 0,
};

/* The rest of a message, or of a vector in it. All of it is there. */
struct reader {
	const unsigned char *at;
	size_t fragment; /* bytes until the head of the next record */
	size_t left;
};

static size_t read_number(const unsigned char *v, size_t n)
{
	size_t number = 0;

	for (size_t i = 0; i < n; i++)
		number = number << 8 | v[i];
	return number;
}

/* Copies to @out unless it is NULL. */
static bool take(struct reader *reader, size_t n, unsigned char *out)
{
	if (n > reader->left)
		return false;
	reader->left -= n;
	while (n) {
		size_t part;

		if (!reader->fragment) {
			reader->fragment = read_number(reader->at + 3, 2);
			reader->at += RECORD_HEAD;
		}
		part = n < reader->fragment ? n : reader->fragment;
		if (out) {
			memcpy(out, reader->at, part);
			out += part;
		}
		reader->at += part;
		reader->fragment -= part;
		n -= part;
	}
	return true;
}

static bool take_number(struct reader *reader, size_t size, size_t *out)
{
	unsigned char v[3];

	if (!take(reader, size, v))
		return false;
	*out = read_number(v, size);
	return true;
}

/* A vector whose length is a number of @size bytes: skipped, and to be read
 * through @out. */
static bool take_vector(struct reader *reader, size_t size, struct reader *out)
{
	size_t n;

	if (!take_number(reader, size, &n))
		return false;
	*out = *reader;
	out->left = n;
	return take(reader, n, NULL);
}

/* The head of a record. Its minor version says nothing (RFC 8446 5.1); SSL 2
 * has another head, and no server name. */
static enum tls_status parse_record(const unsigned char *data, size_t n,
				    size_t *size)
{
	if ((n > 0 && data[0] != RECORD_HANDSHAKE) || (n > 1 && data[1] != 3))
		return TLS_OTHER;
	if (n < RECORD_HEAD)
		return TLS_MORE;
	*size = read_number(data + 3, 2);
	return *size && *size <= RECORD_MAX ? TLS_OK : TLS_MALFORMED;
}

/* What is known of a message by the records so far. */
struct message {
	unsigned char head[MESSAGE_HEAD];
	size_t n; /* bytes of it that are there */
	size_t size; /* as far as it is known */
};

/* More of it, in a record of which @there of @size bytes have come. A record
 * must end with it: a second message there would be one we do not look at. */
static enum tls_status take_fragment(struct message *message,
				     const unsigned char *data, size_t there,
				     size_t size)
{
	for (size_t i = 0; i < there && message->n + i < MESSAGE_HEAD; i++)
		message->head[message->n + i] = data[i];
	message->n += there;
	if (message->n && message->head[0] != MESSAGE_CLIENT_HELLO)
		return TLS_MALFORMED;
	if (message->n >= MESSAGE_HEAD) {
		message->size =
			MESSAGE_HEAD + read_number(message->head + 1, 3);
		if (message->size > TLS_HELLO_MAX ||
		    message->n + (size - there) > message->size)
			return TLS_MALFORMED;
	}
	return there < size ? TLS_MORE : TLS_OK;
}

/* The message in its records, TLS_OK if all of it is there. */
static enum tls_status find_hello(const unsigned char *data, size_t n,
				  struct reader *out)
{
	struct message message = { .size = MESSAGE_HEAD };
	size_t at = 0;

	while (message.n < message.size) {
		enum tls_status status;
		size_t size, left;

		status = parse_record(data + at, n - at, &size);
		if (status == TLS_OTHER && at)
			return TLS_MALFORMED;
		if (status != TLS_OK)
			return status;
		at += RECORD_HEAD;
		if (at + size > TLS_HELLO_MAX)
			return TLS_MALFORMED;
		left = n - at;
		status = take_fragment(&message, data + at,
				       left < size ? left : size, size);
		if (status != TLS_OK)
			return status;
		at += size;
	}
	*out = (struct reader){ .at = data, .left = message.size };
	return TLS_OK;
}

/* RFC 6066 3, where other kinds of names than of hosts were never defined. */
static bool parse_name(struct reader *extension, struct reader *out)
{
	struct reader list;
	size_t kind;

	return take_vector(extension, 2, &list) && !extension->left &&
	       take_number(&list, 1, &kind) && kind == NAME_HOST &&
	       take_vector(&list, 2, out) && !list.left && out->left &&
	       out->left <= TLS_NAME_MAX;
}

static bool parse_extensions(struct reader *list, struct reader *name)
{
	bool found = false;

	while (list->left) {
		struct reader extension;
		size_t type;

		if (!take_number(list, 2, &type) ||
		    !take_vector(list, 2, &extension))
			return false;
		if (type != EXTENSION_SERVER_NAME)
			continue;
		if (found || !parse_name(&extension, name))
			return false;
		found = true;
	}
	return true;
}

/* RFC 8446 4.1.2, and RFC 5246 7.4.1.2, where extensions may be missing. */
static bool parse_hello(struct reader *hello, struct reader *name)
{
	struct reader session, suites, compressions, extensions;
	size_t version;

	name->left = 0;
	if (!take(hello, MESSAGE_HEAD, NULL) ||
	    !take_number(hello, 2, &version) || version >> 8 != 3 ||
	    !take(hello, RANDOM_SIZE, NULL) ||
	    !take_vector(hello, 1, &session) || session.left > SESSION_MAX ||
	    !take_vector(hello, 2, &suites) || !suites.left ||
	    suites.left % 2 || !take_vector(hello, 1, &compressions) ||
	    !compressions.left)
		return false;
	if (!hello->left)
		return true;
	return take_vector(hello, 2, &extensions) && !hello->left &&
	       parse_extensions(&extensions, name);
}

enum tls_status tls_hello_parse(const void *data, size_t n,
				char name[TLS_NAME_MAX + 1])
{
	unsigned char text[TLS_NAME_MAX];
	struct reader hello, found;
	enum tls_status status;
	size_t length;

	status = find_hello(data, n, &hello);
	if (status != TLS_OK)
		return status;
	if (!parse_hello(&hello, &found))
		return TLS_MALFORMED;
	length = found.left;
	(void)take(&found, length, text);
	if (memchr(text, '\0', length))
		return TLS_MALFORMED;
	memcpy(name, text, length);
	name[length] = '\0';
	return TLS_OK;
}

size_t tls_hello_size(const void *data, size_t n)
{
	struct reader hello;

	if (find_hello(data, n, &hello) != TLS_OK)
		return 0;
	/* Its last record ends with it. */
	(void)take(&hello, hello.left, NULL);
	return (size_t)(hello.at - (const unsigned char *)data);
}
