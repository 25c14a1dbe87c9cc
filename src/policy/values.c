/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/values.c - texts to values, by the type that the field table gives
 *
 * Runs in:  whoever decodes a policy or a command line.
 * Trusts:   nothing.
 * Must not: guess. A number that does not fit is an error, never a limit
 *           that wraps around to a small one or to 0, which means none.
 */
#include "policy/values.h"

#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "policy/fields.h"
#include "policy/names.h"
#include "policy/regex.h"

struct unit {
	const char *name;
	uint64_t scale;
};

#define K UINT64_C(1024)
#define T UINT64_C(1000)

static const struct unit size_units[] = {
	{ "", 1 },	    { "B", 1 },
	{ "K", K },	    { "M", K *K },
	{ "G", K *K *K },   { "T", K *K *K *K },
	{ "KiB", K },	    { "MiB", K *K },
	{ "GiB", K *K *K }, { "TiB", K *K *K *K },
	{ "KB", T },	    { "MB", T *T },
	{ "GB", T *T *T },  { "TB", T *T *T *T },
	{ "k", K },	    { "m", K *K },
	{ "g", K *K *K },   { "kB", T },
	{ NULL, 0 },
};

static const struct unit duration_units[] = {
	{ "", 1000 },	    { "ms", 1 },	  { "s", 1000 },
	{ "m", 60 * 1000 }, { "h", 3600 * 1000 }, { "d", 24 * 3600 * 1000 },
	{ NULL, 0 },
};

static const struct unit cpus_units[] = { { "", 1000 }, { NULL, 0 } };
static const struct unit integer_units[] = { { "", 1 }, { NULL, 0 } };

/* How a type of number is written. */
struct number_form {
	const struct unit *units;
	bool fraction;
	const char *what;
};

static const struct number_form number_forms[] = {
	[POLICY_INTEGER] = { integer_units, false, "a whole number" },
	[POLICY_SIZE] = { size_units, true,
			  "a size such as 512MiB, 1.5G or 100MB" },
	[POLICY_DURATION] = { duration_units, true,
			      "a duration such as 500ms, 30s, 5m or 1h" },
	[POLICY_CPUS] = { cpus_units, true, "a number such as 2 or 1.5" },
};

enum { FRACTION_DIGITS = 9, SHOWN = 80 };

