/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiles in the OCI/Docker format: what they mean, and what is wrong with
 * them.
 */
#include "host/seccomp_oci.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "base/arena.h"
#include "base/err.h"
#include "seccomp_bpf.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define ERRNO_P	 "{\"defaultAction\":\"SCMP_ACT_ERRNO\",\"syscalls\":["
#define ALLOW_P	 "{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"syscalls\":["
#define END	 "]}"
#define YES	 "\"action\":\"SCMP_ACT_ALLOW\""

/* One with every structure that the profiles of container runtimes have. */
static const char container[] =
	"{"
	"\"defaultAction\": \"SCMP_ACT_ERRNO\", \"defaultErrnoRet\": 38,"
	"\"archMap\": ["
	" {\"architecture\": \"SCMP_ARCH_X86_64\","
	"  \"subArchitectures\": [\"SCMP_ARCH_X86\", \"SCMP_ARCH_X32\"]},"
	" {\"architecture\": \"SCMP_ARCH_AARCH64\","
	"  \"subArchitectures\": [\"SCMP_ARCH_ARM\"]}],"
	"\"syscalls\": ["
	" {\"names\": [\"read\", \"write\", \"cachestat\", \"not_yet_known\","
	"   \"arm_fadvise64_64\", \"socketcall\"],"
	"  \"action\": \"SCMP_ACT_ALLOW\", \"args\": [], \"comment\": \"\","
	"  \"includes\": {}, \"excludes\": {}},"
	" {\"names\": [\"ptrace\"], \"action\": \"SCMP_ACT_ALLOW\","
	"  \"args\": null, \"includes\": {\"minKernel\": \"4.8\"}},"
	" {\"names\": [\"kcmp\"], \"action\": \"SCMP_ACT_ALLOW\","
	"  \"includes\": {\"minKernel\": \"999.0\"}},"
	" {\"names\": [\"socket\"], \"action\": \"SCMP_ACT_ALLOW\", \"args\":"
	"  [{\"index\": 0, \"value\": 40, \"op\": \"SCMP_CMP_NE\"}]},"
	" {\"names\": [\"personality\"], \"action\": \"SCMP_ACT_ALLOW\","
	"  \"args\": [{\"index\": 0, \"value\": 0, \"op\": \"SCMP_CMP_EQ\"}]},"
	" {\"names\": [\"personality\"], \"action\": \"SCMP_ACT_ALLOW\","
	"  \"args\": [{\"index\": 0, \"value\": 4294967295,"
	"   \"op\": \"SCMP_CMP_EQ\"}]},"
	" {\"names\": [\"arch_prctl\"], \"action\": \"SCMP_ACT_ALLOW\","
	"  \"includes\": {\"arches\": [\"amd64\", \"x32\"]}},"
	" {\"names\": [\"sync_file_range\"], \"action\": \"SCMP_ACT_ALLOW\","
	"  \"includes\": {\"arches\": [\"ppc64le\"]}},"
	" {\"names\": [\"bpf\", \"setns\"], \"action\": \"SCMP_ACT_ALLOW\","
	"  \"includes\": {\"caps\": [\"CAP_SYS_ADMIN\"]}},"
	" {\"names\": [\"clone\"], \"action\": \"SCMP_ACT_ALLOW\", \"args\":"
	"  [{\"index\": 0, \"value\": 2114060288, \"valueTwo\": 0,"
	"    \"op\": \"SCMP_CMP_MASKED_EQ\"}],"
	"  \"excludes\": {\"caps\": [\"CAP_SYS_ADMIN\"],"
	"   \"arches\": [\"s390\", \"s390x\"]}},"
	" {\"names\": [\"chmod\"], \"action\": \"SCMP_ACT_ALLOW\","
	"  \"excludes\": {\"arches\": [\"x86_64\"]}},"
	" {\"names\": [\"clone3\"], \"action\": \"SCMP_ACT_ERRNO\","
	"  \"errnoRet\": 1, \"excludes\": {\"caps\": [\"CAP_SYS_ADMIN\"]}},"
	" {\"name\": \"mseal\", \"action\": \"SCMP_ACT_KILL_PROCESS\"}"
	"]}";

