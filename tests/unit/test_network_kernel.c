/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The network step on the running kernel. Each test is a process in namespaces
 * of its own that makes the box's network, gives up its capabilities and then
 * plays both sides: the command that connects, and egress that accepts.
 */
#include "enforce/enforce.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/rtnetlink.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/fd.h"
#include "enforce/netlink.h"
#include "enforce/steps.h"
#include "network_box.h"
#include "plan/plan.h"

static void run_box(void (*box)(void))
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (!pid) {
		alarm(30);
		box();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == MISSING)
		skip();
	assert_int_equal(status, 0);
}

static const struct place far[] = {
	{ "93.184.216.34", 443 },
	{ "198.18.0.7", 22 },
	{ "10.1.2.3", 53 },
	{ "169.254.169.254", 80 },
	{ "8.8.8.8", EGRESS_HTTP_PORT },
	{ "2606:4700::1111", 443 },
	{ "fd63:6f72:646e::7", 65535 },
};

static void box_streams(void)
{
	struct outside outside = make_tproxy_box();

	for (size_t i = 0; i < COUNT(far); i++)
		must_reach(outside.fds[STREAM], far[i]);
	MUST(outside.fds[STREAM_443] == -1 && outside.fds[STREAM_80] == -1);
	must_reach(outside.fds[STREAM], (struct place){ "127.0.0.53", 53 });
	must_reach(outside.fds[STREAM], (struct place){ "::1", 53 });
}

static void box_nothing(void)
{
	const struct plan none = { .network = POLICY_MODE_NONE };
	struct err err;

	enter_namespaces();
	MUST(enforce_network(&none, &(struct box){ .control = -1 }, &err) == 0);
	for (size_t i = 0; i < COUNT(far); i++) {
		int error = -connect_to(far[i], SOCK_STREAM);

		MUST(error == ENETUNREACH || error == EADDRNOTAVAIL);
	}
	MUST(connect_to((struct place){ "127.0.0.1", 443 }, SOCK_STREAM) ==
	     -ECONNREFUSED);
}

static void every_stream_reaches_the_listener(void **state)
{
	(void)state;
	run_box(box_streams);
	run_box(box_nothing);
}

static void box_loopback(void)
{
	static const struct place places[] = {
		{ "127.0.0.1", 8000 },
		{ "::1", 8000 },
		{ "127.0.0.2", 8001 },
	};
	struct outside outside;
	int low, server;

	enter_namespaces();
	outside = make_network();
	/* Only with a capability: no program of a box gets this port. */
	low = serve_at((struct place){ "0.0.0.0", 80 }, SOCK_STREAM);
	MUST(low >= 0);
	drop_capabilities();
	if (outside.fds[HOST6] == -1)
		_exit(MISSING);

	for (size_t i = 0; i < COUNT(places); i++) {
		MUST(connect_to(places[i], SOCK_STREAM) == -ECONNREFUSED);
		server = serve_at(places[i], SOCK_STREAM);
		MUST(server >= 0);
		must_reach(server, places[i]);
	}
	server = serve_at((struct place){ "::", 8080 }, SOCK_STREAM);
	MUST(server >= 0);
	must_reach(server, (struct place){ "127.0.0.1", 8080 });
	must_reach(server, (struct place){ "::1", 8080 });
	must_reach(low, (struct place){ "127.0.0.1", 80 });
	if (outside.tproxy) {
		must_reach(outside.fds[STREAM],
			   (struct place){ "1.2.3.4", 80 });
		must_reach(outside.fds[STREAM],
			   (struct place){ "2001:db8::1", 8080 });
	}
}

static void servers_on_the_loopback_stay_inside(void **state)
{
	(void)state;
	run_box(box_loopback);
}

static void box_proxies(void)
{
	struct outside outside = make_box();

	must_reach(outside.fds[HTTP],
		   (struct place){ "127.0.0.1", EGRESS_HTTP_PORT });
	must_reach(outside.fds[HOST4], (struct place){ "127.0.0.1", 5432 });
	must_reach(outside.fds[HOST6], (struct place){ "::1", 5432 });
}

