// id: SY-02
// title: ptrace / process_vm_readv / /proc/pid/mem / pidfd_getfd on a host process of the same uid
// class: boundary
// expect: not visible or EPERM
// layer: PID + user namespace, Landlock ptrace rule, seccomp
#include "../lib/atk.h"
#include <sys/ptrace.h>
int main(int c, char **v)
{
	atk_init(v);
	int pid = atoi(cfg("VICTIM"));
	char p[64], b[256] = "";
	snprintf(p, sizeof p, "/proc/%d/cmdline", pid);
	int fd = open(p, O_RDONLY);
	if (fd >= 0) {
		ssize_t r = read(fd, b, 255);
		for (int i = 0; i < r; i++)
			if (!b[i])
				b[i] = ' ';
	}
	if (!strstr(b, "cordon-victim"))
		blocked("victim not visible");
	if (!ptrace(PTRACE_SEIZE, pid, 0, 0))
		escaped("ptrace SEIZE");
	unsigned long a = strtoul(cfg("VICTIM_ADDR"), 0, 16);
	char o[64] = "";
	struct iovec l = { o, 40 }, r = { (void *)a, 40 };
	if (syscall(SYS_process_vm_readv, pid, &l, 1, &r, 1, 0) > 0) {
		printf("%s\n", o);
		escaped("process_vm_readv");
	}
	snprintf(p, sizeof p, "/proc/%d/mem", pid);
	if ((fd = open(p, O_RDWR)) >= 0)
		escaped("opened %s", p);
	int pf = syscall(434, pid, 0);
	if (pf >= 0)
		for (int i = 3; i < 20; i++) {
			int g = syscall(438, pf, i, 0);
			if (g >= 0)
				escaped("pidfd_getfd %d", i);
		}
	snprintf(p, sizeof p, "/proc/%d/environ", pid);
	dump(p);
	blocked("refused");
}
