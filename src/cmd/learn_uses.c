/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd/learn_uses.c - what a command did, and what the present policy says of it
 *
 * Runs in:  the supervisor, during the run and after it.
 * Trusts:   the plan; nothing in names, which the command chose.
 * Must not: grow without bound.
 */
#include "cmd/learn_uses.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/path.h"
#include "plan/explain.h"
#include "plan/plan.h"
#include "policy/address.h"

enum { USES_MAX = 100000, INDEX_FIRST = 1024 };

static const enum propose_act acts[] = {
	[FRAME_CREATE] = PROPOSE_CREATE, [FRAME_READ] = PROPOSE_READ,
	[FRAME_WRITE] = PROPOSE_WRITE,	 [FRAME_REMOVE] = PROPOSE_REMOVE,
	[FRAME_EXEC] = PROPOSE_EXEC,
};

static bool is_write(enum propose_act act)
{
	return act == PROPOSE_WRITE || act == PROPOSE_CREATE ||
	       act == PROPOSE_REMOVE;
}

/* --- collecting --------------------------------------------------------- */

static size_t hash(const char *path, enum propose_act act)
{
	uint64_t h = 0xcbf29ce484222325ULL + (uint64_t)act;

	for (; *path; path++)
		h = (h ^ (unsigned char)*path) * 0x100000001b3ULL;
	return (size_t)(h ^ h >> 32);
}

/* Where it stands in the index, or would. */
static size_t slot_find(const struct learn_uses *uses, const char *path,
			enum propose_act act)
{
	size_t at = hash(path, act);

	for (;; at++) {
		size_t i = uses->index[at & (uses->index_n - 1)];

		if (!i || (uses->list.v[i - 1].act == act &&
			   !strcmp(uses->list.v[i - 1].path, path)))
			return at & (uses->index_n - 1);
	}
}

static void index_grow(struct learn_uses *uses)
{
	if (uses->index_n && uses->list.n * 2 < uses->index_n)
		return;
	uses->index_n = uses->index_n ? uses->index_n * 4 : INDEX_FIRST;
	uses->index = arena_array(uses->arena, size_t, uses->index_n);
	for (size_t i = 0; i < uses->list.n; i++)
		uses->index[slot_find(uses, uses->list.v[i].path,
				      uses->list.v[i].act)] = i + 1;
}

static void add(struct learn_uses *uses, enum propose_act act, const char *path,
		const char *comm, bool directory)
{
	struct propose_use *use;
	size_t slot;

	if (!path_is_normal(path))
		return;
	index_grow(uses);
	slot = slot_find(uses, path, act);
	if (uses->index[slot]) {
		use = &uses->list.v[uses->index[slot] - 1];
		use->count++;
		use->directory |= directory;
		return;
	}
	if (uses->list.n >= USES_MAX) {
		uses->more = true;
		return;
	}
	use = ARENA_PUSH(uses->arena, &uses->list);
	*use = (struct propose_use){
		.act = act,
		.path = arena_strdup(uses->arena, path),
		.comm = comm && *comm ? arena_strdup(uses->arena, comm) : NULL,
		.count = 1,
		.directory = directory,
	};
	uses->index[slot] = uses->list.n;
}

void learn_uses_add(void *data, const struct run_used *used)
{
	char path[PATH_MAX];
	size_t n = strlen(used->path);
	bool directory = n > 1 && used->path[n - 1] == '/';

	if ((size_t)used->act >= sizeof(acts) / sizeof(*acts) ||
	    n >= sizeof(path))
		return;
	memcpy(path, used->path, n + 1);
	if (directory)
		path[n - 1] = '\0';
	add(data, acts[used->act], path, used->comm, directory);
}

static bool is_known(struct learn_uses *uses, const char *path)
{
	static const enum propose_act writes[] = { PROPOSE_WRITE,
						   PROPOSE_CREATE,
						   PROPOSE_REMOVE };

	index_grow(uses);
	for (size_t i = 0; i < sizeof(writes) / sizeof(*writes); i++) {
		if (uses->index[slot_find(uses, path, writes[i])])
			return true;
	}
	return false;
}

