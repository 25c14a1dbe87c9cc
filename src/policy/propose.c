/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/propose.c - the smallest policy that would have let a command work
 *
 * Runs in:  the caller's process, after the run.
 * Trusts:   what its caller found out about each use; nothing in names, which
 *           the command chose.
 * Must not: propose what the caller says is kept: secrets, cordon's own files,
 *           protected names.
 */
#include "policy/propose.h"

#include <string.h>

#include "base/arena.h"
#include "base/path.h"
#include "base/text.h"
#include "policy/fields.h"
#include "policy/match.h"
#include "policy/propose_paths.h"
#include "policy/values.h"

enum { KEPT_MAX = 100 };

struct builder {
	struct arena *arena;
	const struct propose_input *input;
	struct proposal *out;
	size_t kept_more;
};

/* --- words -------------------------------------------------------------- */

/* As a policy has it: "~" for the home directory, patterns taken literally. */
static const char *rule_text(struct builder *b, const char *path)
{
	const char *home = b->input->context->home;
	struct text out = { .arena = b->arena };

	if (strcmp(home, "/") != 0 && path_within(home, path)) {
		text_add(&out, "~");
		path += strlen(home);
	}
	policy_path_escape(&out, path, strlen(path));
	return text_str(&out);
}

/* For people: the same without the backslashes. */
static const char *path_text(struct builder *b, const char *path)
{
	const char *home = b->input->context->home;

	if (strcmp(home, "/") != 0 && path_within(home, path))
		return arena_printf(b->arena, "~%s", path + strlen(home));
	return path;
}

/* Can it stand in a policy, as it is? */
static bool is_writable(struct builder *b, const char *key, const char *text)
{
	return text_is_printable(text) &&
	       !policy_value_check(b->arena, policy_field_find(key), text);
}

static void add_times(struct text *out, unsigned int count)
{
	if (count > 1)
		text_addf(out, ", %u times", count);
}

static void add_line(struct builder *b, struct propose_lines *to,
		     const char *line)
{
	for (size_t i = 0; i < to->n; i++) {
		if (!strcmp(to->v[i], line))
			return;
	}
	if (to->n >= KEPT_MAX)
		b->kept_more++;
	else
		*ARENA_PUSH(b->arena, to) = line;
}

static const char *const act_names[] = {
	[PROPOSE_READ] = "read",    [PROPOSE_WRITE] = "write",
	[PROPOSE_CREATE] = "make",  [PROPOSE_REMOVE] = "remove",
	[PROPOSE_EXEC] = "execute",
};

static void keep(struct builder *b, const char *what, const char *target,
		 const char *comm, const char *why)
{
	struct text out = { .arena = b->arena };

	text_addf(&out, "%s %s", what, target);
	if (comm)
		text_addf(&out, " (%s)", comm);
	text_addf(&out, ": %s", why ? why : "it is kept");
	add_line(b, &b->out->kept, text_str(&out));
}

static const char *const reasons[] = {
	[PROPOSE_AS_IT_IS] = NULL,
	[PROPOSE_MADE_IN] = "files are made in it",
	[PROPOSE_REMOVED_IN] = "files are removed from it",
	[PROPOSE_GENERATED] = "names in it look generated",
	[PROPOSE_MANY] = "many files in it",
};

/* "npm, node: 12 files, 40 times, e.g. ~/.npm/x; files are made in it" */
static const char *evidence(struct builder *b, const struct propose_rule *rule,
			    const char *verb)
{
	struct text out = { .arena = b->arena };

	for (size_t i = 0; i < PROPOSE_COMMS && rule->comms[i]; i++)
		text_addf(&out, "%s%s", i ? ", " : "", rule->comms[i]);
	if (rule->more_comms)
		text_add(&out, " and others");
	if (rule->comms[0])
		text_add(&out, ": ");
	text_add(&out, verb);
	if (rule->files > 1)
		text_addf(&out, ", %u files", rule->files);
	if (rule->count > rule->files)
		add_times(&out, rule->count);
	if (strcmp(rule->example, rule->path) != 0)
		text_addf(&out, ", e.g. %s", path_text(b, rule->example));
	if (reasons[rule->reason])
		text_addf(&out, "; %s", reasons[rule->reason]);
	return text_str(&out);
}

/* --- lists -------------------------------------------------------------- */