/* DIGITS[.DIGITS]UNIT */
struct number {
	uint64_t whole;
	uint64_t fraction; /* of 10 to the power of digits */
	unsigned int digits;
	const char *unit;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Fails on overflow and where there is no digit. */
static bool take_digits(const char **s, uint64_t *out)
{
	const char *p = *s;
	uint64_t n = 0;

	for (; is_digit(*p); p++) {
		if (__builtin_mul_overflow(n, 10U, &n) ||
		    __builtin_add_overflow(n, (uint64_t)(*p - '0'), &n))
			return false;
	}
	if (p == *s)
		return false;
	*s = p;
	*out = n;
	return true;
}

static bool split_number(const char *text, struct number *out)
{
	const char *p = text, *point;

	/* 010 is eight to some and ten to others. */
	if (p[0] == '0' && is_digit(p[1]))
		return false;
	if (!take_digits(&p, &out->whole))
		return false;
	if (*p == '.') {
		point = ++p;
		if (!take_digits(&p, &out->fraction) ||
		    p - point > FRACTION_DIGITS)
			return false;
		out->digits = (unsigned int)(p - point);
	}
	out->unit = p;
	return true;
}

static const struct unit *find_unit(const struct unit *units, const char *name)
{
	for (; units->name; units++) {
		if (!strcmp(units->name, name))
			return units;
	}
	return NULL;
}

static bool scale_number(const struct number *n, uint64_t scale, int64_t *out)
{
	uint64_t power = 1, whole, part;

	for (unsigned int i = 0; i < n->digits; i++)
		power *= 10;
	/* The fraction is below 10^9 and the scale at most 2^40: split the
	 * scale so that no product is too large. */
	part = scale / power * n->fraction +
	       scale % power * n->fraction / power;
	return !__builtin_mul_overflow(n->whole, scale, &whole) &&
	       !__builtin_add_overflow(whole, part, &whole) &&
	       !__builtin_add_overflow(whole, 0, out);
}

static const char *parse_number(struct arena *arena,
				const struct policy_field *field,
				const char *text, int64_t *out)
{
	const struct number_form *form = &number_forms[field->type];
	struct number n = { 0 };
	const struct unit *unit;
	int64_t value;

	if (text[0] == '-')
		return arena_printf(arena, "'%.*s' is negative", SHOWN, text);
	if (!split_number(text, &n) || (n.digits && !form->fraction))
		goto malformed;
	unit = find_unit(form->units, n.unit);
	if (!unit)
		goto malformed;
	if (!scale_number(&n, unit->scale, &value))
		return arena_printf(arena, "'%.*s' is too large", SHOWN, text);
	if (!value && (n.whole || n.fraction))
		return arena_printf(arena, "'%.*s' is too small", SHOWN, text);
	*out = value;
	return NULL;

malformed:
	return arena_printf(arena, "'%.*s' is not %s", SHOWN, text, form->what);
}

static const char *join_words(struct arena *arena, const char *const *words)
{
	const char *all = words[0];

	for (size_t i = 1; words[i]; i++)
		all = arena_printf(arena, "%s%s%s", all,
				   words[i + 1] ? ", " : " or ", words[i]);
	return all;
}

/* Which of the choices @text is. */
static const char *parse_choice(struct arena *arena,
				const struct policy_field *field,
				const char *text, int64_t *out)
{
	for (size_t i = 0; field->choices[i]; i++) {
		if (!strcmp(field->choices[i], text)) {
			*out = (int64_t)i;
			return NULL;
		}
	}
	return arena_printf(arena, "'%.*s' is not %s", SHOWN, text,
			    join_words(arena, field->choices));
}

static const char *parse_bool(struct arena *arena, const char *text,
			      int64_t *out)
{
	if (strcmp(text, "true") && strcmp(text, "false"))
		return arena_printf(arena, "'%.*s' is not true or false", SHOWN,
				    text);
	*out = text[0] == 't';
	return NULL;
}

const char *policy_value_parse(struct arena *arena,
			       const struct policy_field *field,
			       const char *text, int64_t *out)
{
	switch (field->type) {
	case POLICY_BOOL:
		return parse_bool(arena, text, out);
	case POLICY_CHOICE:
		return parse_choice(arena, field, text, out);
	case POLICY_INTEGER:
	case POLICY_SIZE:
	case POLICY_DURATION:
	case POLICY_CPUS:
		return parse_number(arena, field, text, out);
	case POLICY_TEXT:
		return policy_value_check(arena, field, text);
	case POLICY_LIST:
	case POLICY_MAP:
		break;
	}
	return "a list is expected";
}

static bool is_name_char(char c)
{
	return c == '_' || is_digit(c) || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z');
}

const char *policy_env_name_check(struct arena *arena, const char *name)
{
	size_t i = 0;

	while (is_name_char(name[i]))
		i++;
	if (!i || name[i] || is_digit(name[0]))
		return arena_printf(arena,
				    "'%.*s' is not the name of a variable: "
				    "letters, digits and '_'",
				    SHOWN, name);
	return NULL;
}

static const char *check_env_pattern(const char *text)
{
	if (!*text)
		return "a name is missing";
	for (; *text; text++) {
		if (!is_name_char(*text) && !strchr("*?[]!-.", *text))
			return "a name has letters, digits and '_', a pattern "
			       "also '*', '?' and '[…]'";
	}
	return NULL;
}

static const char *check_syscalls(const char *text)
{
	size_t len = strlen(text);

	if (!strcmp(text, "default") || !strcmp(text, "strict"))
		return NULL;
	if (strchr(text, '/') || (len > 5 && !strcmp(text + len - 5, ".json")))
		return NULL;
	return "it is default, strict, or a file: a path with a '/' or a name "
	       "that ends in .json";
}

/* `[` without its `]` is more likely a slip than a name. */
static const char *check_path(const char *text)
{
	if (!*text)
		return "it is empty";
	for (; *text; text++) {
		if (*text == '\\' && text[1])
			text++;
		else if (*text == '[' && !strchr(text + 1, ']'))
			return "'[' has no ']'; write \\[ for the character";
	}
	return NULL;
}

static const char *check_not_empty(const char *text)
{
	return *text ? NULL : "it is empty";
}

static const char *check_any(const char *text)
{
	(void)text;
	return NULL;
}

static const char *(*const checks[])(const char *text) = {
	[POLICY_FORM_ANY] = check_any,
	[POLICY_FORM_PATH] = check_path,
	[POLICY_FORM_ENV] = check_env_pattern,
	[POLICY_FORM_PORT] = policy_port_check,
	[POLICY_FORM_PUBLISH] = policy_publish_check,
	[POLICY_FORM_HOST] = policy_host_check,
	[POLICY_FORM_ENDPOINT] = policy_endpoint_check,
	[POLICY_FORM_PROXY] = policy_proxy_check,
	[POLICY_FORM_COMMAND] = check_not_empty,
	[POLICY_FORM_PROFILE] = check_not_empty,
	[POLICY_FORM_REGEX] = regex_check,
	[POLICY_FORM_SYSCALLS] = check_syscalls,
	[POLICY_FORM_WORD] = NULL,
};

const char *policy_value_check(struct arena *arena,
			       const struct policy_field *field,
			       const char *text)
{
	const char *wrong;
	int64_t index;

	if (field->form == POLICY_FORM_WORD)
		return parse_choice(arena, field, text, &index);
	wrong = checks[field->form](text);
	if (!wrong)
		return NULL;
	return arena_printf(arena, "'%.*s': %s", SHOWN, text, wrong);
}
