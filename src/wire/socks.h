/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_WIRE_SOCKS_H
#define CORDON_WIRE_SOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* SOCKS version 5, RFC 1928, as the server sees it. */

enum {
	SOCKS_REPLY_MAX = 22,
	/* largest greeting, and largest request */
	SOCKS_GREETING_MAX = 257,
	SOCKS_REQUEST_MAX = 262,
};

enum socks_status {
	SOCKS_OK,
	SOCKS_MORE,
	SOCKS_MALFORMED, /* also: another version */
};

/* RFC 1928, 6 */
enum socks_reply {
	SOCKS_SUCCEEDED = 0,
	SOCKS_FAILURE = 1,
	SOCKS_NOT_ALLOWED = 2,
	SOCKS_NETWORK_UNREACHABLE = 3,
	SOCKS_HOST_UNREACHABLE = 4,
	SOCKS_REFUSED = 5,
	SOCKS_EXPIRED = 6,
	SOCKS_COMMAND_UNSUPPORTED = 7,
	SOCKS_ADDRESS_UNSUPPORTED = 8,
};

enum socks_address { SOCKS_IPV4 = 1, SOCKS_NAME = 3, SOCKS_IPV6 = 4 };

struct socks_request {
	enum socks_reply refusal; /* SUCCEEDED, or why it cannot be served:
				   * another command or kind of address */
	enum socks_address kind;
	const unsigned char *host; /* into what was parsed */
	size_t host_n; /* 4, 16 or the length of the name */
	uint16_t port;
	size_t size; /* of the request */
};

/* A greeting at the beginning of @data. @size: its bytes; @none: the client
 * can do without authentication. */
enum socks_status socks_greeting_parse(const void *data, size_t n, size_t *size,
				       bool *none);

enum socks_status socks_request_parse(const void *data, size_t n,
				      struct socks_request *out);

/* A reply with the address 0.0.0.0:0; returns its size. */
size_t socks_reply_format(enum socks_reply reply,
			  unsigned char out[SOCKS_REPLY_MAX]);

#endif
