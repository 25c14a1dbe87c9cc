/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The box's name server: what it says of names that rules allow and of all
 * others, what the supervisor hears of it, and which address it answers from.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <netinet/in.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/err.h"
#include "egress/dns.h"
#include "egress/names.h"
#include "egress/state.h"
#include "policy/policy.h"
#include "wire/dns.h"

struct world {
	struct egress egress;
	struct egress_start start;
	struct plan_egress plan;
	uint16_t host_port;
	int supervisor; /* its end of the channel */
};

static int world_open(void **state)
{
	static const struct policy_item allow[] = {
		{ .text = "allowed.test" },
		{ .text = "*.wild.test:8443" },
		{ .text = "192.0.2.0/24" },
	};
	static const struct policy_item deny[] = {
		{ .text = "no.wild.test" },
	};
	const struct policy_list allow_list = { .v = allow, .n = 3 };
	const struct policy_list deny_list = { .v = deny, .n = 1 };
	struct world *world = calloc(1, sizeof(*world));
	struct err err;
	int channel[2];

	assert_non_null(world);
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, channel), 0);
	assert_int_equal(loop_init(&world->egress.loop, &err), 0);
	world->supervisor = channel[0];
	world->host_port = 5432;
	world->plan.host_ports.v = &world->host_port;
	world->plan.host_ports.n = 1;
	world->start.plan = &world->plan;
	world->egress.start = &world->start;
	world->egress.channel.fd = channel[1];
	world->egress.names = names_new(&world->egress.arena);
	egress_rules_build(&world->egress.arena, &allow_list, &deny_list,
			   &world->egress.rules);
	*state = world;
	return 0;
}

static int world_close(void **state)
{
	struct world *world = *state;

	(void)close(world->supervisor);
	(void)close(world->egress.channel.fd);
	(void)close(world->egress.loop.epoll);
	arena_free(&world->egress.arena);
	free(world);
	return 0;
}

enum { FROM = 40000 };

/* Nothing was refused. */
static const enum egress_why quiet = EGRESS_ALLOWED;

/* What the supervisor heard, and of which name. */
static enum egress_why heard(const struct world *world, const char *name)
{
	struct egress_report report;
	ssize_t n =
		recv(world->supervisor, &report, sizeof(report), MSG_DONTWAIT);

	if (n < 0)
		return quiet;
	assert_int_equal(n, sizeof(report));
	assert_int_equal(report.kind, EGRESS_REFUSED);
	assert_int_equal(report.form, EGRESS_BY_DNS);
	assert_int_equal(report.from, FROM);
	assert_int_equal(report.port, 0);
	assert_string_equal(report.name, name);
	return (enum egress_why)report.why;
}

struct answer {
	unsigned char v[DNS_ANSWER_MAX];
	size_t n;
	size_t asked; /* bytes of the question */
};

static struct answer ask(struct world *world, const char *name, uint16_t type)
{
	unsigned char question[512];
	struct answer answer;

	answer.asked =
		dns_question_format(7, name, type, question, sizeof(question));
	assert_int_not_equal(answer.asked, 0);
	answer.n = dns_serve(&world->egress, question, answer.asked, FROM,
			     answer.v, sizeof(answer.v));
	assert_true(answer.n >= answer.asked);
	return answer;
}

static int code(const struct answer *answer)
{
	return answer->v[3] & 15;
}

