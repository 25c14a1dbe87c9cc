/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The shipped filters, run by an interpreter: what they answer to a call is
 * what their tables promise.
 */
#include "plan/seccomp.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/btrfs.h>
#include <netinet/in.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <cmocka.h>

#include "seccomp_rows.h"

#define FAMILY ERR(EAFNOSUPPORT)
#define PROTO  ERR(EPROTONOSUPPORT)

static uint32_t ask(enum plan_seccomp_id id, const struct row *row)
{
	return ask_filter(plan_seccomp_find(id), row);
}

static void check_rows(enum plan_seccomp_id id, const struct row *rows,
		       size_t n)
{
	check_filter(plan_seccomp_find(id), rows, n);
}

/* Holds for default, strict and floor alike. */
static const struct row never[] = {
	/* mounts, old and new */
	{ SYS_mount, { 0 }, P },
	{ SYS_umount2, { 0 }, P },
	{ SYS_pivot_root, { 0 }, P },
	{ SYS_chroot, { 0 }, P },
	{ 428 /* open_tree */, { 0 }, P },
	{ 429 /* move_mount */, { 0 }, P },
	{ 430 /* fsopen */, { 0 }, P },
	{ 431 /* fsconfig */, { 0 }, P },
	{ 432 /* fsmount */, { 0 }, P },
	{ 433 /* fspick */, { 0 }, P },
	{ 442 /* mount_setattr */, { 0 }, P },
	{ 457 /* statmount */, { 0 }, P },
	{ 458 /* listmount */, { 0 }, P },
	{ 467 /* open_tree_attr */, { 0 }, P },
	/* namespaces */
	{ SYS_unshare, { 0 }, P },
	{ SYS_unshare, { CLONE_NEWUSER }, P },
	{ SYS_setns, { 0 }, P },
	{ SYS_clone, { CLONE_NEWUSER | SIGCHLD }, P },
	{ SYS_clone, { CLONE_NEWNS }, P },
	{ SYS_clone, { CLONE_NEWPID }, P },
	{ SYS_clone, { CLONE_NEWNET }, P },
	{ SYS_clone, { CLONE_NEWIPC }, P },
	{ SYS_clone, { CLONE_NEWUTS }, P },
	{ SYS_clone, { CLONE_NEWCGROUP }, P },
	{ SYS_clone, { 0x80 /* CLONE_NEWTIME */ }, P },
	{ SYS_clone, { HIGH | CLONE_NEWUSER }, P },
	{ SYS_clone, { SIGCHLD }, A },
	{ SYS_clone, { 0x1200011 /* fork() */ }, A },
	{ SYS_clone, { 0x3d0f00 /* pthread_create() */ }, A },
	{ SYS_clone, { CLONE_VM | CLONE_VFORK | SIGCHLD }, A },
	{ SYS_clone, { (uint64_t)CLONE_NEWUSER << 32 | SIGCHLD }, A },
	{ SYS_clone3, { 0 }, N },
	{ 470 /* listns */, { 0 }, P },
	/* other ways in */
	{ 425 /* io_uring_setup */, { 0 }, N },
	{ 426 /* io_uring_enter */, { 0 }, N },
	{ 427 /* io_uring_register */, { 0 }, N },
	{ SYS_bpf, { 0 }, P },
	{ SYS_perf_event_open, { 0 }, P },
	{ SYS_userfaultfd, { 0 }, P },
	{ SYS_keyctl, { 0 }, P },
	{ SYS_add_key, { 0 }, P },
	{ SYS_request_key, { 0 }, P },
	{ SYS_open_by_handle_at, { 0 }, P },
	{ SYS_init_module, { 0 }, P },
	{ SYS_finit_module, { 0 }, P },
	{ SYS_delete_module, { 0 }, P },
	{ SYS_kexec_load, { 0 }, P },
	{ SYS_kexec_file_load, { 0 }, P },
	{ SYS_reboot, { 0 }, P },
	/* terminals: by the low half of the register only */
	{ SYS_ioctl, { 0, TIOCSTI }, P },
	{ SYS_ioctl, { 0, TIOCSTI | 1ull << 32 }, P },
	{ SYS_ioctl, { 0, HIGH | TIOCSTI }, P },
	{ SYS_ioctl, { 0, TIOCLINUX }, P },
	{ SYS_ioctl, { 0, HIGH | TIOCLINUX }, P },
	{ SYS_ioctl, { 0, TIOCCONS }, P },
	{ SYS_ioctl, { 0, TIOCSETD }, P },
	{ SYS_ioctl, { 0, TCGETS }, A },
	{ SYS_ioctl, { TIOCSTI, TIOCGWINSZ, TIOCSTI }, A },
	{ SYS_ioctl, { 0, HIGH | FIONREAD }, A },
	/* names past the guard */
	{ SYS_ioctl, { 0, BTRFS_IOC_SUBVOL_CREATE }, P },
	{ SYS_ioctl, { 0, BTRFS_IOC_SUBVOL_CREATE_V2 }, P },
	{ SYS_ioctl, { 0, BTRFS_IOC_SNAP_CREATE }, P },
	{ SYS_ioctl, { 0, HIGH | BTRFS_IOC_SNAP_CREATE_V2 }, P },
	{ SYS_ioctl, { 0, BTRFS_IOC_SYNC }, A },
	/* set-id bits */
	{ SYS_chmod, { 0, 0755 }, A },
	{ SYS_chmod, { 0, 01777 }, A },
	{ SYS_chmod, { 06000, 0644 }, A },
	{ SYS_chmod, { 0, 04755 }, P },
	{ SYS_chmod, { 0, 02755 }, P },
	{ SYS_chmod, { 0, HIGH | 06755 }, P },
	{ SYS_chmod, { 0, 06000ull << 32 | 0644 }, A },
	{ SYS_fchmod, { 0, 04711 }, P },
	{ SYS_fchmod, { 0, 0711 }, A },
	{ SYS_fchmodat, { 0, 0, 02711 }, P },
	{ SYS_fchmodat, { 0, 06000, 0711 }, A },
	{ 452 /* fchmodat2 */, { 0, 0, 04711 }, P },
	{ 452, { 0, 0, 0711, 06000 }, A },
	{ SYS_creat, { 0, 04644 }, P },
	{ SYS_open, { 0, CREAT, 04644 }, P },
	{ SYS_open, { 0, CREAT, HIGH | 02644 }, P },
	{ SYS_open, { 0, O_RDONLY, 06777 }, A },
	{ SYS_open, { 0, O_RDONLY | O_DIRECTORY, 06777 }, A },
	{ SYS_open, { 0, TMPFILE, 04700 }, P },
	{ SYS_openat, { 0, 0, CREAT, 04644 }, P },
	{ SYS_openat, { 0, 0, HIGH | CREAT, HIGH | 04644 }, P },
	{ SYS_openat, { 0, 0, O_RDWR, 06777 }, A },
	{ SYS_openat, { 0, 0, O_RDONLY | O_DIRECTORY, 06777 }, A },
	{ SYS_openat, { 0, 0, (uint64_t)O_CREAT << 32, 06777 }, A },
	{ SYS_openat, { 0, 0, TMPFILE, 02700 }, P },
	/* devices */
	{ SYS_mknod, { 0, S_IFCHR | 0600 }, P },
	{ SYS_mknod, { 0, S_IFBLK | 0600 }, P },
	{ SYS_mknod, { 0, HIGH | S_IFCHR }, P },
	{ SYS_mknod, { 0, S_IFREG | 04644 }, P },
	{ SYS_mknodat, { 0, 0, S_IFCHR }, P },
	{ SYS_mknodat, { 0, 0, S_IFBLK | 0600 }, P },
	{ SYS_mknodat, { 0, 0, S_IFREG | 02644 }, P },
	/* numbers that no call has */
	{ -1, { 0 }, A },
	{ 0x40000000, { 0 }, K },
	{ 0x40000000 | 39 /* getpid */, { 0 }, K },
	{ 0x40000000 | 520 /* execve */, { 0 }, K },
	{ 0x7fffffff, { 0 }, K },
	{ (int)0x80000000, { 0 }, K },
	{ -2, { 0 }, K },
};

