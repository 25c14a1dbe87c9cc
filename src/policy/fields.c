/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/fields.c - the schema: a row for every key
 *
 * Runs in:  whoever reads, merges, prints or documents a policy.
 * Trusts:   nothing.
 * Must not: hold a key that no part of this build enforces without saying so
 *           in the row: policy_check_supported() refuses those.
 */
#include "policy/fields.h"

#include <string.h>

#include "base/arena.h"

/* clang-format off */
#define AT(name) .offset = offsetof(struct policy, name), .member = #name
#define CHOICES(...) .choices = { __VA_ARGS__ }

/* Kinds of rows; what they leave out is said in the row. */
#define FLAG(name, member, dflt, order)					\
	.key = name, .type = POLICY_BOOL, AT(member), .initial = dflt,	\
	.narrowing = POLICY_NARROW_RANK, .rank = order
#define CHOICE(name, member, dflt, order)				\
	.key = name, .type = POLICY_CHOICE, AT(member), .initial = dflt, \
	.narrowing = POLICY_NARROW_RANK, .rank = order
#define LIMIT(name, member, kind, dflt)					\
	.key = name, .type = kind, AT(member), .initial = dflt,		\
	.narrowing = POLICY_NARROW_FALL
#define TEXT(name, member, dflt, shape)					\
	.key = name, .type = POLICY_TEXT, AT(member), .initial = dflt,	\
	.form = shape, .narrowing = POLICY_NARROW_NEVER
#define LIST(name, member, shape, how)					\
	.key = name, .type = POLICY_LIST, AT(member), .initial = "",	\
	.form = shape, .narrowing = how

#define YES .supported = true

