/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/propose_paths.c - from files that were used to rules that name them
 *
 * Runs in:  the caller's process.
 * Trusts:   nothing in a path: a hostile command chose it.
 * Must not: come to a rule that opens the home directory, the system's or
 *           those that many programs share.
 */
#include "policy/propose_paths.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "base/path.h"

/* --- names that programs make up ---------------------------------------- */

enum { HEX_MIN = 8, MIXED_MIN = 6 };

struct letters {
	size_t digits, hex, upper, lower, other;
	size_t switches; /* between letters and digits, or case within */
};

static struct letters count_letters(const char *name, size_t len)
{
	struct letters n = { 0 };
	int last = 0;

	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)name[i];
		int kind = isdigit(c) ? 1 : isupper(c) ? 2 : islower(c) ? 3 : 0;

		n.digits += kind == 1;
		n.upper += kind == 2;
		n.lower += kind == 3;
		n.other += kind == 0;
		n.hex += isxdigit(c) != 0;
		n.switches += last && kind && kind != last;
		last = kind;
	}
	return n;
}

static bool has_word(const char *name, size_t len, const char *word)
{
	size_t n = strlen(word);

	for (size_t i = 0; i + n <= len; i++) {
		if (!strncasecmp(name + i, word, n))
			return true;
	}
	return false;
}

/* One stretch of letters and digits. */
static bool is_generated_part(const char *part, size_t len)
{
	struct letters n = count_letters(part, len);

	/* A hash; a number of some length; letters as mkstemp() has them. */
	if (len >= HEX_MIN && n.hex == len && n.digits)
		return true;
	if (len >= 4 && n.digits == len)
		return true;
	if (len >= MIXED_MIN && n.digits && n.switches >= 3)
		return true;
	/* Not "MyAppCache". */
	return len >= MIXED_MIN && n.switches * 2 > len;
}

/* As mkstemp() and Python make them: "tmpk3x9_abc". */
static bool is_temporary(const char *name, size_t len)
{
	if (len < 9 || len > 14 || strncmp(name, "tmp", 3) != 0)
		return false;
	for (size_t i = 3; i < len; i++) {
		if (!isalnum((unsigned char)name[i]) && name[i] != '_')
			return false;
	}
	return true;
}

bool propose_name_is_generated(const char *name, size_t len)
{
	size_t at = 0;

	if (has_word(name, len, ".tmp") || has_word(name, len, "tmp.") ||
	    is_temporary(name, len) || (len && name[len - 1] == '~'))
		return true;
	/* Also with an ending: "1f3a9c0d.bin", "cache-20240102.db". */
	while (at < len) {
		size_t n = 0;

		while (at + n < len && isalnum((unsigned char)name[at + n]))
			n++;
		if (n && is_generated_part(name + at, n))
			return true;
		at += n + 1;
	}
	return false;
}

/* --- how wide a directory is -------------------------------------------- */

/* Those that many programs share, below the home directory and elsewhere. */
static const char *const shared_in_home[] = {
	".cache",	".config",   ".local",	  ".local/lib", ".local/share",
	".local/state", "Documents", "Downloads", "Desktop",	NULL,
};

static const char *const shared[] = {
	"/var/lib", "/var/cache", "/var/log",	"/var/spool",
	"/var/tmp", "/usr/local", "/usr/share", NULL,
};

/* Nothing but single files is opened in these. */
static const char *const system_directories[] = {
	"/bin",	 "/boot", "/dev",  "/etc", "/lib", "/lib32", "/lib64",
	"/proc", "/run",  "/sbin", "/sys", "/usr", NULL,
};

static size_t count_parts(const char *path)
{
	size_t n = 0;

	for (; *path; path++)
		n += path[0] == '/' && path[1] != '\0';
	return n;
}

static bool is_any(const char *const *list, const char *path)
{
	for (; *list; list++) {
		if (!strcmp(*list, path))
			return true;
	}
	return false;
}

static bool is_shared_in_home(const struct policy_context *context,
			      const char *path)
{
	size_t n = strlen(context->home);

	return path_within(context->home, path) &&
	       strcmp(context->home, path) != 0 &&
	       is_any(shared_in_home, path + n + (n > 1));
}

