/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_BASE_SHA256_H
#define CORDON_BASE_SHA256_H

#include <stddef.h>

enum { SHA256_HEX = 64 };

/* FIPS 180-4, as lower-case hexadecimal digits. */
void sha256_hex(const void *data, size_t n, char out[SHA256_HEX + 1]);

#endif
