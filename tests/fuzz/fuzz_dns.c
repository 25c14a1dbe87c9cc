/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a question: silence, or an answer that its sender would take
 * for his. The same bytes as a reply: nothing, or what a reply may hold.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "wire/dns.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void check_name(const struct dns_question *question)
{
	size_t n = strlen(question->name);

	if (n == 0 || n > DNS_NAME_MAX)
		abort();
	for (size_t i = 0; i < n; i++)
		if (question->name[i] <= ' ' || question->name[i] > '~')
			abort();
}

/* What was asked for is found in the answer. */
static void check_answer(const struct dns_question *question,
			 const uint8_t *data)
{
	static const unsigned char addresses[2][16] = { { 198 }, { 253 } };
	struct dns_reply reply;
	unsigned char out[512];
	size_t size = question->type == DNS_A ? 4 : 16;
	size_t n = dns_answer_format(question, data, DNS_NO_ERROR, addresses, 2,
				     60, out, sizeof(out));

	if (n == 0 || dns_reply_parse(out, n, question->id, question->name,
				      question->type, &reply))
		abort();
	if (reply.n != 2 || reply.ttl != 60 ||
	    memcmp(reply.addresses[0], addresses, size) != 0)
		abort();
}

static void serve(const uint8_t *data, size_t n)
{
	struct dns_question question;
	unsigned char out[512];
	size_t answer;
	int code = dns_question_parse(data, n, &question);

	if (code < 0)
		return;
	if (question.size < 12 || question.size > n || question.room < 512)
		abort();
	answer = dns_answer_format(&question, data, (enum dns_code)code, NULL,
				   0, 0, out, sizeof(out));
	if (answer == 0 || memcmp(out, data, 2) != 0 || !(out[2] & 0x80))
		abort();
	if (question.size > 12)
		check_name(&question);
	if (code == DNS_NO_ERROR && !question.unfit &&
	    (question.type == DNS_A || question.type == DNS_AAAA))
		check_answer(&question, data);
}

static void believe(const uint8_t *data, size_t n, uint16_t type)
{
	uint16_t id = n < 2 ? 0 : (uint16_t)(data[0] << 8 | data[1]);
	struct dns_reply reply;

	if (dns_reply_parse(data, n, id, "allowed.test", type, &reply))
		return;
	if (reply.n > DNS_ANSWERS_MAX || reply.ttl > INT32_MAX ||
	    (reply.n && (reply.truncated || reply.code != DNS_NO_ERROR)))
		abort();
	/* Nobody else's question is answered by it. */
	if (!dns_reply_parse(data, n, id ^ 1, "allowed.test", type, &reply) ||
	    !dns_reply_parse(data, n, id, "another.test", type, &reply))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	serve(data, n);
	believe(data, n, DNS_A);
	believe(data, n, DNS_AAAA);
	return 0;
}