static void proxies_and_host_ports_listen(void **state)
{
	(void)state;
	run_box(box_proxies);
}

/* Sends back what came, with what came beside it: from the address asked. */
static void echo(int fd)
{
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	_Alignas(struct cmsghdr) char control[128];
	struct sockaddr_in6 client;
	char data[16];
	struct iovec iov = { data, sizeof(data) };
	struct msghdr msg = { .msg_name = &client,
			      .msg_namelen = sizeof(client),
			      .msg_iov = &iov,
			      .msg_iovlen = 1,
			      .msg_control = control,
			      .msg_controllen = sizeof(control) };
	ssize_t n;

	MUST(poll(&ready, 1, 5000) == 1);
	n = recvmsg(fd, &msg, 0);
	MUST(n > 0 && CMSG_FIRSTHDR(&msg));
	MUST(!CMSG_NXTHDR(&msg, CMSG_FIRSTHDR(&msg)));
	iov.iov_len = (size_t)n;
	MUST(sendmsg(fd, &msg, 0) == n);
}

/* The client is connected, so it takes answers of that address alone. */
static void must_answer(const struct outside *outside, const char *address)
{
	int client = connect_to((struct place){ address, 53 }, SOCK_DGRAM);
	char data[16];

	MUST(client >= 0 && send(client, "name?", 5, 0) == 5);
	echo(outside->fds[DNS]);
	MUST(recv(client, data, sizeof(data), 0) == 5);
	close(client);
}

static void box_names(void)
{
	struct outside outside = make_box();

	must_answer(&outside, "127.0.0.1");
	must_answer(&outside, "127.0.0.53");
	must_answer(&outside, "8.8.8.8");
	must_answer(&outside, "::1");
	must_answer(&outside, "2001:4860:4860::8888");
}

static void every_name_server_is_ours(void **state)
{
	(void)state;
	run_box(box_names);
}

static void box_datagrams(void)
{
	static const struct place places[] = {
		{ "127.0.0.1", 443 },
		{ "8.8.8.8", 443 },
		{ "::1", 443 },
		{ "2606:4700::1111", 443 },
	};

	make_box();
	for (size_t i = 0; i < COUNT(places); i++) {
		int fd = connect_to(places[i], SOCK_DGRAM);
		char byte;

		MUST(fd >= 0 && send(fd, "quic", 4, 0) == 4);
		/* At once: the answer was there when send() returned. */
		MUST(recv(fd, &byte, 1, MSG_DONTWAIT) < 0 &&
		     errno == ECONNREFUSED);
		close(fd);
	}
}

static void other_datagrams_are_refused_at_once(void **state)
{
	(void)state;
	run_box(box_datagrams);
}

/* socket(AF_NETLINK, …, NETLINK_NETFILTER) fails, as without nftables. */
static void forbid_netfilter(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 5),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, args[0])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_NETLINK, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, NETLINK_NETFILTER, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPROTONOSUPPORT),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { COUNT(filter), filter };

	MUST(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
	MUST(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) == 0);
}

static void box_ports(void)
{
	struct outside outside;

	forbid_netfilter();
	outside = make_box();
	MUST(!outside.tproxy);
	must_reach(outside.fds[STREAM_443], (struct place){ "1.2.3.4", 443 });
	must_reach(outside.fds[STREAM_443],
		   (struct place){ "2606:4700::1111", 443 });
	must_reach(outside.fds[STREAM_80], (struct place){ "1.2.3.4", 80 });
	must_reach(outside.fds[STREAM], (struct place){ "8.8.8.8", 53 });
	MUST(connect_to((struct place){ "1.2.3.4", 22 }, SOCK_STREAM) ==
	     -ECONNREFUSED);
	MUST(connect_to((struct place){ "2606:4700::1111", 22 }, SOCK_STREAM) ==
	     -ECONNREFUSED);
	must_answer(&outside, "8.8.8.8");
	must_answer(&outside, "2001:4860:4860::8888");
}

