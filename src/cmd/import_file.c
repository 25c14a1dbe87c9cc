/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd/import_file.c - settings of another program to a policy
 *
 * Runs in:  the caller's process.
 * Trusts:   nothing in the text.
 * Must not: make a policy of a part of the text.
 */
#include "cmd/import_file.h"

#include <string.h>

#include "base/err.h"
#include "base/yaml.h"
#include "cmd/import_json.h"

const struct import_tool import_tools[] = {
	{ "srt", true, import_read_srt },
	{ "fence", true, import_read_fence },
	{ "aigate", false, import_read_aigate },
	{ "claude", true, import_read_claude },
	{ NULL, false, NULL },
};

int import_parse(struct import *im, const struct import_tool *tool,
		 const char *text, size_t n)
{
	const struct yaml_node *root = NULL;
	size_t bom = n >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;
	int r;

	if (tool->json)
		r = import_json_parse(im->arena, text + bom, n - bom,
				      im->source, &root, im->err);
	else
		r = yaml_tree_parse(im->arena, text, n, im->source, &root,
				    im->err);
	if (r < 0)
		return -1;
	if (root && root->kind != YAML_KIND_MAP)
		return import_fail(im, root, "", "an object is expected");
	if (!import_add(im, "version", "1", IMPORT_TOLD, NULL, "version"))
		return err_set(im->err, ERR_BUG, "import: no version");
	if (im->extends && !import_add(im, "extends", im->extends, IMPORT_TOLD,
				       NULL, "extends"))
		return err_set(im->err, ERR_USAGE,
			       "--extends: '%s' is not a profile", im->extends);
	if (im->extends && strcmp(im->extends, "base"))
		import_note(im, IMPORT_TOLD, "extends", NULL, im->extends,
			    "chosen with --extends: what it allows is allowed "
			    "as well");
	if (tool->read(im, root) < 0)
		return -1;
	import_settle(im);
	import_notes_sort(im);
	return 0;
}