const struct policy_field policy_fields[] = {
	{ .key = "version", .type = POLICY_INTEGER, AT(version),
	  .initial = "1", .narrowing = POLICY_NARROW_NEVER, YES,
	  .doc = "Version of the format; 1 is the only one." },
	{ LIST("extends", extends, POLICY_FORM_PROFILE, POLICY_NARROW_NEVER),
	  YES,
	  .doc = "Profiles or files that this document is laid over, in "
		 "order; default if it names none." },
	{ CHOICE("tier", tier, "light", "210"), YES,
	  CHOICES("light", "lxc", "strong"),
	  .unsupported_choices = 1U << POLICY_TIER_LXC |
				 1U << POLICY_TIER_STRONG,
	  .doc = "How the box is built: namespaces, a container, or a "
		 "virtual machine." },
	{ CHOICE("min_tier", min_tier, "light", "210"), YES,
	  CHOICES("light", "lxc", "strong"),
	  .unsupported_choices = 1U << POLICY_TIER_LXC |
				 1U << POLICY_TIER_STRONG,
	  .doc = "Nothing runs in a tier below this one." },

	{ CHOICE("filesystem.view", filesystem.view, "host", "10"), YES,
	  CHOICES("host", "minimal"),
	  .doc = "What can be read: everything that is not denied, or the "
		 "system's directories and what is allowed." },
	{ LIST("filesystem.allow_read", filesystem.allow_read,
	       POLICY_FORM_PATH, POLICY_NARROW_PATHS), YES,
	  .doc = "Paths that can be read, also inside denied ones." },
	{ LIST("filesystem.deny_read", filesystem.deny_read,
	       POLICY_FORM_PATH, POLICY_NARROW_GROW), YES,
	  .doc = "Paths that can be neither read nor written." },
	{ LIST("filesystem.allow_write", filesystem.allow_write,
	       POLICY_FORM_PATH, POLICY_NARROW_PATHS), YES,
	  .doc = "Paths that can be read and written." },
	{ LIST("filesystem.deny_write", filesystem.deny_write,
	       POLICY_FORM_PATH, POLICY_NARROW_GROW), YES,
	  .doc = "Paths that cannot be written, created or removed." },
	{ CHOICE("filesystem.git", filesystem.git, "work", "102"), YES,
	  CHOICES("work", "readonly", "open"),
	  .doc = "What a repository's own directory allows: ordinary work "
		 "without hooks and configuration, reading, or everything." },
	{ FLAG("filesystem.copy_on_write", filesystem.copy_on_write, "false",
	       "10"),
	  .doc = "Writes go to a layer that can be looked at, applied or "
		 "discarded." },
	{ FLAG("filesystem.strict", filesystem.strict, "false", "10"), YES,
	  .doc = "Denied paths and patterns are decided at every open, which "
		 "is slower and holds for files that are made later." },
	{ FLAG("filesystem.ignore_missing", filesystem.ignore_missing, "false",
	       "01"), YES,
	  .doc = "A denied path that cannot be protected is passed over "
		 "instead of stopping the run." },

	{ LIST("exec.deny", exec.deny, POLICY_FORM_COMMAND,
	       POLICY_NARROW_GROW), YES,
	  .doc = "Commands that cannot be executed: a program, or a program "
		 "with its first arguments." },
	{ LIST("exec.allow", exec.allow, POLICY_FORM_COMMAND,
	       POLICY_NARROW_SHRINK), YES,
	  .doc = "Exceptions from exec.deny, where they are longer." },
	{ FLAG("exec.only_system", exec.only_system, "false", "10"), YES,
	  .doc = "Nothing that the box can write can be executed; output "
		 "to a file comes to it through a pipe, and other files that "
		 "are given open and can be written are refused." },
	{ FLAG("exec.report", exec.report, "true", "10"), YES,
	  .doc = "Every execution is looked at, so that a denied one is told "
		 "with its arguments; without it programs that are denied as "
		 "a whole are masked and nothing is told, which costs nothing "
		 "per execution." },

	{ CHOICE("network.mode", network.mode, "none", "012"), YES,
	  CHOICES("none", "filtered", "host"),
	  .doc = "No network at all, one that leads only to what is allowed, "
		 "or the host's own." },
	{ LIST("network.allow", network.allow, POLICY_FORM_HOST,
	       POLICY_NARROW_HOSTS), YES,
	  .doc = "Names, addresses and networks that can be reached, at ports "
		 "80 and 443 or the one that is given." },
	{ LIST("network.deny", network.deny, POLICY_FORM_HOST,
	       POLICY_NARROW_GROW), YES,
	  .doc = "Names, addresses and networks that cannot be reached, "
		 "whatever is allowed." },
	{ LIST("network.host_ports", network.host_ports, POLICY_FORM_PORT,
	       POLICY_NARROW_SHRINK), YES,
	  .doc = "Ports of the host's loopback that can be reached." },
	{ LIST("network.publish", network.publish, POLICY_FORM_PUBLISH,
	       POLICY_NARROW_SHRINK), YES,
	  .doc = "Ports inside that the host can reach." },
	{ LIST("network.unix_sockets", network.unix_sockets, POLICY_FORM_PATH,
	       POLICY_NARROW_PATHS), YES,
	  .doc = "Sockets of the host, or directories of them, that the box can "
		 "connect to." },
	{ TEXT("network.upstream_proxy", network.upstream_proxy, "",
	       POLICY_FORM_PROXY), YES,
	  .doc = "Proxy that filtered traffic goes through." },
	{ TEXT("network.resolver", network.resolver, "",
	       POLICY_FORM_ENDPOINT), YES,
	  .doc = "Name server to ask instead of the system's." },

	{ FLAG("environment.inherit", environment.inherit, "true", "01"), YES,
	  .doc = "Variables are inherited, less those that are stripped or "
		 "denied; otherwise only those that are passed." },
	{ LIST("environment.pass", environment.pass, POLICY_FORM_ENV,
	       POLICY_NARROW_SHRINK), YES,
	  .doc = "Variables that are inherited in any case; an exact name "
		 "beats a denied pattern." },
	{ LIST("environment.deny", environment.deny, POLICY_FORM_ENV,
	       POLICY_NARROW_GROW), YES,
	  .doc = "Variables that are not inherited." },
	{ .key = "environment.set", .type = POLICY_MAP, AT(environment.set),
	  .initial = "", .form = POLICY_FORM_ENV,
	  .narrowing = POLICY_NARROW_SHRINK, YES,
	  .doc = "Variables that are given a value." },

	{ LIMIT("limits.memory", limits.memory, POLICY_SIZE, "0"),
	  .doc = "Memory of all processes together." },
	{ LIMIT("limits.cpus", limits.cpus, POLICY_CPUS, "0"),
	  .doc = "Processors that all processes together can keep busy." },
	{ LIMIT("limits.processes", limits.processes, POLICY_INTEGER, "0"),
	  .doc = "Processes and threads at a time." },
	{ LIMIT("limits.wall_time", limits.wall_time, POLICY_DURATION, "0"),
	  YES, .doc = "Time after which the box is ended." },
	{ LIMIT("limits.cpu_time", limits.cpu_time, POLICY_DURATION, "0"),
	  .doc = "Processor time of all processes together." },
	{ LIMIT("limits.file_size", limits.file_size, POLICY_SIZE, "0"), YES,
	  .doc = "Size to which a process can write a file." },
	{ LIMIT("limits.open_files", limits.open_files, POLICY_INTEGER,
		"1024"), YES,
	  .doc = "Files that a process can have open." },
	{ LIMIT("limits.disk", limits.disk, POLICY_SIZE, "0"),
	  .doc = "Space that all writes together can take." },
	{ LIMIT("limits.output", limits.output, POLICY_SIZE, "0"),
	  .doc = "Output after which the box is ended." },

	{ TEXT("syscalls.profile", syscalls_profile, "default",
	       POLICY_FORM_SYSCALLS), YES,
	  .doc = "System calls: default, strict, or a file in the OCI "
		 "seccomp format." },
	{ LIST("output.mask.presets", mask_presets, POLICY_FORM_WORD,
	       POLICY_NARROW_GROW), YES,
	  CHOICES("openai", "anthropic", "aws_key", "aws_secret", "github",
		  "bearer"),
	  .doc = "Kinds of secrets that are blotted out in the output." },
	{ LIST("output.mask.patterns", mask_patterns, POLICY_FORM_REGEX,
	       POLICY_NARROW_GROW), YES,
	  .doc = "Regular expressions that are blotted out in the output, "
		 "after (?i) in either case, after (?keep=N) but for their "
		 "first N bytes." },
	{ CHOICE("audit.on_error", audit_on_error, "continue", "10"), YES,
	  CHOICES("continue", "stop"),
	  .doc = "What happens when the audit log cannot be written: the "
		 "command goes on with a warning, or is not started or "
		 "ended." },
	{ LIST("setup.network", setup_network, POLICY_FORM_HOST,
	       POLICY_NARROW_HOSTS),
	  .doc = "What a named sandbox can reach while it is set up." },
	{ FLAG("setup.lock", setup_lock, "true", "10"),
	  .doc = "The network of a named sandbox is locked after set-up." },
	{ CHOICE("workspace", workspace, "cow", "012"),
	  CHOICES("readonly", "cow", "writable"),
	  .doc = "How a named sandbox holds its source: read-only, in a "
		 "layer, or in place." },
	{ CHOICE("strong.accel", strong_accel, "kvm", "01"),
	  CHOICES("kvm", "any"),
	  .doc = "Whether the virtual machine needs hardware support." },
	{ LIMIT("strong.memory", strong_memory, POLICY_SIZE, "512MiB"),
	  .doc = "Memory of the virtual machine." },
	{ LIMIT("strong.cpus", strong_cpus, POLICY_CPUS, "1"),
	  .doc = "Processors of the virtual machine." },
	{ TEXT("lxc.executable", lxc_executable, "lxc-attach",
	       POLICY_FORM_ANY),
	  .doc = "Program that enters the container." },
	{ TEXT("lxc.instance", lxc_instance, "", POLICY_FORM_ANY),
	  .doc = "Container to enter." },
	{ .key = "require", .type = POLICY_LIST, AT(require),
	  .initial = "user_namespaces seccomp", .form = POLICY_FORM_WORD,
	  .narrowing = POLICY_NARROW_GROW, YES,
	  CHOICES("user_namespaces", "seccomp", "landlock",
		  "landlock_scopes", "network_namespaces"),
	  .doc = "Layers without which nothing runs." },
};
/* clang-format on */

