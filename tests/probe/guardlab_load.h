/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_TESTS_GUARDLAB_LOAD_H
#define CORDON_TESTS_GUARDLAB_LOAD_H

/* Part of guardlab.c: races, hostile arguments, and what a call costs. */
#include <netinet/in.h>
#include <sys/un.h>

#include "guardlab_box.h"

/* ---- races ------------------------------------------------------------ */

struct race {
	volatile bool over;
	char *path; /* flipped between the two */
};

static const char good_name[] = "good-name";
static const char bad_name[] = ".mcp.json";

static void *flip(void *arg)
{
	struct race *race = arg;

	while (!race->over) {
		memcpy(race->path, bad_name, sizeof(good_name));
		memcpy(race->path, good_name, sizeof(good_name));
	}
	return NULL;
}

/* One try each of the calls; the good name is taken away again. */
static void race_once(const char *path, int i)
{
	switch (i % 5) {
	case 0:
		(void)close(open(path, O_CREAT | O_WRONLY, 0600));
		break;
	case 1:
		(void)mkdir(path, 0700);
		(void)rmdir(good_name);
		return;
	case 2:
		(void)rename("source", path);
		(void)rename(good_name, "source");
		return;
	case 3:
		if (link("source", path) < 0)
			return;
		break;
	default:
		try_symlink("source", path);
		break;
	}
	(void)unlink(good_name);
}

static int run_race(void *arg)
{
	const struct lab *lab = arg;
	struct race race = { .path = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
					  MAP_SHARED | MAP_ANONYMOUS, -1, 0) };
	struct stat st;
	pthread_t thread;
	bool hit = false;

	memcpy(race.path, good_name, sizeof(good_name));
	if (pthread_create(&thread, NULL, flip, &race) != 0)
		die("thread");
	for (int i = 0; i < lab->race_tries && !hit; i++) {
		if (i % 5 == 2)
			(void)close(open("source", O_CREAT | O_WRONLY, 0600));
		race_once(race.path, i);
		hit = lstat(bad_name, &st) == 0;
	}
	race.over = true;
	pthread_join(thread, NULL);
	return hit;
}

/* The directory is flipped instead, by a link that is replaced. */
static void *flip_link(void *arg)
{
	struct race *race = arg;

	while (!race->over) {
		try_symlink(".", "new-link");
		(void)rename("new-link", "link");
		try_symlink("other", "new-link");
		(void)rename("new-link", "link");
	}
	return NULL;
}

static int run_link_race(void *arg)
{
	const struct lab *lab = arg;
	struct race race = { 0 };
	struct stat st;
	pthread_t thread;
	bool hit = false;

	(void)mkdir("other", 0700);
	if (pthread_create(&thread, NULL, flip_link, &race) != 0)
		die("thread");
	for (int i = 0; i < lab->race_tries / 5 && !hit; i++) {
		(void)close(open("link/.mcp.json", O_CREAT | O_WRONLY, 0600));
		(void)mkdir("link/.mcp.json", 0700);
		hit = lstat(bad_name, &st) == 0;
		(void)unlink("other/.mcp.json");
		(void)rmdir("other/.mcp.json");
	}
	race.over = true;
	pthread_join(thread, NULL);
	return hit;
}

static void test_race(struct lab *lab)
{
	const int tries = lab->race_tries;
	struct plan_absent absent = { .name = bad_name };
	struct plan_absents absents = { .v = &absent, .n = 1 };
	struct job job = { .cwd = lab->work,
			   .absents = &absents,
			   .arg = lab,
			   .ptrace = true };

	fresh_work(lab);
	absent.parent = identify(lab->work);
	job.command = run_race;
	/* Ends with the first hit, which may take long on a busy machine. */
	lab->race_tries = 1000000;
	check(lab, job_run(&job) == 1, "race: control, the name is hit");
	lab->race_tries = tries;
	fresh_work(lab);
	absent.parent = identify(lab->work);
	job.guarded = true;
	check(lab, job_run(&job) == 0, "race: rewritten path");
	check(lab, job.denied > 0, "race: both names were seen");
	fresh_work(lab);
	absent.parent = identify(lab->work);
	job.command = run_link_race;
	check(lab, job_run(&job) == 0, "race: replaced link");
	check(lab, job.denied > 0, "race: both directories were seen");
}

/* ---- hostile arguments ------------------------------------------------ */

static uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	return *seed ^= *seed << 17;
}

static uint64_t random_argument(uint64_t *seed, char *pages)
{
	static const char *const paths[] = {
		"a",
		"d/b",
		"/",
		"",
		".",
		"..",
		"/proc/self/fd/0",
		"d/../x",
		"/proc/thread-self/cwd/y",
		"/dev/null",
		"loop",
		"fifo",
		"d",
		"/proc/self/fd/999",
		"//",
		"./a/",
		"dangling",
		"/dev/fd/1",
		"/proc/self/mem",
		"/proc/1/mem",
		"/proc/self/root/../a",
	};
	uint64_t r = next_random(seed);

	switch (r >> 8 & 7) {
	case 0:
		return r;
	case 1:
		return r >> 40;
	case 2:
		return (uint64_t)(int64_t)(int)(r >> 60) - 8;
	case 3:
		return (uint64_t)AT_FDCWD;
	case 4: /* unterminated, at the end of what is mapped */
		return (uint64_t)(uintptr_t)pages + 4096 - (r >> 56);
	default:
		return (uint64_t)(uintptr_t)
			paths[(r >> 32) % ARRAY_SIZE(paths)];
	}
}

