/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One entry of a seccomp profile in the OCI/Docker format.
 *
 * Runs in:  supervisor, before anything is started
 * Trusts:   nothing in the file
 * Must not: skip an entry whose absence would allow more than the file says
 *
 * Entries mean what they mean to the container runtimes, down to an argument
 * that is named twice: it makes alternatives and not a conjunction. Where
 * entries overlap, the runtimes drop one without a word; here the strictest
 * counts.
 */
#include "host/seccomp_oci_entry.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <linux/seccomp.h>
#include <seccomp.h>

#include "base/arena.h"
#include "base/err.h"

#define RULES_MAX 4096
#define ARGS_MAX  6
#define ERRNO_MAX 4095 /* the kernel cuts there */
#define COUNT(a)  (sizeof(a) / sizeof((a)[0]))

/* One element of "syscalls", without its names. */
struct entry {
	const char *path;
	uint32_t action;
	struct plan_bpf_cond args[ARGS_MAX];
	unsigned int args_n;
};

struct word {
	const char *name;
	uint32_t value;
};

static const struct word actions[] = {
	{ "SCMP_ACT_ALLOW", SECCOMP_RET_ALLOW },
	{ "SCMP_ACT_LOG", SECCOMP_RET_LOG },
	{ "SCMP_ACT_ERRNO", SECCOMP_RET_ERRNO },
	{ "SCMP_ACT_TRAP", SECCOMP_RET_TRAP },
	{ "SCMP_ACT_KILL", SECCOMP_RET_KILL_THREAD },
	{ "SCMP_ACT_KILL_THREAD", SECCOMP_RET_KILL_THREAD },
	{ "SCMP_ACT_KILL_PROCESS", SECCOMP_RET_KILL_PROCESS },
};

