/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_PLAN_BPF_H
#define CORDON_PLAN_BPF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct sock_filter;

/*
 * System call filters as BPF programs: for each number an answer and, before
 * it, rules on the arguments. Used by the build for the shipped filters
 * (tools/seccomp-compile.c) and by host/ for those of the user's.
 */

enum plan_bpf_op {
	PLAN_BPF_NONE, /* end of a rule's conditions */
	/* on the low half of an argument, which is all that the kernel looks
	 * at where it takes an int: what a program leaves in the high half
	 * can neither get past a rule nor trip over one */
	PLAN_BPF_IN, /* (argument & mask) is one of v */
	PLAN_BPF_ANY, /* argument & mask is not zero */
	/* on the whole of it */
	PLAN_BPF_EQ, /* (argument & mask) == v[0] */
	PLAN_BPF_GT, /* argument > v[0] */
	PLAN_BPF_GE, /* argument >= v[0] */
};

struct plan_bpf_cond {
	enum plan_bpf_op op;
	unsigned int arg; /* 0 to 5 */
	uint64_t mask;
	uint64_t v[10];
	size_t n; /* IN: how many v there are */
	bool negated; /* not for IN and ANY */
};

/* When all conditions hold, this is the answer. */
struct plan_bpf_rule {
	uint32_t action; /* SECCOMP_RET_… */
	struct plan_bpf_cond conds[6];
};

/* The first that holds counts. */
struct plan_bpf_rules {
	const struct plan_bpf_rule *v;
	size_t n;
};

struct plan_bpf_call {
	uint32_t action; /* when no rule holds */
	const struct plan_bpf_rules *rules; /* NULL: none */
	uint32_t weight; /* more for a call that is frequent and has
				 * rules: its path becomes shorter */
};

#define PLAN_BPF_NUMBERS 512 /* all system calls lie below */

/*
 * The program for x86-64, in @arena. @calls are PLAN_BPF_NUMBERS; numbers
 * beyond are answered as the last of them. A foreign architecture and x32
 * kill the process. Fails where the program would be longer than the kernel
 * takes.
 */
int plan_bpf_build(struct arena *arena, const struct plan_bpf_call *calls,
		   const struct sock_filter **out, size_t *out_n);

#endif
