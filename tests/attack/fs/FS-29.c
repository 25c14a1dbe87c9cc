// id: FS-29
// title: SysV shared memory and message queue of a host process of the same uid
// class: boundary
// expect: shmget(key) gives ENOENT
// layer: IPC namespace
#include "../lib/atk.h"
#include <sys/shm.h>
int main(int c, char **v)
{
	atk_init(v);
	int id = shmget((key_t)strtol(cfg("SHMKEY"), 0, 0), 0, 0);
	if (id < 0)
		blocked("shmget %s", strerror(errno));
	char *p = shmat(id, 0, 0);
	if (p == (void *)-1)
		blocked("shmat %s", strerror(errno));
	printf("%.80s\n", p);
	escaped("attached host SysV shm");
}
