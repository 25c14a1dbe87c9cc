/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan/text.c - a plan in words: `cordon plan` is our EXPLAIN
 *
 * Runs in:  the process that reads the policy; golden tests.
 * Trusts:   nothing that comes from a path: all of it is escaped.
 * Must not: leave anything out that enforce/ does.
 */
#include "plan/text.h"

#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "plan/egress.h"
#include "plan/exec_text.h"
#include "plan/landlock.h"
#include "plan/plan.h"
#include "policy/format.h"

static const char *const access_names[] = { "hidden", "read", "write" };
static const char *const mode_names[] = { "none", "filtered", "host" };
static const char *const view_names[] = { "host", "minimal" };
static const char *const git_names[] = { "work", "readonly", "open" };
static const char *const action_names[] = { "forbid", "passage", "notice" };
static const char *const mount_names[] = {
	[PLAN_MOUNT_ROOT] = "root",
	[PLAN_MOUNT_READONLY] = "tree",
	[PLAN_MOUNT_BIND] = "bind",
	[PLAN_MOUNT_MASK_FILE] = "mask",
	[PLAN_MOUNT_MASK_PROGRAM] = "mask-x",
	[PLAN_MOUNT_MASK_DIR] = "mask-dir",
	[PLAN_MOUNT_HOLLOW] = "hollow",
	[PLAN_MOUNT_TMPFS] = "tmpfs",
	[PLAN_MOUNT_PROC] = "proc",
	[PLAN_MOUNT_DEV] = "dev",
	[PLAN_MOUNT_SYMLINK] = "symlink",
	[PLAN_MOUNT_MKDIR] = "mkdir",
	[PLAN_MOUNT_FILE] = "file",
	[PLAN_MOUNT_COW] = "layer",
};

const char *plan_access_name(unsigned int access)
{
	return access_names[access];
}

const char *plan_mount_name(unsigned int kind)
{
	return mount_names[kind];
}

static void add_path(struct text *out, const char *path)
{
	text_add(out, " ");
	text_add_escaped(out, path);
}

/* Each line of it on its own. */
static void add_content(struct text *out, const char *content)
{
	AUTO_ARENA arena = { 0 };

	while (*content) {
		size_t n = strcspn(content, "\n");

		text_add(out, "           |");
		add_path(out, arena_strndup(&arena, content, n));
		text_add(out, "\n");
		content += n + (content[n] != '\0');
	}
}

static void format_mounts(const struct plan *plan, struct text *out)
{
	text_add(out, "mounts:\n");
	for (size_t i = 0; i < plan->mounts.n; i++) {
		const struct plan_mount *m = &plan->mounts.v[i];

		text_addf(out, "  %-8s %s%s", mount_names[m->kind],
			  m->writable ? "rw" : "ro",
			  m->noexec ? " noexec" : "");
		add_path(out, m->path);
		if (m->target) {
			text_add(out, " ->");
			add_path(out, m->target);
		}
		if (m->layer) {
			text_add(out, " in");
			add_path(out, m->layer->upper);
		}
		text_addf(out, "  (%s)\n", m->reason);
		/* The summary says what is said here. */
		if (m->content && !m->on_skeleton)
			add_content(out, m->content);
	}
}

static void format_rights(uint64_t rights, struct text *out)
{
	const char *name;

	for (unsigned int bit = 0; (name = plan_landlock_name(bit)); bit++) {
		if (rights & (1ULL << bit))
			text_addf(out, " %s", name);
	}
}

static void format_landlock(const struct plan *plan, struct text *out)
{
	const struct plan_landlock *landlock = &plan->landlock;

	if (!landlock->enabled) {
		text_add(out, "landlock: off\n");
		return;
	}
	text_add(out, "landlock:\n  handled:");
	format_rights(landlock->handled_fs, out);
	text_add(out, "\n");
	if (landlock->scoped)
		text_add(out, "  scoped: abstract_unix signal\n");
	for (size_t i = 0; i < landlock->n; i++) {
		text_add(out, "  allow");
		add_path(out, landlock->v[i].path);
		text_add(out, ":");
		format_rights(landlock->v[i].access, out);
		text_add(out, "\n");
	}
}

static void format_absents(const struct plan *plan, struct text *out)
{
	if (plan->absents.n)
		text_add(out, "names that may not come into being:\n");
	for (size_t i = 0; i < plan->absents.n; i++) {
		const struct plan_absent *a = &plan->absents.v[i];

		text_addf(out, "  %-8s", action_names[a->action]);
		add_path(out, a->path);
		text_addf(out, "  (%s)\n", a->key);
	}
}

static void format_patterns(const struct plan *plan, struct text *out)
{
	if (plan->patterns.n)
		text_add(out, "decided at every open:\n");
	for (size_t i = 0; i < plan->patterns.n; i++) {
		const struct plan_pattern *p = &plan->patterns.v[i];

		text_addf(out, "  %-8s", p->read ? "hidden" : "read");
		add_path(out, p->pattern);
		text_addf(out, "  (%s)\n", p->key);
	}
}

