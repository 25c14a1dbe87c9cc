/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_ENFORCE_STEPS_H
#define CORDON_ENFORCE_STEPS_H

struct box;
struct err;
struct plan;
struct plan_filter;

typedef int step_fn(const struct plan *plan, struct box *box, struct err *err);

step_fn enforce_lifeline, enforce_bounding, enforce_network, enforce_mounts,
	enforce_workdir, enforce_terminal, enforce_no_new_privs,
	enforce_landlock, enforce_rlimits, enforce_session, enforce_keyring,
	enforce_caps, enforce_fds, enforce_notify, enforce_release,
	enforce_seccomp;

/* Shared by steps and by the cage of box init. */
int enforce_caps_set(unsigned int permitted, unsigned int effective,
		     struct err *err);
int enforce_filter_load(const struct plan_filter *filter, unsigned int flags,
			struct err *err);

#endif
