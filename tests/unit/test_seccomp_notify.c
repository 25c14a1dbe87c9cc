/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The filters that hand calls to the guard: by parts, joined with the one that
 * refuses, and run as the guard runs them.
 */
#include "plan/seccomp.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/err.h"
#include "plan/plan.h"
#include "seccomp_rows.h"

static const struct row notify[] = {
	{ SYS_open, { 0, O_CREAT | O_PATH, 0644 }, A },
	{ 444 /* landlock_create_ruleset */, { 0 }, N },
	{ 446 /* landlock_restrict_self */, { 0 }, N },
	{ SYS_open, { 0, CREAT, 0644 }, U },
	{ SYS_open, { 0, HIGH | CREAT | O_EXCL, 0644 }, U },
	{ SYS_openat, { 0, 0, O_CREAT, 0644 }, U },
	{ SYS_openat, { 0, 0, HIGH | CREAT, 0644 }, U },
	{ SYS_creat, { 0, 0644 }, U },
	{ SYS_mkdir, { 0 }, U },
	{ SYS_mkdirat, { 0 }, U },
	{ SYS_mknod, { 0 }, U },
	{ SYS_mknodat, { 0 }, U },
	{ SYS_rename, { 0 }, U },
	{ SYS_renameat, { 0 }, U },
	{ SYS_renameat2, { 0 }, U },
	{ SYS_link, { 0 }, U },
	{ SYS_linkat, { 0 }, U },
	{ SYS_symlink, { 0 }, U },
	{ SYS_symlinkat, { 0 }, U },
	{ 437 /* openat2 */, { 0 }, N },
	{ SYS_connect, { 0 }, U },
	{ SYS_connect, { HIGH | 3, HIGH, HIGH | 16 }, U },
	{ SYS_bind, { 0 }, U },
	{ SYS_socket, { 0 }, A },
	{ SYS_sendto, { 0 }, A },
	{ SYS_read, { 0 }, A },
	{ SYS_clone3, { 0 }, A },
	{ 500, { 0 }, A },
	{ -1, { 0 }, A },
	{ 0x40000002, { 0 }, K },
};

/* Opens without O_CREAT; what removes and empties files. */
static const struct row notify_opens_not[] = {
	{ SYS_open, { 0, O_RDONLY, O_CREAT }, A },
	{ SYS_open, { 0, O_RDWR | O_TRUNC | O_APPEND | O_DIRECTORY }, A },
	{ SYS_open, { 0, TMPFILE, 0600 }, A },
	{ SYS_open, { O_CREAT, (uint64_t)O_CREAT << 32, O_CREAT }, A },
	{ SYS_openat, { 0, 0, O_RDONLY, O_CREAT }, A },
	{ SYS_openat, { 0, O_CREAT, O_RDWR | O_TRUNC, 0 }, A },
	{ SYS_openat, { 0, 0, TMPFILE, 0600 }, A },
	{ SYS_unlink, { 0 }, A },
	{ SYS_unlinkat, { 0 }, A },
	{ SYS_rmdir, { 0 }, A },
	{ SYS_truncate, { 0 }, A },
};

static const struct row notify_opens[] = {
	{ SYS_open, { 0, O_RDONLY, O_CREAT }, U },
	{ SYS_open, { 0, O_RDWR | O_TRUNC }, U },
	{ SYS_open, { 0, O_PATH }, A },
	{ SYS_open, { 0, HIGH | O_PATH | O_NOFOLLOW }, A },
	{ SYS_openat, { 0, 0, O_RDONLY, O_CREAT }, U },
	{ SYS_openat, { 0, O_PATH, HIGH | O_RDONLY, O_PATH }, U },
	{ SYS_openat, { 0, 0, O_PATH | O_DIRECTORY }, A },
	{ SYS_unlink, { 0 }, U },
	{ SYS_unlinkat, { 0 }, U },
	{ SYS_rmdir, { 0 }, U },
	{ SYS_truncate, { 0 }, U },
	{ SYS_ftruncate, { 0 }, A },
};