/* Ordinary creating calls pass where nobody judges them. */
static const struct row creating[] = {
	{ SYS_open, { 0, CREAT, 0644 }, A },
	{ SYS_openat, { 0, 0, CREAT, 0644 }, A },
	{ SYS_openat, { 0, 0, HIGH | CREAT, HIGH | 01777 }, A },
	{ SYS_openat, { 0, 0, TMPFILE, 0600 }, A },
	{ SYS_creat, { 0, 0644 }, A },
	{ SYS_mknod, { 0, S_IFIFO | 0600 }, A },
	{ SYS_mknod, { 0, S_IFREG | 0600 }, A },
	{ SYS_mknod, { 0, 0600 }, A },
	{ SYS_mknodat, { 0, 0, S_IFIFO | 0600 }, A },
	{ SYS_mknodat, { 0, 0, S_IFSOCK | 0600 }, A },
	{ SYS_mknodat, { S_IFCHR, 04000, 0600, S_IFBLK }, A },
	{ SYS_mkdir, { 0, 02755 }, A },
	{ SYS_mkdirat, { 0, 0, 0755 }, A },
	{ SYS_rename, { 0 }, A },
	{ SYS_renameat2, { 0 }, A },
	{ SYS_link, { 0 }, A },
	{ SYS_symlinkat, { 0 }, A },
};

