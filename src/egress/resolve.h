/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_EGRESS_RESOLVE_H
#define CORDON_EGRESS_RESOLVE_H

#include <stddef.h>
#include <stdint.h>

#include "policy/address.h"

struct arena;
struct err;
struct hosts;
struct loop;
struct plan_egress;
struct resolver;
struct servers;

/*
 * Names to addresses, outside the box, as the host would: /etc/hosts, then the
 * servers of /etc/resolv.conf, or network.resolver alone and no file.
 */

enum { LOOKUP_ADDRESSES_MAX = 16 };

enum lookup_status {
	LOOKUP_FOUND,
	LOOKUP_NO_NAME, /* there is no such name, or it has no address */
	LOOKUP_FAILED, /* nobody answered, or nothing usable */
	LOOKUP_BUDGET, /* more names than a box may ask for in this time */
};

/* Lives in its owner. */
struct lookup {
	/* The owner's. Called once, perhaps before lookup_start() returns,
	 * never after lookup_cancel(). IPv6 and IPv4 alternate, as they are
	 * to be tried (RFC 8305). */
	void (*done)(struct lookup *lookup, enum lookup_status status,
		     const struct address *found, size_t n);
	void *pending; /* the resolver's; NULL when done or not started */
	struct lookup *next;
};

/* Reads the files, so before the cage. */
struct resolver *resolver_new(struct arena *arena, struct loop *loop,
			      const struct plan_egress *plan, struct err *err);

/*
 * @used is called when a lookup needs the files, at most every 3 s: by then
 * there may be others, and the lookup does not wait for them. Never with
 * network.resolver.
 */
void resolver_on_use(struct resolver *resolver, void (*used)(void *data),
		     void *data);
/*
 * What the files say now; it is copied. Known answers are forgotten. Lookups
 * that wait go on with the servers that they asked, and if nobody answers they
 * begin again.
 */
void resolver_replace(struct resolver *resolver, const struct hosts *hosts,
		      const struct servers *servers);

/* @name is canonical. Lookups of one name at one time share their questions;
 * answers are kept as long as they say, between 1 and 60 s. */
void lookup_start(struct resolver *resolver, struct lookup *lookup,
		  const char *name);
void lookup_cancel(struct resolver *resolver, struct lookup *lookup);

#endif
