// id: SY-01
// title: signal a host process of the same uid (kill, tgkill, pidfd_send_signal, F_SETOWN+O_ASYNC)
// class: boundary
// expect: ESRCH/EPERM; victim alive
// layer: PID namespace + Landlock SCOPE_SIGNAL
#include "../lib/atk.h"
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
	int same = strstr(b, "cordon-victim") != 0;
	if (!same) {
		if (!kill(pid, 0))
			printf("pid %d exists here but is not the victim\n",
			       pid);
		blocked("victim pid not visible");
	}
	if (!kill(pid, SIGUSR1))
		escaped("signalled victim %d", pid);
	int pf = syscall(434, pid, 0);
	if (pf >= 0 && !syscall(424, pf, SIGUSR1, 0, 0))
		escaped("pidfd_send_signal");
	int pp[2];
	if (!pipe(pp)) {
		fcntl(pp[0], F_SETOWN, pid);
		fcntl(pp[0], 10 /*F_SETSIG*/, SIGUSR1);
		fcntl(pp[0], F_SETFL, O_ASYNC);
		write(pp[1], "x", 1);
	}
	blocked("victim visible but signals refused");
}
