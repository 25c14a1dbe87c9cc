/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses: what is one, what kind of place each is, and which networks name
 * it; the parser against libc's.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <arpa/inet.h>
#include <cmocka.h>

#include "policy/address.h"

static struct address parsed(const char *text)
{
	struct address address;

	if (!address_parse(text, strlen(text), &address))
		fail_msg("'%s' is an address", text);
	return address;
}

/* First and last of each part, and the neighbours. */
static const struct {
	const char *text;
	enum address_class class;
} places[] = {
	{ "0.0.0.0", ADDRESS_UNSPECIFIED },
	{ "0.255.255.255", ADDRESS_UNSPECIFIED },
	{ "1.0.0.0", ADDRESS_PUBLIC },
	{ "9.255.255.255", ADDRESS_PUBLIC },
	{ "10.0.0.0", ADDRESS_PRIVATE },
	{ "10.255.255.255", ADDRESS_PRIVATE },
	{ "11.0.0.0", ADDRESS_PUBLIC },
	{ "93.184.216.34", ADDRESS_PUBLIC },
	{ "100.63.255.255", ADDRESS_PUBLIC },
	{ "100.64.0.0", ADDRESS_SHARED },
	{ "100.127.255.255", ADDRESS_SHARED },
	{ "100.128.0.0", ADDRESS_PUBLIC },
	{ "100.100.100.199", ADDRESS_SHARED },
	{ "100.100.100.200", ADDRESS_METADATA },
	{ "126.255.255.255", ADDRESS_PUBLIC },
	{ "127.0.0.0", ADDRESS_LOOPBACK },
	{ "127.0.0.1", ADDRESS_LOOPBACK },
	{ "127.255.255.255", ADDRESS_LOOPBACK },
	{ "128.0.0.0", ADDRESS_PUBLIC },
	{ "168.63.129.15", ADDRESS_PUBLIC },
	{ "168.63.129.16", ADDRESS_METADATA },
	{ "169.253.255.255", ADDRESS_PUBLIC },
	{ "169.254.0.0", ADDRESS_LINK_LOCAL },
	{ "169.254.169.253", ADDRESS_LINK_LOCAL },
	{ "169.254.169.254", ADDRESS_METADATA },
	{ "169.254.169.255", ADDRESS_LINK_LOCAL },
	{ "169.254.170.2", ADDRESS_METADATA },
	{ "169.254.255.255", ADDRESS_LINK_LOCAL },
	{ "169.255.0.0", ADDRESS_PUBLIC },
	{ "172.15.255.255", ADDRESS_PUBLIC },
	{ "172.16.0.0", ADDRESS_PRIVATE },
	{ "172.31.255.255", ADDRESS_PRIVATE },
	{ "172.32.0.0", ADDRESS_PUBLIC },
	{ "191.255.255.255", ADDRESS_PUBLIC },
	{ "192.0.0.0", ADDRESS_RESERVED },
	{ "192.0.0.170", ADDRESS_RESERVED },
	{ "192.0.0.192", ADDRESS_METADATA },
	{ "192.0.1.0", ADDRESS_PUBLIC },
	{ "192.0.2.255", ADDRESS_RESERVED },
	{ "192.0.3.0", ADDRESS_PUBLIC },
	{ "192.88.99.1", ADDRESS_RESERVED },
	{ "192.167.255.255", ADDRESS_PUBLIC },
	{ "192.168.0.0", ADDRESS_PRIVATE },
	{ "192.168.255.255", ADDRESS_PRIVATE },
	{ "192.169.0.0", ADDRESS_PUBLIC },
	{ "198.17.255.255", ADDRESS_PUBLIC },
	{ "198.18.0.1", ADDRESS_RESERVED },
	{ "198.19.255.255", ADDRESS_RESERVED },
	{ "198.20.0.0", ADDRESS_PUBLIC },
	{ "198.51.100.7", ADDRESS_RESERVED },
	{ "203.0.113.7", ADDRESS_RESERVED },
	{ "223.255.255.255", ADDRESS_PUBLIC },
	{ "224.0.0.1", ADDRESS_MULTICAST },
	{ "239.255.255.255", ADDRESS_MULTICAST },
	{ "240.0.0.0", ADDRESS_RESERVED },
	{ "255.255.255.254", ADDRESS_RESERVED },
	{ "255.255.255.255", ADDRESS_MULTICAST },

	/* The same addresses in IPv6. */
	{ "::ffff:127.0.0.1", ADDRESS_LOOPBACK },
	{ "::ffff:7f00:1", ADDRESS_LOOPBACK },
	{ "::ffff:a9fe:a9fe", ADDRESS_METADATA },
	{ "::ffff:5db8:d822", ADDRESS_PUBLIC },
	{ "0:0:0:0:0:ffff:a00:1", ADDRESS_PRIVATE },
	/* Those that lead to them. */
	{ "::127.0.0.1", ADDRESS_TRANSLATED },
	{ "::2", ADDRESS_TRANSLATED },
	{ "::ffff:0:127.0.0.1", ADDRESS_TRANSLATED },
	{ "64:ff9b::7f00:1", ADDRESS_TRANSLATED },
	{ "64:ff9b::8.8.8.8", ADDRESS_TRANSLATED },
	{ "64:ff9b:1::a00:1", ADDRESS_TRANSLATED },
	{ "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", ADDRESS_TRANSLATED },
	{ "64:ff9b:2::", ADDRESS_RESERVED },
	{ "2002:7f00:1::", ADDRESS_TRANSLATED },
	{ "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", ADDRESS_TRANSLATED },
	{ "2001::1", ADDRESS_TRANSLATED },
	{ "2001:0:ffff::1", ADDRESS_TRANSLATED },

	{ "::", ADDRESS_UNSPECIFIED },
	{ "::1", ADDRESS_LOOPBACK },
	{ "0:0:0:0:0:0:0:1", ADDRESS_LOOPBACK },
	{ "100::1", ADDRESS_RESERVED },
	{ "1fff:ffff::", ADDRESS_RESERVED },
	{ "2000::", ADDRESS_PUBLIC },
	{ "2001:1::1", ADDRESS_RESERVED },
	{ "2001:20::1", ADDRESS_RESERVED },
	{ "2001:1ff:ffff::", ADDRESS_RESERVED },
	{ "2001:200::", ADDRESS_PUBLIC },
	{ "2001:db7:ffff::", ADDRESS_PUBLIC },
	{ "2001:db8::1", ADDRESS_RESERVED },
	{ "2001:db9::", ADDRESS_PUBLIC },
	{ "2606:2800:220:1::", ADDRESS_PUBLIC },
	{ "3ffe::", ADDRESS_PUBLIC },
	{ "3fff::1", ADDRESS_RESERVED },
	{ "3fff:1000::", ADDRESS_PUBLIC },
	{ "3fff:ffff::", ADDRESS_PUBLIC },
	{ "4000::", ADDRESS_RESERVED },
	{ "5f00::1", ADDRESS_RESERVED },
	{ "8000::", ADDRESS_RESERVED },
	{ "fbff::", ADDRESS_RESERVED },
	{ "fc00::", ADDRESS_PRIVATE },
	{ "fd00::1", ADDRESS_PRIVATE },
	{ "fd00:ec2::253", ADDRESS_PRIVATE },
	{ "fd00:ec2::254", ADDRESS_METADATA },
	{ "fd20:ce::254", ADDRESS_METADATA },
	{ "fd63:6f72:646e::1", ADDRESS_PRIVATE },
	{ "fdff:ffff::", ADDRESS_PRIVATE },
	{ "fe00::", ADDRESS_RESERVED },
	{ "fe80::1", ADDRESS_LINK_LOCAL },
	{ "fe80::a9fe:a9fe", ADDRESS_METADATA },
	{ "febf::", ADDRESS_LINK_LOCAL },
	{ "fec0::", ADDRESS_PRIVATE },
	{ "ff02::1", ADDRESS_MULTICAST },
	{ "ffff:ffff::", ADDRESS_MULTICAST },
};

