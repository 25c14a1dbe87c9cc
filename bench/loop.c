/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench/loop.c - one kind of file work, many times
 *
 *     loop open|create|rename|stat|exec N DIRECTORY
 */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int one_open(void)
{
	int fd = open("subject", O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -1 : close(fd);
}

static int one_create(void)
{
	int fd = open("made", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

	return fd < 0 ? -1 : close(fd) | unlink("made");
}

static int one_rename(void)
{
	return rename("subject", "other") | rename("other", "subject");
}

static int one_stat(void)
{
	struct stat st;

	return stat("subject", &st);
}

static int one_exec(void)
{
	char name[] = "/bin/true", *argv[] = { name, NULL }, *env[] = { NULL };
	pid_t pid;

	if (posix_spawn(&pid, name, NULL, NULL, argv, env))
		return -1;
	return waitpid(pid, NULL, 0) == pid ? 0 : -1;
}

static const struct {
	const char *name;
	int (*act)(void);
} kinds[] = {
	{ "open", one_open },	  { "create", one_create },
	{ "rename", one_rename }, { "stat", one_stat },
	{ "exec", one_exec },
};

int main(int argc, char **argv)
{
	int fd;

	if (argc != 4 || chdir(argv[3]))
		return 2;
	fd = open("subject", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	if (fd < 0 || close(fd))
		return 3;
	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
		if (strcmp(kinds[k].name, argv[1]))
			continue;
		for (long i = strtol(argv[2], NULL, 10); i > 0; i--) {
			if (kinds[k].act())
				return 4;
		}
		return 0;
	}
	return 2;
}
