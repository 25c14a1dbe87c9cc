/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as JSON with comments: what is well formed stays so with a child
 * more, and taking that child out gives the same bytes.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/jsonc.h"
#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* In and out of one container. */
static void there_and_back(const struct jsonc *doc,
			   const struct jsonc_value *container)
{
	AUTO_ARENA arena = { 0 };
	struct text with = { .arena = &arena }, without = { .arena = &arena };
	struct jsonc_children all;
	struct jsonc changed;
	struct err err;

	jsonc_insert(&arena, doc, container,
		     container->kind == JSONC_OBJECT ? "\"k\":[{\"a\":1}]"
						     : "{\"a\":[1]}",
		     &with);
	if (jsonc_parse(with.v, with.n, &changed, &err) < 0)
		abort();
	/* It still begins where it began. */
	if (changed.text[container->at] != doc->text[container->at])
		abort();
	jsonc_list(&arena, &changed,
		   &(struct jsonc_value){ container->kind, container->at, 0 },
		   &all);
	if (!all.n)
		abort();
	jsonc_remove(
		&arena, &changed,
		&(struct jsonc_value){ container->kind, container->at,
				       container->end + (with.n - doc->n) },
		&all.v[0], &without);
	if (without.n != doc->n || memcmp(without.v, doc->text, doc->n) != 0)
		abort();
}

static void walk(const struct jsonc *doc, const struct jsonc_value *value,
		 unsigned int *budget)
{
	AUTO_ARENA arena = { 0 };
	struct jsonc_children all;

	if (value->at >= value->end || value->end > doc->n)
		abort();
	if (value->kind == JSONC_STRING)
		(void)jsonc_string(&arena, doc, value);
	if (value->kind > JSONC_ARRAY || !*budget)
		return;
	--*budget;
	there_and_back(doc, value);
	(void)jsonc_is_made(&arena, doc, value);
	jsonc_list(&arena, doc, value, &all);
	for (size_t i = 0; i < all.n; i++) {
		if (value->kind == JSONC_OBJECT)
			(void)jsonc_string(&arena, doc, &all.v[i].key);
		walk(doc, &all.v[i].value, budget);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	unsigned int budget = 100;
	struct jsonc doc;
	struct err err;

	if (jsonc_parse((const char *)data, n, &doc, &err) == 0)
		walk(&doc, &doc.root, &budget);
	return 0;
}
