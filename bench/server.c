/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench/server.c - what the clients of the bench talk to
 *
 *     server
 *
 * Prints its TCP port and the UDP port of its DNS, both on 127.0.0.1, then
 * serves until it is killed. GET /N answers with N bytes, PUT takes as many as
 * Content-Length says and answers with none; each connection has one request.
 * A NUL byte in front of it is skipped: it makes the rest a protocol that
 * nobody between knows. Every name is 127.0.0.1.
 *
 * One connection at a time, as the clients ask one after the other: less stands
 * between a measurement and what is measured.
 */
#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { CHUNK = 256 * 1024, HEAD_MAX = 4096, DNS_HEAD = 12, DNS_MAX = 512 };

static int listen_at(int type, unsigned int *port)
{
	struct sockaddr_in at = { .sin_family = AF_INET };
	socklen_t n = sizeof(at);
	int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);

	at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (fd < 0 || bind(fd, (struct sockaddr *)&at, n) ||
	    (type == SOCK_STREAM && listen(fd, 128)) ||
	    getsockname(fd, (struct sockaddr *)&at, &n)) {
		perror("server");
		exit(1);
	}
	*port = ntohs(at.sin_port);
	return fd;
}

/* How long the answer to the question in @m is, in its place. */
static size_t dns_answer(unsigned char *m, size_t n)
{
	static const unsigned char address[] = {
		0xc0, DNS_HEAD, 0, 1, 0, 1, 0, 0, 1, 44, 0, 4, 127, 0, 0, 1,
	};
	size_t end = DNS_HEAD;

	while (end < n && m[end])
		end += m[end] + 1u;
	end += 5; /* the root, type and class */
	if (end > n)
		return 0;
	m[2] = 0x85; /* an answer, with authority */
	m[3] = 0x80;
	memset(m + 6, 0, 6);
	if (m[end - 3] != 1) /* not A: there is none */
		return end;
	m[7] = 1;
	memcpy(m + end, address, sizeof(address));
	return end + sizeof(address);
}

static void serve_dns(int fd)
{
	for (;;) {
		unsigned char m[DNS_MAX + 64];
		struct sockaddr_in from;
		socklen_t length = sizeof(from);
		ssize_t n = recvfrom(fd, m, DNS_MAX, 0,
				     (struct sockaddr *)&from, &length);
		size_t size = n < DNS_HEAD ? 0 : dns_answer(m, (size_t)n);

		if (size)
			(void)sendto(fd, m, size, 0, (struct sockaddr *)&from,
				     length);
	}
}

/* The head of a request, ended by NUL in place of its empty line; @extra bytes
 * of what follows were read with it. False: it is over. */
static int read_head(int fd, char *head, size_t *extra)
{
	size_t n = 0;

	for (;;) {
		ssize_t got = recv(fd, head + n, HEAD_MAX - 1 - n, 0);
		char *end;

		if (got <= 0)
			return 0;
		n += (size_t)got;
		if (!head[0])
			memmove(head, head + 1, --n);
		head[n] = '\0';
		end = strstr(head, "\r\n\r\n");
		if (end) {
			*extra = n - (size_t)(end + 4 - head);
			*end = '\0';
			return 1;
		}
	}
}

static void answer(int fd, char *buffer, size_t body)
{
	size_t head = (size_t)sprintf(buffer,
				      "HTTP/1.1 200 OK\r\nConnection: close\r\n"
				      "Content-Length: %zu\r\n\r\n",
				      body);
	size_t left = head + body;

	/* Head and body in one piece, as servers send small ones. */
	while (left) {
		ssize_t n = send(fd, buffer, left < CHUNK ? left : CHUNK,
				 MSG_NOSIGNAL);

		if (n <= 0)
			return;
		left -= (size_t)n;
	}
}

static void serve(int fd, char *buffer)
{
	char head[HEAD_MAX], *length;
	size_t left, extra;

	if (!read_head(fd, head, &extra))
		return;
	if (!strncmp(head, "GET /", 5)) {
		answer(fd, buffer, strtoul(head + 5, NULL, 10));
		return;
	}
	length = strstr(head, "Content-Length: ");
	left = length ? strtoul(length + 16, NULL, 10) : 0;
	for (left -= extra; left;) {
		ssize_t n = recv(fd, buffer, left < CHUNK ? left : CHUNK, 0);

		if (n <= 0)
			return;
		left -= (size_t)n;
	}
	answer(fd, buffer, 0);
}

int main(void)
{
	/* Who says nothing for so long must not keep the others waiting. */
	const struct timeval patience = { .tv_sec = 5 };
	static char buffer[CHUNK];
	unsigned int port, dns_port;
	int fd = listen_at(SOCK_STREAM, &port);
	int dns = listen_at(SOCK_DGRAM, &dns_port);
	pid_t child = fork();

	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		serve_dns(dns);
	}
	if (child < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience,
				    sizeof(patience)))
		return 1;
	printf("%u %u\n", port, dns_port);
	fflush(stdout);
	for (;;) {
		int client = accept4(fd, NULL, NULL, SOCK_CLOEXEC);

		if (client < 0)
			continue;
		serve(client, buffer);
		close(client);
	}
}
