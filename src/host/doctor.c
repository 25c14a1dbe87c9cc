/* SPDX-License-Identifier: Apache-2.0 */
/*
 * host/doctor.c - what of cordon's needs this host meets
 *
 * Runs in:  `cordon doctor`.
 * Trusts:   the kernel's answers.
 * Must not: deduce from version numbers what can be tried, or leave
 *           anything behind.
 */
#include "host/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <linux/kvm.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/text.h"
#include "host/doctor_probe.h"
#include "host/policies.h"

typedef void check_fn(struct arena *arena, struct host_check *check);

static void set_check(struct host_check *check, enum host_check_state state,
		      const char *found, const char *remedy)
{
	check->state = state;
	check->found = found;
	check->remedy = state == HOST_CHECK_OK ? NULL : remedy;
}

/* For a call that is there or not. */
static void set_call(struct host_check *check, bool held, const char *remedy)
{
	set_check(check, held ? HOST_CHECK_OK : HOST_CHECK_MISSING,
		  held ? "works" : strerror(errno), remedy);
}

static void check_kernel(struct arena *arena, struct host_check *check)
{
	struct utsname name;
	unsigned int major = 0, minor = 0;
	bool recent;

	if (uname(&name) < 0 ||
	    sscanf(name.release, "%u.%u", &major, &minor) != 2) {
		set_call(check, false, "use Linux");
		return;
	}
	recent = major > 5 || (major == 5 && minor >= 14);
	set_check(check, recent ? HOST_CHECK_OK : HOST_CHECK_WEAK,
		  arena_strdup(arena, name.release),
		  "use kernel 5.14 or later; 6.12 has all that cordon uses");
}

static void check_openat2(struct arena *arena, struct host_check *check)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC | O_DIRECTORY,
		.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
	};
	AUTO_CLOSE int fd =
		(int)syscall(SYS_openat2, AT_FDCWD, "/", &how, sizeof(how));

	(void)arena;
	set_call(check, fd >= 0,
		 "use kernel 5.6 or later, or let the filter around cordon "
		 "pass openat2");
}

static void check_close_range(struct arena *arena, struct host_check *check)
{
	/* The highest numbers: nothing is open there. */
	(void)arena;
	set_call(check,
		 syscall(SYS_close_range, ~0U - 1, ~0U, CLOSE_RANGE_CLOEXEC) ==
			 0,
		 "use kernel 5.11 or later, or let the filter around cordon "
		 "pass close_range");
}

static void check_pidfd(struct arena *arena, struct host_check *check)
{
	AUTO_CLOSE int fd = (int)syscall(SYS_pidfd_open, getpid(), 0);

	(void)arena;
	set_call(check,
		 fd >= 0 && syscall(SYS_pidfd_send_signal, fd, 0, NULL, 0) == 0,
		 "use kernel 5.4 or later, or let the filter around cordon "
		 "pass pidfd_open and pidfd_send_signal");
}

static void check_not_setuid(struct arena *arena, struct host_check *check)
{
	struct stat st;
	bool clean = !getauxval(AT_SECURE);

	(void)arena;
	if (stat("/proc/self/exe", &st) == 0 &&
	    st.st_mode & (S_ISUID | S_ISGID))
		clean = false;
	set_check(check, clean ? HOST_CHECK_OK : HOST_CHECK_MISSING,
		  clean ? "no privilege comes with the program"
			: "the program has a set-id bit or file capabilities",
		  "chmod ug-s and setcap -r the cordon program");
}

static void check_inside(struct arena *arena, struct host_check *check)
{
	bool inside = getenv("CORDON_SANDBOX") != NULL;

	(void)arena;
	set_check(check, inside ? HOST_CHECK_WEAK : HOST_CHECK_OK,
		  inside ? "inside of a box (CORDON_SANDBOX is set)"
			 : "on the host",
		  "run cordon on the host: a box inside a box cannot have "
		  "namespaces of its own");
}

static void check_tiocsti(struct arena *arena, struct host_check *check)
{
	char value = '?';
	AUTO_CLOSE int fd =
		open("/proc/sys/dev/tty/legacy_tiocsti", O_RDONLY | O_CLOEXEC);

	(void)arena;
	if (fd < 0 || read(fd, &value, 1) != 1)
		value = '?';
	set_check(check, value == '0' ? HOST_CHECK_OK : HOST_CHECK_WEAK,
		  value == '0'	 ? "off"
		  : value == '1' ? "on (dev.tty.legacy_tiocsti=1)"
				 : "on (this kernel cannot switch it off)",
		  value == '1' ? "sysctl dev.tty.legacy_tiocsti=0"
			       : "use kernel 6.2 or later");
}

static void check_kvm(struct arena *arena, struct host_check *check)
{
	AUTO_CLOSE int fd = open("/dev/kvm", O_RDWR | O_CLOEXEC);

	(void)arena;
	if (fd >= 0 && ioctl(fd, KVM_GET_API_VERSION, 0) == KVM_API_VERSION) {
		set_check(check, HOST_CHECK_OK, "usable", NULL);
		return;
	}
	set_check(check, HOST_CHECK_MISSING, strerror(errno),
		  errno == EACCES
			  ? "add the user to the group kvm"
			  : "enable virtualisation in the firmware or the "
			    "machine that hosts this one");
}

/* ---------------------------------------------------------------- cgroup */

