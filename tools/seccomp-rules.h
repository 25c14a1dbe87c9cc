/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_TOOLS_SECCOMP_RULES_H
#define CORDON_TOOLS_SECCOMP_RULES_H

#include <asm/unistd.h> /* the kernel's: libc may know fewer */
#include <errno.h>
#include <fcntl.h>
#include <linux/btrfs.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/sched.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "plan/bpf.h"
#include "seccomp-numbers.h"

/*
 * The words in which the filters are written: a filter is a table of calls, a
 * call has an action and, before it, rules on its arguments. All arguments
 * that are looked at are 32 bits wide for the kernel, so only the low half of
 * the register is compared.
 */

struct call {
	int nr;
	uint32_t action; /* when no rule holds */
	const struct plan_bpf_rules *rules; /* NULL: none */
};

#define RET_ALLOW    SECCOMP_RET_ALLOW
#define RET_NOTIFY   SECCOMP_RET_USER_NOTIF
#define RET_ERRNO(e) (SECCOMP_RET_ERRNO | ((uint32_t)(e)&SECCOMP_RET_DATA))

/* One row of a table. */
/* clang-format off */
#define CALL(nr, action, rules) { nr, action, rules }
#define ALLOW(name)  CALL(__NR_##name, RET_ALLOW, NULL)
#define REFUSE(name) CALL(__NR_##name, RET_ERRNO(EPERM), NULL)
/* as on a kernel without it: callers have another way and take it */
#define ABSENT(name) CALL(__NR_##name, RET_ERRNO(ENOSYS), NULL)
#define NOTIFY(name) CALL(__NR_##name, RET_NOTIFY, NULL)
/* allowed but for what the rules say */
#define EXCEPT(name, list) CALL(__NR_##name, RET_ALLOW, &(list))
/* refused but for what the rules allow */
#define ONLY(name, list) CALL(__NR_##name, RET_ERRNO(EPERM), &(list))

#define WORDS(...) \
	{ __VA_ARGS__ }, sizeof((uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t)
#define IN_MASKED(arg, mask, ...) \
	{ PLAN_BPF_IN, arg, mask, WORDS(__VA_ARGS__), false }
#define IN(arg, ...)   IN_MASKED(arg, 0xffffffff, __VA_ARGS__)
#define ANY(arg, mask) { PLAN_BPF_ANY, arg, mask, { 0 }, 0, false }
#define WHEN(action, ...) { action, { __VA_ARGS__ } }
#define ALWAYS(action)    { action, { { .op = PLAN_BPF_NONE } } }
#define RULES(name, ...) \
	static const struct plan_bpf_rule name##_v[] = { __VA_ARGS__ }; \
	static const struct plan_bpf_rules name = { \
		name##_v, sizeof(name##_v) / sizeof(name##_v[0]) \
	}

/* namespaces: the door to most of what the kernel has for root only.
 * CLONE_NEWTIME lies in the bits of the exit signal, where nothing valid is. */
#define NAMESPACES \
	(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | \
	 CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP | CLONE_NEWTIME)
RULES(clone_rules, WHEN(RET_ERRNO(EPERM), ANY(0, NAMESPACES)));

/* ioctl: the command is an unsigned int for the kernel; a filter that looks
 * at 64 bits lets TIOCSTI | 1 << 32 through. */
RULES(ioctl_rules, WHEN(RET_ERRNO(EPERM), IN(1,
	TIOCSTI,	/* types into the caller's terminal */
	TIOCLINUX,	/* the same on a console, by its clipboard */
	TIOCCONS,	/* takes the output of /dev/console */
	TIOCSETD,	/* loads line disciplines: code for modems that hardly
			 * anybody has looked at */
	/* names made past the calls that the guard judges */
	BTRFS_IOC_SUBVOL_CREATE, BTRFS_IOC_SUBVOL_CREATE_V2,
	BTRFS_IOC_SNAP_CREATE, BTRFS_IOC_SNAP_CREATE_V2)));

/* socket(domain, type, protocol): an allow-list, as most of the kernel's
 * families are code that only an attacker calls (AF_ALG, XFRM, RXRPC, …).
 * The kernel takes SOCK_NONBLOCK and SOCK_CLOEXEC out of the type. */
#define TYPE(...) IN_MASKED(1, 0xf, __VA_ARGS__)
#define UNIX_RULE WHEN(RET_ALLOW, IN(0, AF_UNIX), \
	TYPE(SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET), IN(2, 0, PF_UNIX))
#define TCP_RULE WHEN(RET_ALLOW, IN(0, AF_INET, AF_INET6), \
	TYPE(SOCK_STREAM), IN(2, 0, IPPROTO_TCP))
