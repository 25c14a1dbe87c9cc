/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench/client.c - talks to bench/server.c, from wherever it is started
 *
 *     client [-x URL] [-o] get|put|many N HOST:PORT
 *
 * get, put: N bytes over one connection; prints the seconds they took.
 * many: N connections one after the other, each with one small request; prints
 * the seconds of all, then the microseconds of each, from connect to the last
 * byte of the answer.
 *
 * -x: by CONNECT through this proxy, http://[USER:PASSWORD@]HOST:PORT
 * -o: what is sent looks like nothing known, as TLS does after its hello
 *
 * Starting, finding the name and a few connections come first, and are not
 * measured.
 */
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
	CHUNK = 256 * 1024,
	HEAD_MAX = 1024,
	SMALL = 1024, /* an answer's body */
	WARM_UP = 20,
	PATIENCE_S = 300,
	PROXY_STARTS_MS = 5000,
};

struct client {
	const char *host; /* HOST:PORT */
	struct sockaddr_storage at; /* what to connect to: it or the proxy */
	socklen_t at_n;
	int family;
	char connect[HEAD_MAX]; /* what to say to the proxy; empty: none */
	int opaque;
};

static char buffer[CHUNK];

static void die(const char *what)
{
	fprintf(stderr, "client: %s: %s\n", what, strerror(errno));
	exit(1);
}

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void find(struct client *c, const char *host_port)
{
	struct addrinfo want = { .ai_socktype = SOCK_STREAM }, *found;
	char *host = strdup(host_port), *port = host ? strrchr(host, ':') : 0;

	if (!port)
		die(host_port);
	*port++ = '\0';
	if (getaddrinfo(host, port, &want, &found))
		die(host_port);
	memcpy(&c->at, found->ai_addr, found->ai_addrlen);
	c->at_n = found->ai_addrlen;
	c->family = found->ai_family;
	freeaddrinfo(found);
	free(host);
}

static void base64(const char *in, size_t n, char *out)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef"
				     "ghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < n; i += 3) {
		unsigned int v = 0;

		for (size_t k = 0; k < 3; k++)
			v = v << 8 |
			    (i + k < n ? (unsigned char)in[i + k] : 0u);
		for (size_t k = 0; k < 4; k++)
			*out++ = i + k <= n ? digits[v >> (18 - 6 * k) & 63]
					    : '=';
	}
	*out = '\0';
}

static void use_proxy(struct client *c, const char *url)
{
	const char *at = strncmp(url, "http://", 7) ? url : url + 7;
	const char *host = strrchr(at, '@');
	char secret[HEAD_MAX / 2] = "";

	if (host && (size_t)(host - at) < sizeof(secret) / 2)
		base64(at, (size_t)(host - at), secret);
	find(c, host ? host + 1 : at);
	snprintf(c->connect, sizeof(c->connect),
		 "CONNECT %s HTTP/1.1\r\nHost: %s\r\n%s%s%s\r\n", c->host,
		 c->host, *secret ? "Proxy-Authorization: Basic " : "", secret,
		 *secret ? "\r\n" : "");
}

static void send_all(int fd, const char *data, size_t n)
{
	while (n) {
		ssize_t sent = send(fd, data, n, MSG_NOSIGNAL);

		if (sent <= 0)
			die("send");
		data += sent;
		n -= (size_t)sent;
	}
}

/* Reads an answer's head; how many bytes of its body came with it. */
static size_t read_head(int fd)
{
	size_t n = 0;

	for (;;) {
		ssize_t got = recv(fd, buffer + n, CHUNK - 1 - n, 0);
		char *end;

		if (got <= 0)
			die("no answer");
		n += (size_t)got;
		buffer[n] = '\0';
		end = strstr(buffer, "\r\n\r\n");
		if (!end)
			continue;
		if (!strstr(buffer, " 200 ")) {
			fprintf(stderr, "client: refused: %s\n", buffer);
			exit(1);
		}
		return n - (size_t)(end + 4 - buffer);
	}
}

