// id: NT-12
// title: refused socket families with garbage in the high half of the argument, type flags, and socketpair
// class: hardening
// expect: refused as without the tricks (the kernel looks at the low 32 bits)
// layer: seccomp compares the low 32 bits
#include "../lib/atk.h"
int main(int c, char **v)
{
	atk_init(v);
	const long hi = 1L << 32;
	char m[200] = "";
	int n = 0;
	struct {
		const char *name;
		long d, t, p;
	} a[] = { { "ALG+hi", hi | 38, 5, 0 },
		  { "ALG+flags", 38, 5 | SOCK_CLOEXEC | SOCK_NONBLOCK, 0 },
		  { "PACKET+hi", hi | 17, 3, 0 },
		  { "XFRM+hi", 16, hi | 3, hi | 6 },
		  { "NETFILTER+hi", hi | 16, 3, hi | 12 },
		  { "VSOCK+hi", hi | 40, 1, 0 },
		  { "PACKET-type", 2, 10, 768 },
		  { "ICMP", 2, 2, hi | 1 },
		  { "RXRPC+hi", hi | 33, 2, 2 } };
	for (unsigned i = 0; i < sizeof a / sizeof *a; i++)
		if (syscall(SYS_socket, a[i].d, a[i].t, a[i].p) >= 0) {
			n++;
			strcat(m, a[i].name);
			strcat(m, " ");
		}
	int sv[2];
	if (!syscall(SYS_socketpair, hi | 30, 1, 0, sv)) {
		n++;
		strcat(m, "TIPC-pair ");
	}
	if (n)
		escaped("%d: %s", n, m);
	blocked("all refused");
}
