/* SPDX-License-Identifier: Apache-2.0 */
/*
 * base/sha256.c - SHA-256 of a buffer (FIPS 180-4)
 *
 * Runs in:  whoever compares a project's file with what the user approved.
 * Trusts:   nothing.
 * Must not: be used for secrets: it makes no promise about timing.
 *
 * A library for one hash would be the largest part of the static binary.
 */
#include "base/sha256.h"

#include <stdint.h>
#include <string.h>

enum { BLOCK = 64, ROUNDS = 64 };

static const uint32_t round_constants[ROUNDS] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
	0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
	0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
	0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
	0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
	0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
	0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
	0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t x, unsigned int by)
{
	return x >> by | x << (32 - by);
}

static void schedule(const unsigned char *block, uint32_t w[ROUNDS])
{
	for (size_t i = 0; i < 16; i++)
		w[i] = (uint32_t)block[i * 4] << 24 |
		       (uint32_t)block[i * 4 + 1] << 16 |
		       (uint32_t)block[i * 4 + 2] << 8 | block[i * 4 + 3];
	for (size_t i = 16; i < ROUNDS; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];

		w[i] = w[i - 16] + w[i - 7] +
		       (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) +
		       (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10);
	}
}

static void compress(uint32_t state[8], const unsigned char *block)
{
	uint32_t w[ROUNDS], s[8];

	schedule(block, w);
	memcpy(s, state, sizeof(s));
	for (size_t i = 0; i < ROUNDS; i++) {
		uint32_t t1 = s[7] +
			      (rotate(s[4], 6) ^ rotate(s[4], 11) ^
			       rotate(s[4], 25)) +
			      ((s[4] & s[5]) ^ (~s[4] & s[6])) +
			      round_constants[i] + w[i];
		uint32_t t2 = (rotate(s[0], 2) ^ rotate(s[0], 13) ^
			       rotate(s[0], 22)) +
			      ((s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]));

		memmove(s + 1, s, 7 * sizeof(*s));
		s[4] += t1;
		s[0] = t1 + t2;
	}
	for (size_t i = 0; i < 8; i++)
		state[i] += s[i];
}

/* The last bytes, a one bit, zeros and the length in bits: 1 or 2 blocks. */
static size_t pad(const unsigned char *rest, size_t n, uint64_t total,
		  unsigned char out[2 * BLOCK])
{
	size_t size = n + 9 <= BLOCK ? BLOCK : 2 * BLOCK;

	memset(out, 0, 2 * BLOCK);
	if (n)
		memcpy(out, rest, n);
	out[n] = 0x80;
	for (size_t i = 0; i < 8; i++)
		out[size - 1 - i] = (unsigned char)(total * 8 >> (8 * i));
	return size;
}

void sha256_hex(const void *data, size_t n, char out[SHA256_HEX + 1])
{
	static const char digits[] = "0123456789abcdef";
	uint32_t state[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
			      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
	const unsigned char *p = data;
	unsigned char last[2 * BLOCK];
	size_t left = n, tail;

	for (; left >= BLOCK; left -= BLOCK, p += BLOCK)
		compress(state, p);
	tail = pad(p, left, n, last);
	for (size_t i = 0; i < tail; i += BLOCK)
		compress(state, last + i);

	for (size_t i = 0; i < SHA256_HEX; i++)
		out[i] = digits[state[i / 8] >> (28 - 4 * (i % 8)) & 0xf];
	out[SHA256_HEX] = '\0';
}
