/* SPDX-License-Identifier: Apache-2.0 */
/*
 * enforce/network.c - the box's own network: a loopback that every address
 * leads to, and the sockets behind which the egress process serves them
 *
 * Runs in:  box init; the namespace was made with the process.
 * Trusts:   the plan.
 * Must not: touch the host's network: with `host` it does nothing. Keep a
 *           listener: nothing inside may accept what egress is to judge.
 *
 * The empty namespace is the boundary. What is made here only leads to egress
 * those who do not ask for it; whoever undid it would have no network at all.
 */
#include <arpa/inet.h>
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "base/err.h"
#include "base/fault.h"
#include "base/fd.h"
#include "enforce/enforce.h"
#include "enforce/netlink.h"
#include "enforce/steps.h"
#include "plan/plan.h"

enum {
	LOOPBACK_INDEX = 1, /* the first interface of every namespace */
	BACKLOG = 1024,
	/* of <linux/netfilter.h> and <linux/netfilter_ipv4.h>, which do not go
	 * together with <netinet/in.h> */
	FAMILY_INET = 1, /* both of the next */
	FAMILY_IPV4 = 2,
	FAMILY_IPV6 = 10,
	HOOK_PREROUTING = 0,
	PRIORITY_MANGLE = -150,
	LOOPBACK_NET = 127,
};

#define TABLE "cordon"
#define CHAIN "egress"

struct listeners {
	unsigned char head[2 + EGRESS_MESSAGE_MAX]; /* of the message */
	int fds[EGRESS_MESSAGE_MAX];
	size_t n;
};

static int loopback_up(struct err *err)
{
	AUTO_CLOSE int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq request = { .ifr_name = "lo", .ifr_flags = IFF_UP };

	if (fd < 0)
		return err_sys(err, "open a socket");
	if (ioctl(fd, SIOCSIFFLAGS, &request) < 0)
		return err_sys(err, "bring the loopback up");
	return 0;
}

/* Makes every address one of the box's own. What nobody listens to is refused
 * at once, by a reset or by "port unreachable". */
static void put_route(struct netlink *batch, unsigned char family,
		      uint16_t flags, const void *source, size_t n)
{
	const struct rtmsg head = {
		.rtm_family = family,
		.rtm_table = RT_TABLE_LOCAL,
		.rtm_protocol = RTPROT_STATIC,
		.rtm_scope = RT_SCOPE_HOST,
		.rtm_type = RTN_LOCAL,
	};
	const uint32_t loopback = LOOPBACK_INDEX;

	netlink_request(batch, RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL | flags,
			&head, sizeof(head));
	netlink_put(batch, RTA_OIF, &loopback, sizeof(loopback));
	netlink_put(batch, RTA_PREFSRC, source, n);
}

/* The answers of a kernel without IPv6, and of one where it is disabled. */
static bool is_missing(int error)
{
	return error == EOPNOTSUPP || error == EAFNOSUPPORT || error == EACCES;
}

static int add_routes(bool *ipv6, struct err *err)
{
	const struct in_addr source = { htonl(INADDR_LOOPBACK) };
	struct netlink batch;
	int errors[NETLINK_REQUESTS_MAX];

	netlink_init(&batch);
	put_route(&batch, AF_INET6, 0, &in6addr_loopback,
		  sizeof(in6addr_loopback));
	put_route(&batch, AF_INET, NLM_F_ACK, &source, sizeof(source));
	if (netlink_exchange(&batch, NETLINK_ROUTE, errors) < 0)
		return err_sys(err, "ask for routes");
	*ipv6 = !is_missing(errors[0]);
	errno = *ipv6 && errors[0] ? errors[0] : errors[1];
	if (errno)
		return err_sys(err, "lead every address to the loopback");
	return 0;
}

