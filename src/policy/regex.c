/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/regex.c - regular expressions to steps of a machine
 *
 * Runs in:  whoever checks a policy, and the supervisor.
 * Trusts:   nothing: a project's file can hold patterns.
 * Must not: grow without bound, in memory or in depth, from a short text.
 *
 * A tree is made first, as a repetition writes its part several times.
 */
#include "policy/regex.h"

#include <stdbool.h>
#include <string.h>

#include "base/arena.h"
#include "policy/regex_class.h"

enum node_kind {
	NODE_CLASS,
	NODE_ASSERT, /* .op */
	NODE_SEQUENCE, /* children one after the other */
	NODE_CHOICE, /* one of the children */
	NODE_REPEAT, /* of its only child */
};

struct node {
	enum node_kind kind;
	enum regex_op op;
	struct regex_class class;
	unsigned int min, max; /* REPEAT; max 0: no end */
	struct node *child;
	struct node *next; /* sibling */
	size_t shortest; /* bytes that it matches at least */
	size_t steps; /* that it becomes, or more than the bound */
};

struct parser {
	struct arena *arena;
	const char *at;
	const char *wrong; /* NULL while all is well */
	bool fold;
	unsigned int depth;
};

static struct node *fail(struct parser *p, const char *wrong)
{
	if (!p->wrong)
		p->wrong = wrong;
	return NULL;
}

static struct node *node_new(struct parser *p, enum node_kind kind)
{
	struct node *node = arena_array(p->arena, struct node, 1);

	node->kind = kind;
	return node;
}

/* A line ends at either: output for a terminal has both. */
static bool ends_line(unsigned char byte)
{
	return byte == '\n' || byte == '\r';
}

static struct node *class_node(struct parser *p,
			       const struct regex_class *class)
{
	struct node *node = node_new(p, NODE_CLASS);

	node->class = *class;
	node->shortest = node->steps = 1;
	return node;
}

static struct node *byte_node(struct parser *p, unsigned char byte)
{
	struct regex_class class = { 0 };

	regex_class_add(&class, byte);
	if (p->fold)
		regex_class_fold(&class);
	return class_node(p, &class);
}

static struct node *any_node(struct parser *p)
{
	struct regex_class class = { 0 };

	regex_class_invert(&class);
	return class_node(p, &class);
}

static struct node *assert_node(struct parser *p, enum regex_op op)
{
	struct node *node = node_new(p, NODE_ASSERT);

	node->op = op;
	node->steps = 1;
	return node;
}

static struct node *parse_escape(struct parser *p)
{
	struct regex_class class;
	const char *wrong;
	int byte;

	if (*p->at == 'b' || *p->at == 'B')
		return assert_node(p, *p->at++ == 'b' ? REGEX_WORD_EDGE
						      : REGEX_NO_WORD_EDGE);
	wrong = regex_class_escape(&p->at, &class, &byte);
	if (wrong)
		return fail(p, wrong);
	return byte < 0 ? class_node(p, &class)
			: byte_node(p, (unsigned char)byte);
}

static struct node *parse_brackets(struct parser *p)
{
	struct regex_class class;
	const char *wrong = regex_class_brackets(&p->at, p->fold, &class);

	return wrong ? fail(p, wrong) : class_node(p, &class);
}

static struct node *parse_choice(struct parser *p);

/* What makes a group special: nothing, ?: or ?P<name>. */
static bool group_head(struct parser *p)
{
	const char *end;

	if (*p->at != '?')
		return true;
	p->at++;
	if (*p->at == ':') {
		p->at++;
		return true;
	}
	if (!strncmp(p->at, "P<", 2) ||
	    (p->at[0] == '<' && p->at[1] != '=' && p->at[1] != '!')) {
		end = strchr(p->at, '>');
		if (end)
			p->at = end + 1;
		else
			fail(p, "'(?P<' has no '>'");
		return end != NULL;
	}
	if (strchr("=!<", *p->at) && *p->at)
		fail(p, "look-around, (?= (?! (?<= (?<!, is not known");
	else
		fail(p, "flags are (?i) and (?keep=N), at the beginning");
	return false;
}

static struct node *parse_group(struct parser *p)
{
	struct node *node;

	if (p->depth == REGEX_DEPTH_MAX)
		return fail(p, "groups are nested too deep");
	if (!group_head(p))
		return NULL;
	p->depth++;
	node = parse_choice(p);
	p->depth--;
	if (node && *p->at != ')')
		return fail(p, "'(' has no ')'; write \\( for the character");
	p->at++;
	return node;
}

static struct node *parse_atom(struct parser *p)
{
	char c = *p->at++;