static void item_add(struct builder *b, struct policy_list *list,
		     const char *text, const char *why)
{
	struct {
		struct policy_item *v;
		size_t n;
	} items = { (struct policy_item *)(uintptr_t)list->v, list->n };

	*ARENA_PUSH(b->arena, &items) = (struct policy_item){
		.text = text,
		.origin = { .source = why },
	};
	list->v = items.v;
	list->n = items.n;
	b->out->rules++;
}

static bool list_has(const struct policy_list *list, const char *text)
{
	for (size_t i = 0; i < list->n; i++) {
		if (!strcmp(list->v[i].text, text))
			return true;
	}
	return false;
}

/* --- paths -------------------------------------------------------------- */

static bool is_write(enum propose_act act)
{
	return act == PROPOSE_WRITE || act == PROPOSE_CREATE ||
	       act == PROPOSE_REMOVE;
}

static void first_add(struct builder *b, const struct propose_rule *rule)
{
	const char *path = rule_text(b, rule->path);

	for (size_t i = 0; i < b->out->first.n; i++) {
		if (!strcmp(b->out->first.v[i].path, path)) {
			b->out->first.v[i].directory |= rule->directory;
			return;
		}
	}
	*ARENA_PUSH(b->arena, &b->out->first) = (struct propose_first){
		.path = path,
		.directory = rule->directory,
		.evidence = evidence(b, rule, "made"),
	};
}

/* Of what is allowed already the system's files are no news. */
static bool is_of_interest(const struct propose_input *input,
			   const struct propose_use *use)
{
	static const char *const system[] = {
		"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64",
		"/etc", "/opt", "/nix",	 "/sys", NULL,
	};

	if (use->verdict == PROPOSE_REFUSED)
		return true;
	if (!input->full || use->verdict != PROPOSE_ALLOWED)
		return false;
	for (const char *const *dir = system; *dir; dir++) {
		if (!is_write(use->act) && path_within(*dir, use->path))
			return false;
	}
	return true;
}

/* Was it made for what lies in it? That is named then. */
static bool is_on_the_way(const struct propose_input *input,
			  const struct propose_use *use)
{
	if (use->act != PROPOSE_CREATE || !use->directory)
		return false;
	for (size_t i = 0; i < input->uses.n; i++) {
		const struct propose_use *other = &input->uses.v[i];

		if (is_write(other->act) && strcmp(other->path, use->path) &&
		    path_within(use->path, other->path))
			return true;
	}
	return false;
}

static void use_add(struct builder *b, const struct propose_use *use,
		    struct propose_rules *to)
{
	const struct policy_context *context = b->input->context;
	struct propose_rule rule;

	if (propose_target(b->arena, context, use, &rule))
		*ARENA_PUSH(b->arena, to) = rule;
	else if (rule.path)
		first_add(b, &rule);
	else if (!is_on_the_way(b->input, use))
		keep(b, act_names[use->act], path_text(b, use->path), use->comm,
		     "it would take a rule for a directory that holds too "
		     "much else");
}

static void add_path_rules(struct builder *b, bool write,
			   const struct propose_rules *rules,
			   struct policy_list *list)
{
	const char *key =
		write ? "filesystem.allow_write" : "filesystem.allow_read";

	for (size_t i = 0; i < rules->n; i++) {
		const struct propose_rule *rule = &rules->v[i];
		const char *text = rule_text(b, rule->path);

		if (is_writable(b, key, text))
			item_add(b, list, text,
				 evidence(b, rule, write ? "written" : "read"));
		else
			keep(b, write ? "write" : "read", rule->path, NULL,
			     "a name like that cannot stand in a policy");
	}
}

/* What can be written can be read. */
static void drop_written(const struct propose_rules *written,
			 struct propose_rules *read)
{
	size_t n = 0;

	for (size_t i = 0; i < read->n; i++) {
		bool covered = false;

		for (size_t k = 0; k < written->n && !covered; k++)
			covered = path_within(written->v[k].path,
					      read->v[i].path);
		if (!covered)
			read->v[n++] = read->v[i];
	}
	read->n = n;
}

