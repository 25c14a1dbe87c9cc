/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_EGRESS_SERVERS_H
#define CORDON_EGRESS_SERVERS_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/address.h"

struct arena;
struct err;

enum {
	SERVERS_MAX = 3,
	SERVERS_PORT = 53,
	SERVERS_TIMEOUT_MAX_S = 5, /* clients do not wait much longer */
};

/* Who is asked for names, and how often. */
struct servers {
	union {
		struct sockaddr any;
		struct sockaddr_in v4;
		struct sockaddr_in6 v6;
	} v[SERVERS_MAX];
	size_t n;
	unsigned int attempts; /* rounds over all of them */
	unsigned int timeout_s; /* of each */
	bool rotate; /* not always the first one first */
};

/* None, with the times that hold unless others are set. */
void servers_init(struct servers *servers);
/* Beyond SERVERS_MAX they are left out. @scope is an interface's index. */
void servers_add(struct servers *servers, const struct address *address,
		 uint32_t scope, uint16_t port);

/* As resolv.conf(5) says; it may change the text. Nobody named is this host. */
void servers_parse(char *text, struct servers *out);
/* A file that does not exist or may not be read is empty. */
int servers_read(struct arena *arena, const char *path, struct servers *out,
		 struct err *err);

#endif
