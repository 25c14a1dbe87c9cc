/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CORDON_TOOLS_SECCOMP_DEFAULT_H
#define CORDON_TOOLS_SECCOMP_DEFAULT_H

#include "seccomp-rules.h"

/*
 * syscalls.profile: default. What ordinary programs call is allowed, what is
 * known and dangerous is EPERM, everything else, future calls included, is
 * ENOSYS: libraries then do what they do on an older kernel.
 */
/* clang-format off */
static const struct call default_calls[] = {
	/* reading and writing */
	ALLOW(read), ALLOW(write), ALLOW(readv), ALLOW(writev),
	ALLOW(pread64), ALLOW(pwrite64), ALLOW(preadv), ALLOW(pwritev),
	ALLOW(preadv2), ALLOW(pwritev2), ALLOW(lseek), ALLOW(sendfile),
	ALLOW(copy_file_range), ALLOW(splice), ALLOW(tee), ALLOW(vmsplice),
	ALLOW(readahead), ALLOW(fadvise64), ALLOW(cachestat),
	ALLOW(fsync), ALLOW(fdatasync), ALLOW(sync), ALLOW(syncfs),
	ALLOW(sync_file_range), ALLOW(fallocate),
	ALLOW(truncate), ALLOW(ftruncate),
	/* the older asynchronous reads and writes: databases */
	ALLOW(io_setup), ALLOW(io_destroy), ALLOW(io_submit),
	ALLOW(io_cancel), ALLOW(io_getevents), ALLOW(io_pgetevents),
	/* io_uring does files and sockets past every other rule here, and has
	 * been the way into the kernel more often than anything else */
	ABSENT(io_uring_setup), ABSENT(io_uring_enter),
	ABSENT(io_uring_register),

	/* descriptors */
	ALLOW(close), ALLOW(close_range), ALLOW(dup), ALLOW(dup2),
	ALLOW(dup3), ALLOW(fcntl), ALLOW(flock), ALLOW(pipe), ALLOW(pipe2),
	ALLOW(select), ALLOW(pselect6), ALLOW(poll), ALLOW(ppoll),
	ALLOW(epoll_create), ALLOW(epoll_create1), ALLOW(epoll_ctl),
	ALLOW(epoll_wait), ALLOW(epoll_pwait), ALLOW(epoll_pwait2),
	ALLOW(eventfd), ALLOW(eventfd2), ALLOW(signalfd), ALLOW(signalfd4),
	ALLOW(timerfd_create), ALLOW(timerfd_settime),
	ALLOW(timerfd_gettime), ALLOW(inotify_init), ALLOW(inotify_init1),
	ALLOW(inotify_add_watch), ALLOW(inotify_rm_watch),
	EXCEPT(ioctl, ioctl_rules),
	REFUSE(fanotify_init),	/* sees accesses of others to whole mounts */
	REFUSE(fanotify_mark),	/* the same */

	/* files by name */
	EXCEPT(open, open_rules), EXCEPT(openat, openat_rules),
	ABSENT(openat2),	/* set-id modes could pass; callers fall back */
	EXCEPT(creat, mode1_rules), ALLOW(access), ALLOW(faccessat),
	ALLOW(faccessat2), ALLOW(stat), ALLOW(lstat), ALLOW(fstat),
	ALLOW(newfstatat), ALLOW(statx), ALLOW(statfs), ALLOW(fstatfs),
	ALLOW(getdents), ALLOW(getdents64), ALLOW(readlink),
	ALLOW(readlinkat), ALLOW(getcwd), ALLOW(chdir), ALLOW(fchdir),
	ALLOW(mkdir), ALLOW(mkdirat), ALLOW(rmdir), ALLOW(unlink),
	ALLOW(unlinkat), ALLOW(rename), ALLOW(renameat), ALLOW(renameat2),
	ALLOW(link), ALLOW(linkat), ALLOW(symlink), ALLOW(symlinkat),
	EXCEPT(mknod, mknod_rules), EXCEPT(mknodat, mknodat_rules),
	EXCEPT(chmod, mode1_rules), EXCEPT(fchmod, mode1_rules),
	EXCEPT(fchmodat, mode2_rules), EXCEPT(fchmodat2, mode2_rules),
	ALLOW(chown), ALLOW(fchown), ALLOW(lchown), ALLOW(fchownat),
	ALLOW(utime), ALLOW(utimes), ALLOW(futimesat), ALLOW(utimensat),
	ALLOW(umask),
	ALLOW(setxattr), ALLOW(lsetxattr), ALLOW(fsetxattr),
	ALLOW(getxattr), ALLOW(lgetxattr), ALLOW(fgetxattr),
	ALLOW(listxattr), ALLOW(llistxattr), ALLOW(flistxattr),
	ALLOW(removexattr), ALLOW(lremovexattr), ALLOW(fremovexattr),
	ALLOW(setxattrat), ALLOW(getxattrat), ALLOW(listxattrat),
	ALLOW(removexattrat), ALLOW(file_getattr), ALLOW(file_setattr),
	ALLOW(name_to_handle_at),	/* only tells a name's identity */
	REFUSE(open_by_handle_at),	/* opens past every directory; the
					 * first escape from Docker */
	REFUSE(lookup_dcookie),	/* names behind a profiler's cookies */
	REFUSE(quotactl), REFUSE(quotactl_fd),	/* administration */

	/* mounts: what the box sees is made of them */
	REFUSE(mount), REFUSE(umount2), REFUSE(pivot_root), REFUSE(chroot),
	REFUSE(open_tree), REFUSE(open_tree_attr), REFUSE(move_mount),
	REFUSE(fsopen), REFUSE(fsconfig), REFUSE(fsmount), REFUSE(fspick),
	REFUSE(mount_setattr), REFUSE(statmount), REFUSE(listmount),

	/* memory */
	ALLOW(brk), ALLOW(mmap), ALLOW(munmap), ALLOW(mremap),
	ALLOW(mprotect), ALLOW(msync), ALLOW(mincore), ALLOW(madvise),
	ALLOW(mlock), ALLOW(mlock2), ALLOW(munlock), ALLOW(mlockall),
	ALLOW(munlockall), ALLOW(mseal), ALLOW(map_shadow_stack),
	ALLOW(pkey_alloc), ALLOW(pkey_free), ALLOW(pkey_mprotect),
	ALLOW(memfd_create), ALLOW(memfd_secret), ALLOW(membarrier),
	ALLOW(remap_file_pages), ALLOW(process_madvise),
	ALLOW(mbind), ALLOW(set_mempolicy), ALLOW(get_mempolicy),
	ALLOW(set_mempolicy_home_node),
	REFUSE(move_pages), REFUSE(migrate_pages),	/* acts on others */
	REFUSE(userfaultfd),	/* stops the kernel in mid-copy: the tool that
				 * makes races winnable */
	REFUSE(swapon), REFUSE(swapoff),

	/* processes and threads */
	EXCEPT(clone, clone_rules),
	ABSENT(clone3),	/* its flags lie in memory; libc then uses clone */
	ALLOW(fork), ALLOW(vfork), ALLOW(execve), ALLOW(execveat),
	ALLOW(exit), ALLOW(exit_group), ALLOW(wait4), ALLOW(waitid),
	ALLOW(getpid), ALLOW(getppid), ALLOW(gettid), ALLOW(getpgid),
	ALLOW(setpgid), ALLOW(getpgrp), ALLOW(getsid), ALLOW(setsid),
	ALLOW(set_tid_address), ALLOW(set_robust_list),
	ALLOW(get_robust_list), ALLOW(rseq), ALLOW(futex),
	ALLOW(futex_waitv), ALLOW(futex_wake), ALLOW(futex_wait),
	ALLOW(futex_requeue), ALLOW(arch_prctl), ALLOW(prctl),
	ALLOW(pidfd_open), ALLOW(pidfd_send_signal), ALLOW(pidfd_getfd),
	ALLOW(process_mrelease),
	/* debuggers: among the box's own processes, which is all they see */
	ALLOW(ptrace), ALLOW(process_vm_readv), ALLOW(process_vm_writev),
	/* the kernel itself puts these into a process that is being traced
	 * from outside, which would die of a refusal */
	ALLOW(uretprobe), ALLOW(uprobe),
	ONLY(personality, personality_rules),
	REFUSE(unshare), REFUSE(setns),	/* namespaces */
	REFUSE(listns),		/* tells of the host's namespaces */
	REFUSE(kcmp),		/* compares kernel addresses of two processes */
	REFUSE(modify_ldt),	/* 16-bit segments: many kernel bugs */

	/* signals */
	ALLOW(rt_sigaction), ALLOW(rt_sigprocmask), ALLOW(rt_sigreturn),
	ALLOW(rt_sigpending), ALLOW(rt_sigtimedwait),
	ALLOW(rt_sigqueueinfo), ALLOW(rt_tgsigqueueinfo),
	ALLOW(rt_sigsuspend), ALLOW(sigaltstack), ALLOW(kill), ALLOW(tkill),
	ALLOW(tgkill), ALLOW(pause), ALLOW(restart_syscall),

	/* users and groups: without capabilities they only give up */
	ALLOW(getuid), ALLOW(geteuid), ALLOW(getresuid), ALLOW(getgid),
	ALLOW(getegid), ALLOW(getresgid), ALLOW(getgroups),
	ALLOW(setuid), ALLOW(setreuid), ALLOW(setresuid), ALLOW(setfsuid),
	ALLOW(setgid), ALLOW(setregid), ALLOW(setresgid), ALLOW(setfsgid),
	ALLOW(setgroups), ALLOW(capget), ALLOW(capset),
	/* these can only narrow what the process may do */
	ALLOW(seccomp), ALLOW(landlock_create_ruleset),
	ALLOW(landlock_add_rule), ALLOW(landlock_restrict_self),
	ALLOW(lsm_get_self_attr), ALLOW(lsm_list_modules),
	ABSENT(lsm_set_self_attr),	/* changes the profile it runs under */

	/* scheduling and limits: of the box's own processes */
	ALLOW(sched_yield), ALLOW(sched_setparam), ALLOW(sched_getparam),
	ALLOW(sched_setscheduler), ALLOW(sched_getscheduler),
	ALLOW(sched_get_priority_max), ALLOW(sched_get_priority_min),
	ALLOW(sched_rr_get_interval), ALLOW(sched_setaffinity),
	ALLOW(sched_getaffinity), ALLOW(sched_setattr),
	ALLOW(sched_getattr), ALLOW(getpriority), ALLOW(setpriority),
	ALLOW(ioprio_set), ALLOW(ioprio_get), ALLOW(getcpu),
	ALLOW(getrlimit), ALLOW(setrlimit), ALLOW(prlimit64),
	ALLOW(getrusage), ALLOW(times), ALLOW(sysinfo), ALLOW(uname),

	/* time */
	ALLOW(time), ALLOW(gettimeofday), ALLOW(clock_gettime),
	ALLOW(clock_getres), ALLOW(nanosleep), ALLOW(clock_nanosleep),
	ALLOW(alarm), ALLOW(getitimer), ALLOW(setitimer),
	ALLOW(timer_create), ALLOW(timer_settime), ALLOW(timer_gettime),
	ALLOW(timer_getoverrun), ALLOW(timer_delete),
	REFUSE(settimeofday), REFUSE(clock_settime), /* the host's clock */
	REFUSE(adjtimex), REFUSE(clock_adjtime),

	/* sockets */
	ONLY(socket, socket_rules), ONLY(socketpair, socketpair_rules),
	ALLOW(connect), ALLOW(bind), ALLOW(listen), ALLOW(accept),
	ALLOW(accept4), ALLOW(shutdown), ALLOW(getsockname),
	ALLOW(getpeername), ALLOW(setsockopt), ALLOW(getsockopt),
	ALLOW(sendto), ALLOW(recvfrom), ALLOW(sendmsg), ALLOW(recvmsg),
	ALLOW(sendmmsg), ALLOW(recvmmsg),

	/* System V and POSIX IPC: of the box's own IPC namespace */
	ALLOW(shmget), ALLOW(shmat), ALLOW(shmdt), ALLOW(shmctl),
	ALLOW(semget), ALLOW(semop), ALLOW(semtimedop), ALLOW(semctl),
	ALLOW(msgget), ALLOW(msgsnd), ALLOW(msgrcv), ALLOW(msgctl),
	ALLOW(mq_open), ALLOW(mq_unlink), ALLOW(mq_timedsend),
	ALLOW(mq_timedreceive), ALLOW(mq_notify), ALLOW(mq_getsetattr),

	ALLOW(getrandom),

	/* the kernel's own affairs */
	REFUSE(bpf),		/* code in the kernel */
	REFUSE(perf_event_open), /* watches the kernel and others; many bugs */
	REFUSE(add_key), REFUSE(request_key), REFUSE(keyctl), /* key rings
						* are not in a namespace */
	REFUSE(init_module), REFUSE(finit_module), REFUSE(delete_module),
	REFUSE(create_module), REFUSE(query_module), REFUSE(get_kernel_syms),
	REFUSE(kexec_load), REFUSE(kexec_file_load), REFUSE(reboot),
	REFUSE(acct), REFUSE(sethostname), REFUSE(setdomainname),
	REFUSE(syslog),		/* the kernel's log holds addresses */
	REFUSE(vhangup), REFUSE(iopl), REFUSE(ioperm),
	REFUSE(nfsservctl), REFUSE(_sysctl), REFUSE(uselib), /* obsolete */
	REFUSE(ustat), REFUSE(sysfs),

	/* no kernel has these, so they are ENOSYS either way; allowed, they
	 * make the intervals longer and the filter shorter */
	ALLOW(getpmsg), ALLOW(putpmsg), ALLOW(afs_syscall), ALLOW(tuxcall),
	ALLOW(security), ALLOW(vserver), ALLOW(set_thread_area),
	ALLOW(get_thread_area), ALLOW(epoll_ctl_old), ALLOW(epoll_wait_old),
};