static void every_address_is_of_one_class(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct address address = parsed(places[i].text);
		enum address_class class = address_classify(&address);

		if (class != places[i].class)
			fail_msg("%s: %s", places[i].text,
				 address_class_name(class));
	}
}

static void other_spellings_are_refused(void **state)
{
	static const char *const bad[] = {
		"",
		" ",
		".",
		":",
		"0",
		"127.1",
		"127.0.1",
		"2130706433",
		"0x7f000001",
		"017700000001",
		"0177.0.0.1",
		"0x7f.1",
		"0x7f.0.0.1",
		"127.0.0.01",
		"00.0.0.0",
		"127.0.0.1.",
		".127.0.0.1",
		"127..0.1",
		"127.0.0.1 ",
		" 127.0.0.1",
		"+127.0.0.1",
		"127.0.0.256",
		"127.0.0.1000",
		"127.0.0.4294967297",
		"127.0.0.0.1",
		"127.0.0.1/32",
		"127.0.0.%31",
		"1.2.3",
		"\xe2\x91\xa0\xe2\x91\xa1\xe2\x91\xa6.0.0.1",
		"127\xe3\x80\x82"
		"0\xe3\x80\x82"
		"0\xe3\x80\x82"
		"1",
		"[::1]",
		"::1%lo",
		"fe80::1%25eth0",
		":1",
		"1:",
		":::",
		"::1::",
		"1::2::3",
		"1:2:3",
		"1:2:3:4:5:6:7",
		"1:2:3:4:5:6:7:8:9",
		"1::2:3:4:5:6:7:8",
		"1:2:3:4:5:6:7:8::",
		"::12345",
		"::g",
		"::0x1",
		"::1.2.3",
		"::1.2.3.4.5",
		"::1.2.3.4:5",
		"::01.2.3.4",
		"1.2.3.4::",
		"1:2:3:4:5:6:7:1.2.3.4",
		"1.2.3.4:5:6:7:8:9:a:b",
	};
	struct address address;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (address_parse(bad[i], strlen(bad[i]), &address))
			fail_msg("'%s' was taken for an address", bad[i]);
	}
	assert_false(address_parse("127.0.0.1\0x", 11, &address));
	assert_false(address_parse("::1\0", 4, &address));
	/* Only what was given is read. */
	assert_true(address_parse("127.0.0.1x", 9, &address));
	assert_true(address_parse("::1:2", 3, &address));
}

