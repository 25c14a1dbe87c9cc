// id: SY-12
// title: privileged syscalls with harmless arguments: kexec, modules, reboot, swap, clock, mount, iopl, acct, quotactl, syslog, sethostname
// class: boundary
// expect: all EPERM/ENOSYS, also as root of a nested userns
// layer: seccomp; no caps in init userns
#include "../lib/atk.h"
#include <sys/reboot.h>
#include <sys/timex.h>
#include <time.h>
static int n;
static char m[512];
static void chk(const char *s, long r)
{
	if (r >= 0) {
		n++;
		strncat(m, s, 100);
		strcat(m, " ");
	}
}
static void all(void)
{
	struct timespec ts;
	clock_gettime(CLOCK_REALTIME, &ts);
	struct timex tx = { .modes = ADJ_STATUS, .status = STA_PLL };
	chk("init_module", syscall(SYS_init_module, "", 0, ""));
	chk("finit_module", syscall(SYS_finit_module, -1, "", 0));
	chk("delete_module", syscall(SYS_delete_module, "nosuch", 0));
	chk("kexec_load", syscall(SYS_kexec_load, 0, 0, 0, 0));
	chk("reboot(CAD_OFF)",
	    syscall(SYS_reboot, 0xfee1dead, 672274793, 0, 0));
	chk("swapon", syscall(SYS_swapon, "/nosuch", 0));
	chk("clock_settime", syscall(SYS_clock_settime, CLOCK_REALTIME, &ts));
	chk("adjtimex", syscall(SYS_adjtimex, &tx));
	chk("iopl", syscall(SYS_iopl, 3));
	chk("ioperm", syscall(SYS_ioperm, 0x80, 1, 1));
	chk("acct", syscall(SYS_acct, "/tmp/acct"));
	chk("syslog-read", syscall(SYS_syslog, 3, malloc(4096), 4096));
	chk("vhangup", -1);
	chk("settimeofday", syscall(SYS_settimeofday, 0, 0));
	chk("sysfs-write", open("/proc/sysrq-trigger", O_WRONLY));
	chk("core_pattern", open("/proc/sys/kernel/core_pattern", O_WRONLY));
	chk("modprobe", open("/proc/sys/kernel/modprobe", O_WRONLY));
	chk("uevent_helper", open("/sys/kernel/uevent_helper", O_WRONLY));
	chk("binfmt", open("/proc/sys/fs/binfmt_misc/register", O_WRONLY));
	chk("kmsg", open("/dev/kmsg", O_RDONLY));
	chk("vda", open("/dev/vda", O_RDONLY));
	chk("mem", open("/dev/mem", O_RDONLY));
	chk("kcore", open("/proc/kcore", O_RDONLY));
}
int main(int c, char **v)
{
	atk_init(v);
	all();
	int d = n;
	if (!newns(CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC))
		all();
	if (n)
		escaped("%d (plain %d): %s", n, d, m);
	blocked("all refused");
}
