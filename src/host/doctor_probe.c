/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host/doctor_probe.c - tries of what a box is made of
 *
 * Runs in:  `cordon doctor`; each try in a child of its own.
 * Trusts:   the kernel's answers.
 * Must not: change this process or leave anything behind; hang (every child
 *           has an alarm).
 *
 * A version number says little: containers, security modules and boot options
 * take things away that the kernel has. So every check does the thing.
 */
#include "host/doctor_probe.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/mount.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/text.h"
#include "host/doctor.h"

enum { PROBE_SECONDS = 5 };

/* What a child says of its try. */
struct report {
	int sys; /* 0: it held */
	bool early; /* the child could not be made as asked */
	char step[60]; /* which part of it failed */
};

typedef struct report probe_fn(void);

static struct report failed_at(const char *step)
{
	struct report report = { .sys = errno ? errno : EINVAL };

	snprintf(report.step, sizeof(report.step), "%s", step);
	return report;
}

static struct report failed_early(const char *step)
{
	struct report report = failed_at(step);

	report.early = true;
	return report;
}

static pid_t clone_with(uint64_t flags)
{
	struct clone_args args = {
		.flags = flags,
		.exit_signal = SIGCHLD,
	};

	return (pid_t)syscall(SYS_clone3, &args, sizeof(args));
}

static bool write_file(const char *path, const char *text)
{
	AUTO_CLOSE int fd = open(path, O_WRONLY | O_CLOEXEC);

	return fd >= 0 &&
	       write(fd, text, strlen(text)) == (ssize_t)strlen(text);
}

/* Gives the new user namespace of this process its one user. */
static bool map_user(unsigned int uid, unsigned int gid)
{
	char uids[32], gids[32];

	snprintf(uids, sizeof(uids), "%u %u 1", uid, uid);
	snprintf(gids, sizeof(gids), "%u %u 1", gid, gid);
	return write_file("/proc/self/setgroups", "deny") &&
	       write_file("/proc/self/uid_map", uids) &&
	       write_file("/proc/self/gid_map", gids);
}

/*
 * Runs @fn in a child that was cloned with @flags; in a user namespace it is
 * mapped first, and cut off from the mounts outside.
 */
static struct report run_in_child(uint64_t flags, probe_fn *fn)
{
	unsigned int uid = getuid(), gid = getgid();
	struct report report = { 0 };
	int pipe_fds[2] = { -1, -1 };
	ssize_t n;
	pid_t pid;

