/* SPDX-License-Identifier: Apache-2.0 */
/*
 * System call filters as BPF programs.
 *
 * Runs in:  the build (shipped filters), supervisor (a user's profile)
 * Trusts:   its caller for the meaning of the rules
 * Must not: jump anywhere but forwards and within the program
 *
 * Numbers in a row with the same answer become one interval, and the
 * intervals become the cheapest search tree. What is cheap: on loading a
 * filter the kernel tries it on every number, to learn which are always
 * allowed, and then translates it. So the cost of a tree is the length of the
 * path summed over all numbers, plus a price for each instruction. A call
 * whose arguments are looked at is never in the kernel's cache and walks its
 * path each time. (libseccomp knows neither intervals nor "allowed unless the
 * low half is this"; its trees are twice as long, and it does not end on some
 * sets of a dozen rules.)
 *
 * Programs are written from their end to their start: BPF jumps only
 * forwards, so every target is there before the jump to it, and answers are
 * shared.
 */
#include "plan/bpf.h"

#ifndef __x86_64__
#error "cordon's system call filters are written for x86-64 only"
#endif

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#include "base/arena.h"

#define TRIED	    472 /* the kernel has calls up to about here */
#define X32_BIT	    0x40000000u
#define NR_SKIPPED  0xffffffffu /* what a tracer writes to skip a call */
#define INSN_PRICE  20 /* of one instruction, in steps of one number */
#define CHAIN_MAX   6
#define NOWHERE	    SIZE_MAX
#define COUNT(a)    (sizeof(a) / sizeof((a)[0]))
#define DATA(field) ((uint32_t)offsetof(struct seccomp_data, field))

/* Numbers from first up to the next interval's, with one answer. */
struct interval {
	uint32_t first;
	uint32_t weight;
	struct plan_bpf_call call;
	size_t written; /* where the code of its rules is */
};

/* The cheapest tree over the intervals [from, to): cut > from says where it
 * is cut; cut == from: one comparison after the other with the numbers that
 * are not answered as `rest` is. */
struct choice {
	uint32_t cost;
	uint32_t weight;
	size_t cut;
	size_t rest;
};

struct program {
	struct sock_filter *v; /* last instruction first */
	size_t n;
	bool full; /* it would be longer than it may be */
	struct {
		uint32_t action;
		size_t at;
	} returns[32]; /* written, to be jumped to again */
	size_t returns_n;
	struct interval *intervals;
	size_t intervals_n;
	struct choice *choices; /* a square of the intervals */
};

/*
 * Writing. A place is an index into the program, counted from its end.
 */

static size_t emit(struct program *p, unsigned int code, uint32_t k)
{
	if (p->n == BPF_MAXINSNS) {
		p->full = true;
		p->n = 0; /* go on, for nothing */
	}
	p->v[p->n] = (struct sock_filter){ (uint16_t)code, 0, 0, k };
	return p->n++;
}

/* The distance of a jump that would be written next. */
static size_t distance(const struct program *p, size_t place)
{
	return p->n - place - 1;
}

/* A place from which @place is reached and which the next jump reaches;
 * another such jump may be written in between. */
static size_t bring_near(struct program *p, size_t place)
{
	if (distance(p, place) < UINT8_MAX)
		return place;
	return emit(p, BPF_JMP | BPF_JA, (uint32_t)distance(p, place));
}

static size_t emit_jump(struct program *p, unsigned int test, uint32_t k,
			size_t yes, size_t no)
{
	size_t at;

	yes = bring_near(p, yes);
	no = bring_near(p, no);
	at = emit(p, BPF_JMP | BPF_K | test, k);
	p->v[at].jt = (uint8_t)(at - yes - 1);
	p->v[at].jf = (uint8_t)(at - no - 1);
	return at;
}

/* An instruction after which @next follows. */
static size_t emit_before(struct program *p, unsigned int code, uint32_t k,
			  size_t next)
{
	if (distance(p, next))
		emit(p, BPF_JMP | BPF_JA, (uint32_t)distance(p, next));
	return emit(p, code, k);
}

static size_t emit_load(struct program *p, uint32_t offset, size_t next)
{
	return emit_before(p, BPF_LD | BPF_W | BPF_ABS, offset, next);
}

static size_t emit_return(struct program *p, uint32_t action)
{
	size_t i = 0;

	while (i < p->returns_n && p->returns[i].action != action)
		i++;
	if (i < p->returns_n && distance(p, p->returns[i].at) < UINT8_MAX)
		return p->returns[i].at;
	/* with very many different answers some are written again */
	i = i < COUNT(p->returns) ? i : 0;
	if (i == p->returns_n)
		p->returns_n++;
	p->returns[i].action = action;
	p->returns[i].at = emit(p, BPF_RET | BPF_K, action);
	return p->returns[i].at;
}

/*
 * Arguments.
 */

