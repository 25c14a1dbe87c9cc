/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wire/dns.c - messages of DNS
 *
 * Runs in:  the egress process.
 * Trusts:   nothing: questions are the box's, answers are anybody's.
 * Must not: allocate, follow a pointer forwards, or read past what came.
 */
#include "wire/dns.h"

#include <string.h>

enum {
	HEAD = 12,
	LABEL_MAX = 63,
	POINTER = 0xc0, /* both bits: the rest is an offset */
	/* More than a writer who compresses ever needs for one name. */
	POINTERS_MAX = 64,
	CLASS_IN = 1,
	TYPE_OPT = 41,
	UDP_ROOM = 512, /* without EDNS */
	/* Of an answer as many are looked at, and aliases followed. */
	RECORDS_MAX = 256,
	ALIASES_MAX = 16,
};

/* Bits of the third and fourth byte. */
enum {
	IS_REPLY = 0x80,
	OPCODE = 0x78,
	TRUNCATED = 0x02,
	RECURSION_DESIRED = 0x01,
	RECURSION_AVAILABLE = 0x80,
	CODE = 0x0f,
};

struct message {
	const unsigned char *v;
	size_t n;
};

/* In the form of the wire: labels in lower case, each behind its length, and
 * the empty one. */
struct name {
	unsigned char v[DNS_NAME_MAX + 2];
	size_t n;
};

struct record {
	struct name owner;
	uint16_t type;
	uint16_t class;
	uint32_t ttl;
	size_t data; /* where it begins */
	size_t data_n;
};

static uint16_t get16(const unsigned char *v)
{
	return (uint16_t)(v[0] << 8 | v[1]);
}

static unsigned char lower(unsigned char c)
{
	return c >= 'A' && c <= 'Z' ? (unsigned char)(c - 'A' + 'a') : c;
}

static bool name_add(struct name *name, const unsigned char *label, size_t n)
{
	if (n > LABEL_MAX || sizeof(name->v) - name->n < n + 1)
		return false;
	name->v[name->n++] = (unsigned char)n;
	for (size_t i = 0; i < n; i++)
		name->v[name->n++] = lower(label[i]);
	return true;
}

static bool name_equal(const struct name *a, const struct name *b)
{
	return a->n == b->n && !memcmp(a->v, b->v, a->n);
}

/* The name at @at; returns where it ends, 0 if it is malformed. */
static size_t name_read(const struct message *m, size_t at, struct name *out)
{
	size_t end = 0; /* behind the first pointer */
	size_t began = at; /* each pointer leads before it: no loops */
	unsigned int pointers = 0;

	out->n = 0;
	while (at < m->n) {
		size_t n = m->v[at++];

		if ((n & POINTER) == POINTER) {
			if (at >= m->n || ++pointers > POINTERS_MAX)
				return 0;
			if (!end)
				end = at + 1;
			at = (n & ~(size_t)POINTER) << 8 | m->v[at];
			if (at < HEAD || at >= began)
				return 0;
			began = at;
			continue;
		}
		if (m->n - at < n || !name_add(out, m->v + at, n))
			return 0;
		at += n;
		if (n == 0)
			return end ? end : at;
	}
	return 0;
}

static bool name_parse(const char *text, struct name *out)
{
	out->n = 0;
	for (;;) {
		size_t n = strcspn(text, ".");

		if (n == 0 || !name_add(out, (const unsigned char *)text, n))
			return false;
		text += n;
		if (!*text)
			return name_add(out, NULL, 0);
		text++;
	}
}

static bool in_host_name(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' ||
	       c == '_';
}

/* What is no part of a host name becomes \DDD, as in RFC 1035 5.1; an escaped
 * name can be too long, and is cut. */
static void name_format(const struct name *name, struct dns_question *out)
{
	char *to = out->name;
	const char *end = out->name + DNS_NAME_MAX;

	for (size_t at = 0; name->v[at]; at += name->v[at] + 1u) {
		if (at && to < end)
			*to++ = '.';
		for (size_t i = 1; i <= name->v[at]; i++) {
			unsigned char c = name->v[at + i];

			if (in_host_name(c)) {
				if (to < end)
					*to++ = (char)c;
				continue;
			}
			out->unfit = true;
			if (end - to >= 4) {
				*to++ = '\\';
				*to++ = (char)('0' + c / 100);
				*to++ = (char)('0' + c / 10 % 10);
				*to++ = (char)('0' + c % 10);
			}
		}
	}
	if (name->n == 1) {
		out->unfit = true;
		*to++ = '.';
	}
	*to = '\0';
}

