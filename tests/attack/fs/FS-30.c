// id: FS-30
// title: mknod of block/char devices (vda, mem) in workspace and in a nested userns tmpfs, then open
// class: boundary
// expect: EPERM, or open refused by nodev
// layer: no CAP_MKNOD in init userns; nodev mounts; seccomp mknod S_IFBLK/S_IFCHR
#include "../lib/atk.h"
#include <sys/sysmacros.h>
static void t(const char *d, const char *tag)
{
	char p[4300];
	dev_t dv[] = { makedev(254, 0), makedev(1, 1), makedev(10, 232),
		       makedev(8, 0) };
	mode_t m[] = { S_IFBLK, S_IFCHR, S_IFCHR, S_IFBLK };
	for (int i = 0; i < 4; i++) {
		snprintf(p, sizeof p, "%s/dev%d", d, i);
		if (mknod(p, m[i] | 0600, dv[i])) {
			printf("%s mknod: %s\n", tag, strerror(errno));
			continue;
		}
		int fd = open(p, O_RDWR);
		if (fd < 0)
			fd = open(p, O_RDONLY);
		if (fd >= 0)
			escaped("%s opened device %s", tag, p);
		printf("%s node made, open: %s\n", tag, strerror(errno));
		unlink(p);
	}
}
int main(int c, char **v)
{
	atk_init(v);
	t(cfg("WORK"), "plain");
	if (!newns(CLONE_NEWNS)) {
		mount("t", "/tmp", "tmpfs", 0, 0);
		t("/tmp", "userns");
	}
	blocked("no device");
}
