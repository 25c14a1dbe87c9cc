/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/golden/world.c - answers the plan's questions from a file
 *
 * Runs in:  the golden test, without privileges.
 * Trusts:   the cases in the tree.
 * Must not: look at the real host: the same case gives the same plan anywhere.
 */
#include "world.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/path.h"
#include "policy/match.h"

enum { LINKS_MAX = 40, WORDS_MAX = 5, ROOM = 1024 };

static void bad_line(const char *line)
{
	fprintf(stderr, "golden: cannot read the line '%s'\n", line);
	exit(2);
}

static const struct world_node *node_find(const struct world *world,
					  const char *path)
{
	for (size_t i = 0; i < world->nodes.n; i++) {
		if (!strcmp(world->nodes.v[i].path, path))
			return &world->nodes.v[i];
	}
	return NULL;
}

static void node_add(struct world *world, const char *path,
		     enum facts_kind kind, const char *target, const char *twin)
{
	char *parent = arena_strdup(world->arena, path);
	char *slash = strrchr(parent, '/');
	struct world_node *node;

	if (!path_is_normal(path))
		bad_line(path);
	if (node_find(world, path))
		return;
	if (strcmp(path, "/")) {
		slash[slash == parent ? 1 : 0] = '\0';
		node_add(world, parent, FACTS_DIRECTORY, NULL, NULL);
	}
	node = ARENA_PUSH(world->arena, &world->nodes);
	*node = (struct world_node){
		.path = path, .kind = kind, .target = target, .twin = twin
	};
}

/* Hard links have one identity, that of the name they were linked to. */
static struct facts_id node_id(const struct world *world,
			       const struct world_node *node)
{
	const struct world_node *twin =
		node->twin ? node_find(world, node->twin) : NULL;

	if (twin)
		node = twin;
	return (struct facts_id){
		.dev = 1, .ino = (uint64_t)(node - world->nodes.v) + 1
	};
}

static bool node_multiple(const struct world *world,
			  const struct world_node *node)
{
	for (size_t i = 0; i < world->nodes.n; i++) {
		const struct world_node *other = &world->nodes.v[i];

		if (other->twin &&
		    (other == node || !strcmp(other->twin, node->path)))
			return true;
	}
	return false;
}

/* --- resolving ---------------------------------------------------------- */

struct walk {
	const struct world *world;
	struct facts_path *out;
	char real[ROOM]; /* resolved so far; "" is the root */
	char rest[ROOM]; /* not resolved yet, begins with '/' or is "" */
	unsigned int links;
};

static void walk_up(struct walk *walk)
{
	char *slash = strrchr(walk->real, '/');

	if (slash)
		*slash = '\0';
}

static void walk_follow(struct walk *walk, const struct world_node *link)
{
	struct arena *arena = walk->world->arena;
	char rest[ROOM];

	*ARENA_PUSH(arena, &walk->out->links) = (struct facts_link){
		.path = link->path,
		.target = link->target,
		.id = node_id(walk->world, link),
	};
	snprintf(rest, sizeof(rest), "%s", walk->rest);
	snprintf(walk->rest, sizeof(walk->rest), "%s%.500s%.500s",
		 link->target[0] == '/' ? "" : "/", link->target, rest);
	if (link->target[0] == '/')
		walk->real[0] = '\0';
}

/* One component; false at the end or where nothing lies. */
static bool walk_step(struct walk *walk, bool *absent)
{
	const struct world_node *node;
	char name[ROOM], next[ROOM];
	size_t n;

	while (walk->rest[0] == '/')
		memmove(walk->rest, walk->rest + 1, strlen(walk->rest));
	if (!walk->rest[0])
		return false;
	n = strcspn(walk->rest, "/");
	snprintf(name, sizeof(name), "%.*s", (int)n, walk->rest);
	memmove(walk->rest, walk->rest + n, strlen(walk->rest + n) + 1);
	if (!strcmp(name, "."))
		return true;
	if (!strcmp(name, "..")) {
		walk_up(walk);
		return true;
	}
	snprintf(next, sizeof(next), "%.700s/%.300s", walk->real, name);
	node = node_find(walk->world, next);
	if (node && node->target && ++walk->links <= LINKS_MAX) {
		walk_follow(walk, node);
		return true;
	}
	if (!node || node->target) {
		*absent = true;
		return false;
	}
	snprintf(walk->real, sizeof(walk->real), "%s", next);
	return true;
}

static const char *or_root(struct arena *arena, const char *path)
{
	return arena_strdup(arena, path[0] ? path : "/");
}