/* The directory of this process's group in the v2 tree; NULL without. */
static const char *own_cgroup(struct arena *arena)
{
	AUTO_CLOSE int fd = open("/proc/self/cgroup", O_RDONLY | O_CLOEXEC);
	char *text = arena_alloc(arena, 4096, 1);
	char *line;

	if (fd < 0 || fd_read_all(fd, text, 4095) <= 0)
		return NULL;
	line = strstr(text, "0::/");
	if (!line || (line != text && line[-1] != '\n'))
		return NULL;
	line += strlen("0::");
	line[strcspn(line, "\n")] = '\0';
	return arena_printf(arena, "/sys/fs/cgroup%s",
			    strcmp(line, "/") ? line : "");
}

static void check_cgroup(struct arena *arena, struct host_check *check)
{
	const char *dir = own_cgroup(arena);
	const char *probe;

	if (!dir) {
		set_check(check, HOST_CHECK_MISSING, "no cgroup v2 tree",
			  "boot with systemd.unified_cgroup_hierarchy=1");
		return;
	}
	probe = arena_printf(arena, "%s/cordon-doctor-%d", dir, getpid());
	if (mkdir(probe, 0700) == 0) {
		(void)rmdir(probe);
		set_check(check, HOST_CHECK_OK,
			  arena_printf(arena, "delegated: %s", dir), NULL);
		return;
	}
	set_check(check, HOST_CHECK_WEAK,
		  arena_printf(arena, "%s: %s", dir, strerror(errno)),
		  "start cordon by 'systemd-run --user --scope -p "
		  "Delegate=yes'");
}

/* ----------------------------------------------------------- directories */

static void check_directory(struct arena *arena, struct host_check *check,
			    const char *path)
{
	struct stat st;

	if (lstat(path, &st) < 0) {
		bool absent = errno == ENOENT;

		set_check(check, absent ? HOST_CHECK_OK : HOST_CHECK_WEAK,
			  arena_printf(
				  arena, "%s: %s", path,
				  absent ? "not there yet" : strerror(errno)),
			  "let its owner read it");
		return;
	}
	if (!S_ISDIR(st.st_mode) && !S_ISLNK(st.st_mode)) {
		set_check(check, HOST_CHECK_MISSING,
			  arena_printf(arena, "%s: not a directory", path),
			  "move it away");
		return;
	}
	if (stat(path, &st) < 0 || (st.st_uid != getuid() && st.st_uid) ||
	    st.st_mode & (S_IWGRP | S_IWOTH)) {
		set_check(check, HOST_CHECK_MISSING,
			  arena_printf(arena, "%s: others may change it", path),
			  "chown it to yourself and chmod go-w");
		return;
	}
	set_check(
		check, HOST_CHECK_OK,
		arena_printf(arena, "%s: mode %04o", path, st.st_mode & 07777u),
		NULL);
}

static void check_own_directory(struct arena *arena, struct host_check *check,
				bool config)
{
	struct policy_context context;
	struct err err;

	/* From "/", since the working directory may be gone. */
	if (host_context_read(arena, "/", &context, &err) < 0) {
		set_check(check, HOST_CHECK_MISSING,
			  arena_strdup(arena, err.msg),
			  "set HOME to your home directory");
		return;
	}
	check_directory(arena, check,
			config ? context.config_dir : context.state_dir);
}

static void check_config(struct arena *arena, struct host_check *check)
{
	check_own_directory(arena, check, true);
}

static void check_state(struct arena *arena, struct host_check *check)
{
	check_own_directory(arena, check, false);
}

/* ----------------------------------------------------------------- table */

static const struct {
	const char *name;
	bool required;
	const char *meaning;
	check_fn *fn;
} checks[] = {
	{ "kernel", false, "the kernel that runs", check_kernel },
	{ "user_namespaces", true,
	  "a user may make a box: without them nothing runs",
	  doctor_probe_userns },
	{ "namespaces", true,
	  "own mounts, processes, network and ipc for every box",
	  doctor_probe_namespaces },
	{ "mount_api", true, "what files a box sees is decided by mounts",
	  doctor_probe_mounts },
	{ "proc", true, "a box sees its own processes only",
	  doctor_probe_proc },
	{ "seccomp", true, "dangerous system calls are refused",
	  doctor_probe_seccomp },
	{ "seccomp_notify", true,
	  "protected names that do not exist yet cannot be made",
	  doctor_probe_notify },
	{ "landlock", true,
	  "a second wall for files; from ABI 6 also for abstract sockets and "
	  "signals",
	  doctor_probe_landlock },
	{ "openat2", true, "paths are opened without following links",
	  check_openat2 },
	{ "close_range", true, "no descriptor is left open by accident",
	  check_close_range },
	{ "pidfd", true, "processes are named without races", check_pidfd },
	{ "not_setuid", true, "cordon has no privilege that could be misused",
	  check_not_setuid },
	{ "outside", false, "whether this is a box already", check_inside },
	{ "config_dir", true, "nobody else can change your policies",
	  check_config },
	{ "state_dir", true, "nobody else can change what cordon keeps",
	  check_state },
	{ "tiocsti", false,
	  "a terminal accepts faked input; cordon's filter refuses it in "
	  "every box",
	  check_tiocsti },
	{ "overlay", false, "needed for copy-on-write workspaces",
	  doctor_probe_overlay },
	{ "cgroup", false, "needed for limits of memory, cpus and processes",
	  check_cgroup },
	{ "kvm", false, "needed for the strong tier at full speed", check_kvm },
};

size_t host_doctor_probe(struct arena *arena, struct host_check **out)
{
	size_t n = sizeof(checks) / sizeof(*checks);
	struct host_check *v = arena_array(arena, struct host_check, n);

	for (size_t i = 0; i < n; i++) {
		v[i].name = checks[i].name;
		v[i].required = checks[i].required;
		v[i].meaning = checks[i].meaning;
		checks[i].fn(arena, &v[i]);
	}
	*out = v;
	return n;
}