	if (pipe2(pipe_fds, O_CLOEXEC) < 0)
		return failed_at("pipe");
	/* fork() where no namespace is asked for: a host without clone3 is
	 * told of that once and not by every check. */
	pid = flags ? clone_with(flags) : fork();
	if (pid == 0) {
		alarm(PROBE_SECONDS);
		if (flags & CLONE_NEWUSER && !map_user(uid, gid))
			report = failed_early("map the user");
		else if (flags & CLONE_NEWNS &&
			 mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
			report = failed_early("make mounts private");
		else
			report = fn();
		n = write(pipe_fds[1], &report, sizeof(report));
		_exit(n == (ssize_t)sizeof(report) ? 0 : 1);
	}
	if (pid < 0)
		report = failed_early("clone3");
	fd_close(&pipe_fds[1]);
	if (pid > 0) {
		n = fd_read_all(pipe_fds[0], &report, sizeof(report));
		if (n != (ssize_t)sizeof(report)) {
			errno = ETIMEDOUT;
			report = failed_at("wait for the probe");
		}
		(void)waitpid(pid, NULL, 0);
	}
	fd_close(&pipe_fds[0]);
	return report;
}

static void set_found(struct arena *arena, struct host_check *check,
		      const struct report *report, const char *found)
{
	check->state = report->sys ? HOST_CHECK_MISSING : HOST_CHECK_OK;
	check->found = report->sys ? arena_printf(arena, "%s: %s", report->step,
						  strerror(report->sys))
				   : found;
}

/* What mends a try inside of namespaces. */
static void set_remedy(struct host_check *check, const struct report *report,
		       const char *remedy)
{
	if (report->sys)
		check->remedy = report->early ? "see user_namespaces" : remedy;
}

static struct report probe_nothing(void)
{
	return (struct report){ 0 };
}

/* ------------------------------------------------------------ namespaces */

/* The value of a sysctl, -1 where there is none. */
static int sysctl_read(const char *name)
{
	char path[128], value[16] = "";
	AUTO_CLOSE int fd = -1;

	snprintf(path, sizeof(path), "/proc/sys/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, value, sizeof(value) - 1) <= 0)
		return -1;
	return atoi(value);
}

static const char *userns_remedy(int sys)
{
	if (sys == ENOSPC || sysctl_read("user/max_user_namespaces") == 0)
		return "raise the limit: sysctl user.max_user_namespaces=10000";
	if (sysctl_read("kernel/unprivileged_userns_clone") == 0)
		return "sysctl kernel.unprivileged_userns_clone=1";
	if (sysctl_read("kernel/apparmor_restrict_unprivileged_userns") == 1)
		return "AppArmor forbids it (kernel.apparmor_restrict_"
		       "unprivileged_userns=1): load a profile for cordon "
		       "that has the rule 'userns,'";
	if (sys == EUSERS)
		return "too many user namespaces inside each other: run "
		       "cordon further outside";
	if (sys == ENOSYS || sys == EINVAL)
		return "use a kernel with CONFIG_USER_NS, 5.14 or later";
	return "a container or seccomp filter around cordon forbids it: let "
	       "it use clone3 with CLONE_NEWUSER, or run cordon outside of it";
}

void doctor_probe_userns(struct arena *arena, struct host_check *check)
{
	/* The mount in the child shows that the namespace gives
	 * capabilities: with AppArmor's restriction it comes without. */
	struct report report =
		run_in_child(CLONE_NEWUSER | CLONE_NEWNS, probe_nothing);

	set_found(arena, check, &report, "made, mapped and usable");
	if (report.sys)
		check->remedy = userns_remedy(report.sys);
}

void doctor_probe_namespaces(struct arena *arena, struct host_check *check)
{
	struct report report = run_in_child(
		CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET |
			CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWCGROUP,
		probe_nothing);

	set_found(arena, check, &report,
		  "user, mount, pid, net, ipc, uts, cgroup in one clone3");
	if (report.sys)
		check->remedy = "see user_namespaces; if that is ok, raise "
				"user.max_{net,pid,ipc,uts,mnt,cgroup}_"
				"namespaces, or use a kernel that has them";
}

/* ---------------------------------------------------------------- mounts */

static int new_tmpfs(void)
{
	AUTO_CLOSE int fs = (int)syscall(SYS_fsopen, "tmpfs", FSOPEN_CLOEXEC);

	if (fs < 0 ||
	    syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		return -1;
	return (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, 0);
}

static struct report probe_mount_calls(void)
{
	struct mount_attr attr = { .attr_set = MOUNT_ATTR_RDONLY };
	AUTO_CLOSE int tmpfs = -1;
	AUTO_CLOSE int tree = (int)syscall(
		SYS_open_tree, AT_FDCWD, "/",
		OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);

	if (tree < 0)
		return failed_at("open_tree");
	if (syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH | AT_RECURSIVE,
		    &attr, sizeof(attr)) < 0)
		return failed_at("mount_setattr");
	tmpfs = new_tmpfs();
	if (tmpfs < 0)
		return failed_at("fsopen tmpfs");
	if (syscall(SYS_move_mount, tmpfs, "", AT_FDCWD, "/",
		    MOVE_MOUNT_F_EMPTY_PATH) < 0)
		return failed_at("move_mount");
	return (struct report){ 0 };
}

void doctor_probe_mounts(struct arena *arena, struct host_check *check)
{
	struct report report =
		run_in_child(CLONE_NEWUSER | CLONE_NEWNS, probe_mount_calls);

	set_found(arena, check, &report,
		  "open_tree, mount_setattr, fsopen, move_mount");
	set_remedy(check, &report,
		   report.sys == ENOSYS
			   ? "use kernel 5.12 or later, or let the filter "
			     "around cordon pass the new mount calls"
			   : "a container around cordon forbids mounts: let "
			     "it mount, or run cordon outside of it");
}

static struct report probe_proc_mount(void)
{
	AUTO_CLOSE int fs = (int)syscall(SYS_fsopen, "proc", FSOPEN_CLOEXEC);
	AUTO_CLOSE int mnt = -1;

	if (fs < 0)
		return failed_at("fsopen proc");
	if (syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		return failed_at("create proc");
	mnt = (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, 0);
	if (mnt < 0)
		return failed_at("fsmount proc");
	return (struct report){ 0 };
}

void doctor_probe_proc(struct arena *arena, struct host_check *check)
{
	struct report report = run_in_child(
		CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID, probe_proc_mount);

	set_found(arena, check, &report, "a proc of its own can be mounted");
	set_remedy(check, &report,
		   report.sys == EPERM
			   ? "the container around cordon hides parts of "
			     "/proc: start it with an unmasked /proc"
			   : "see mount_api");
}

static struct report probe_overlay_mount(void)
{
	AUTO_CLOSE int tmpfs = new_tmpfs();

	if (tmpfs < 0)
		return failed_at("fsopen tmpfs");
	if (syscall(SYS_move_mount, tmpfs, "", AT_FDCWD, "/tmp",
		    MOVE_MOUNT_F_EMPTY_PATH) < 0)
		return failed_at("move_mount");
	if (mkdir("/tmp/lower", 0700) < 0 || mkdir("/tmp/upper", 0700) < 0 ||
	    mkdir("/tmp/work", 0700) < 0)
		return failed_at("mkdir");
	if (mount("overlay", "/tmp/lower", "overlay", 0,
		  "userxattr,lowerdir=/tmp/lower,upperdir=/tmp/upper,"
		  "workdir=/tmp/work") < 0)
		return failed_at("mount overlay");
	return (struct report){ 0 };
}

void doctor_probe_overlay(struct arena *arena, struct host_check *check)
{
	struct report report =
		run_in_child(CLONE_NEWUSER | CLONE_NEWNS, probe_overlay_mount);

	set_found(arena, check, &report, "overlay with userxattr");
	set_remedy(check, &report,
		   "load the module (modprobe overlay) and use kernel 5.11 "
		   "or later");
}

/* -------------------------------------------------------------- landlock */

/* The right to write is handled and given to nobody: does it hold? */
static struct report probe_landlock_holds(void)
{
	struct landlock_ruleset_attr attr = {
		.handled_access_fs = LANDLOCK_ACCESS_FS_WRITE_FILE,
	};
	AUTO_CLOSE int open_fd = -1;
	AUTO_CLOSE int rules = (int)syscall(SYS_landlock_create_ruleset, &attr,
					    sizeof(attr.handled_access_fs), 0);

	if (rules < 0)
		return failed_at("landlock_create_ruleset");
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0 ||
	    syscall(SYS_landlock_restrict_self, rules, 0) < 0)
		return failed_at("landlock_restrict_self");
	open_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (open_fd >= 0)
		return failed_at("a write that was not allowed went through");
	return (struct report){ 0 };
}

static const struct {
	int abi;
	const char *adds;
} landlock_adds[] = {
	{ 1, "files" },	       { 2, "rename" },
	{ 3, "truncate" },     { 4, "tcp" },
	{ 5, "device ioctl" }, { 6, "scopes: abstract sockets, signals" },
	{ 7, "audit log" },
};

static const char *describe_landlock(struct arena *arena, int abi)
{
	struct text text = { .arena = arena };
	const char *sep = ": ";

	text_addf(&text, "ABI %d", abi);
	for (size_t i = 0; i < sizeof(landlock_adds) / sizeof(*landlock_adds);
	     i++) {
		if (landlock_adds[i].abi > abi)
			break;
		text_addf(&text, "%s%s", sep, landlock_adds[i].adds);
		sep = ", ";
	}
	return text_str(&text);
}

void doctor_probe_landlock(struct arena *arena, struct host_check *check)
{
	int abi = (int)syscall(SYS_landlock_create_ruleset, NULL, 0,
			       LANDLOCK_CREATE_RULESET_VERSION);
	int sys = errno;
	struct report report;

	/* Before ABI 2 no file could be renamed between directories. */
	if (abi < 2) {
		check->state = HOST_CHECK_MISSING;
		check->found = abi == 1 ? "ABI 1" : strerror(sys);
		check->remedy =
			abi < 1 && sys == EOPNOTSUPP
				? "put landlock into lsm= of the kernel's "
				  "command line, or run with "
				  "--allow-degraded=landlock"
				: "use kernel 5.19 or later with "
				  "CONFIG_SECURITY_LANDLOCK, or run with "
				  "--allow-degraded=landlock";
		return;
	}
	report = run_in_child(0, probe_landlock_holds);
	set_found(arena, check, &report, describe_landlock(arena, abi));
	if (!report.sys && abi < 6) {
		check->state = HOST_CHECK_WEAK;
		check->remedy = "use kernel 6.12 or later for ABI 6; until "
				"then --network=host needs "
				"--allow-degraded=landlock_scopes";
	}
	if (report.sys)
		check->remedy = "a filter or container around cordon forbids "
				"it: let it use the landlock calls";
}

/* --------------------------------------------------------------- seccomp */

/* getppid() is given @action, everything else is let through. */
static int install_filter(uint32_t action, unsigned int flags)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			 offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, action),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {
		.len = sizeof(code) / sizeof(*code),
		.filter = code,
	};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -1;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags,
			    &program);
}