static void format_masks(const struct plan *plan, struct text *out)
{
	if (plan->masks.n)
		text_add(out, "blotted out in the output:\n");
	for (size_t i = 0; i < plan->masks.n; i++) {
		const struct plan_mask *m = &plan->masks.v[i];

		text_add(out, "  ");
		text_add_escaped(out, m->pattern);
		text_addf(out, "  (%s)\n", m->name ? m->name : "pattern");
	}
}

static void format_rest(const struct plan *plan, struct text *out)
{
	if (plan->watches.n)
		text_add(out, "mounted again if the host replaces them:\n");
	for (size_t i = 0; i < plan->watches.n; i++) {
		text_addf(out, "  %-8s", mount_names[plan->watches.v[i].mount]);
		add_path(out, plan->watches.v[i].path);
		text_add(out, "\n");
	}
	text_add(out, "limits:\n");
	for (size_t i = 0; i < plan->rlimits.n; i++)
		text_addf(out, "  %s %llu (rlimit)\n", plan->rlimits.v[i].name,
			  (unsigned long long)plan->rlimits.v[i].value);
	if (plan->wall_time_ms)
		text_addf(out, "  wall_time %llu ms (supervisor)\n",
			  (unsigned long long)plan->wall_time_ms);
	format_masks(plan, out);
	text_add(out, "environment:\n");
	for (char *const *e = plan->environ; *e; e++) {
		text_add(out, "  ");
		text_addn(out, *e, strcspn(*e, "="));
		text_add(out, "\n");
	}
	for (size_t i = 0; i < plan->notes.n; i++) {
		text_add(out, "note: ");
		text_add_escaped(out, plan->notes.v[i]);
		text_add(out, "\n");
	}
}

void plan_text_format(const struct plan *plan, struct text *out)
{
	text_add(out, "workdir:");
	add_path(out, plan->workdir);
	text_addf(out, "\nview: %s\nnetwork: %s\ngit: %s\nseccomp: %s%s\n",
		  view_names[plan->view], mode_names[plan->network],
		  git_names[plan->git], plan->seccomp.name,
		  plan->seccomp_keep ? ", without truncate" : "");
	if (plan->network == POLICY_MODE_FILTERED)
		plan_egress_format(out, &plan->egress);
	plan_exec_format(out, &plan->exec);
	format_mounts(plan, out);
	format_landlock(plan, out);
	format_absents(plan, out);
	format_patterns(plan, out);
	format_rest(plan, out);
}

/* Paths need not be UTF-8, JSON strings have to be. */
static json_t *json_path(const char *path)
{
	json_t *s = json_string(path);
	AUTO_ARENA arena = { 0 };
	struct text text = { .arena = &arena };

	if (s)
		return s;
	text_add_escaped(&text, path);
	return json_string(text_str(&text));
}

