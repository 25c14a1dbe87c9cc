/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd/explain_net.c - `cordon explain net`: may a box connect there?
 *
 * Runs in:  the caller's process.
 * Trusts:   the command line.
 * Must not: resolve a name, or connect.
 */
#include "cmd/explain_net.h"

#include <jansson.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/text.h"
#include "cmd/options.h"
#include "cmd/output.h"
#include "cmd/prepare.h"
#include "plan/egress.h"
#include "plan/explain.h"

enum { DEFAULT_PORT = 443 };

struct answer {
	const char *asked; /* as given */
	struct egress_target target;
	struct plan_net_verdict verdict;
};

/* The colon before the port; NULL where there is none. An address with colons
 * has a port only behind brackets. */
static const char *port_find(const char *word)
{
	const char *colon = strrchr(word, ':');

	if (word[0] == '[')
		return colon && colon > word && colon[-1] == ']' ? colon : NULL;
	return colon && strchr(word, ':') == colon ? colon : NULL;
}

static int target_parse(const char *word, struct egress_target *out,
			struct err *err)
{
	const char *colon = port_find(word);
	struct opt_number port = { .value = DEFAULT_PORT };
	size_t n = colon ? (size_t)(colon - word) : strlen(word);

	if (strstr(word, "://"))
		return err_set(err, ERR_USAGE,
			       "'%.80s': HOST[:PORT] is wanted, not a URL",
			       word);
	if ((colon && opt_number_parse(colon + 1, &port) < 0) || !port.value ||
	    port.value > UINT16_MAX)
		return err_set(err, ERR_USAGE,
			       "'%.80s': a port is a number from 1 to 65535",
			       word);
	if (!egress_target_parse(word, n, (uint16_t)port.value, out))
		return err_set(err, ERR_USAGE,
			       "'%.80s' is not HOST or HOST:PORT: a name of "
			       "letters, digits, '-' and '.', or an address",
			       word);
	return 0;
}

static void answer_format(struct text *out, const struct answer *answer)
{
	const struct egress_target *target = &answer->target;
	bool brackets = strchr(target->name, ':') != NULL;

	text_addf(out, "net %s%s%s:%u: %s\n", brackets ? "[" : "", target->name,
		  brackets ? "]" : "", (unsigned int)target->port,
		  answer->verdict.allowed ? "allowed" : "denied");
	output_line(out, "rule", answer->verdict.reason);
	output_line(out, "later", answer->verdict.later);
	output_line(out, "change", answer->verdict.remedy);
}

static json_t *answer_json(struct arena *arena, const struct answer *answer)
{
	const struct plan_net_verdict *verdict = &answer->verdict;

	return json_pack(
		"{s:s, s:o, s:s, s:i, s:b, s:o, s:o, s:o, s:o}", "operation",
		"net", "asked", output_string(arena, answer->asked), "host",
		answer->target.name, "port", answer->target.port, "allowed",
		verdict->allowed, "code", output_string(arena, verdict->code),
		"rule", output_string(arena, verdict->reason), "later",
		output_string(arena, verdict->later), "remedy",
		output_string(arena, verdict->remedy));
}

int explain_net(struct arena *arena, const struct prepared *prepared,
		char *const *words, size_t n, bool json, struct err *err)
{
	struct answer *answers = arena_array(arena, struct answer, n);
	struct text out = { .arena = arena };
	json_t *list = NULL;
	bool denied = false;
	int printed;

	for (size_t i = 0; i < n; i++) {
		answers[i].asked = words[i];
		if (target_parse(words[i], &answers[i].target, err) < 0)
			return -1;
		plan_explain_net(arena, &prepared->policy.policy,
				 &prepared->plan, &answers[i].target,
				 &answers[i].verdict);
		denied |= !answers[i].verdict.allowed;
		answer_format(&out, &answers[i]);
	}
	if (json) {
		list = json_array();
		for (size_t i = 0; i < n; i++)
			json_array_append_new(list,
					      answer_json(arena, &answers[i]));
	}
	printed = json ? output_json(STDOUT_FILENO, list, err)
		       : output_text(&out, err);
	if (printed < 0)
		return -1;
	return denied ? 1 : 0;
}
