/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host/facts.c - the one look at the world that planning needs
 *
 * Runs in:  the supervisor, with the user's rights, before any namespace.
 * Trusts:   the kernel's answers; not what lies in the tree.
 * Must not: decide anything, or change anything on the host.
 */
#include "host/facts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/path.h"
#include "host/git.h"
#include "host/given.h"
#include "host/mounts.h"
#include "host/programs.h"
#include "host/resolve.h"
#include "host/tree.h"
#include "plan/facts.h"

enum {
	SOCKETS_LIMIT = 4096,
	DENIED_NAMES_LIMIT = 4096, /* stats spent on hard links */
	LANDLOCK_VERSION_FLAG = 1, /* LANDLOCK_CREATE_RULESET_VERSION */
};

static void probe_paths(struct host_resolver *resolver,
			const struct facts_strings *wanted,
			struct facts_paths *out)
{
	out->v = arena_array(resolver->arena, struct facts_path, wanted->n);
	out->n = wanted->n;
	for (size_t i = 0; i < wanted->n; i++)
		host_resolve(resolver, wanted->v[i], &out->v[i]);
}

/* The names inside @dir, as answers beside the others. */
static void probe_below(struct host_resolver *resolver, const char *dir,
			const struct facts_strings *names,
			struct facts_paths *out)
{
	struct arena *arena = resolver->arena;

	for (size_t i = 0; i < names->n; i++)
		host_resolve(resolver,
			     arena_printf(arena, "%s/%s", dir, names->v[i]),
			     ARENA_PUSH(arena, out));
	host_resolve(resolver, dir, ARENA_PUSH(arena, out));
}

static void add_answers(struct host_resolver *resolver,
			const struct facts_paths *more, struct facts *facts)
{
	struct facts_path *all = arena_array(resolver->arena, struct facts_path,
					     facts->paths.n + more->n);

	memcpy(all, facts->paths.v, facts->paths.n * sizeof(*all));
	if (more->n)
		memcpy(all + facts->paths.n, more->v, more->n * sizeof(*all));
	facts->paths.v = all;
	facts->paths.n += more->n;
	facts_index_build(resolver->arena, facts);
}

/* After all other looks: what they add is not what was asked for. */
static void probe_programs(struct host_resolver *resolver,
			   const struct plan_queries *queries,
			   struct facts *facts)
{
	struct facts_paths more = { 0 };

	if (!queries->programs.n)
		return;
	host_programs_probe(resolver, queries, facts);
	for (size_t i = 0; i < facts->programs.n; i++) {
		const struct facts_program *p = &facts->programs.v[i];

		*ARENA_PUSH(resolver->arena, &more) = p->at;
		for (size_t k = 0; k < p->others.n; k++)
			host_resolve(resolver, p->others.v[k],
				     ARENA_PUSH(resolver->arena, &more));
	}
	add_answers(resolver, &more, facts);
}

static void probe_git(struct host_resolver *resolver,
		      const struct plan_queries *queries, struct facts *facts)
{
	struct facts_paths more = { 0 };

	host_git_probe(resolver, queries->git_at, &facts->git);
	if (facts->git.dot_git)
		host_resolve(resolver, facts->git.dot_git,
			     ARENA_PUSH(resolver->arena, &more));
	if (facts->git.dir)
		probe_below(resolver, facts->git.dir, &queries->git_names,
			    &more);
	if (facts->git.unproven)
		probe_below(resolver, facts->git.unproven, &queries->git_names,
			    &more);
	if (facts->git.common && strcmp(facts->git.common, facts->git.dir))
		probe_below(resolver, facts->git.common, &queries->git_names,
			    &more);
	add_answers(resolver, &more, facts);
}

static int probe_globs(struct host_resolver *resolver,
		       const struct facts_strings *wanted,
		       struct facts_globs *out, struct err *err)
{
	out->v = arena_array(resolver->arena, struct facts_glob, wanted->n);
	for (size_t i = 0; i < wanted->n; i++)
		out->v[i].pattern = wanted->v[i];
	out->n = wanted->n;
	return host_tree_globs(resolver, out, err);
}

static bool within_any(const struct facts_strings *dirs, const char *path)
{
	for (size_t i = 0; i < dirs->n; i++) {
		if (path_within(dirs->v[i], path))
			return true;
	}
	return false;
}

