/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd/hook_words.c - the simple commands of a shell's text
 *
 * Runs in:  the hook that an agent calls.
 * Trusts:   nothing: a model wrote the text.
 * Must not: run or expand anything, or touch the world.
 */
#include "cmd/hook_words.h"

#include <string.h>

#include "base/arena.h"
#include "base/text.h"

enum { DEPTH_MAX = 16, HERES_MAX = 64, COMMANDS_MAX = 10000 };

/* Words of one command while it is read; @open: of each, not known here. */
struct words {
	const char **v;
	size_t n;
};

struct opens {
	bool *v;
	size_t n;
};

struct scan {
	struct arena *arena;
	const char *p; /* the rest of the text */
	unsigned int depth;
	struct hook_script *out;
	struct text word;
	bool in_word;
	bool open; /* of the word */
	bool target; /* the word is where a redirection leads */
	struct words words;
	struct opens opens;
	const char *skip; /* behind the here-documents of this line */
	unsigned int heres;
};

static void scan_commands(struct scan *s, char close);

static void add_char(struct scan *s, char c)
{
	text_addn(&s->word, &c, 1);
	s->in_word = true;
}

static void end_word(struct scan *s)
{
	if (s->in_word && !s->target) {
		*ARENA_PUSH(s->arena, &s->words) =
			arena_strdup(s->arena, text_str(&s->word));
		*ARENA_PUSH(s->arena, &s->opens) = s->open;
	}
	if (s->in_word)
		s->target = false;
	s->in_word = s->open = false;
	s->word = (struct text){ .arena = s->arena };
}

/* NAME=…, NAME+=… */
static bool is_assignment(const char *word)
{
	size_t len = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				  "abcdefghijklmnopqrstuvwxyz_0123456789");

	return len && !(word[0] >= '0' && word[0] <= '9') &&
	       (word[len] == '=' || (word[len] == '+' && word[len + 1] == '='));
}

/* Words after which a command begins. */
static bool is_reserved(const char *word)
{
	static const char *const all[] = {
		"!",  "{",  "}",    "if",   "then",  "elif",  "else",
		"fi", "do", "done", "esac", "while", "until",
	};

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		if (!strcmp(word, all[i]))
			return true;
	}
	return false;
}

static void end_command(struct scan *s)
{
	size_t first = 0;

	end_word(s);
	while (first < s->words.n && (is_assignment(s->words.v[first]) ||
				      is_reserved(s->words.v[first]))) {
		s->out->plain = false;
		first++;
	}
	if (s->out->n >= COMMANDS_MAX)
		s->out->doubt = true;
	else if (first < s->words.n)
		*ARENA_PUSH(s->arena, s->out) = (struct hook_command){
			.words = s->words.v + first,
			.n = s->words.n - first,
			.open = s->opens.v[first] &&
				strcmp(s->words.v[first], "[") != 0 &&
				strcmp(s->words.v[first], "[[") != 0,
		};
	s->words = (struct words){ 0 };
	s->opens = (struct opens){ 0 };
	s->target = false;
}

/* Commands in a text of their own, or up to @close in this one. */
static void scan_inside(struct scan *s, const char *text, char close)
{
	struct scan inner = {
		.arena = s->arena,
		.p = text ? text : s->p,
		.depth = s->depth + 1,
		.out = s->out,
		.word = { .arena = s->arena },
	};

	s->out->plain = false;
	if (inner.depth > DEPTH_MAX) {
		s->out->doubt = true;
		s->p += text ? 0 : strlen(s->p);
		return;
	}
	scan_commands(&inner, close);
	if (!text)
		s->p = inner.p;
}

/* Behind the first '`': the text up to the next, without its backslashes. */
static void scan_backtick(struct scan *s)
{
	struct text inside = { .arena = s->arena };

	while (*s->p && *s->p != '`') {
		if (*s->p == '\\' && s->p[1] && strchr("`\\$", s->p[1]))
			s->p++;
		text_addn(&inside, s->p++, 1);
	}
	if (*s->p)
		s->p++;
	else
		s->out->doubt = true;
	s->open = true;
	s->out->literal = false;
	add_char(s, '$');
	scan_inside(s, text_str(&inside), '\0');
}

static void scan_double(struct scan *s);
static void scan_dollar(struct scan *s);

