/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/probe/guardlab.c - the guard on its own: a command under a filter that
 * notifies, served by guard_serve(), without a box around it
 *
 *     guardlab DIRECTORY-OF-THE-SCRIPTS [test]... [-f SECONDS] [-r TRIES]
 *
 * Compares what programs do with and without the guard, tries every spelling
 * of a name that must stay absent, races and fuzzes it, and takes times.
 * Works as root (who gives up his capabilities) and as any user.
 */
#include "guardlab_box.h"
#include "guardlab_load.h"

/* ---- the same with and without the guard ----------------------------- */

/* Output of the command, then all that can be seen of the files. */
static int run_compared(struct lab *lab, struct job *job, const char *output)
{
	int status;

	fresh_work(lab);
	job->output = output;
	status = job_run(job);
	if (shell("cd %s && { find . -printf '%%P %%y %%m %%U %%G %%l\\n' | "
		  "sort; chmod -R u+rX .; find . -type f -print0 | sort -z | "
		  "xargs -r0 md5sum; } >> %s 2>&1",
		  lab->work, output) != 0)
		die("listing");
	return status;
}

static void compare(struct lab *lab, const char *script, char *part, bool opens)
{
	const struct plan_absents none = { 0 };
	char path[256], bare[128], guarded[128], what[300];
	bool python = strstr(script, ".py") != NULL;
	char sh[] = "bash", py[] = "/usr/bin/python3";
	char *argv[] = { python ? py : sh, path, part, NULL };
	struct job job = { .cwd = lab->work,
			   .absents = &none,
			   .opens = opens,
			   .fence = opens ? lab->dir : NULL,
			   .command = run_argv,
			   .arg = argv,
			   .ptrace = true };
	int first, second;

	(void)snprintf(path, sizeof(path), "%s/%s", lab->scripts, script);
	(void)snprintf(bare, sizeof(bare), "%s/bare", lab->dir);
	(void)snprintf(guarded, sizeof(guarded), "%s/guarded", lab->dir);
	first = run_compared(lab, &job, bare);
	job.guarded = true;
	second = run_compared(lab, &job, guarded);
	(void)snprintf(what, sizeof(what), "the same%s: %s %s (%d, %d)",
		       opens ? " with every open" : "", script, part, first,
		       second);
	if (first == 77)
		printf("skip   %s: needs Landlock\n", what);
	else
		check(lab,
		      first == second && first != 99 &&
			      shell("diff %s %s", bare, guarded) == 0,
		      what);
}

static void compare_all(struct lab *lab, bool opens)
{
	static char parts[][12] = { "files",  "special", "umask",   "fifo",
				    "links",  "git",	 "archive", "sqlite",
				    "python", "compile", "signals", "rights" };
	static char calls[] = "calls";

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		compare(lab, "guardlab.sh", parts[i], opens);
	compare(lab, "guardlab.py", calls, opens);
	compare(lab, "guardlab_sockets.py", calls, opens);
}

static void test_same(struct lab *lab)
{
	compare_all(lab, false);
}

/* Besides what creates, everything that only opens. */
static void test_opens(struct lab *lab)
{
	static char parts[][12] = { "reads", "procs", "readers", "threads" };
	char opens[] = "opens";

	compare_all(lab, true);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		compare(lab, "guardlab.sh", parts[i], true);
	compare(lab, "guardlab.py", opens, true);
}

/* ---- names that must stay absent ------------------------------------- */

static void test_absent(struct lab *lab)
{
	struct plan_absent absent[] = { { .name = ".mcp.json" },
					{ .name = ".vscode" } };
	struct plan_absents absents = { .v = absent, .n = 2 };
	char path[256], mode[16] = "allowed", py[] = "/usr/bin/python3";
	char *argv[] = { py, path, mode, NULL };
	struct job job = { .cwd = lab->work,
			   .absents = &absents,
			   .command = run_argv,
			   .arg = argv,
			   .ptrace = true };

	(void)snprintf(path, sizeof(path), "%s/guardlab.py", lab->scripts);
	fresh_work(lab);
	absent[0].parent = absent[1].parent = identify("/");
	check(lab, job_run(&job) == 0, "absent: control without the guard");
	job.guarded = true;
	check(lab, job_run(&job) == 0, "absent: control with other names");
	check(lab, job.denied == 0, "absent: nothing is reported then");
	absent[0].parent = absent[1].parent = identify(lab->work);
	(void)strcpy(mode, "denied");
	check(lab, job_run(&job) == 0, "absent: refused in every spelling");
	check(lab,
	      job.denied > 20 && job.last.rule < 2 && job.last.call[0] &&
		      !strncmp(job.last.comm, "python", 6),
	      "absent: refusals are reported");
}

static void test_passage(struct lab *lab)
{
	struct plan_absent absent[] = {
		{ .name = "conf",
		  .below = "foo/config",
		  .action = PLAN_ABSENT_PASSAGE },
		{ .name = ".git", .action = PLAN_ABSENT_NOTICE },
	};
	struct plan_absents absents = { .v = absent, .n = 2 };
	char path[256], mode[] = "passage", py[] = "/usr/bin/python3";
	char *argv[] = { py, path, mode, NULL };
	struct job job = { .cwd = lab->work,
			   .absents = &absents,
			   .command = run_argv,
			   .arg = argv,
			   .ptrace = true,
			   .guarded = true };
	char where[128];

	(void)snprintf(path, sizeof(path), "%s/guardlab.py", lab->scripts);
	(void)snprintf(where, sizeof(where), "%s/conf", lab->work);
	fresh_work(lab);
	absent[0].parent = identify(lab->work);
	check(lab, job_run(&job) == 0,
	      "passage: directories on the way, not the end");
	check(lab,
	      job.last.rule == 1 && !strcmp(job.where, where) &&
		      !strcmp(job.last.call, "mkdir"),
	      "passage: what is only noticed is reported");
}