/* strerrorname_np() is glibc's alone. */
/* clang-format off */
#define NAMED(error) { #error, error }
static const struct word errors[] = {
	NAMED(EPERM), NAMED(ENOENT), NAMED(ESRCH), NAMED(EINTR), NAMED(EIO),
	NAMED(ENXIO), NAMED(E2BIG), NAMED(ENOEXEC), NAMED(EBADF), NAMED(ECHILD),
	NAMED(EAGAIN), NAMED(ENOMEM), NAMED(EACCES), NAMED(EFAULT),
	NAMED(ENOTBLK), NAMED(EBUSY), NAMED(EEXIST), NAMED(EXDEV),
	NAMED(ENODEV), NAMED(ENOTDIR), NAMED(EISDIR), NAMED(EINVAL),
	NAMED(ENFILE), NAMED(EMFILE), NAMED(ENOTTY), NAMED(ETXTBSY),
	NAMED(EFBIG), NAMED(ENOSPC), NAMED(ESPIPE), NAMED(EROFS), NAMED(EMLINK),
	NAMED(EPIPE), NAMED(EDOM), NAMED(ERANGE), NAMED(EDEADLK),
	NAMED(ENAMETOOLONG), NAMED(ENOLCK), NAMED(ENOSYS), NAMED(ENOTEMPTY),
	NAMED(ELOOP), NAMED(ENOMSG), NAMED(EIDRM), NAMED(ECHRNG),
	NAMED(EL2NSYNC), NAMED(EL3HLT), NAMED(EL3RST), NAMED(ELNRNG),
	NAMED(EUNATCH), NAMED(ENOCSI), NAMED(EL2HLT), NAMED(EBADE),
	NAMED(EBADR), NAMED(EXFULL), NAMED(ENOANO), NAMED(EBADRQC),
	NAMED(EBADSLT), NAMED(EBFONT), NAMED(ENOSTR), NAMED(ENODATA),
	NAMED(ETIME), NAMED(ENOSR), NAMED(ENONET), NAMED(ENOPKG),
	NAMED(EREMOTE), NAMED(ENOLINK), NAMED(EADV), NAMED(ESRMNT),
	NAMED(ECOMM), NAMED(EPROTO), NAMED(EMULTIHOP), NAMED(EDOTDOT),
	NAMED(EBADMSG), NAMED(EOVERFLOW), NAMED(ENOTUNIQ), NAMED(EBADFD),
	NAMED(EREMCHG), NAMED(ELIBACC), NAMED(ELIBBAD), NAMED(ELIBSCN),
	NAMED(ELIBMAX), NAMED(ELIBEXEC), NAMED(EILSEQ), NAMED(ERESTART),
	NAMED(ESTRPIPE), NAMED(EUSERS), NAMED(ENOTSOCK), NAMED(EDESTADDRREQ),
	NAMED(EMSGSIZE), NAMED(EPROTOTYPE), NAMED(ENOPROTOOPT),
	NAMED(EPROTONOSUPPORT), NAMED(ESOCKTNOSUPPORT), NAMED(EOPNOTSUPP),
	NAMED(EPFNOSUPPORT), NAMED(EAFNOSUPPORT), NAMED(EADDRINUSE),
	NAMED(EADDRNOTAVAIL), NAMED(ENETDOWN), NAMED(ENETUNREACH),
	NAMED(ENETRESET), NAMED(ECONNABORTED), NAMED(ECONNRESET),
	NAMED(ENOBUFS), NAMED(EISCONN), NAMED(ENOTCONN), NAMED(ESHUTDOWN),
	NAMED(ETOOMANYREFS), NAMED(ETIMEDOUT), NAMED(ECONNREFUSED),
	NAMED(EHOSTDOWN), NAMED(EHOSTUNREACH), NAMED(EALREADY),
	NAMED(EINPROGRESS), NAMED(ESTALE), NAMED(EUCLEAN), NAMED(ENOTNAM),
	NAMED(ENAVAIL), NAMED(EISNAM), NAMED(EREMOTEIO), NAMED(EDQUOT),
	NAMED(ENOMEDIUM), NAMED(EMEDIUMTYPE), NAMED(ECANCELED), NAMED(ENOKEY),
	NAMED(EKEYEXPIRED), NAMED(EKEYREVOKED), NAMED(EKEYREJECTED),
	NAMED(EOWNERDEAD), NAMED(ENOTRECOVERABLE), NAMED(ERFKILL),
	NAMED(EHWPOISON),
	/* second names of some of them */
	NAMED(EWOULDBLOCK), NAMED(EDEADLOCK), NAMED(ENOTSUP),
};
/* clang-format on */

static const struct {
	const char *name;
	enum plan_bpf_op op;
	bool negated;
} operators[] = {
	{ "SCMP_CMP_EQ", PLAN_BPF_EQ, false },
	{ "SCMP_CMP_NE", PLAN_BPF_EQ, true },
	{ "SCMP_CMP_GT", PLAN_BPF_GT, false },
	{ "SCMP_CMP_LE", PLAN_BPF_GT, true },
	{ "SCMP_CMP_GE", PLAN_BPF_GE, false },
	{ "SCMP_CMP_LT", PLAN_BPF_GE, true },
};

/* Younger than the libseccomp that may be installed: one number after the
 * other. */
#define YOUNG_FIRST 449
static const char *const young_calls[] = {
	"futex_waitv",	     "set_mempolicy_home_node",
	"cachestat",	     "fchmodat2",
	"map_shadow_stack",  "futex_wake",
	"futex_wait",	     "futex_requeue",
	"statmount",	     "listmount",
	"lsm_get_self_attr", "lsm_set_self_attr",
	"lsm_list_modules",  "mseal",
	"setxattrat",	     "getxattrat",
	"listxattrat",	     "removexattrat",
	"open_tree_attr",    "file_getattr",
	"file_setattr",	     "listns",
};

static const char *const entry_keys[] = {
	"names", "name",     "action",	 "errno",   "errnoRet",
	"args",	 "includes", "excludes", "comment", NULL,
};
static const char *const arg_keys[] = { "index", "value", "valueTwo", "op",
					NULL };
