// id: SY-06
// title: ia32 ABI: int 0x80 reaches syscalls that the 64-bit filter denies
// class: hardening
// expect: killed or ENOSYS (filter checks AUDIT_ARCH)
// layer: seccomp arch check (KILL on non-native arch)
#include "../lib/atk.h"
static long i80(long n, long a, long b, long c)
{
	long r;
	__asm__ volatile("int $0x80"
			 : "=a"(r)
			 : "a"(n), "b"(a), "c"(b), "d"(c)
			 : "memory", "r8", "r9", "r10", "r11");
	return r;
}
int main(int c, char **v)
{
	atk_init(v);
	fflush(stdout);
	pid_t p = fork();
	if (!p) {
		long r = i80(20, 0, 0, 0);
		_exit(r == getpid() ? 42 : 1);
	}
	int st;
	waitpid(p, &st, 0);
	if (WIFEXITED(st) && WEXITSTATUS(st) == 42)
		escaped("int80 getpid works (i386 table reachable)");
	blocked("status %x", st);
}