void learn_uses_changed(void *data, enum run_changed what, const char *path,
			bool directory)
{
	static const enum propose_act as[] = {
		[RUN_CHANGED] = PROPOSE_WRITE,
		[RUN_MADE] = PROPOSE_CREATE,
		[RUN_REMOVED] = PROPOSE_REMOVE,
	};

	if (!is_known(data, path))
		add(data, as[what], path, NULL, directory);
}

/* --- judging ------------------------------------------------------------ */

/* How much of it there is on the host. */
static size_t existing_length(const char *path, struct stat *st)
{
	AUTO_ARENA arena = { 0 };
	char *at = arena_strdup(&arena, path);

	while (*at && lstat(at, st) < 0) {
		char *slash = strrchr(at, '/');

		*slash = '\0';
	}
	if (!*at)
		(void)lstat("/", st);
	return strlen(at);
}

/* What fails without a box too is not the policy's business. */
static bool would_work(const struct propose_use *use)
{
	AUTO_ARENA arena = { 0 };
	size_t len = use->existing;
	int wanted = W_OK;
	const char *at;

	if (!is_write(use->act))
		return faccessat(AT_FDCWD, use->path,
				 use->act == PROPOSE_EXEC ? X_OK : R_OK,
				 AT_EACCESS) == 0;
	if (use->act == PROPOSE_REMOVE && len == strlen(use->path))
		len = (size_t)(strrchr(use->path, '/') - use->path);
	if (len < strlen(use->path))
		wanted |= X_OK;
	at = len ? arena_strndup(&arena, use->path, len) : "/";
	return faccessat(AT_FDCWD, at, wanted, AT_EACCESS) == 0;
}

