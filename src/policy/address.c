/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/address.c - addresses of the internet, and what kind of place they are
 *
 * Runs in:  whoever decodes a policy; the egress process.
 * Trusts:   nothing.
 * Must not: call a place public that is not; take for an address what only
 *           some resolvers take for one.
 */
#include "policy/address.h"

#include <stdio.h>
#include <string.h>

enum { BYTES = 16, IPV4_AT = 12, BITS = 128, IPV4_BITS = 96 };

struct region {
	struct address net;
	unsigned int bits;
	enum address_class class;
};

#define V4(a, b, c, d)                                                         \
	{                                                                      \
		{                                                              \
			[10] = 0xff, 0xff, (a), (b), (c), (d)                  \
		}                                                              \
	}
#define GROUP(g) (unsigned char)((g) >> 8), (unsigned char)((g)&0xff)
/* The first four groups and the last two. */
#define V6(a, b, c, d, g, h)                                                   \
	{                                                                      \
		{                                                              \
			GROUP(a), GROUP(b), GROUP(c), GROUP(d), 0, 0, 0, 0,    \
				GROUP(g), GROUP(h)                             \
		}                                                              \
	}

/*
 * All that is not public: the IANA registries of special-purpose addresses, of
 * multicast and of IPv6 as a whole. Parts stand before what they are part of,
 * the first that holds an address is its own. Entries of the registries that
 * are reachable by anybody (AS112, AMT relays) are public unless they lie in a
 * block that is not.
 */
static const struct region regions[] = {
	/* Services of clouds that hand out credentials to who asks. */
	{ V4(169, 254, 169, 254), 128, ADDRESS_METADATA }, /* nearly all */
	{ V4(169, 254, 170, 2), 128, ADDRESS_METADATA }, /* AWS ECS */
	{ V4(169, 254, 170, 23), 128, ADDRESS_METADATA }, /* AWS EKS */
	{ V4(169, 254, 0, 23), 128, ADDRESS_METADATA }, /* Tencent */
	{ V4(169, 254, 42, 42), 128, ADDRESS_METADATA }, /* Scaleway */
	{ V4(100, 100, 100, 200), 128, ADDRESS_METADATA }, /* Alibaba */
	{ V4(192, 0, 0, 192), 128, ADDRESS_METADATA }, /* Oracle */
	{ V4(168, 63, 129, 16), 128, ADDRESS_METADATA }, /* Azure's host */
	{ V6(0xfd00, 0xec2, 0, 0, 0, 0x254), 128, ADDRESS_METADATA }, /* AWS */
	{ V6(0xfd00, 0xec2, 0, 0, 0, 0x23), 128, ADDRESS_METADATA }, /* EKS */
	{ V6(0xfd20, 0xce, 0, 0, 0, 0x254), 128, ADDRESS_METADATA }, /* GCP */
	{ V6(0xfd00, 0xc1, 0, 0, 0xa9fe, 0xa9fe), 128,
	  ADDRESS_METADATA }, /* Oracle */
	{ V6(0xfd00, 0x42, 0, 0, 0, 0x42), 128,
	  ADDRESS_METADATA }, /* Scaleway */
	{ V6(0xfe80, 0, 0, 0, 0xa9fe, 0xa9fe), 128,
	  ADDRESS_METADATA }, /* OpenStack */

	{ V4(0, 0, 0, 0), 104, ADDRESS_UNSPECIFIED }, /* "this network" */
	{ V4(10, 0, 0, 0), 104, ADDRESS_PRIVATE },
	{ V4(100, 64, 0, 0), 106, ADDRESS_SHARED },
	{ V4(127, 0, 0, 0), 104, ADDRESS_LOOPBACK },
	{ V4(169, 254, 0, 0), 112, ADDRESS_LINK_LOCAL },
	{ V4(172, 16, 0, 0), 108, ADDRESS_PRIVATE },
	{ V4(192, 0, 0, 0), 120, ADDRESS_RESERVED }, /* of protocols */
	{ V4(192, 0, 2, 0), 120, ADDRESS_RESERVED }, /* documentation */
	{ V4(192, 88, 99, 0), 120, ADDRESS_RESERVED }, /* 6to4 relays */
	{ V4(192, 168, 0, 0), 112, ADDRESS_PRIVATE },
	{ V4(198, 18, 0, 0), 111, ADDRESS_RESERVED }, /* benchmarks; of a box:
						       * names */
	{ V4(198, 51, 100, 0), 120, ADDRESS_RESERVED }, /* documentation */
	{ V4(203, 0, 113, 0), 120, ADDRESS_RESERVED }, /* documentation */
	{ V4(224, 0, 0, 0), 100, ADDRESS_MULTICAST },
	{ V4(255, 255, 255, 255), 128, ADDRESS_MULTICAST }, /* broadcast */
	{ V4(240, 0, 0, 0), 100, ADDRESS_RESERVED },

	{ V6(0, 0, 0, 0, 0, 0), 128, ADDRESS_UNSPECIFIED },
	{ V6(0, 0, 0, 0, 0, 1), 128, ADDRESS_LOOPBACK },
	{ V6(0, 0, 0, 0, 0, 0), 96, ADDRESS_TRANSLATED }, /* compatible */
	{ { { [8] = 0xff, 0xff } }, 96, ADDRESS_TRANSLATED }, /* RFC 2765 */
	{ V6(0x64, 0xff9b, 0, 0, 0, 0), 96, ADDRESS_TRANSLATED }, /* NAT64 */
	{ V6(0x64, 0xff9b, 1, 0, 0, 0), 48, ADDRESS_TRANSLATED },
	{ V6(0, 0, 0, 0, 0, 0), 3, ADDRESS_RESERVED }, /* 100::/64 too */
	{ V6(0x2001, 0, 0, 0, 0, 0), 32, ADDRESS_TRANSLATED }, /* Teredo */
	{ V6(0x2001, 0, 0, 0, 0, 0), 23, ADDRESS_RESERVED }, /* of protocols */
	{ V6(0x2001, 0xdb8, 0, 0, 0, 0), 32, ADDRESS_RESERVED }, /* examples */
	{ V6(0x2002, 0, 0, 0, 0, 0), 16, ADDRESS_TRANSLATED }, /* 6to4 */
	{ V6(0x3fff, 0, 0, 0, 0, 0), 20, ADDRESS_RESERVED }, /* examples */
	{ V6(0x4000, 0, 0, 0, 0, 0), 2, ADDRESS_RESERVED }, /* 5f00::/16 too */
	{ V6(0xfc00, 0, 0, 0, 0, 0), 7, ADDRESS_PRIVATE },
	{ V6(0xfe80, 0, 0, 0, 0, 0), 10, ADDRESS_LINK_LOCAL },
	{ V6(0xfec0, 0, 0, 0, 0, 0), 10, ADDRESS_PRIVATE }, /* site-local */
	{ V6(0xff00, 0, 0, 0, 0, 0), 8, ADDRESS_MULTICAST },
	{ V6(0x8000, 0, 0, 0, 0, 0), 1, ADDRESS_RESERVED },
};

