/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the host's own files say of names and of name servers.
 */
#include <net/if.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/err.h"
#include "egress/hosts.h"
#include "egress/servers.h"

enum { ROOM = 4 };

/* Addresses, each with a space behind it. */
static void assert_found(const struct hosts *hosts, const char *name,
			 size_t room, const char *expected)
{
	struct address found[ROOM];
	size_t n = hosts_find(hosts, name, found, room);
	char all[ROOM * (ADDRESS_TEXT + 1)] = "";

	for (size_t i = 0; i < n; i++) {
		address_format(&found[i], all + strlen(all));
		strcat(all, " ");
	}
	assert_string_equal(all, expected);
}

static void hosts_are_found_by_any_of_their_names(void **state)
{
	static const char text[] = "# 192.0.2.9 remark.test\n"
				   "192.0.2.1 one.test One\tuno # two.test\r\n"
				   "2001:db8::1\tone.test\n"
				   "\n \t\n192.0.2.0x1 bad.test\n"
				   "  192.0.2.2   two.test two.test.\n"
				   "192.0.2.3 last.test";
	const struct hosts hosts = { text, sizeof(text) - 1 };
	struct address found[1];

	(void)state;
	assert_found(&hosts, "one.test", ROOM, "192.0.2.1 2001:db8::1 ");
	assert_found(&hosts, "one.test", 1, "192.0.2.1 ");
	assert_found(&hosts, "one", ROOM, "192.0.2.1 ");
	assert_found(&hosts, "uno", ROOM, "192.0.2.1 ");
	assert_found(&hosts, "two.test", ROOM, "192.0.2.2 ");
	assert_found(&hosts, "last.test", ROOM, "192.0.2.3 ");
	assert_int_equal(hosts_find(&hosts, "remark.test", found, 1), 0);
	assert_int_equal(hosts_find(&hosts, "bad.test", found, 1), 0);
	assert_int_equal(hosts_find(&hosts, "test", found, 1), 0);
	assert_int_equal(hosts_find(&hosts, "192.0.2.1", found, 1), 0);
	assert_int_equal(hosts_find(&(struct hosts){ .n = 0 }, "a", found, 1),
			 0);
}

static void a_file_that_is_too_large_is_cut_at_a_line(void **state)
{
	static const char line[] = "192.0.2.1 aaaaaaaaaaaaaaa.test\n";
	AUTO_ARENA arena = { 0 };
	char path[] = "/tmp/cordon-hosts-XXXXXX";
	int fd = mkstemp(path);
	FILE *file = fdopen(fd, "w");
	struct hosts hosts;
	struct err err;

	(void)state;
	assert_non_null(file);
	for (size_t i = 0; i <= 4 * 1024 * 1024 / strlen(line); i++)
		assert_true(fputs(line, file) >= 0);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(hosts_read(&arena, path, &hosts, &err), 0);
	assert_in_range(hosts.n, 4194000, 4194304);
	assert_int_equal(hosts.text[hosts.n - 1], '\n');
	assert_int_equal(hosts.n % strlen(line), 0);
	assert_int_equal(unlink(path), 0);
	/* One that is not there says nothing. */
	assert_int_equal(hosts_read(&arena, path, &hosts, &err), 0);
	assert_int_equal(hosts.n, 0);
}

static void servers_are_those_of_resolv_conf(void **state)
{
	char text[] = "# nameserver 192.0.2.9\n;nameserver 192.0.2.9\n"
		      "search example.com\n"
		      "nameserver 192.0.2.1\r\n"
		      "nameserver\t2001:db8::1 x\n"
		      "nameserver 1.2.3\nnameserver\n"
		      "options ndots:3 timeout:30  attempts:0 rotate\n"
		      "nameserver fe80::1%lo\nnameserver 192.0.2.4\n";
	char empty[] = "options timeout:x\n";
	struct servers servers;

	(void)state;
	servers_parse(text, &servers);
	assert_int_equal(servers.n, 3);
	assert_int_equal(servers.v[0].v4.sin_family, AF_INET);
	assert_memory_equal(&servers.v[0].v4.sin_addr, "\xc0\0\2\1", 4);
	assert_int_equal(ntohs(servers.v[0].v4.sin_port), 53);
	assert_int_equal(servers.v[1].v6.sin6_family, AF_INET6);
	assert_memory_equal(&servers.v[1].v6.sin6_addr,
			    "\x20\1\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\1", 16);
	assert_int_equal(servers.v[1].v6.sin6_scope_id, 0);
	assert_int_equal(servers.v[2].v6.sin6_scope_id, if_nametoindex("lo"));
	assert_int_not_equal(servers.v[2].v6.sin6_scope_id, 0);
	assert_int_equal(servers.timeout_s, 5);
	assert_int_equal(servers.attempts, 1);
	assert_true(servers.rotate);

	servers_parse(empty, &servers);
	assert_int_equal(servers.n, 1);
	assert_memory_equal(&servers.v[0].v4.sin_addr, "\x7f\0\0\1", 4);
	assert_int_equal(servers.timeout_s, 1);
	assert_int_equal(servers.attempts, 3);
	assert_false(servers.rotate);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hosts_are_found_by_any_of_their_names),
		cmocka_unit_test(a_file_that_is_too_large_is_cut_at_a_line),
		cmocka_unit_test(servers_are_those_of_resolv_conf),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
