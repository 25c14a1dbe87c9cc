/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan/summary.c - what a box says about itself, as JSON
 *
 * Runs in:  the process that reads the policy, at every start: so the text is
 *           written by hand, which takes a tenth of the time.
 * Trusts:   nothing that comes from a path or a policy: all of it is escaped.
 * Must not: hold a secret, or names inside what is hidden.
 */
#include "plan/summary.h"

#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/path.h"
#include "base/text.h"
#include "plan/plan.h"

/* How far each part may go, so that one leaves room for the next. */
enum {
	NETWORK_END = 24 * 1024,
	EXEC_END = 36 * 1024,
	FILES_END = PLAN_SUMMARY_MAX - 512,
};

static const char *const mode_names[] = { "none", "filtered", "host" };
static const char *const view_names[] = { "host", "minimal" };
static const char *const git_names[] = { "work", "readonly", "open" };

static const char when_refused[] =
	"Do not try to get around a refusal. Say what was refused, why it is "
	"needed, and what would allow it: `cordon explain read|write PATH` or "
	"`cordon explain net HOST` inside the box names the rule and the "
	"option. Only the person outside can change the policy.";

/* A list of objects, one on a line. */
struct list {
	struct text *out;
	size_t end; /* of the text; what would go beyond is left out */
	size_t before; /* where the item began */
	size_t items;
	bool *cut;
};

/* Length of @s, or 0 if it is not plain. */
static size_t plain_length(const char *s)
{
	size_t n = 0;

	while (s[n] >= 0x20 && s[n] < 0x7f)
		n++;
	return s[n] ? 0 : n;
}

const char *plan_summary_path(struct arena *arena, const char *path)
{
	struct text text = { .arena = arena };

	if (plain_length(path))
		return path;
	text_add_escaped(&text, path);
	return text_str(&text);
}

/* text_addn() for short texts, of which there are thousands. */
static void put(struct text *out, const char *s, size_t n)
{
	if (out->n + n >= out->room) {
		text_addn(out, s, n);
		return;
	}
	for (size_t i = 0; i < n; i++)
		out->v[out->n + i] = s[i];
	out->n += n;
	out->v[out->n] = '\0';
}

#define PUT(out, literal) put((out), (literal), sizeof(literal) - 1)

/* A JSON string. What is not printable has the form that people see. */
static void add_string(struct text *out, const char *s)
{
	AUTO_ARENA arena = { 0 };
	size_t n = plain_length(s);

	if (!n && *s) {
		s = plan_summary_path(&arena, s);
		n = strlen(s);
	}
	PUT(out, "\"");
	for (size_t i = 0, run = 0; i < n; i = run) {
		while (run < n && s[run] != '"' && s[run] != '\\')
			run++;
		put(out, s + i, run - i);
		if (run < n) {
			PUT(out, "\\");
			put(out, s + run++, 1);
		}
	}
	PUT(out, "\"");
}

static void add_number(struct text *out, uint64_t value)
{
	char digits[24];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	put(out, digits + at, sizeof(digits) - at);
}

/* As policy_origin_format() has it. */
static void add_origin(struct text *out, const struct policy_origin *origin)
{
	PUT(out, ", \"origin\": ");
	add_string(out, origin->source ? origin->source : "built-in");
	if (!origin->line)
		return;
	out->n--;
	PUT(out, ":");
	add_number(out, origin->line);
	PUT(out, "\"");
}

static struct list list_begin(struct text *out, const char *name, size_t end,
			      bool *cut)
{
	text_add(out, "\"");
	text_add(out, name);
	text_add(out, "\": [");
	return (struct list){ .out = out, .end = end, .cut = cut };
}

static void item_begin(struct list *list, const char *key)
{
	list->before = list->out->n;
	if (list->items)
		PUT(list->out, ",");
	PUT(list->out, "\n  {");
	put(list->out, key, strlen(key));
}

static void item_end(struct list *list)
{
	PUT(list->out, "}");
	if (list->out->n <= list->end) {
		list->items++;
		return;
	}
	list->out->n = list->before;
	list->out->v[list->before] = '\0';
	*list->cut = true;
}