/* Podman's way to name an error, and alternatives for one argument. */
static const char alternatives[] =
	"{\"defaultAction\": \"SCMP_ACT_ERRNO\", \"defaultErrno\": \"ENOSYS\","
	" \"defaultErrnoRet\": 38, \"architectures\": [\"SCMP_ARCH_X86_64\"],"
	" \"flags\": [], \"listenerPath\": \"\", \"syscalls\": ["
	" {\"names\": [\"mount\"], \"action\": \"SCMP_ACT_ERRNO\","
	"  \"errno\": \"EPERM\"},"
	" {\"names\": [\"kill\"], \"action\": \"SCMP_ACT_ALLOW\", \"args\": ["
	"  {\"index\": 1, \"value\": 9, \"op\": \"SCMP_CMP_EQ\"},"
	"  {\"index\": 1, \"value\": 15, \"op\": \"SCMP_CMP_EQ\"}]},"
	" {\"names\": [\"fcntl\"], \"action\": \"SCMP_ACT_ALLOW\", \"args\": ["
	"  {\"index\": 0, \"value\": 3, \"op\": \"SCMP_CMP_LT\"},"
	"  {\"index\": 1, \"value\": 2, \"op\": \"SCMP_CMP_GE\"}]},"
	" {\"names\": [\"read\"], \"action\": \"SCMP_ACT_LOG\"},"
	" {\"names\": [\"open\"], \"action\": \"SCMP_ACT_TRAP\"},"
	" {\"names\": [\"creat\"], \"action\": \"SCMP_ACT_KILL\"}]}";

struct row {
	int nr;
	uint64_t args[2];
	uint32_t answer;
};

static const struct row container_rows[] = {
	{ SYS_read, { 0 }, A },
	{ 451 /* cachestat, which libseccomp may not know */, { 0 }, A },
	{ SYS_ptrace, { 0 }, A },
	{ SYS_kcmp, { 0 }, N },
	{ SYS_socket, { 2 }, A },
	{ SYS_socket, { 40 }, N },
	{ SYS_personality, { 0 }, A },
	{ SYS_personality, { 0xffffffff }, A },
	{ SYS_personality, { 0x40000 }, N },
	{ SYS_arch_prctl, { 0 }, A },
	{ SYS_sync_file_range, { 0 }, N },
	{ SYS_bpf, { 0 }, N },
	{ SYS_clone, { 17 }, A },
	{ SYS_clone, { 0x10000000 | 17 }, N },
	{ SYS_chmod, { 0 }, N },
	{ SYS_clone3, { 0 }, P },
	{ 462 /* mseal */, { 0 }, K },
	{ SYS_getpid, { 0 }, N },
	{ 500, { 0 }, N },
	{ 0x40000000, { 0 }, K },
	{ 0x40000000 | 39, { 0 }, K },
};

static const struct row alternative_rows[] = {
	{ SYS_mount, { 0 }, P },
	{ SYS_kill, { 5, 9 }, A },
	{ SYS_kill, { 5, 15 }, A },
	{ SYS_kill, { 9, 1 }, N },
	{ SYS_fcntl, { 1, 3 }, A },
	{ SYS_fcntl, { 1, 1 }, N },
	{ SYS_fcntl, { 4, 3 }, N },
	{ SYS_read, { 0 }, SECCOMP_RET_LOG },
	{ SYS_open, { 0 }, SECCOMP_RET_TRAP },
	{ SYS_creat, { 0 }, SECCOMP_RET_KILL_THREAD },
	{ SYS_write, { 0 }, N },
};

static int parse(struct arena *arena, const char *json, struct plan_filter *out,
		 struct err *err)
{
	return host_seccomp_parse_oci(arena, json, strlen(json), "x.json", out,
				      err);
}

