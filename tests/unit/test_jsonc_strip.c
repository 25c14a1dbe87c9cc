/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON with comments: what becomes blank, and that nothing moves.
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
#include "base/jsonc_strip.h"
#include "base/yaml.h"
#include "cmd/import_json.h"

struct strip_case {
	const char *text;
	const char *want; /* NULL: the same */
};

static const struct strip_case cases[] = {
	{ "", NULL },
	{ "{\"a\": [1, 2]}", NULL },
	{ "// x\n1", "    \n1" },
	{ "1 // x", "1     " },
	{ "/* x\r\n y */1", "    \r\n     1" },
	{ "/**/1/***/", "    1     " },
	{ "[1,]", "[1 ]" },
	{ "[1 , /* c */ // d\n ]", "[1               \n ]" },
	{ "{\"a\":1,}", "{\"a\":1 }" },
	{ "[[1,],]", "[[1 ] ]" },
	{ "[\"a\",]", "[\"a\" ]" },
	{ "[{},]", "[{} ]" },
	/* in strings nothing is anything */
	{ "\"// no\"", NULL },
	{ "\"/* no */ ,]\"", NULL },
	{ "\"\\\"// no\" // yes", "\"\\\"// no\"       " },
	{ "\"\\\\\"// yes", "\"\\\\\"      " },
	/* left for the parser */
	{ "[,]", NULL },
	{ "{,}", NULL },
	{ "[1,,]", NULL },
	{ "{\"a\":,}", NULL },
	{ ",]", NULL },
	{ "1 /* no end", NULL },
	{ "/*/", NULL },
	{ "/", NULL },
	{ "1 / 2", NULL },
	{ "\"no end // x", NULL },
	{ "\"\\", NULL },
	{ "/* a /* b */ 1", "             1" },
	/* a line's comment is one also where a block has no end */
	{ "/* 1 // 2\n3", "/* 1     \n3" },
};

static void comments_and_last_commas_become_blanks(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		AUTO_ARENA arena = { 0 };
		const char *text = cases[i].text;
		const char *want = cases[i].want ? cases[i].want : text;

		assert_string_equal(jsonc_strip(&arena, text, strlen(text)),
				    want);
	}
}

static void a_file_of_beginnings_takes_no_time(void **state)
{
	enum { N = 1000 * 1000 };
	AUTO_ARENA arena = { 0 };
	char *text = arena_array(&arena, char, N + 1);

	(void)state;
	for (size_t i = 0; i < N; i++)
		text[i] = "/* "[i % 3];
	assert_string_equal(jsonc_strip(&arena, text, N), text);
}

/* ------------------------------------------------------- the tree with places */

static void values_have_the_places_of_the_file(void **state)
{
	static const char text[] =
		"{ // \xc3\xa9\n"
		"  \"a\": /* \xc3\xa9\xc3\xa9 */ [1, \"\\u00e9\",],\n"
		"\t\"b\": {\"c\": true, \"d\": null}, \"e\": [] ,\n"
		"  \"f\": {}, \"g\": -1.5e3\n"
		"}\n";
	const struct yaml_node *root, *a, *c, *g;
	AUTO_ARENA arena = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(
		import_json_parse(&arena, text, strlen(text), "f", &root, &err),
		0);
	assert_int_equal(root->kind, YAML_KIND_MAP);
	assert_int_equal(root->n, 5);
	a = yaml_node_get(root, "a");
	assert_int_equal(a->key_line, 2);
	assert_int_equal(a->key_column, 3);
	assert_int_equal(a->column, 17);
	assert_int_equal(a->n, 2);
	assert_string_equal(a->first->text, "1");
	assert_true(a->first->plain);
	assert_string_equal(a->first->next->text, "\xc3\xa9");
	assert_false(a->first->next->plain);
	assert_int_equal(a->first->next->column, 21);
	c = yaml_node_get(yaml_node_get(root, "b"), "c");
	assert_string_equal(c->text, "true");
	assert_int_equal(c->line, 3);
	assert_int_equal(c->column, 13);
	assert_int_equal(yaml_node_get(root, "e")->n, 0);
	assert_int_equal(yaml_node_get(root, "f")->kind, YAML_KIND_MAP);
	g = yaml_node_get(root, "g");
	assert_string_equal(g->text, "-1.5e3");
	assert_int_equal(g->line, 4);
	assert_int_equal(g->column, 17);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(comments_and_last_commas_become_blanks),
		cmocka_unit_test(a_file_of_beginnings_takes_no_time),
		cmocka_unit_test(values_have_the_places_of_the_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
