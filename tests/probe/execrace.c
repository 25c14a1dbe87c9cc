/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Executes while another process changes what is executed.
 *
 *     execrace path N ALLOWED DENIED      flips the path
 *     execrace argv N PROGRAM ALLOWED DENIED   flips the first argument
 *
 * Path or argument lie in a mapping that is shared with a process that does
 * nothing but flip it. Each try is a child; what it prints is read. Prints
 * how many tries ran what was allowed, what was denied, and how many were
 * refused. What runs has to print a line: the first word tells which it was.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROOM = 256 };

static _Noreturn void die(const char *what)
{
	perror(what);
	exit(99);
}

static _Noreturn void flip(volatile char *at, const char *a, const char *b)
{
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (unsigned int i = 0;; i++) {
		const char *from = i % 2 ? a : b;

		for (size_t k = 0; k <= strlen(from); k++)
			at[k] = from[k];
	}
}

/* What the child printed; "" if it was refused. */
static void try_once(const char *path, char *const argv[], char *out)
{
	int pipes[2], status;
	ssize_t n;
	pid_t pid;

	if (pipe(pipes) < 0)
		die("pipe");
	pid = fork();
	if (pid == 0) {
		(void)dup2(pipes[1], 1);
		(void)close(2);
		(void)close(pipes[0]);
		execv(path, argv);
		_exit(77);
	}
	(void)close(pipes[1]);
	n = read(pipes[0], out, ROOM - 1);
	out[n > 0 ? n : 0] = '\0';
	(void)close(pipes[0]);
	if (waitpid(pid, &status, 0) != pid)
		die("waitpid");
}

int main(int argc, char **argv)
{
	char *shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int by_path = argc == 5 && !strcmp(argv[1], "path");
	const char *allowed = argv[by_path ? 3 : 4];
	const char *denied = argv[by_path ? 4 : 5];
	long counts[3] = { 0 }, tries;
	char out[ROOM];
	pid_t flipper;

	if (shared == MAP_FAILED)
		die("mmap");
	if (!by_path && argc != 6) {
		fprintf(stderr, "usage: execrace path|argv …\n");
		return 2;
	}
	(void)strcpy(shared, allowed);
	flipper = fork();
	if (flipper == 0)
		flip(shared, allowed, denied);
	tries = atol(argv[2]);
	for (long i = 0; i < tries; i++) {
		char *by_argv[] = { argv[3], shared, NULL };
		char *plain[] = { (char[]){ "x" }, NULL };

		try_once(by_path ? shared : argv[3], by_path ? plain : by_argv,
			 out);
		counts[!strncmp(out, "allowed", 7)  ? 0
		       : !strncmp(out, "denied", 6) ? 1
						    : 2]++;
	}
	(void)kill(flipper, SIGKILL);
	printf("allowed %ld denied %ld refused %ld\n", counts[0], counts[1],
	       counts[2]);
	return 0;
}