/* Behind "${", up to the brace that ends it. */
static void scan_braces(struct scan *s)
{
	if (++s->depth > DEPTH_MAX) {
		s->out->doubt = true;
		s->p += strlen(s->p);
	}
	while (*s->p && *s->p != '}') {
		char c = *s->p++;

		if (c == '\\' && *s->p)
			s->p++;
		else if (c == '"')
			scan_double(s);
		else if (c == '$')
			scan_dollar(s);
		else if (c == '`')
			scan_backtick(s);
	}
	s->depth--;
	if (*s->p)
		s->p++;
	else
		s->out->doubt = true;
}

/* $'…': what the escapes stand for is not worked out. */
static void scan_ansi(struct scan *s)
{
	while (*s->p && *s->p != '\'') {
		if (*s->p == '\\' && s->p[1])
			add_char(s, *s->p++);
		add_char(s, *s->p++);
	}
	if (*s->p)
		s->p++;
	else
		s->out->doubt = true;
}

/* Behind a '$'. */
static void scan_dollar(struct scan *s)
{
	s->out->literal = false;
	if (*s->p == '"')
		return; /* $"…" is "…" */
	s->open = true;
	add_char(s, '$');
	if (*s->p == '(') {
		s->p++;
		scan_inside(s, NULL, ')');
	} else if (*s->p == '{') {
		s->p++;
		scan_braces(s);
	} else if (*s->p == '\'') {
		s->p++;
		scan_ansi(s);
	}
}

/* Behind the first '"'. */
static void scan_double(struct scan *s)
{
	s->in_word = true;
	while (*s->p && *s->p != '"') {
		char c = *s->p++;

		if (c == '\\' && *s->p == '\n')
			s->p++;
		else if (c == '\\' && *s->p && strchr("$`\"\\", *s->p))
			add_char(s, *s->p++);
		else if (c == '$')
			scan_dollar(s);
		else if (c == '`')
			scan_backtick(s);
		else
			add_char(s, c);
		if (c == '!') /* of the history, where there is one */
			s->out->literal = false;
	}
	if (*s->p)
		s->p++;
	else
		s->out->doubt = true;
}

static void scan_single(struct scan *s)
{
	s->in_word = true;
	while (*s->p && *s->p != '\'')
		add_char(s, *s->p++);
	if (*s->p)
		s->p++;
	else
		s->out->doubt = true;
}

/* -------------------------------------------------------- here-documents */

/* Substitutions in the body of one whose end is not quoted. */
static void scan_body(struct scan *s, const char *body, size_t n)
{
	struct scan inner = {
		.arena = s->arena,
		.p = arena_strndup(s->arena, body, n),
		.depth = s->depth + 1,
		.out = s->out,
		.word = { .arena = s->arena },
	};

	if (inner.depth > DEPTH_MAX) {
		s->out->doubt = true;
		return;
	}
	while (*inner.p) {
		char c = *inner.p++;

		if (c == '\\' && *inner.p)
			inner.p++;
		else if (c == '$')
			scan_dollar(&inner);
		else if (c == '`')
			scan_backtick(&inner);
	}
}

static bool is_end_line(const char *line, size_t n, const char *end, bool tabs)
{
	for (; tabs && n && *line == '\t'; n--)
		line++;
	return n == strlen(end) && !memcmp(line, end, n);
}

/* Behind "<<": the body begins on the next line and is no command. */
static void scan_here(struct scan *s)
{
	bool tabs = *s->p == '-', quoted = false;
	struct text end = { .arena = s->arena };
	const char *line, *body;

	s->p += tabs;
	s->p += strspn(s->p, " \t");
	for (; *s->p && !strchr(" \t\n;&|<>()", *s->p); s->p++) {
		if (strchr("\"'\\", *s->p))
			quoted = true;
		else
			text_addn(&end, s->p, 1);
	}
	/* The search for each of them may go through the whole text. */
	if (++s->heres > HERES_MAX) {
		s->out->doubt = true;
		return;
	}
	body = s->skip ? s->skip : strchr(s->p, '\n');
	if (!body) {
		s->out->doubt = true;
		return;
	}
	body += s->skip ? 0 : 1;
	for (line = body; *line;) {
		size_t n = strcspn(line, "\n");

		if (is_end_line(line, n, text_str(&end), tabs))
			break;
		line += n + (line[n] == '\n');
	}
	if (!quoted)
		scan_body(s, body, (size_t)(line - body));
	line += strcspn(line, "\n");
	s->skip = *line ? line + 1 : line;
}

/* ------------------------------------------------------------- commands */