static bool libc_parse(const char *text, struct address *out)
{
	memset(out, 0, sizeof(*out));
	out->v[10] = 0xff;
	out->v[11] = 0xff;
	return inet_pton(AF_INET, text, out->v + 12) == 1 ||
	       inet_pton(AF_INET6, text, out->v) == 1;
}

static void the_parser_agrees_with_libc(void **state)
{
	static const char letters[] = "0123456789abcdefF:::...";
	unsigned int taken = 0;

	(void)state;
	srandom(1);
	for (int i = 0; i < 300000; i++) {
		struct address ours, theirs;
		char text[48];
		size_t n;

		/* An address with a few characters changed. */
		strcpy(text, places[(size_t)random() %
				    (sizeof(places) / sizeof(places[0]))]
				     .text);
		n = strlen(text);
		for (long k = random() % 4; k > 0; k--) {
			char c = letters[(size_t)random() %
					 (sizeof(letters) - 1)];

			text[(size_t)random() % n] = c;
		}
		if (address_parse(text, n, &ours) != libc_parse(text, &theirs))
			fail_msg("'%s' is read otherwise", text);
		if (!address_parse(text, n, &ours))
			continue;
		taken++;
		if (memcmp(&ours, &theirs, sizeof(ours)) != 0)
			fail_msg("'%s' is read as another", text);
	}
	assert_true(taken > 50000 && taken < 250000);
}

