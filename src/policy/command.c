/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/command.c - exec rules: from text to words, and the verdict
 *
 * Runs in:  whoever reads a policy; the guard for every execution that is
 *           judged.
 * Trusts:   nothing in a rule or an argument.
 * Must not: allocate or call the kernel in command_judge().
 *
 * What is executed is judged, not what a string looks like: no shell is parsed
 * here. A program can still be told by its arguments, its environment or its
 * files to do what a rule with arguments denies, so such rules are a
 * guard-rail. Programs denied as a whole are masked; see plan/exec.c.
 */
#include "policy/command.h"

#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/path.h"
#include "policy/command_forms.h"
#include "policy/command_match.h"
#include "policy/format.h"

enum {
	ALIAS_WORDS = 16,
	ALIAS_BYTES = 512,
	ALIAS_DEPTH = 8, /* aliases of aliases */
};

/* What has a meaning to a shell and none in a rule; or NULL. */
static const char *char_check(char c)
{
	if (strchr("|;&<>", c))
		return "is more than one command; a rule is about one program "
		       "(quote the character if it is an argument)";
	if (c == '*')
		return "has a '*', which rules do not know; they are "
		       "beginnings anyway: leave it out, or quote it";
	return NULL;
}

/* Takes one word of @*text, quotes and backslashes undone; @out has room for
 * all of it. What is wrong, also as a @rule, or NULL. */
static const char *word_take(const char **text, bool rule, char *out)
{
	const char *p = *text;
	char quote = '\0';

	for (; *p && (quote || !strchr(" \t\r\n", *p)); p++) {
		if (quote && *p == quote) {
			quote = '\0';
		} else if (!quote && (*p == '\'' || *p == '"')) {
			quote = *p;
		} else if (*p == '\\' && quote != '\'') {
			/* Between double quotes few characters need one. */
			if (!p[1])
				return "ends in a backslash";
			if (quote && !strchr("\"\\$`", p[1]))
				*out++ = *p;
			*out++ = *++p;
		} else if (rule && !quote && char_check(*p)) {
			return char_check(*p);
		} else {
			*out++ = *p;
		}
	}
	if (quote)
		return "has a quote that is not closed";
	*out = '\0';
	*text = p;
	return NULL;
}

static const char *words_split(struct arena *arena, const char *text,
			       struct command_rule *out)
{
	const char **words =
		arena_array(arena, const char *, COMMAND_WORDS_MAX + 1);
	char *room = arena_array(arena, char, strlen(text) + 2);
	const char *wrong;

	for (;;) {
		text += strspn(text, " \t\r\n");
		if (!*text)
			break;
		if (out->n == COMMAND_WORDS_MAX)
			return "has too many words";
		wrong = word_take(&text, true, room);
		if (wrong)
			return wrong;
		words[out->n++] = room;
		room += strlen(room) + 1;
	}
	out->words = words;
	if (!out->n || !out->words[0][0])
		return "names no program";
	return NULL;
}

static const char *program_check(const char *program)
{
	const char *base = command_base_name(program);

	if (!*base || !strcmp(base, ".") || !strcmp(base, ".."))
		return "names no program";
	if (strchr(program, '/') && !path_is_normal(program))
		return "names its program by a path that is not the whole "
		       "one; write it from '/' on, without '.', '..' and "
		       "double slashes, or the name alone";
	if (program[0] == '-')
		return "begins with an option; its first word is the program";
	return NULL;
}

static int rules_add(struct arena *arena, const struct policy_list *list,
		     bool allow, struct command_rules *out, struct err *err)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct policy_item *item = &list->v[i];
		struct command_rule rule = {
			.allow = allow,
			.text = item->text,
			.origin = item->origin,
		};
		const char *wrong = words_split(arena, item->text, &rule);

		if (!wrong)
			wrong = program_check(rule.words[0]);
		if (wrong)
			return err_set(
				err, ERR_POLICY, "%s: exec.%s '%.80s' %s",
				policy_origin_format(arena, &item->origin),
				allow ? "allow" : "deny", item->text, wrong);
		*ARENA_PUSH(arena, out) = rule;
	}
	return 0;
}