const size_t policy_fields_n = sizeof(policy_fields) / sizeof(policy_fields[0]);

const char *const *policy_layer_names(void)
{
	return policy_field_find("require")->choices;
}

const struct policy_field *policy_field_find(const char *key)
{
	for (size_t i = 0; i < policy_fields_n; i++) {
		if (!strcmp(policy_fields[i].key, key))
			return &policy_fields[i];
	}
	return NULL;
}

bool policy_field_is_list(const struct policy_field *field)
{
	return field->type == POLICY_LIST || field->type == POLICY_MAP;
}

const struct policy_scalar *
policy_field_scalar(const struct policy_field *field,
		    const struct policy *policy)
{
	return (const void *)((const char *)policy + field->offset);
}

const struct policy_list *policy_field_list(const struct policy_field *field,
					    const struct policy *policy)
{
	return (const void *)((const char *)policy + field->offset);
}

const struct policy_origin *
policy_field_origin(const struct policy_field *field,
		    const struct policy *policy)
{
	const struct policy_scalar *scalar;
	const struct policy_list *list;

	if (policy_field_is_list(field)) {
		list = policy_field_list(field, policy);
		return list->n ? &list->v[0].origin : NULL;
	}
	scalar = policy_field_scalar(field, policy);
	if (!scalar->set || (field->type == POLICY_TEXT && !*scalar->text))
		return NULL;
	return &scalar->origin;
}