static void addresses_are_written_as_rfc_5952_wants(void **state)
{
	static const struct {
		const char *from;
		const char *to;
	} cases[] = {
		{ "127.0.0.1", "127.0.0.1" },
		{ "255.255.255.255", "255.255.255.255" },
		{ "::ffff:1.2.3.4", "1.2.3.4" },
		{ "0:0:0:0:0:0:0:0", "::" },
		{ "0:0:0:0:0:0:0:1", "::1" },
		{ "1:0:0:0:0:0:0:0", "1::" },
		{ "2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1" },
		{ "2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1" },
		{ "2001:db8:0:0:0:1:0:0", "2001:db8::1:0:0" },
		{ "1:0:0:2:0:0:0:3", "1:0:0:2::3" },
		{ "0:1:0:0:1:1:1:0", "0:1::1:1:1:0" },
		{ "::1.2.3.4", "::102:304" },
		{ "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
		  "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff" },
	};
	char text[ADDRESS_TEXT];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct address address = parsed(cases[i].from);

		address_format(&address, text);
		assert_string_equal(text, cases[i].to);
	}
	for (int i = 0; i < 100000; i++) {
		struct address address, again;

		for (size_t k = 0; k < sizeof(address.v); k++)
			address.v[k] =
				(unsigned char)(random() % 3 ? 0 : random());
		address_format(&address, text);
		again = parsed(text);
		assert_memory_equal(&address, &again, sizeof(again));
	}
}

/* "10.0.0.0/8" taken apart. */
static unsigned int parse_net(const char *text, struct address *out)
{
	const char *slash = strchr(text, '/');
	unsigned int bits = (unsigned int)atoi(slash + 1);

	assert_true(address_parse(text, (size_t)(slash - text), out));
	return bits + (memchr(text, ':', (size_t)(slash - text)) ? 0 : 96);
}

static const struct {
	const char *net;
	const char *member;
	bool within;
	bool names;
} nets[] = {
	{ "10.0.0.0/8", "10.1.2.3", true, true },
	{ "10.0.0.0/8", "11.0.0.0", false, false },
	{ "10.1.2.3/32", "10.1.2.3", true, true },
	{ "10.1.2.3/32", "10.1.2.2", false, false },
	{ "10.0.0.0/9", "10.127.0.1", true, true },
	{ "10.0.0.0/9", "10.128.0.1", false, false },
	{ "10.0.0.0/7", "10.1.2.3", true, false },
	{ "10.0.0.0/7", "11.1.2.3", true, true },
	{ "0.0.0.0/0", "93.184.216.34", true, true },
	{ "0.0.0.0/0", "10.0.0.1", true, false },
	{ "0.0.0.0/0", "127.0.0.1", true, false },
	{ "0.0.0.0/0", "0.0.0.0", true, false },
	{ "0.0.0.0/0", "100.64.0.1", true, false },
	{ "0.0.0.0/0", "169.254.1.1", true, false },
	{ "0.0.0.0/0", "169.254.169.254", true, false },
	{ "0.0.0.0/0", "168.63.129.16", true, false },
	{ "0.0.0.0/0", "::1", false, false },
	{ "127.0.0.0/8", "127.0.0.1", true, true },
	{ "192.168.0.0/16", "192.168.1.1", true, true },
	{ "192.0.0.0/8", "192.168.1.1", true, false },
	{ "169.254.0.0/16", "169.254.1.1", true, true },
	/* Of metadata services, only the address itself. */
	{ "169.254.0.0/16", "169.254.169.254", true, false },
	{ "169.254.169.254/31", "169.254.169.254", true, false },
	{ "169.254.169.254/31", "169.254.169.255", true, true },
	{ "169.254.169.254/32", "169.254.169.254", true, true },
	{ "::ffff:169.254.169.254/128", "169.254.169.254", true, true },
	{ "100.64.0.0/10", "100.100.100.200", true, false },
	{ "fc00::/7", "fd00:ec2::254", true, false },
	{ "fd00:ec2::254/128", "fd00:ec2::254", true, true },
	/* IPv6 does not hold IPv4, unless it is written as such. */
	{ "::/0", "93.184.216.34", false, false },
	{ "::/64", "93.184.216.34", false, false },
	{ "::ffff:0:0/96", "93.184.216.34", true, true },
	{ "::ffff:10.0.0.0/104", "10.1.2.3", true, true },
	{ "::/0", "2606:2800::1", true, true },
	{ "::/0", "::1", true, false },
	{ "::/0", "fd00::1", true, false },
	{ "::/0", "fe80::1", true, false },
	{ "::/0", "64:ff9b::808:808", true, false },
	{ "2000::/3", "2002:808:808::1", true, false },
	{ "2000::/3", "2001:db8::1", true, false },
	{ "2001::/23", "2001::1", true, false },
	{ "fd00::/8", "fd00::1", true, true },
	/* Through a translator, only to where anybody may go. */
	{ "64:ff9b::/96", "64:ff9b::808:808", true, true },
	{ "64:ff9b::/96", "64:ff9b::7f00:1", true, false },
	{ "64:ff9b::/96", "64:ff9b::a9fe:a9fe", true, false },
	{ "64:ff9b::7f00:1/128", "64:ff9b::7f00:1", true, true },
	{ "2002::/16", "2002:808:808::1", true, true },
	{ "2002::/16", "2002:a00:1::1", true, false },
	{ "2001::/32", "2001::f7f7:f7f7", true, true },
	{ "2001::/32", "2001::80ff:fffe", true, false },
	{ "2001::/32", "2001::808:808", true, false },
};

