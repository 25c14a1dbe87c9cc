/* SPDX-License-Identifier: Apache-2.0 */
/* What comes from outside, made fit for terminals, logs and YAML. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/text.h"

static const char *escape(struct arena *arena, const char *s)
{
	struct text text = { .arena = arena };

	text_add_escaped(&text, s);
	return text_str(&text);
}

static const struct {
	const char *name;
	const char *bytes;
	const char *shown;
} escapes[] = {
	{ "line feed", "a\nb", "a\\nb" },
	{ "carriage return", "a\rb", "a\\x0db" },
	{ "ESC", "\033[2J", "\\x1b[2J" },
	{ "DEL", "\177", "\\x7f" },
	{ "U+0085 next line", "\302\205", "\\xc2\\x85" },
	{ "U+009B CSI", "\302\233", "\\xc2\\x9b" },
	{ "U+061C Arabic mark", "\330\234", "\\xd8\\x9c" },
	{ "U+200E left to right", "\342\200\216", "\\xe2\\x80\\x8e" },
	{ "U+200F right to left", "\342\200\217", "\\xe2\\x80\\x8f" },
	{ "U+2028 line separator", "\342\200\250", "\\xe2\\x80\\xa8" },
	{ "U+2029 paragraph separator", "\342\200\251", "\\xe2\\x80\\xa9" },
	{ "U+202A embedding", "\342\200\252", "\\xe2\\x80\\xaa" },
	{ "U+202B embedding", "\342\200\253", "\\xe2\\x80\\xab" },
	{ "U+202C pop", "\342\200\254", "\\xe2\\x80\\xac" },
	{ "U+202D override", "\342\200\255", "\\xe2\\x80\\xad" },
	{ "U+202E override", "\342\200\256", "\\xe2\\x80\\xae" },
	{ "U+2066 isolate", "\342\201\246", "\\xe2\\x81\\xa6" },
	{ "U+2067 isolate", "\342\201\247", "\\xe2\\x81\\xa7" },
	{ "U+2068 isolate", "\342\201\250", "\\xe2\\x81\\xa8" },
	{ "U+2069 pop isolate", "\342\201\251", "\\xe2\\x81\\xa9" },
	{ "U+FEFF byte order mark", "\357\273\277", "\\xef\\xbb\\xbf" },
	{ "U+FFFE", "\357\277\276", "\\xef\\xbf\\xbe" },
	{ "U+FFFF", "\357\277\277", "\\xef\\xbf\\xbf" },
	{ "U+D800 first half", "\355\240\200", "\\xed\\xa0\\x80" },
	{ "U+DFFF last half", "\355\277\277", "\\xed\\xbf\\xbf" },
	{ "overlong slash", "\300\257", "\\xc0\\xaf" },
	{ "overlong U+2028", "\360\202\200\250", "\\xf0\\x82\\x80\\xa8" },
	{ "beyond U+10FFFF", "\364\220\200\200", "\\xf4\\x90\\x80\\x80" },
	{ "cut off", "\342\200", "\\xe2\\x80" },
};

/* One of each kind that the rows above come near to. */
static const char *const shown_as_they_are[] = {
	"plain [*] \\n ~",  "\302\240", /* U+00A0, the first behind C1 */
	"\330\233", /* U+061B */
	"\330\235", /* U+061D */
	"\342\200\215", /* U+200D, in names of families */
	"\342\200\220", /* U+2010 */
	"\342\200\247", /* U+2027 */
	"\342\200\257", /* U+202F */
	"\342\201\245", /* U+2065 */
	"\342\201\252", /* U+206A */
	"\355\237\277", /* U+D7FF */
	"\356\200\200", /* U+E000 */
	"\357\273\276", /* U+FEFE */
	"\357\277\275", /* U+FFFD */
	"\360\220\200\200", /* U+10000 */
	"\364\217\277\275", /* U+10FFFD */
};

static void what_is_not_for_people_is_escaped(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(escapes) / sizeof(*escapes); i++) {
		AUTO_ARENA arena = { 0 };
		const char *shown = escape(&arena, escapes[i].bytes);

		if (strcmp(shown, escapes[i].shown) != 0)
			fail_msg("%s: %s", escapes[i].name, shown);
	}
}

static void all_else_stays_as_it_is(void **state)
{
	(void)state;
	for (size_t i = 0;
	     i < sizeof(shown_as_they_are) / sizeof(*shown_as_they_are); i++) {
		AUTO_ARENA arena = { 0 };

		assert_string_equal(escape(&arena, shown_as_they_are[i]),
				    shown_as_they_are[i]);
	}
}

/* Between others it is the same, and what follows is not swallowed. */
static void neighbours_are_kept(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(escapes) / sizeof(*escapes); i++) {
		AUTO_ARENA arena = { 0 };
		const char *bytes =
			arena_printf(&arena, "\303\251%s/x", escapes[i].bytes);
		const char *shown =
			arena_printf(&arena, "\303\251%s/x", escapes[i].shown);

		assert_string_equal(escape(&arena, bytes), shown);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_not_for_people_is_escaped),
		cmocka_unit_test(all_else_stays_as_it_is),
		cmocka_unit_test(neighbours_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
