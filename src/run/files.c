/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/files.c - the host's files of names, for egress
 *
 * Runs in:  the supervisor.
 * Trusts:   the files, which are root's. Not that egress asks seldom.
 * Must not: wait for egress, or read when nothing has changed.
 */
#include "run/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "egress/egress.h"
#include "egress/hosts.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U /* Linux 6.3 */
#endif

enum { LOOK_MS = 1000 };

static struct run_file look(const char *path)
{
	struct run_file file = { .path = path };
	struct stat st;

	if (stat(path, &st) == 0) {
		file.dev = st.st_dev;
		file.ino = st.st_ino;
		file.size = st.st_size;
		file.modified = st.st_mtim;
	}
	return file;
}

static bool is_same(const struct run_file *a, const struct run_file *b)
{
	return a->dev == b->dev && a->ino == b->ino && a->size == b->size &&
	       a->modified.tv_sec == b->modified.tv_sec &&
	       a->modified.tv_nsec == b->modified.tv_nsec;
}

void run_files_init(struct run_files *files, const char *hosts,
		    const char *servers)
{
	*files = (struct run_files){ .hosts = look(hosts),
				     .servers = look(servers) };
}

static bool look_is_due(struct run_files *files)
{
	struct timespec t;
	uint64_t now;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	now = (uint64_t)t.tv_sec * 1000000000ULL + (uint64_t)t.tv_nsec;
	if (now < files->look_ns)
		return false;
	files->look_ns = now + LOOK_MS * 1000000ULL;
	return true;
}

/* Memory that holds @text and that nobody can change, to be read from its
 * start. */
static int memory_open(const char *text, size_t n)
{
	const unsigned int flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
	int fd = memfd_create("cordon-hosts", flags | MFD_NOEXEC_SEAL);
	struct err err;

	if (fd < 0 && errno == EINVAL)
		fd = memfd_create("cordon-hosts", flags);
	if (fd < 0)
		return -1;
	if (fd_write_all(fd, text, n, &err) < 0 ||
	    lseek(fd, 0, SEEK_SET) != 0 ||
	    fcntl(fd, F_ADD_SEALS,
		  F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) < 0)
		fd_close(&fd);
	return fd;
}

static int send_files(const struct run_files *files, int channel)
{
	struct egress_files message = { .kind = EGRESS_FILES,
					.files = files->sent + 1 };
	AUTO_ARENA arena = { 0 };
	AUTO_CLOSE int fd = -1;
	struct hosts hosts;
	struct err err;

	if (hosts_read(&arena, files->hosts.path, &hosts, &err) < 0 ||
	    servers_read(&arena, files->servers.path, &message.servers, &err) <
		    0)
		return -1;
	message.hosts_n = (uint32_t)hosts.n;
	fd = memory_open(hosts.text, hosts.n);
	if (fd < 0)
		return -1;
	return fd_send_now(channel, &message, sizeof(message), &fd, 1);
}

void run_files_renew(struct run_files *files, int channel, uint32_t has)
{
	struct run_file hosts, servers;

	if (!files->hosts.path || !look_is_due(files))
		return;
	/* Before they are read: what is written meanwhile differs next time. */
	hosts = look(files->hosts.path);
	servers = look(files->servers.path);
	if (has == files->sent && is_same(&hosts, &files->hosts) &&
	    is_same(&servers, &files->servers))
		return;
	if (send_files(files, channel) < 0)
		return;
	files->hosts = hosts;
	files->servers = servers;
	files->sent++;
}
