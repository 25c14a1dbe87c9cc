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

enum { NAME_MAX_LEN = 253, LABEL_MAX = 63, PORT_DIGITS = 5 };

/* A rule taken apart; parts point into the text. */
struct host {
	const char *name; /* without brackets */
	size_t len;
	const char *port; /* NULL without */
};

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

static bool is_port(const char *s, size_t len)
{
	long n = small_number(s, len);

	return n >= 1 && n <= 65535;
}

const char *policy_port_check(const char *text)
{
	return is_port(text, strlen(text)) ? NULL
					   : "a port is a number from 1 to "
					     "65535";
}

static bool is_ipv4(const char *s, size_t len)
{
	const char *end = s + len;

	for (int part = 0; part < 4; part++) {
		const char *dot = memchr(s, '.', (size_t)(end - s));
		size_t n = (size_t)((dot ? dot : end) - s);
		long value = small_number(s, n);

		if (value < 0 || value > 255 || (part < 3) != !!dot)
			return false;
		s += n + 1;
	}
	return true;
}

/* RFC 4291 2.2, without zones. */
static bool is_ipv6(const char *s, size_t len)
{
	const char *end = s + len;
	bool gap = false;
	int groups = 0;

	if (len >= 2 && s[0] == ':' && s[1] == ':') {
		gap = true;
		s += 2;
	}
	while (s < end) {
		size_t n = 0;

		while (s + n < end && is_hex(s[n]))
			n++;
		if (s + n < end && s[n] == '.') {
			groups += 2;
			if (!is_ipv4(s, (size_t)(end - s)))
				return false;
			break;
		}
		if (n < 1 || n > 4)
			return false;
		groups++;
		s += n;
		if (s == end)
			break;
		if (*s++ != ':' || s == end)
			return false;
		if (*s == ':') {
			if (gap)
				return false;
			gap = true;
			s++;
		}
	}
	return gap ? groups < 8 : groups == 8;
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

static const char *check_name(const char *s, size_t len)
{
	const char *end = s + len, *wrong;
	bool numeric = false;

	if (len > 1 && s[len - 1] == '.')
		end--;
	if (end - s > NAME_MAX_LEN)
		return "a name is longer than 253 characters";
	for (;;) {
		const char *dot = memchr(s, '.', (size_t)(end - s));
		const char *stop = dot ? dot : end;

		wrong = check_label(s, (size_t)(stop - s));
		if (wrong)
			return wrong;
		numeric = is_digit(*s);
		if (!dot)
			break;
		s = dot + 1;
	}
	return numeric ? "not an address, and no name ends with a number"
		       : NULL;
}

static const char *check_network(const struct host *host, const char *slash)
{
	size_t len = (size_t)(slash - host->name);
	long bits = small_number(slash + 1, host->len - len - 1);

	if (is_ipv4(host->name, len) && bits >= 0 && bits <= 32)
		return NULL;
	if (is_ipv6(host->name, len) && bits >= 0 && bits <= 128)
		return NULL;
	return "not a network such as 10.0.0.0/8 or fd00::/8";
}

/* Where the name ends and the port begins. */
static const char *split_host(const char *text, struct host *out)
{
	const char *colon = strrchr(text, ':');

	out->name = text;
	out->len = strlen(text);
	out->port = NULL;
	if (text[0] == '[') {
		const char *close = strchr(text, ']');

		if (!close || (close[1] && close[1] != ':'))
			return "an address in brackets is written [ADDRESS] "
			       "or [ADDRESS]:PORT";
		out->name = text + 1;
		out->len = (size_t)(close - text - 1);
		out->port = close[1] ? close + 2 : NULL;
	} else if (colon && strchr(text, ':') == colon) {
		out->len = (size_t)(colon - text);
		out->port = colon + 1;
	}
	return out->port ? policy_port_check(out->port) : NULL;
}

const char *policy_host_check(const char *text)
{
	struct host host;
	const char *wrong = split_host(text, &host), *slash;

	if (wrong)
		return wrong;
	if (!host.len)
		return "a name is missing";
	slash = memchr(host.name, '/', host.len);
	if (slash)
		return check_network(&host, slash);
	if (memchr(host.name, ':', host.len) || text[0] == '[')
		return is_ipv6(host.name, host.len) ? NULL
						    : "not an IPv6 address";
	if (is_ipv4(host.name, host.len))
		return NULL;
	if (host.len == 1 && host.name[0] == '*')
		return NULL;
	if (host.len > 3 && !strncmp(host.name, "**.", 3))
		return check_name(host.name + 3, host.len - 3);
	if (host.len > 2 && !strncmp(host.name, "*.", 2))
		return check_name(host.name + 2, host.len - 2);
	if (memchr(host.name, '*', host.len))
		return "a '*' stands alone or before the first '.'";
	return check_name(host.name, host.len);
}

const char *policy_endpoint_check(const char *text)
{
	struct host host;
	const char *wrong;

	if (!*text)
		return NULL;
	wrong = split_host(text, &host);
	if (wrong)
		return wrong;
	if (!host.port)
		return "it is written HOST:PORT";
	if (memchr(host.name, '*', host.len) ||
	    memchr(host.name, '/', host.len))
		return "one host is meant, not a pattern";
	return policy_host_check(text);
}

const char *policy_proxy_check(const char *text)
{
	static const char scheme[] = "http://";

	if (!*text)
		return NULL;
	if (strncmp(text, scheme, sizeof(scheme) - 1))
		return "it is written http://HOST:PORT";
	text += sizeof(scheme) - 1;
	return *text ? policy_endpoint_check(text) : "HOST:PORT is missing";
}

const char *policy_publish_check(const char *text)
{
	const char *last = strrchr(text, ':'), *host = text, *wrong;
	struct host at;

	wrong = policy_port_check(last ? last + 1 : text);
	if (wrong || !last)
		return wrong;
	/* What is left is PORT, ADDRESS:PORT or [ADDRESS]:PORT. */
	for (const char *p = text; p < last; p++) {
		if (*p == ':' && text[0] != '[')
			host = p + 1;
		if (*p == ']' && p[1] == ':')
			host = p + 2;
	}
	if (!is_port(host, (size_t)(last - host)))
		return "it is written PORT, HOSTPORT:PORT or "
		       "ADDRESS:HOSTPORT:PORT";
	if (host == text)
		return NULL;
	at.name = text[0] == '[' ? text + 1 : text;
	at.len = (size_t)(host - 1 - text);
	if (text[0] == '[')
		return is_ipv6(at.name, at.len - 2) ? NULL
						    : "not an IPv6 address";
	return is_ipv4(at.name, at.len) ? NULL : "not an IPv4 address";
}

static bool is_web_port(const char *port)
{
	return !strcmp(port, "80") || !strcmp(port, "443");
}

/* A rule without a port is for 80 and 443. */
static bool ports_cover(const struct host *wide, const struct host *narrow)
{
	if (!wide->port)
		return !narrow->port || is_web_port(narrow->port);
	return narrow->port && !strcmp(wide->port, narrow->port);
}

static bool ends_with(const struct host *host, const char *tail, size_t len)
{
	return host->len >= len &&
	       !strncasecmp(host->name + host->len - len, tail, len);
}

bool policy_host_covers(const char *wide_text, const char *narrow_text)
{
	struct host wide, narrow;

	if (split_host(wide_text, &wide) || split_host(narrow_text, &narrow) ||
	    !ports_cover(&wide, &narrow))
		return false;
	if (wide.len == narrow.len &&
	    !strncasecmp(wide.name, narrow.name, wide.len))
		return true;
	/* An address needs a rule of its own. */
	if (memchr(narrow.name, '/', narrow.len) ||
	    memchr(narrow.name, ':', narrow.len) ||
	    is_ipv4(narrow.name, narrow.len) ||
	    (narrow.len == 1 && narrow.name[0] == '*'))
		return false;
	if (wide.len == 1 && wide.name[0] == '*')
		return true;
	/* ".x" at the end; `**.x` names x too, so `*.x` does not cover it. */
	if (wide.len > 3 && !strncmp(wide.name, "**.", 3))
		return ends_with(&narrow, wide.name + 2, wide.len - 2) ||
		       (narrow.len == wide.len - 3 &&
			ends_with(&narrow, wide.name + 3, wide.len - 3));
	if (wide.len > 2 && !strncmp(wide.name, "*.", 2))
		return strncmp(narrow.name, "**.", 3) != 0 &&
		       ends_with(&narrow, wide.name + 1, wide.len - 1);
	return false;
}