/* A socket, mostly, and an address that the kernel could take for one. */
static void random_address(uint64_t *seed, uint64_t a[6])
{
	static struct sockaddr_storage addr;
	uint64_t r = next_random(seed);
	struct sockaddr_un un = { .sun_family = AF_UNIX };

	(void)snprintf(un.sun_path, sizeof(un.sun_path), "%s%d",
		       r & 1   ? "s"
		       : r & 2 ? "d/../s"
			       : "/proc/self/cwd/s",
		       (int)(r >> 60));
	if (r & 4)
		un.sun_family = (sa_family_t)(r >> 16 & 15);
	memcpy(&addr, &un, sizeof(un));
	a[0] = 10 + (r >> 8 & 7);
	if (r & 8)
		a[1] = (uint64_t)(uintptr_t)&addr;
	if (r & 16)
		a[2] = sizeof(un) - (r >> 32 & 127);
}

/* Of each kind that a box has, at 10 and above. */
static void make_sockets(void)
{
	static const struct {
		int family, type;
	} kinds[] = {
		{ AF_UNIX, SOCK_STREAM },    { AF_UNIX, SOCK_DGRAM },
		{ AF_UNIX, SOCK_SEQPACKET }, { AF_INET, SOCK_STREAM },
		{ AF_INET, SOCK_DGRAM },     { AF_INET6, SOCK_STREAM },
		{ AF_UNIX, SOCK_STREAM },    { AF_NETLINK, SOCK_RAW },
	};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		int fd = socket(kinds[i].family, kinds[i].type, 0);

		if (fd >= 0)
			dup2(fd, 10 + (int)i);
		if (i % 2)
			(void)fcntl(10 + (int)i, F_SETFL, O_NONBLOCK);
		close(fd);
	}
}

