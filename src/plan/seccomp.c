/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The system call filters of a box: those shipped, by name, and how they are
 * put together.
 *
 * Runs in:  supervisor (plan), box init and guard (their own filters)
 * Trusts:   tools/seccomp-compile.c, which made the arrays at build time
 * Must not: touch the world; a filter is loaded by enforce/
 */
#include "plan/seccomp.h"

#include <assert.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "plan/plan.h"
#include "plan/seccomp_filters.h"

#define COUNT(a)     (sizeof(a) / sizeof((a)[0]))
#define FILTER(name) #name, seccomp_##name, COUNT(seccomp_##name)

static const struct plan_filter filters[] = {
	[PLAN_SECCOMP_DEFAULT] = { FILTER(default) },
	[PLAN_SECCOMP_STRICT] = { FILTER(strict) },
	[PLAN_SECCOMP_FLOOR] = { FILTER(floor) },
	[PLAN_SECCOMP_KEEP] = { FILTER(keep) },
	[PLAN_SECCOMP_GUARD] = { FILTER(guard) },
	[PLAN_SECCOMP_EGRESS] = { FILTER(egress) },
};

static const struct plan_filter notify[PLAN_NOTIFY_ALL + 1] = {
	{ FILTER(notify_0) }, { FILTER(notify_1) }, { FILTER(notify_2) },
	{ FILTER(notify_3) }, { FILTER(notify_4) }, { FILTER(notify_5) },
	{ FILTER(notify_6) }, { FILTER(notify_7) },
};

const struct plan_filter *plan_seccomp_find(enum plan_seccomp_id id)
{
	assert((size_t)id < COUNT(filters));
	return &filters[id];
}

const struct plan_filter *plan_seccomp_notify(unsigned int parts)
{
	assert(parts < COUNT(notify));
	return &notify[parts];
}

/*
 * Is it a refusal that somebody should be told of? ENOSYS is not: programs try
 * what is new and fall back.
 */
static bool is_refusal(const struct sock_filter *insn)
{
	return insn->code == (BPF_RET | BPF_K) &&
	       (insn->k & SECCOMP_RET_ACTION_FULL) == SECCOMP_RET_ERRNO &&
	       (insn->k & SECCOMP_RET_DATA) != ENOSYS;
}

/* What a profile of the user's own logs is allowed as well. One program has
 * one answer: the guard must not be left out, so there is no line in the log. */
static bool is_allowed(const struct sock_filter *insn)
{
	return insn->code == (BPF_RET | BPF_K) &&
	       (insn->k == SECCOMP_RET_ALLOW || insn->k == SECCOMP_RET_LOG);
}

/*
 * One program: @first, and what it allows goes on in @second. What it refuses
 * goes to the guard, which asks the filter @first itself for the answer. They
 * are one filter as the kernel has one listener for all, and as a refusal of
 * one filter would hide the notification of another.
 */
static int join(struct arena *arena, const struct plan_filter *first,
		const struct plan_filter *second, struct plan_filter *out,
		struct err *err)
{
	struct sock_filter *v;

	if (first->n + second->n > BPF_MAXINSNS)
		return err_set(
			err, ERR_POLICY,
			"the system call filter '%s' is too long to tell "
			"of what it refuses; leave out --explain",
			first->name);
	v = arena_array(arena, struct sock_filter, first->n + second->n);
	for (size_t i = 0; i < first->n; i++) {
		v[i] = first->v[i];
		if (is_refusal(&v[i]))
			v[i].k = SECCOMP_RET_USER_NOTIF;
		else if (is_allowed(&v[i]))
			v[i] = (struct sock_filter)BPF_STMT(
				BPF_JMP | BPF_JA, (uint32_t)(first->n - i - 1));
	}
	memcpy(v + first->n, second->v, second->n * sizeof(*v));
	*out = (struct plan_filter){ .name = "explain",
				     .v = v,
				     .n = first->n + second->n };
	return 0;
}

int plan_seccomp_choose(struct arena *arena, struct plan *plan, struct err *err)
{
	unsigned int parts = 0;

	plan->exec.judged |= plan->explain || plan->learn || plan->patterns.n;
	if (plan->exec.judged)
		parts |= PLAN_NOTIFY_EXEC;
	if (plan->explain || plan->learn || plan->patterns.n)
		parts |= PLAN_NOTIFY_OPENS;
	if (plan->exec.only_system)
		parts |= PLAN_NOTIFY_MEMFD;
	plan->notify = *plan_seccomp_notify(parts);
	if (!plan->explain)
		return 0;
	plan->notify_holds = true;
	return join(arena, &plan->seccomp, plan_seccomp_notify(parts),
		    &plan->notify, err);
}

uint32_t plan_seccomp_run(const struct plan_filter *filter,
			  const struct seccomp_data *data)
{
	uint32_t acc = 0;
	bool taken;

	for (size_t pc = 0; pc < filter->n; pc++) {
		const struct sock_filter *i = &filter->v[pc];

		switch (i->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			if (i->k > sizeof(*data) - sizeof(acc))
				return SECCOMP_RET_KILL_PROCESS;
			memcpy(&acc, (const char *)data + i->k, sizeof(acc));
			continue;
		case BPF_ALU | BPF_AND | BPF_K:
			acc &= i->k;
			continue;
		case BPF_RET | BPF_K:
			return i->k;
		case BPF_JMP | BPF_JA:
			pc += i->k;
			continue;
		case BPF_JMP | BPF_JEQ | BPF_K:
			taken = acc == i->k;
			break;
		case BPF_JMP | BPF_JGE | BPF_K:
			taken = acc >= i->k;
			break;
		case BPF_JMP | BPF_JGT | BPF_K:
			taken = acc > i->k;
			break;
		case BPF_JMP | BPF_JSET | BPF_K:
			taken = (acc & i->k) != 0;
			break;
		default:
			return SECCOMP_RET_KILL_PROCESS;
		}
		pc += taken ? i->jt : i->jf;
	}
	return SECCOMP_RET_KILL_PROCESS;
}
