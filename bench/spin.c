/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench/spin.c - compares commands by running them in turn
 *
 *     spin [-n ROUNDS] [-w WARMUP] [-s SEED] NAME COMMAND [ARG...] \
 *          [--- NAME COMMAND [ARG...]]...
 *
 * Every round runs every command once, in an order shuffled anew, so that
 * drift of the machine lands on all of them alike. Prints one line each:
 * name, median, minimum, 90th percentile in microseconds, and the ratio of
 * the medians to that of the first. A command that fails ends the run.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { COMMANDS_MAX = 16 };

struct command {
	const char *name;
	char **argv;
	double *us; /* one per round */
};

struct bench {
	struct command v[COMMANDS_MAX];
	size_t n;
	unsigned int rounds;
	unsigned int warmup;
	uint64_t seed;
	posix_spawn_file_actions_t actions;
};

extern char **environ;

static void die(const char *what, int error)
{
	fprintf(stderr, "spin: %s%s%s\n", what, error ? ": " : "",
		error ? strerror(error) : "");
	exit(1);
}

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static double run_once(const struct bench *b, const struct command *c)
{
	struct rusage usage;
	double begin = now_us();
	int status, error;
	pid_t pid;

	error = posix_spawnp(&pid, c->argv[0], &b->actions, NULL, c->argv,
			     environ);
	if (error)
		die(c->argv[0], error);
	if (wait4(pid, &status, 0, &usage) != pid)
		die("wait", errno);
	if (!WIFEXITED(status) || WEXITSTATUS(status))
		die(c->name, 0);
	return now_us() - begin;
}

/* xorshift: the same seed gives the same orders. */
static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static void run_round(struct bench *b, unsigned int round)
{
	size_t order[COMMANDS_MAX];

	for (size_t i = 0; i < b->n; i++)
		order[i] = i;
	for (size_t i = b->n; i > 1; i--) {
		size_t j = next_random(&b->seed) % i, t = order[i - 1];

		order[i - 1] = order[j];
		order[j] = t;
	}
	for (size_t i = 0; i < b->n; i++) {
		struct command *c = &b->v[order[i]];
		double us = run_once(b, c);

		if (round >= b->warmup)
			c->us[round - b->warmup] = us;
	}
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void print_results(const struct bench *b)
{
	double first = 0;

	for (size_t i = 0; i < b->n; i++) {
		double *us = b->v[i].us, median;

		qsort(us, b->rounds, sizeof(*us), by_value);
		median = us[b->rounds / 2];
		if (!i)
			first = median;
		printf("%s\t%.1f\t%.1f\t%.1f\t%.3f\n", b->v[i].name, median,
		       us[0], us[b->rounds * 9 / 10], median / first);
	}
}

static void parse_commands(struct bench *b, int argc, char **argv)
{
	int i = 0;

	while (i < argc) {
		struct command *c = &b->v[b->n++];

		if (b->n > COMMANDS_MAX || i + 1 >= argc)
			die("a name and a command, please", 0);
		c->name = argv[i];
		c->argv = &argv[i + 1];
		c->us = calloc(b->rounds, sizeof(*c->us));
		if (!c->us)
			die("memory", ENOMEM);
		while (i < argc && strcmp(argv[i], "---"))
			i++;
		if (i < argc)
			argv[i++] = NULL;
	}
	if (!b->n)
		die("no commands", 0);
}

int main(int argc, char **argv)
{
	struct bench b = { .rounds = 100, .warmup = 3, .seed = 42 };
	int opt;

	while ((opt = getopt(argc, argv, "+n:w:s:")) != -1) {
		unsigned long value = optarg ? strtoul(optarg, NULL, 10) : 0;

		if (opt == 'n' && value)
			b.rounds = (unsigned int)value;
		else if (opt == 'w')
			b.warmup = (unsigned int)value;
		else if (opt == 's' && value)
			b.seed = value;
		else
			die("usage: spin [-n N] [-w N] [-s N] NAME CMD ...", 0);
	}
	posix_spawn_file_actions_init(&b.actions);
	for (int fd = 0; fd < 3; fd++)
		posix_spawn_file_actions_addopen(&b.actions, fd, "/dev/null",
						 O_RDWR, 0);
	parse_commands(&b, argc - optind, argv + optind);
	for (unsigned int i = 0; i < b.rounds + b.warmup; i++)
		run_round(&b, i);
	print_results(&b);
	return 0;
}