static const char *const condition_keys[] = { "caps", "arches", "minKernel",
					      NULL };

static const struct word *find_action(const char *name)
{
	for (size_t i = 0; i < COUNT(actions); i++)
		if (!strcmp(actions[i].name, name))
			return &actions[i];
	return NULL;
}

/*
 * Actions.
 */

static int find_errno(const char *name)
{
	for (size_t i = 0; i < COUNT(errors); i++)
		if (!strcmp(errors[i].name, name))
			return (int)errors[i].value;
	return -1;
}

/* The errno of an action, as a number (Docker) or by name (Podman). */
static int read_errno(struct host_oci *r, const char *path, json_t *object,
		      const char *name_key, const char *number_key,
		      uint64_t *out)
{
	const char *name;
	int known;

	*out = EPERM;
	if (host_json_find(object, number_key) &&
	    host_json_read_number(&r->json, path, object, number_key, ERRNO_MAX,
				  out))
		return -1;
	if (host_json_read_string(&r->json, path, object, name_key, &name))
		return -1;
	if (!name)
		return 0;
	known = find_errno(name);
	if (known < 0)
		return host_json_fail(&r->json,
				      host_json_join(&r->json, path, name_key),
				      "unknown error '%s'", name);
	if (host_json_find(object, number_key) && *out != (uint64_t)known)
		return host_json_fail(&r->json,
				      host_json_join(&r->json, path, name_key),
				      "'%s' is not the %s", name, number_key);
	*out = (uint64_t)known;
	return 0;
}

int host_oci_read_action(struct host_oci *r, const char *path, json_t *object,
			 const struct host_oci_action_keys *keys, uint32_t *out)
{
	const char *action,
		*where = host_json_join(&r->json, path, keys->action);
	const struct word *word;
	uint64_t number;

	if (host_json_read_string(&r->json, path, object, keys->action,
				  &action) ||
	    read_errno(r, path, object, keys->errno_name, keys->errno_number,
		       &number))
		return -1;
	if (!action)
		return host_json_fail(&r->json, where, "is missing");
	if (!strcmp(action, "SCMP_ACT_NOTIFY") ||
	    !strcmp(action, "SCMP_ACT_TRACE"))
		return host_json_fail(
			&r->json, where,
			"'%s' is not supported: it needs a process "
			"outside of the box that answers",
			action);
	word = find_action(action);
	if (!word)
		return host_json_fail(&r->json, where, "unknown action '%s'",
				      action);
	if (word->value == SECCOMP_RET_ERRNO)
		*out = SECCOMP_RET_ERRNO | (uint32_t)number;
	else if (host_json_find(object, keys->errno_name) ||
		 host_json_find(object, keys->errno_number))
		return host_json_fail(&r->json, where,
				      "an error number goes with "
				      "SCMP_ACT_ERRNO only");
	else
		*out = word->value;
	return 0;
}

static bool is_refusal(uint32_t action)
{
	return action != SECCOMP_RET_ALLOW && action != SECCOMP_RET_LOG;
}

/*
 * Entries.
 */

static int read_operator(struct host_oci *r, const char *path, json_t *object,
			 struct plan_bpf_cond *out)
{
	const char *op;

	if (host_json_read_string(&r->json, path, object, "op", &op))
		return -1;
	if (op && !strcmp(op, "SCMP_CMP_MASKED_EQ")) {
		/* "value" is the mask, "valueTwo" the value */
		out->op = PLAN_BPF_EQ;
		out->mask = out->v[0];
		out->v[0] = out->v[1];
		if (!(out->v[0] & ~out->mask))
			return 0;
		return host_json_fail(
			&r->json, host_json_join(&r->json, path, "valueTwo"),
			"has bits that are not in 'value', so "
			"it is never equal");
	}
	for (size_t i = 0; op && i < COUNT(operators); i++)
		if (!strcmp(operators[i].name, op)) {
			out->op = operators[i].op;
			out->negated = operators[i].negated;
			out->mask = UINT64_MAX;
			return 0;
		}
	return host_json_fail(&r->json, host_json_join(&r->json, path, "op"),
			      "unknown operator '%s'", op ? op : "");
}