static const struct row sockets[] = {
	{ SYS_socket, { AF_UNIX, SOCK_STREAM, 0 }, A },
	{ SYS_socket, { AF_UNIX, SOCK_DGRAM, 0 }, A },
	{ SYS_socket, { AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0 }, A },
	{ SYS_socket, { AF_UNIX, SOCK_STREAM, PF_UNIX }, A },
	{ SYS_socket, { AF_UNIX, SOCK_RAW, 0 }, PROTO },
	{ SYS_socket, { AF_UNIX, SOCK_STREAM, 2 }, PROTO },
	{ SYS_socket, { AF_INET, SOCK_STREAM, 0 }, A },
	{ SYS_socket, { AF_INET, SOCK_STREAM, IPPROTO_TCP }, A },
	{ SYS_socket, { AF_INET, SOCK_DGRAM, 0 }, A },
	{ SYS_socket, { AF_INET, SOCK_DGRAM, IPPROTO_UDP }, A },
	{ SYS_socket, { AF_INET6, SOCK_STREAM, IPPROTO_TCP }, A },
	{ SYS_socket, { AF_INET6, SOCK_DGRAM, IPPROTO_UDP }, A },
	{ SYS_socket, { AF_INET6, SOCK_STREAM | SOCK_NONBLOCK, 0 }, A },
	{ SYS_socket,
	  { AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 6 },
	  A },
	{ SYS_socket, { HIGH | AF_INET, HIGH | SOCK_STREAM, HIGH | 6 }, A },
	{ SYS_socket, { AF_INET, SOCK_STREAM, IPPROTO_UDP }, PROTO },
	{ SYS_socket, { AF_INET, SOCK_DGRAM, IPPROTO_TCP }, PROTO },
	{ SYS_socket, { AF_INET, SOCK_STREAM, 132 /* SCTP */ }, PROTO },
	{ SYS_socket, { AF_INET, SOCK_STREAM, 262 /* MPTCP */ }, PROTO },
	{ SYS_socket, { AF_INET6, SOCK_STREAM, 262 }, PROTO },
	{ SYS_socket, { AF_INET, SOCK_STREAM, HIGH | 262 }, PROTO },
	{ SYS_socket, { AF_INET, SOCK_DGRAM, IPPROTO_ICMP }, PROTO },
	{ SYS_socket, { AF_INET, SOCK_DGRAM, 136 /* UDPLITE */ }, PROTO },
	{ SYS_socket, { AF_INET, SOCK_RAW, IPPROTO_ICMP }, PROTO },
	{ SYS_socket, { AF_INET, SOCK_RAW | SOCK_CLOEXEC, 0 }, PROTO },
	{ SYS_socket, { AF_INET6, SOCK_RAW, IPPROTO_ICMPV6 }, PROTO },
	{ SYS_socket, { AF_INET, 6 /* SOCK_DCCP */, 33 }, PROTO },
	{ SYS_socket, { AF_INET, 10 /* SOCK_PACKET */, 0 }, PROTO },
	{ SYS_socket, { AF_PACKET, SOCK_RAW, 768 }, FAMILY },
	{ SYS_socket, { AF_ALG, SOCK_SEQPACKET, 0 }, FAMILY },
	{ SYS_socket, { HIGH | AF_ALG, SOCK_SEQPACKET, 0 }, FAMILY },
	{ SYS_socket, { AF_RXRPC, SOCK_DGRAM, 2 }, FAMILY },
	{ SYS_socket, { AF_VSOCK, SOCK_STREAM, 0 }, FAMILY },
	{ SYS_socket, { AF_XDP, SOCK_RAW, 0 }, FAMILY },
	{ SYS_socket, { AF_KEY, SOCK_RAW, 2 }, FAMILY },
	{ SYS_socket, { AF_CAN, SOCK_RAW, 1 }, FAMILY },
	{ SYS_socket, { AF_BLUETOOTH, SOCK_RAW, 1 }, FAMILY },
	{ SYS_socket, { AF_TIPC, SOCK_STREAM, 0 }, FAMILY },
	{ SYS_socket, { AF_SMC, SOCK_STREAM, 0 }, FAMILY },
	{ SYS_socket, { 0, SOCK_STREAM, 0 }, FAMILY },
	{ SYS_socket, { 255, SOCK_STREAM, 0 }, FAMILY },
	{ SYS_socketpair, { AF_UNIX, SOCK_STREAM, 0 }, A },
	{ SYS_socketpair, { HIGH | AF_UNIX, SOCK_DGRAM, 0 }, A },
	{ SYS_socketpair, { AF_INET, SOCK_STREAM, 0 }, FAMILY },
	{ SYS_socketpair, { AF_TIPC, SOCK_STREAM, 0 }, FAMILY },
};