/*
 * The path at the end of a line of /proc/net/unix, NULL for unnamed sockets;
 * "@…" is an abstract one, and a relative path is relative to whoever bound it. Paths with a line feed are cut by the kernel's format; what
 * is left does not exist and is harmless.
 */
static char *socket_path(char *line)
{
	for (int field = 0; field < 7; field++) {
		line += strcspn(line, " ");
		line += strspn(line, " ");
	}
	return *line ? line : NULL;
}

/* True if the socket has a relative path, so that nobody knows where it is. */
static bool socket_add(struct host_resolver *resolver, char *line,
		       const struct facts_strings *private,
		       struct facts_paths *out)
{
	char *path = line[0] == 'N' ? NULL /* the heading */
				    : socket_path(line);

	if (!path || !path_is_normal(path))
		return path && path[0] != '@' && path[0] != '/';
	if (within_any(private, path))
		return false;
	host_resolve(resolver, arena_strdup(resolver->arena, path),
		     ARENA_PUSH(resolver->arena, out));
	if (out->v[out->n - 1].kind != FACTS_SOCKET)
		out->n--;
	return false;
}

static int probe_sockets(struct host_resolver *resolver,
			 const struct plan_queries *queries,
			 struct facts_paths *out, struct err *err)
{
	AUTO_CLOSE int fd = open("/proc/net/unix", O_RDONLY | O_CLOEXEC);
	bool lost = false;
	char buf[8192];
	size_t kept = 0;

	if (fd < 0)
		return err_sys(err, "open '/proc/net/unix' to find sockets");
	for (;;) {
		ssize_t n = read(fd, buf + kept, sizeof(buf) - 1 - kept);
		char *line = buf, *end;

		if (n < 0)
			return err_sys(err, "read '/proc/net/unix'");
		if (n == 0)
			break;
		buf[kept + (size_t)n] = '\0';
		for (; (end = strchr(line, '\n')); line = end + 1) {
			*end = '\0';
			lost |= socket_add(resolver, line, &queries->private,
					   out);
		}
		kept = strlen(line);
		memmove(buf, line, kept);
		if (out->n >= SOCKETS_LIMIT || kept >= sizeof(buf) - 1)
			return err_set(err, ERR_HOST,
				       "more unix sockets are bound on this "
				       "host than the %d that are looked at",
				       SOCKETS_LIMIT);
	}
	if (!lost || !queries->links_at)
		return 0;
	return host_tree_find_sockets(resolver, queries->links_at, out, err);
}

static void note_unfinished(struct arena *arena, struct facts *facts,
			    const char *path)
{
	*ARENA_PUSH(arena, &facts->unfinished) = arena_printf(
		arena,
		"hard links to files in '%s' were not looked for: it "
		"holds too many files",
		path);
}

static void denied_inodes(struct host_resolver *resolver, struct facts *facts,
			  const struct facts_path *path, size_t *budget,
			  struct host_inodes *out)
{
	if (path->multiple)
		*ARENA_PUSH(resolver->arena, out) = path->id;
	if (path->kind == FACTS_DIRECTORY &&
	    !host_tree_find_multiple(resolver, path->real, budget, out))
		note_unfinished(resolver->arena, facts, path->path);
}

/* Does this pattern deny? Both lists are in the order of the rules. */
static bool pattern_denies(const struct facts_strings *denied,
			   const char *pattern, size_t *at)
{
	for (size_t i = *at; i < denied->n; i++) {
		if (denied->v[i] == pattern) {
			*at = i + 1;
			return true;
		}
	}
	return false;
}

static int find_names(struct host_resolver *resolver, const char *below,
		      const struct host_inodes *inodes, struct facts_paths *out,
		      struct err *err)
{
	struct facts_path at;

	if (inodes->n == 0)
		return 0;
	host_resolve(resolver, below, &at);
	if (at.kind != FACTS_DIRECTORY)
		return 0;
	return host_tree_find_names(resolver, at.real, inodes, out, err);
}

/* Other names of denied files: a mask hides a name, not a file. */
static int probe_hard_links(struct host_resolver *resolver,
			    const struct plan_queries *queries,
			    struct facts *facts, struct err *err)
{
	struct host_inodes inodes = { 0 };
	size_t budget = DENIED_NAMES_LIMIT, next = 0;

