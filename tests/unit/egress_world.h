/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_TESTS_EGRESS_WORLD_H
#define CORDON_TESTS_EGRESS_WORLD_H

/* Rules, hosts and addresses from words. Include after cmocka. */
#include <string.h>

#include "base/arena.h"
#include "plan/egress.h"
#include "policy/names.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* Words to a list; those that begin with '!' are of network.deny. */
static inline struct policy_list list_of(struct arena *arena, const char *words,
					 bool denied)
{
	struct {
		struct policy_item *v;
		size_t n;
	} items = { 0 };
	char *rest = arena_strdup(arena, words), *word;

	for (unsigned int line = 1; (word = strsep(&rest, " ")); line++) {
		if (*word && (*word == '!') == denied)
			*ARENA_PUSH(arena, &items) = (struct policy_item){
				.text = word + denied,
				.origin = { "p.yaml", line },
			};
	}
	return (struct policy_list){ .v = items.v, .n = items.n };
}

static inline struct egress_rules rules_of(struct arena *arena,
					   const char *words)
{
	struct policy_list allow = list_of(arena, words, false);
	struct policy_list deny = list_of(arena, words, true);
	struct egress_rules rules;

	for (size_t i = 0; i < allow.n + deny.n; i++) {
		const char *text = i < allow.n ? allow.v[i].text
					       : deny.v[i - allow.n].text;

		if (policy_host_check(text))
			fail_msg("'%s': %s", text, policy_host_check(text));
	}
	egress_rules_build(arena, &allow, &deny, &rules);
	return rules;
}

static inline struct egress_target target_of(const char *host, uint16_t port)
{
	struct egress_target target;

	if (!egress_target_parse(host, strlen(host), port, &target))
		fail_msg("'%s' is a host", host);
	return target;
}

static inline struct address address_of(const char *text)
{
	struct address address;

	assert_true(address_parse(text, strlen(text), &address));
	return address;
}

#endif