static bool is_base(const struct policy_context *context, const char *path)
{
	const char *const bases[] = {
		context->xdg_config_home, context->xdg_state_home,
		context->xdg_cache_home,  context->xdg_data_home,
		context->xdg_runtime_dir,
	};

	for (size_t i = 0; i < sizeof(bases) / sizeof(*bases); i++) {
		if (bases[i] && path_within(path, bases[i]))
			return true;
	}
	return false;
}

bool propose_is_wide(const struct policy_context *context, const char *path,
		     bool write)
{
	if (count_parts(path) < 2 || path_within(path, context->home) ||
	    is_shared_in_home(context, path) || is_base(context, path) ||
	    is_any(shared, path) ||
	    (path_within("/home", path) && count_parts(path) == 2))
		return true;
	for (const char *const *dir = system_directories; write && *dir;
	     dir++) {
		if (path_within(*dir, path))
			return true;
	}
	return false;
}

/* --- one use ------------------------------------------------------------ */

static char *cut(struct arena *arena, const char *path, size_t len)
{
	return len ? arena_strndup(arena, path, len) : arena_strdup(arena, "/");
}

static size_t parent_len(const char *path)
{
	return (size_t)(strrchr(path, '/') - path);
}

/* The directory that the first name that looks made up lies in; 0: none. */
static size_t before_generated(const struct policy_context *context,
			       struct arena *arena, const char *path,
			       bool write)
{
	for (const char *p = path + 1; *p; p += p[0] == '/') {
		size_t n = strcspn(p, "/");
		size_t len = (size_t)(p - path) - 1;

		if (len && propose_name_is_generated(p, n) &&
		    !propose_is_wide(context, cut(arena, path, len), write))
			return len;
		p += n;
	}
	return 0;
}

static bool is_write(enum propose_act act)
{
	return act == PROPOSE_WRITE || act == PROPOSE_CREATE ||
	       act == PROPOSE_REMOVE;
}

/* What is not there yet cannot be named in allow_write. Of directories that
 * programs share, the name below is meant. */
static void name_first(struct arena *arena,
		       const struct policy_context *context,
		       const struct propose_use *use, size_t above,
		       struct propose_rule *out)
{
	const char *next = use->path + above + (use->path[above] == '/');
	size_t len = (size_t)(next - use->path) + strcspn(next, "/");

	out->path = NULL;
	out->reason = PROPOSE_AS_IT_IS;
	while (use->path[len] &&
	       propose_is_wide(context, cut(arena, use->path, len), true)) {
		next = use->path + len + 1;
		len += 1 + strcspn(next, "/");
	}
	/* What is removed itself need not be there in the next run. */
	if ((use->act == PROPOSE_REMOVE && !use->path[len]) || !*next ||
	    use->existing >= len ||
	    propose_name_is_generated(next, strcspn(next, "/")))
		return;
	out->path = arena_strndup(arena, use->path, len);
	out->directory = use->path[len] == '/' || use->directory;
	if (out->directory && propose_is_wide(context, out->path, true))
		out->path = NULL;
}

bool propose_target(struct arena *arena, const struct policy_context *context,
		    const struct propose_use *use, struct propose_rule *out)
{
	bool write = is_write(use->act);
	size_t whole = strlen(use->path), len = whole;
	size_t generated = before_generated(context, arena, use->path, write);

	*out = (struct propose_rule){ .directory = use->directory,
				      .files = 1,
				      .count = use->count,
				      .comms = { use->comm },
				      .example = use->path };
	if (generated) {
		len = generated;
		out->reason = PROPOSE_GENERATED;
	} else if (use->act == PROPOSE_CREATE || use->existing < whole) {
		len = parent_len(use->path);
		out->reason = PROPOSE_MADE_IN;
	} else if (use->act == PROPOSE_REMOVE) {
		len = parent_len(use->path);
		out->reason = PROPOSE_REMOVED_IN;
	}
	if (len > use->existing) {
		len = use->existing;
		out->reason = PROPOSE_MADE_IN;
	}
	out->path = cut(arena, use->path, len);
	if (len < whole)
		out->directory = true;
	if (!out->directory || !propose_is_wide(context, out->path, write))
		return true;
	name_first(arena, context, use, len, out);
	return false;
}