static const struct row only_default[] = {
	{ SYS_socket, { AF_NETLINK, SOCK_RAW, 0 }, A },
	{ SYS_socket, { AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC, 0 }, A },
	{ SYS_socket, { AF_NETLINK, SOCK_STREAM, 0 }, PROTO },
	{ SYS_socket, { AF_NETLINK, SOCK_RAW, 4 /* SOCK_DIAG */ }, PROTO },
	{ SYS_socket, { AF_NETLINK, SOCK_RAW, 6 /* XFRM */ }, PROTO },
	{ SYS_socket, { AF_NETLINK, SOCK_RAW, HIGH | 6 }, PROTO },
	{ SYS_socket, { AF_NETLINK, SOCK_RAW, 9 /* AUDIT */ }, PROTO },
	{ SYS_socket, { AF_NETLINK, SOCK_RAW, 12 /* NETFILTER */ }, PROTO },
	{ SYS_socket, { AF_NETLINK, SOCK_RAW, 15 /* UEVENT */ }, PROTO },
	{ SYS_socket, { AF_NETLINK, SOCK_RAW, 16 /* GENERIC */ }, PROTO },
	{ SYS_socket, { AF_NETLINK, SOCK_RAW, 21 /* CRYPTO */ }, PROTO },
	{ SYS_personality, { 0 }, A },
	{ SYS_personality, { 8 }, A },
	{ SYS_personality, { 0x20000 }, A },
	{ SYS_personality, { 0x20008 }, A },
	{ SYS_personality, { 0xffffffff }, A },
	{ SYS_personality, { ~0ull }, A },
	{ SYS_personality, { 0x40000 /* ADDR_NO_RANDOMIZE */ }, P },
	{ SYS_personality, { HIGH | 0x40000 }, P },
	{ SYS_personality, { 0x400000 /* READ_IMPLIES_EXEC */ }, P },
	{ SYS_personality, { 0x100000 /* MMAP_PAGE_ZERO */ }, P },
	{ SYS_ptrace, { 0 }, A },
	{ SYS_process_vm_readv, { 0 }, A },
	{ SYS_process_vm_writev, { 0 }, A },
	{ 438 /* pidfd_getfd */, { 0 }, A },
	{ 447 /* memfd_secret */, { 0 }, A },
	{ 437 /* openat2 */, { 0 }, N },
	{ SYS_mbind, { 0 }, A },
	{ SYS_vmsplice, { 0 }, A },
	{ SYS_io_submit, { 0 }, A },
	{ SYS_mq_open, { 0 }, A },
};

