/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_TESTS_SECCOMP_ROWS_H
#define CORDON_TESTS_SECCOMP_ROWS_H

/* Tables of calls and of what a filter answers to them. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include <cmocka.h>

#include "plan/seccomp.h"
#include "seccomp_bpf.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define HIGH	 0xdead000000000000ull /* left over in a register */
#define CREAT	 (O_CREAT | O_WRONLY)
#define TMPFILE	 (O_TMPFILE | O_RDWR)

struct row {
	int nr;
	uint64_t args[4];
	uint32_t answer;
};

/* What the kernel would answer; plan_seccomp_run() must say the same. */
static inline uint32_t ask_filter(const struct plan_filter *filter,
				  const struct row *row)
{
	struct seccomp_data data = { .nr = row->nr, .arch = AUDIT_ARCH_X86_64 };
	uint32_t answer;

	memcpy(data.args, row->args, sizeof(row->args));
	answer = bpf_run(filter, &data);
	assert_int_equal(plan_seccomp_run(filter, &data), answer);
	return answer;
}

static inline void check_filter(const struct plan_filter *filter,
				const struct row *rows, size_t n)
{
	size_t wrong = 0;

	for (size_t i = 0; i < n; i++) {
		const struct row *r = &rows[i];
		uint32_t answer = ask_filter(filter, r);

		if (answer == r->answer)
			continue;
		wrong++;
		print_error("%s row %zu: %d(%#llx, %#llx, %#llx, %#llx) is "
			    "%#x and not %#x\n",
			    filter->name, i, r->nr,
			    (unsigned long long)r->args[0],
			    (unsigned long long)r->args[1],
			    (unsigned long long)r->args[2],
			    (unsigned long long)r->args[3], answer, r->answer);
	}
	assert_int_equal(wrong, 0);
}

#endif