static const struct {
	const char *name;
	uint16_t type;
	enum dns_code code;
	const char *address; /* "": none */
	enum egress_why why;
} cases[] = {
	{ "allowed.test", DNS_A, DNS_NO_ERROR, "198.18.0.1", EGRESS_ALLOWED },
	{ "ALLOWED.test", DNS_A, DNS_NO_ERROR, "198.18.0.1", EGRESS_ALLOWED },
	{ "allowed.test", DNS_AAAA, DNS_NO_ERROR, "fd63:6f72:646e::1",
	  EGRESS_ALLOWED },
	{ "a.b.wild.test", DNS_AAAA, DNS_NO_ERROR, "fd63:6f72:646e::2",
	  EGRESS_ALLOWED },
	{ "a.b.wild.test", DNS_A, DNS_NO_ERROR, "198.18.0.2", EGRESS_ALLOWED },
	{ "host.cordon.internal", DNS_A, DNS_NO_ERROR, "198.18.0.3",
	  EGRESS_ALLOWED },
	{ "allowed.test", DNS_HTTPS, DNS_NO_ERROR, "", EGRESS_ALLOWED },
	{ "allowed.test", DNS_SVCB, DNS_NO_ERROR, "", EGRESS_ALLOWED },
	{ "allowed.test", 15, DNS_NO_ERROR, "", EGRESS_ALLOWED },
	{ "allowed.test", DNS_TXT, DNS_REFUSED, "", EGRESS_ALLOWED },
	{ "allowed.test", DNS_NULL, DNS_REFUSED, "", EGRESS_ALLOWED },
	{ "allowed.test", 252, DNS_REFUSED, "", EGRESS_ALLOWED }, /* AXFR */
	{ "allowed.test", 255, DNS_REFUSED, "", EGRESS_ALLOWED }, /* ANY */
	{ "wild.test", DNS_A, DNS_NO_NAME, "", EGRESS_UNLISTED },
	{ "other.test", DNS_A, DNS_NO_NAME, "", EGRESS_UNLISTED },
	{ "other.test", DNS_TXT, DNS_NO_NAME, "", EGRESS_UNLISTED },
	{ "no.wild.test", DNS_A, DNS_NO_NAME, "", EGRESS_DENIED },
	{ "my_host.wild.test", DNS_A, DNS_NO_NAME, "", EGRESS_MALFORMED },
	{ "192.0.2.1", DNS_A, DNS_NO_NAME, "", EGRESS_MALFORMED },
	{ "localhost", DNS_A, DNS_NO_ERROR, "127.0.0.1", EGRESS_ALLOWED },
	{ "a.localhost", DNS_AAAA, DNS_NO_ERROR, "::1", EGRESS_ALLOWED },
	{ "localhost", DNS_HTTPS, DNS_NO_ERROR, "", EGRESS_ALLOWED },
	{ "notlocalhost", DNS_A, DNS_NO_NAME, "", EGRESS_UNLISTED },
	{ "_http._tcp.allowed.test", 33, DNS_NO_NAME, "", EGRESS_ALLOWED },
};

static void each_name_gets_what_the_rules_say(void **state)
{
	struct world *world = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct answer answer = ask(world, cases[i].name, cases[i].type);
		size_t size = cases[i].type == DNS_A ? 4 : 16;
		struct address address = { { [10] = 0xff, [11] = 0xff } };
		char text[ADDRESS_TEXT] = "";

		if (code(&answer) != (int)cases[i].code)
			fail_msg("%s %d: %d", cases[i].name, cases[i].type,
				 code(&answer));
		assert_int_equal(answer.v[7], cases[i].address[0] != '\0');
		/* It lies before the OPT, which takes 11 bytes. */
		memcpy(address.v + 16 - size, answer.v + answer.n - 11 - size,
		       size);
		if (answer.v[7])
			address_format(&address, text);
		assert_string_equal(text, cases[i].address);
		assert_int_equal(heard(world, cases[i].name), cases[i].why);
	}
}

static void a_service_is_refused_as_its_name_is(void **state)
{
	struct world *world = *state;
	struct answer answer = ask(world, "_http._tcp.other.test", 33);

	assert_int_equal(code(&answer), DNS_NO_NAME);
	assert_int_equal(heard(world, "other.test"), EGRESS_UNLISTED);
}

static void without_host_ports_the_host_has_no_name(void **state)
{
	struct world *world = *state;
	struct answer answer;

	world->plan.host_ports.n = 0;
	answer = ask(world, EGRESS_HOST_NAME, DNS_A);
	assert_int_equal(code(&answer), DNS_NO_NAME);
	assert_int_equal(heard(world, EGRESS_HOST_NAME), EGRESS_UNLISTED);
}

static void unfit_names_are_told_and_not_answered(void **state)
{
	static const char question[] =
		"\0\7\1\0\0\1\0\0\0\0\0\0\5a\0.b!\7allowed\4test\0\0\1\0\1";
	struct world *world = *state;
	unsigned char out[DNS_ANSWER_MAX];
	size_t n = dns_serve(&world->egress, question, sizeof(question) - 1,
			     FROM, out, sizeof(out));

	assert_int_equal(n, sizeof(question) - 1);
	assert_int_equal(out[3] & 15, DNS_NO_NAME);
	assert_int_equal(heard(world, "a\\000\\046b\\033.allowed.test"),
			 EGRESS_MALFORMED);
}