static uint32_t ask(const struct plan_filter *filter, const struct row *row,
		    uint32_t arch)
{
	struct seccomp_data data = { .nr = row->nr, .arch = arch };

	memcpy(data.args, row->args, sizeof(row->args));
	return bpf_run(filter, &data);
}

static void check_profile(const char *json, const struct row *rows, size_t n)
{
	AUTO_ARENA arena = { 0 };
	struct plan_filter filter = { 0 };
	struct err err = { 0 };

	if (parse(&arena, json, &filter, &err))
		fail_msg("%s", err.msg);
	assert_string_equal(filter.name, "x.json");
	for (size_t i = 0; i < n; i++) {
		uint32_t answer = ask(&filter, &rows[i], AUDIT_ARCH_X86_64);

		if (answer != rows[i].answer)
			fail_msg("row %zu: %d(%#llx, %#llx) is %#x", i,
				 rows[i].nr,
				 (unsigned long long)rows[i].args[0],
				 (unsigned long long)rows[i].args[1], answer);
		assert_int_equal(ask(&filter, &rows[i], AUDIT_ARCH_I386), K);
	}
}

static void a_container_profile_means_what_it_says(void **state)
{
	(void)state;
	check_profile(container, container_rows, COUNT(container_rows));
}

static void alternatives_and_named_errors_are_read(void **state)
{
	(void)state;
	check_profile(alternatives, alternative_rows, COUNT(alternative_rows));
}

#define ARG(index, value, op)                                                  \
	"{\"index\":" #index ",\"value\":" #value ",\"op\":\"SCMP_CMP_" op "\"}"
#define ARGS(...) ",\"args\":[" __VA_ARGS__ "]}"

/* All halves of a 64-bit comparison, and each way to fail it. */
static void arguments_are_compared_as_a_whole(void **state)
{
	static const char profile[] = ERRNO_P "{\"name\":\"read\"," YES ARGS(ARG(
		0, 4294967298,
		"EQ")) ","
		       "{\"name\":\"write\"," YES ARGS(ARG(
			       0, 4294967298,
			       "NE")) ","
				      "{\"name\":\"open\"," YES ARGS(ARG(
					      0, 4294967298,
					      "GT")) ","
						     "{\"name\":\"close\"," YES ARGS(ARG(
							     0, 4294967298,
							     "GE")) ","
								    "{\"name\":"
								    "\"stat\""
								    "," YES ARGS(ARG(
									    0,
									    4294967298,
									    "L"
									    "T")) ","
										  "{\"name\":\"fstat\"," YES ARGS(
											  ARG(0,
											      4294967298,
											      "LE"))
											  END;
	static const uint64_t values[] = { 0,		2,
					   0x100000001, 0x100000002,
					   0x100000003, 0x200000000 };
	static const char allowed[][7] = {
		"---y--", "yyy-yy", "----yy", "---yyy", "yyy---", "yyyy--",
	};
	struct row rows[COUNT(allowed) * COUNT(values)];

	(void)state;
	for (size_t nr = 0; nr < COUNT(allowed); nr++)
		for (size_t i = 0; i < COUNT(values); i++)
			rows[nr * COUNT(values) + i] = (struct row){
				(int)nr,
				{ values[i] },
				allowed[nr][i] == 'y' ? A : P,
			};
	check_profile(profile, rows, COUNT(rows));
}