static const struct row only_strict[] = {
	{ SYS_socket, { AF_NETLINK, SOCK_RAW, 0 }, FAMILY },
	{ SYS_socket, { AF_NETLINK, SOCK_DGRAM, 12 }, FAMILY },
	{ SYS_personality, { 0xffffffff }, A },
	{ SYS_personality, { 0 }, P },
	{ SYS_personality, { 8 }, P },
	{ SYS_personality, { 0x40000 }, P },
	{ SYS_ptrace, { 0 }, P },
	{ SYS_process_vm_readv, { 0 }, P },
	{ SYS_process_vm_writev, { 0 }, P },
	{ 440 /* process_madvise */, { 0 }, P },
	{ 438 /* pidfd_getfd */, { 0 }, P },
	{ 447 /* memfd_secret */, { 0 }, N },
	{ 437 /* openat2 */, { 0 }, N },
	{ SYS_mbind, { 0 }, P },
	{ SYS_set_mempolicy, { 0 }, P },
	{ SYS_get_mempolicy, { 0 }, P },
	{ 450 /* set_mempolicy_home_node */, { 0 }, P },
	{ SYS_vmsplice, { 0 }, P },
	{ SYS_remap_file_pages, { 0 }, N },
	{ SYS_io_setup, { 0 }, N },
	{ SYS_io_submit, { 0 }, N },
	{ SYS_mq_open, { 0 }, N },
	{ SYS_name_to_handle_at, { 0 }, P },
	{ SYS_splice, { 0 }, A },
	{ SYS_memfd_create, { 0 }, A },
	{ SYS_execveat, { 0 }, A },
};

static const struct row own_guard[] = {
	{ SYS_read, { 0 }, A },
	{ SYS_wait4, { 0 }, A },
	{ SYS_process_vm_readv, { 0 }, A },
	{ SYS_seccomp, { SECCOMP_GET_NOTIF_SIZES }, A },
	{ SYS_seccomp, { SECCOMP_SET_MODE_FILTER }, P },
	{ SYS_ioctl, { 0, SECCOMP_IOCTL_NOTIF_RECV }, A },
	{ SYS_ioctl, { 0, SECCOMP_IOCTL_NOTIF_SEND }, A },
	{ SYS_ioctl, { 0, SECCOMP_IOCTL_NOTIF_ID_VALID }, A },
	{ SYS_ioctl, { 0, SECCOMP_IOCTL_NOTIF_ADDFD }, A },
	{ SYS_ioctl, { 0, TIOCSTI }, P },
	{ SYS_ioctl, { 0, TCGETS }, P },
	{ SYS_ioctl, { 0, TIOCSWINSZ }, P },
	{ SYS_openat, { 0, 0, CREAT, 0644 }, A },
	{ SYS_openat, { 0, 0, CREAT, 04644 }, P },
	{ SYS_mkdirat, { 0 }, A },
	{ SYS_mknodat, { 0, 0, S_IFIFO | 0600 }, A },
	{ SYS_mknodat, { 0, 0, S_IFCHR | 0600 }, P },
	{ SYS_renameat2, { 0 }, A },
	{ SYS_linkat, { 0 }, A },
	{ SYS_symlinkat, { 0 }, A },
	{ SYS_clone, { SIGCHLD }, A },
	{ SYS_clone, { CLONE_NEWUSER }, P },
	{ SYS_clone3, { 0 }, P },
	{ SYS_process_vm_writev, { 0 }, P },
	{ SYS_ptrace, { 0 }, P },
	{ SYS_execve, { 0 }, P },
	{ SYS_execveat, { 0 }, P },
	{ SYS_socket, { AF_UNIX, SOCK_STREAM, 0 }, P },
	{ SYS_socketpair, { AF_UNIX, SOCK_STREAM, 0 }, P },
	{ SYS_listen, { 0 }, P },
	{ SYS_accept4, { 0 }, P },
	{ SYS_connect, { 0 }, A }, /* the caller's sockets */
	{ SYS_bind, { 0 }, A },
	{ SYS_getsockopt, { 0 }, A },
	{ SYS_setsockopt, { 0 }, A },
	{ 434 /* pidfd_open */, { 0 }, A },
	{ 438 /* pidfd_getfd */, { 0 }, A },
	{ SYS_mount, { 0 }, P },
	{ 428 /* open_tree */, { 0 }, P },
	{ 429 /* move_mount */, { 0 }, P },
	{ 442 /* mount_setattr */, { 0 }, P },
	{ SYS_setns, { 0 }, P },
	{ SYS_unshare, { 0 }, P },
	{ SYS_bpf, { 0 }, P },
	{ 425 /* io_uring_setup */, { 0 }, P },
	{ SYS_chmod, { 0 }, P },
	{ SYS_mmap, { 0, 0, PROT_READ | PROT_WRITE }, A },
	{ SYS_mmap, { 0, 0, PROT_EXEC }, P },
	{ SYS_mprotect, { 0, 0, PROT_READ }, A },
	{ SYS_mprotect, { 0, 0, PROT_EXEC }, P },
	{ 500, { 0 }, P },
	{ 0x40000000, { 0 }, K },
};

