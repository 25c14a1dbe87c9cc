/* SPDX-License-Identifier: Apache-2.0 */
/*
 * enforce/apply.c - makes a plan true for the calling process
 *
 * Runs in:  the first processes of a box, in its new namespaces, before exec.
 * Trusts:   the plan, which policy/ and plan/ have checked; not the files it
 *           names, which the command of an earlier run may have written.
 * Must not: decide anything. A choice that is made here is one that neither
 *           `cordon plan` shows nor a test without privileges can see.
 */
#include "enforce/enforce.h"

#include "base/err.h"
#include "base/fault.h"
#include "enforce/steps.h"

/*
 * The order is the security argument, so it is written down once, here.
 * A step may rely on everything above it and on nothing below.
 */
static const struct {
	enum enforce_part part;
	const char *name; /* as errors, `cordon plan` and tests say it */
	step_fn *apply;
} steps[] = {
	/* Die with the supervisor, whatever happens below. */
	{ ENFORCE_BOX, "lifeline", enforce_lifeline },
	/* Capabilities that no exec can give back. */
	{ ENFORCE_BOX, "bounding", enforce_bounding },
	{ ENFORCE_BOX, "network", enforce_network },
	{ ENFORCE_BOX, "mounts", enforce_mounts },
	/* In the new tree: a path of the old one leads nowhere now. */
	{ ENFORCE_BOX, "workdir", enforce_workdir },
	/* From the private devpts, so that its name is true inside. */
	{ ENFORCE_BOX, "terminal", enforce_terminal },

	/* For both: the guard opens /proc/keys for the command. */
	{ ENFORCE_SHARED, "keyring", enforce_keyring },
	/* Landlock and seccomp want this or CAP_SYS_ADMIN. */
	{ ENFORCE_SHARED, "no-new-privs", enforce_no_new_privs },
	/* After mounts: a landlocked process may not change the mount tree.
	 * Before box init forks the command: one domain for both, so that
	 * Landlock lets the guard look at the command. */
	{ ENFORCE_SHARED, "landlock", enforce_landlock },

	{ ENFORCE_COMMAND, "rlimits", enforce_rlimits },
	{ ENFORCE_COMMAND, "session", enforce_session },
	{ ENFORCE_COMMAND, "capabilities", enforce_caps },
	{ ENFORCE_COMMAND, "descriptors", enforce_fds },
	/* Hands the listener to box init, which serves the calls. */
	{ ENFORCE_COMMAND, "notify", enforce_notify },
	/* Nothing runs beside a box init that is not caged yet. */
	{ ENFORCE_COMMAND, "release", enforce_release },
	/* Last, as it takes away calls that the steps above use. */
	{ ENFORCE_COMMAND, "seccomp", enforce_seccomp },
};

const char *enforce_step_name(size_t i)
{
	return i < sizeof(steps) / sizeof(steps[0]) ? steps[i].name : NULL;
}

int enforce_apply(enum enforce_part part, const struct plan *plan,
		  struct box *box, struct err *err)
{
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		if (steps[i].part != part)
			continue;
		if (fault_injected(steps[i].name))
			return err_set(err, ERR_SYS, "%s: injected fault",
				       steps[i].name);
		if (steps[i].apply(plan, box, err) < 0)
			return err_wrap(err, "%s", steps[i].name);
	}
	return 0;
}