static void the_strictest_entry_counts(void **state)
{
	static const char profile[] = ERRNO_P
		/* an exception to what is allowed */
		"{\"name\":\"ioctl\"," YES "},"
		"{\"name\":\"ioctl\",\"action\":\"SCMP_ACT_ERRNO\"" ARGS(ARG(
			1, 21522,
			"EQ")) ","
			       /* overlapping conditions, in both orders */
			       "{\"name\":\"read\"," YES ARGS(ARG(
				       0, 5,
				       "GE")) ","
					      "{\"name\":\"read\",\"action\":"
					      "\"SCMP_ACT_KILL_PROCESS\"" ARGS(ARG(
						      0, 7,
						      "EQ")) ","
							     "{\"name\":"
							     "\"read\","
							     "\"action\":"
							     "\"SCMP_ACT_"
							     "LOG\"" ARGS(ARG(
								     0, 7,
								     "LE")) ","
									    /* nothing is allowed out of what is killed */
									    "{"
									    "\""
									    "na"
									    "me"
									    "\""
									    ":"
									    "\""
									    "bp"
									    "f"
									    "\""
									    "," YES ARGS(ARG(
										    0,
										    1,
										    "EQ")) ","
											   "{\"name\":\"bpf\",\"action\":\"SCMP_ACT_KILL_PROCESS\"}" END;
	static const struct row rows[] = {
		{ SYS_ioctl, { 0, 21522 }, P },
		{ SYS_ioctl, { 0, 21523 }, A },
		{ SYS_read, { 4 }, SECCOMP_RET_LOG },
		{ SYS_read, { 5 }, SECCOMP_RET_LOG },
		{ SYS_read, { 7 }, K },
		{ SYS_read, { 8 }, A },
		{ SYS_bpf, { 1 }, K },
		{ SYS_bpf, { 2 }, K },
	};

	(void)state;
	check_profile(profile, rows, COUNT(rows));
}

/* @n entries for ioctl, each with two conditions. */
static char *write_many(size_t n)
{
	size_t room = n * 160 + 200;
	char *json = malloc(room), *p = json;

	assert_non_null(json);
	p += sprintf(p, ERRNO_P);
	for (size_t i = 0; i < n; i++)
		p += sprintf(p,
			     "%s{\"name\":\"ioctl\"," YES ",\"args\":["
			     "{\"index\":1,\"value\":%zu,\"op\":"
			     "\"SCMP_CMP_EQ\"},{\"index\":0,\"value\":%zu,"
			     "\"op\":\"SCMP_CMP_NE\"}]}",
			     i ? "," : "", i * 3, i % 5);
	strcpy(p, END);
	return json;
}

static void many_rules_are_quick_or_refused(void **state)
{
	static const struct row rows[] = {
		{ SYS_ioctl, { 9, 0 }, A },
		{ SYS_ioctl, { 0, 0 }, P },
		{ SYS_ioctl, { 0, 3 * 399 }, A },
		{ SYS_ioctl, { 4, 3 * 399 }, P },
		{ SYS_ioctl, { 0, 1 }, P },
		{ SYS_read, { 0 }, P },
	};
	static const struct {
		size_t n;
		const char *message;
	} refused[] = {
		{ 1000, "seccomp profile x.json: makes more than the 4096 "
			"instructions that the kernel takes: use fewer rules "
			"with arguments" },
		{ 5000, "seccomp profile x.json: syscalls[4096]: more than "
			"4096 rules" },
	};
	char *json = write_many(400);

	(void)state;
	check_profile(json, rows, COUNT(rows));
	free(json);
	for (size_t i = 0; i < COUNT(refused); i++) {
		AUTO_ARENA arena = { 0 };
		struct plan_filter filter = { 0 };
		struct err err = { 0 };

		json = write_many(refused[i].n);
		assert_int_equal(parse(&arena, json, &filter, &err), -1);
		assert_string_equal(err.msg, refused[i].message);
		assert_null(filter.v);
		free(json);
	}
}

static void foreign_calls_die_even_if_all_is_allowed(void **state)
{
	static const struct row rows[] = {
		{ SYS_mount, { 0 }, A },
		{ 0x40000001, { 0 }, K },
		{ SYS_read, { 0 }, P },
	};

	(void)state;
	check_profile(ALLOW_P
		      "{\"name\":\"read\",\"action\":\"SCMP_ACT_ERRNO\"}" END,
		      rows, COUNT(rows));
}

struct mistake {
	const char *json;
	const char *message; /* its end */
};

