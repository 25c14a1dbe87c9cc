// id: SY-09
// title: io_uring_setup available
// class: hardening
// expect: EPERM/ENOSYS
// layer: seccomp
#include "../lib/atk.h"
int main(int c, char **v)
{
	atk_init(v);
	char p[256] = { 0 };
	int fd = syscall(425, 4, p);
	if (fd >= 0)
		escaped("io_uring_setup fd %d", fd);
	blocked("%s", strerror(errno));
}
