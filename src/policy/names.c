/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy/names.c - what network rules may name
 *
 * Runs in:  whoever decodes or narrows a policy.
 * Trusts:   nothing.
 * Must not: accept two spellings that a resolver takes for the same and a
 *           comparison does not: letters, digits and hyphens only, and what
 *           looks like an address must be one (0x7f.1, 127.1 are refused).
 */
#include "policy/names.h"

#include <string.h>
#include <strings.h>

enum { NAME_MAX_LEN = 253, LABEL_MAX = 63, PORT_DIGITS = 5, IPV4_BITS = 96 };

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_alnum(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_hex(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* A decimal number without sign and leading zero; -1 if it is none. */
static long small_number(const char *s, size_t len)
{
	long n = 0;

	if (!len || len > PORT_DIGITS || (len > 1 && s[0] == '0'))
		return -1;
	for (size_t i = 0; i < len; i++) {
		if (!is_digit(s[i]))
			return -1;
		n = n * 10 + (s[i] - '0');
	}
	return n;
}

static uint16_t parse_port(const char *s, size_t len)
{
	long n = small_number(s, len);

	return n >= 1 && n <= 65535 ? (uint16_t)n : 0;
}

uint16_t policy_port_parse(const char *text)
{
	return parse_port(text, strlen(text));
}

const char *policy_port_check(const char *text)
{
	return policy_port_parse(text) ? NULL
				       : "a port is a number from 1 to 65535";
}

static const char *check_label(const char *s, size_t len)
{
	if (!len)
		return "a name has an empty part";
	if (len > LABEL_MAX)
		return "a part of a name is longer than 63 characters";
	if (s[0] == '-' || s[len - 1] == '-')
		return "a part of a name begins or ends with '-'";
	for (size_t i = 0; i < len; i++) {
		if (!is_alnum(s[i]) && s[i] != '-')
			return "a name has letters, digits, '-' and '.'; "
			       "write others in their xn-- form";
	}
	return NULL;
}

/* Would inet_aton(3) read it as the last number of an address? */
static bool is_number(const char *s, size_t len)
{
	bool hex = len > 1 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X');

	for (size_t i = hex ? 2 : 0; i < len; i++) {
		if (!(hex ? is_hex(s[i]) : is_digit(s[i])))
			return false;
	}
	return true;
}

const char *policy_host_name_check(const char *name, size_t len)
{
	const char *s = name, *end = name + len;

	if (len > NAME_MAX_LEN)
		return "a name is longer than 253 characters";
	for (;;) {
		const char *dot = memchr(s, '.', (size_t)(end - s));
		size_t n = (size_t)((dot ? dot : end) - s);
		const char *wrong = check_label(s, n);

		if (wrong)
			return wrong;
		if (!dot)
			return is_number(s, n) ? "not an address, and no name "
						 "ends with a number"
					       : NULL;
		s = dot + 1;
	}
}

static bool has_host_bits(const struct address *net, unsigned int bits)
{
	for (unsigned int i = bits; i < 8 * sizeof(net->v); i++) {
		if (net->v[i / 8] & (0x80U >> i % 8))
			return true;
	}
	return false;
}

static const char *parse_network(const char *s, size_t len, const char *slash,
				 struct policy_host *out)
{
	size_t address_len = (size_t)(slash - s);
	bool ipv6 = memchr(s, ':', address_len);
	long bits = small_number(slash + 1, len - address_len - 1);

	if (ipv6 && memchr(slash, ':', len - address_len))
		return "the port of an IPv6 network stands behind brackets: "
		       "[fd00::/8]:443";
	if (!address_parse(s, address_len, &out->net) || bits < 0 ||
	    bits > (ipv6 ? 128 : 32))
		return "not a network such as 10.0.0.0/8 or fd00::/8";
	out->kind = POLICY_HOST_NETWORK;
	out->bits = (unsigned int)bits + (ipv6 ? 0 : IPV4_BITS);
	/* It may have been meant as that one host, or as the network. */
	if (has_host_bits(&out->net, out->bits))
		return "the address of a network is its first: 10.0.0.0/8, "
		       "not 10.1.2.3/8";
	return NULL;
}

static const char *parse_name(const char *s, size_t len,
			      struct policy_host *out)
{
	if (len == 1 && s[0] == '*') {
		out->kind = POLICY_HOST_ANY;
		return NULL;
	}
	out->kind = POLICY_HOST_NAME;
	if (len > 3 && !strncmp(s, "**.", 3)) {
		out->kind = POLICY_HOST_DOMAIN;
		s += 3;
		len -= 3;
	} else if (len > 2 && !strncmp(s, "*.", 2)) {
		out->kind = POLICY_HOST_BELOW;
		s += 2;
		len -= 2;
	}
	if (memchr(s, '*', len))
		return "a '*' stands alone or before the first '.'";
	if (len > 1 && s[len - 1] == '.')
		len--;
	out->name = s;
	out->len = len;
	return policy_host_name_check(s, len);
}

/* @s without its port. */
static const char *parse_place(const char *s, size_t len, bool brackets,
			       struct policy_host *out)
{
	const char *slash = memchr(s, '/', len);
	bool colon = memchr(s, ':', len);

	if (!len)
		return "a name is missing";
	if (brackets && !colon)
		return "only an IPv6 address stands in brackets";
	if (slash)
		return parse_network(s, len, slash, out);
	if (address_parse(s, len, &out->net)) {
		out->kind = POLICY_HOST_NETWORK;
		out->bits = 8 * sizeof(out->net.v);
		return NULL;
	}
	return colon ? "not an IPv6 address" : parse_name(s, len, out);
}

/* HOST, HOST:PORT, [ADDRESS] or [ADDRESS]:PORT. */
static const char *parse_host(const char *text, struct policy_host *out)
{
	const char *colon = strrchr(text, ':'), *port = NULL;
	size_t len = strlen(text);
	bool brackets = text[0] == '[';

	if (brackets) {
		const char *close = strchr(text, ']');

		if (!close || (close[1] && close[1] != ':'))
			return "an address in brackets is written [ADDRESS] "
			       "or [ADDRESS]:PORT";
		port = close[1] ? close + 2 : NULL;
		text++;
		len = (size_t)(close - text);
	} else if (colon && strchr(text, ':') == colon) {
		port = colon + 1;
		len = (size_t)(colon - text);
	}
	if (port && policy_port_check(port))
		return policy_port_check(port);
	out->port = port ? policy_port_parse(port) : 0;
	return parse_place(text, len, brackets, out);
}

/* What stands behind @scheme, NULL if it is another one. */
static const char *after(const char *text, const char *scheme)
{
	size_t len = strlen(scheme);

	return strncmp(text, scheme, len) ? NULL : text + len;
}

const char *policy_host_parse(const char *text, struct policy_host *out)
{
	const char *opaque = after(text, "tcp://"), *wrong;

	memset(out, 0, sizeof(*out));
	out->opaque = opaque != NULL;
	if (!opaque && strstr(text, "://"))
		return "it is written HOST, HOST:PORT or tcp://HOST:PORT";
	wrong = parse_host(opaque ? opaque : text, out);
	if (!wrong && opaque && !out->port)
		return "a port is missing: tcp://HOST:PORT";
	return wrong;
}

const char *policy_endpoint_parse(const char *text, struct policy_host *out)
{
	const char *wrong = policy_host_parse(text, out);

	if (wrong)
		return wrong;
	if (!out->port || out->opaque)
		return "it is written HOST:PORT";
	if (out->kind == POLICY_HOST_NAME ||
	    (out->kind == POLICY_HOST_NETWORK && !strchr(text, '/')))
		return NULL;
	return "one host is meant, not a pattern";
}

const char *policy_proxy_parse(const char *text, struct policy_host *out)
{
	const char *endpoint = after(text, "http://");

	if (!endpoint)
		return "it is written http://HOST:PORT";
	if (strchr(endpoint, '@'))
		return "a user and a password for the proxy are not supported";
	return *endpoint ? policy_endpoint_parse(endpoint, out)
			 : "HOST:PORT is missing";
}

/* ADDRESS or [ADDRESS] before the ports. */
static bool parse_publish_address(const char *s, size_t len,
				  struct address *out)
{
	bool brackets = len > 2 && s[0] == '[' && s[len - 1] == ']';

	if (brackets) {
		s++;
		len -= 2;
	}
	return brackets == !!memchr(s, ':', len) && address_parse(s, len, out);
}

const char *policy_publish_parse(const char *text, struct policy_publish *out)
{
	static const char form[] = "it is written PORT, HOSTPORT:PORT or "
				   "ADDRESS:HOSTPORT:PORT";
	const char *inside = strrchr(text, ':'), *outside;

	(void)address_parse("127.0.0.1", 9, &out->address);
	out->port = policy_port_parse(inside ? inside + 1 : text);
	out->host_port = out->port;
	if (!out->port)
		return policy_port_check(inside ? inside + 1 : text);
	if (!inside)
		return NULL;
	outside = memrchr(text, ':', (size_t)(inside - text));
	outside = outside ? outside + 1 : text;
	out->host_port = parse_port(outside, (size_t)(inside - outside));
	if (!out->host_port)
		return form;
	if (outside == text)
		return NULL;
	return parse_publish_address(text, (size_t)(outside - 1 - text),
				     &out->address)
		       ? NULL
		       : "the address on the host is written 127.0.0.1 or "
			 "[::1]";
}

const char *policy_host_check(const char *text)
{
	struct policy_host host;

	return policy_host_parse(text, &host);
}

const char *policy_publish_check(const char *text)
{
	struct policy_publish publish;

	return policy_publish_parse(text, &publish);
}

/* Who would be asked for the name of a name server? */
const char *policy_endpoint_check(const char *text)
{
	struct policy_host host;

	if (!*text || (!policy_endpoint_parse(text, &host) &&
		       host.kind == POLICY_HOST_NETWORK))
		return NULL;
	return "it is written ADDRESS:PORT, such as 9.9.9.9:53 or "
	       "[2620:fe::fe]:53";
}

const char *policy_proxy_check(const char *text)
{
	struct policy_host host;

	return *text ? policy_proxy_parse(text, &host) : NULL;
}

/* A rule without a port is for 80 and 443. */
static bool ports_cover(uint16_t wide, uint16_t narrow)
{
	if (!wide)
		return !narrow || narrow == 80 || narrow == 443;
	return wide == narrow;
}

static bool is_same_name(const struct policy_host *a,
			 const struct policy_host *b)
{
	return a->len == b->len && !strncasecmp(a->name, b->name, a->len);
}

static bool is_below(const struct policy_host *host,
		     const struct policy_host *domain)
{
	const char *tail;

	if (host->len <= domain->len)
		return false;
	tail = host->name + (host->len - domain->len);
	return tail[-1] == '.' && !strncasecmp(tail, domain->name, domain->len);
}

static bool names_cover(const struct policy_host *wide,
			const struct policy_host *narrow)
{
	switch (wide->kind) {
	case POLICY_HOST_ANY:
		return true;
	case POLICY_HOST_NAME:
		return narrow->kind == POLICY_HOST_NAME &&
		       is_same_name(narrow, wide);
	case POLICY_HOST_DOMAIN:
		return is_same_name(narrow, wide) || is_below(narrow, wide);
	case POLICY_HOST_BELOW:
		return is_below(narrow, wide) ||
		       (narrow->kind == POLICY_HOST_BELOW &&
			is_same_name(narrow, wide));
	case POLICY_HOST_NETWORK:
		break;
	}
	return false;
}

bool policy_host_covers(const char *wide_text, const char *narrow_text)
{
	struct policy_host wide, narrow;

	if (policy_host_parse(wide_text, &wide) ||
	    policy_host_parse(narrow_text, &narrow) ||
	    !ports_cover(wide.port, narrow.port) ||
	    (narrow.opaque && !wide.opaque))
		return false;
	/* An address needs a rule of its own. */
	if (narrow.kind == POLICY_HOST_NETWORK)
		return wide.kind == POLICY_HOST_NETWORK &&
		       address_net_covers(&wide.net, wide.bits, &narrow.net,
					  narrow.bits);
	if (narrow.kind == POLICY_HOST_ANY)
		return wide.kind == POLICY_HOST_ANY;
	return names_cover(&wide, &narrow);
}