/* Where a rule begins, and where for those who hold the argument already. */
struct entry {
	size_t at;
	size_t loaded_at;
	const struct plan_bpf_cond *loaded; /* NULL: nothing is loaded there */
};

static bool same_operand(const struct plan_bpf_cond *a,
			 const struct plan_bpf_cond *b)
{
	return a->arg == b->arg && a->op == b->op &&
	       (a->op == PLAN_BPF_ANY || a->mask == b->mask);
}

static size_t emit_mask(struct program *p, uint32_t mask, size_t next)
{
	if (mask == UINT32_MAX)
		return next;
	return emit_before(p, BPF_ALU | BPF_AND | BPF_K, mask, next);
}

/* Little-endian: the low half of an argument comes first. */
static size_t emit_argument(struct program *p, const struct plan_bpf_cond *cond,
			    bool high, size_t next)
{
	uint32_t offset = DATA(args) + 8 * cond->arg;

	return emit_load(p, high ? offset + 4 : offset, next);
}

/* A test of the low half. */
static struct entry emit_low(struct program *p,
			     const struct plan_bpf_cond *cond, size_t yes,
			     const struct entry *no)
{
	struct entry entry = { .loaded = cond };
	uint32_t mask = (uint32_t)cond->mask;
	size_t at = no->at;

	if (no->loaded && same_operand(cond, no->loaded))
		at = no->loaded_at;
	if (cond->op == PLAN_BPF_ANY)
		at = emit_jump(p, BPF_JSET, mask, yes, at);
	for (size_t i = cond->n; i-- > 0;)
		at = emit_jump(p, BPF_JEQ, (uint32_t)cond->v[i], yes, at);
	entry.loaded_at = at;
	if (cond->op == PLAN_BPF_IN)
		at = emit_mask(p, mask, at);
	entry.at = emit_argument(p, cond, false, at);
	return entry;
}

/* A test of both halves, the high one first. */
static struct entry emit_whole(struct program *p,
			       const struct plan_bpf_cond *cond, size_t yes,
			       size_t no)
{
	static const unsigned int tests[] = { [PLAN_BPF_EQ] = BPF_JEQ,
					      [PLAN_BPF_GT] = BPF_JGT,
					      [PLAN_BPF_GE] = BPF_JGE };
	uint32_t low = (uint32_t)cond->v[0];
	uint32_t high = (uint32_t)(cond->v[0] >> 32);
	uint64_t mask = cond->op == PLAN_BPF_EQ ? cond->mask : UINT64_MAX;
	size_t at;

	at = emit_jump(p, tests[cond->op], low, yes, no);
	at = emit_mask(p, (uint32_t)mask, at);
	at = emit_argument(p, cond, false, at);
	at = emit_jump(p, BPF_JEQ, high, at, no);
	if (cond->op != PLAN_BPF_EQ)
		at = emit_jump(p, BPF_JGT, high, yes, at);
	at = emit_mask(p, (uint32_t)(mask >> 32), at);
	return (struct entry){ .at = emit_argument(p, cond, true, at) };
}

static struct entry emit_cond(struct program *p,
			      const struct plan_bpf_cond *cond, size_t yes,
			      const struct entry *no)
{
	if (cond->op == PLAN_BPF_IN || cond->op == PLAN_BPF_ANY)
		return emit_low(p, cond, yes, no);
	if (cond->negated)
		return emit_whole(p, cond, no->at, yes);
	return emit_whole(p, cond, yes, no->at);
}

static struct entry emit_rule(struct program *p,
			      const struct plan_bpf_rule *rule,
			      const struct entry *next)
{
	struct entry entry = { .at = emit_return(p, rule->action) };

	for (size_t i = COUNT(rule->conds); i-- > 0;)
		if (rule->conds[i].op)
			entry = emit_cond(p, &rule->conds[i], entry.at, next);
	return entry;
}

/* Where the first interval with the same rules keeps their place. */
static size_t *find_written(struct program *p, const struct plan_bpf_call *call)
{
	struct interval *i = p->intervals;

	while (i->call.rules != call->rules || i->call.action != call->action)
		i++;
	return &i->written;
}

static size_t emit_call(struct program *p, const struct plan_bpf_call *call)
{
	struct entry entry = { .at = emit_return(p, call->action) };
	size_t *written = find_written(p, call);

	if (!call->rules)
		return entry.at;
	if (*written != NOWHERE)
		return *written;
	for (size_t i = call->rules->n; i-- > 0;)
		entry = emit_rule(p, &call->rules->v[i], &entry);
	*written = entry.at;
	return entry.at;
}

/*
 * The tree.
 */

static struct choice *choice(struct program *p, size_t from, size_t to)
{
	return &p->choices[from * p->intervals_n + to - 1];
}

static bool same_answer(const struct interval *a, const struct interval *b)
{
	return a->call.action == b->call.action &&
	       a->call.rules == b->call.rules;
}

