/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_WIRE_TLS_H
#define CORDON_WIRE_TLS_H

#include <stddef.h>

enum {
	TLS_HELLO_MAX = 64 * 1024, /* of records that carry a ClientHello */
	TLS_NAME_MAX = 255,
};

enum tls_status {
	TLS_OK,
	TLS_MORE, /* so far a ClientHello, and not whole yet */
	TLS_MALFORMED, /* begins like one, and is none; or is too large */
	TLS_OTHER, /* not TLS */
};

/*
 * The server name that a whole ClientHello asks for, which may come in several
 * records (RFC 8446 5.1): "" if it asks for none. @name is terminated and as
 * sent, without NUL bytes (such a name is malformed). More than one name or
 * more than one server_name extension is malformed.
 */
enum tls_status tls_hello_parse(const void *data, size_t n,
				char name[TLS_NAME_MAX + 1]);

/* The bytes of the records that carry it; @data was parsed with TLS_OK. */
size_t tls_hello_size(const void *data, size_t n);

#endif