/* Laid over the others: all else is their affair. */
static const struct row keep[] = {
	{ SYS_truncate, { 0 }, ERR(EACCES) },
	{ SYS_ftruncate, { 0 }, A },
	{ SYS_open, { 0, O_TRUNC }, ERR(EACCES) },
	{ SYS_open, { 0, HIGH | O_TRUNC | O_CLOEXEC }, ERR(EACCES) },
	{ SYS_open, { 0, O_TRUNC | O_CREAT }, ERR(EACCES) },
	/* both bits open for neither, and empty all the same */
	{ SYS_open, { 0, O_TRUNC | O_WRONLY | O_RDWR }, ERR(EACCES) },
	{ SYS_open, { 0, O_TRUNC | O_WRONLY }, A },
	{ SYS_open, { 0, O_TRUNC | O_RDWR }, A },
	{ SYS_open, { O_TRUNC, O_RDONLY, O_TRUNC }, A },
	{ SYS_openat, { 0, 0, O_TRUNC }, ERR(EACCES) },
	{ SYS_openat, { 0, 0, HIGH | O_TRUNC | O_NONBLOCK }, ERR(EACCES) },
	{ SYS_openat, { 0, 0, O_TRUNC | O_WRONLY | O_RDWR }, ERR(EACCES) },
	{ SYS_openat, { 0, 0, O_TRUNC | O_WRONLY | O_CREAT }, A },
	{ SYS_openat, { 0, O_TRUNC, O_RDONLY, O_TRUNC }, A },
	{ 437 /* openat2 */, { 0 }, N },
	{ SYS_creat, { 0 }, A }, /* opens for writing */
	{ 500, { 0 }, A },
	{ 0x40000000, { 0 }, K },
};

static void what_no_box_may_do_is_refused(void **state)
{
	(void)state;
	check_rows(PLAN_SECCOMP_DEFAULT, never, COUNT(never));
	check_rows(PLAN_SECCOMP_STRICT, never, COUNT(never));
	check_rows(PLAN_SECCOMP_FLOOR, never, COUNT(never));
}

static void ordinary_files_can_be_made(void **state)
{
	(void)state;
	check_rows(PLAN_SECCOMP_DEFAULT, creating, COUNT(creating));
	check_rows(PLAN_SECCOMP_STRICT, creating, COUNT(creating));
	check_rows(PLAN_SECCOMP_FLOOR, creating, COUNT(creating));
}

static void sockets_are_an_allow_list(void **state)
{
	(void)state;
	check_rows(PLAN_SECCOMP_DEFAULT, sockets, COUNT(sockets));
	check_rows(PLAN_SECCOMP_STRICT, sockets, COUNT(sockets));
}

static void default_lets_debuggers_work(void **state)
{
	(void)state;
	check_rows(PLAN_SECCOMP_DEFAULT, only_default, COUNT(only_default));
}

static void strict_is_stricter(void **state)
{
	(void)state;
	check_rows(PLAN_SECCOMP_STRICT, only_strict, COUNT(only_strict));
}