static void resolve_absent(struct walk *walk, const char *rest)
{
	struct arena *arena = walk->world->arena;
	struct facts_path *out = walk->out;

	out->kind = FACTS_ABSENT;
	out->parent_real = or_root(arena, walk->real);
	out->parent =
		node_id(walk->world, node_find(walk->world, out->parent_real));
	out->real = arena_printf(arena, "%s/%s", walk->real, rest);
}

static void resolve_found(struct walk *walk)
{
	struct arena *arena = walk->world->arena;
	struct facts_path *out = walk->out;
	const struct world_node *node;

	out->real = or_root(arena, walk->real);
	node = node_find(walk->world, out->real);
	out->kind = node->kind;
	out->id = node_id(walk->world, node);
	out->multiple = node_multiple(walk->world, node);
	walk_up(walk);
	out->parent_real = or_root(arena, walk->real);
	out->parent =
		node_id(walk->world, node_find(walk->world, out->parent_real));
}

static void resolve(const struct world *world, const char *path,
		    struct facts_path *out)
{
	struct walk walk = { .world = world, .out = out };
	char left[ROOM];
	bool absent = false;

	*out = (struct facts_path){ .path = path };
	snprintf(walk.rest, sizeof(walk.rest), "%s", path);
	do {
		snprintf(left, sizeof(left), "%s", walk.rest);
	} while (walk_step(&walk, &absent));
	if (walk.links > LINKS_MAX) {
		out->kind = FACTS_UNREACHABLE;
		out->sys = ELOOP;
		out->real = path;
	} else if (absent) {
		resolve_absent(&walk, left + strspn(left, "/"));
	} else {
		resolve_found(&walk);
	}
}

/* --- answers ------------------------------------------------------------ */

static void answer_names(const struct world *world, const char *dir,
			 const struct facts_strings *names,
			 struct facts_paths *out)
{
	for (size_t i = 0; i < names->n; i++)
		resolve(world,
			arena_printf(world->arena, "%s/%s", dir, names->v[i]),
			ARENA_PUSH(world->arena, out));
	resolve(world, dir, ARENA_PUSH(world->arena, out));
}

static void answer_git(const struct world *world,
		       const struct plan_queries *queries, struct facts *out)
{
	const struct facts_git *git = &world->facts.git;

	if (!queries->git_at || !git->dir)
		return;
	out->git = *git;
	resolve(world, git->dot_git, ARENA_PUSH(world->arena, &out->paths));
	answer_names(world, git->dir, &queries->git_names, &out->paths);
	if (strcmp(git->dir, git->common))
		answer_names(world, git->common, &queries->git_names,
			     &out->paths);
}

static bool is_denied(const struct plan_queries *queries, const char *path)
{
	for (size_t i = 0; i < queries->denied.n; i++) {
		if (policy_path_is_glob(queries->denied.v[i])
			    ? policy_glob_match(queries->denied.v[i], path)
			    : path_within(queries->denied.v[i], path))
			return true;
	}
	return false;
}

static bool is_private(const struct plan_queries *queries, const char *path)
{
	for (size_t i = 0; i < queries->private.n; i++) {
		if (path_within(queries->private.v[i], path))
			return true;
	}
	return false;
}

static void answer_nodes(const struct world *world,
			 const struct plan_queries *queries, struct facts *out)
{
	for (size_t i = 0; i < world->nodes.n; i++) {
		const struct world_node *node = &world->nodes.v[i];

		if (node->kind == FACTS_SOCKET &&
		    !is_private(queries, node->path))
			resolve(world, node->path,
				ARENA_PUSH(world->arena, &out->sockets));
		if (node->twin && is_denied(queries, node->twin))
			resolve(world, node->path,
				ARENA_PUSH(world->arena, &out->hard_links));
	}
}

static void answer_glob(const struct world *world, const char *pattern,
			struct facts_glob *out)
{
	*out = (struct facts_glob){ .pattern = pattern };
	for (size_t i = 0; i < world->nodes.n; i++) {
		const char *path = world->nodes.v[i].path;

		if (policy_glob_match(pattern, path))
			resolve(world, path,
				ARENA_PUSH(world->arena, &out->found));
	}
}

/* The file itself, and what lies above it. */
static void answer_given(const struct world *world, struct facts_given *given)
{
	char *path = arena_strdup(world->arena, given->path);
	char *slash;

	do {
		const struct world_node *node =
			node_find(world, or_root(world->arena, path));

		*ARENA_PUSH(world->arena, &given->ids) =
			node ? node_id(world, node) : (struct facts_id){ 0 };
		slash = strrchr(path, '/');
		if (slash)
			*slash = '\0';
	} while (slash && !given->gone);
}