static json_t *json_mounts(const struct plan *plan)
{
	json_t *list = json_array();

	for (size_t i = 0; i < plan->mounts.n; i++) {
		const struct plan_mount *m = &plan->mounts.v[i];
		json_t *o = json_pack("{s:s, s:o, s:b, s:s}", "kind",
				      mount_names[m->kind], "path",
				      json_path(m->path), "writable",
				      m->writable, "reason", m->reason);

		if (m->noexec)
			json_object_set_new(o, "noexec", json_true());
		if (m->target)
			json_object_set_new(o, "target", json_path(m->target));
		if (m->layer)
			json_object_set_new(o, "upper",
					    json_path(m->layer->upper));
		if (m->content && !m->on_skeleton)
			json_object_set_new(o, "content",
					    json_path(m->content));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *json_rules(const struct plan *plan)
{
	json_t *list = json_array();

	for (size_t i = 0; i < plan->rules.n; i++) {
		const struct plan_rule *r = &plan->rules.v[i];

		json_array_append_new(
			list,
			json_pack("{s:o, s:s, s:b, s:s, s:s, s:s, s:s}", "path",
				  json_path(r->path), "access",
				  access_names[r->access], "exists", r->exists,
				  "read_rule", r->read_key, "read_origin",
				  r->read_origin.source, "write_rule",
				  r->write_key, "write_origin",
				  r->write_origin.source));
	}
	return list;
}

static json_t *json_landlock(const struct plan_landlock *landlock)
{
	json_t *rules = json_array();

	for (size_t i = 0; i < landlock->n; i++)
		json_array_append_new(
			rules,
			json_pack("{s:o, s:I}", "path",
				  json_path(landlock->v[i].path), "access",
				  (json_int_t)landlock->v[i].access));
	return json_pack("{s:b, s:I, s:I, s:o}", "enabled", landlock->enabled,
			 "handled_fs", (json_int_t)landlock->handled_fs,
			 "scoped", (json_int_t)landlock->scoped, "rules",
			 rules);
}

static json_t *json_absents(const struct plan *plan)
{
	json_t *list = json_array();

	for (size_t i = 0; i < plan->absents.n; i++)
		json_array_append_new(
			list,
			json_pack("{s:o, s:s, s:s}", "path",
				  json_path(plan->absents.v[i].path), "action",
				  action_names[plan->absents.v[i].action],
				  "rule", plan->absents.v[i].key));
	return list;
}

static json_t *json_limits(const struct plan *plan)
{
	json_t *limits = json_object();

	for (size_t i = 0; i < plan->rlimits.n; i++)
		json_object_set_new(
			limits, plan->rlimits.v[i].name,
			json_pack("{s:I, s:s}", "value",
				  (json_int_t)plan->rlimits.v[i].value,
				  "held_by", "rlimit"));
	if (plan->wall_time_ms)
		json_object_set_new(limits, "wall_time",
				    json_pack("{s:I, s:s}", "value",
					      (json_int_t)plan->wall_time_ms,
					      "held_by", "supervisor"));
	return limits;
}

static json_t *json_strings(const char *const *v, size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, json_path(v[i]));
	return list;
}

static json_t *json_masks(const struct plan *plan)
{
	json_t *list = json_array();

	for (size_t i = 0; i < plan->masks.n; i++) {
		const struct plan_mask *m = &plan->masks.v[i];

		json_array_append_new(
			list, json_pack("{s:s?, s:o, s:s}", "preset", m->name,
					"pattern", json_path(m->pattern),
					"origin", m->origin.source));
	}
	return list;
}

/* Names alone: values may be what the caller wants to keep to themselves. */
static json_t *json_environ(const struct plan *plan)
{
	json_t *list = json_array();

	for (char *const *e = plan->environ; *e; e++)
		json_array_append_new(list, json_stringn(*e, strcspn(*e, "=")));
	return list;
}

static json_t *json_egress_rules(const struct egress_rule_list *rules)
{
	AUTO_ARENA arena = { 0 };
	json_t *list = json_array();

	for (size_t i = 0; i < rules->n; i++)
		json_array_append_new(
			list, json_pack("{s:s, s:o}", "rule", rules->v[i].text,
					"origin",
					json_path(policy_origin_format(
						&arena, &rules->v[i].origin))));
	return list;
}

static json_t *json_endpoint(const struct egress_endpoint *endpoint)
{
	if (!endpoint->set)
		return json_null();
	return json_pack("{s:s, s:i}", "host", endpoint->host.name, "port",
			 endpoint->host.port);
}

static json_t *json_egress(const struct plan *plan)
{
	const struct plan_egress *egress = &plan->egress;
	json_t *ports = json_array(), *publish = json_array();

	for (size_t i = 0; i < egress->host_ports.n; i++)
		json_array_append_new(ports,
				      json_integer(egress->host_ports.v[i]));
	for (size_t i = 0; i < egress->publish.n; i++) {
		const struct egress_publish *p = &egress->publish.v[i];
		char address[ADDRESS_TEXT];

		address_format(&p->address, address);
		json_array_append_new(
			publish,
			json_pack("{s:s, s:i, s:i}", "address", address,
				  "host_port", p->host_port, "port", p->port));
	}
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "allow",
			 json_egress_rules(&egress->rules.allow), "deny",
			 json_egress_rules(&egress->rules.deny), "host_ports",
			 ports, "publish", publish, "upstream_proxy",
			 json_endpoint(&egress->upstream), "resolver",
			 json_endpoint(&egress->resolver));
}

json_t *plan_json_format(const struct plan *plan)
{
	json_t *o = json_pack(
		"{s:o, s:s, s:s, s:s, s:s, s:b, s:o, s:o, s:o, s:o, s:i, s:o, "
		"s:o, s:o}",
		"workdir", json_path(plan->workdir), "view",
		view_names[plan->view], "network", mode_names[plan->network],
		"git", git_names[plan->git], "seccomp", plan->seccomp.name,
		"truncate_refused", plan->seccomp_keep, "rules",
		json_rules(plan), "mounts", json_mounts(plan), "landlock",
		json_landlock(&plan->landlock), "absent", json_absents(plan),
		"watched", (int)plan->watches.n, "limits", json_limits(plan),
		"environment", json_environ(plan), "notes",
		json_strings(plan->notes.v, plan->notes.n));

	json_object_set_new(o, "masks", json_masks(plan));
	json_object_set_new(o, "exec", plan_exec_json(&plan->exec));
	if (plan->network == POLICY_MODE_FILTERED)
		json_object_set_new(o, "egress", json_egress(plan));
	return o;
}