static const char *const class_names[] = {
	[ADDRESS_PUBLIC] = "a public address",
	[ADDRESS_UNSPECIFIED] = "no host",
	[ADDRESS_LOOPBACK] = "loopback",
	[ADDRESS_PRIVATE] = "a private network",
	[ADDRESS_SHARED] = "a carrier's network",
	[ADDRESS_LINK_LOCAL] = "the local link",
	[ADDRESS_METADATA] = "a cloud's metadata service",
	[ADDRESS_MULTICAST] = "multicast",
	[ADDRESS_TRANSLATED] = "another address in disguise",
	[ADDRESS_RESERVED] = "a reserved network",
};

const char *address_class_name(enum address_class class)
{
	return class_names[class];
}

bool address_is_ipv4(const struct address *address)
{
	static const struct address mapped = V4(0, 0, 0, 0);

	return !memcmp(address->v, mapped.v, IPV4_AT);
}

bool address_within(const struct address *address, const struct address *net,
		    unsigned int bits)
{
	size_t whole = bits / 8;
	unsigned int rest = bits % 8;
	unsigned int mask = 0xff00U >> rest;

	if (bits < IPV4_BITS && address_is_ipv4(address))
		return false;
	return !memcmp(address->v, net->v, whole) &&
	       (!rest || !((address->v[whole] ^ net->v[whole]) & mask & 0xff));
}

/* The smallest part of the address space that is of one class and holds the
 * whole network; NULL if that is public, or of several. */
static const struct region *region_find(const struct address *net,
					unsigned int bits)
{
	for (size_t i = 0; i < sizeof(regions) / sizeof(regions[0]); i++) {
		if (regions[i].bits <= bits &&
		    address_within(net, &regions[i].net, regions[i].bits))
			return &regions[i];
	}
	return NULL;
}

enum address_class address_classify(const struct address *address)
{
	const struct region *region = region_find(address, BITS);

	return region ? region->class : ADDRESS_PUBLIC;
}

bool address_embedded(const struct address *address, struct address *out)
{
	static const struct address ipv4 = V4(0, 0, 0, 0);
	bool six_to_four = address->v[0] == 0x20 && address->v[1] == 0x02;
	bool teredo = address->v[0] == 0x20 && address->v[1] == 0x01;

	if (address_classify(address) != ADDRESS_TRANSLATED)
		return false;
	*out = ipv4;
	memcpy(out->v + IPV4_AT, address->v + (six_to_four ? 2 : IPV4_AT), 4);
	for (size_t i = IPV4_AT; teredo && i < BYTES; i++)
		out->v[i] ^= 0xff;
	return true;
}

