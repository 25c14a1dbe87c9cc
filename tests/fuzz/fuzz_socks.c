/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a greeting and as a request of SOCKS: what is whole is whole
 * at its last byte and not before, and lies within what came.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "wire/socks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void greet(const uint8_t *data, size_t n)
{
	size_t size = 0, again = 0;
	bool none;

	if (socks_greeting_parse(data, n, &size, &none) != SOCKS_OK)
		return;
	if (size < 3 || size > n || size > SOCKS_GREETING_MAX)
		abort();
	if (socks_greeting_parse(data, size, &again, &none) != SOCKS_OK ||
	    again != size ||
	    socks_greeting_parse(data, size - 1, &again, &none) != SOCKS_MORE)
		abort();
}

static void request(const uint8_t *data, size_t n)
{
	struct socks_request r, again;

	if (socks_request_parse(data, n, &r) != SOCKS_OK ||
	    r.refusal == SOCKS_ADDRESS_UNSUPPORTED)
		return;
	if (r.size > n || r.size > SOCKS_REQUEST_MAX || r.host_n == 0 ||
	    r.host < data || r.host + r.host_n + 2 != data + r.size)
		abort();
	if (socks_request_parse(data, r.size, &again) != SOCKS_OK ||
	    again.host != r.host || again.port != r.port ||
	    socks_request_parse(data, r.size - 1, &again) != SOCKS_MORE)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	greet(data, n);
	request(data, n);
	return 0;
}
