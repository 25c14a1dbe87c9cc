/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON with comments, edited by bytes: what is put in can be taken out, and
 * the rest is untouched.
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
#include "base/jsonc.h"
#include "base/text.h"

static struct jsonc parse(const char *text)
{
	struct jsonc doc = { 0 };
	struct err err = { 0 };

	if (jsonc_parse(text, strlen(text), &doc, &err) < 0)
		fail_msg("%s: %s", text, err.msg);
	return doc;
}

static void what_is_broken_is_refused_with_its_place(void **state)
{
	static const struct {
		const char *text;
		const char *place;
	} cases[] = {
		{ "", "1:1:" },
		{ "  \n", "2:1:" },
		{ "{", "1:2:" },
		{ "{\"a\" 1}", "1:6:" },
		{ "{\"a\": 1,, \"b\": 2}", "1:9:" },
		{ "{\n  \"a\": [1, 2\n}", "3:1:" },
		{ "{\"a\": \"x}", "1:10:" },
		{ "{\"a\": \"\\q\"}", "1:8:" },
		{ "{\"a\": \"\\u12g4\"}", "1:8:" },
		{ "{\"a\": \"\t\"}", "1:8:" },
		{ "{a: 1}", "1:2:" },
		{ "{} x", "1:4:" },
		{ "{} {}", "1:4:" },
		{ "/* no end", "1:1:" },
		{ "{ / }", "1:3:" },
		{ "[tru]", "1:2:" },
		{ "[-]", "1:2:" },
		{ "[1 2]", "1:4:" },
		{ "[,]", "1:2:" },
		{ "'a'", "1:1:" },
		{ "{\"a\":}", "1:6:" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct jsonc doc;
		struct err err = { 0 };

		assert_int_equal(jsonc_parse(cases[i].text,
					     strlen(cases[i].text), &doc, &err),
				 -1);
		if (strncmp(err.msg, cases[i].place, strlen(cases[i].place)))
			fail_msg("%s: %s", cases[i].text, err.msg);
	}
}

static void deep_nesting_is_refused(void **state)
{
	char text[1001];
	struct jsonc doc;
	struct err err = { 0 };

	(void)state;
	memset(text, '[', 500);
	memset(text + 500, ']', 500);
	text[1000] = '\0';
	assert_int_equal(jsonc_parse(text, 1000, &doc, &err), -1);
	assert_non_null(strstr(err.msg, "too deeply"));
	assert_int_equal(jsonc_parse(text + 450, 100, &doc, &err), 0);
}

static void members_are_found_whatever_their_spelling(void **state)
{
	AUTO_ARENA arena = { 0 };
	struct jsonc doc = parse("\xef\xbb\xbf// hello\n{ \"a\" /* x */ : 1,\n"
				 "\"h\\u006foks\": {\"\": [1, \"}\"]}, }");
	struct jsonc_child child;

	(void)state;
	assert_int_equal(jsonc_find(&arena, &doc, &doc.root, "hooks", &child),
			 1);
	assert_int_equal(child.value.kind, JSONC_OBJECT);
	assert_int_equal(jsonc_find(&arena, &doc, &child.value, "", &child), 1);
	assert_int_equal(child.value.kind, JSONC_ARRAY);
	assert_int_equal(jsonc_find(&arena, &doc, &doc.root, "b", &child), 0);
	doc = parse("{\"a\": 1, \"\\u0061\": 2}");
	assert_int_equal(jsonc_find(&arena, &doc, &doc.root, "a", &child), 2);
}

static void strings_mean_what_json_says(void **state)
{
	static const struct {
		const char *text;
		const char *means;
	} cases[] = {
		{ "\"\"", "" },
		{ "\"a\\\"b\\\\c\\/d\"", "a\"b\\c/d" },
		{ "\"\\b\\f\\n\\r\\t\"", "\b\f\n\r\t" },
		{ "\"\\u0041\\u00e9\\u20AC\"", "A\xc3\xa9\xe2\x82\xac" },
		{ "\"\\ud83d\\ude00\"", "\xf0\x9f\x98\x80" },
		{ "\"\\u0000\"", NULL },
		{ "\"\\ud83d\"", NULL },
		{ "\"\\ud83dx\\ude00\"", NULL },
		{ "\"\\ude00\"", NULL },
		{ "1", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		AUTO_ARENA arena = { 0 };
		struct jsonc doc = parse(cases[i].text);
		const char *s = jsonc_string(&arena, &doc, &doc.root);

		if (!cases[i].means)
			assert_null(s);
		else
			assert_string_equal(s, cases[i].means);
	}
}

/* Containers, with the form that the child takes in each. */
static const struct {
	const char *text;
	const char *with;
} inserts[] = {
	{ "{}", "{\n  \"k\": [\n    1,\n    {\n      \"a\": \"b,:\"\n    }\n"
		"  ]}" },
	{ "{ }", "{\n  \"k\": [\n    1,\n    {\n      \"a\": \"b,:\"\n    }\n"
		 "  ] }" },
	{ "{ /* c */ }",
	  "{\n  \"k\": [\n    1,\n    {\n      \"a\": \"b,:\"\n    }\n"
	  "  ] /* c */ }" },
	{ "{\n}\n", "{\"k\": [1, {\"a\": \"b,:\"}]\n}\n" },
	{ "{ // c\n}\n", "{\"k\": [1, {\"a\": \"b,:\"}] // c\n}\n" },
	{ "{\"x\": 1}", "{\"k\": [1, {\"a\": \"b,:\"}], \"x\": 1}" },
	{ "{ /* c */ \"x\":1,}",
	  "{ /* c */ \"k\": [1, {\"a\": \"b,:\"}], \"x\":1,}" },
	{ "{\n\t\"x\": 1\n}",
	  "{\n\t\"k\": [\n\t  1,\n\t  {\n\t    \"a\": \"b,:\"\n\t  }\n\t],"
	  "\n\t\"x\": 1\n}" },
	{ "{ // mine\n  // about x\n  \"x\": 1, // too\n}",
	  "{ // mine\n  \"k\": [\n    1,\n    {\n      \"a\": \"b,:\"\n    }\n"
	  "  ],\n  // about x\n  \"x\": 1, // too\n}" },
	{ "{ /* a */ /* b\n */ \"x\": 1\n}",
	  "{\n \"k\": [\n   1,\n   {\n     \"a\": \"b,:\"\n   }\n ], /* a */ "
	  "/* b\n */ \"x\": 1\n}" },
	{ "{\r\n  \"x\": 1\r\n}\r\n",
	  "{\r\n  \"k\": [\r\n    1,\r\n    {\r\n      \"a\": \"b,:\"\r\n"
	  "    }\r\n  ],\r\n  \"x\": 1\r\n}\r\n" },
	{ "{\n\n\n  \"x\": 1}",
	  "{\n  \"k\": [\n    1,\n    {\n      \"a\": \"b,:\"\n    }\n  ],"
	  "\n\n\n  \"x\": 1}" },
};

static void what_is_put_in_can_be_taken_out(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(inserts) / sizeof(*inserts); i++) {
		AUTO_ARENA arena = { 0 };
		struct text with = { .arena = &arena };
		struct text without = { .arena = &arena };
		struct jsonc doc = parse(inserts[i].text);
		struct jsonc_child child;

		jsonc_insert(&arena, &doc, &doc.root,
			     "\"k\":[1,{\"a\":\"b,:\"}]", &with);
		assert_string_equal(text_str(&with), inserts[i].with);
		doc = parse(text_str(&with));
		assert_int_equal(
			jsonc_find(&arena, &doc, &doc.root, "k", &child), 1);
		jsonc_remove(&arena, &doc, &doc.root, &child, &without);
		assert_string_equal(text_str(&without), inserts[i].text);
	}
}

static void a_child_anywhere_is_taken_out_with_one_comma(void **state)
{
	static const struct {
		const char *text;
		const char *without;
	} cases[] = {
		{ "[0, 1, 2]", "[0, 2]" },
		{ "[0, 1]", "[0]" },
		{ "[0, 1,]", "[0, ]" },
		{ "[\n  0,\n  1\n]", "[\n  0\n]" },
		{ "[\n  0, // zero\n  1 // one\n]",
		  "[\n  0 // zero // one\n]" },
		{ "[\n  0 /*,*/, // a,b\n  1\n]", "[\n  0 /*,*/ // a,b\n]" },
		{ "[0, 1 /* , */ , 2]", "[0,  /* , */  2]" },
		{ "[0, 1 // ,\n, 2]", "[0,  // ,\n 2]" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		AUTO_ARENA arena = { 0 };
		struct text without = { .arena = &arena };
		struct jsonc doc = parse(cases[i].text);
		struct jsonc_children all;

		jsonc_list(&arena, &doc, &doc.root, &all);
		jsonc_remove(&arena, &doc, &doc.root, &all.v[1], &without);
		assert_string_equal(text_str(&without), cases[i].without);
		(void)parse(text_str(&without));
	}
}

static void a_made_container_is_told_from_one_that_was_there(void **state)
{
	static const struct {
		const char *text;
		bool made;
	} cases[] = {
		{ "{\"a\": [1]}", true },
		{ "{\n  \"a\": [\n    1\n  ]\n}", true },
		{ "{\r\n  \"a\": [\r\n    1\r\n  ]\r\n}", true },
		{ "{\n  \"a\": [\n    1]\n}", false }, /* was [] */
		{ "{\n  \"a\": [1\n  ]\n}", false }, /* was over lines */
		{ "{\n  \"a\": [\n    1 // mine\n  ]\n}", false },
		{ "{\n  \"a\": [\n    1,\n    2\n  ]\n}", false },
		{ "{\n  \"a\": [ 1 ]\n}", false },
		{ "{\n  \"a\": []\n}", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		AUTO_ARENA arena = { 0 };
		struct jsonc doc = parse(cases[i].text);
		struct jsonc_child child;

		assert_int_equal(
			jsonc_find(&arena, &doc, &doc.root, "a", &child), 1);
		if (jsonc_is_made(&arena, &doc, &child.value) != cases[i].made)
			fail_msg("%s", cases[i].text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_broken_is_refused_with_its_place),
		cmocka_unit_test(deep_nesting_is_refused),
		cmocka_unit_test(members_are_found_whatever_their_spelling),
		cmocka_unit_test(strings_mean_what_json_says),
		cmocka_unit_test(what_is_put_in_can_be_taken_out),
		cmocka_unit_test(a_child_anywhere_is_taken_out_with_one_comma),
		cmocka_unit_test(
			a_made_container_is_told_from_one_that_was_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
