// id: SY-14
// title: overwrite the launcher binary through /proc/<pid>/exe (pid 1, parent and all visible)
// class: boundary
// expect: EACCES/ETXTBSY and never writable after exit
// layer: launcher runs from sealed memfd or ro mount; PID ns init is not the host binary, dumpable=0
#include "../lib/atk.h"
#include <dirent.h>
int main(int c, char **v)
{
	atk_init(v);
	DIR *d = opendir("/proc");
	struct dirent *e;
	char p[300], t[4200];
	if (!d)
		blocked("no /proc");
	while ((e = readdir(d))) {
		if (e->d_name[0] < '0' || e->d_name[0] > '9' ||
		    atoi(e->d_name) == getpid())
			continue;
		snprintf(p, sizeof p, "/proc/%s/exe", e->d_name);
		ssize_t k = readlink(p, t, sizeof t - 1);
		t[k > 0 ? k : 0] = 0;
		int fd = open(p, O_WRONLY);
		if (fd >= 0)
			escaped("writable %s -> %s", p, t);
		if (k > 0)
			printf("%s -> %s: %s\n", p, t, strerror(errno));
	}
	blocked("none writable");
}