static struct report probe_filter_holds(void)
{
	if (install_filter(SECCOMP_RET_ERRNO | EUCLEAN, 0) < 0)
		return failed_at("install a filter");
	if (syscall(SYS_getppid) != -1 || errno != EUCLEAN)
		return failed_at("the filter did not act");
	return (struct report){ 0 };
}

void doctor_probe_seccomp(struct arena *arena, struct host_check *check)
{
	struct report report = run_in_child(0, probe_filter_holds);

	set_found(arena, check, &report, "filters act");
	if (report.sys)
		check->remedy = "use a kernel with CONFIG_SECCOMP_FILTER; a "
				"container around cordon may forbid seccomp";
}

/* The watched side: hands its listener over, then makes the call, which must
 * come back with a descriptor that was put into this process. */
static void watched_process(int sock)
{
	struct err err;
	int listener = install_filter(SECCOMP_RET_USER_NOTIF,
				      SECCOMP_FILTER_FLAG_NEW_LISTENER);
	long fd;

	alarm(PROBE_SECONDS);
	if (listener < 0) {
		(void)fd_send(sock, &errno, sizeof(errno), NULL, 0, &err);
		_exit(1);
	}
	if (fd_send(sock, "", 1, &listener, 1, &err) < 0)
		_exit(1);
	fd = syscall(SYS_getppid);
	_exit(fd >= 0 && fcntl((int)fd, F_GETFD) >= 0 ? 0 : 1);
}