/* At '<' or '>'. */
static void scan_redirection(struct scan *s)
{
	char c = *s->p++;

	s->out->plain = false;
	if (c == '<')
		s->out->piped = true;
	if (*s->p == '(') { /* <( … ): a name for what it prints */
		s->p++;
		s->open = true;
		add_char(s, '$');
		scan_inside(s, NULL, ')');
		return;
	}
	/* A number before it belongs to it. */
	if (s->in_word && strspn(text_str(&s->word), "0123456789") ==
				  strlen(text_str(&s->word)))
		s->in_word = false;
	end_word(s);
	if (c == '<' && *s->p == '<' && s->p[1] != '<') {
		s->p++;
		scan_here(s);
		return;
	}
	/* <<< WORD is read as a script may be, so it stays a word. */
	s->target = !(c == '<' && *s->p == '<');
	s->p += strspn(s->p, "<>&|");
}

/* To a shell that is typed at it may be none. */
static void skip_comment(struct scan *s)
{
	s->out->literal = s->out->plain = false;
	s->p += strcspn(s->p, "\n");
}

/* At a character that ends a command. */
static void scan_end(struct scan *s)
{
	char c = *s->p++;

	end_command(s);
	if (c == '|')
		s->out->piped = true;
	if (c != '\n' || *s->p)
		s->out->plain = false;
	if (c == '\n' && s->skip) {
		s->p = s->skip > s->p ? s->skip : s->p;
		s->skip = NULL;
	}
}

static void scan_quoted(struct scan *s)
{
	char c = *s->p++;

	if (c == '\'') {
		scan_single(s);
	} else if (c == '"') {
		scan_double(s);
	} else if (c == '$') {
		scan_dollar(s);
	} else if (c == '`') {
		scan_backtick(s);
	} else if (*s->p == '\n') {
		s->p++; /* a line that goes on */
	} else if (*s->p) {
		add_char(s, *s->p++);
	}
}

/* At a character that is not quoted and ends nothing. */
static void scan_bare(struct scan *s)
{
	char c = *s->p++;
	bool home =
		c == '~' && !s->in_word && (!*s->p || strchr("/ \t\n", *s->p));

	/* zsh has a program's path for =NAME. */
	if ((strchr("*?[{~!^", c) && !home) || (c == '=' && !s->in_word))
		s->out->literal = false;
	/* Patterns and {a,b} make other words of it. */
	s->open = s->open || strchr("*?[{~", c) != NULL;
	add_char(s, c);
}

static void scan_commands(struct scan *s, char close)
{
	unsigned int nest = 0;

	while (*s->p) {
		char c = *s->p;

		if (close && c == close && !nest)
			break;
		if (c == '(')
			nest++;
		else if (c == ')' && nest)
			nest--;
		if (c == ' ' || c == '\t') {
			end_word(s);
			s->p++;
		} else if (strchr("'\"$`\\", c)) {
			scan_quoted(s);
		} else if (c == '<' || c == '>' ||
			   (c == '&' && s->p[1] == '>')) {
			s->p += c == '&';
			scan_redirection(s);
		} else if (strchr("\n;&|()", c)) {
			scan_end(s);
		} else if (c == '#' && !s->in_word) {
			skip_comment(s);
		} else {
			scan_bare(s);
		}
	}
	end_command(s);
	if (close && *s->p)
		s->p++;
	else if (close)
		s->out->doubt = true;
}

void hook_script_scan(struct arena *arena, const char *text,
		      struct hook_script *out)
{
	struct scan s = { .arena = arena,
			  .p = text,
			  .out = out,
			  .word = { .arena = arena } };

	*out = (struct hook_script){ .plain = true, .literal = true };
	scan_commands(&s, '\0');
}

bool hook_script_is_cd(const struct hook_script *script)
{
	const char *const *words;
	size_t n, i = 1;

	if (!script->plain || !script->literal || script->doubt ||
	    script->n != 1)
		return false;
	words = script->v[0].words;
	n = script->v[0].n;
	if (strcmp(words[0], "cd") != 0)
		return false;
	while (i < n && (!strcmp(words[i], "-P") || !strcmp(words[i], "-L")))
		i++;
	if (i < n && !strcmp(words[i], "--"))
		return n - i <= 2;
	/* Other options are those of one shell or another. */
	if (i < n &&
	    ((words[i][0] == '-' && words[i][1]) || words[i][0] == '+'))
		return false;
	return n - i <= 1;
}
