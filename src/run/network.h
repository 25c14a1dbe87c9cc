/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_RUN_NETWORK_H
#define CORDON_RUN_NETWORK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "run/files.h"

struct egress_report;
struct err;
struct plan;
struct policy_list;

/* The processes outside a box that its network ends in. */
struct run_network {
	pid_t egress; /* 0: none */
	pid_t inside; /* makes sockets for published ports; 0: none */
	int channel; /* to egress; -1: none */
	int *publish; /* bound before the box is made */
	bool every_port; /* what leaves the box is caught at every port, not
			  * at those of the rules alone */
	uint64_t namespace; /* the inode of the box's; 0: unknown */
	uint32_t rules; /* how often they were changed */
	struct run_files files; /* that egress resolves names by */
};

/* Binds published ports, so that a port that is taken is known first. */
int run_network_bind(const struct plan *plan, struct run_network *network,
		     struct err *err);

/*
 * Takes the sockets that the box has made (on @control) to an egress process
 * and waits until it serves. Returns 1 where the box sent none, having failed
 * before.
 */
int run_network_start(const struct plan *plan, int control,
		      struct run_network *network, struct err *err);

/* A report of egress: 1; none now: 0; -1: egress is gone. */
int run_network_receive(struct run_network *network, struct egress_report *out);

/* New rules, in force when EGRESS_DONE is reported. */
int run_network_change(struct run_network *network,
		       const struct policy_list *allow,
		       const struct policy_list *deny, bool cut,
		       struct err *err);

/* What the box has said goes out to its end, within two seconds. */
void run_network_drain(struct run_network *network);
void run_network_stop(struct run_network *network);

#endif
