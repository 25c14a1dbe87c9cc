/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_PLAN_NETWORK_H
#define CORDON_PLAN_NETWORK_H

struct arena;
struct err;
struct facts;
struct plan;
struct policy;
struct view;

/* Of a filtered network the box has its own. */
#define PLAN_HOSTS_FILE "/etc/hosts"

/*
 * What the mode of the network means: rules and sockets of a filtered one, the
 * box's own hosts file as the last mount, and notes on what does not do what
 * it seems to. Fails with ERR_POLICY where rules do not fit together.
 */
int plan_network_build(struct arena *arena, const struct policy *policy,
		       const struct facts *facts, const struct view *view,
		       struct plan *plan, struct err *err);

#endif
