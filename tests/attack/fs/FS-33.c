// id: FS-33
// title: inotify watch on outside directories (learns file names and activity of the host user)
// class: limit
// expect: masked directories cannot be watched; elsewhere a documented information leak
// layer: small visible tree (allow-list root) is the only full answer
#include "../lib/atk.h"
#include <sys/inotify.h>
int main(int c, char **v)
{
	atk_init(v);
	int f = inotify_init1(0);
	char p[4300];
	snprintf(p, sizeof p, "%s/vault", cfg("FX"));
	if (f >= 0 && inotify_add_watch(f, p, IN_ALL_EVENTS) >= 0) {
		struct stat s;
		char q[4300];
		snprintf(q, sizeof q, "%s/secret.txt", p);
		if (!stat(q, &s))
			escaped("watching denied dir with real content");
	}
	snprintf(p, sizeof p, "%s/outside", cfg("FX"));
	if (f >= 0 && inotify_add_watch(f, p, IN_ALL_EVENTS) >= 0)
		escaped("watching %s", p);
	blocked("no watch");
}
