// id: FS-32
// title: renameat2 EXCHANGE/WHITEOUT and O_TMPFILE+linkat against deny-write entries
// class: boundary
// expect: EBUSY/EXDEV/EROFS; protected files keep inode and content
// layer: mount points + Landlock REFER
#include "../lib/atk.h"
int main(int c, char **v)
{
	atk_init(v);
	char a[4300], b[4300];
	const char *W = cfg("WORK");
	snprintf(a, sizeof a, "%s/mine", W);
	int fd = open(a, O_CREAT | O_WRONLY, 0644);
	if (fd >= 0) {
		write(fd, "pwn\n", 4);
		close(fd);
	}
	const char *t[] = { "locked.txt",	  ".env",
			    ".git/config",	  ".git/hooks",
			    ".mcp.json",	  "prot/inner/deny.txt",
			    ".git/hooks/pre-push" };
	for (int i = 0; i < 7; i++) {
		snprintf(b, sizeof b, "%s/%s", W, t[i]);
		for (int fl = 0; fl <= 4; fl = fl ? fl * 2 : 1)
			if (!syscall(SYS_renameat2, AT_FDCWD, a, AT_FDCWD, b,
				     fl))
				escaped("renameat2(flag %d) onto %s", fl, t[i]);
		for (int fl = 0; fl <= 4; fl = fl ? fl * 2 : 1) {
			char d[4300];
			snprintf(d, sizeof d, "%s/stolen%d_%d", W, i, fl);
			if (!syscall(SYS_renameat2, AT_FDCWD, b, AT_FDCWD, d,
				     fl)) {
				struct stat s;
				if (!stat(d, &s))
					escaped("moved %s away (flag %d)", t[i],
						fl);
			}
		}
		fd = open(W, O_TMPFILE | O_RDWR, 0755);
		if (fd >= 0) {
			write(fd, "pwn", 3);
			char l[64];
			snprintf(l, sizeof l, "/proc/self/fd/%d", fd);
			if (!linkat(AT_FDCWD, l, AT_FDCWD, b,
				    AT_SYMLINK_FOLLOW))
				escaped("linkat O_TMPFILE onto %s", t[i]);
			close(fd);
		}
	}
	blocked("all refused");
}
