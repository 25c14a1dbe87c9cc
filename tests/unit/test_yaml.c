/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The YAML reader: what the tree says, and what is not accepted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/text.h"
#include "base/yaml.h"

static void tree_keeps_kinds_order_and_places(void **state)
{
	static const char text[] = "a: one\n"
				   "b:\n"
				   "  - x\n"
				   "  - 'y z'\n"
				   "c: {d: \"q\"}\n";
	const struct yaml_node *root, *b, *d;
	AUTO_ARENA arena = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(
		yaml_tree_parse(&arena, text, strlen(text), "f", &root, &err),
		0);
	assert_int_equal(root->kind, YAML_KIND_MAP);
	assert_int_equal(root->n, 3);
	assert_string_equal(root->first->key, "a");
	assert_string_equal(root->first->text, "one");
	assert_true(root->first->plain);

	b = yaml_node_get(root, "b");
	assert_int_equal(b->kind, YAML_KIND_LIST);
	assert_int_equal(b->n, 2);
	assert_int_equal(b->key_line, 2);
	assert_string_equal(b->first->next->text, "y z");
	assert_false(b->first->next->plain);
	assert_int_equal(b->first->next->line, 4);
	assert_int_equal(b->first->next->column, 5);

	d = yaml_node_get(yaml_node_get(root, "c"), "d");
	assert_string_equal(d->text, "q");
	assert_int_equal(d->key_line, 5);
	assert_int_equal(d->key_column, 5);
	assert_null(yaml_node_get(root, "nothing"));
}

static void scalars_are_texts_and_nothing_else(void **state)
{
	static const char text[] = "[no, ~, 010, 1e3, null, '', 2001-01-01]";
	static const char *const want[] = { "no",   "~", "010",	      "1e3",
					    "null", "",	 "2001-01-01" };
	const struct yaml_node *root, *item;
	AUTO_ARENA arena = { 0 };
	struct err err;
	size_t i = 0;

	(void)state;
	assert_int_equal(
		yaml_tree_parse(&arena, text, strlen(text), "f", &root, &err),
		0);
	for (item = root->first; item; item = item->next)
		assert_string_equal(item->text, want[i++]);
	assert_int_equal(i, 7);
}

/* Text, and what the error must say. */
static const struct {
	const char *text;
	const char *says;
} refused[] = {
	{ "a: &x 1\n", "f:1:4: anchors" },
	{ "a: &x [1]\n", "f:1:4: anchors" },
	{ "a: &x {b: 1}\n", "f:1:4: anchors" },
	{ "a: *x\n", "f:1:4: aliases" },
	{ "a: !!int 1\n", "f:1:4: tags" },
	{ "a: !x [1]\n", "f:1:4: tags" },
	{ "a: !x {b: 1}\n", "f:1:4: tags" },
	{ "%TAG ! tag:x,2000:\n---\na: 1\n", "tags" },
	{ "a: 1\n---\nb: 2\n", "f:2:1: a second document" },
	{ "a: 1\nb: 2\na: 3\n", "f:3:1: key 'a' was given before, in line 1" },
	{ "x:\n  {k: 1, l: 2, k: 3}\n", "f:2:16: key 'k'" },
	{ "[a]: 1\n", "f:1:1: a key must be a word" },
	{ "{{a: 1}: 2}\n", "a key must be a word" },
	{ "a: \"x\\0y\"\n", "f:1:4: the text holds a NUL" },
	{ "a: [1\n", "f:2:1:" },
	{ "a:\n\t- b\n", "f:2:" },
	{ "a: \"\xff\"\n", "not UTF-8" },
	{ "a: \xc3(\n", "not UTF-8" },
	{ "a: \x01\n", "f:" },
};

static void what_could_confuse_is_refused_with_its_place(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		const struct yaml_node *root = NULL;
		AUTO_ARENA arena = { 0 };
		struct err err = { 0 };

		assert_int_equal(yaml_tree_parse(&arena, refused[i].text,
						 strlen(refused[i].text), "f",
						 &root, &err),
				 -1);
		assert_int_equal(err.kind, ERR_POLICY);
		if (!strstr(err.msg, refused[i].says))
			fail_msg("'%s' gave '%s'", refused[i].text, err.msg);
		assert_null(root);
	}
}

static void a_byte_order_mark_and_crlf_are_fine(void **state)
{
	static const char text[] = "\xef\xbb\xbf"
				   "a: 1\r\nb: [x,\r\n y]\r\n";
	const struct yaml_node *root;
	AUTO_ARENA arena = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(
		yaml_tree_parse(&arena, text, strlen(text), "f", &root, &err),
		0);
	assert_string_equal(yaml_node_get(root, "a")->text, "1");
	assert_int_equal(yaml_node_get(root, "b")->n, 2);
}

static void utf16_is_not_utf8(void **state)
{
	static const char text[] = "\xff\xfe"
				   "a\0:\0 \0001\0\n\0";
	const struct yaml_node *root;
	AUTO_ARENA arena = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(yaml_tree_parse(&arena, text, sizeof(text) - 1, "f",
					 &root, &err),
			 -1);
}

static void an_empty_document_is_no_tree(void **state)
{
	static const char *const texts[] = { "", "\n", "# nothing\n" };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		static const struct yaml_node something;
		const struct yaml_node *root = &something;
		AUTO_ARENA arena = { 0 };
		struct err err;

		assert_int_equal(
			yaml_tree_parse(&arena, texts[i], strlen(texts[i]), "f",
					&root, &err),
			0);
		assert_null(root);
	}
}

static int parse_nested(unsigned int depth)
{
	const struct yaml_node *root;
	AUTO_ARENA arena = { 0 };
	struct text text = { .arena = &arena };
	struct err err;

	for (unsigned int i = 0; i < depth; i++)
		text_add(&text, "[");
	for (unsigned int i = 0; i < depth; i++)
		text_add(&text, "]");
	return yaml_tree_parse(&arena, text.v, text.n, "f", &root, &err);
}

static void depth_is_bounded_at_32(void **state)
{
	(void)state;
	assert_int_equal(parse_nested(32), 0);
	assert_int_equal(parse_nested(33), -1);
	assert_int_equal(parse_nested(100000), -1);
}

static int parse_items(unsigned int n)
{
	const struct yaml_node *root;
	AUTO_ARENA arena = { 0 };
	struct text text = { .arena = &arena };
	struct err err;

	for (unsigned int i = 0; i < n; i++)
		text_add(&text, "- a\n");
	return yaml_tree_parse(&arena, text.v, text.n, "f", &root, &err);
}

static void nodes_are_bounded_at_200000(void **state)
{
	(void)state;
	assert_int_equal(parse_items(199999), 0);
	assert_int_equal(parse_items(200000), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tree_keeps_kinds_order_and_places),
		cmocka_unit_test(scalars_are_texts_and_nothing_else),
		cmocka_unit_test(what_could_confuse_is_refused_with_its_place),
		cmocka_unit_test(a_byte_order_mark_and_crlf_are_fine),
		cmocka_unit_test(utf16_is_not_utf8),
		cmocka_unit_test(an_empty_document_is_no_tree),
		cmocka_unit_test(depth_is_bounded_at_32),
		cmocka_unit_test(nodes_are_bounded_at_200000),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
