/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_RUN_RESTORE_H
#define CORDON_RUN_RESTORE_H

#include <stddef.h>
#include <stdint.h>

struct plan;
struct run_box;

/* Called for each watched name: errno of the attempt, 0 if it holds again. */
typedef void run_restored_fn(void *data, size_t watch, uint32_t sys);

/*
 * Mounts again in the box what the host took away by replacing files. Nothing
 * in the box can mount, so a child joins its namespaces, does it and ends.
 */
void run_restore(const struct plan *plan, const struct run_box *box,
		 run_restored_fn *restored, void *data);

#endif