static void open_expression(struct netlink *batch, const char *name)
{
	netlink_open(batch, NFTA_LIST_ELEM);
	netlink_put_text(batch, NFTA_EXPR_NAME, name);
	netlink_open(batch, NFTA_EXPR_DATA);
}

static void close_expression(struct netlink *batch)
{
	netlink_close(batch);
	netlink_close(batch);
}

static void put_value(struct netlink *batch, uint16_t type, const void *value,
		      size_t n)
{
	netlink_open(batch, type);
	netlink_put(batch, NFTA_DATA_VALUE, value, n);
	netlink_close(batch);
}

/* The rule goes on if what was loaded compares as @op says. */
static void put_compare(struct netlink *batch, uint32_t op, const void *value,
			size_t n)
{
	open_expression(batch, "cmp");
	netlink_put_be32(batch, NFTA_CMP_SREG, NFT_REG_1);
	netlink_put_be32(batch, NFTA_CMP_OP, op);
	put_value(batch, NFTA_CMP_DATA, value, n);
	close_expression(batch);
}

static void put_meta_is(struct netlink *batch, uint32_t key, uint8_t value)
{
	open_expression(batch, "meta");
	netlink_put_be32(batch, NFTA_META_KEY, key);
	netlink_put_be32(batch, NFTA_META_DREG, NFT_REG_1);
	close_expression(batch);
	put_compare(batch, NFT_CMP_EQ, &value, sizeof(value));
}

/* @n bytes at @offset of the address header are not @value. */
static void put_header_is_not(struct netlink *batch, uint32_t offset,
			      const void *value, size_t n)
{
	open_expression(batch, "payload");
	netlink_put_be32(batch, NFTA_PAYLOAD_DREG, NFT_REG_1);
	netlink_put_be32(batch, NFTA_PAYLOAD_BASE, NFT_PAYLOAD_NETWORK_HEADER);
	netlink_put_be32(batch, NFTA_PAYLOAD_OFFSET, offset);
	netlink_put_be32(batch, NFTA_PAYLOAD_LEN, (uint32_t)n);
	close_expression(batch);
	put_compare(batch, NFT_CMP_NEQ, value, n);
}

static void put_tproxy(struct netlink *batch, uint8_t family, uint16_t port)
{
	port = htons(port);
	open_expression(batch, "immediate");
	netlink_put_be32(batch, NFTA_IMMEDIATE_DREG, NFT_REG_1);
	put_value(batch, NFTA_IMMEDIATE_DATA, &port, sizeof(port));
	close_expression(batch);
	open_expression(batch, "tproxy");
	netlink_put_be32(batch, NFTA_TPROXY_FAMILY, family);
	netlink_put_be32(batch, NFTA_TPROXY_REG_PORT, NFT_REG_1);
	close_expression(batch);
}

static void put_nft(struct netlink *batch, uint16_t type, uint16_t flags,
		    uint8_t family)
{
	const struct nfgenmsg head = { .nfgen_family = family };

	netlink_request(batch, (uint16_t)(NFNL_SUBSYS_NFTABLES << 8 | type),
			flags, &head, sizeof(head));
}

static void put_batch_mark(struct netlink *batch, uint16_t type)
{
	const struct nfgenmsg head = { .res_id = htons(NFNL_SUBSYS_NFTABLES) };

	netlink_request(batch, type, 0, &head, sizeof(head));
}

/* TCP of @family to other than the loopback's own addresses goes to the
 * stream listener, whatever its port. */
static void put_rule(struct netlink *batch, uint8_t table, uint8_t family,
		     uint16_t flags)
{
	const uint8_t loopback = LOOPBACK_NET;

	put_nft(batch, NFT_MSG_NEWRULE, NLM_F_CREATE | NLM_F_APPEND | flags,
		table);
	netlink_put_text(batch, NFTA_RULE_TABLE, TABLE);
	netlink_put_text(batch, NFTA_RULE_CHAIN, CHAIN);
	netlink_open(batch, NFTA_RULE_EXPRESSIONS);
	put_meta_is(batch, NFT_META_NFPROTO, family);
	put_meta_is(batch, NFT_META_L4PROTO, IPPROTO_TCP);
	if (family == FAMILY_IPV4)
		put_header_is_not(batch, 16, &loopback, sizeof(loopback));
	else
		put_header_is_not(batch, 24, &in6addr_loopback,
				  sizeof(in6addr_loopback));
	put_tproxy(batch, family, EGRESS_DNS_PORT);
	netlink_close(batch);
}

