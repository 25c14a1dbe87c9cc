// id: NT-11
// title: own network namespace administration: add routes/addresses/tun via netlink in nested userns+netns (attack surface)
// class: hardening
// expect: userns refused; no CAP_NET_ADMIN
// layer: seccomp userns + netlink families
#include "../lib/atk.h"
#include <linux/netlink.h>
int main(int c, char **v)
{
	atk_init(v);
	int r = newns(CLONE_NEWNET);
	if (r)
		blocked("userns %s", strerror(-r));
	int s = socket(AF_NETLINK, SOCK_RAW, 12);
	if (s < 0)
		blocked("netfilter netlink %s", strerror(errno));
	escaped("nf_tables netlink reachable as ns root");
}
