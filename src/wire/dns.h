/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_WIRE_DNS_H
#define CORDON_WIRE_DNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Messages of DNS, RFC 1035: the questions of clients, answered by us, and the
 * answers of servers to our own. Names come out in lower case, with dots, no
 * final one; a label with anything but letters, digits, '-' and '_' makes the
 * name unfit, which is said and not repaired.
 */
enum {
	DNS_NAME_MAX = 253,
	DNS_MESSAGE_MAX = 4096, /* that we accept over UDP, */
	/* and that we ask for: it is not fragmented on its way. Fragments get
	 * lost, and are easier to forge than whole answers. */
	DNS_ASKED_MAX = 1232,
	DNS_ANSWERS_MAX = 32,
};

enum dns_type {
	DNS_A = 1,
	DNS_CNAME = 5,
	DNS_NULL = 10,
	DNS_PTR = 12,
	DNS_TXT = 16,
	DNS_AAAA = 28,
	DNS_SVCB = 64,
	DNS_HTTPS = 65,
	DNS_META = 128, /* up to 255: transfers, "any", … */
};

enum dns_code {
	DNS_NO_ERROR = 0,
	DNS_FORMAT_ERROR = 1,
	DNS_SERVER_FAILURE = 2,
	DNS_NO_NAME = 3, /* NXDOMAIN */
	DNS_NOT_IMPLEMENTED = 4,
	DNS_REFUSED = 5,
};

/* A question with one entry, recursion or not, class IN. */
struct dns_question {
	uint16_t id;
	bool recursion; /* desired */
	uint16_t type;
	char name[DNS_NAME_MAX + 1];
	bool unfit; /* no host name: @name is escaped for a message */
	size_t size; /* of head and question section: echoed in the answer */
	bool edns; /* there is an OPT record, */
	uint16_t room; /* and the size it gives, 512 at least */
};

/*
 * DNS_NO_ERROR, or the code to answer with (FORMERR, NOTIMP for an opcode,
 * REFUSED for a class). -1: nothing may be answered, as it is no query at all
 * or too short to have an id. @out->id and @out->size are set as far as they
 * are known (size 12: no question is echoed).
 */
int dns_question_parse(const void *data, size_t n, struct dns_question *out);

/*
 * An answer to @question (whose bytes begin at @data) with @n addresses of 4
 * bytes (type A) or 16 (AAAA). Returns its size, 0 if it does not fit.
 */
size_t dns_answer_format(const struct dns_question *question, const void *data,
			 enum dns_code code, const void *addresses, size_t n,
			 uint32_t ttl, void *out, size_t room);

/* Likewise an answer to a question for PTR: @name, a host name. */
size_t dns_answer_format_name(const struct dns_question *question,
			      const void *data, const char *name, uint32_t ttl,
			      void *out, size_t room);

/* A question of our own, with EDNS and room for DNS_ASKED_MAX. @name is a
 * host name. Returns its size, 0 if it does not fit. */
size_t dns_question_format(uint16_t id, const char *name, uint16_t type,
			   void *out, size_t room);

struct dns_reply {
	enum dns_code code;
	bool truncated;
	size_t n;
	unsigned char addresses[DNS_ANSWERS_MAX][16]; /* first 4 of A */
	uint32_t ttl; /* least of those followed; of a denial, 0 */
};

/*
 * The answer to the question (@id, @name, @type), its aliases followed within
 * the message. -1 if it is malformed or answers another question, which may be
 * an attempt to deceive: it is to be ignored.
 */
int dns_reply_parse(const void *data, size_t n, uint16_t id, const char *name,
		    uint16_t type, struct dns_reply *out);

#endif