/* ---- what else holds --------------------------------------------------- */

static void run_mode(struct lab *lab, struct job *job, const char *mode,
		     const char *what)
{
	char path[256], copy[16], py[] = "/usr/bin/python3";
	char *argv[] = { py, path, copy, NULL };
	const struct plan_absents none = { 0 };
	int status;

	(void)snprintf(path, sizeof(path), "%s/guardlab.py", lab->scripts);
	(void)snprintf(copy, sizeof(copy), "%s", mode);
	fresh_work(lab);
	job->cwd = lab->work;
	job->guarded = true;
	job->absents = &none;
	job->command = run_argv;
	job->arg = argv;
	status = job_run(job);
	if (status == 77)
		printf("skip   %s\n", what);
	else
		check(lab, status == 0, what);
}

static void test_walls(struct lab *lab)
{
	struct job plain = { .ptrace = true };
	struct job locked = { .landlock = true };
	struct job all = { .ptrace = true, .opens = true };
	struct job all_locked = { .landlock = true, .opens = true };

	if (shell("echo given > %s/given", lab->dir) != 0)
		die("given");
	run_mode(lab, &plain, "guard",
		 "walls: the guard's own memory and files stay closed");
	run_mode(lab, &locked, "landlock",
		 "walls: works and holds inside a Landlock domain");
	run_mode(lab, &all, "guard",
		 "walls: they stay closed when every open is the guard's");
	run_mode(lab, &all_locked, "landlock",
		 "walls: so does what is outside the Landlock domain");
	if (has_ptrace()) {
		run_mode(lab, &plain, "hidden",
			 "walls: an undumpable caller is served");
		run_mode(lab, &all, "hidden",
			 "walls: so it is when every open is the guard's");
	} else
		printf("skip   walls: an undumpable caller (no "
		       "CAP_SYS_PTRACE)\n");
}

/* ---- what is learned ----------------------------------------------------- */

static int run_learn(void *arg)
{
	(void)arg;
	if (mkdir("d", 0700) < 0)
		return 1;
	for (int i = 0; i < 3; i++) {
		(void)close(open("d/new", O_CREAT | O_WRONLY, 0600));
		(void)close(open("d/new", O_RDONLY));
		(void)close(open("d/../d/new", O_RDWR));
		(void)close(open("d", O_RDONLY | O_DIRECTORY));
		(void)close(open("nothing", O_RDONLY));
		(void)close(open("/proc/self/stat", O_RDONLY));
	}
	try_symlink("d/new", "link");
	(void)close(open("link", O_RDONLY));
	return rename("d", "e") < 0 || unlink("e/new") < 0 || rmdir("e") < 0 ||
	       truncate("link", 0) == 0;
}

static void test_learn(struct lab *lab)
{
	const struct plan_absents none = { 0 };
	/* FRAME_CREATE 0, READ 1, WRITE 2, REMOVE 3; each once */
	static const char expected[] = "0 /d/\n0 /d/new\n1 /d/new\n2 /d/new\n"
				       "1 /d/\n0 /link\n3 /d/\n0 /e/\n"
				       "3 /e/new\n3 /e/\n";
	struct job job = { .cwd = lab->work,
			   .absents = &none,
			   .guarded = true,
			   .opens = true,
			   .learn = true,
			   .ptrace = true,
			   .command = run_learn };

	fresh_work(lab);
	check(lab, job_run(&job) == 0, "learn: the command works");
	if (strcmp(job.used, expected) != 0)
		printf("%s", job.used);
	check(lab, !strcmp(job.used, expected), "learn: each use once");
}

static const struct {
	const char *name;
	void (*run)(struct lab *lab);
} tests[] = {
	{ "same", test_same },	   { "opens", test_opens },
	{ "absent", test_absent }, { "passage", test_passage },
	{ "walls", test_walls },   { "learn", test_learn },
	{ "race", test_race },	   { "fuzz", test_fuzz },
	{ "time", test_time },
};

static void run_tests(struct lab *lab, char **names, int n)
{
	for (size_t i = 0; i < ARRAY_SIZE(tests); i++) {
		bool wanted = n == 0;

		for (int k = 0; k < n; k++)
			wanted |= !strcmp(names[k], tests[i].name);
		if (wanted)
			tests[i].run(lab);
	}
}

int main(int argc, char **argv)
{
	struct lab lab = { .dir = "/tmp/guardlab.XXXXXX",
			   .fuzz_seconds = 20,
			   .race_tries = 100000 };
	char scripts[PATH_MAX];
	int opt;

	while ((opt = getopt(argc, argv, "f:r:")) != -1) {
		if (opt == 'f')
			lab.fuzz_seconds = atoi(optarg);
		else if (opt == 'r')
			lab.race_tries = atoi(optarg);
		else
			return 2;
	}
	if (optind >= argc || !realpath(argv[optind], scripts)) {
		fprintf(stderr, "usage: guardlab [-f seconds] [-r tries] "
				"directory-of-scripts [test]...\n");
		return 2;
	}
	lab.scripts = scripts;
	setvbuf(stdout, NULL, _IOLBF, 0);
	umask(022);
	if (!mkdtemp(lab.dir))
		die("mkdtemp");
	(void)snprintf(lab.work, sizeof(lab.work), "%s/work", lab.dir);
	run_tests(&lab, argv + optind + 1, argc - optind - 1);
	(void)shell("chmod -R u+rwX %s; rm -rf %s", lab.dir, lab.dir);
	printf("%u passed, %u failed\n", lab.passed, lab.failed);
	return lab.failed ? 1 : 0;
}
