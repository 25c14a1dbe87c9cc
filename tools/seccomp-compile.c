/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the tables of seccomp-*.h as BPF programs in C.
 *
 * Runs in:  the build, once
 * Trusts:   the tables
 * Must not: be linked into cordon
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "seccomp-default.h"
#include "seccomp-floor.h"
#include "seccomp-own.h"

#define FREQUENT 40 /* what a frequent call weighs, in numbers */
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct filter {
	const char *name;
	uint32_t otherwise; /* for numbers in no table */
	const struct call *calls;
	size_t n;
	const struct call *instead; /* replaces answers of calls */
	size_t instead_n;
};

/* What may be added to the filter "notify", by the bits of
 * enum plan_notify. */
static const struct {
	const struct call *calls;
	size_t n;
} notify_parts[] = {
	{ notify_exec_calls, COUNT(notify_exec_calls) },
	{ notify_opens_calls, COUNT(notify_opens_calls) },
	{ notify_memfd_calls, COUNT(notify_memfd_calls) },
};

static const struct filter filters[] = {
	{ "default", RET_ERRNO(ENOSYS), default_calls, COUNT(default_calls),
	  NULL, 0 },
	{ "strict", RET_ERRNO(ENOSYS), default_calls, COUNT(default_calls),
	  strict_calls, COUNT(strict_calls) },
	{ "floor", RET_ALLOW, floor_calls, COUNT(floor_calls), NULL, 0 },
	{ "keep", RET_ALLOW, keep_calls, COUNT(keep_calls), NULL, 0 },
	{ "guard", RET_ERRNO(EPERM), guard_calls, COUNT(guard_calls), NULL, 0 },
	{ "egress", RET_ERRNO(EPERM), egress_calls, COUNT(egress_calls), NULL,
	  0 },
};

/* These are called often and have their arguments looked at. */
static const int frequent[] = { __NR_openat, __NR_ioctl, __NR_clone };

static _Noreturn void die(const char *filter, const char *what, int nr)
{
	fprintf(stderr, "seccomp-compile: %s: %s (number %d)\n", filter, what,
		nr);
	exit(1);
}

static void set(struct plan_bpf_call *answers, const struct call *call)
{
	answers[call->nr] =
		(struct plan_bpf_call){ call->action, call->rules, 0 };
}

static void fill(const struct filter *filter, struct plan_bpf_call *answers)
{
	bool known[PLAN_BPF_NUMBERS] = { false };
	for (int nr = 0; nr < PLAN_BPF_NUMBERS; nr++)
		answers[nr] =
			(struct plan_bpf_call){ filter->otherwise, NULL, 0 };
	for (size_t i = 0; i < filter->n; i++) {
		const struct call *c = &filter->calls[i];

		if (known[c->nr])
			die(filter->name, "call stands twice", c->nr);
		known[c->nr] = true;
		set(answers, c);
	}
	for (size_t i = 0; i < filter->instead_n; i++) {
		const struct call *c = &filter->instead[i];

		if (!known[c->nr])
			die(filter->name, "nothing to replace", c->nr);
		set(answers, c);
	}
	for (size_t i = 0; i < COUNT(frequent); i++)
		if (answers[frequent[i]].rules)
			answers[frequent[i]].weight = FREQUENT;
}

static void print(const char *name, const struct plan_bpf_call *answers)
{
	AUTO_ARENA arena = { 0 };
	const struct sock_filter *v;
	size_t n;

	if (plan_bpf_build(&arena, answers, &v, &n))
		die(name, "too long", 0);
	printf("\nstatic const struct sock_filter seccomp_%s[] = {\n", name);
	for (size_t i = 0; i < n; i++)
		printf("\t{ 0x%02x, %u, %u, 0x%08x },\n", v[i].code, v[i].jt,
		       v[i].jf, v[i].k);
	printf("};\n");
}

/* notify_0 is the least, the others have parts added by the bits. */
static void print_notify(unsigned int parts)
{
	static const struct filter base = { "notify",	  RET_ALLOW,
					    notify_calls, COUNT(notify_calls),
					    NULL,	  0 };
	struct plan_bpf_call answers[PLAN_BPF_NUMBERS];
	char name[16];

	fill(&base, answers);
	for (size_t p = 0; p < COUNT(notify_parts); p++) {
		for (size_t i = 0; parts >> p & 1 && i < notify_parts[p].n; i++)
			set(answers, &notify_parts[p].calls[i]);
	}
	(void)snprintf(name, sizeof(name), "notify_%u", parts);
	print(name, answers);
}

int main(void)
{
	struct plan_bpf_call answers[PLAN_BPF_NUMBERS];

	printf("/* Made by tools/seccomp-compile.c from its tables. */\n");
	for (size_t i = 0; i < COUNT(filters); i++) {
		fill(&filters[i], answers);
		print(filters[i].name, answers);
	}
	for (unsigned int parts = 0; parts < 1U << COUNT(notify_parts); parts++)
		print_notify(parts);
	return fflush(stdout) || ferror(stdout);
}
