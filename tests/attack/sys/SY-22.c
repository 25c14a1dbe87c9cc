// id: SY-22
// title: change scheduling/limits of host processes: setpriority, sched_setaffinity, prlimit, ioprio on the victim
// class: boundary
// expect: not visible/EPERM
// layer: PID namespace
#include "../lib/atk.h"
#include <sys/resource.h>
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
		blocked("not visible");
	struct rlimit64 {
		uint64_t c, m;
	} l = { 4096, 4096 };
	if (!setpriority(PRIO_PROCESS, pid, 19))
		escaped("setpriority");
	if (!syscall(SYS_prlimit64, pid, 7, &l, 0))
		escaped("prlimit");
	unsigned long cp = 1;
	if (!syscall(SYS_sched_setaffinity, pid, 8, &cp))
		escaped("affinity");
	blocked("refused");
}
