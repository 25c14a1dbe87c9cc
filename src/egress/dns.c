/* SPDX-License-Identifier: Apache-2.0 */
/*
 * egress/dns.c - the box's name server
 *
 * Runs in:  the egress process.
 * Trusts:   the rules.
 * Must not: ask anybody. What a box puts into a question ends here.
 */
#include "egress/dns.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "egress/names.h"
#include "egress/state.h"
#include "wire/dns.h"

enum {
	TTL_S = 60,
	BATCH = 32, /* datagrams, before others have their turn */
	HEAD_MAX = 12 + DNS_NAME_MAX + 2 + 4,
	RECORD_HEAD = 12,
	OPT_SIZE = 11,
};

_Static_assert(HEAD_MAX + RECORD_HEAD + 16 + OPT_SIZE <= DNS_ANSWER_MAX,
	       "an address fits behind any question");

/* One question, and where its answer goes. */
struct exchange {
	struct egress *egress;
	struct dns_question question;
	const void *data;
	uint16_t from;
	void *out;
	size_t room;
};

static size_t answer_code(const struct exchange *x, enum dns_code code)
{
	return dns_answer_format(&x->question, x->data, code, NULL, 0, 0,
				 x->out, x->room);
}

/* The address of the type that was asked for, or none. */
static size_t answer_address(const struct exchange *x,
			     const unsigned char v4[4],
			     const unsigned char v6[16])
{
	bool is4 = x->question.type == DNS_A;

	if (!is4 && x->question.type != DNS_AAAA)
		return answer_code(x, DNS_NO_ERROR);
	return dns_answer_format(&x->question, x->data, DNS_NO_ERROR,
				 is4 ? v4 : v6, 1, TTL_S, x->out, x->room);
}

static size_t refuse(const struct exchange *x,
		     const struct egress_target *target,
		     const struct egress_verdict *verdict, enum dns_code code)
{
	egress_refused(x->egress, target, NULL, verdict, NULL, EGRESS_BY_DNS,
		       x->from);
	return answer_code(x, code);
}

/* No name at all: no rule could allow it. */
static size_t refuse_unfit(const struct exchange *x)
{
	const struct egress_verdict verdict = { .why = EGRESS_MALFORMED };
	struct egress_target target = { .port = 0 };

	_Static_assert(sizeof(target.name) >= sizeof(x->question.name),
		       "it holds every name");
	memcpy(target.name, x->question.name, sizeof(x->question.name));
	return refuse(x, &target, &verdict, DNS_NO_NAME);
}

/* Is @name @domain, or below it, with @front characters in front? */
static bool is_below(const char *name, const char *domain, size_t *front)
{
	size_t n = strlen(name), m = strlen(domain);

	if (n < m || strcmp(name + n - m, domain) != 0 ||
	    (n > m && name[n - m - 1] != '.'))
		return false;
	*front = n > m ? n - m - 1 : 0;
	return true;
}

/* d.c.b.a → a.b.c.d */
static bool reverse4_parse(const char *text, size_t n, struct address *out)
{
	char forward[16];
	size_t end = n, to = 0;

	if (n >= sizeof(forward))
		return false;
	for (;;) {
		size_t begin = end;

		while (begin > 0 && text[begin - 1] != '.')
			begin--;
		memcpy(forward + to, text + begin, end - begin);
		to += end - begin;
		if (begin == 0)
			return address_parse(forward, to, out);
		forward[to++] = '.';
		end = begin - 1;
	}
}

/* 32 digits, the last of the address first. */
static bool reverse6_parse(const char *text, size_t n, struct address *out)
{
	static const char digits[] = "0123456789abcdef";

	if (n != 63)
		return false;
	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < 32; i++) {
		const char *digit = strchr(digits, text[2 * i]);

		if (!digit || (i < 31 && text[2 * i + 1] != '.'))
			return false;
		out->v[15 - i / 2] |=
			(unsigned char)((digit - digits) << (i % 2 ? 4 : 0));
	}
	return true;
}

/* Is it a question for the name of an address? */
static bool serve_reverse(const struct exchange *x, size_t *size)
{
	const char *asked = x->question.name;
	struct address address;
	const char *name = NULL;
	size_t front;
	bool is_address;

	if (x->question.type != DNS_PTR)
		return false;
	if (is_below(asked, "in-addr.arpa", &front))
		is_address = reverse4_parse(asked, front, &address);
	else if (is_below(asked, "ip6.arpa", &front))
		is_address = reverse6_parse(asked, front, &address);
	else
		return false;
	/* Others have no name here. Programs ask for them by habit, when they
	 * write a log: that is nobody's attempt to go anywhere. */
	if (is_address)
		name = names_find(x->egress->names, &address);
	*size = name ? dns_answer_format_name(&x->question, x->data, name,
					      TTL_S, x->out, x->room)
		     : answer_code(x, DNS_NO_NAME);
	return true;
}

/* Tunnels carry what they carry in these; programs that want to connect need
 * none of them. */
static bool is_unserved(uint16_t type)
{
	return type == DNS_NULL || type == DNS_TXT ||
	       (type >= DNS_META && type <= 255);
}