/*
 * syscalls.profile: strict. These answers stand in place of those above; all
 * else is the same.
 */
static const struct call strict_calls[] = {
	/* one process of the box into another */
	REFUSE(ptrace), REFUSE(process_vm_readv), REFUSE(process_vm_writev),
	REFUSE(process_madvise), REFUSE(pidfd_getfd),
	/* memory: a page that the kernel cannot read, pages lent to a pipe
	 * (as in Dirty Pipe and its kin), a relic */
	ABSENT(memfd_secret), REFUSE(vmsplice), ABSENT(remap_file_pages),
	/* NUMA: libnuma then takes the machine for one without */
	REFUSE(mbind), REFUSE(set_mempolicy), REFUSE(get_mempolicy),
	REFUSE(set_mempolicy_home_node),
	/* asynchronous reads and writes: as a kernel without CONFIG_AIO */
	ABSENT(io_setup), ABSENT(io_destroy), ABSENT(io_submit),
	ABSENT(io_cancel), ABSENT(io_getevents), ABSENT(io_pgetevents),
	/* message queues: as a kernel without CONFIG_POSIX_MQUEUE */
	ABSENT(mq_open), ABSENT(mq_unlink), ABSENT(mq_timedsend),
	ABSENT(mq_timedreceive), ABSENT(mq_notify), ABSENT(mq_getsetattr),
	REFUSE(name_to_handle_at),	/* of no use without opening them */
	ONLY(socket, socket_strict_rules),	/* no netlink */
	ONLY(personality, personality_strict_rules),
};
/* clang-format on */

#endif
