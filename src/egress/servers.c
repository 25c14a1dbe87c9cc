/* SPDX-License-Identifier: Apache-2.0 */
/*
 * egress/servers.c - the name servers of this host
 *
 * Runs in:  the egress process, before it is caged; then the supervisor.
 * Trusts:   the file, which is root's.
 * Must not: use the list of domains to search: a name is what was judged.
 */
#include "egress/servers.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"

enum {
	FILE_LIMIT = 256 * 1024,
	ATTEMPTS = 3,
	ATTEMPTS_MAX = 5,
	TIMEOUT_S = 2,
};

#define BLANK " \t\r"

void servers_init(struct servers *servers)
{
	*servers = (struct servers){
		.attempts = ATTEMPTS,
		.timeout_s = TIMEOUT_S,
	};
}

void servers_add(struct servers *servers, const struct address *address,
		 uint32_t scope, uint16_t port)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET,
				  .sin_port = htons(port) };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6,
				   .sin6_port = htons(port),
				   .sin6_scope_id = scope };

	if (servers->n == SERVERS_MAX)
		return;
	memcpy(&v4.sin_addr, address->v + 12, 4);
	memcpy(&v6.sin6_addr, address->v, 16);
	if (address_is_ipv4(address))
		servers->v[servers->n++].v4 = v4;
	else
		servers->v[servers->n++].v6 = v6;
}

static void server_parse(const char *word, struct servers *out)
{
	const char *percent = strchr(word, '%');
	size_t n = percent ? (size_t)(percent - word) : strlen(word);
	struct address address;
	unsigned int scope = 0;

	if (percent) {
		scope = if_nametoindex(percent + 1);
		if (!scope)
			scope = (unsigned int)strtoul(percent + 1, NULL, 10);
	}
	if (address_parse(word, n, &address))
		servers_add(out, &address, scope, SERVERS_PORT);
}

/* Does @word begin with @key? The number behind it, between 1 and @max. */
static bool number_parse(const char *word, const char *key, unsigned long max,
			 unsigned int *out)
{
	size_t n = strlen(key);
	unsigned long value;

	if (strncmp(word, key, n) != 0)
		return false;
	value = strtoul(word + n, NULL, 10);
	if (value > max)
		value = max;
	*out = (unsigned int)(value ? value : 1);
	return true;
}

static void option_parse(const char *word, struct servers *out)
{
	if (!strcmp(word, "rotate"))
		out->rotate = true;
	else if (!number_parse(word, "timeout:", SERVERS_TIMEOUT_MAX_S,
			       &out->timeout_s))
		(void)number_parse(word, "attempts:", ATTEMPTS_MAX,
				   &out->attempts);
}

static void line_parse(char *line, struct servers *out)
{
	char *rest;
	const char *key = strtok_r(line, BLANK, &rest);
	const char *word;

	if (!key)
		return;
	if (!strcmp(key, "nameserver")) {
		word = strtok_r(NULL, BLANK, &rest);
		if (word)
			server_parse(word, out);
	} else if (!strcmp(key, "options")) {
		while ((word = strtok_r(NULL, BLANK, &rest)))
			option_parse(word, out);
	}
}

void servers_parse(char *text, struct servers *out)
{
	static const struct address loopback = {
		{ [10] = 0xff, [11] = 0xff, 127, 0, 0, 1 }
	};
	char *rest;

	servers_init(out);
	for (char *line = strtok_r(text, "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest))
		line_parse(line, out);
	if (out->n == 0)
		servers_add(out, &loopback, 0, SERVERS_PORT);
}

int servers_read(struct arena *arena, const char *path, struct servers *out,
		 struct err *err)
{
	AUTO_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char none[] = "";
	char *text = none;

	if (fd < 0 && errno != ENOENT && errno != EACCES)
		return err_sys(err, "open %s", path);
	if (fd >= 0 && fd_read_file(arena, fd, path, FILE_LIMIT, &text, err))
		return -1;
	servers_parse(text, out);
	return 0;
}
