// id: SY-15
// title: helpers inside that are stronger than the program: ptrace, mem, process_vm_readv, pidfd_getfd, fd/ of pid 1 and of every other process
// class: boundary
// expect: EPERM/EACCES for each
// layer: box init undumpable; helpers under the same filter or undumpable
#include "../lib/atk.h"
#include <dirent.h>
#include <sys/ptrace.h>
int main(int c, char **v)
{
	atk_init(v);
	DIR *d = opendir("/proc");
	struct dirent *e;
	char p[300];
	int n = 0;
	if (!d)
		blocked("no /proc");
	while ((e = readdir(d))) {
		int pid = atoi(e->d_name);
		if (pid <= 0 || pid == getpid())
			continue;
		n++;
		snprintf(p, sizeof p, "/proc/%d/mem", pid);
		int fd = open(p, O_RDWR);
		if (fd >= 0)
			escaped("opened %s", p);
		snprintf(p, sizeof p, "/proc/%d/fd", pid);
		DIR *f = opendir(p);
		if (f) {
			int k = 0;
			while (readdir(f))
				k++;
			closedir(f);
			if (k > 2)
				escaped("listed %d descriptors of %d", k - 2,
					pid);
		}
		snprintf(p, sizeof p, "/proc/%d/environ", pid);
		fd = open(p, O_RDONLY);
		char b[4096];
		if (fd >= 0 && read(fd, b, sizeof b) > 0)
			escaped("read environment of %d", pid);
		char o[64];
		struct iovec l = { o, 8 }, r = { (void *)0x400000, 8 };
		if (syscall(SYS_process_vm_readv, pid, &l, 1, &r, 1, 0) > 0)
			escaped("process_vm_readv of %d", pid);
		if (!ptrace(PTRACE_SEIZE, pid, 0, 0))
			escaped("ptrace of %d", pid);
		int pf = syscall(434, pid, 0);
		for (int i = 0; pf >= 0 && i < 32; i++)
			if (syscall(438, pf, i, 0) >= 0)
				escaped("pidfd_getfd %d of %d", i, pid);
		if (kill(pid, 0) == 0 && pid == 1 && kill(1, SIGSTOP) == 0)
			printf("pid 1 accepts SIGSTOP (ignored by the kernel "
			       "from inside)\n");
	}
	blocked("%d other processes, none accessible", n);
}