static void list_end(struct list *list)
{
	text_add(list->out, list->items ? "\n ]" : "]");
}

static void add_cut(struct text *out, bool cut)
{
	if (cut)
		text_add(out, ",\n \"truncated\": true");
}

/* ---------------------------------------------------------------- network */

static void add_items(struct text *out, const char *name,
		      const struct policy_list *items, bool *cut)
{
	struct list list = list_begin(out, name, NETWORK_END, cut);

	for (size_t i = 0; i < items->n; i++) {
		item_begin(&list, "\"rule\": ");
		add_string(out, items->v[i].text);
		add_origin(out, &items->v[i].origin);
		item_end(&list);
	}
	list_end(&list);
}

static void add_sockets(struct text *out, const struct plan *plan, bool *cut)
{
	struct list list = list_begin(out, "unix_sockets", NETWORK_END, cut);

	for (size_t i = 0; i < plan->sockets.n; i++) {
		item_begin(&list, "\"path\": ");
		add_string(out, plan->sockets.v[i]);
		item_end(&list);
	}
	list_end(&list);
}

/* The lists of the policy, also where the mode makes nothing of them: what
 * would open the network depends on them. */
static bool add_network(struct text *out, const struct policy *policy,
			const struct plan *plan)
{
	const struct policy_network *network = &policy->network;
	bool cut = false;

	text_addf(out, "\"network\": {\n \"mode\": \"%s\"",
		  mode_names[plan->network]);
	add_origin(out, &network->mode.origin);
	text_add(out, ",\n ");
	add_items(out, "deny", &network->deny, &cut);
	text_add(out, ",\n ");
	add_items(out, "allow", &network->allow, &cut);
	text_add(out, ",\n ");
	add_items(out, "host_ports", &network->host_ports, &cut);
	text_add(out, ",\n ");
	add_items(out, "publish", &network->publish, &cut);
	text_add(out, ",\n ");
	add_sockets(out, plan, &cut);
	text_addf(out, ",\n \"upstream_proxy\": %s",
		  plan->egress.upstream.set ? "true" : "false");
	add_cut(out, cut);
	text_add(out, "\n},\n");
	return cut;
}

/* ------------------------------------------------------------------- exec */

static void add_commands(struct text *out, const struct plan *plan, bool allow,
			 bool *cut)
{
	struct list list =
		list_begin(out, allow ? "allow" : "deny", EXEC_END, cut);

	for (size_t i = 0; i < plan->exec.rules.n; i++) {
		const struct command_rule *rule = &plan->exec.rules.v[i];

		if (rule->allow != allow)
			continue;
		item_begin(&list, "\"rule\": ");
		add_string(out, rule->text);
		add_origin(out, &rule->origin);
		item_end(&list);
	}
	list_end(&list);
}

/* Programs that are denied as a whole, where they lie. */
static void add_masked(struct text *out, const struct plan *plan, bool *cut)
{
	struct list list = list_begin(out, "masked", EXEC_END, cut);

	for (size_t i = 0; i < plan->exec.programs.n; i++) {
		const struct plan_program *program = &plan->exec.programs.v[i];

		if (!program->masked)
			continue;
		item_begin(&list, "\"path\": ");
		add_string(out, program->path);
		item_end(&list);
	}
	list_end(&list);
}

static bool add_exec(struct text *out, const struct plan *plan)
{
	bool cut = false;

	text_add(out, "\"exec\": {\n ");
	add_commands(out, plan, false, &cut);
	text_add(out, ",\n ");
	add_commands(out, plan, true, &cut);
	text_add(out, ",\n ");
	add_masked(out, plan, &cut);
	text_addf(out, ",\n \"only_system\": %s",
		  plan->exec.only_system ? "true" : "false");
	add_cut(out, cut);
	text_add(out, "\n},\n");
	return cut;
}

static void add_limits(struct text *out, const struct plan *plan)
{
	text_add(out, "\"limits\": {");
	for (size_t i = 0; i < plan->rlimits.n; i++) {
		text_addf(out, "%s\"%s\": ", i ? ", " : "",
			  plan->rlimits.v[i].name);
		add_number(out, plan->rlimits.v[i].value);
	}
	if (plan->wall_time_ms) {
		text_add(out, plan->rlimits.n ? ", \"wall_time_ms\": "
					      : "\"wall_time_ms\": ");
		add_number(out, plan->wall_time_ms);
	}
	text_add(out, "},\n");
}

