/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/egress/fetch.c - a static program that resolves names by itself
 *
 *     fetch libc|SERVER 4|6 HOST PORT
 *
 * `libc`: by the resolver that is linked into it; else it asks SERVER, with a
 * question of its own making, as programs with a name server built in do. Gets
 * `/` over HTTP and prints the answer.
 */
#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

union any_address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static int fail(const char *what)
{
	perror(what);
	return 1;
}

static socklen_t address_parse(const char *text, int port,
			       union any_address *out)
{
	memset(out, 0, sizeof(*out));
	if (inet_pton(AF_INET, text, &out->v4.sin_addr) == 1) {
		out->v4.sin_family = AF_INET;
		out->v4.sin_port = htons((unsigned short)port);
		return sizeof(out->v4);
	}
	inet_pton(AF_INET6, text, &out->v6.sin6_addr);
	out->v6.sin6_family = AF_INET6;
	out->v6.sin6_port = htons((unsigned short)port);
	return sizeof(out->v6);
}

static size_t question_format(unsigned char *out, const char *name, int type)
{
	static const unsigned char head[12] = { 7, 7, 1, 0, 0, 1 };
	size_t at = sizeof(head);

	memcpy(out, head, sizeof(head));
	while (*name) {
		size_t n = strcspn(name, ".");

		out[at++] = (unsigned char)n;
		memcpy(out + at, name, n);
		at += n;
		name += n + (name[n] == '.');
	}
	out[at++] = 0;
	out[at++] = 0;
	out[at++] = (unsigned char)type;
	out[at++] = 0;
	out[at++] = 1;
	return at;
}

/* The last bytes of a one-record answer are the address. */
static int ask(const char *server, const char *name, int six, char *text)
{
	unsigned char data[512];
	union any_address to;
	socklen_t n = address_parse(server, 53, &to);
	int s = socket(to.any.sa_family, SOCK_DGRAM, 0);
	size_t size = question_format(data, name, six ? 28 : 1);
	ssize_t got;

	if (s < 0 || sendto(s, data, size, 0, &to.any, n) < 0)
		return -1;
	got = recv(s, data, sizeof(data), 0);
	close(s);
	if (got < (ssize_t)size + 16 || data[7] != 1)
		return -1;
	return inet_ntop(six ? AF_INET6 : AF_INET, data + got - (six ? 16 : 4),
			 text, INET6_ADDRSTRLEN)
		       ? 0
		       : -1;
}

static int ask_libc(const char *name, int six, char *text)
{
	struct addrinfo hints = { .ai_family = six ? AF_INET6 : AF_INET,
				  .ai_socktype = SOCK_STREAM };
	struct addrinfo *found;

	if (getaddrinfo(name, NULL, &hints, &found))
		return -1;
	return getnameinfo(found->ai_addr, found->ai_addrlen, text,
			   INET6_ADDRSTRLEN, NULL, 0, NI_NUMERICHOST);
}

int main(int argc, char **argv)
{
	char text[INET6_ADDRSTRLEN], data[4096];
	union any_address to;
	socklen_t n;
	ssize_t got;
	int six, s;

	if (argc != 5)
		return 2;
	six = argv[2][0] == '6';
	if (strcmp(argv[1], "libc") ? ask(argv[1], argv[3], six, text)
				    : ask_libc(argv[3], six, text))
		return fail("no such name");
	n = address_parse(text, atoi(argv[4]), &to);
	s = socket(to.any.sa_family, SOCK_STREAM, 0);
	if (s < 0 || connect(s, &to.any, n) < 0)
		return fail("connect");
	dprintf(s, "GET / HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n",
		argv[3]);
	while ((got = read(s, data, sizeof(data))) > 0)
		fwrite(data, 1, (size_t)got, stdout);
	return got < 0 ? fail("read") : 0;
}
