// id: FS-11
// title: overlayfs in a nested userns with lowerdir=<parent of masked path> (reveals files below masks)
// class: boundary
// expect: EPERM (clone_private_mount refuses locked children) or userns refused
// layer: seccomp mount/userns; kernel fix as backstop
#include "../lib/atk.h"
int main(int c, char **v)
{
	atk_init(v);
	int r = newns(CLONE_NEWNS);
	if (r)
		blocked("userns: %s", strerror(-r));
	char u[4300], w_[4300], m[4300], o[13000];
	const char *W = cfg("WORK"), *F = cfg("FX");
	if (mount("t", "/tmp", "tmpfs", 0, NULL))
		printf("tmpfs: %s\n", strerror(errno));
	mkdir("/tmp/u", 0700);
	mkdir("/tmp/w", 0700);
	mkdir("/tmp/m", 0700);
	(void)u;
	(void)w_;
	(void)m;
	const char *low[] = { F, W };
	for (int i = 0; i < 2; i++) {
		snprintf(o, sizeof o,
			 "lowerdir=%s,upperdir=/tmp/u,workdir=/tmp/w,userxattr",
			 low[i]);
		if (mount("o", "/tmp/m", "overlay", 0, o)) {
			printf("overlay %s: %s\n", low[i], strerror(errno));
			continue;
		}
		puts("overlay mounted");
		dump("/tmp/m/vault/secret.txt");
		dump("/tmp/m/.env");
		dump("/tmp/m/work/.env");
		dump("/tmp/m/home/.ssh/id_ed25519");
		umount2("/tmp/m", MNT_DETACH);
	}
	blocked("nothing revealed");
}
