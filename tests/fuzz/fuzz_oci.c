/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a seccomp profile: refused with a message, or a filter that
 * has an answer to every call and kills foreign architectures.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "../unit/seccomp_bpf.h"
#include "base/arena.h"
#include "base/err.h"
#include "host/seccomp_oci.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static uint32_t ask(const struct plan_filter *filter, int nr, uint32_t arch,
		    uint64_t arg)
{
	struct seccomp_data data = {
		nr, arch, 0, { arg, arg, arg, arg, arg, arg }
	};

	return bpf_run(filter, &data);
}

static void check(const struct plan_filter *filter)
{
	if (filter->n > BPF_MAXINSNS)
		abort();
	for (int nr = 0; nr < 600; nr++)
		if (ask(filter, nr, AUDIT_ARCH_X86_64, 0) == BROKEN ||
		    ask(filter, nr, AUDIT_ARCH_X86_64, ~0ull >> nr % 64) ==
			    BROKEN ||
		    ask(filter, nr, AUDIT_ARCH_I386, 0) != K ||
		    ask(filter, nr | 0x40000000, AUDIT_ARCH_X86_64, 0) != K)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	AUTO_ARENA arena = { 0 };
	struct plan_filter filter = { 0 };
	struct err err = { 0 };

	if (host_seccomp_parse_oci(&arena, (const char *)data, n, "fuzz",
				   &filter, &err)) {
		if (err.kind == ERR_NONE || !err.msg[0] || filter.v)
			abort();
		return 0;
	}
	check(&filter);
	return 0;
}
