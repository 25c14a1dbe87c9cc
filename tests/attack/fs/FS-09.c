// id: FS-09
// title: nested userns, remount read-only mounts read-write (mount MS_REMOUNT|MS_BIND and mount_setattr)
// class: boundary
// expect: EPERM (locked flags) or userns refused; outside stays unwritable
// layer: seccomp mount family; kernel MNT_LOCK_READONLY; Landlock forbids mount changes
#include "../lib/atk.h"
struct mattr {
	uint64_t set, clr, prop, ufd;
};
int main(int c, char **v)
{
	atk_init(v);
	int r = newns(CLONE_NEWNS);
	if (r)
		blocked("userns: %s", strerror(-r));
	char p[4300];
	const char *m[] = { "/", NULL, NULL, NULL };
	char a[4300], b[4300], d[4300];
	snprintf(a, sizeof a, "%s/outside", cfg("FX"));
	snprintf(b, sizeof b, "%s", cfg("FX"));
	snprintf(d, sizeof d, "%s/work/locked.txt", cfg("FX"));
	m[1] = a;
	m[2] = b;
	m[3] = d;
	for (int i = 0; i < 4; i++) {
		if (!mount("none", m[i], NULL, MS_REMOUNT | MS_BIND, NULL))
			printf("remounted %s\n", m[i]);
		struct mattr x = { .clr = 1 };
		if (!syscall(442, AT_FDCWD, m[i], 0x8000, &x, sizeof x))
			printf("mount_setattr %s\n", m[i]);
	}
	mkdir("/tmp/x9", 0700);
	snprintf(p, sizeof p, "%s/x9", cfg("WORK"));
	mkdir(p, 0700);
	if (!mount(a, p, NULL, MS_BIND, NULL)) {
		mount("none", p, NULL, MS_REMOUNT | MS_BIND, NULL);
		strcat(p, "/canary.txt");
		if (!putfile(p, "pwn"))
			escaped("wrote through rw rebind");
	}
	snprintf(p, sizeof p, "%s/outside/canary.txt", cfg("FX"));
	if (!putfile(p, "pwn"))
		escaped("wrote %s", p);
	if (!putfile(d, "pwn"))
		escaped("wrote locked.txt");
	blocked("no rw");
}