	if (!queries->links_at)
		return 0;
	for (size_t i = 0; i < queries->denied.n; i++) {
		const struct facts_path *path =
			facts_path_find(facts, queries->denied.v[i]);

		if (path)
			denied_inodes(resolver, facts, path, &budget, &inodes);
	}
	for (size_t i = 0; i < facts->globs.n; i++) {
		const struct facts_paths *found = &facts->globs.v[i].found;

		if (!pattern_denies(&queries->denied, facts->globs.v[i].pattern,
				    &next))
			continue;
		for (size_t k = 0; k < found->n; k++)
			denied_inodes(resolver, facts, &found->v[k], &budget,
				      &inodes);
	}
	return find_names(resolver, queries->links_at, &inodes,
			  &facts->hard_links, err);
}

/*
 * Other names of files that must not be written: what git reads comes after
 * the answers that were asked for. Directories are not looked into: a mount
 * keeps them as a whole, and few files in them have a second name.
 */
static int probe_readonly_links(struct host_resolver *resolver,
				const struct plan_queries *queries,
				struct facts *facts, struct err *err)
{
	struct host_inodes inodes = { 0 };
	size_t next = 0;

	if (!queries->links_at)
		return 0;
	for (size_t i = 0; i < queries->readonly.n; i++) {
		const struct facts_path *path =
			facts_path_find(facts, queries->readonly.v[i]);

		if (path && path->multiple)
			*ARENA_PUSH(resolver->arena, &inodes) = path->id;
	}
	for (size_t i = queries->paths.n; i < facts->paths.n; i++) {
		if (facts->paths.v[i].multiple)
			*ARENA_PUSH(resolver->arena, &inodes) =
				facts->paths.v[i].id;
	}
	for (size_t i = 0; i < facts->globs.n; i++) {
		const struct facts_paths *found = &facts->globs.v[i].found;

		if (!pattern_denies(&queries->readonly,
				    facts->globs.v[i].pattern, &next))
			continue;
		for (size_t k = 0; k < found->n; k++) {
			if (found->v[k].multiple)
				*ARENA_PUSH(resolver->arena, &inodes) =
					found->v[k].id;
		}
	}
	return find_names(resolver, queries->links_at, &inodes,
			  &facts->readonly_links, err);
}

static unsigned int kernel_version(const struct utsname *name)
{
	unsigned int major = 0, minor = 0;

	(void)sscanf(name->release, "%u.%u", &major, &minor);
	return major << 16 | minor << 8;
}

/* It can be taken away alone, and then the rest of a box could still be made:
 * what that means is for the plan to say. */
static bool lacks_network_namespaces(void)
{
	AUTO_CLOSE int fd =
		open("/proc/sys/user/max_net_namespaces", O_RDONLY | O_CLOEXEC);
	char value[2] = "";

	return fd >= 0 && read(fd, value, sizeof(value)) > 0 &&
	       value[0] == '0' && value[1] == '\n';
}

static void probe_process(struct arena *arena, struct facts *out)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0,
			   LANDLOCK_VERSION_FLAG);
	struct utsname name = { 0 };

	(void)uname(&name); /* fails for a wrong address only */
	out->landlock_abi = abi < 0 ? 0 : (int)abi;
	out->landlock_errno = abi < 0 ? errno : 0;
	out->kernel = kernel_version(&name);
	out->hostname = arena_strdup(arena, name.nodename);
	out->no_network_namespaces = lacks_network_namespaces();
	out->inside_box = getenv("CORDON_SANDBOX") != NULL;
	for (char **e = environ; e && *e; e++)
		*ARENA_PUSH(arena, &out->environ) = *e;
}

int host_facts_probe(struct arena *arena, const struct plan_queries *queries,
		     struct facts *out, struct err *err)
{
	struct host_resolver resolver;
	*out = (struct facts){ 0 };
	if (host_resolver_init(arena, &resolver, err) < 0)
		return -1;
	probe_process(arena, out);
	probe_paths(&resolver, &queries->paths, &out->paths);
	facts_index_build(arena, out);
	if (host_given_probe(arena, queries, &out->given, err) < 0 ||
	    probe_globs(&resolver, &queries->globs, &out->globs, err) < 0 ||
	    probe_sockets(&resolver, queries, &out->sockets, err) < 0 ||
	    probe_hard_links(&resolver, queries, out, err) < 0)
		return -1;
	if (queries->mounts && host_mounts_read(arena, &out->mounts, err) < 0)
		return -1;
	if (queries->git_at)
		probe_git(&resolver, queries, out);
	if (probe_readonly_links(&resolver, queries, out, err) < 0)
		return -1;
	probe_programs(&resolver, queries, out);
	return 0;
}
