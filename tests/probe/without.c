/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tests/probe/without.c - runs a command on a kernel that lacks something
 *
 *     without NAME[=ERRNO][,NAME...] COMMAND [ARGUMENT...]
 *
 * Each named system call is answered ENOSYS (or EPERM, EACCES, …) by a filter
 * that every descendant inherits.
 */
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static const struct {
	const char *name;
	unsigned int number;
} calls[] = {
	{ "landlock_create_ruleset", 444 },
	{ "landlock_add_rule", 445 },
	{ "landlock_restrict_self", 446 },
	{ "openat2", 437 },
	{ "clone3", 435 },
	{ "mount_setattr", 442 },
	{ "open_tree", 428 },
	{ "move_mount", 429 },
	{ "fsopen", 430 },
	{ "fsconfig", 431 },
	{ "fsmount", 432 },
	{ "close_range", 436 },
	{ "pidfd_open", 434 },
	{ "pidfd_send_signal", 424 },
	{ "pidfd_getfd", 438 },
	{ "seccomp", SYS_seccomp },
	{ "mount", SYS_mount },
	{ "pivot_root", SYS_pivot_root },
	{ "unshare", SYS_unshare },
	{ "keyctl", SYS_keyctl },
	{ "prctl", SYS_prctl },
	{ "capset", SYS_capset },
	{ "inotify_init1", SYS_inotify_init1 },
	{ "signalfd4", SYS_signalfd4 },
	{ "timerfd_create", SYS_timerfd_create },
	{ "epoll_create1", SYS_epoll_create1 },
	{ "memfd_create", SYS_memfd_create },
	{ "sethostname", SYS_sethostname },
	{ "statx", SYS_statx },
	{ "setsid", SYS_setsid },
	{ "prlimit64", SYS_prlimit64 },
	{ "socketpair", SYS_socketpair },
	{ "faccessat2", 439 },
	{ "getdents64", SYS_getdents64 },
	{ "process_vm_readv", SYS_process_vm_readv },
};

static const struct {
	const char *name;
	unsigned int value;
} errors[] = {
	{ "ENOSYS", ENOSYS }, { "EPERM", EPERM },   { "EACCES", EACCES },
	{ "EINVAL", EINVAL }, { "ENOSPC", ENOSPC }, { "EMFILE", EMFILE },
};

static unsigned int find_call(const char *name)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		if (!strcmp(calls[i].name, name))
			return calls[i].number;
	}
	fprintf(stderr, "without: unknown system call '%s'\n", name);
	exit(2);
}

static unsigned int find_error(const char *name)
{
	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++) {
		if (!strcmp(errors[i].name, name))
			return errors[i].value;
	}
	fprintf(stderr, "without: unknown error '%s'\n", name);
	exit(2);
}

static void take_away(const char *name, unsigned int error)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, find_call(name), 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(*code), code };

	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0)) {
		perror("without: filter");
		exit(2);
	}
}

int main(int argc, char **argv)
{
	const char *last = NULL;
	char *save = NULL, *word;

	if (argc < 3) {
		fprintf(stderr, "usage: without NAME[=ERRNO][,...] COMMAND\n");
		return 2;
	}
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)) {
		perror("without: no_new_privs");
		return 2;
	}
	for (word = strtok_r(argv[1], ",", &save); word;
	     word = strtok_r(NULL, ",", &save)) {
		char *error = strchr(word, '=');

		if (error)
			*error++ = 0;
		/* prctl itself goes last: it is needed for the others. */
		if (!strcmp(word, "prctl"))
			last = error ? error : "ENOSYS";
		else
			take_away(word, find_error(error ? error : "ENOSYS"));
	}
	if (last)
		take_away("prctl", find_error(last));
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 2;
}
