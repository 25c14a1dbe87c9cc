/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_POLICY_ADDRESS_H
#define CORDON_POLICY_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>

/* An address of the internet. IPv4 is kept as ::ffff:a.b.c.d, so that both
 * spellings of one are the same. */
struct address {
	unsigned char v[16];
};

enum { ADDRESS_TEXT = 46 };

/* What kind of place it is. Only PUBLIC is reached without a rule that names
 * it. */
enum address_class {
	ADDRESS_PUBLIC,
	ADDRESS_UNSPECIFIED, /* 0.0.0.0/8, :: */
	ADDRESS_LOOPBACK,
	ADDRESS_PRIVATE, /* RFC 1918, fc00::/7 */
	ADDRESS_SHARED, /* 100.64.0.0/10, carriers' NAT */
	ADDRESS_LINK_LOCAL,
	ADDRESS_METADATA, /* 169.254.169.254, 100.100.100.200, … of clouds */
	ADDRESS_MULTICAST, /* and broadcast */
	ADDRESS_TRANSLATED, /* NAT64, 6to4, Teredo, ::a.b.c.d: leads to
			     * another address */
	ADDRESS_RESERVED, /* documentation, benchmarks, the rest */
};

/* For messages: "loopback", "a private network", … */
const char *address_class_name(enum address_class class);
enum address_class address_classify(const struct address *address);

/*
 * The @n characters as an address: four decimal numbers without leading zeros,
 * or RFC 4291 2.2 without a zone. Nothing else that some resolver would take
 * for one.
 */
bool address_parse(const char *text, size_t n, struct address *out);
void address_format(const struct address *address, char out[ADDRESS_TEXT]);

bool address_is_ipv4(const struct address *address);
/* @bits counts from the front of all 16 bytes: 96 more for IPv4. A network of
 * IPv6 holds no IPv4 address, though they are written in one space. */
bool address_within(const struct address *address, const struct address *net,
		    unsigned int bits);

/*
 * Does a rule for the network name @member? A special address only where the
 * whole network lies in the part of the address space that makes it special:
 * 0.0.0.0/0 holds 10.0.0.1, and does not name it. A metadata service, or the
 * address of a translator that leads to a special one, is named alone.
 */
bool address_net_names(const struct address *net, unsigned int bits,
		       const struct address *member);
/* Does it name all that a rule for the other one names? */
bool address_net_covers(const struct address *wide, unsigned int wide_bits,
			const struct address *narrow, unsigned int narrow_bits);

/* The IPv4 address that a TRANSLATED one leads to; false if it is none. */
bool address_embedded(const struct address *address, struct address *out);

#endif
