/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SHA-256 against the vectors of FIPS 180-4 and its lengths around a block.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/sha256.h"

static const struct {
	const char *text;
	const char *hash;
} vectors[] = {
	{ "",
	  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" },
	{ "abc",
	  "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" },
	{ "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
	  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1" },
	{ "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
	  "hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
	  "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1" },
};

static void sha256_gives_the_published_hashes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
		char hash[SHA256_HEX + 1];

		sha256_hex(vectors[i].text, strlen(vectors[i].text), hash);
		assert_string_equal(hash, vectors[i].hash);
	}
}

static void sha256_of_a_million_letters(void **state)
{
	char hash[SHA256_HEX + 1];
	char *text = malloc(1000000);

	(void)state;
	assert_non_null(text);
	memset(text, 'a', 1000000);
	sha256_hex(text, 1000000, hash);
	free(text);
	assert_string_equal(hash, "cdc76e5c9914fb9281a1c7e284d73e67"
				  "f1809a48a497200e046d39ccc7112cd0");
}

/* Where the padding needs a second block, and where it does not. */
static void sha256_pads_around_the_end_of_a_block(void **state)
{
	static const struct {
		size_t n;
		const char *hash;
	} lengths[] = {
		{ 55, "9f4390f8d30c2dd92ec9f095b65e2b9a"
		      "e9b0a925a5258e241c9f1e910f734318" },
		{ 56, "b35439a4ac6f0948b6d6f9e3c6af0f5f"
		      "590ce20f1bde7090ef7970686ec6738a" },
		{ 63, "7d3e74a05d7db15bce4ad9ec0658ea98"
		      "e3f06eeecf16b4c6fff2da457ddc2f34" },
		{ 64, "ffe054fe7ae0cb6dc65c3af9b61d5209"
		      "f439851db43d0ba5997337df154668eb" },
		{ 65, "635361c48bb9eab14198e76ea8ab7f1a"
		      "41685d6ad62aa9146d301d4f17eb0ae0" },
	};
	char text[65];

	(void)state;
	memset(text, 'a', sizeof(text));
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		char hash[SHA256_HEX + 1];

		sha256_hex(text, lengths[i].n, hash);
		assert_string_equal(hash, lengths[i].hash);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sha256_gives_the_published_hashes),
		cmocka_unit_test(sha256_of_a_million_letters),
		cmocka_unit_test(sha256_pads_around_the_end_of_a_block),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