static const struct mistake mistakes[] = {
	{ "", "line 1, column 0: '[' or '{' expected near end of file" },
	{ "[]", "must be an object" },
	{ "{}", "defaultAction: is missing" },
	{ "{\"defaultAction\":1}", "defaultAction: must be a string" },
	{ "{\"defaultAction\":\"ALLOW\"}",
	  "defaultAction: unknown action 'ALLOW'" },
	{ "{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"syscals\":[]}",
	  "x.json: unknown key 'syscals'" },
	{ "{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"defaultErrnoRet\":1}",
	  "defaultAction: an error number goes with SCMP_ACT_ERRNO only" },
	{ "{\"defaultAction\":\"SCMP_ACT_ERRNO\",\"defaultErrnoRet\":4096}",
	  "defaultErrnoRet: must be a whole number from 0 to 4095" },
	{ "{\"defaultAction\":\"SCMP_ACT_ERRNO\",\"defaultErrnoRet\":-1}",
	  "defaultErrnoRet: must be a whole number from 0 to 4095" },
	{ "{\"defaultAction\":\"SCMP_ACT_ERRNO\",\"defaultErrno\":\"EX\"}",
	  "defaultErrno: unknown error 'EX'" },
	{ "{\"defaultAction\":\"SCMP_ACT_ERRNO\",\"defaultErrno\":\"EPERM\","
	  "\"defaultErrnoRet\":38}",
	  "defaultErrno: 'EPERM' is not the defaultErrnoRet" },
	{ "{\"defaultAction\":\"SCMP_ACT_ALLOW\","
	  "\"defaultAction\":\"SCMP_ACT_ALLOW\"}",
	  "duplicate object key near '\"defaultAction\"'" },
	{ "{\"defaultAction\":\"SCMP_ACT_NOTIFY\"}",
	  "it needs a process outside of the box that answers" },
	{ "{\"defaultAction\":\"SCMP_ACT_TRACE\"}",
	  "it needs a process outside of the box that answers" },
	{ "{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"listenerPath\":\"/s\"}",
	  "listenerPath: is not supported" },
	{ "{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"flags\":"
	  "[\"SECCOMP_FILTER_FLAG_SPEC_ALLOW\"]}",
	  "flags: is not supported" },
	{ "{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"architectures\":"
	  "[\"SCMP_ARCH_X86\"]}",
	  "architectures: SCMP_ARCH_X86_64 is missing" },
	{ "{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"archMap\":"
	  "[{\"architecture\":\"SCMP_ARCH_AARCH64\"}]}",
	  "archMap: SCMP_ARCH_X86_64 is missing" },
	{ "{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"archMap\":[{\"arch\":1}]}",
	  "archMap[0]: unknown key 'arch'" },
	{ "{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"archMap\":[],"
	  "\"architectures\":[]}",
	  "archMap: stands beside 'architectures'" },
	{ "{\"defaultAction\":\"SCMP_ACT_ALLOW\",\"syscalls\":{}}",
	  "syscalls: must be a list" },
	{ ERRNO_P "7" END, "syscalls[0]: must be an object" },
	{ ERRNO_P "{" YES "}" END,
	  "syscalls[0]: needs either 'names' or 'name'" },
	{ ERRNO_P "{" YES ",\"name\":\"a\",\"names\":[\"b\"]}" END,
	  "syscalls[0]: needs either 'names' or 'name'" },
	{ ERRNO_P "{\"name\":\"read\"}" END, "syscalls[0].action: is missing" },
	{ ERRNO_P "{\"name\":\"read\"," YES ",\"errnoRet\":3}" END,
	  "an error number goes with SCMP_ACT_ERRNO only" },
	{ ERRNO_P "{\"names\":[\"read\",4]," YES "}" END,
	  "syscalls[0].names[1]: must be a string" },
	{ ERRNO_P "{\"name\":\"read\"," YES "},{\"name\":\"write\"," YES
		  ",\"arg\":[]}" END,
	  "syscalls[1]: unknown key 'arg'" },
	{ ERRNO_P "{\"name\":\"read\"," YES ",\"args\":[{\"index\":6,"
		  "\"value\":1,\"op\":\"SCMP_CMP_EQ\"}]}" END,
	  "syscalls[0].args[0].index: must be a whole number from 0 to 5" },
	{ ERRNO_P "{\"name\":\"read\"," YES ",\"args\":[{\"index\":0,"
		  "\"value\":-1,\"op\":\"SCMP_CMP_EQ\"}]}" END,
	  "args[0].value: must be a whole number from 0 to "
	  "9223372036854775807" },
	{ ERRNO_P "{\"name\":\"read\"," YES ",\"args\":[{\"index\":0,"
		  "\"value\":1,\"op\":\"EQ\"}]}" END,
	  "syscalls[0].args[0].op: unknown operator 'EQ'" },
	{ ERRNO_P "{\"name\":\"read\"," YES
		  ",\"includes\":{\"minKernel\":\"new\"}}" END,
	  "includes.minKernel: 'new' is not of the form 4.8" },
	{ ERRNO_P "{\"name\":\"read\"," YES
		  ",\"includes\":{\"capabilities\":[]}}" END,
	  "syscalls[0].includes: unknown key 'capabilities'" },
	/* what others drop without a word */
	{ ALLOW_P "{\"name\":\"raed\",\"action\":\"SCMP_ACT_KILL\"}" END,
	  "syscalls[0]: unknown system call 'raed', which would remain "
	  "allowed" },
	{ ERRNO_P "{\"name\":\"read\"," YES "},{\"name\":\"read\","
		  "\"action\":\"SCMP_ACT_KILL\"}" END,
	  "syscalls[1]: 'read' has another action in syscalls[0]" },
	{ ERRNO_P "{\"name\":\"read\"," YES ",\"args\":[{\"index\":0,"
		  "\"value\":8,\"valueTwo\":9,"
		  "\"op\":\"SCMP_CMP_MASKED_EQ\"}]}" END,
	  "args[0].valueTwo: has bits that are not in 'value', so it is "
	  "never equal" },
};

