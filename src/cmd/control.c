/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd/control.c - a line of --control-fd, and the rules it comes to
 *
 * Runs in:  the supervisor.
 * Trusts:   whoever was given the descriptor as much as the command line, and
 *           no more: files and ceilings stand.
 * Must not: change anything but the rules of the network.
 */
#include "cmd/control.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "policy/decode.h"

static const char source[] = "--control-fd";

static int check_keys(json_t *root, const char *const *known, const char *where,
		      struct err *err)
{
	const char *key;
	json_t *value;

	json_object_foreach(root, key, value)
	{
		const char *const *k = known;

		while (*k && strcmp(*k, key) != 0)
			k++;
		if (!*k)
			return err_set(err, ERR_USAGE,
				       "%s: '%s' cannot be changed here%s",
				       source, key, where);
	}
	return 0;
}

/* The part that is policy, decoded as any other document. */
static int decode_network(struct arena *arena, json_t *network,
			  struct policy *out, struct err *err)
{
	json_t *document = json_pack("{s:O}", "network", network);
	char *text = json_dumps(document, JSON_COMPACT);
	int result;

	json_decref(document);
	if (!text)
		return err_set(err, ERR_USAGE, "%s: not to be read", source);
	result = policy_decode(arena,
			       &(struct policy_document){ .text = text,
							  .n = strlen(text),
							  .source = source },
			       out, err);
	free(text);
	return result;
}

static void replace(struct policy_list *list, const struct policy_list *by,
		    json_t *given)
{
	if (!given)
		return;
	*list = *by;
	list->op = POLICY_REPLACE;
	list->origin = (struct policy_origin){ .source = source };
}

static int change(const struct control_base *base, json_t *root,
		  struct run_change *out, struct err *err)
{
	static const char *const keys[] = { "network", "cut", NULL };
	static const char *const lists[] = { "allow", "deny", NULL };
	json_t *network = json_object_get(root, "network");
	json_t *cut = json_object_get(root, "cut");
	struct policy flags = base->prepared->flags, given = { 0 };
	struct host_policy policy;

	if (check_keys(root, keys, "", err) < 0)
		return -1;
	if (!json_is_object(network) || (cut && !json_is_boolean(cut)))
		return err_set(err, ERR_USAGE,
			       "%s: an object with 'network' and perhaps "
			       "'cut' (true or false) is wanted",
			       source);
	if (check_keys(network, lists, ", only allow and deny", err) < 0 ||
	    decode_network(base->arena, network, &given, err) < 0)
		return -1;
	replace(&flags.network.allow, &given.network.allow,
		json_object_get(network, "allow"));
	replace(&flags.network.deny, &given.network.deny,
		json_object_get(network, "deny"));
	if (prepare_layers(base->arena, base->args, &base->prepared->context,
			   &flags, &policy, err) < 0)
		return -1;
	/* A file may have taken the network away since. */
	if (policy.policy.network.mode.number != POLICY_MODE_FILTERED)
		policy.policy.network.allow.n = 0;
	out->allow = policy.policy.network.allow;
	out->deny = policy.policy.network.deny;
	out->cut = json_is_true(cut);
	return 0;
}

int control_change(void *data, const char *line, struct run_change *out,
		   struct err *err)
{
	json_error_t error;
	json_t *root = json_loads(line, JSON_REJECT_DUPLICATES, &error);
	int result;

	if (!json_is_object(root)) {
		json_decref(root);
		return err_set(err, ERR_USAGE, "%s: not a JSON object: %s",
			       source, error.text);
	}
	result = change(data, root, out, err);
	json_decref(root);
	return result;
}