/* --- several ------------------------------------------------------------ */

/* By components, so that what lies in a directory follows it. */
static int compare_paths(const char *a, const char *b)
{
	for (; *a && *a == *b; a++, b++)
		;
	if (*a == *b)
		return 0;
	if (*a == '\0' || *b == '\0')
		return *a ? 1 : -1;
	if (*a == '/' || *b == '/')
		return *a == '/' ? -1 : 1;
	return (unsigned char)*a - (unsigned char)*b;
}

static int by_path(const void *a, const void *b)
{
	const struct propose_rule *x = a, *y = b;
	int order = compare_paths(x->path, y->path);

	return order ? order : compare_paths(x->example, y->example);
}

static void add_comm(struct propose_rule *to, const char *comm)
{
	for (size_t i = 0; comm && i < PROPOSE_COMMS; i++) {
		if (!to->comms[i]) {
			to->comms[i] = comm;
			return;
		}
		if (!strcmp(to->comms[i], comm))
			return;
	}
	to->more_comms |= comm != NULL;
}

static void join_into(struct propose_rule *to, const struct propose_rule *from,
		      bool same_file)
{
	if (!same_file)
		to->files += from->files;
	to->count += from->count;
	for (size_t i = 0; i < PROPOSE_COMMS; i++)
		add_comm(to, from->comms[i]);
	to->more_comms |= from->more_comms;
	if (!to->reason)
		to->reason = from->reason;
	to->directory |= from->directory;
}

/* What is equal, or lies in a directory that stands before it. */
static void join_covered(struct propose_rules *rules)
{
	const char *last = NULL;
	size_t n = 0;

	for (size_t i = 0; i < rules->n; i++) {
		struct propose_rule rule = rules->v[i];
		struct propose_rule *to = n ? &rules->v[n - 1] : NULL;
		/* Sorted: the uses of one file stand in a row. */
		bool same = last && !strcmp(last, rule.example);

		last = rule.example;
		if (to && (!strcmp(to->path, rule.path) ||
			   (to->directory && path_within(to->path, rule.path))))
			join_into(to, &rule, same);
		else
			rules->v[n++] = rule;
	}
	rules->n = n;
}

/* How many rules, from @first on, lie in @dir. */
static size_t count_below(const struct propose_rules *rules, size_t first,
			  const char *dir)
{
	size_t n = 0;

	while (first + n < rules->n &&
	       path_within(dir, rules->v[first + n].path))
		n++;
	return n;
}

/* The deepest directory with many rules in it; NULL if there is none. */
static char *find_many(struct arena *arena,
		       const struct policy_context *context, bool write,
		       const struct propose_rules *rules, size_t *first)
{
	char *best = NULL;

	for (size_t i = 0; i < rules->n; i++) {
		const char *path = rules->v[i].path;
		size_t len = parent_len(path);

		for (; len; len = parent_len(cut(arena, path, len))) {
			char *dir = cut(arena, path, len);

			if (propose_is_wide(context, dir, write) ||
			    (best && strlen(best) >= len))
				break;
			if ((i && path_within(dir, rules->v[i - 1].path)) ||
			    count_below(rules, i, dir) < PROPOSE_MANY_N)
				continue;
			best = dir;
			*first = i;
			break;
		}
	}
	return best;
}

void propose_join(struct arena *arena, const struct policy_context *context,
		  bool write, struct propose_rules *rules)
{
	size_t first = 0;
	char *dir;

	if (!rules->n)
		return;
	arena_sort(arena, rules->v, rules->n, sizeof(rules->v[0]), by_path);
	join_covered(rules);
	while ((dir = find_many(arena, context, write, rules, &first))) {
		rules->v[first].path = dir;
		rules->v[first].directory = true;
		rules->v[first].reason = PROPOSE_MANY;
		join_covered(rules);
	}
}