static void without_tproxy_the_ports_of_rules_listen(void **state)
{
	(void)state;
	run_box(box_ports);
}

static void box_without_ipv6(void)
{
	struct outside outside;
	int fd;

	enter_namespaces();
	fd = open("/proc/sys/net/ipv6/conf/all/disable_ipv6",
		  O_WRONLY | O_CLOEXEC);
	if (fd >= 0) {
		MUST(write(fd, "1", 1) == 1);
		close(fd);
	} else if (errno != ENOENT) { /* /proc/sys is read-only */
		_exit(MISSING);
	}
	outside = make_network();
	drop_capabilities();
	MUST(outside.fds[HOST6] == -1);
	must_answer(&outside, "127.0.0.1");
	must_answer(&outside, "8.8.8.8");
	must_reach(outside.fds[HOST4], (struct place){ "127.0.0.1", 5432 });
	must_reach(outside.fds[outside.tproxy ? STREAM : STREAM_443],
		   (struct place){ "1.2.3.4", 443 });
}

static void without_ipv6_there_is_ipv4(void **state)
{
	(void)state;
	run_box(box_without_ipv6);
}

/* The errno of a request to delete the routes, or the rules, of the box. */
static int delete_route(void)
{
	const struct rtmsg head = { .rtm_family = AF_INET,
				    .rtm_table = RT_TABLE_LOCAL,
				    .rtm_scope = RT_SCOPE_NOWHERE,
				    .rtm_type = RTN_LOCAL };
	int errors[NETLINK_REQUESTS_MAX];
	struct netlink batch;

	netlink_init(&batch);
	netlink_request(&batch, RTM_DELROUTE, NLM_F_ACK, &head, sizeof(head));
	MUST(netlink_exchange(&batch, NETLINK_ROUTE, errors) == 0);
	return errors[0];
}

static int delete_rules(void)
{
	const struct nfgenmsg mark = { .res_id = htons(NFNL_SUBSYS_NFTABLES) };
	const struct nfgenmsg every = { 0 };
	int errors[NETLINK_REQUESTS_MAX];
	struct netlink batch;

	netlink_init(&batch);
	netlink_request(&batch, NFNL_MSG_BATCH_BEGIN, 0, &mark, sizeof(mark));
	netlink_request(&batch, NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_DELTABLE,
			NLM_F_ACK, &every, sizeof(every));
	netlink_request(&batch, NFNL_MSG_BATCH_END, 0, &mark, sizeof(mark));
	MUST(netlink_exchange(&batch, NETLINK_NETFILTER, errors) == 0);
	return errors[0] ? errors[0] : errors[1];
}

static void box_undo(void)
{
	struct outside outside = make_tproxy_box();

	MUST(delete_route() == EPERM);
	MUST(delete_rules() == EPERM);
	must_reach(outside.fds[STREAM], far[0]);
	MUST(serve_at((struct place){ "127.0.0.1", EGRESS_HTTP_PORT },
		      SOCK_STREAM) == -EADDRINUSE);
	MUST(serve_at((struct place){ "::", EGRESS_HTTP_PORT }, SOCK_STREAM) ==
	     -EADDRINUSE);
	MUST(serve_at((struct place){ "8.8.8.8", 53 }, SOCK_DGRAM) == -EACCES);
	MUST(serve_at((struct place){ "8.8.8.8", 53 }, SOCK_STREAM) == -EACCES);
}

/* The same requests by somebody who may. */
static void box_undone(void)
{
	struct outside outside;

	enter_namespaces();
	outside = make_network();
	if (!outside.tproxy)
		_exit(MISSING);
	MUST(delete_rules() == 0);
	MUST(connect_to(far[0], SOCK_STREAM) == -ECONNREFUSED);
	MUST(delete_route() == 0);
	MUST(connect_to(far[0], SOCK_STREAM) == -ENETUNREACH);
}

static void nothing_inside_can_undo_it(void **state)
{
	(void)state;
	run_box(box_undo);
	run_box(box_undone);
}