/* What lies at @path, if it is a program; twice where it has two names. */
static void answer_program(const struct world *world, const char *name,
			   const char *path, struct facts *out)
{
	struct facts_program program = { .name = name };

	resolve(world, path, &program.at);
	if (program.at.kind != FACTS_FILE)
		return;
	program.size = 1000 + program.at.id.ino;
	for (size_t i = 0; i < world->nodes.n; i++) {
		const struct world_node *node = &world->nodes.v[i];

		if (node->kind == FACTS_FILE &&
		    node_id(world, node).ino == program.at.id.ino &&
		    strcmp(node->path, program.at.real) != 0)
			*ARENA_PUSH(world->arena, &program.others) = node->path;
	}
	*ARENA_PUSH(world->arena, &out->programs) = program;
	*ARENA_PUSH(world->arena, &out->paths) = program.at;
	for (size_t i = 0; i < program.others.n; i++)
		resolve(world, program.others.v[i],
			ARENA_PUSH(world->arena, &out->paths));
}

static void answer_program_dir(const struct world *world, const char *dir,
			       struct facts_strings *out)
{
	struct facts_path at;

	resolve(world, dir, &at);
	if (at.kind != FACTS_DIRECTORY)
		return;
	for (size_t i = 0; i < out->n; i++) {
		if (!strcmp(out->v[i], at.real))
			return;
	}
	*ARENA_PUSH(world->arena, out) = at.real;
}

static void answer_programs(const struct world *world,
			    const struct plan_queries *queries,
			    struct facts *out)
{
	for (size_t i = 0; i < queries->program_dirs.n; i++)
		answer_program_dir(world, queries->program_dirs.v[i],
				   &out->program_dirs);
	for (size_t i = 0; i < queries->programs.n; i++) {
		const char *name = queries->programs.v[i];

		if (name[0] == '/') {
			answer_program(world, name, name, out);
			continue;
		}
		for (size_t k = 0; k < out->program_dirs.n; k++)
			answer_program(world, name,
				       path_join(world->arena,
						 out->program_dirs.v[k], name),
				       out);
	}
}

void world_answer(const struct world *world, const struct plan_queries *queries,
		  struct facts *out)
{
	struct arena *arena = world->arena;

	*out = world->facts;
	if (!queries->mounts)
		out->mounts = (struct facts_strings){ 0 };
	out->git = (struct facts_git){ 0 };
	for (size_t i = 0; i < queries->paths.n; i++)
		resolve(world, queries->paths.v[i],
			ARENA_PUSH(arena, &out->paths));
	for (size_t i = 0; i < queries->globs.n; i++)
		answer_glob(world, queries->globs.v[i],
			    ARENA_PUSH(arena, &out->globs));
	answer_nodes(world, queries, out);
	out->given = (struct facts_givens){ 0 };
	for (size_t i = 0; i < world->facts.given.n; i++) {
		struct facts_given *given = ARENA_PUSH(arena, &out->given);

		*given = world->facts.given.v[i];
		answer_given(world, given);
	}
	answer_git(world, queries, out);
	answer_programs(world, queries, out);
	if (out->paths.n)
		facts_index_build(world->arena, out);
}

/* --- reading ------------------------------------------------------------ */

static const struct {
	const char *word;
	enum facts_kind kind;
} kinds[] = {
	{ "dir", FACTS_DIRECTORY },
	{ "file", FACTS_FILE },
	{ "socket", FACTS_SOCKET },
	{ "other", FACTS_OTHER },
};

static bool parse_node(struct world *world, char *const *word, size_t n)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (n == 2 && !strcmp(word[0], kinds[i].word)) {
			node_add(world, word[1], kinds[i].kind, NULL, NULL);
			return true;
		}
	}
	if (n == 3 && !strcmp(word[0], "link"))
		node_add(world, word[1], FACTS_OTHER, word[2], NULL);
	else if (n == 3 && !strcmp(word[0], "hard"))
		node_add(world, word[1], FACTS_FILE, NULL, word[2]);
	else
		return false;
	return true;
}