int command_rules_build(struct arena *arena, const struct policy_exec *exec,
			struct command_rules *out, struct err *err)
{
	struct command_rules rules = { 0 };

	if (rules_add(arena, &exec->deny, false, &rules, err) < 0 ||
	    rules_add(arena, &exec->allow, true, &rules, err) < 0)
		return -1;
	*out = rules;
	return 0;
}

/* One way to read what is executed. */
struct reading {
	const char *const *names; /* of the file */
	size_t names_n;
	const char *also; /* another name, or NULL */
	const char *const *argv;
	size_t argc;
	bool cut;
};

struct judge {
	const struct command_rules *rules;
	const struct reading *reading;
	struct command_verdict *out;
};

static bool is_path(const struct command_rule *rule)
{
	return strchr(rule->words[0], '/') != NULL;
}

/* A file that is meant by its path is that under any name. */
static bool file_is(const struct reading *reading, const char *path)
{
	for (size_t i = 0; i < reading->names_n; i++) {
		if (!strcmp(reading->names[i], path))
			return true;
	}
	/* What a loader or a multicall program runs is named by words. */
	return !reading->names_n && reading->argc &&
	       !strcmp(reading->argv[0], path);
}

static bool is_about(const struct judge *judge, const struct command_rule *rule,
		     const char *name)
{
	const char *program = rule->words[0];

	if (!is_path(rule))
		return !strcmp(program, command_base_name(name));
	return !strcmp(program, name) ||
	       (rule->allow && file_is(judge->reading, program));
}

static void keep_longer(const struct command_rule **best,
			const struct command_rule *rule)
{
	if (!*best || rule->n > (*best)->n)
		*best = rule;
}

static bool beats(const struct command_rule *deny,
		  const struct command_rule *allow)
{
	return deny && (!allow || allow->n <= deny->n);
}

/* The verdict under one name; true when it is certain that it is denied. */
static bool weigh(const struct judge *judge, const char *name,
		  const struct command_words *args)
{
	const struct command_rule *deny = NULL, *maybe = NULL, *allow = NULL;

	for (size_t i = 0; i < judge->rules->n; i++) {
		const struct command_rule *rule = &judge->rules->v[i];
		enum command_match match;

		if (!is_about(judge, rule, name))
			continue;
		match = command_match(rule, command_base_name(rule->words[0]),
				      args);
		if (match == COMMAND_MATCH_YES)
			keep_longer(rule->allow ? &allow : &deny, rule);
		else if (match == COMMAND_MATCH_MAYBE && !rule->allow)
			keep_longer(&maybe, rule);
	}
	if (beats(deny, allow)) {
		*judge->out = (struct command_verdict){ .denied = true,
							.rule = deny };
		return true;
	}
	if (judge->out->denied)
		return false;
	if (beats(maybe, allow))
		*judge->out = (struct command_verdict){ .denied = true,
							.doubt = true,
							.rule = maybe };
	else if (!judge->out->rule)
		judge->out->rule = allow;
	return false;
}

static bool weigh_doubt(const struct judge *judge, const char *program)
{
	for (size_t i = 0; i < judge->rules->n; i++) {
		const struct command_rule *rule = &judge->rules->v[i];

		if (rule->allow || judge->out->denied ||
		    (program &&
		     strcmp(program, command_base_name(rule->words[0])) != 0))
			continue;
		*judge->out = (struct command_verdict){ .denied = true,
							.doubt = true,
							.rule = rule };
	}
	return false;
}

/* Is @config "alias.NAME=VALUE"? VALUE, or NULL. */
static const char *alias_value(const char *config, const char *name)
{
	size_t n = strlen(name);

	if (strncasecmp(config, "alias.", 6) ||
	    strncasecmp(config + 6, name, n) != 0)
		return NULL;
	config += 6 + n;
	if (!strncasecmp(config, ".command", 8))
		config += 8;
	return *config == '=' ? config + 1 : NULL;
}

