// id: SY-07
// title: i386 system calls by int 0x80 that the 64-bit filter refuses: unshare, keyctl, socketcall (AF_ALG)
// class: hardening
// expect: killed or ENOSYS
// layer: seccomp architecture check
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
static int works(long n, long a, long b, long c)
{
	fflush(stdout);
	pid_t p = fork();
	if (!p)
		_exit(i80(n, a, b, c) >= 0 ? 42 : 1);
	int st;
	waitpid(p, &st, 0);
	return WIFEXITED(st) && WEXITSTATUS(st) == 42;
}
int main(int c, char **v)
{
	atk_init(v);
	unsigned *s = mmap((void *)0x10000000, 4096, 3,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	if (works(310, 0x10000000, 0, 0))
		escaped("i386 unshare(CLONE_NEWUSER)");
	if (works(288, 0, -3, 0))
		escaped("i386 keyctl");
	if (s != MAP_FAILED) {
		s[0] = 38;
		s[1] = 5;
		s[2] = 0;
		if (works(102, 1, (long)s, 0))
			escaped("i386 socketcall(AF_ALG)");
	}
	blocked("none answered");
}
