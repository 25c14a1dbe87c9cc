/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/command_match.c - the words of a rule in the arguments of a command
 *
 * Runs in:  the guard for every execution that is judged; whoever explains.
 * Trusts:   nothing in an argument.
 * Must not: allocate, call the kernel, or take longer than in proportion to
 *           the number of arguments: they are the box's.
 *
 * A scan from left to right. Its state is the set of words of the rule that
 * may come next, as a word after an option that is not known can be its value
 * or not: a set of bits, so that arguments do not multiply the readings.
 */
#include "policy/command_match.h"

#include <stdint.h>
#include <string.h>

#include "policy/command.h"
#include "policy/command_forms.h"

struct scan {
	const struct command_rule *rule;
	const char *program;
	uint64_t next; /* words that the next argument may be */
	uint64_t after; /* and the one after it */
	bool done; /* all words were found */
};

const char *command_word(const struct command_words *words, size_t i)
{
	return i < words->head_n ? words->head[i]
				 : words->tail[i - words->head_n];
}

static bool is_option(const char *word)
{
	return word[0] == '-' && word[1] != '\0';
}

/* "if=" at the end of a rule is the beginning of any later argument. */
static bool is_beginning(const struct command_rule *rule, size_t k)
{
	size_t n = strlen(rule->words[k]);

	return k + 1 == rule->n && n > 1 && rule->words[k][n - 1] == '=';
}

static void expect(struct scan *scan, size_t k)
{
	if (k == scan->rule->n)
		scan->done = true;
	else
		scan->next |= 1ULL << k;
}

/* The value of an option; one that ends in a separator is the beginning of
 * values: "/:/" of "/:/host". */
static bool value_matches(const char *word, const char *value)
{
	size_t n = strlen(word);

	if (n && strchr("/:=", word[n - 1]))
		return !strncmp(word, value, n);
	return !strcmp(word, value);
}

static bool word_matches(const struct command_rule *rule, size_t k,
			 const char *arg)
{
	if (k > 1 && is_option(rule->words[k - 1]))
		return value_matches(rule->words[k], arg);
	return !strcmp(rule->words[k], arg);
}

/* Are all letters of "-rf" among those of "-vfr"? */
static bool letters_within(const char *letters, const char *bundle)
{
	for (letters++; *letters; letters++) {
		if (!strchr(bundle + 1, *letters))
			return false;
	}
	return true;
}

/*
 * Is @arg the option @word? *@glued is the value that stands in the same word,
 * or NULL.
 */
static bool option_matches(const struct scan *scan, const char *word,
			   const char *arg, const char **glued)
{
	size_t n = strlen(word);

	*glued = NULL;
	if (!strncmp(word, arg, n) && (arg[n] == '\0' || arg[n] == '=')) {
		*glued = arg[n] ? arg + n + 1 : NULL;
		return true;
	}
	if (scan->rule->allow || word[1] == '-' || !word[1])
		return false;
	if (n == 2 && !strncmp(word, arg, n) &&
	    !command_bundles(scan->program, arg)) {
		*glued = arg + n;
		/* "-name" of find is not its "-n" with a value. */
		return strpbrk(*glued, "/:=.,") != NULL;
	}
	return command_bundles(scan->program, arg) &&
	       command_bundles(scan->program, word) &&
	       letters_within(word, arg);
}

/* A word of the rule that is an option stands anywhere after the one before;
 * where it would allow, before all others that are not certainly options. */
static void step_option(struct scan *scan, size_t k, const char *arg)
{
	const struct command_rule *rule = scan->rule;
	const char *glued;

	if (!rule->allow || (is_option(arg) && strchr(arg, '=')))
		scan->next |= 1ULL << k;
	if (!option_matches(scan, rule->words[k], arg, &glued))
		return;
	expect(scan, k + 1);
	if (glued && k + 1 < rule->n && word_matches(rule, k + 1, glued))
		expect(scan, k + 2);
}

static void skip_option(struct scan *scan, size_t k, const char *arg)
{
	enum command_option option = COMMAND_OPTION_UNKNOWN;

	if (k == 1 || strchr(arg, '='))
		option = command_option_find(scan->program, arg);
	/* In doubt it is no reading that allows. */
	if (option == COMMAND_OPTION_UNKNOWN && scan->rule->allow)
		return;
	if (option != COMMAND_OPTION_VALUE)
		scan->next |= 1ULL << k;
	if (option != COMMAND_OPTION_FLAG)
		scan->after |= 1ULL << k;
}

static void step(struct scan *scan, size_t k, const char *arg)
{
	const struct command_rule *rule = scan->rule;
	const char *word = rule->words[k];

	if (is_beginning(rule, k)) {
		scan->next |= 1ULL << k;
		if (!strncmp(word, arg, strlen(word)))
			scan->done = true;
	} else if (is_option(word)) {
		step_option(scan, k, arg);
	} else if (is_option(arg)) {
		skip_option(scan, k, arg);
	} else if (word_matches(rule, k, arg)) {
		expect(scan, k + 1);
	} else if (k == 1 && command_is_toolchain(scan->program, arg)) {
		scan->next |= 1ULL << k;
	}
}

enum command_match command_match(const struct command_rule *rule,
				 const char *program,
				 const struct command_words *args)
{
	struct scan scan = { .rule = rule, .program = program };
	size_t n = args->head_n + args->tail_n;

	expect(&scan, 1);
	for (size_t i = 0; i < n && !scan.done; i++) {
		uint64_t now = scan.next;

		scan.next = scan.after;
		scan.after = 0;
		for (size_t k = 1; now && k < rule->n; k++) {
			if (now >> k & 1)
				step(&scan, k, command_word(args, i));
		}
		if (!(scan.next | scan.after))
			break;
	}
	if (scan.done)
		return COMMAND_MATCH_YES;
	return args->cut && (scan.next | scan.after) ? COMMAND_MATCH_MAYBE
						     : COMMAND_MATCH_NO;
}

size_t command_find_operand(const char *program,
			    const struct command_words *args)
{
	size_t n = args->head_n + args->tail_n, i = 0;

	while (i < n && is_option(command_word(args, i))) {
		const char *word = command_word(args, i);

		i += command_option_find(program, word) == COMMAND_OPTION_VALUE
			     ? 2
			     : 1;
	}
	return i < n ? i : n;
}