/* What `git -c alias.NAME=VALUE` among @args makes of @name, the last one. */
static const char *alias_find(const struct command_words *args,
			      const char *name)
{
	size_t n = command_find_operand("git", args);
	const char *found = NULL;

	for (size_t i = 0; i + 1 < n; i++) {
		const char *value;

		if (strcmp(command_word(args, i), "-c") != 0)
			continue;
		value = alias_value(command_word(args, i + 1), name);
		if (value)
			found = value;
	}
	return found;
}

/* With help.autocorrect git runs what it takes a word for: any sub-command. */
static bool guesses(const struct command_words *args)
{
	size_t n = command_find_operand("git", args);

	for (size_t i = 0; i + 1 < n; i++) {
		if (!strcmp(command_word(args, i), "-c") &&
		    !strncasecmp(command_word(args, i + 1), "help.autocorrect",
				 16))
			return true;
	}
	return false;
}

/* Words of an alias, on the stack. */
struct alias {
	const char *v[ALIAS_WORDS];
	size_t n;
	char room[ALIAS_BYTES];
	size_t used;
};

/* Puts the words of @value in place of the first @drop; false if they are too
 * many, or no words. */
static bool alias_expand(struct alias *alias, const char *value, size_t drop)
{
	const char *rest[ALIAS_WORDS];
	size_t rest_n = alias->n - drop, n = 0;

	if (strlen(value) + 2 > ALIAS_BYTES - alias->used)
		return false;
	if (rest_n)
		memcpy(rest, alias->v + drop, rest_n * sizeof(*rest));
	for (;;) {
		char *word = alias->room + alias->used;

		value += strspn(value, " \t\r\n");
		if (!*value)
			break;
		if (n + rest_n == ALIAS_WORDS || word_take(&value, false, word))
			return false;
		alias->v[n++] = word;
		alias->used += strlen(word) + 1;
	}
	if (rest_n)
		memcpy(alias->v + n, rest, rest_n * sizeof(*rest));
	alias->n = n + rest_n;
	return true;
}

/*
 * `git -c alias.x=push x` is `git push`. What begins with '!' is a command for
 * a shell, whose children are judged as any others.
 */
static bool weigh_aliases(const struct judge *judge,
			  const struct command_words *args)
{
	struct alias alias = { .n = 0 };
	struct command_words words = { .cut = args->cut };
	size_t at = command_find_operand("git", args);
	const char *value = NULL;

	if (at == args->head_n + args->tail_n || at < args->head_n)
		return false;
	if (guesses(args))
		return weigh_doubt(judge, "git");
	value = alias_find(args, command_word(args, at));
	words.head = alias.v;
	words.tail = args->tail + (at - args->head_n) + 1;
	words.tail_n = args->tail_n - (at - args->head_n) - 1;
	for (int i = 0; value; i++) {
		if (value[0] == '!')
			return false;
		if (i == ALIAS_DEPTH || !alias_expand(&alias, value, i > 0))
			return weigh_doubt(judge, "git");
		words.head_n = alias.n;
		if (weigh(judge, "git", &words))
			return true;
		if (!alias.n)
			return false;
		value = alias_find(args, alias.v[0]);
	}
	return false;
}

/* Under @name, and under what a name says: git-push is git with "push". */
static bool weigh_name(const struct judge *judge, const char *name)
{
	const struct reading *reading = judge->reading;
	const char *base = command_base_name(name);
	size_t given = reading->argc ? 1 : 0;
	struct command_words args = {
		.tail = reading->argv + given,
		.tail_n = reading->argc - given,
		.cut = reading->cut,
	};
	const char *sub;

	if (weigh(judge, name, &args))
		return true;
	if (!strcmp(base, "git"))
		return weigh_aliases(judge, &args);
	if (strncmp(base, "git-", 4) || !base[4])
		return false;
	sub = base + 4;
	args.head = &sub;
	args.head_n = 1;
	return weigh(judge, "git", &args);
}

/* A login shell's name begins with '-'. */
static const char *called(const struct reading *reading)
{
	const char *name = reading->argc ? reading->argv[0] : "";

	return *name == '-' ? name + 1 : name;
}

