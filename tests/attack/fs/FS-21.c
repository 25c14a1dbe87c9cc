// id: FS-21
// title: metadata writes on outside files: chmod, utimensat, setxattr, chown-to-self, FS_IOC_SETFLAGS, open(O_RDONLY|O_TRUNC)
// class: boundary
// expect: EROFS/EPERM; mode, mtime, xattr unchanged
// layer: read-only mount (Landlock alone is not enough)
#include "../lib/atk.h"
#include <sys/xattr.h>
#include <sys/time.h>
#include <linux/fs.h>
int main(int c, char **v)
{
	atk_init(v);
	char p[4300];
	const char *t[] = { "/outside/canary.txt", "/home/.bashrc",
			    "/work/locked.txt" };
	for (int i = 0; i < 3; i++) {
		snprintf(p, sizeof p, "%s%s", cfg("FX"), t[i]);
		struct timespec ts[2] = { { 1, 0 }, { 1, 0 } };
		if (!chmod(p, 0777))
			escaped("chmod %s", p);
		if (!utimensat(AT_FDCWD, p, ts, 0))
			escaped("utimensat %s", p);
		if (!setxattr(p, "user.pwn", "1", 1, 0))
			escaped("setxattr %s", p);
		if (!chown(p, getuid(), getgid()))
			escaped("chown %s", p);
		int fd = open(p, O_RDONLY);
		if (fd >= 0) {
			int fl = 0;
			if (!ioctl(fd, FS_IOC_GETFLAGS, &fl)) {
				fl |= FS_NODUMP_FL | FS_NOATIME_FL;
				if (!ioctl(fd, FS_IOC_SETFLAGS, &fl))
					escaped("SETFLAGS %s", p);
			}
			if (!fchmod(fd, 0777))
				escaped("fchmod");
			close(fd);
		}
		fd = open(p, O_RDONLY | O_TRUNC);
		if (fd >= 0)
			escaped("O_TRUNC %s", p);
		if (!truncate(p, 0))
			escaped("truncate %s", p);
	}
	blocked("metadata unchanged");
}