static int read_arg(struct host_oci *r, const char *path, json_t *object,
		    struct plan_bpf_cond *out)
{
	uint64_t index;

	if (host_json_check_keys(&r->json, path, object, arg_keys) ||
	    host_json_read_number(&r->json, path, object, "index", ARGS_MAX - 1,
				  &index) ||
	    host_json_read_number(&r->json, path, object, "value", INT64_MAX,
				  &out->v[0]))
		return -1;
	if (host_json_find(object, "valueTwo") &&
	    host_json_read_number(&r->json, path, object, "valueTwo", INT64_MAX,
				  &out->v[1]))
		return -1;
	out->arg = (unsigned int)index;
	return read_operator(r, path, object, out);
}

static int read_args(struct host_oci *r, json_t *object, struct entry *out)
{
	const char *path = host_json_join(&r->json, out->path, "args");
	json_t *args = host_json_find(object, "args");

	if (args && !json_is_array(args))
		return host_json_fail(&r->json, path, "must be a list");
	if (json_array_size(args) > ARGS_MAX)
		return host_json_fail(&r->json, path,
				      "has more than %d elements", ARGS_MAX);
	for (size_t i = 0; i < json_array_size(args); i++)
		if (read_arg(r, host_json_at(&r->json, path, i),
			     json_array_get(args, i), &out->args[i]))
			return -1;
	out->args_n = (unsigned int)json_array_size(args);
	return 0;
}

static bool is_kernel_at_least(const struct host_oci *r, unsigned int major,
			       unsigned int minor)
{
	return r->kernel[0] > major ||
	       (r->kernel[0] == major && r->kernel[1] >= minor);
}

/* Of "includes" or "excludes": which of its parts are there, and hold here. */
struct condition {
	bool given[3];
	bool holds[3];
};

static int read_condition(struct host_oci *r, const char *path, json_t *object,
			  struct condition *out)
{
	json_t *caps, *arches;
	const char *kernel;
	unsigned int major, minor;
	int end = 0;

	if (host_json_check_keys(&r->json, path, object, condition_keys) ||
	    host_json_read_strings(&r->json, path, object, "caps", &caps) ||
	    host_json_read_strings(&r->json, path, object, "arches", &arches) ||
	    host_json_read_string(&r->json, path, object, "minKernel", &kernel))
		return -1;
	/* the command has no capability at all */
	out->given[0] = json_array_size(caps) > 0;
	out->given[1] = json_array_size(arches) > 0;
	out->holds[1] = host_json_has_string(arches, "amd64") ||
			host_json_has_string(arches, "x86_64");
	if (!kernel)
		return 0;
	if (sscanf(kernel, "%3u.%5u%n", &major, &minor, &end) != 2 ||
	    kernel[end])
		return host_json_fail(
			&r->json, host_json_join(&r->json, path, "minKernel"),
			"'%s' is not of the form 4.8", kernel);
	out->given[2] = true;
	out->holds[2] = is_kernel_at_least(r, major, minor);
	return 0;
}

/* An entry counts when all of "includes" holds and none of "excludes". */
static int read_conditions(struct host_oci *r, const char *path, json_t *object,
			   bool *out)
{
	struct condition includes = { { false }, { false } };
	struct condition excludes = { { false }, { false } };

	if (host_json_find(object, "includes") &&
	    read_condition(r, host_json_join(&r->json, path, "includes"),
			   host_json_find(object, "includes"), &includes))
		return -1;
	if (host_json_find(object, "excludes") &&
	    read_condition(r, host_json_join(&r->json, path, "excludes"),
			   host_json_find(object, "excludes"), &excludes))
		return -1;
	*out = true;
	for (size_t i = 0; i < COUNT(includes.given); i++)
		if ((includes.given[i] && !includes.holds[i]) ||
		    (excludes.given[i] && excludes.holds[i]))
			*out = false;
	return 0;
}