static int open_connection(const struct client *c)
{
	int fd = socket(c->family, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || connect(fd, (const struct sockaddr *)&c->at, c->at_n))
		die("connect");
	if (*c->connect) {
		send_all(fd, c->connect, strlen(c->connect));
		read_head(fd);
	}
	return fd;
}

/* A proxy may be on its way still. */
static void await(const struct client *c)
{
	for (int i = 0; i < PROXY_STARTS_MS / 10; i++) {
		int fd = socket(c->family, SOCK_STREAM | SOCK_CLOEXEC, 0);
		int failed =
			connect(fd, (const struct sockaddr *)&c->at, c->at_n);

		close(fd);
		if (!failed)
			return;
		usleep(10000);
	}
}

static void request(const struct client *c, int fd, const char *method,
		    size_t answer, size_t body)
{
	char head[HEAD_MAX];
	int n = snprintf(head, sizeof(head),
			 "%c%s /%zu HTTP/1.1\r\nHost: %s\r\n"
			 "Content-Length: %zu\r\n\r\n",
			 '\0', method, answer, c->host, body);

	/* The NUL byte in front is sent or not. */
	send_all(fd, head + !c->opaque, (size_t)(n - !c->opaque));
}

static void get(const struct client *c, size_t bytes)
{
	int fd = open_connection(c);
	size_t left;

	request(c, fd, "GET", bytes, 0);
	for (left = bytes - read_head(fd); left;) {
		ssize_t n = recv(fd, buffer, CHUNK, 0);

		if (n <= 0)
			die("the answer is not whole");
		left -= (size_t)n;
	}
	close(fd);
}

/* The answer comes when the server has all of it. */
static void put(const struct client *c, size_t bytes)
{
	int fd = open_connection(c);

	request(c, fd, "PUT", 0, bytes);
	for (size_t n; bytes; bytes -= n) {
		n = bytes < CHUNK ? bytes : CHUNK;
		send_all(fd, buffer, n);
	}
	read_head(fd);
	close(fd);
}

static void many(const struct client *c, size_t n)
{
	double *us = calloc(n, sizeof(*us)), begin = now_us();

	if (!us)
		die("memory");
	for (size_t i = 0; i < n; i++) {
		double at = now_us();
		int fd = open_connection(c);

		request(c, fd, "GET", SMALL, 0);
		for (size_t left = SMALL - read_head(fd); left;) {
			ssize_t got = recv(fd, buffer, left, 0);

			if (got <= 0)
				die("the answer is not whole");
			left -= (size_t)got;
		}
		us[i] = now_us() - at;
		close(fd);
	}
	printf("%.6f\n", (now_us() - begin) / 1e6);
	for (size_t i = 0; i < n; i++)
		printf("%.1f\n", us[i]);
	free(us);
}

static void bulk(const struct client *c, size_t bytes,
		 void (*move)(const struct client *, size_t))
{
	double begin = now_us();

	move(c, bytes);
	printf("%.6f\n", (now_us() - begin) / 1e6);
}

int main(int argc, char **argv)
{
	struct client c = { 0 };
	const char *proxy = NULL;
	size_t n;
	int opt;

	while ((opt = getopt(argc, argv, "+x:o")) != -1) {
		if (opt == 'x')
			proxy = optarg;
		else if (opt == 'o')
			c.opaque = 1;
		else
			return 2;
	}
	if (argc - optind != 3)
		return 2;
	alarm(PATIENCE_S);
	n = strtoul(argv[optind + 1], NULL, 10);
	c.host = argv[optind + 2];
	if (proxy)
		use_proxy(&c, proxy);
	else
		find(&c, c.host);
	await(&c);
	for (int i = 0; i < WARM_UP; i++)
		get(&c, SMALL);
	if (!strcmp(argv[optind], "get"))
		bulk(&c, n, get);
	else if (!strcmp(argv[optind], "put"))
		bulk(&c, n, put);
	else if (!strcmp(argv[optind], "many"))
		many(&c, n);
	else
		return 2;
	return 0;
}