static bool starts_with(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

/* By what is shipped: the list of secrets, and what cordon keeps itself. */
static bool is_shipped(const struct policy_origin *origin)
{
	return starts_with(origin->source, "profile ") ||
	       !strcmp(origin->source, "built-in");
}

static enum propose_verdict judge_refused(const struct plan_verdict *verdict,
					  const char *path, bool write)
{
	const struct plan_rule *rule = verdict->rule;
	bool by_read = !write || rule->access == PLAN_HIDDEN;
	const char *key = by_read ? rule->read_key : rule->write_key;
	const struct policy_origin *origin =
		by_read ? &rule->read_origin : &rule->write_origin;

	/* Nothing said so: that is what a rule is for. */
	if (starts_with(key, "view:"))
		return PROPOSE_REFUSED;
	/* A rule for the very path loses to a denial of it. */
	if (!strcmp(key, "deny_read") && !is_shipped(origin) &&
	    strcmp(rule->path, path) != 0)
		return PROPOSE_REFUSED;
	return PROPOSE_KEPT;
}

static bool is_private(const struct plan_verdict *verdict)
{
	return !strcmp(verdict->rule->read_key, "private");
}

static bool judge(struct arena *arena, const struct plan *plan,
		  struct propose_use *use)
{
	struct plan_verdict verdict;
	bool write = is_write(use->act);
	struct stat st;

	plan_explain_path(arena, plan, use->path, write, &verdict);
	if (is_private(&verdict))
		return false;
	use->existing = existing_length(use->path, &st);
	if (use->existing == strlen(use->path))
		use->directory = S_ISDIR(st.st_mode);
	if (verdict.allowed) {
		use->verdict = PROPOSE_ALLOWED;
		return true;
	}
	if (!would_work(use))
		return false;
	use->verdict = judge_refused(&verdict, use->path, write);
	use->why = verdict.reason;
	return true;
}

void learn_uses_judge(const struct learn_uses *uses, const struct plan *plan,
		      struct propose_uses *out)
{
	for (size_t i = 0; i < uses->list.n; i++) {
		struct propose_use use = uses->list.v[i];

		if (judge(uses->arena, plan, &use))
			*ARENA_PUSH(uses->arena, out) = use;
	}
}

/* --- refusals ----------------------------------------------------------- */

/* Addresses that nobody means when they name a service. */
static const char *why_no_address(struct arena *arena, const char *name)
{
	struct address address;
	enum address_class class;

	if (!address_parse(name, strlen(name), &address))
		return NULL;
	class = address_classify(&address);
	if (class == ADDRESS_PUBLIC || class == ADDRESS_PRIVATE ||
	    class == ADDRESS_SHARED)
		return NULL;
	return arena_printf(arena, "the address is %s",
			    address_class_name(class));
}

/* "host:443", "[::1]:80" */
static bool split_port(struct arena *arena, const char *target,
		       struct propose_host *out)
{
	const char *colon = strrchr(target, ':');
	size_t len = colon ? (size_t)(colon - target) : 0;
	unsigned long port = colon ? strtoul(colon + 1, NULL, 10) : 0;

	if (!len || !port || port > UINT16_MAX)
		return false;
	if (target[0] == '[' && target[len - 1] == ']') {
		target++;
		len -= 2;
	}
	out->name = arena_strndup(arena, target, len);
	out->port = (uint16_t)port;
	return true;
}

static void host_add(struct arena *arena, const struct outcome_denial *denial,
		     struct propose_hosts *out)
{
	struct propose_host host = { .name = denial->target,
				     .comm = denial->comm,
				     .count = denial->count };

	if (!strcmp(denial->operation, "connect") &&
	    !split_port(arena, denial->target, &host))
		host.why = denial->rule;
	if (denial->why && strcmp(denial->why, "blocked-by-allowlist") != 0 &&
	    strcmp(denial->why, "blocked-by-port-policy") != 0)
		host.why = denial->rule;
	if (!host.why)
		host.why = why_no_address(arena, host.name);
	*ARENA_PUSH(arena, out) = host;
}

static void command_add(struct arena *arena,
			const struct outcome_denial *denial,
			struct propose_commands *out)
{
	const char *rule = denial->rule ? denial->rule : "";

	*ARENA_PUSH(arena, out) = (struct propose_command){
		.text = denial->target,
		.comm = denial->comm,
		.count = denial->count,
		.why = strstr(rule, "(profile ") || strstr(rule, "(built-in")
			       ? rule
			       : NULL,
	};
}

/* As the guard tells it. */
static bool act_find(const char *operation, enum propose_act *out)
{
	static const struct {
		const char *operation;
		enum propose_act act;
	} known[] = { { "read", PROPOSE_READ },
		      { "write", PROPOSE_WRITE },
		      { "create", PROPOSE_CREATE },
		      { "remove", PROPOSE_REMOVE } };

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++) {
		if (!strcmp(known[i].operation, operation)) {
			*out = known[i].act;
			return true;
		}
	}
	return false;
}

/* A refusal is a use like others, if the plan is what refuses it. */
static void refusal_add(struct arena *arena, const struct plan *plan,
			const struct outcome_denial *denial,
			enum propose_act act, struct propose_uses *out)
{
	struct propose_use use = { .act = act,
				   .path = denial->target,
				   .comm = denial->comm,
				   .count = denial->count };

	if (!path_is_normal(use.path))
		return;
	if (judge(arena, plan, &use) && use.verdict != PROPOSE_ALLOWED)
		*ARENA_PUSH(arena, out) = use;
}

void learn_denials_sort(struct arena *arena, const struct outcome *outcome,
			const struct plan *plan, struct propose_input *out)
{
	enum propose_act act;

	for (size_t i = 0; i < outcome->denials_n; i++) {
		const struct outcome_denial *denial = &outcome->denials[i];
		const char *operation = denial->operation;

		if (!strcmp(operation, "resolve") ||
		    (!strcmp(operation, "connect") && denial->why))
			host_add(arena, denial, &out->hosts);
		else if (starts_with(operation, "exec"))
			command_add(arena, denial, &out->commands);
		else if (act_find(operation, &act) && denial->target[0] == '/')
			refusal_add(arena, plan, denial, act, &out->uses);
	}
}