static bool has_same_arg_twice(const struct entry *entry)
{
	unsigned int seen = 0;

	for (unsigned int i = 0; i < entry->args_n; i++) {
		if (seen & 1u << entry->args[i].arg)
			return true;
		seen |= 1u << entry->args[i].arg;
	}
	return false;
}

static int add_rule(struct host_oci *r, const struct entry *entry,
		    struct host_oci_call *call,
		    const struct plan_bpf_cond *args, size_t n)
{
	struct plan_bpf_rule *rule;

	if (++r->rules > RULES_MAX)
		return host_json_fail(&r->json, entry->path,
				      "more than %d rules", RULES_MAX);
	rule = ARENA_PUSH(r->json.arena, &call->rules);
	*rule = (struct plan_bpf_rule){ .action = entry->action };
	memcpy(rule->conds, args, n * sizeof(*args));
	return 0;
}

/* Entries with the same action may repeat a call, as those of the container
 * runtimes do. */
static int add_always(struct host_oci *r, const struct entry *entry,
		      struct host_oci_call *call, const char *name)
{
	if (call->path && call->action != entry->action)
		return host_json_fail(&r->json, entry->path,
				      "'%s' has another action in %s", name,
				      call->path);
	call->path = entry->path;
	call->action = entry->action;
	return 0;
}

static int find_call(const char *name)
{
	for (size_t i = 0; i < COUNT(young_calls); i++)
		if (!strcmp(young_calls[i], name))
			return YOUNG_FIRST + (int)i;
	return seccomp_syscall_resolve_name(name);
}

static int add_call(struct host_oci *r, const struct entry *entry,
		    const char *name)
{
	struct host_oci_call *call;
	int nr = find_call(name);

	if (nr == __NR_SCMP_ERROR) {
		/* The name of a call to come, or a slip: without harm as long
		 * as the call is refused anyway. */
		if (is_refusal(entry->action) && !is_refusal(r->default_action))
			return host_json_fail(
				&r->json, entry->path,
				"unknown system call '%s', which would "
				"remain allowed",
				name);
		return 0;
	}
	if (nr < 0 || nr >= PLAN_BPF_NUMBERS)
		return 0; /* a call of other architectures */
	call = &r->calls[nr];
	if (!entry->args_n)
		return add_always(r, entry, call, name);
	if (!has_same_arg_twice(entry))
		return add_rule(r, entry, call, entry->args, entry->args_n);
	for (unsigned int i = 0; i < entry->args_n; i++)
		if (add_rule(r, entry, call, &entry->args[i], 1))
			return -1;
	return 0;
}

int host_oci_add_entry(struct host_oci *r, const char *path, json_t *object)
{
	static const struct host_oci_action_keys keys = { "action", "errno",
							  "errnoRet" };
	struct entry entry = { .path = path };
	const char *name, *comment;
	json_t *names;
	bool applies;

	if (host_json_check_keys(&r->json, path, object, entry_keys) ||
	    host_json_read_string(&r->json, path, object, "comment",
				  &comment) ||
	    host_oci_read_action(r, path, object, &keys, &entry.action) ||
	    read_args(r, object, &entry) ||
	    read_conditions(r, path, object, &applies) ||
	    host_json_read_string(&r->json, path, object, "name", &name) ||
	    host_json_read_strings(&r->json, path, object, "names", &names))
		return -1;
	if (!name == !json_array_size(names))
		return host_json_fail(&r->json, path,
				      "needs either 'names' or 'name'");
	if (!applies)
		return 0;
	if (name)
		return add_call(r, &entry, name);
	for (size_t i = 0; i < json_array_size(names); i++)
		if (add_call(r, &entry,
			     json_string_value(json_array_get(names, i))))
			return -1;
	return 0;
}