static void a_wide_network_names_no_special_address(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(nets) / sizeof(nets[0]); i++) {
		struct address net, member = parsed(nets[i].member);
		unsigned int bits = parse_net(nets[i].net, &net);

		if (address_within(&member, &net, bits) != nets[i].within ||
		    address_net_names(&net, bits, &member) != nets[i].names)
			fail_msg("%s in %s", nets[i].member, nets[i].net);
	}
}

static void clear_host_bits(struct address *address, unsigned int bits)
{
	for (unsigned int i = bits; i < 128; i++)
		address->v[i / 8] &= (unsigned char)~(0x80U >> i % 8);
}

static void random_net(struct address *net, unsigned int *bits)
{
	size_t i = (size_t)random() % (sizeof(places) / sizeof(places[0]));

	*net = parsed(places[i].text);
	*bits = (unsigned int)random() % 129;
	if (address_is_ipv4(net) && *bits < 96)
		*bits = 96 + *bits % 33;
	clear_host_bits(net, *bits);
}

/* A member, near the places that differ. */
static struct address random_member(const struct address *net,
				    unsigned int bits)
{
	size_t i = (size_t)random() % (sizeof(places) / sizeof(places[0]));
	struct address member = parsed(places[i].text);

	for (unsigned int k = 0; k < bits; k++) {
		unsigned char bit = (unsigned char)(0x80U >> k % 8);

		member.v[k / 8] &= (unsigned char)~bit;
		member.v[k / 8] |= net->v[k / 8] & bit;
	}
	return member;
}

static void a_network_that_covers_names_all_that_the_other_does(void **state)
{
	unsigned int covered = 0, missed = 0;

	(void)state;
	for (int i = 0; i < 400000; i++) {
		struct address wide, narrow, member;
		unsigned int wide_bits, narrow_bits;
		bool covers;

		random_net(&narrow, &narrow_bits);
		wide = narrow;
		wide_bits = (unsigned int)random() % (narrow_bits + 1);
		if (address_is_ipv4(&narrow) && wide_bits < 96)
			wide_bits = 96;
		clear_host_bits(&wide, wide_bits);
		covers = address_net_covers(&wide, wide_bits, &narrow,
					    narrow_bits);
		member = random_member(&narrow, narrow_bits);
		if (!address_net_names(&narrow, narrow_bits, &member))
			continue;
		if (!address_net_names(&wide, wide_bits, &member)) {
			missed++;
			assert_false(covers);
		}
		covered += covers;
	}
	/* Both happen often enough to have been looked at. */
	assert_true(covered > 1000 && missed > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_address_is_of_one_class),
		cmocka_unit_test(other_spellings_are_refused),
		cmocka_unit_test(the_parser_agrees_with_libc),
		cmocka_unit_test(addresses_are_written_as_rfc_5952_wants),
		cmocka_unit_test(a_wide_network_names_no_special_address),
		cmocka_unit_test(
			a_network_that_covers_names_all_that_the_other_does),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