static void mistakes_are_named_with_their_place(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(mistakes); i++) {
		AUTO_ARENA arena = { 0 };
		struct plan_filter filter = { 0 };
		struct err err = { 0 };
		const char *message = mistakes[i].message;
		size_t n;

		if (!parse(&arena, mistakes[i].json, &filter, &err))
			fail_msg("accepted: %s", mistakes[i].json);
		assert_int_equal(err.kind, ERR_POLICY);
		assert_null(filter.v);
		n = strlen(err.msg);
		if (n < strlen(message) ||
		    strcmp(err.msg + n - strlen(message), message))
			fail_msg("%s\ngives: %s", mistakes[i].json, err.msg);
		assert_memory_equal(err.msg, "seccomp profile x.json: ", 24);
	}
}

static void a_huge_profile_is_refused(void **state)
{
	AUTO_ARENA arena = { 0 };
	struct plan_filter filter = { 0 };
	struct err err = { 0 };
	size_t n = (1 << 20) + 1;
	char *json = calloc(n, 1);

	(void)state;
	assert_non_null(json);
	memset(json, ' ', n);
	assert_int_equal(host_seccomp_parse_oci(&arena, json, n, "x.json",
						&filter, &err),
			 -1);
	assert_string_equal(err.msg,
			    "seccomp profile x.json: is larger than 1 MiB");
	free(json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_container_profile_means_what_it_says),
		cmocka_unit_test(alternatives_and_named_errors_are_read),
		cmocka_unit_test(arguments_are_compared_as_a_whole),
		cmocka_unit_test(the_strictest_entry_counts),
		cmocka_unit_test(many_rules_are_quick_or_refused),
		cmocka_unit_test(foreign_calls_die_even_if_all_is_allowed),
		cmocka_unit_test(mistakes_are_named_with_their_place),
		cmocka_unit_test(a_huge_profile_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
