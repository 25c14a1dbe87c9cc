/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/network.c - starts and ends what serves a filtered network
 *
 * Runs in:  the supervisor.
 * Trusts:   the plan; of egress, which reads what strangers write, no more
 *           than reports of fixed size.
 * Must not: let the command start before egress is caged and serves.
 */
#include "run/network.h"

#include <errno.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "egress/egress.h"
#include "plan/plan.h"

enum { DRAIN_MS = 2000 };

static int bind_one(const struct egress_publish *publish, struct err *err)
{
	bool four = address_is_ipv4(&publish->address);
	int fd = socket(four ? AF_INET : AF_INET6,
			SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_in at4 = { .sin_family = AF_INET,
				   .sin_port = htons(publish->host_port) };
	struct sockaddr_in6 at6 = { .sin6_family = AF_INET6,
				    .sin6_port = htons(publish->host_port) };
	char text[ADDRESS_TEXT];

	memcpy(&at4.sin_addr, publish->address.v + 12, 4);
	memcpy(&at6.sin6_addr, publish->address.v, 16);
	address_format(&publish->address, text);
	if (fd >= 0) {
		(void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){ 1 },
				 sizeof(int));
		(void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &(int){ 1 },
				 sizeof(int));
	}
	if (fd < 0 ||
	    bind(fd, four ? (struct sockaddr *)&at4 : (struct sockaddr *)&at6,
		 four ? sizeof(at4) : sizeof(at6)) < 0 ||
	    listen(fd, SOMAXCONN) < 0) {
		err_sys(err, "publish port %u on %s:%u", publish->port, text,
			publish->host_port);
		err->kind = ERR_HOST;
		fd_close(&fd);
		return -1;
	}
	return fd;
}

int run_network_bind(const struct plan *plan, struct run_network *network,
		     struct err *err)
{
	size_t n = plan->egress.publish.n;

	*network = (struct run_network){ .channel = -1 };
	if (plan->network != POLICY_MODE_FILTERED || !n)
		return 0;
	network->publish = calloc(n, sizeof(int));
	if (!network->publish)
		return err_sys(err, "publish ports");
	for (size_t i = 0; i < n; i++) {
		network->publish[i] = bind_one(&plan->egress.publish.v[i], err);
		if (network->publish[i] < 0) {
			while (i-- > 0)
				fd_close(&network->publish[i]);
			return -1;
		}
	}
	return 0;
}

/* What the box hands out. */
struct sockets {
	int listeners[EGRESS_LISTENERS_MAX];
	int user; /* namespaces, for published ports; -1: none */
	int net;
};

/* Of the namespace that a socket was made in: 0 if it is not told. */
static uint64_t namespace_of(int socket)
{
	AUTO_CLOSE int fd = ioctl(socket, SIOCGSKNS);
	struct stat st;

	return fd < 0 || fstat(fd, &st) < 0 ? 0 : st.st_ino;
}

/* See enforce_network(). */
static int receive_sockets(const struct plan *plan, int control,
			   struct run_network *network, struct sockets *out)
{
	char message[2 + EGRESS_MESSAGE_MAX];
	int fds[EGRESS_MESSAGE_MAX];
	size_t n = EGRESS_MESSAGE_MAX;
	ssize_t size = fd_recv(control, message, sizeof(message), fds, &n);

	out->user = out->net = -1;
	for (size_t i = 0; i < plan->egress.listeners.n; i++)
		out->listeners[i] = -1;
	if (size < 2 || message[0] != 'L' || (size_t)size != 2 + n)
		return -1;
	network->every_port = message[1];
	network->namespace = n ? namespace_of(fds[0]) : 0;
	for (size_t i = 0; i < n; i++) {
		size_t which = (unsigned char)message[2 + i];

		if (which == EGRESS_NS_USER)
			out->user = fds[i];
		else if (which == EGRESS_NS_NET)
			out->net = fds[i];
		else if (which < plan->egress.listeners.n)
			out->listeners[which] = fds[i];
	}
	return 0;
}

/* A socket for a published port has to be made in the box's network. */
static int start_inside(const struct plan *plan, const struct sockets *sockets,
			struct run_network *network, struct err *err)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return err_sys(err, "reach the network of the box");
	network->inside = fork();
	if (network->inside == 0) {
		if (setns(sockets->user, CLONE_NEWUSER) < 0 ||
		    setns(sockets->net, CLONE_NEWNET) < 0)
			_exit(1);
		egress_inside_main(pair[1], &plan->cage);
	}
	(void)close(pair[1]);
	if (network->inside < 0) {
		(void)close(pair[0]);
		network->inside = 0;
		return err_sys(err, "start what publishes ports");
	}
	return pair[0];
}

