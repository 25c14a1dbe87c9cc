/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run/client.c - which process of a box a connection belongs to
 *
 * Runs in:  the supervisor.
 * Trusts:   /proc of the host for numbers; nothing in a process's name.
 * Must not: matter: it is said in a report, and nothing is decided by it.
 */
#include "run/client.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"

enum { LOOKS_MAX = 20000 };

/* The inode of the socket with this local port, of a table in /proc/PID/net;
 * 0 if there is none. */
static unsigned long table_find(pid_t init, const char *table, uint16_t port)
{
	char path[64], line[512];
	unsigned long inode = 0;
	FILE *f;

	(void)snprintf(path, sizeof(path), "/proc/%d/net/%s", (int)init, table);
	f = fopen(path, "re");
	if (!f)
		return 0;
	while (!inode && fgets(line, sizeof(line), f)) {
		unsigned int local;
		unsigned long found;

		/* sl local:port remote:port st queues timer retr uid to inode */
		if (sscanf(line,
			   " %*u: %*[0-9A-F]:%x %*[0-9A-F]:%*x %*x %*s %*s %*s "
			   "%*u %*u %lu",
			   &local, &found) == 2 &&
		    local == port)
			inode = found;
	}
	(void)fclose(f);
	return inode;
}

/* @looks counts down: a box may have more descriptors than there is time. */
static bool has_socket(int process, unsigned long inode, unsigned int *looks)
{
	char wanted[40], link[40];
	int fd = openat(process, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	bool found = false;
	struct dirent *entry;

	if (!dir) {
		fd_close(&fd);
		return false;
	}
	(void)snprintf(wanted, sizeof(wanted), "socket:[%lu]", inode);
	while (!found && *looks && (entry = readdir(dir))) {
		ssize_t n = readlinkat(dirfd(dir), entry->d_name, link,
				       sizeof(link) - 1);

		--*looks;
		if (n <= 0)
			continue;
		link[n] = '\0';
		found = !strcmp(link, wanted);
	}
	(void)closedir(dir);
	return found;
}

static size_t read_at(int dir, const char *name, char *out, size_t room)
{
	AUTO_CLOSE int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, out, room - 1);

	out[n > 0 ? n : 0] = '\0';
	return n > 0 ? (size_t)n : 0;
}

static void describe(int process, struct run_client *out)
{
	char status[2048], *line, *last;
	size_t n = read_at(process, "comm", out->comm, sizeof(out->comm));

	if (n && out->comm[n - 1] == '\n')
		out->comm[n - 1] = '\0';
	(void)read_at(process, "status", status, sizeof(status));
	/* Its number in each namespace, the box's at the end. */
	line = strstr(status, "\nNSpid:");
	if (!line)
		return;
	line[1 + strcspn(line + 1, "\n")] = '\0';
	last = strrchr(line, '\t');
	out->pid = last ? (uint32_t)strtoul(last + 1, NULL, 10) : 0;
}

static bool same_network(int process, uint64_t network)
{
	struct stat st;

	return fstatat(process, "ns/net", &st, 0) == 0 && st.st_ino == network;
}

bool run_client_find(pid_t init, uint64_t network, bool datagram, uint16_t port,
		     struct run_client *out)
{
	unsigned long inode = table_find(init, datagram ? "udp" : "tcp", port);
	struct dirent *entry;
	unsigned int looks = LOOKS_MAX;
	bool found = false;
	DIR *all;

	*out = (struct run_client){ 0 };
	if (!inode)
		inode = table_find(init, datagram ? "udp6" : "tcp6", port);
	if (!port || !inode || !network)
		return false;
	all = opendir("/proc");
	while (all && !found && (entry = readdir(all))) {
		AUTO_CLOSE int process = -1;

		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		process = openat(dirfd(all), entry->d_name,
				 O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (process < 0 || !same_network(process, network) ||
		    !has_socket(process, inode, &looks))
			continue;
		describe(process, out);
		found = true;
	}
	if (all)
		(void)closedir(all);
	return found;
}
