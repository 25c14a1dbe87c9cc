// id: SY-05
// title: creating a nested user namespace (unshare, clone, clone3): the door to most kernel LPEs
// class: hardening
// expect: EPERM/ENOSYS from all three (opt-out flag for tools that need it)
// layer: seccomp (unshare/clone flags, clone3=ENOSYS) + user.max_user_namespaces=0 in the ns
#include "../lib/atk.h"
struct c3 {
	uint64_t flags, pidfd, ctid, ptid, exit_signal, stack, stack_size, tls,
		set_tid, set_tid_size, cgroup;
};
int main(int c, char **v)
{
	atk_init(v);
	pid_t p = fork();
	if (!p) {
		_exit(unshare(CLONE_NEWUSER) ? 1 : 0);
	}
	int st;
	waitpid(p, &st, 0);
	if (WIFEXITED(st) && !WEXITSTATUS(st))
		escaped("unshare(CLONE_NEWUSER)");
	long r = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
	if (r == 0)
		_exit(0);
	if (r > 0) {
		waitpid(r, 0, 0);
		escaped("clone(CLONE_NEWUSER)");
	}
	struct c3 a = { .flags = CLONE_NEWUSER, .exit_signal = SIGCHLD };
	r = syscall(435, &a, sizeof a);
	if (r == 0)
		_exit(0);
	if (r > 0) {
		waitpid(r, 0, 0);
		escaped("clone3(CLONE_NEWUSER)");
	}
	blocked("refused: %s", strerror(errno));
}