static void build_paths(struct builder *b)
{
	const struct propose_input *input = b->input;
	struct propose_rules written = { 0 }, read = { 0 };

	for (size_t i = 0; i < input->uses.n; i++) {
		const struct propose_use *use = &input->uses.v[i];
		bool write = is_write(use->act);

		if (use->verdict == PROPOSE_KEPT)
			keep(b, act_names[use->act], path_text(b, use->path),
			     use->comm, use->why);
		/* Looking for what is not there needs no rule. */
		else if (is_of_interest(input, use) &&
			 (write || use->existing == strlen(use->path)))
			use_add(b, use, write ? &written : &read);
	}
	propose_join(b->arena, input->context, true, &written);
	propose_join(b->arena, input->context, false, &read);
	drop_written(&written, &read);
	add_path_rules(b, true, &written,
		       &b->out->policy.filesystem.allow_write);
	add_path_rules(b, false, &read, &b->out->policy.filesystem.allow_read);
}

/* --- network and commands ----------------------------------------------- */

static bool is_usual_port(uint16_t port)
{
	return port == 80 || port == 443;
}

static const char *host_text(struct builder *b, const struct propose_host *host)
{
	bool brackets = strchr(host->name, ':') != NULL;

	if (!host->port || is_usual_port(host->port))
		return brackets ? arena_printf(b->arena, "[%s]", host->name)
				: host->name;
	return arena_printf(b->arena, brackets ? "[%s]:%u" : "%s:%u",
			    host->name, (unsigned int)host->port);
}

static const char *host_evidence(struct builder *b,
				 const struct propose_host *host)
{
	struct text out = { .arena = b->arena };

	if (host->comm)
		text_addf(&out, "%s: ", host->comm);
	text_addf(&out, "connected to port %u", (unsigned int)host->port);
	add_times(&out, host->count);
	return text_str(&out);
}

static bool is_connected(const struct propose_hosts *hosts, const char *name)
{
	for (size_t i = 0; i < hosts->n; i++) {
		if (hosts->v[i].port && !strcmp(hosts->v[i].name, name))
			return true;
	}
	return false;
}

static void host_add(struct builder *b, const struct propose_host *host)
{
	struct policy_list *allow = &b->out->policy.network.allow;
	const char *text = host_text(b, host);
	struct text asked = { .arena = b->arena };

	if (host->why) {
		keep(b, host->port ? "connect" : "resolve", text, host->comm,
		     host->why);
	} else if (!is_writable(b, "network.allow", text)) {
		keep(b, "connect", text, host->comm,
		     "a name like that cannot stand in a policy");
	} else if (host->port) {
		if (!list_has(allow, text))
			item_add(b, allow, text, host_evidence(b, host));
	} else if (!is_connected(&b->input->hosts, host->name)) {
		text_add(&asked, text);
		if (host->comm)
			text_addf(&asked, " (%s)", host->comm);
		add_line(b, &b->out->asked, text_str(&asked));
	}
}

static void build_network(struct builder *b)
{
	struct policy_scalar *mode = &b->out->policy.network.mode;

	for (size_t i = 0; i < b->input->hosts.n; i++)
		host_add(b, &b->input->hosts.v[i]);
	if (b->out->policy.network.allow.n &&
	    b->input->present->network.mode.number == POLICY_MODE_NONE)
		*mode = (struct policy_scalar){
			.set = true,
			.number = POLICY_MODE_FILTERED,
			.origin = { .source = "for the hosts below" },
		};
}

static void build_commands(struct builder *b)
{
	struct policy_list *allow = &b->out->policy.exec.allow;

	for (size_t i = 0; i < b->input->commands.n; i++) {
		const struct propose_command *c = &b->input->commands.v[i];
		struct text why = { .arena = b->arena };

		if (c->why || !is_writable(b, "exec.allow", c->text)) {
			keep(b, "execute", c->text, c->comm,
			     c->why ? c->why : "it cannot stand in a policy");
			continue;
		}
		if (c->comm)
			text_addf(&why, "%s: ", c->comm);
		text_add(&why, "executed");
		add_times(&why, c->count);
		if (!list_has(allow, c->text))
			item_add(b, allow, c->text, text_str(&why));
	}
}

void propose_build(struct arena *arena, const struct propose_input *input,
		   struct proposal *out)
{
	struct builder b = { .arena = arena, .input = input, .out = out };

	*out = (struct proposal){ 0 };
	build_paths(&b);
	build_network(&b);
	build_commands(&b);
	if (b.kept_more)
		*ARENA_PUSH(arena, &out->kept) =
			arena_printf(arena, "and %zu more", b.kept_more);
}