static void box_descriptors(void)
{
	struct outside outside;
	int pair[2], before, after;
	struct err err;

	enter_namespaces();
	MUST(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0);
	before = dup(0);
	close(before);
	MUST(enforce_network(&filtered, &(struct box){ .control = pair[1] },
			     &err) == 0);
	after = dup(0);
	close(after);
	MUST(before == after);

	outside = receive(pair[0]);
	for (size_t i = 0; i < LISTENERS; i++) {
		int fd = outside.fds[i];

		if (fd < 0)
			continue;
		MUST(fcntl(fd, F_GETFL) & O_NONBLOCK);
		MUST(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	}
}

static void listeners_belong_to_egress_alone(void **state)
{
	(void)state;
	run_box(box_descriptors);
}

/* A port that is taken: no box without one of its listeners. */
static void box_fails(void)
{
	struct err err;
	int pair[2], taken;
	char byte;

	enter_namespaces();
	MUST(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0);
	taken = serve_at((struct place){ "0.0.0.0", 5432 }, SOCK_STREAM);
	MUST(taken >= 0);
	MUST(enforce_network(&filtered, &(struct box){ .control = pair[1] },
			     &err) < 0);
	MUST(err.sys == EADDRINUSE && strstr(err.msg, "5432"));
	MUST(recv(pair[0], &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN);
}

/* And none where the network is not the box's to change. */
static void box_may_not(void)
{
	struct err err;

	enter_namespaces();
	drop_capabilities();
	MUST(enforce_network(&filtered, &(struct box){ .control = -1 }, &err) <
	     0);
	MUST(err.sys == EPERM);
}

/* Nor where the routes are not what the step would make them. */
static void box_again(void)
{
	struct err err;

	enter_namespaces();
	make_network();
	MUST(enforce_network(&filtered, &(struct box){ .control = -1 }, &err) <
	     0);
	MUST(err.sys == EEXIST && strstr(err.msg, "every address"));
}

static void a_failure_stops_the_box(void **state)
{
	(void)state;
	run_box(box_fails);
	run_box(box_may_not);
	run_box(box_again);
}

/* As many as one message carries, and the order in which they are named. */
static void box_many(void)
{
	struct egress_listener many[EGRESS_LISTENERS_MAX];
	struct plan plan = {
		.network = POLICY_MODE_FILTERED,
		.egress.listeners = { many, COUNT(many) },
	};
	unsigned char message[256];
	int pair[2], fds[FD_MESSAGE_MAX];
	size_t n = COUNT(fds);
	struct err err;

	for (size_t i = 0; i < COUNT(many); i++)
		many[i] = (struct egress_listener){
			EGRESS_HOST_PORT,
			EGRESS_AT_LOOPBACK,
			(uint16_t)(2000 + i),
		};
	enter_namespaces();
	MUST(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == 0);
	MUST(enforce_network(&plan, &(struct box){ .control = pair[1] },
			     &err) == 0);
	MUST(fd_recv(pair[0], message, sizeof(message), fds, &n) ==
	     2 + EGRESS_LISTENERS_MAX);
	MUST(n == EGRESS_LISTENERS_MAX);
	for (size_t i = 0; i < n; i++) {
		MUST(message[2 + i] == i);
		MUST(is_at(fds[i],
			   (struct place){ "127.0.0.1", many[i].port }));
	}
}

static void many_listeners_are_one_message(void **state)
{
	(void)state;
	run_box(box_many);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_stream_reaches_the_listener),
		cmocka_unit_test(servers_on_the_loopback_stay_inside),
		cmocka_unit_test(proxies_and_host_ports_listen),
		cmocka_unit_test(every_name_server_is_ours),
		cmocka_unit_test(other_datagrams_are_refused_at_once),
		cmocka_unit_test(without_tproxy_the_ports_of_rules_listen),
		cmocka_unit_test(without_ipv6_there_is_ipv4),
		cmocka_unit_test(nothing_inside_can_undo_it),
		cmocka_unit_test(listeners_belong_to_egress_alone),
		cmocka_unit_test(a_failure_stops_the_box),
		cmocka_unit_test(many_listeners_are_one_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
