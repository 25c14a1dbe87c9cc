/* SPDX-License-Identifier: Apache-2.0 */
/*
 * egress/files.c - the host's files of names, as they are now
 *
 * Runs in:  the egress process.
 * Trusts:   the supervisor, which reads them: a cage has no files.
 * Must not: leave an instant without servers, or wait for the supervisor.
 */
#include "egress/files.h"

#include <string.h>

#include "base/arena.h"
#include "base/fd.h"
#include "egress/egress.h"
#include "egress/hosts.h"
#include "egress/resolve.h"
#include "egress/state.h"

static void used(void *data)
{
	struct egress *egress = data;

	egress_report(egress,
		      &(struct egress_report){ .kind = EGRESS_USES_FILES,
					       .files = egress->files_number });
}

void egress_files_follow(struct egress *egress)
{
	resolver_on_use(egress->resolver, used, egress);
}

void egress_files_apply(struct egress *egress, const char *data, size_t n,
			int fd)
{
	AUTO_ARENA arena = { 0 };
	struct egress_files files;
	struct hosts hosts;
	char *text;

	if (n != sizeof(files))
		return;
	memcpy(&files, data, sizeof(files));
	if (files.hosts_n > HOSTS_MAX)
		return;
	text = arena_array(&arena, char, files.hosts_n);
	if (fd_read_all(fd, text, files.hosts_n) != (ssize_t)files.hosts_n)
		return;
	hosts = (struct hosts){ .text = text, .n = files.hosts_n };
	resolver_replace(egress->resolver, &hosts, &files.servers);
	egress->files_number = files.files;
}