static void put_chain(struct netlink *batch, uint8_t table)
{
	put_nft(batch, NFT_MSG_NEWCHAIN, NLM_F_CREATE, table);
	netlink_put_text(batch, NFTA_CHAIN_TABLE, TABLE);
	netlink_put_text(batch, NFTA_CHAIN_NAME, CHAIN);
	netlink_open(batch, NFTA_CHAIN_HOOK);
	netlink_put_be32(batch, NFTA_HOOK_HOOKNUM, HOOK_PREROUTING);
	netlink_put_be32(batch, NFTA_HOOK_PRIORITY, (uint32_t)PRIORITY_MANGLE);
	netlink_close(batch);
	netlink_put_text(batch, NFTA_CHAIN_TYPE, "filter");
}

/*
 * What leaves comes back in through the loopback, so the hook for packets that
 * arrive sees it. All or nothing: the kernel takes back a batch of which one
 * request fails. Kernels without nftables have one listener per port.
 */
static bool add_tproxy(bool ipv6)
{
	uint8_t table = ipv6 ? FAMILY_INET : FAMILY_IPV4;
	int errors[NETLINK_REQUESTS_MAX];
	struct netlink batch;

	if (fault_injected("tproxy"))
		return false;
	netlink_init(&batch);
	put_batch_mark(&batch, NFNL_MSG_BATCH_BEGIN);
	put_nft(&batch, NFT_MSG_NEWTABLE, NLM_F_CREATE, table);
	netlink_put_text(&batch, NFTA_TABLE_NAME, TABLE);
	put_chain(&batch, table);
	if (ipv6)
		put_rule(&batch, table, FAMILY_IPV6, 0);
	put_rule(&batch, table, FAMILY_IPV4, NLM_F_ACK);
	put_batch_mark(&batch, NFNL_MSG_BATCH_END);
	if (netlink_exchange(&batch, NETLINK_NETFILTER, errors) < 0)
		return false;
	for (size_t i = 0; i < batch.requests; i++) {
		if (errors[i])
			return false;
	}
	return true;
}

static int set_option(int fd, int level, int option)
{
	return setsockopt(fd, level, option, &(int){ 1 }, sizeof(int));
}

/*
 * A socket of IPv6 takes both families, and tells of both in its own terms.
 * DNS answers from the address that was asked: a route alone does not make it
 * one that IPv6 lets a socket send from.
 */
static int set_options(int fd, int family, enum egress_listener_kind kind)
{
	bool ipv6 = family == AF_INET6;
	int level = ipv6 ? IPPROTO_IPV6 : IPPROTO_IP;

	if (kind == EGRESS_STREAM)
		return set_option(fd, level,
				  ipv6 ? IPV6_TRANSPARENT : IP_TRANSPARENT);
	if (kind != EGRESS_DNS)
		return 0;
	if (ipv6 && set_option(fd, level, IPV6_FREEBIND) < 0)
		return -1;
	return set_option(fd, level, ipv6 ? IPV6_RECVPKTINFO : IP_PKTINFO);
}