static bool weigh_reading(const struct judge *judge)
{
	const struct reading *reading = judge->reading;

	for (size_t i = 0; i < reading->names_n; i++) {
		if (weigh_name(judge, reading->names[i]))
			return true;
	}
	if (reading->also && weigh_name(judge, reading->also))
		return true;
	return reading->argc && weigh_name(judge, called(reading));
}

typedef bool name_fn(const char *name);

static bool any_name(const struct reading *reading, name_fn *is)
{
	for (size_t i = 0; i < reading->names_n; i++) {
		if (is(reading->names[i]))
			return true;
	}
	return (reading->also && is(reading->also)) || is(called(reading));
}

/* Is the file called by one of its own names? */
static bool is_called_so(const struct reading *reading)
{
	const char *base = command_base_name(called(reading));

	for (size_t i = 0; i < reading->names_n; i++) {
		if (!strcmp(command_base_name(reading->names[i]), base))
			return true;
	}
	return false;
}

static void reading_move(struct reading *reading, size_t by, const char *also)
{
	*reading = (struct reading){
		.also = also,
		.argv = reading->argv + by,
		.argc = reading->argc - by,
		.cut = reading->cut,
	};
}

/* The applet in @word, "--coreutils-prog=NAME"; or NULL. */
static const char *named_applet(const char *word, bool *script)
{
	static const char plain[] = "--coreutils-prog=";
	static const char shebang[] = "--coreutils-prog-shebang=";

	*script = !strncmp(word, shebang, sizeof(shebang) - 1);
	if (*script)
		return word + sizeof(shebang) - 1;
	if (!strncmp(word, plain, sizeof(plain) - 1))
		return word + sizeof(plain) - 1;
	return NULL;
}

/* They take what begins with their name for it: "busybox2" is no applet. */
static bool is_own_name(const char *name)
{
	static const char *const own[] = { "busybox", "toybox", "coreutils" };
	const char *base = command_base_name(name);

	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++) {
		if (!strncmp(base, own[i], strlen(own[i])))
			return true;
	}
	return command_is_multicall(name);
}

/*
 * A multicall program is what it is called, or its first argument where it is
 * called by its own name. One that is called what it is not by any path may
 * look at either.
 */
static bool next_applet(struct reading *reading)
{
	const char *applet;
	bool script;

	applet = named_applet(reading->argv[1], &script);
	if (applet) {
		/* The word takes the place of the name; the script's own
		 * follows it. */
		reading_move(reading, script && reading->argc > 2 ? 2 : 1,
			     applet);
		return true;
	}
	if (!is_own_name(called(reading)) && is_called_so(reading))
		return false;
	reading_move(reading, 1, NULL);
	return true;
}

/* The next way to read it; each has fewer arguments than the one before. */
static bool reading_next(struct reading *reading)
{
	const char *also;
	size_t at;

	if (reading->argc < 2)
		return false;
	if (any_name(reading, command_is_loader)) {
		at = command_loader_file(reading->argv, reading->argc, &also);
		if (at == reading->argc)
			return false;
		reading_move(reading, at, also);
		return true;
	}
	return any_name(reading, command_is_multicall) && next_applet(reading);
}

/* What runs stands among the arguments that are not known. */
static bool is_unknown(const struct reading *reading)
{
	if (any_name(reading, command_is_loader))
		return true;
	return any_name(reading, command_is_multicall) &&
	       (!reading->argc ||
		(reading->argc == 1 && command_is_multicall(called(reading))));
}

void command_judge(const struct command_rules *rules,
		   const struct command_seen *seen, struct command_verdict *out)
{
	struct reading reading = {
		.names = seen->names,
		.names_n = seen->names_n,
		.argv = seen->argv,
		.argc = seen->argc,
		.cut = seen->cut,
	};
	struct judge judge = { .rules = rules,
			       .reading = &reading,
			       .out = out };

	*out = (struct command_verdict){ 0 };
	if (!rules->n)
		return;
	do {
		if (weigh_reading(&judge))
			return;
	} while (reading_next(&reading));
	if (seen->cut && is_unknown(&reading))
		(void)weigh_doubt(&judge, NULL);
}
