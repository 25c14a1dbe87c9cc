/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a seccomp profile in the OCI/Docker format.
 *
 * Runs in:  supervisor, before anything is started
 * Trusts:   nothing in the file
 * Must not: accept a key and not act on it
 */
#include "host/seccomp_oci.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include <jansson.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#include "base/arena.h"
#include "base/err.h"
#include "host/json.h"
#include "host/seccomp_oci_entry.h"
#include "plan/bpf.h"
#include "plan/plan.h"

#define PROFILE_BYTES_MAX (1 << 20)
#define COUNT(a)	  (sizeof(a) / sizeof((a)[0]))

static const char *const profile_keys[] = {
	"defaultAction", "defaultErrno", "defaultErrnoRet", "architectures",
	"archMap",	 "flags",	 "listenerPath",    "listenerMetadata",
	"syscalls",	 NULL,
};
static const char *const arch_keys[] = { "architecture", "subArchitectures",
					 NULL };

static void release_json(json_t **json)
{
	json_decref(*json);
}

static int read_entries(struct host_oci *r, json_t *object)
{
	json_t *entries = host_json_find(object, "syscalls");

	if (entries && !json_is_array(entries))
		return host_json_fail(&r->json, "syscalls", "must be a list");
	for (size_t i = 0; i < json_array_size(entries); i++)
		if (host_oci_add_entry(r, host_json_at(&r->json, "syscalls", i),
				       json_array_get(entries, i)))
			return -1;
	return 0;
}

static int read_arch_map(struct host_oci *r, json_t *list, bool *native)
{
	if (!json_is_array(list))
		return host_json_fail(&r->json, "archMap", "must be a list");
	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *path = host_json_at(&r->json, "archMap", i);
		json_t *element = json_array_get(list, i), *others;
		const char *arch;

		if (host_json_check_keys(&r->json, path, element, arch_keys) ||
		    host_json_read_string(&r->json, path, element,
					  "architecture", &arch) ||
		    host_json_read_strings(&r->json, path, element,
					   "subArchitectures", &others))
			return -1;
		if (arch && !strcmp(arch, "SCMP_ARCH_X86_64"))
			*native = true;
	}
	return 0;
}

/* Only x86-64 is ever let in; a profile that was not written for it is a
 * mistake. */
static int read_arches(struct host_oci *r, json_t *object)
{
	json_t *map = host_json_find(object, "archMap"), *list;
	bool native = false;

	if (host_json_read_strings(&r->json, "", object, "architectures",
				   &list))
		return -1;
	if (map && list)
		return host_json_fail(&r->json, "archMap",
				      "stands beside 'architectures'");
	if (map && read_arch_map(r, map, &native))
		return -1;
	native |= host_json_has_string(list, "SCMP_ARCH_X86_64");
	if ((json_array_size(map) || json_array_size(list)) && !native)
		return host_json_fail(&r->json,
				      map ? "archMap" : "architectures",
				      "SCMP_ARCH_X86_64 is missing");
	return 0;
}

static int refuse_unsupported(struct host_oci *r, json_t *object)
{
	static const char *const refused[] = { "listenerPath",
					       "listenerMetadata" };
	json_t *flags;

	for (size_t i = 0; i < COUNT(refused); i++) {
		const char *value;

		if (host_json_read_string(&r->json, "", object, refused[i],
					  &value))
			return -1;
		if (value && *value)
			return host_json_fail(&r->json, refused[i],
					      "is not supported");
	}
	if (host_json_read_strings(&r->json, "", object, "flags", &flags))
		return -1;
	if (json_array_size(flags))
		return host_json_fail(&r->json, "flags", "is not supported");
	return 0;
}

static int read_profile(struct host_oci *r, json_t *object)
{
	static const struct host_oci_action_keys keys = { "defaultAction",
							  "defaultErrno",
							  "defaultErrnoRet" };

	if (host_json_check_keys(&r->json, "", object, profile_keys) ||
	    refuse_unsupported(r, object) || read_arches(r, object) ||
	    host_oci_read_action(r, "", object, &keys, &r->default_action))
		return -1;
	return read_entries(r, object);
}

/* As the kernel orders actions; the strictest is the lowest. */
static const uint32_t by_strictness[] = {
	SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_KILL_THREAD, SECCOMP_RET_TRAP,
	SECCOMP_RET_ERRNO,	  SECCOMP_RET_LOG,	   SECCOMP_RET_ALLOW,
};

/* The rules of a call, the strictest first; those that cannot make its answer
 * stricter are left out. */
static const struct plan_bpf_rules *sort_rules(struct arena *arena,
					       const struct host_oci_call *call)
{
	struct plan_bpf_rules *rules =
		arena_array(arena, struct plan_bpf_rules, 1);
	struct plan_bpf_rule *v =
		arena_array(arena, struct plan_bpf_rule, call->rules.n);

	for (size_t i = 0; i < COUNT(by_strictness); i++) {
		if (call->path && by_strictness[i] == (call->action &
						       SECCOMP_RET_ACTION_FULL))
			break;
		for (size_t j = 0; j < call->rules.n; j++)
			if ((call->rules.v[j].action &
			     SECCOMP_RET_ACTION_FULL) == by_strictness[i])
				v[rules->n++] = call->rules.v[j];
	}
	rules->v = v;
	return rules->n ? rules : NULL;
}

static int compile(struct host_oci *r, struct plan_filter *out)
{
	struct arena *arena = r->json.arena;
	struct plan_bpf_call *calls =
		arena_array(arena, struct plan_bpf_call, PLAN_BPF_NUMBERS);
	struct plan_filter filter = { .name = NULL };

	for (size_t nr = 0; nr < PLAN_BPF_NUMBERS; nr++) {
		const struct host_oci_call *call = &r->calls[nr];

		calls[nr].action =
			call->path ? call->action : r->default_action;
		if (call->rules.n)
			calls[nr].rules = sort_rules(arena, call);
	}
	if (plan_bpf_build(arena, calls, &filter.v, &filter.n))
		return host_json_fail(&r->json, "",
				      "makes more than the %d instructions "
				      "that the kernel takes: use fewer rules "
				      "with arguments",
				      BPF_MAXINSNS);
	filter.name = arena_strdup(arena, r->json.name);
	*out = filter;
	return 0;
}

static void read_kernel(unsigned int version[2])
{
	struct utsname name;

	/* cannot fail with a valid pointer */
	if (uname(&name) ||
	    sscanf(name.release, "%3u.%5u", &version[0], &version[1]) != 2)
		version[0] = version[1] = 0;
}

int host_seccomp_parse_oci(struct arena *arena, const char *json, size_t n,
			   const char *name, struct plan_filter *out,
			   struct err *err)
{
	struct host_oci r = {
		.json = { arena, "seccomp profile", name, err },
		.calls = arena_array(arena, struct host_oci_call,
				     PLAN_BPF_NUMBERS),
	};
	__attribute__((cleanup(release_json))) json_t *root = NULL;
	json_error_t where;

	if (n > PROFILE_BYTES_MAX)
		return host_json_fail(&r.json, "", "is larger than 1 MiB");
	root = json_loadb(json, n, JSON_REJECT_DUPLICATES, &where);
	if (!root)
		return host_json_fail(&r.json, "", "line %d, column %d: %s",
				      where.line, where.column, where.text);
	read_kernel(r.kernel);
	if (read_profile(&r, root))
		return -1;
	return compile(&r, out);
}