/* Names of presets alone: who knows a value writes it as a pattern. */
static void add_masks(struct text *out, const struct plan *plan)
{
	const char *last = NULL;
	size_t own = 0;

	text_add(out, "\"output_mask\": {\"presets\": [");
	for (size_t i = 0; i < plan->masks.n; i++) {
		const char *name = plan->masks.v[i].name;

		own += !name;
		if (!name || (last && !strcmp(name, last)))
			continue;
		text_addf(out, "%s\"%s\"", last ? ", " : "", name);
		last = name;
	}
	text_add(out, "], \"patterns\": ");
	add_number(out, own);
	text_add(out, "},\n");
}

/* ------------------------------------------------------------------ files */

/*
 * What is hidden inside what is hidden is left out: the names in there are
 * too. Rules come in the order of a walk, so the directories around one are
 * those that the walk is in.
 */
static bool *find_shown(struct arena *arena, const struct plan *plan)
{
	const struct plan_rules *rules = &plan->rules;
	const struct plan_rule **in =
		arena_array(arena, const struct plan_rule *, rules->n);
	bool *shown = arena_array(arena, bool, rules->n);
	size_t n = 0;

	for (size_t i = 0; i < rules->n; i++) {
		const struct plan_rule *rule = &rules->v[i];

		while (n && !path_within(in[n - 1]->path, rule->path))
			n--;
		shown[i] = rule->access != PLAN_HIDDEN || !n ||
			   in[n - 1]->access != PLAN_HIDDEN;
		in[n++] = rule;
	}
	return shown;
}

static bool is_same_origin(const struct plan_rule *rule)
{
	return !strcmp(rule->read_key, rule->write_key) &&
	       rule->read_origin.line == rule->write_origin.line &&
	       !strcmp(rule->read_origin.source, rule->write_origin.source);
}

/* What the policy says, for who would take it out. */
static void add_words(struct text *out, const char *key, const char *words)
{
	if (!words || strncmp(key, "deny_", 5) != 0)
		return;
	PUT(out, ", \"as\": ");
	add_string(out, words);
}

static void add_rule(struct list *list, const struct plan_rule *rule)
{
	bool differs = rule->access != PLAN_HIDDEN && !is_same_origin(rule);
	struct text *out = list->out;

	item_begin(list, "\"path\": ");
	add_string(out, rule->path);
	if (!rule->exists)
		PUT(out, ", \"absent\": true");
	PUT(out, ", \"rule\": ");
	add_string(out, rule->read_key);
	add_origin(out, &rule->read_origin);
	add_words(out, rule->read_key, rule->read_text);
	if (differs) {
		PUT(out, ", \"write\": {\"rule\": ");
		add_string(out, rule->write_key);
		add_origin(out, &rule->write_origin);
		add_words(out, rule->write_key, rule->write_text);
		PUT(out, "}");
	}
	item_end(list);
}

static void add_rules(struct text *out, const char *name,
		      const struct plan *plan, const bool *shown,
		      enum plan_access access, bool *cut)
{
	struct list list = list_begin(out, name, FILES_END, cut);

	for (size_t i = 0; i < plan->rules.n; i++) {
		if (shown[i] && plan->rules.v[i].access == access)
			add_rule(&list, &plan->rules.v[i]);
	}
	list_end(&list);
}

/* filesystem.strict: also what comes into being later. */
static void add_patterns(struct text *out, const struct plan *plan, bool *cut)
{
	struct list list = list_begin(out, "patterns", FILES_END, cut);

	for (size_t i = 0; i < plan->patterns.n; i++) {
		const struct plan_pattern *pattern = &plan->patterns.v[i];

		item_begin(&list, "\"pattern\": ");
		add_string(out, pattern->pattern);
		PUT(out, ", \"rule\": ");
		add_string(out, pattern->key);
		add_origin(out, &pattern->origin);
		item_end(&list);
	}
	list_end(&list);
}