static void creating_calls_go_to_the_guard(void **state)
{
	(void)state;
	for (unsigned int parts = 0; parts <= PLAN_NOTIFY_ALL; parts++)
		check_filter(plan_seccomp_notify(parts), notify, COUNT(notify));
}

/* What each part adds, and that nothing else does. */
static void parts_are_handed_over_when_asked_for(void **state)
{
	(void)state;
	for (unsigned int parts = 0; parts <= PLAN_NOTIFY_ALL; parts++) {
		const struct plan_filter *filter = plan_seccomp_notify(parts);
		const uint32_t exec = parts & PLAN_NOTIFY_EXEC ? U : A;
		const uint32_t memfd = parts & PLAN_NOTIFY_MEMFD ? U : A;
		const struct row rows[] = {
			{ SYS_execve, { 0 }, exec },
			{ SYS_execveat, { 0 }, exec },
			{ SYS_memfd_create, { 0 }, memfd },
		};

		check_filter(filter, rows, COUNT(rows));
		if (parts & PLAN_NOTIFY_OPENS)
			check_filter(filter, notify_opens, COUNT(notify_opens));
		else
			check_filter(filter, notify_opens_not,
				     COUNT(notify_opens_not));
	}
}

static void choose(struct arena *arena, struct plan *plan)
{
	struct err err;

	plan->seccomp = *plan_seccomp_find(PLAN_SECCOMP_DEFAULT);
	assert_int_equal(plan_seccomp_choose(arena, plan, &err), 0);
}

static void the_plan_chooses_what_is_handed_over(void **state)
{
	AUTO_ARENA arena = { 0 };
	const struct {
		struct plan plan;
		unsigned int parts;
	} cases[] = {
		{ { 0 }, 0 },
		{ { .exec.judged = true }, PLAN_NOTIFY_EXEC },
		{ { .exec.only_system = true }, PLAN_NOTIFY_MEMFD },
		{ { .patterns.n = 1 }, PLAN_NOTIFY_OPENS | PLAN_NOTIFY_EXEC },
		{ { .learn = true }, PLAN_NOTIFY_OPENS | PLAN_NOTIFY_EXEC },
		{ { .exec = { .judged = true, .only_system = true },
		    .patterns.n = 1 },
		  PLAN_NOTIFY_ALL },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct plan plan = cases[i].plan;

		choose(&arena, &plan);
		assert_ptr_equal(plan.notify.v,
				 plan_seccomp_notify(cases[i].parts)->v);
		assert_false(plan.notify_holds);
	}
}

/* What the joined filter must answer where @alone is the answer of the filter
 * that refuses, and @after that of the one that hands over. */
static uint32_t joined(uint32_t alone, uint32_t after)
{
	if (alone == A)
		return after;
	if (alone == K || alone == N)
		return alone;
	return U;
}

/* Every number, with arguments of different kinds. */
static void refusals_are_told_where_that_is_asked_for(void **state)
{
	static const uint64_t arguments[][4] = {
		{ 0 },
		{ 0, CREAT, CREAT, 0644 },
		{ 0, CREAT, 04755, 04755 },
		{ AF_ALG, TIOCSTI, 0, 0 },
		{ CLONE_NEWUSER, S_IFCHR, S_IFCHR, 0 },
		{ AF_UNIX, SOCK_STREAM, 0, 0 },
	};
	const struct plan_filter *handed =
		plan_seccomp_notify(PLAN_NOTIFY_OPENS | PLAN_NOTIFY_EXEC);
	AUTO_ARENA arena = { 0 };
	struct plan plan = { .explain = true };
	size_t told = 0;

	(void)state;
	choose(&arena, &plan);
	assert_true(plan.notify_holds);
	for (int nr = -2; nr < 1024; nr++) {
		for (size_t i = 0; i < COUNT(arguments); i++) {
			struct row row = { .nr = nr };
			uint32_t alone;

			memcpy(row.args, arguments[i], sizeof(row.args));
			alone = ask_filter(&plan.seccomp, &row);
			row.answer = joined(alone, ask_filter(handed, &row));
			check_filter(&plan.notify, &row, 1);
			told += alone != A && row.answer == U;
		}
	}
	/* Some of each, so that the loop above has shown something. */
	assert_in_range(told, 200, 1000);
	check_filter(&plan.notify,
		     (const struct row[]){
			     { SYS_mount, { 0 }, U },
			     { SYS_socket, { AF_ALG, SOCK_SEQPACKET, 0 }, U },
			     { SYS_clone3, { 0 }, N },
			     { SYS_mkdir, { 0 }, U },
			     { SYS_read, { 0 }, A },
			     { 0x40000000, { 0 }, K } },
		     6);
}