/* The record at @at; returns where it ends, 0 if it is malformed. */
static size_t record_read(const struct message *m, size_t at,
			  struct record *out)
{
	const unsigned char *v;

	at = name_read(m, at, &out->owner);
	if (!at || m->n - at < 10)
		return 0;
	v = m->v + at;
	out->type = get16(v);
	out->class = get16(v + 2);
	out->ttl = (uint32_t)get16(v + 4) << 16 | get16(v + 6);
	out->data = at + 10;
	out->data_n = get16(v + 8);
	return m->n - out->data < out->data_n ? 0 : out->data + out->data_n;
}

/* What follows a question: at most one OPT, and nothing behind the last. */
static bool additional_parse(const struct message *m, size_t at,
			     struct dns_question *out)
{
	for (unsigned int n = get16(m->v + 10); n; n--) {
		struct record record;

		at = record_read(m, at, &record);
		if (!at)
			return false;
		if (record.type != TYPE_OPT)
			continue;
		/* Its TTL holds the version in the second byte. */
		if (out->edns || record.owner.n != 1 ||
		    (record.ttl >> 16 & 0xff) != 0)
			return false;
		out->edns = true;
		if (record.class > UDP_ROOM)
			out->room = record.class;
	}
	return at == m->n;
}

int dns_question_parse(const void *data, size_t n, struct dns_question *out)
{
	const struct message m = { data, n };
	struct name name;
	size_t at;

	*out = (struct dns_question){ .size = HEAD, .room = UDP_ROOM };
	if (n < HEAD || m.v[2] & IS_REPLY)
		return -1;
	out->id = get16(m.v);
	out->recursion = m.v[2] & RECURSION_DESIRED;
	if (m.v[2] & OPCODE)
		return DNS_NOT_IMPLEMENTED;
	if (get16(m.v + 4) != 1 || get16(m.v + 6) || get16(m.v + 8))
		return DNS_FORMAT_ERROR;
	at = name_read(&m, HEAD, &name);
	if (!at || n - at < 4)
		return DNS_FORMAT_ERROR;
	name_format(&name, out);
	out->type = get16(m.v + at);
	out->size = at + 4;
	if (!additional_parse(&m, out->size, out))
		return DNS_FORMAT_ERROR;
	return get16(m.v + at + 2) == CLASS_IN ? DNS_NO_ERROR : DNS_REFUSED;
}

/* Writing goes on after the end, to no effect, so that it is asked for once. */
struct writer {
	unsigned char *v;
	size_t room;
	size_t n;
	bool full;
};

static void put(struct writer *w, const void *v, size_t n)
{
	if (w->full || w->room - w->n < n) {
		w->full = true;
		return;
	}
	memcpy(w->v + w->n, v, n);
	w->n += n;
}

static void put16(struct writer *w, size_t value)
{
	const unsigned char v[2] = { (unsigned char)(value >> 8),
				     (unsigned char)value };

	put(w, v, sizeof(v));
}

static void put_opt(struct writer *w, size_t room)
{
	put(w, "", 1);
	put16(w, TYPE_OPT);
	put16(w, room);
	put(w, "\0\0\0\0\0\0", 6);
}

static void put_head(struct writer *w, const struct dns_question *question,
		     const void *data, enum dns_code code, size_t answers)
{
	const unsigned char *v = data;
	const unsigned char flags[2] = {
		(unsigned char)(IS_REPLY |
				(v[2] & (OPCODE | RECURSION_DESIRED))),
		(unsigned char)(RECURSION_AVAILABLE | code),
	};

	put(w, v, 2);
	put(w, flags, sizeof(flags));
	put16(w, question->size > HEAD);
	put16(w, answers);
	put16(w, 0);
	put16(w, question->edns);
	/* As it was sent: the case of its letters may be the client's way to
	 * know its own answer. */
	put(w, v + HEAD, question->size - HEAD);
}

/* A record of the name that was asked for. */
static void put_record(struct writer *w, uint16_t type, uint32_t ttl,
		       const void *data, size_t n)
{
	put16(w, POINTER << 8 | HEAD);
	put16(w, type);
	put16(w, CLASS_IN);
	put16(w, ttl >> 16);
	put16(w, ttl);
	put16(w, n);
	put(w, data, n);
}

size_t dns_answer_format(const struct dns_question *question, const void *data,
			 enum dns_code code, const void *addresses, size_t n,
			 uint32_t ttl, void *out, size_t room)
{
	struct writer w = { .v = out, .room = room };
	size_t size = question->type == DNS_A ? 4 : 16;

	put_head(&w, question, data, code, n);
	for (size_t i = 0; i < n; i++)
		put_record(&w, question->type, ttl,
			   (const unsigned char *)addresses + i * size, size);
	if (question->edns)
		put_opt(&w, DNS_MESSAGE_MAX);
	return w.full ? 0 : w.n;
}

