/* SPDX-License-Identifier: Apache-2.0 */
/*
 * enforce/network.c - an empty network namespace with a loopback of its own
 *
 * Runs in:  box init; the namespace was made with the process.
 * Trusts:   the plan.
 * Must not: touch the host's network: with `host` it does nothing.
 */
#include <net/if.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "base/err.h"
#include "base/fd.h"
#include "enforce/enforce.h"
#include "enforce/steps.h"
#include "plan/plan.h"

int enforce_network(const struct plan *plan, struct box *box, struct err *err)
{
	AUTO_CLOSE int fd = -1;
	struct ifreq request = { .ifr_name = "lo" };

	(void)box;
	if (plan->network == POLICY_MODE_HOST)
		return 0;
	fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return err_sys(err, "open a socket");
	request.ifr_flags = IFF_UP;
	if (ioctl(fd, SIOCSIFFLAGS, &request) < 0)
		return err_sys(err, "bring the loopback up");
	return 0;
}