	switch (c) {
	case '\\':
		return parse_escape(p);
	case '[':
		return parse_brackets(p);
	case '(':
		return parse_group(p);
	case '.':
		return any_node(p);
	case '^':
		return assert_node(p, REGEX_LINE_BEGIN);
	case '$':
		return assert_node(p, REGEX_LINE_END);
	case '*':
	case '+':
	case '?':
		return fail(p, "there is nothing that '*', '+' or '?' could "
			       "repeat; write a backslash before it for the "
			       "character");
	default:
		return byte_node(p, (unsigned char)c);
	}
}

static bool take_number(const char **at, unsigned int *out)
{
	const char *start = *at;

	*out = 0;
	for (; **at >= '0' && **at <= '9' && *at - start < 6; (*at)++)
		*out = *out * 10 + (unsigned int)(**at - '0');
	return *at > start;
}

/* {n}, {n,} or {n,m}; anything else is the character. */
static bool take_braces(struct parser *p, unsigned int *min, unsigned int *max)
{
	const char *at = p->at + 1;

	if (*p->at != '{')
		return false;
	if (at[0] == ',' && at[1] >= '0' && at[1] <= '9') {
		fail(p, "write {0,m} for {,m}");
		return false;
	}
	if (!take_number(&at, min))
		return false;
	*max = *min;
	if (*at == ',') {
		at++;
		*max = 0;
		if (*at != '}' && !take_number(&at, max))
			return false;
		if (at[-1] != ',' && (*max < *min || !*max))
			fail(p, "a repetition {n,m} goes from the smaller to "
				"the greater");
	} else if (!*max) {
		fail(p, "a repetition of none, {0}, matches nothing");
	}
	if (*at != '}')
		return false;
	if (*min > REGEX_REPEAT_MAX || *max > REGEX_REPEAT_MAX)
		fail(p, "a repetition goes up to 1000");
	p->at = at + 1;
	return true;
}

static bool take_repeat(struct parser *p, unsigned int *min, unsigned int *max)
{
	switch (*p->at) {
	case '*':
	case '+':
		*min = *p->at == '+';
		*max = 0;
		break;
	case '?':
		*min = 0;
		*max = 1;
		break;
	default:
		return take_braces(p, min, max);
	}
	p->at++;
	return true;
}

static size_t bounded(size_t n)
{
	return n > REGEX_STEPS_MAX ? REGEX_STEPS_MAX + 1 : n;
}

static struct node *repeat_node(struct parser *p, struct node *child,
				unsigned int min, unsigned int max)
{
	struct node *node = node_new(p, NODE_REPEAT);
	size_t copies = max ? max : min + 1;
	size_t splits = max ? max - min : 2;

	node->child = child;
	node->min = min;
	node->max = max;
	node->shortest = bounded(child->shortest * min);
	node->steps = bounded(child->steps * copies + splits);
	return node;
}

static struct node *parse_item(struct parser *p)
{
	struct node *node = parse_atom(p);
	unsigned int min, max;

	if (!node || !take_repeat(p, &min, &max) || p->wrong)
		return p->wrong ? NULL : node;
	if (node->kind == NODE_ASSERT)
		return fail(p, "an edge such as ^, $ or \\b cannot be "
			       "repeated");
	if (*p->at == '?')
		return fail(p, "repetitions that want little, such as '*?', "
			       "are not known: matches are the longest; use "
			       "[^X]* for 'up to X'");
	if (*p->at == '*' || *p->at == '+')
		return fail(p, "a repetition is repeated; put it in "
			       "parentheses");
	return repeat_node(p, node, min, max);
}

static struct node *parse_sequence(struct parser *p)
{
	struct node *node = node_new(p, NODE_SEQUENCE);
	struct node **last = &node->child;

	while (*p->at && *p->at != '|' && *p->at != ')') {
		struct node *item = parse_item(p);

		if (!item)
			return NULL;
		*last = item;
		last = &item->next;
		node->shortest += item->shortest;
		node->steps = bounded(node->steps + item->steps);
	}
	return node;
}

static struct node *parse_choice(struct parser *p)
{
	struct node *node = node_new(p, NODE_CHOICE);
	struct node **last = &node->child;

	for (;; p->at++) {
		struct node *item = parse_sequence(p);

		if (!item)
			return NULL;
		if (last == &node->child || item->shortest < node->shortest)
			node->shortest = item->shortest;
		node->steps = bounded(node->steps + item->steps +
				      (last == &node->child ? 0 : 2));
		*last = item;
		last = &item->next;
		if (*p->at != '|')
			return node;
	}
}

/* (?i) and (?keep=N), in any order. */
static void parse_flags(struct parser *p, size_t *keep)
{
	static const char keep_word[] = "(?keep=";
	unsigned int n;

	for (;;) {
		if (!strncmp(p->at, "(?i)", 4)) {
			p->fold = true;
			p->at += 4;
			continue;
		}
		if (strncmp(p->at, keep_word, sizeof(keep_word) - 1))
			return;
		p->at += sizeof(keep_word) - 1;
		if (!take_number(&p->at, &n) || *p->at++ != ')') {
			fail(p, "(?keep=N) wants a number of bytes");
			return;
		}
		*keep = n;
	}
}