size_t dns_answer_format_name(const struct dns_question *question,
			      const void *data, const char *name, uint32_t ttl,
			      void *out, size_t room)
{
	struct writer w = { .v = out, .room = room };
	struct name target;

	if (!name_parse(name, &target))
		return 0;
	put_head(&w, question, data, DNS_NO_ERROR, 1);
	put_record(&w, DNS_PTR, ttl, target.v, target.n);
	if (question->edns)
		put_opt(&w, DNS_MESSAGE_MAX);
	return w.full ? 0 : w.n;
}

size_t dns_question_format(uint16_t id, const char *name, uint16_t type,
			   void *out, size_t room)
{
	struct writer w = { .v = out, .room = room };
	struct name wire;

	if (!name_parse(name, &wire))
		return 0;
	put16(&w, id);
	put16(&w, RECURSION_DESIRED << 8);
	put16(&w, 1);
	put16(&w, 0);
	put16(&w, 0);
	put16(&w, 1);
	put(&w, wire.v, wire.n);
	put16(&w, type);
	put16(&w, CLASS_IN);
	put_opt(&w, DNS_ASKED_MAX);
	return w.full ? 0 : w.n;
}

/* Is this a reply to that question? Returns where its answers begin, 0 if it
 * is not. */
static size_t reply_check(const struct message *m, uint16_t id,
			  const struct name *asked, uint16_t type)
{
	struct name name;
	size_t at;

	if (m->n < HEAD || get16(m->v) != id || !(m->v[2] & IS_REPLY) ||
	    m->v[2] & OPCODE || get16(m->v + 4) != 1)
		return 0;
	at = name_read(m, HEAD, &name);
	if (!at || m->n - at < 4 || !name_equal(&name, asked) ||
	    get16(m->v + at) != type || get16(m->v + at + 2) != CLASS_IN)
		return 0;
	return at + 4;
}

static void shorten_ttl(struct dns_reply *reply, uint32_t ttl)
{
	/* RFC 2181, 8: with the highest bit it is 0. */
	if (ttl > INT32_MAX)
		ttl = 0;
	if (ttl < reply->ttl)
		reply->ttl = ttl;
}

/*
 * Takes the addresses of @name from the answers at @at. If it is an alias,
 * @name becomes what it stands for and 1 is returned; else 0; -1 if they are
 * malformed.
 */
static int answers_read(const struct message *m, size_t at, uint16_t type,
			struct name *name, struct dns_reply *out)
{
	size_t size = type == DNS_A ? 4 : 16;
	size_t n = get16(m->v + 6);

	for (size_t i = 0; i < n && i < RECORDS_MAX; i++) {
		struct record record;

		at = record_read(m, at, &record);
		if (!at)
			return -1;
		if (record.class != CLASS_IN ||
		    !name_equal(&record.owner, name))
			continue;
		if (record.type == DNS_CNAME) {
			shorten_ttl(out, record.ttl);
			if (name_read(m, record.data, name) != at)
				return -1;
			return 1;
		}
		if (record.type != type)
			continue;
		if (record.data_n != size)
			return -1;
		shorten_ttl(out, record.ttl);
		if (out->n < DNS_ANSWERS_MAX)
			memcpy(out->addresses[out->n++], m->v + record.data,
			       size);
	}
	return 0;
}

int dns_reply_parse(const void *data, size_t n, uint16_t id, const char *name,
		    uint16_t type, struct dns_reply *out)
{
	const struct message m = { data, n };
	struct name wanted;
	size_t at;
	int alias = 1;

	memset(out, 0, sizeof(*out));
	if (!name_parse(name, &wanted))
		return -1;
	at = reply_check(&m, id, &wanted, type);
	if (!at)
		return -1;
	out->code = m.v[3] & CODE;
	out->truncated = m.v[2] & TRUNCATED;
	/* What was cut off may be any part. */
	if (out->truncated || out->code != DNS_NO_ERROR)
		return 0;

	out->ttl = UINT32_MAX;
	for (unsigned int i = 0; i <= ALIASES_MAX && alias > 0; i++)
		alias = answers_read(&m, at, type, &wanted, out);
	if (alias < 0)
		return -1;
	if (alias > 0)
		out->n = 0;
	if (out->n == 0)
		out->ttl = 0;
	return 0;
}