static bool add_files(struct arena *arena, struct text *out,
		      const struct plan *plan)
{
	const bool *shown = find_shown(arena, plan);
	bool cut = false;

	text_addf(out, "\"files\": {\n \"view\": \"%s\",\n ",
		  view_names[plan->view]);
	add_rules(out, "writable", plan, shown, PLAN_WRITE, &cut);
	text_add(out, ",\n ");
	add_patterns(out, plan, &cut);
	text_add(out, ",\n ");
	add_rules(out, "hidden", plan, shown, PLAN_HIDDEN, &cut);
	text_add(out, ",\n ");
	add_rules(out, "read_only", plan, shown, PLAN_READ, &cut);
	add_cut(out, cut);
	text_add(out, "\n}");
	return cut;
}

/* Rarely too little, and not much too much: pages are not free. */
static size_t guess_size(const struct policy *policy, const struct plan *plan)
{
	size_t items = plan->rules.n + plan->exec.rules.n +
		       policy->network.allow.n + policy->network.deny.n;
	size_t size = 2048 + 112 * items;

	return size < PLAN_SUMMARY_MAX ? size : PLAN_SUMMARY_MAX;
}

const char *plan_summary_format(struct arena *arena,
				const struct policy *policy,
				const struct plan *plan)
{
	size_t room = guess_size(policy, plan);
	struct text out = { .arena = arena,
			    .v = arena_array(arena, char, room),
			    .room = room };
	bool cut;

	text_add(&out, "{\n\"version\": 1,\n\"workdir\": ");
	add_string(&out, plan->workdir);
	text_addf(&out, ",\n\"git\": \"%s\",\n\"when_refused\": \"%s\",\n",
		  git_names[plan->git], when_refused);
	add_limits(&out, plan);
	add_masks(&out, plan);
	cut = add_network(&out, policy, plan);
	cut |= add_exec(&out, plan);
	cut |= add_files(arena, &out, plan);
	text_addf(&out, ",\n\"truncated\": %s\n}\n", cut ? "true" : "false");
	return text_str(&out);
}

/* --------------------------------------------------------------- the plan */

static void add_file(struct arena *arena, struct plan *plan, const char *path,
		     const char *content)
{
	*ARENA_PUSH(arena, &plan->mounts) = (struct plan_mount){
		.kind = PLAN_MOUNT_FILE,
		.path = path,
		.on_skeleton = true,
		.content = content,
		.optional = true,
		.reason = "says what the box is",
	};
}

static void rule_set(struct plan_rule *rule)
{
	const struct policy_origin built_in = { .source = "built-in" };

	*rule = (struct plan_rule){
		.path = PLAN_SUMMARY_DIR,
		.access = PLAN_READ,
		.exists = true,
		.read_origin = built_in,
		.write_origin = built_in,
		.read_key = "summary",
		.write_key = "summary",
	};
}

/* In place of what is said about the host's directory of that name. */
static void add_own_rule(struct plan *plan)
{
	for (size_t i = 0; i < plan->rules.n; i++) {
		if (strcmp(plan->rules.v[i].path, PLAN_SUMMARY_DIR) != 0)
			continue;
		rule_set(&plan->rules.v[i]);
		return;
	}
	/* add_rules() has left room for it. */
	rule_set(&plan->rules.v[plan->rules.n++]);
}

void plan_summary_add(struct arena *arena, const struct policy *policy,
		      struct plan *plan)
{
	struct text readme = { .arena = arena };
	const char *json;

	add_own_rule(plan);
	json = plan_summary_format(arena, policy, plan);
	plan_agents_format(&readme, policy, plan);
	/* A mount of its own: a directory that only holds mounts could be
	 * renamed, and another one put in its place. */
	*ARENA_PUSH(arena, &plan->mounts) = (struct plan_mount){
		.kind = PLAN_MOUNT_HOLLOW,
		.path = PLAN_SUMMARY_DIR,
		.directory = true,
		.on_skeleton = true,
		.mode = 0755,
		.reason = "says what the box is",
	};
	add_file(arena, plan, PLAN_SUMMARY_FILE, json);
	add_file(arena, plan, PLAN_SUMMARY_README, text_str(&readme));
}