bool address_net_covers(const struct address *wide, unsigned int wide_bits,
			const struct address *narrow, unsigned int narrow_bits)
{
	const struct region *region;
	struct address inner;

	if (wide_bits > narrow_bits || !address_within(narrow, wide, wide_bits))
		return false;
	/* Both hold @narrow, so one of them holds the other. */
	region = region_find(narrow, narrow_bits);
	if (region && wide_bits < region->bits)
		return false;
	/* The address of a translator is as special as where it leads. */
	return wide_bits == BITS || narrow_bits < BITS ||
	       !address_embedded(narrow, &inner) ||
	       address_classify(&inner) == ADDRESS_PUBLIC;
}

bool address_net_names(const struct address *net, unsigned int bits,
		       const struct address *member)
{
	return address_net_covers(net, bits, member, BITS);
}

static bool parse_ipv4(const char *s, size_t n, unsigned char out[4])
{
	const char *end = s + n;

	for (int part = 0; part < 4; part++) {
		unsigned int value = 0;
		int digits = 0;

		if (part && (s == end || *s++ != '.'))
			return false;
		for (; s < end && *s >= '0' && *s <= '9'; digits++) {
			/* Some read a number that begins with 0 as octal. */
			if (digits == 3 || (digits && !value))
				return false;
			value = value * 10 + (unsigned int)(*s++ - '0');
		}
		if (!digits || value > 255)
			return false;
		out[part] = (unsigned char)value;
	}
	return s == end;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* One to four digits; returns how many, 0 if there are none or more. */
static size_t parse_group(const char *s, const char *end, unsigned char out[2])
{
	unsigned int value = 0;
	size_t n = 0;

	for (; s + n < end && hex_digit(s[n]) >= 0; n++) {
		if (n == 4)
			return 0;
		value = value << 4 | (unsigned int)hex_digit(s[n]);
	}
	out[0] = (unsigned char)(value >> 8);
	out[1] = (unsigned char)(value & 0xff);
	return n;
}

/* What stands on one side of "::", or the whole. Returns the bytes that it
 * is, -1 if it is no such thing. */
static int parse_groups(const char *s, const char *end, bool last,
			unsigned char out[BYTES])
{
	int at = 0;

	if (s == end)
		return 0;
	for (;;) {
		size_t n;

		if (last && at <= IPV4_AT &&
		    parse_ipv4(s, (size_t)(end - s), out + at))
			return at + 4;
		if (at == BYTES)
			return -1;
		n = parse_group(s, end, out + at);
		if (!n)
			return -1;
		at += 2;
		s += n;
		if (s == end)
			return at;
		if (*s++ != ':')
			return -1;
	}
}

static bool parse_ipv6(const char *s, size_t n, unsigned char out[BYTES])
{
	const char *end = s + n, *gap = memmem(s, n, "::", 2);
	unsigned char head[BYTES] = { 0 }, tail[BYTES] = { 0 };
	int before = parse_groups(s, gap ? gap : end, !gap, head);
	int after = gap ? parse_groups(gap + 2, end, true, tail) : 0;

	if (before < 0 || after < 0)
		return false;
	if (gap ? before + after >= BYTES : before != BYTES)
		return false;
	memcpy(out, head, BYTES);
	memcpy(out + BYTES - after, tail, (size_t)after);
	return true;
}

bool address_parse(const char *text, size_t n, struct address *out)
{
	struct address address = V4(0, 0, 0, 0);

	if (memchr(text, ':', n) ? !parse_ipv6(text, n, address.v)
				 : !parse_ipv4(text, n, address.v + IPV4_AT))
		return false;
	*out = address;
	return true;
}

static unsigned int group_of(const struct address *address, int i)
{
	return (unsigned int)(address->v[2 * i] << 8 | address->v[2 * i + 1]);
}

/* The first of the longest runs of zeros, of two groups or more. */
static int find_zeros(const struct address *address, int *out_len)
{
	int best = -1;

	*out_len = 1;
	for (int i = 0; i < 8; i++) {
		int n = 0;

		while (i + n < 8 && !group_of(address, i + n))
			n++;
		if (n > *out_len) {
			best = i;
			*out_len = n;
		}
	}
	return best;
}

/* As RFC 5952 wants it. */
void address_format(const struct address *address, char out[ADDRESS_TEXT])
{
	const unsigned char *v = address->v;
	int zeros_len, zeros, n = 0;

	if (address_is_ipv4(address)) {
		(void)snprintf(out, ADDRESS_TEXT, "%u.%u.%u.%u", v[12], v[13],
			       v[14], v[15]);
		return;
	}
	zeros = find_zeros(address, &zeros_len);
	for (int i = 0; i < 8; i++) {
		if (i == zeros) {
			n += snprintf(out + n, ADDRESS_TEXT - (size_t)n, "::");
			i += zeros_len - 1;
			continue;
		}
		n += snprintf(out + n, ADDRESS_TEXT - (size_t)n, "%s%x",
			      i && i != zeros + zeros_len ? ":" : "",
			      group_of(address, i));
	}
}
