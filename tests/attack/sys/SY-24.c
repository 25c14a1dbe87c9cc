// id: SY-24
// title: execve argv/path TOCTOU against exec deny rules: thread flips the pathname while execve is in flight
// class: boundary
// expect: denied tool never starts in 3 s of racing
// layer: inode-based deny (mask/noexec/Landlock EXECUTE), not path strings read from memory
#include "../lib/atk.h"
#include <pthread.h>
#include <time.h>
static volatile char path[4300];
static char A[4300], B[4300];
#define BAR __asm__ volatile("" ::: "memory")
static void *flip(void *x)
{
	for (;;) {
		memcpy((void *)path, A, 256);
		BAR;
		memcpy((void *)path, B, 256);
		BAR;
	}
	return 0;
}
int main(int c, char **v)
{
	atk_init(v);
	if (!*cfg("DENYTOOL"))
		skip("no deny tool");
	snprintf(A, sizeof A, "/bin/true");
	snprintf(B, sizeof B, "%s", cfg("DENYTOOL"));
	time_t e = time(0) + 3;
	long n = 0;
	while (time(0) < e) {
		fflush(stdout);
		pid_t p = fork();
		if (!p) {
			pthread_t th;
			pthread_create(&th, 0, flip, 0);
			for (volatile int i = 0; i < 20000; i++)
				;
			char *a[] = { "x", 0 }, *ev[] = { 0 };
			for (int k = 0; k < 50; k++)
				syscall(SYS_execve, path, a, ev);
			_exit(1);
		}
		waitpid(p, 0, 0);
		n++;
	}
	blocked("%ld tries", n);
}