static bool parse_host(struct world *world, char *const *word, size_t n)
{
	struct facts *facts = &world->facts;
	unsigned int major, minor;

	if (n == 5 && !strcmp(word[0], "git"))
		facts->git = (struct facts_git){
			.dir = word[1],
			.common = word[2],
			.dot_git = word[3],
			.dot_git_is_file = !strcmp(word[4], "file"),
		};
	else if (n == 3 &&
		 (!strcmp(word[0], "given") || !strcmp(word[0], "gone")))
		*ARENA_PUSH(world->arena, &facts->given) = (struct facts_given){
			.fd = atoi(word[1]),
			.path = word[2],
			.gone = !strcmp(word[0], "gone"),
		};
	else if (n != 2)
		return false;
	else if (!strcmp(word[0], "kernel") &&
		 sscanf(word[1], "%u.%u", &major, &minor) == 2)
		facts->kernel = major << 16 | minor << 8;
	else if (!strcmp(word[0], "landlock"))
		facts->landlock_abi = atoi(word[1]);
	else if (!strcmp(word[0], "hostname"))
		facts->hostname = word[1];
	else if (!strcmp(word[0], "no_network_namespaces"))
		facts->no_network_namespaces = true;
	else if (!strcmp(word[0], "inside"))
		facts->inside_box = true;
	else if (!strcmp(word[0], "env"))
		*ARENA_PUSH(world->arena, &facts->environ) = word[1];
	else if (!strcmp(word[0], "mount"))
		*ARENA_PUSH(world->arena, &facts->mounts) = word[1];
	else
		return false;
	return true;
}

static void layer_add(struct world *world, const char *path)
{
	*ARENA_PUSH(world->arena, &world->layers) = (struct plan_layer){
		.path = path,
		.upper = arena_printf(world->arena, "/state/%zu/upper",
				      world->layers.n),
		.work = arena_printf(world->arena, "/state/%zu/work",
				     world->layers.n),
	};
}

static bool parse_caller(struct world *world, char *const *word, size_t n)
{
	if (n != 2)
		return false;
	if (!strcmp(word[0], "uid"))
		world->context.uid = world->context.gid =
			(unsigned int)atoi(word[1]);
	else if (!strcmp(word[0], "home"))
		world->context.home = word[1];
	else if (!strcmp(word[0], "workdir"))
		world->context.workdir = word[1];
	else if (!strcmp(word[0], "degraded"))
		*ARENA_PUSH(world->arena, &world->degraded) = word[1];
	else if (!strcmp(word[0], "layer"))
		layer_add(world, word[1]);
	else if (!strcmp(word[0], "layered"))
		world->layered = true;
	else
		return false;
	return true;
}

static void parse_line(struct world *world, char *line)
{
	char *word[WORDS_MAX] = { NULL }, *save = NULL, *next;
	char *copy = arena_strdup(world->arena, line);
	size_t n = 0;

	for (next = strtok_r(copy, "\t", &save); next && n < WORDS_MAX;
	     next = strtok_r(NULL, "\t", &save))
		word[n++] = next;
	if (!n || word[0][0] == '#')
		return;
	if (next ||
	    (!parse_node(world, word, n) && !parse_host(world, word, n) &&
	     !parse_caller(world, word, n)))
		bad_line(line);
}

static void fill_context(struct world *world)
{
	struct policy_context *c = &world->context;
	struct arena *arena = world->arena;
	const char *home = c->home ? c->home : "/home/u";

	c->home = home;
	c->workdir =
		c->workdir ? c->workdir : arena_printf(arena, "%s/work", home);
	c->xdg_config_home = arena_printf(arena, "%s/.config", home);
	c->xdg_state_home = arena_printf(arena, "%s/.local/state", home);
	c->xdg_cache_home = arena_printf(arena, "%s/.cache", home);
	c->xdg_data_home = arena_printf(arena, "%s/.local/share", home);
	c->config_dir = arena_printf(arena, "%s/.config/cordon", home);
	c->state_dir = arena_printf(arena, "%s/.local/state/cordon", home);
	c->cache_dir = arena_printf(arena, "%s/.cache/cordon", home);
	c->runtime_dir = arena_printf(arena, "/run/user/%u/cordon", c->uid);
	node_add(world, c->home, FACTS_DIRECTORY, NULL, NULL);
	node_add(world, c->workdir, FACTS_DIRECTORY, NULL, NULL);
}

void world_parse(struct arena *arena, const char *text, struct world *out)
{
	char *copy = arena_strdup(arena, text), *save = NULL;

	*out = (struct world){ .arena = arena };
	out->context.uid = out->context.gid = 1000;
	out->facts.kernel = 0x061200;
	out->facts.landlock_abi = 7;
	out->facts.hostname = "paper";
	node_add(out, "/", FACTS_DIRECTORY, NULL, NULL);
	for (char *line = strtok_r(copy, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save))
		parse_line(out, line);
	fill_context(out);
	if (!out->facts.landlock_abi)
		out->facts.landlock_errno = ENOSYS;
}