static void what_is_no_question_is_not_answered(void **state)
{
	struct world *world = *state;
	unsigned char question[512], out[DNS_ANSWER_MAX];
	size_t n = dns_question_format(7, "other.test", DNS_A, question,
				       sizeof(question));

	question[2] |= 0x80;
	assert_int_equal(
		dns_serve(&world->egress, question, n, FROM, out, sizeof(out)),
		0);
	assert_int_equal(
		dns_serve(&world->egress, "x", 1, FROM, out, sizeof(out)), 0);
	assert_int_equal(heard(world, ""), quiet);
}

#define ZEROS "0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0."

static void our_addresses_have_their_names(void **state)
{
	static const struct {
		const char *reverse;
		bool known;
	} reverses[] = {
		{ "1.0.18.198.in-addr.arpa", true },
		{ "1." ZEROS "e.6.4.6.2.7.f.6.3.6.d.f.ip6.arpa", true },
		{ "2.0.18.198.in-addr.arpa", false },
		{ "0.0.18.198.in-addr.arpa", false },
		{ "8.8.8.8.in-addr.arpa", false },
		{ "1.0.0.18.198.in-addr.arpa", false },
		{ "1.18.198.in-addr.arpa", false },
		{ "in-addr.arpa", false },
		{ "1.ip6.arpa", false },
		{ "1." ZEROS "e.6.4.6.2.7.f.6.3.6.d.g.ip6.arpa", false },
		{ "b._dns-sd._udp.0.18.198.in-addr.arpa", false },
	};
	struct world *world = *state;

	(void)ask(world, "allowed.test", DNS_A);
	for (size_t i = 0; i < sizeof(reverses) / sizeof(reverses[0]); i++) {
		struct answer answer = ask(world, reverses[i].reverse, DNS_PTR);

		assert_int_equal(code(&answer), reverses[i].known
							? DNS_NO_ERROR
							: DNS_NO_NAME);
		if (reverses[i].known)
			assert_memory_equal(answer.v + answer.n - 11 - 14,
					    "\7allowed\4test\0", 14);
		assert_int_equal(heard(world, ""), quiet);
	}
}

static void names_keep_their_numbers_until_there_are_no_more(void **state)
{
	struct world *world = *state;
	struct names *names = world->egress.names;
	struct answer answer;
	char name[32];

	for (uint32_t i = 1; i <= NAMES_MAX; i++) {
		(void)snprintf(name, sizeof(name), "n%u.wild.test", i);
		assert_int_equal(names_number(names, name), i);
	}
	for (uint32_t i = NAMES_MAX; i > 0; i--) {
		struct address address = { { [10] = 0xff, [11] = 0xff } };

		(void)snprintf(name, sizeof(name), "n%u.wild.test", i);
		assert_int_equal(names_number(names, name), i);
		names_address4(i, address.v + 12);
		assert_true(egress_address_stands_in(&address));
		assert_string_equal(names_find(names, &address), name);
		names_address6(i, address.v);
		assert_true(egress_address_stands_in(&address));
		assert_string_equal(names_find(names, &address), name);
	}
	assert_int_equal(names_number(names, "allowed.test"), 0);
	answer = ask(world, "allowed.test", DNS_A);
	assert_int_equal(code(&answer), DNS_SERVER_FAILURE);
	assert_int_equal(heard(world, "allowed.test"), EGRESS_BUDGET);
	answer = ask(world, "n7.wild.test", DNS_A);
	assert_int_equal(code(&answer), DNS_NO_ERROR);
}

static void addresses_of_others_are_not_ours(void **state)
{
	static const struct {
		const char *text;
		bool ours;
	} addresses[] = {
		{ "198.18.0.1", true },
		{ "198.19.255.255", true },
		{ "198.17.255.255", false },
		{ "198.20.0.0", false },
		{ "fd63:6f72:646e::", true },
		{ "fd63:6f72:646e::1:0:0", false },
		{ "::198.18.0.1", false },
	};
	const struct world *world = *state;

	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
		const char *text = addresses[i].text;
		struct address address;

		assert_true(address_parse(text, strlen(text), &address));
		assert_int_equal(egress_address_stands_in(&address),
				 addresses[i].ours);
		/* None was given out. */
		assert_null(names_find(world->egress.names, &address));
	}
}

struct stopper {
	struct timer timer;
	struct loop *loop;
};

