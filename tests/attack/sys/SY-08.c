// id: SY-08
// title: x32 ABI (syscall number | 0x40000000) bypasses number comparison
// class: hardening
// expect: ENOSYS or killed
// layer: seccomp: nr >= 0x40000000 -> KILL/ENOSYS
#include "../lib/atk.h"
int main(int c, char **v)
{
	atk_init(v);
	fflush(stdout);
	pid_t p = fork();
	if (!p)
		_exit(syscall(0x40000000 | 39) == getpid() ? 42 : 1);
	int st;
	waitpid(p, &st, 0);
	if (WIFEXITED(st) && WEXITSTATUS(st) == 42)
		escaped("x32 getpid works");
	blocked("status %x", st);
}