#define UDP_RULE WHEN(RET_ALLOW, IN(0, AF_INET, AF_INET6), \
	TYPE(SOCK_DGRAM), IN(2, 0, IPPROTO_UDP))
/* getifaddrs() asks the kernel by NETLINK_ROUTE, which is 0 */
#define NETLINK_RULE WHEN(RET_ALLOW, IN(0, AF_NETLINK), \
	TYPE(SOCK_RAW, SOCK_DGRAM), IN(2, 0))
/* Go asks for MPTCP first and falls back to TCP on this very errno */
#define PROTOCOL_RULE(...) WHEN(RET_ERRNO(EPROTONOSUPPORT), IN(0, __VA_ARGS__))
#define FAMILY_RULE ALWAYS(RET_ERRNO(EAFNOSUPPORT))
RULES(socket_rules, UNIX_RULE, TCP_RULE, UDP_RULE, NETLINK_RULE,
      PROTOCOL_RULE(AF_UNIX, AF_INET, AF_INET6, AF_NETLINK), FAMILY_RULE);
RULES(socket_strict_rules, UNIX_RULE, TCP_RULE, UDP_RULE,
      PROTOCOL_RULE(AF_UNIX, AF_INET, AF_INET6), FAMILY_RULE);
RULES(socketpair_rules, WHEN(RET_ALLOW, IN(0, AF_UNIX)), FAMILY_RULE);

/* set-id files: the workspace is not nosuid outside of the box. */
#define SET_ID (S_ISUID | S_ISGID)
#define MODE_RULE(mode) WHEN(RET_ERRNO(EPERM), ANY(mode, SET_ID))
/* The mode counts only where a file comes into being: elsewhere the register
 * holds whatever was there. O_TMPFILE is a bit of its own and O_DIRECTORY. */
#define CREATES (O_CREAT | (O_TMPFILE & ~O_DIRECTORY))
#define OPEN_RULE(flags, mode) \
	WHEN(RET_ERRNO(EPERM), ANY(flags, CREATES), ANY(mode, SET_ID))
/* Devices, and with them overlayfs whiteouts (0:0), which anybody can make. */
#define DEVICE_RULE(mode) \
	WHEN(RET_ERRNO(EPERM), IN_MASKED(mode, S_IFMT, S_IFCHR, S_IFBLK))
RULES(mode1_rules, MODE_RULE(1));
RULES(mode2_rules, MODE_RULE(2));
RULES(open_rules, OPEN_RULE(1, 2));
RULES(openat_rules, OPEN_RULE(2, 3));
RULES(mknod_rules, MODE_RULE(1), DEVICE_RULE(1));
RULES(mknodat_rules, MODE_RULE(2), DEVICE_RULE(2));

/* personality(): what setarch and build tools set. ADDR_NO_RANDOMIZE,
 * READ_IMPLIES_EXEC and MMAP_PAGE_ZERO make exploits easier. */
#define PERSONALITY_QUERY 0xffffffff
RULES(personality_rules, WHEN(RET_ALLOW, IN(0,
	0x0,		/* PER_LINUX */
	0x8,		/* PER_LINUX32 */
	0x20000,	/* UNAME26 */
	0x20008,	/* both */
	PERSONALITY_QUERY)));
RULES(personality_strict_rules, WHEN(RET_ALLOW, IN(0, PERSONALITY_QUERY)));

/* What the guard judges: only an open that may make a name, which one with
 * O_PATH does not. */
#define MAKES(flags) IN_MASKED(flags, O_CREAT | O_PATH, O_CREAT)
RULES(notify_open_rules, WHEN(RET_NOTIFY, MAKES(1)));
RULES(notify_openat_rules, WHEN(RET_NOTIFY, MAKES(2)));
/* All but O_PATH: such a descriptor gives no content, and to open what it is
 * of by /proc is an open again. */
#define OPENS(flags) IN_MASKED(flags, O_PATH, 0)
RULES(notify_opens_rules, WHEN(RET_NOTIFY, OPENS(1)));
RULES(notify_opensat_rules, WHEN(RET_NOTIFY, OPENS(2)));

/* An open that empties the file without asking Landlock for writing: it takes
 * both bits of the mode for neither. */
#define BOTH (O_WRONLY | O_RDWR)
#define EMPTIES(flags) IN_MASKED(flags, O_TRUNC | BOTH, O_TRUNC, O_TRUNC | BOTH)
RULES(keep_open_rules, WHEN(RET_ERRNO(EACCES), EMPTIES(1)));
RULES(keep_openat_rules, WHEN(RET_ERRNO(EACCES), EMPTIES(2)));

/* Our own processes make no code at run time. */
RULES(no_exec_rules, WHEN(RET_ERRNO(EPERM), ANY(2, PROT_EXEC)));
/* clang-format on */

#endif