/* A name in the memory of a caller that waits; it is a fork of this process,
 * where everything lies at the same address. */
static bool read_caller(pid_t pid)
{
	static const char name[] = "name";
	char got[sizeof(name)] = "";
	struct iovec local = { got, sizeof(got) };
	struct iovec remote = { (void *)(uintptr_t)name, sizeof(name) };

	return process_vm_readv(pid, &local, 1, &remote, 1, 0) ==
		       (ssize_t)sizeof(name) &&
	       !strcmp(got, name);
}

static struct report answer_once(int listener)
{
	struct seccomp_notif request = { 0 };
	struct seccomp_notif_addfd addfd = { 0 };

	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &request) < 0)
		return failed_at("receive a call");
	if (!read_caller((pid_t)request.pid))
		return failed_at("read the arguments of a call");
	addfd.id = request.id;
	addfd.flags = SECCOMP_ADDFD_FLAG_SEND;
	addfd.srcfd = (uint32_t)listener;
	if (ioctl(listener, SECCOMP_IOCTL_NOTIF_ADDFD, &addfd) < 0)
		return failed_at("answer with a descriptor");
	return (struct report){ 0 };
}

static struct report probe_notify_holds(void)
{
	struct report report;
	int socks[2], sys = 0, listener = -1, status = 0;
	size_t fds = 1;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, socks) < 0)
		return failed_at("socketpair");
	pid = fork();
	if (pid == 0)
		watched_process(socks[1]);
	if (pid < 0)
		return failed_at("fork");
	fd_close(&socks[1]);
	if (fd_recv(socks[0], &sys, sizeof(sys), &listener, &fds) <= 0 ||
	    fds != 1) {
		errno = sys;
		report = failed_at("install a filter with a listener");
	} else {
		report = answer_once(listener);
	}
	fd_close(&listener);
	fd_close(&socks[0]);
	/* It may wait for an answer that does not come. */
	if (report.sys)
		(void)kill(pid, SIGKILL);
	(void)waitpid(pid, &status, 0);
	if (!report.sys && status)
		report = failed_at("the descriptor did not arrive");
	return report;
}

void doctor_probe_notify(struct arena *arena, struct host_check *check)
{
	/* In a user namespace, since a box has its capabilities. */
	struct report report = run_in_child(CLONE_NEWUSER, probe_notify_holds);
	const char *remedy = "use kernel 5.14 or later; a container around "
			     "cordon may forbid it";

	if (report.sys == EBUSY)
		remedy = "another supervisor listens to this process already: "
			 "run cordon outside of it";
	else if (sysctl_read("kernel/yama/ptrace_scope") == 3)
		remedy = "set kernel.yama.ptrace_scope to 2 or less in "
			 "/etc/sysctl.d and boot: with 3 no process may read "
			 "another";
	set_found(arena, check, &report, "calls are handed over and answered");
	set_remedy(check, &report, remedy);
}