/* ------------------------------------------------------------------ steps */

struct writer {
	struct arena *arena;
	struct regex *out;
};

static uint16_t here(const struct writer *w)
{
	return (uint16_t)w->out->steps.n;
}

static uint16_t step_add(struct writer *w, enum regex_op op, uint16_t to)
{
	struct regex_step *step = ARENA_PUSH(w->arena, &w->out->steps);

	*step = (struct regex_step){ .op = op, .to = to };
	return (uint16_t)(w->out->steps.n - 1);
}

static uint16_t class_index(struct writer *w, const struct regex_class *class)
{
	size_t i = 0;

	while (i < w->out->classes.n &&
	       memcmp(&w->out->classes.v[i], class, sizeof(*class)) != 0)
		i++;
	if (i == w->out->classes.n)
		*ARENA_PUSH(w->arena, &w->out->classes) = *class;
	return (uint16_t)i;
}

static void write_node(struct writer *w, const struct node *node);

static void write_choice(struct writer *w, const struct node *node)
{
	uint16_t split, jump;

	if (!node->next) {
		write_node(w, node);
		return;
	}
	split = step_add(w, REGEX_SPLIT, (uint16_t)(here(w) + 1));
	write_node(w, node);
	jump = step_add(w, REGEX_JUMP, 0);
	w->out->steps.v[split].other = here(w);
	write_choice(w, node->next);
	w->out->steps.v[jump].to = here(w);
}

/* As often as it must, then as often as it may. */
static void write_repeat(struct writer *w, const struct node *node)
{
	uint16_t first = 0, split;

	for (unsigned int i = 0; i < node->min; i++)
		write_node(w, node->child);
	if (!node->max) {
		split = step_add(w, REGEX_SPLIT, (uint16_t)(here(w) + 1));
		write_node(w, node->child);
		(void)step_add(w, REGEX_JUMP, split);
		w->out->steps.v[split].other = here(w);
		return;
	}
	/* Each way out leads to the one before it, the first to the end. */
	for (unsigned int i = node->min; i < node->max; i++) {
		split = step_add(w, REGEX_SPLIT, (uint16_t)(here(w) + 1));
		w->out->steps.v[split].other = first;
		first = split;
		write_node(w, node->child);
	}
	for (unsigned int i = node->min; i < node->max; i++) {
		split = first;
		first = w->out->steps.v[split].other;
		w->out->steps.v[split].other = here(w);
	}
}

static void write_node(struct writer *w, const struct node *node)
{
	uint16_t step;

	switch (node->kind) {
	case NODE_CLASS:
		step = step_add(w, REGEX_CLASS, (uint16_t)(here(w) + 1));
		w->out->steps.v[step].class = class_index(w, &node->class);
		break;
	case NODE_ASSERT:
		(void)step_add(w, node->op, (uint16_t)(here(w) + 1));
		break;
	case NODE_SEQUENCE:
		for (node = node->child; node; node = node->next)
			write_node(w, node);
		break;
	case NODE_CHOICE:
		write_choice(w, node->child);
		break;
	case NODE_REPEAT:
		write_repeat(w, node);
		break;
	}
}

/* No match holds a line's end, so no set has it. */
static void cut_line_ends(struct regex *out)
{
	for (size_t i = 0; i < out->classes.n; i++) {
		for (unsigned int byte = 0; byte < 0x20; byte++) {
			if (ends_line((unsigned char)byte))
				out->classes.v[i].bits[0] &=
					~(UINT64_C(1) << byte);
		}
	}
}

const char *regex_parse(struct arena *arena, const char *text,
			struct regex *out)
{
	struct parser p = { .arena = arena, .at = text };
	struct writer w = { .arena = arena, .out = out };
	const struct node *node;

	*out = (struct regex){ 0 };
	if (strlen(text) > REGEX_TEXT_MAX)
		return "it is longer than 1024 bytes";
	parse_flags(&p, &out->keep);
	node = p.wrong ? NULL : parse_choice(&p);
	if (node && *p.at == ')')
		fail(&p, "')' has no '('; write \\) for the character");
	if (!node || p.wrong)
		return p.wrong;
	if (node->steps >= REGEX_STEPS_MAX)
		return "its repetitions make it too large";
	if (!node->shortest)
		return "it matches an empty text";
	if (out->keep >= node->shortest)
		return "(?keep=N) has to leave something of the shortest match "
		       "to blot out";
	write_node(&w, node);
	(void)step_add(&w, REGEX_MATCH, 0);
	out->shortest = node->shortest;
	cut_line_ends(out);
	return NULL;
}

const char *regex_check(const char *text)
{
	AUTO_ARENA arena = { 0 };
	struct regex regex;

	return regex_parse(&arena, text, &regex);
}
