/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a ClientHello, in one piece and in several. The records that a
 * message is cut into change nothing about it.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "wire/tls.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void require(bool holds)
{
	if (!holds)
		abort();
}

static void check_prefixes(const uint8_t *data, size_t n)
{
	size_t step = n < 1024 ? 1 : n / 512;
	enum tls_status before = TLS_MORE;
	char name[TLS_NAME_MAX + 1];

	for (size_t i = 0; i <= n; i += i + step > n && i < n ? n - i : step) {
		enum tls_status status = tls_hello_parse(data, i, name);

		require(before == TLS_MORE || status == before);
		before = status;
	}
}

/* The message without the heads of its records; as it was accepted, they can
 * be believed. */
static size_t join(const uint8_t *data, uint8_t *out)
{
	size_t whole = 4, n = 0;

	while (n < whole) {
		size_t size = (size_t)data[3] << 8 | data[4];

		memcpy(out + n, data + 5, size);
		n += size;
		data += 5 + size;
		if (n >= 4)
			whole = 4 + ((size_t)out[1] << 16 |
				     (size_t)out[2] << 8 | out[3]);
	}
	require(n == whole);
	return n;
}

static size_t cut(const uint8_t *message, size_t n, size_t piece, uint8_t *out)
{
	size_t to = 0;

	for (size_t at = 0; at < n; at += piece) {
		size_t size = n - at < piece ? n - at : piece;
		const uint8_t head[] = { 22, 3, 3, (uint8_t)(size >> 8),
					 (uint8_t)size };

		memcpy(out + to, head, sizeof(head));
		memcpy(out + to + sizeof(head), message + at, size);
		to += sizeof(head) + size;
	}
	return to;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const size_t pieces[] = { 1, 2, 3, 4, 5, 100, 1 << 14 };
	static uint8_t message[TLS_HELLO_MAX], records[6 * TLS_HELLO_MAX];
	char name[TLS_NAME_MAX + 1], again[TLS_NAME_MAX + 1];
	size_t size;

	check_prefixes(data, n);
	memset(name, 'x', sizeof(name));
	if (tls_hello_parse(data, n, name) != TLS_OK) {
		require(!memchr(name, '\0', sizeof(name)));
		return 0;
	}
	require(memchr(name, '\0', sizeof(name)));
	require(data[0] == 22 && data[1] == 3);
	/* The name was there to be found. */
	size = join(data, message);
	require(memmem(message, size, name, strlen(name)));
	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		n = cut(message, size, pieces[i], records);
		require(tls_hello_parse(records, n, again) ==
			(n > TLS_HELLO_MAX ? TLS_MALFORMED : TLS_OK));
		require(n > TLS_HELLO_MAX || !strcmp(name, again));
		require(tls_hello_parse(records, n - 1, again) != TLS_OK);
	}
	return 0;
}