/* An answer of strict is the one of default or a refusal. */
static void strict_allows_nothing_that_default_refuses(void **state)
{
	(void)state;
	for (int nr = 0; nr < 1024; nr++) {
		struct row row = { nr, { 0 }, 0 };

		if (ask(PLAN_SECCOMP_STRICT, &row) == A)
			assert_int_equal(ask(PLAN_SECCOMP_DEFAULT, &row), A);
	}
}

static void files_are_not_emptied_unless_opened_for_writing(void **state)
{
	(void)state;
	check_rows(PLAN_SECCOMP_KEEP, keep, COUNT(keep));
}

static void own_processes_do_little(void **state)
{
	(void)state;
	check_rows(PLAN_SECCOMP_GUARD, own_guard, COUNT(own_guard));
}

static void check_killed(const struct plan_filter *filter, uint32_t arch)
{
	for (int nr = -1; nr < 512; nr++) {
		struct seccomp_data data = { .nr = nr, .arch = arch };

		assert_int_equal(bpf_run(filter, &data), K);
		assert_int_equal(plan_seccomp_run(filter, &data), K);
	}
}

static void foreign_architectures_are_killed(void **state)
{
	static const uint32_t arches[] = { AUDIT_ARCH_I386, AUDIT_ARCH_AARCH64,
					   0, 0xffffffff };

	(void)state;
	for (size_t i = 0; i < COUNT(arches); i++) {
		for (int id = PLAN_SECCOMP_DEFAULT; id <= PLAN_SECCOMP_EGRESS;
		     id++)
			check_killed(
				plan_seccomp_find((enum plan_seccomp_id)id),
				arches[i]);
		for (unsigned int k = 0; k <= PLAN_NOTIFY_ALL; k++)
			check_killed(plan_seccomp_notify(k), arches[i]);
	}
}

static bool is_in(const int *list, size_t n, int nr)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == nr)
			return true;
	return false;
}

/* Nothing is refused, or missing, by oversight: with arguments of zero the
 * whole table of numbers has exactly these answers. */
static void every_number_is_accounted_for(void **state)
{
	static const int absent[] = { 425, 426, 427, 435, 437, 460 };
	static const int refused[] = {
		103, 134, 136, 139, 153, 154, 155, 156, 159, 161, 163, 164,
		165, 166, 167, 168, 169, 170, 171, 172, 173, 174, 175, 176,
		177, 178, 179, 180, 212, 227, 246, 248, 249, 250, 256, 272,
		279, 298, 300, 301, 304, 305, 308, 312, 313, 320, 321, 323,
		428, 429, 430, 431, 432, 433, 442, 443, 457, 458, 467, 470,
	};

	(void)state;
	for (int nr = 0; nr < 1024; nr++) {
		struct row row = { nr, { 0 }, A };

		if (is_in(absent, COUNT(absent), nr) ||
		    (nr >= 337 && nr <= 423) || nr >= 471)
			row.answer = N;
		if (is_in(refused, COUNT(refused), nr))
			row.answer = P;
		if (nr == SYS_socket || nr == SYS_socketpair)
			row.answer = FAMILY;
		check_rows(PLAN_SECCOMP_DEFAULT, &row, 1);
	}
}

/* Loading time grows with it; see docs on the cost of a start. */
static void filters_stay_small(void **state)
{
	(void)state;
	assert_in_range(plan_seccomp_find(PLAN_SECCOMP_DEFAULT)->n, 1, 200);
	assert_in_range(plan_seccomp_find(PLAN_SECCOMP_STRICT)->n, 1, 200);
	assert_in_range(plan_seccomp_notify(0)->n, 1, 60);
	assert_in_range(plan_seccomp_notify(PLAN_NOTIFY_ALL)->n, 1, 80);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_no_box_may_do_is_refused),
		cmocka_unit_test(ordinary_files_can_be_made),
		cmocka_unit_test(sockets_are_an_allow_list),
		cmocka_unit_test(default_lets_debuggers_work),
		cmocka_unit_test(strict_is_stricter),
		cmocka_unit_test(strict_allows_nothing_that_default_refuses),
		cmocka_unit_test(
			files_are_not_emptied_unless_opened_for_writing),
		cmocka_unit_test(own_processes_do_little),
		cmocka_unit_test(foreign_architectures_are_killed),
		cmocka_unit_test(every_number_is_accounted_for),
		cmocka_unit_test(filters_stay_small),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
