// id: SY-23
// title: new mount API and fs contexts reachable (fsopen, fsmount, open_tree, move_mount, mount_setattr, statmount, listmount)
// class: hardening
// expect: EPERM/ENOSYS before any handler runs (here: not EINVAL/EFAULT)
// layer: seccomp
#include "../lib/atk.h"
int main(int c, char **v)
{
	atk_init(v);
	newns(CLONE_NEWNS);
	int n = 0;
	char m[200] = "";
	const char *fs[] = { "tmpfs",	"proc",	  "overlay",
			     "cgroup2", "fuse",	  "binfmt_misc",
			     "ramfs",	"mqueue", "devpts" };
	for (int i = 0; i < 9; i++) {
		int fd = syscall(430, fs[i], 0);
		if (fd >= 0) {
			n++;
			strcat(m, fs[i]);
			strcat(m, " ");
			close(fd);
		}
	}
	if (n)
		escaped("fsopen works for: %s", m);
	if (!mount("t", "/tmp", "tmpfs", 0, 0))
		escaped("mount(2) works");
	blocked("%s", strerror(errno));
}