/* Ten processes at once, which also die in the middle of calls. */
static void fuzz_calls(uint64_t seed, char *pages)
{
	static const long calls[] = {
		SYS_openat,    SYS_mkdirat,  SYS_mknodat,   SYS_renameat,
		SYS_renameat2, SYS_linkat,   SYS_symlinkat, SYS_connect,
		SYS_bind,      SYS_truncate, SYS_unlinkat,
#ifdef SYS_open
		SYS_open,      SYS_creat,    SYS_mkdir,	    SYS_mknod,
		SYS_rename,    SYS_link,     SYS_symlink,
#endif
	};

	/* A fifo without a reader may hold it: then it dies there. */
	alarm(2);
	make_sockets();
	for (int i = 0; i < 2000; i++) {
		long nr = calls[next_random(&seed) % ARRAY_SIZE(calls)];
		uint64_t a[6];
		long got;

		for (size_t k = 0; k < ARRAY_SIZE(a); k++)
			a[k] = random_argument(&seed, pages);
		if (next_random(&seed) % 2 && nr == SYS_openat)
			a[2] |= O_CREAT | O_NONBLOCK;
		else if (next_random(&seed) % 2 && nr == SYS_openat)
			a[2] = next_random(&seed) &
			       (O_DIRECTORY | O_NOFOLLOW | O_RDWR | O_NONBLOCK);
		if (nr == SYS_connect || nr == SYS_bind)
			random_address(&seed, a);
		got = syscall(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
		if ((nr == SYS_openat || nr == SYS_open || nr == SYS_creat) &&
		    got > 2)
			close((int)got);
		if (next_random(&seed) % 4096 == 0 && fork() == 0)
			_exit(0);
	}
	_exit(0);
}

static int run_fuzz(void *arg)
{
	const struct lab *lab = arg;
	time_t end = time(NULL) + lab->fuzz_seconds;
	char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int null = open("/dev/null", O_RDWR);
	uint64_t seed = 88172645463325252U;

	memset(pages, 'x', 8192);
	munmap(pages + 4096, 4096);
	(void)mkdir("d", 0700);
	try_symlink("loop", "loop");
	try_symlink("gone", "dangling");
	(void)mkfifo("fifo", 0600);
	dup2(null, 0);
	dup2(null, 1);
	for (int running = 0; time(NULL) < end;) {
		if (running == 10) {
			wait(NULL);
			running--;
		}
		seed += 7919;
		if (fork() == 0)
			fuzz_calls(seed, pages);
		running++;
	}
	while (wait(NULL) > 0)
		;
	return access("survived", F_OK) == 0 || mkdir("survived", 0700) == 0
		       ? 0
		       : 1;
}

static void test_fuzz(struct lab *lab)
{
	const struct plan_absents none = { 0 };
	struct job job = { .guarded = true,
			   .cwd = lab->work,
			   .absents = &none,
			   .command = run_fuzz,
			   .arg = lab,
			   .ptrace = true,
			   /* keeps root's random calls in the directory */
			   .landlock = true };
	int status;

	for (int i = 0; i < 2; i++) {
		fresh_work(lab);
		job.opens = i;
		status = job_run(&job);
		if (status == 77)
			printf("skip   fuzz: needs Landlock\n");
		else
			check(lab, status == 0,
			      i ? "fuzz: the same with every open"
				: "fuzz: alive and no descriptor leaked");
	}
}

/* ---- times -------------------------------------------------------------- */

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

struct times {
	double create, reopen, null, mkdir, deep, read, missing, tcp, unix_;
};

/* Of socket, connect and close; the server is this process. */
static double connect_time(int family, int n)
{
	union {
		struct sockaddr any;
		struct sockaddr_in in;
		struct sockaddr_un un;
	} addr = { 0 };
	socklen_t len = sizeof(addr);
	int server = socket(family, SOCK_STREAM, 0);
	double start;

	addr.any.sa_family = (sa_family_t)family;
	if (family == AF_UNIX) {
		(void)strcpy(addr.un.sun_path, "server");
		len = sizeof(addr.un);
	} else {
		addr.in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	}
	if (bind(server, &addr.any, len) < 0 || listen(server, 64) < 0 ||
	    getsockname(server, &addr.any, &len) < 0)
		die("server");
	start = now_us();
	for (int i = 0; i < n; i++) {
		int fd = socket(family, SOCK_STREAM, 0);

		if (connect(fd, &addr.any, len) < 0)
			die("connect");
		close(fd);
		close(accept(server, NULL, NULL));
	}
	close(server);
	return (now_us() - start) / n;
}

static int run_times(void *arg)
{
	enum { N = 5000 };
	struct times *times = arg;
	double start = now_us();

	for (int i = 0; i < N; i++) {
		(void)close(open("t", O_CREAT | O_WRONLY | O_TRUNC, 0644));
		(void)unlink("t");
	}
	times->create = (now_us() - start) / N;
	(void)close(open("t", O_CREAT | O_WRONLY, 0644));
	start = now_us();
	for (int i = 0; i < N; i++)
		(void)close(open("t", O_CREAT | O_WRONLY | O_TRUNC, 0644));
	times->reopen = (now_us() - start) / N;
	start = now_us();
	for (int i = 0; i < N; i++)
		(void)close(open("/dev/null", O_CREAT | O_WRONLY, 0644));
	times->null = (now_us() - start) / N;
	start = now_us();
	for (int i = 0; i < N; i++) {
		(void)mkdir("dir", 0755);
		(void)rmdir("dir");
	}
	times->mkdir = (now_us() - start) / N;
	(void)mkdir("a", 0755);
	(void)mkdir("a/b", 0755);
	(void)mkdir("a/b/c", 0755);
	start = now_us();
	for (int i = 0; i < N; i++) {
		(void)close(open("a/b/c/t", O_CREAT | O_WRONLY | O_EXCL, 0644));
		(void)unlink("a/b/c/t");
	}
	times->deep = (now_us() - start) / N;
	start = now_us();
	for (int i = 0; i < N; i++)
		(void)close(open("/etc/passwd", O_RDONLY));
	times->read = (now_us() - start) / N;
	start = now_us();
	for (int i = 0; i < N; i++)
		(void)close(open("a/b/missing", O_RDONLY));
	times->missing = (now_us() - start) / N;
	times->tcp = connect_time(AF_INET, N);
	times->unix_ = connect_time(AF_UNIX, N);
	return 0;
}

static void test_time(struct lab *lab)
{
	const struct plan_absents none = { 0 };
	struct times *times = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
				   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct job job = { .cwd = lab->work,
			   .absents = &none,
			   .command = run_times,
			   .ptrace = true };

	for (int i = 0; i < 2; i++) {
		fresh_work(lab);
		job.guarded = i;
		job.opens = i;
		job.arg = &times[i];
		check(lab, job_run(&job) == 0,
		      i ? "time: guarded" : "time: bare");
	}
#define SHOW(what, field)                                                      \
	printf("       %-24s bare %6.2f us, guarded %6.2f us, +%5.2f us\n",    \
	       what, times[0].field, times[1].field,                           \
	       times[1].field - times[0].field)
	SHOW("create, unlink", create);
	SHOW("create three deep, unlink", deep);
	SHOW("O_CREAT of an old file", reopen);
	SHOW("O_CREAT of /dev/null", null);
	SHOW("mkdir, rmdir", mkdir);
	SHOW("open of an old file", read);
	SHOW("open of nothing", missing);
	SHOW("TCP connect, close", tcp);
	SHOW("unix connect, close", unix_);
#undef SHOW
}

#endif