static bool is_single(const struct program *p, size_t i)
{
	return i + 1 < p->intervals_n &&
	       p->intervals[i].first + 1 == p->intervals[i + 1].first;
}

/* Tries "one comparison after the other" with the answer of @rest left. */
static void try_chain(struct program *p, size_t from, size_t to, size_t rest)
{
	struct choice *best = choice(p, from, to);
	uint32_t cost = 0, steps = 0, rest_weight = 0;

	for (size_t i = from; i < to; i++) {
		if (same_answer(&p->intervals[i], &p->intervals[rest])) {
			rest_weight += p->intervals[i].weight;
			continue;
		}
		if (!is_single(p, i) || ++steps > CHAIN_MAX)
			return;
		cost += INSN_PRICE + steps * p->intervals[i].weight;
	}
	cost += steps * rest_weight;
	if (cost < best->cost) {
		best->cost = cost;
		best->cut = from;
		best->rest = rest;
	}
}

static void choose(struct program *p, size_t from, size_t to)
{
	struct choice *best = choice(p, from, to);

	*best = (struct choice){ .cost = UINT32_MAX };
	for (size_t i = from; i < to; i++)
		best->weight += p->intervals[i].weight;
	try_chain(p, from, to, from);
	if (to - from > 1)
		try_chain(p, from, to, from + 1);
	for (size_t cut = from + 1; cut < to; cut++) {
		uint32_t cost = INSN_PRICE + best->weight +
				choice(p, from, cut)->cost +
				choice(p, cut, to)->cost;

		if (cost < best->cost) {
			best->cost = cost;
			best->cut = cut;
		}
	}
}

static size_t emit_chain(struct program *p, size_t from, size_t to)
{
	const struct interval *rest = &p->intervals[choice(p, from, to)->rest];
	size_t at = emit_call(p, &rest->call);

	for (size_t i = to; i-- > from;)
		if (!same_answer(&p->intervals[i], rest))
			at = emit_jump(p, BPF_JEQ, p->intervals[i].first,
				       emit_call(p, &p->intervals[i].call), at);
	return at;
}

static size_t emit_tree(struct program *p, size_t from, size_t to)
{
	size_t cut = choice(p, from, to)->cut;
	size_t below, above;

	if (cut == from)
		return emit_chain(p, from, to);
	above = emit_tree(p, cut, to);
	below = emit_tree(p, from, cut);
	return emit_jump(p, BPF_JGE, p->intervals[cut].first, above, below);
}

static void add_answer(struct program *p, uint32_t nr,
		       struct plan_bpf_call call, uint32_t weight)
{
	struct interval next = { nr, weight, call, NOWHERE };
	struct interval *last = &p->intervals[p->intervals_n];

	if (p->intervals_n && same_answer(last - 1, &next))
		last[-1].weight += weight;
	else
		p->intervals[p->intervals_n++] = next;
}

static void join(struct program *p, const struct plan_bpf_call *calls)
{
	for (uint32_t nr = 0; nr < PLAN_BPF_NUMBERS; nr++)
		add_answer(p, nr, calls[nr], calls[nr].weight + (nr < TRIED));
	add_answer(p, X32_BIT,
		   (struct plan_bpf_call){ SECCOMP_RET_KILL_PROCESS, NULL, 0 },
		   0);
	/* no call has this number: the kernel answers ENOSYS, or what the
	 * tracer that wrote it wants */
	add_answer(p, NR_SKIPPED,
		   (struct plan_bpf_call){ SECCOMP_RET_ALLOW, NULL, 0 }, 0);
}

static void emit_program(struct program *p)
{
	size_t at, kill;

	at = emit_tree(p, 0, p->intervals_n);
	at = emit_load(p, DATA(nr), at);
	kill = emit_return(p, SECCOMP_RET_KILL_PROCESS);
	at = emit_jump(p, BPF_JEQ, AUDIT_ARCH_X86_64, at, kill);
	emit_load(p, DATA(arch), at);
}

int plan_bpf_build(struct arena *arena, const struct plan_bpf_call *calls,
		   const struct sock_filter **out, size_t *out_n)
{
	struct program p = { .v = arena_array(arena, struct sock_filter,
					      BPF_MAXINSNS),
			     .intervals = arena_array(arena, struct interval,
						      PLAN_BPF_NUMBERS + 2) };

	join(&p, calls);
	p.choices = arena_array(arena, struct choice,
				p.intervals_n * p.intervals_n);
	for (size_t n = 1; n <= p.intervals_n; n++)
		for (size_t from = 0; from + n <= p.intervals_n; from++)
			choose(&p, from, from + n);
	emit_program(&p);
	if (p.full)
		return -1;
	for (size_t i = 0; i < p.n / 2; i++) {
		struct sock_filter first = p.v[i];

		p.v[i] = p.v[p.n - 1 - i];
		p.v[p.n - 1 - i] = first;
	}
	*out = p.v;
	*out_n = p.n;
	return 0;
}
