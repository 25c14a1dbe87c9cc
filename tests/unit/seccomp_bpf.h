/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_TESTS_SECCOMP_BPF_H
#define CORDON_TESTS_SECCOMP_BPF_H

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "plan/plan.h"

/* Answers of a filter, with names short enough for tables. */
#define A      SECCOMP_RET_ALLOW
#define K      SECCOMP_RET_KILL_PROCESS
#define U      SECCOMP_RET_USER_NOTIF
#define ERR(e) (SECCOMP_RET_ERRNO | (uint32_t)(e))
#define P      ERR(EPERM)
#define N      ERR(ENOSYS)
#define BROKEN 0xdeadbeefu /* never an answer of the kernel's */

/*
 * What the kernel would answer: the instructions that seccomp allows, as its
 * documentation says; anything else is BROKEN.
 */
static inline uint32_t bpf_run(const struct plan_filter *filter,
			       const struct seccomp_data *data)
{
	uint32_t acc = 0, taken;

	for (size_t pc = 0; pc < filter->n; pc++) {
		const struct sock_filter *i = &filter->v[pc];

		switch (i->code) {
		case BPF_LD | BPF_W | BPF_ABS:
			if (i->k % 4 || i->k > sizeof(*data) - 4)
				return BROKEN;
			memcpy(&acc, (const char *)data + i->k, 4);
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
			return BROKEN;
		}
		pc += taken ? i->jt : i->jf;
	}
	return BROKEN;
}

#endif
