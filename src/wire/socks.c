/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire/socks.c - what a client of SOCKS 5 says, and the replies
 *
 * Runs in:  the egress process.
 * Trusts:   nothing: the client is the box's.
 * Must not: allocate, or read past what came.
 */
#include "wire/socks.h"

#include <string.h>

enum { VERSION = 5, METHOD_NONE = 0, COMMAND_CONNECT = 1 };

enum socks_status socks_greeting_parse(const void *data, size_t n, size_t *size,
				       bool *none)
{
	const unsigned char *v = data;

	if (n > 0 && v[0] != VERSION)
		return SOCKS_MALFORMED;
	if (n < 2)
		return SOCKS_MORE;
	if (v[1] == 0)
		return SOCKS_MALFORMED;
	if (n < 2u + v[1])
		return SOCKS_MORE;
	*size = 2u + v[1];
	*none = memchr(v + 2, METHOD_NONE, v[1]) != NULL;
	return SOCKS_OK;
}

/* The bytes between the kind of an address and the address, and its own. */
static bool host_measure(const unsigned char *v, size_t *skip, size_t *size)
{
	*skip = 0;
	switch (v[0]) {
	case SOCKS_IPV4:
		*size = 4;
		return true;
	case SOCKS_IPV6:
		*size = 16;
		return true;
	case SOCKS_NAME:
		*skip = 1;
		*size = v[1];
		return true;
	default:
		return false;
	}
}

enum socks_status socks_request_parse(const void *data, size_t n,
				      struct socks_request *out)
{
	const unsigned char *v = data;
	const unsigned char *port;
	size_t skip;
	size_t host_n;

	if ((n > 0 && v[0] != VERSION) || (n > 2 && v[2] != 0))
		return SOCKS_MALFORMED;
	if (n < 5)
		return SOCKS_MORE;
	if (!host_measure(v + 3, &skip, &host_n)) {
		/* Only its kind would tell how long it is. */
		*out = (struct socks_request){
			.refusal = SOCKS_ADDRESS_UNSUPPORTED, .size = n
		};
		return SOCKS_OK;
	}
	if (host_n == 0)
		return SOCKS_MALFORMED;
	if (n < 4 + skip + host_n + 2)
		return SOCKS_MORE;
	port = v + 4 + skip + host_n;
	*out = (struct socks_request){
		.refusal = v[1] == COMMAND_CONNECT ? SOCKS_SUCCEEDED
						   : SOCKS_COMMAND_UNSUPPORTED,
		.kind = v[3],
		.host = v + 4 + skip,
		.host_n = host_n,
		.port = (uint16_t)(port[0] << 8 | port[1]),
		.size = 4 + skip + host_n + 2,
	};
	return SOCKS_OK;
}

size_t socks_reply_format(enum socks_reply reply,
			  unsigned char out[SOCKS_REPLY_MAX])
{
	const unsigned char v[] = {
		VERSION, (unsigned char)reply, 0, SOCKS_IPV4, 0, 0, 0, 0, 0, 0,
	};

	memcpy(out, v, sizeof(v));
	return sizeof(v);
}