/* As alone. */
static void a_joined_filter_kills_foreign_architectures(void **state)
{
	AUTO_ARENA arena = { 0 };
	struct plan plan = { .explain = true };

	(void)state;
	choose(&arena, &plan);
	for (int nr = -1; nr < 512; nr++) {
		struct seccomp_data data = { .nr = nr,
					     .arch = AUDIT_ARCH_I386 };

		assert_int_equal(bpf_run(&plan.notify, &data), K);
	}
}

static void a_filter_too_long_to_be_told_of_is_an_error(void **state)
{
	AUTO_ARENA arena = { 0 };
	struct sock_filter v[BPF_MAXINSNS];
	struct plan plan = { .explain = true,
			     .seccomp = {
				     .name = "long", .v = v, .n = COUNT(v) } };
	struct err err;

	(void)state;
	memset(v, 0, sizeof(v));
	assert_int_equal(plan_seccomp_choose(&arena, &plan, &err), -1);
	assert_non_null(strstr(err.msg, "'long'"));
	assert_int_equal(err.kind, ERR_POLICY);
}

/* What seccomp would not load, and what reads beyond the call. */
static void a_broken_filter_kills(void **state)
{
	static const struct sock_filter beyond[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, sizeof(struct seccomp_data)),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	static const struct sock_filter unknown[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_IND, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	static const struct sock_filter endless[] = {
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 9, 0),
	};
	const struct plan_filter filters[] = {
		{ "beyond", beyond, COUNT(beyond) },
		{ "unknown", unknown, COUNT(unknown) },
		{ "endless", endless, COUNT(endless) },
		{ "empty", NULL, 0 },
	};
	const struct seccomp_data data = { .arch = AUDIT_ARCH_X86_64 };

	(void)state;
	for (size_t i = 0; i < COUNT(filters); i++)
		assert_int_equal(plan_seccomp_run(&filters[i], &data), K);
}

/* A call that is logged is a call that is allowed. */
static void what_is_logged_is_handed_over_too(void **state)
{
	const struct sock_filter v[] = {
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_LOG),
	};
	AUTO_ARENA arena = { 0 };
	struct plan plan = { .explain = true,
			     .seccomp = {
				     .name = "log", .v = v, .n = COUNT(v) } };
	struct err err;

	(void)state;
	assert_int_equal(plan_seccomp_choose(&arena, &plan, &err), 0);
	check_filter(&plan.notify,
		     (const struct row[]){ { SYS_mkdir, { 0 }, U },
					   { SYS_execve, { 0 }, U },
					   { SYS_read, { 0 }, A } },
		     3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(creating_calls_go_to_the_guard),
		cmocka_unit_test(parts_are_handed_over_when_asked_for),
		cmocka_unit_test(the_plan_chooses_what_is_handed_over),
		cmocka_unit_test(refusals_are_told_where_that_is_asked_for),
		cmocka_unit_test(a_joined_filter_kills_foreign_architectures),
		cmocka_unit_test(a_filter_too_long_to_be_told_of_is_an_error),
		cmocka_unit_test(a_broken_filter_kills),
		cmocka_unit_test(what_is_logged_is_handed_over_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
