/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_EGRESS_STATE_H
#define CORDON_EGRESS_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "egress/egress.h"
#include "egress/loop.h"
#include "egress/own.h"
#include "plan/egress.h"

struct names;
struct resolver;
struct session;

/* What the parts of the egress process share. */
struct egress {
	const struct egress_start *start;
	struct arena arena; /* as long as the process */
	struct loop loop;
	struct egress_rules rules; /* in force */
	struct arena rules_arena; /* theirs, once they were changed */
	uint32_t rules_number;
	uint32_t files_number; /* of the host's files in use */
	struct names *names;
	struct resolver *resolver;
	struct source channel;
	/* how long a client may take to say where to, a server to answer, a
	 * tunnel to be silent */
	struct timer_queue handshake, connecting, idle;
	struct timer_queue head_starts; /* of dials */
	struct own own;
	struct session *sessions; /* all, newest first */
	unsigned int sessions_n;
	bool draining; /* the box is over */
	struct session *spare_sessions; /* that ended */
	unsigned int spare_sessions_n;
	unsigned int sessions_max; /* as many as descriptors allow */
	unsigned int spliced_n; /* flows that hold pipes */
	size_t pending; /* bytes that all flows keep */
	int spare; /* a descriptor to give up when there are no others */
	char *scratch; /* for one read, EGRESS_SCRATCH bytes */
};

enum {
	EGRESS_SESSIONS_MAX = 2048,
	EGRESS_SCRATCH = 256 * 1024,
	EGRESS_HANDSHAKE_MS = 10000,
	EGRESS_CONNECTING_MS = 15000,
	EGRESS_IDLE_MS = 60 * 60 * 1000,
};

/* To the supervisor. Lost if it does not listen. */
void egress_report(const struct egress *egress,
		   const struct egress_report *report);

/* Tells the supervisor of a refusal. Drops it if it does not listen. @address
 * and @asked (what the client named instead) may be NULL. */
void egress_refused(struct egress *egress, const struct egress_target *target,
		    const struct address *address,
		    const struct egress_verdict *verdict, const char *asked,
		    enum egress_form form, uint16_t from);

#endif
