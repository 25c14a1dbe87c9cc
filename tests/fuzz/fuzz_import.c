/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as settings of another program; the first one says whose. Refused
 * with a message, or a document that loads and never has the host's network.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/text.h"
#include "cmd/import_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static const struct policy_context context = {
	.home = "/home/someone",
	.workdir = "/home/someone/work",
	.config_dir = "/home/someone/.config/cordon",
	.state_dir = "/home/someone/.local/state/cordon",
	.cache_dir = "/home/someone/.cache/cordon",
	.xdg_config_home = "/home/someone/.config",
	.xdg_state_home = "/home/someone/.local/state",
	.xdg_cache_home = "/home/someone/.cache",
	.xdg_data_home = "/home/someone/.local/share",
};

/* A name with a line's end must not end the comment that it stands in. */
static const char name[] = "f\nx\xe2\x80\xa8y";

static void check(struct import *im, const struct import_tool *tool)
{
	struct text out = { .arena = im->arena };

	if (im->policy.network.mode.set &&
	    im->policy.network.mode.number == POLICY_MODE_HOST)
		abort();
	if (import_format(im, tool->name, name, &out) < 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	AUTO_ARENA arena = { 0 };
	struct err err = { 0 };
	struct import im = { .arena = &arena,
			     .source = name,
			     .context = &context,
			     .err = &err };
	const struct import_tool *tool;
	char *text;

	if (!n)
		return 0;
	tool = &import_tools[data[0] % 4];
	if (data[0] & 0x40)
		im.extends = data[0] & 0x20 ? "dev" : "base";
	text = arena_strndup(&arena, (const char *)data + 1, n - 1);
	if (import_parse(&im, tool, text, n - 1) < 0) {
		if (err.kind != ERR_POLICY || !err.msg[0])
			abort();
		return 0;
	}
	check(&im, tool);
	return 0;
}