static int await_ready(struct run_network *network, struct err *err)
{
	struct egress_report report = { 0 };
	ssize_t n = recv(network->channel, &report, sizeof(report), 0);

	report.text[sizeof(report.text) - 1] = '\0';
	if (n == (ssize_t)sizeof(report) && report.kind == EGRESS_READY)
		return 0;
	return err_set(err, ERR_SYS, "egress: %s",
		       n == (ssize_t)sizeof(report) ? report.text
						    : "it ended at once");
}

int run_network_start(const struct plan *plan, int control,
		      struct run_network *network, struct err *err)
{
	struct sockets sockets;
	AUTO_CLOSE int inside = -1;
	int pair[2], result = 0;

	if (receive_sockets(plan, control, network, &sockets) < 0)
		return 1;
	if (plan->egress.publish.n) {
		inside = start_inside(plan, &sockets, network, err);
		fd_close(&sockets.user);
		fd_close(&sockets.net);
		if (inside < 0)
			return -1;
	}
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return err_sys(err, "connect to egress");
	/* Before egress reads them: what is changed meanwhile is sent again. */
	if (!plan->egress.resolver.set)
		run_files_init(&network->files, EGRESS_HOSTS, EGRESS_SERVERS);
	network->egress = fork();
	if (network->egress == 0)
		egress_main(&(struct egress_start){
			.plan = &plan->egress,
			.cage = &plan->cage,
			.channel = pair[1],
			.listeners = sockets.listeners,
			.publish = network->publish,
			.inside = inside,
		});
	if (network->egress < 0) {
		network->egress = 0;
		result = err_sys(err, "start egress");
	}
	(void)close(pair[1]);
	network->channel = pair[0];
	for (size_t i = 0; i < plan->egress.listeners.n; i++)
		fd_close(&sockets.listeners[i]);
	for (size_t i = 0; i < plan->egress.publish.n; i++)
		fd_close(&network->publish[i]);
	return result < 0 ? -1 : await_ready(network, err);
}

int run_network_receive(struct run_network *network, struct egress_report *out)
{
	ssize_t n = network->channel < 0 ? -1
					 : recv(network->channel, out,
						sizeof(*out), MSG_DONTWAIT);

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n != (ssize_t)sizeof(*out))
		return -1;
	out->name[sizeof(out->name) - 1] = '\0';
	out->text[sizeof(out->text) - 1] = '\0';
	return 1;
}

int run_network_change(struct run_network *network,
		       const struct policy_list *allow,
		       const struct policy_list *deny, bool cut,
		       struct err *err)
{
	const struct egress_change change = { .kind = EGRESS_CHANGE,
					      .rules = network->rules + 1,
					      .cut = cut };
	char *message = malloc(EGRESS_CHANGE_MAX);
	size_t n = message ? egress_change_format(&change, allow, deny, message,
						  EGRESS_CHANGE_MAX)
			   : 0;
	int result = 0;

	if (!n)
		result = err_set(err, ERR_POLICY,
				 "the rules are larger than %d bytes",
				 EGRESS_CHANGE_MAX);
	else if (send(network->channel, message, n, MSG_NOSIGNAL) < 0)
		result = err_sys(err, "send the rules to egress");
	else
		network->rules++;
	free(message);
	return result;
}

static void end(pid_t *pid)
{
	if (*pid <= 0)
		return;
	(void)kill(*pid, SIGKILL);
	while (waitpid(*pid, NULL, 0) < 0 && errno == EINTR)
		;
	*pid = 0;
}

void run_network_drain(struct run_network *network)
{
	/* Its end is waited for, and what it has reported stays to be read. */
	struct pollfd channel = { .fd = network->channel };

	if (network->channel < 0)
		return;
	(void)shutdown(network->channel, SHUT_WR);
	(void)poll(&channel, 1, DRAIN_MS);
}

void run_network_stop(struct run_network *network)
{
	end(&network->egress);
	end(&network->inside);
	fd_close(&network->channel);
	free(network->publish);
	network->publish = NULL;
}
