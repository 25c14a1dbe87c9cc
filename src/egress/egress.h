/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_EGRESS_EGRESS_H
#define CORDON_EGRESS_EGRESS_H

#include <stddef.h>
#include <stdint.h>

#include "egress/servers.h"
#include "plan/egress.h"

struct err;
struct plan_landlock;

/*
 * The process that a box's network ends in. It owns the sockets that were made
 * inside and takes every connection to where the rules let it go. It reads
 * what hostile programs and servers write, so it is caged, and its death ends
 * the box.
 */

/* What it is started with. */
struct egress_start {
	const struct plan_egress *plan;
	const struct plan_landlock *cage;
	int channel; /* SOCK_SEQPACKET to the supervisor */
	const int *listeners; /* by index in plan->listeners; -1: not made */
	const int *publish; /* by index in plan->publish: bound outside */
	int inside; /* asks for sockets in the box's network; -1: none */
};

/* Egress → supervisor, one struct per message. */
enum egress_report_kind {
	EGRESS_READY, /* it is caged and serves */
	EGRESS_FAILED, /* it could not start: @text says why */
	EGRESS_REFUSED, /* a connection or a question, by the policy */
	EGRESS_DONE, /* new rules are in force */
	EGRESS_USES_FILES, /* the host's, and there may be newer ones */
};

enum egress_form {
	EGRESS_BY_TRANSPARENT,
	EGRESS_BY_CONNECT,
	EGRESS_BY_HTTP, /* absolute form */
	EGRESS_BY_SOCKS,
	EGRESS_BY_DNS,
};

struct egress_report {
	uint32_t kind; /* enum egress_report_kind */
	uint32_t why; /* enum egress_why */
	uint32_t form; /* enum egress_form */
	uint16_t port; /* that was wanted; 0 with DNS */
	uint16_t from; /* the client's, in the box */
	int32_t rule; /* in deny, or behind all of it in allow; -1: none */
	uint32_t rules; /* which rules: 0 at first, one more with each change */
	uint32_t files; /* EGRESS_USES_FILES: number of those that it has */
	uint32_t class; /* enum address_class */
	unsigned char address[16]; /* that was refused; zero: none */
	char name[256]; /* that was wanted */
	char text[256]; /* EGRESS_FAILED; else what the client asked for
			 * instead (EGRESS_NAME_DIFFERS) */
};

/* Supervisor → egress. Each message begins with its kind. */
enum egress_message_kind {
	EGRESS_CHANGE,
	EGRESS_FILES,
};

/*
 * New rules. A head, then for each rule its list ('a' or 'd'), text and
 * source, each terminated by NUL, and the line in decimal.
 */
enum { EGRESS_CHANGE_MAX = 128 * 1024 };

struct egress_change {
	uint32_t kind; /* EGRESS_CHANGE */
	uint32_t rules; /* number of this change */
	uint32_t cut; /* 1: connections that the new rules do not allow end */
};

/* Bytes of the change, 0 if it is larger than @room. */
size_t egress_change_format(const struct egress_change *change,
			    const struct policy_list *allow,
			    const struct policy_list *deny, char *out,
			    size_t room);

/*
 * What the host's files say of names now. Servers are read by the supervisor:
 * an interface in an address cannot be looked up from a cage. The text of the
 * hosts comes in a descriptor, to be read from its start: it can be larger than
 * a message.
 */
#define EGRESS_HOSTS   "/etc/hosts"
#define EGRESS_SERVERS "/etc/resolv.conf"

struct egress_files {
	uint32_t kind; /* EGRESS_FILES */
	uint32_t files; /* number of this message; 0 are those at the start */
	uint32_t hosts_n; /* bytes of the text */
	struct servers servers;
};

/* Cages itself, serves, and ends when the supervisor does. */
_Noreturn void egress_main(const struct egress_start *start);

/*
 * Makes sockets for published ports, in the box's network namespace, where the
 * caller has taken it; it has nothing else. One byte is asked, '4' or '6', and
 * one socket is sent.
 */
_Noreturn void egress_inside_main(int channel,
				  const struct plan_landlock *cage);

#endif
