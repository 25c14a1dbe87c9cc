/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_INIT_INIT_H
#define CORDON_INIT_INIT_H

struct box;
struct plan;

/* What the launcher hands to box init. */
struct init_start {
	const struct plan *plan;
	struct box *box;
	char *const *argv;
	int errors; /* pipe: one struct err, or end of file when the
			 * command runs */
};

/*
 * The life of PID 1: waits for "go" on box->control, makes the plan true,
 * starts the command, serves its calls that make names, reaps, forwards
 * signals, tells of mounts that were lost, reports how the command ended, and
 * ends; the kernel then ends everything else in the box.
 */
_Noreturn void init_main(const struct init_start *start);

#endif
