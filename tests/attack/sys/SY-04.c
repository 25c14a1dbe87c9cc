// id: SY-04
// title: setns() into namespaces of a host process, of pid 1 and of every visible process
// class: boundary
// expect: EPERM / not visible
// layer: PID namespace, seccomp setns
#include "../lib/atk.h"
#include <dirent.h>
int main(int c, char **v)
{
	atk_init(v);
	DIR *d = opendir("/proc");
	struct dirent *e;
	char p[512], me[256], ot[256];
	const char *ns[] = {
		"mnt", "net", "user", "pid", "ipc", "uts", "cgroup"
	};
	int n = 0;
	if (!d)
		blocked("no /proc");
	while ((e = readdir(d))) {
		if (e->d_name[0] < '0' || e->d_name[0] > '9')
			continue;
		for (int i = 0; i < 7; i++) {
			snprintf(p, sizeof p, "/proc/self/ns/%s", ns[i]);
			ssize_t a = readlink(p, me, 255);
			me[a > 0 ? a : 0] = 0;
			snprintf(p, sizeof p, "/proc/%s/ns/%s", e->d_name,
				 ns[i]);
			ssize_t b = readlink(p, ot, 255);
			ot[b > 0 ? b : 0] = 0;
			if (b <= 0 || !strcmp(me, ot))
				continue;
			n++;
			int fd = open(p, O_RDONLY);
			if (fd >= 0 && !setns(fd, 0))
				escaped("setns %s", p);
			if (fd >= 0)
				close(fd);
		}
	}
	blocked("%d foreign ns links, none joinable", n);
}