struct policy_scalar *policy_field_scalar_of(const struct policy_field *field,
					     struct policy *policy)
{
	return (void *)((char *)policy + field->offset);
}

struct policy_list *policy_field_list_of(const struct policy_field *field,
					 struct policy *policy)
{
	return (void *)((char *)policy + field->offset);
}

/* Longer words are not worth a suggestion. */
enum { WORD_MAX = 64 };

/* Insertions, deletions and changes that turn one word into the other. */
static size_t edit_distance(const char *a, const char *b)
{
	size_t row[WORD_MAX + 1];
	size_t an = strlen(a), bn = strlen(b);

	if (an > WORD_MAX || bn > WORD_MAX)
		return WORD_MAX;
	for (size_t j = 0; j <= bn; j++)
		row[j] = j;
	for (size_t i = 1; i <= an; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= bn; j++) {
			size_t change = diagonal + (a[i - 1] != b[j - 1]);

			diagonal = row[j];
			if (row[j - 1] + 1 < change)
				change = row[j - 1] + 1;
			if (row[j] + 1 < change)
				change = row[j] + 1;
			row[j] = change;
		}
	}
	return row[bn];
}

/* How far off a word may be that is still taken for a slip. */
static size_t tolerance(const char *word)
{
	size_t third = strlen(word) / 3;

	return third < 1 ? 1 : third > 3 ? 3 : third;
}

const char *policy_word_nearest(const char *word, const char *const *words)
{
	size_t best = tolerance(word) + 1;
	const char *found = NULL;

	for (; *words; words++) {
		size_t distance = edit_distance(word, *words);

		if (distance < best) {
			best = distance;
			found = *words;
		}
	}
	return found;
}

static const char *last_part(const char *key)
{
	const char *dot = strrchr(key, '.');

	return dot ? dot + 1 : key;
}

/*
 * Every key, and every section by its own name: "network" stands for
 * "network.mode" and its neighbours.
 */
static const char **all_words(struct arena *arena)
{
	const char **words =
		arena_array(arena, const char *, policy_fields_n * 3 + 1);
	size_t n = 0;

	for (size_t i = 0; i < policy_fields_n; i++) {
		const char *key = policy_fields[i].key;

		words[n++] = key;
		for (const char *dot = strchr(key, '.'); dot;
		     dot = strchr(dot + 1, '.'))
			words[n++] =
				arena_strndup(arena, key, (size_t)(dot - key));
	}
	return words;
}

const char *policy_field_nearest(struct arena *arena, const char *key)
{
	const char *tail = last_part(key), *found;
	size_t best = tolerance(tail) + 1;

	/* The right word in the wrong section is the commonest slip. */
	for (size_t i = 0; i < policy_fields_n; i++) {
		if (!strcmp(last_part(policy_fields[i].key), tail))
			return policy_fields[i].key;
	}
	found = policy_word_nearest(key, all_words(arena));
	if (found)
		return found;
	for (size_t i = 0; i < policy_fields_n; i++) {
		size_t distance =
			edit_distance(tail, last_part(policy_fields[i].key));

		if (distance < best) {
			best = distance;
			found = policy_fields[i].key;
		}
	}
	return found;
}