static size_t serve_allowed(const struct exchange *x,
			    const struct egress_target *target)
{
	const struct egress_verdict budget = { .why = EGRESS_BUDGET };
	unsigned char v4[4], v6[16];
	uint32_t number;

	if (is_unserved(x->question.type))
		return answer_code(x, DNS_REFUSED);
	if (x->question.type != DNS_A && x->question.type != DNS_AAAA)
		return answer_code(x, DNS_NO_ERROR);
	number = names_number(x->egress->names, target->name);
	if (!number)
		return refuse(x, target, &budget, DNS_SERVER_FAILURE);
	names_address4(number, v4);
	names_address6(number, v6);
	return answer_address(x, v4, v6);
}

/* Labels like _http._tcp in front of a name ask for a service of it. There are
 * none here, and who may not know the name may not know that. */
static const char *service_skip(const char *name)
{
	while (*name == '_' && strchr(name, '.'))
		name = strchr(name, '.') + 1;
	return name;
}

static bool is_host_name(const struct egress *egress, const char *name)
{
	return egress->start->plan->host_ports.n > 0 &&
	       !strcmp(name, EGRESS_HOST_NAME);
}

static size_t serve_name(const struct exchange *x)
{
	const char *name = service_skip(x->question.name);
	struct egress_target target;
	struct egress_verdict verdict;

	/* An address is no name: who has it need not ask. */
	if (!egress_target_parse(name, strlen(name), 0, &target) ||
	    target.is_address)
		return refuse_unfit(x);
	if (!is_host_name(x->egress, target.name) &&
	    !egress_judge_name(&x->egress->rules, target.name, &verdict))
		return refuse(x, &target, &verdict, DNS_NO_NAME);
	if (name != x->question.name)
		return answer_code(x, DNS_NO_NAME);
	return serve_allowed(x, &target);
}

size_t dns_serve(struct egress *egress, const void *question, size_t n,
		 uint16_t from, void *out, size_t room)
{
	static const unsigned char loopback4[4] = { 127, 0, 0, 1 };
	static const unsigned char loopback6[16] = { [15] = 1 };
	struct exchange x = {
		.egress = egress,
		.data = question,
		.from = from,
		.out = out,
		.room = room,
	};
	int code = dns_question_parse(question, n, &x.question);
	size_t front;
	size_t size;

	if (code < 0)
		return 0;
	if (code != DNS_NO_ERROR)
		return answer_code(&x, (enum dns_code)code);
	if (x.question.unfit)
		return refuse_unfit(&x);
	/* RFC 6761, 6.3 */
	if (is_below(x.question.name, "localhost", &front))
		return answer_address(&x, loopback4, loopback6);
	if (serve_reverse(&x, &size))
		return size;
	return serve_name(&x);
}

struct listener {
	struct source source;
	struct egress *egress;
};

/* False: there was nothing to serve. */
static bool serve_datagram(struct listener *listener)
{
	char question[DNS_MESSAGE_MAX];
	char answer[DNS_ANSWER_MAX];
	union {
		char v[CMSG_SPACE(sizeof(struct in6_pktinfo))];
		struct cmsghdr aligned;
	} control;
	struct sockaddr_in6 client = { 0 };
	struct iovec iov = { question, sizeof(question) };
	struct msghdr msg = {
		.msg_name = &client,
		.msg_namelen = sizeof(client),
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = control.v,
		.msg_controllen = sizeof(control.v),
	};
	ssize_t n = recvmsg(listener->source.fd, &msg, MSG_DONTWAIT);

	if (n < 0)
		return false;
	if (msg.msg_flags & MSG_TRUNC)
		return true;
	/* The port is at the same place for IPv4. */
	iov.iov_len =
		dns_serve(listener->egress, question, (size_t)n,
			  ntohs(client.sin6_port), answer, sizeof(answer));
	iov.iov_base = answer;
	/* What said which address was asked says, sent back, which answers.
	 * Who does not take his answer will ask again. */
	if (iov.iov_len)
		(void)sendmsg(listener->source.fd, &msg, MSG_DONTWAIT);
	return true;
}

static void datagrams_ready(struct source *source, uint32_t events)
{
	struct listener *listener = (struct listener *)source;

	(void)events;
	for (int i = 0; i < BATCH && serve_datagram(listener); i++)
		;
}

int dns_listen(struct egress *egress, int fd)
{
	struct listener *listener =
		arena_array(&egress->arena, struct listener, 1);
	const int on = 1;
	socklen_t n = sizeof(int);
	int family;

	if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &n) < 0)
		return -1;
	if (family == AF_INET) {
		if (setsockopt(fd, IPPROTO_IP, IP_PKTINFO, &on, n) < 0)
			return -1;
	} else if (setsockopt(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, n) < 0 ||
		   /* Every address leads here, and only the route knows it. */
		   setsockopt(fd, IPPROTO_IPV6, IPV6_FREEBIND, &on, n) < 0) {
		return -1;
	}
	*listener = (struct listener){
		.source = { .fd = fd, .ready = datagrams_ready },
		.egress = egress,
	};
	return source_watch(&egress->loop, &listener->source, EPOLLIN);
}
