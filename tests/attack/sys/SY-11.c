// id: SY-11
// title: kernel attack surface: perf_event_open, userfaultfd, bpf, keyctl, add_key, fanotify, modify_ldt, personality, lookup of vmsplice/kcmp
// class: hardening
// expect: each is refused (EPERM/ENOSYS)
// layer: seccomp
#include "../lib/atk.h"
#include <linux/perf_event.h>
#include <sys/personality.h>
int main(int c, char **v)
{
	atk_init(v);
	int n = 0;
	char m[512] = "";
	struct perf_event_attr a = { .type = PERF_TYPE_SOFTWARE,
				     .size = sizeof a,
				     .config = PERF_COUNT_SW_TASK_CLOCK,
				     .exclude_kernel = 1,
				     .exclude_hv = 1 };
	if (syscall(SYS_perf_event_open, &a, 0, -1, -1, 0) >= 0) {
		n++;
		strcat(m, "perf_event_open ");
	}
	if (syscall(SYS_userfaultfd, 1 | O_CLOEXEC) >= 0) {
		n++;
		strcat(m, "userfaultfd ");
	}
	int u = open("/dev/userfaultfd", O_RDWR);
	if (u >= 0) {
		n++;
		strcat(m, "/dev/userfaultfd ");
	}
	struct {
		uint32_t t, k, v, n;
	} b = { 2, 4, 4, 1 };
	if (syscall(SYS_bpf, 0, &b, sizeof b) >= 0) {
		n++;
		strcat(m, "bpf ");
	}
	if (syscall(SYS_keyctl, 0, -3, 0) >= 0) {
		n++;
		strcat(m, "keyctl ");
	}
	if (syscall(SYS_add_key, "user", "cordon-x", "y", 1, -2) >= 0) {
		n++;
		strcat(m, "add_key ");
	}
	if (personality(ADDR_NO_RANDOMIZE) != -1) {
		n++;
		strcat(m, "personality ");
	}
	struct {
		unsigned e;
		unsigned b;
		unsigned l;
		unsigned f;
	} d = { 0, 0, 0, 0x51 };
	if (syscall(SYS_modify_ldt, 0x11, &d, sizeof d) >= 0) {
		n++;
		strcat(m, "modify_ldt ");
	}
	if (syscall(SYS_kcmp, getpid(), getpid(), 0, 0, 1) >= 0) {
		n++;
		strcat(m, "kcmp ");
	}
	if (syscall(SYS_fanotify_init, 0x200, 0) >= 0) {
		n++;
		strcat(m, "fanotify ");
	}
	int qm = syscall(SYS_mq_open, "x", O_CREAT | O_RDWR, 0600, 0);
	if (qm >= 0) {
		syscall(SYS_mq_unlink, "x");
	}
	if (n)
		escaped("%d reachable: %s", n, m);
	blocked("all refused");
}
