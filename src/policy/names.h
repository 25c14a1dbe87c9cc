/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_POLICY_NAMES_H
#define CORDON_POLICY_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/address.h"

enum policy_host_kind {
	POLICY_HOST_NAME, /* a.b */
	POLICY_HOST_BELOW, /* *.a.b: names below it */
	POLICY_HOST_DOMAIN, /* **.a.b: it and names below */
	POLICY_HOST_ANY, /* *: every name, no address */
	POLICY_HOST_NETWORK, /* an address or a network */
};

/* A network rule taken apart. */
struct policy_host {
	enum policy_host_kind kind;
	bool opaque; /* tcp://HOST:PORT: what is said there is not looked at */
	const char *name; /* in the text: without stars and a final dot */
	size_t len;
	struct address net; /* NETWORK */
	unsigned int bits; /* as address_within() counts them */
	uint16_t port; /* 0: none is written */
};

/* What network.publish says. */
struct policy_publish {
	struct address address; /* on the host; 127.0.0.1 if none is written */
	uint16_t host_port;
	uint16_t port; /* inside */
};

/*
 * Syntax of what network rules name. Each returns NULL where @text is well
 * formed, else what is wrong with it, as the end of a sentence; then @out is
 * not to be used.
 */
const char *policy_host_parse(const char *text, struct policy_host *out);
const char *policy_publish_parse(const char *text, struct policy_publish *out);
/* HOST:PORT and http://HOST:PORT: one host, @out is NAME or an address. */
const char *policy_endpoint_parse(const char *text, struct policy_host *out);
const char *policy_proxy_parse(const char *text, struct policy_host *out);

/* The same for values of keys, where an empty endpoint or proxy is none. */
const char *policy_host_check(const char *text);
const char *policy_port_check(const char *text);
const char *policy_publish_check(const char *text);
const char *policy_endpoint_check(const char *text);
const char *policy_proxy_check(const char *text);

/* Of a well-formed port, its number; 0 if it is none. */
uint16_t policy_port_parse(const char *text);

/* Is it the name of a host, in any case, without stars and a final dot, and
 * nothing that a resolver could take for an address? */
const char *policy_host_name_check(const char *name, size_t len);

/* Does network pattern @wide cover all that @narrow names, ports included? */
bool policy_host_covers(const char *wide, const char *narrow);

#endif