static int bind_to(int fd, int family, const struct egress_listener *want)
{
	struct sockaddr_in6 in6 = {
		.sin6_family = AF_INET6,
		.sin6_port = htons(want->port),
		.sin6_addr = want->at == EGRESS_AT_ANY ? in6addr_any
						       : in6addr_loopback,
	};
	struct sockaddr_in in = {
		.sin_family = AF_INET,
		.sin_port = htons(want->port),
		.sin_addr.s_addr =
			htonl(want->at == EGRESS_AT_ANY ? INADDR_ANY
							: INADDR_LOOPBACK),
	};

	if (family == AF_INET6)
		return bind(fd, (struct sockaddr *)&in6, sizeof(in6));
	return bind(fd, (struct sockaddr *)&in, sizeof(in));
}

/* Without SO_REUSEPORT, so that nothing inside shares the port. */
static int listener_open(const struct egress_listener *want, int family)
{
	AUTO_CLOSE int fd = -1;
	int type = want->kind == EGRESS_DNS ? SOCK_DGRAM : SOCK_STREAM;

	fd = socket(family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0 || set_options(fd, family, want->kind) < 0 ||
	    bind_to(fd, family, want) < 0)
		return -1;
	if (type == SOCK_STREAM && listen(fd, BACKLOG) < 0)
		return -1;
	return fd_take(&fd);
}

static bool is_wanted(const struct egress_listener *listener, bool ipv6,
		      bool tproxy)
{
	if (listener->at == EGRESS_AT_LOOPBACK6 && !ipv6)
		return false;
	/* DNS over TCP ends at EGRESS_STREAM in any case. */
	return !tproxy || listener->kind != EGRESS_STREAM_PORT;
}

static int open_listeners(const struct plan_egress *egress, bool ipv6,
			  bool tproxy, struct listeners *out, struct err *err)
{
	assert(egress->listeners.n <= EGRESS_LISTENERS_MAX);
	out->head[0] = 'L';
	out->head[1] = tproxy;
	for (size_t i = 0; i < egress->listeners.n; i++) {
		const struct egress_listener *listener =
			&egress->listeners.v[i];
		int family = listener->at != EGRESS_AT_LOOPBACK && ipv6
				     ? AF_INET6
				     : AF_INET;
		int fd;

		if (!is_wanted(listener, ipv6, tproxy))
			continue;
		fd = listener_open(listener, family);
		if (fd < 0)
			return err_sys(err, "listen on port %u",
				       listener->port);
		out->head[2 + out->n] = (unsigned char)i;
		out->fds[out->n++] = fd;
	}
	return 0;
}

static int add_namespace(const char *path, unsigned char number,
			 struct listeners *out, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return err_sys(err, "open '%s'", path);
	out->head[2 + out->n] = number;
	out->fds[out->n++] = fd;
	return 0;
}

/* Sockets that lead to published ports are made here, by a process of the
 * supervisor's. */
static int add_namespaces(const struct plan_egress *egress,
			  struct listeners *out, struct err *err)
{
	if (!egress->publish.n)
		return 0;
	if (add_namespace("/proc/self/ns/user", EGRESS_NS_USER, out, err) < 0)
		return -1;
	return add_namespace("/proc/self/ns/net", EGRESS_NS_NET, out, err);
}

int enforce_network(const struct plan *plan, struct box *box, struct err *err)
{
	struct listeners listeners = { .n = 0 };
	bool ipv6 = false, tproxy;

	if (plan->network == POLICY_MODE_HOST)
		return 0;
	if (loopback_up(err) < 0)
		return -1;
	if (plan->network != POLICY_MODE_FILTERED)
		return 0;
	if (add_routes(&ipv6, err) < 0)
		return -1;
	tproxy = add_tproxy(ipv6);
	if (open_listeners(&plan->egress, ipv6, tproxy, &listeners, err) < 0 ||
	    add_namespaces(&plan->egress, &listeners, err) < 0 ||
	    fd_send(box->control, listeners.head, 2 + listeners.n,
		    listeners.fds, listeners.n, err) < 0)
		return -1;
	for (size_t i = 0; i < listeners.n; i++)
		fd_close(&listeners.fds[i]);
	return 0;
}