static void stop(struct timer *timer)
{
	((struct stopper *)timer)->loop->stop = true;
}

/* Asks @at of 127.0.0.0/8 or ::1; a connected socket takes no answer from
 * elsewhere. */
static void assert_served_at(struct world *world, const char *at, uint16_t port)
{
	struct timer_queue queue = { .ms = 20 };
	struct stopper stopper = { { .expired = stop }, &world->egress.loop };
	struct sockaddr_in to4 = { .sin_family = AF_INET,
				   .sin_port = htons(port) };
	struct sockaddr_in6 to6 = { .sin6_family = AF_INET6,
				    .sin6_port = htons(port) };
	unsigned char message[512];
	struct address address;
	struct dns_reply reply;
	struct err err;
	ssize_t n;
	bool is4;
	int fd;

	assert_true(address_parse(at, strlen(at), &address));
	is4 = address_is_ipv4(&address);
	memcpy(&to4.sin_addr, address.v + 12, 4);
	memcpy(&to6.sin6_addr, address.v, 16);
	fd = socket(is4 ? AF_INET : AF_INET6, SOCK_DGRAM, 0);
	assert_int_equal(
		connect(fd,
			is4 ? (struct sockaddr *)&to4 : (struct sockaddr *)&to6,
			is4 ? sizeof(to4) : sizeof(to6)),
		0);
	n = (ssize_t)dns_question_format(7, "allowed.test", DNS_A, message,
					 sizeof(message));
	assert_int_equal(send(fd, message, (size_t)n, 0), n);
	timer_queue_add(&world->egress.loop, &queue);
	timer_start(&world->egress.loop, &queue, &stopper.timer);
	world->egress.loop.stop = false;
	assert_int_equal(loop_run(&world->egress.loop, &err), 0);
	world->egress.loop.queues = queue.next;
	n = recv(fd, message, sizeof(message), MSG_DONTWAIT);
	assert_true(n > 0);
	assert_int_equal(dns_reply_parse(message, (size_t)n, 7, "allowed.test",
					 DNS_A, &reply),
			 0);
	assert_int_equal(reply.n, 1);
	(void)close(fd);
}

static uint16_t port_of(int fd)
{
	struct sockaddr_in6 at;
	socklen_t n = sizeof(at);

	assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &n), 0);
	return ntohs(at.sin6_port);
}

static void the_address_that_was_asked_answers(void **state)
{
	struct world *world = *state;
	const struct sockaddr_in6 any = { .sin6_family = AF_INET6 };
	int fd = socket(AF_INET6, SOCK_DGRAM, 0);
	int off = 0;

	assert_int_equal(
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off)),
		0);
	assert_int_equal(bind(fd, (const struct sockaddr *)&any, sizeof(any)),
			 0);
	assert_int_equal(dns_listen(&world->egress, fd), 0);
	assert_served_at(world, "127.0.0.1", port_of(fd));
	assert_served_at(world, "127.0.0.53", port_of(fd));
	assert_served_at(world, "::1", port_of(fd));
	(void)close(fd);
}

static void a_socket_of_ipv4_serves_as_well(void **state)
{
	struct world *world = *state;
	const struct sockaddr_in any = { .sin_family = AF_INET };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	assert_int_equal(bind(fd, (const struct sockaddr *)&any, sizeof(any)),
			 0);
	assert_int_equal(dns_listen(&world->egress, fd), 0);
	assert_served_at(world, "127.0.0.1", port_of(fd));
	assert_served_at(world, "127.0.0.53", port_of(fd));
	(void)close(fd);
}

#define WORLD_TEST(f)                                                          \
	cmocka_unit_test_setup_teardown(f, world_open, world_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(each_name_gets_what_the_rules_say),
		WORLD_TEST(a_service_is_refused_as_its_name_is),
		WORLD_TEST(without_host_ports_the_host_has_no_name),
		WORLD_TEST(unfit_names_are_told_and_not_answered),
		WORLD_TEST(what_is_no_question_is_not_answered),
		WORLD_TEST(our_addresses_have_their_names),
		WORLD_TEST(names_keep_their_numbers_until_there_are_no_more),
		WORLD_TEST(addresses_of_others_are_not_ours),
		WORLD_TEST(the_address_that_was_asked_answers),
		WORLD_TEST(a_socket_of_ipv4_serves_as_well),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
