#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs as root in the machine that `run` boots, from /srv/cordon: every promise
# that rests on what the kernel can do, as root and as a user, then parts of
# the suites. Prints `ok NAME` or `not ok NAME` for each.
CORDON=/srv/cordon/cordon
export CORDON

# -- what both users try -----------------------------------------------------
# Arguments of this script choose the part: none for the whole, or "try".

# it NAME: the commands on standard input must all end well. They have
# `refused COMMAND`, as sh -e does not end at a `!` that does not hold.
it() {
	{
		cat <<-'PREAMBLE'
			refused() {
				if "$@"; then echo "went through: $*"; exit 1; fi
			}
		PREAMBLE
		cat
	} >/tmp/it.$$
	if timeout -k 2 90 sh -eu /tmp/it.$$ </dev/null >/tmp/said.$$ 2>&1; then
		echo "ok $who: $1"
	else
		echo "not ok $who: $1"
		tail -n 12 /tmp/said.$$ | sed 's/^/    /'
	fi
	rm -f /tmp/it.$$ /tmp/said.$$
}

try() {
	who=$(id -un)
	cd "$HOME" && rm -rf lab && mkdir -p lab/work lab/out && cd lab/work ||
		return
	export HOME="$PWD/.." WORK="$PWD" OUT="$PWD/../out"
	mkdir -p "$HOME/.ssh" "$HOME/.aws" "$HOME/.claude"
	echo SECRET >"$HOME/.ssh/id_ed25519"
	echo SECRET >"$HOME/.aws/credentials"
	chmod 600 "$HOME/.ssh/id_ed25519"

	it 'version, doctor, true' <<-'E'
		$CORDON version
		$CORDON doctor
		$CORDON run -- /bin/true
		$CORDON run -- false && exit 1
		test "$($CORDON run -- sh -c 'echo out; exit 0')" = out
	E
	it 'exit codes' <<-'E'
		code() { want=$1; shift; "$@" && got=0 || got=$?; test $got = $want; }
		code 7 $CORDON run -- sh -c 'exit 7'
		code 143 $CORDON run -- sh -c 'kill -TERM $$'
		code 127 $CORDON run -- no-such-program
		code 126 $CORDON run -- /etc/passwd
		code 124 $CORDON run -t 1s -- sleep 60
		code 124 $CORDON run -t 1s -- sh -c 'trap "" TERM; sleep 60'
	E
	it 'secrets are hidden, also below -P strict' <<-'E'
		cat $HOME/.ssh/id_ed25519 $HOME/.aws/credentials
		for p in default strict offline; do
			for f in .ssh/id_ed25519 .aws/credentials; do
				refused $CORDON run -P $p -- cat $HOME/$f
			done
		done
	E
	it 'writes inside are kept, outside refused' <<-'E'
		$CORDON run -- sh -c 'mkdir d; echo x >d/f; mv d/f g; ln g h; rm h'
		test "$(cat g)" = x
		refused $CORDON run -- sh -c "echo x >$OUT/f"
		refused $CORDON run -- sh -c "rm -rf $HOME/.ssh"
		refused $CORDON run -- sh -c 'echo x >/etc/cordon-was-here'
		refused test -e $OUT/f; refused test -e /etc/cordon-was-here
		test -e $HOME/.ssh/id_ed25519
		$CORDON run --allow-write $OUT -- sh -c "echo x >$OUT/f"
		test "$(cat $OUT/f)" = x
	E
	it 'a file is renamed from one writable directory into another' <<-'E'
		mkdir -p a b; echo x >a/f
		$CORDON run -- sh -c 'mv a/f b/f && mkdir a/d && mv a/d b/d'
		test -f b/f; test -d b/d
	E
	it 'absent protected names cannot be made' <<-'E'
		mkdir -p .claude
		for act in 'echo x >.mcp.json' 'mkdir .vscode' 'ln -s /etc .vscode' \
			'echo x >.claude/settings.json' 'echo x >t; mv t .mcp.json' \
			'echo x >u; ln u .mcp.json' 'mkfifo .mcp.json' \
			'mkdir v; mv v .vscode' 'cp -r /etc/skel .vscode' \
			'cd .claude && echo x >settings.json'; do
			refused $CORDON run -- sh -c "$act"
			refused test -e .mcp.json; refused test -e .vscode
			refused test -e .claude/settings.json
		done
		$CORDON run -- sh -c 'echo x >.mcp.json2; mkdir .vscode2'
		test -e .mcp.json2; test -d .vscode2
	E
	it 'protected names that are there stay as they are' <<-'E'
		echo kept >.mcp.json; mkdir .vscode; echo kept >.vscode/tasks.json
		for act in 'echo x >.mcp.json' 'rm .mcp.json' 'mv .mcp.json y' \
			'mv .vscode z' 'rm -rf .vscode' 'echo x >.vscode/tasks.json'; do
			refused $CORDON run -- sh -c "$act"
		done
		test "$(cat .mcp.json .vscode/tasks.json)" = "$(printf 'kept\nkept')"
		rm -r .mcp.json .vscode
	E
	it 'the minimal view' <<-'E'
		$CORDON run -P strict -- sh -c 'echo x >strict; test -d /usr/bin'
		test "$(cat strict)" = x
		refused $CORDON run -P strict -- ls $OUT
		refused $CORDON run -P strict -- sh -c 'echo x >/usr/x'
		refused $CORDON run -P strict -- sh -c 'mkdir /new'
		refused $CORDON run -P strict -- sh -c 'cat /etc/shadow'
	E
	it 'masks: files, directories, links, other names of a file' <<-'E'
		echo HIDE >key; mkdir -p box/in; echo HIDE >box/in/f
		ln key other-name; ln -s key by-link
		o="--deny-read $WORK/key --deny-read $WORK/box"
		for f in key box/in/f other-name by-link; do
			test "$(cat $f)" = HIDE
			refused $CORDON run $o -- cat $f
		done
		refused $CORDON run $o -- mv key elsewhere
		refused $CORDON run $o -- mv box elsewhere
		$CORDON run $o --allow-read $WORK/box/in -- cat box/in/f
	E
	it 'what the host replaces is masked again' <<-'E'
		echo HIDE >r; mkfifo go ready
		timeout 60 $CORDON run --deny-read $WORK/r -- sh -c '
			! cat r && echo ready >ready && read x <go || exit 1
			i=0; while test $i -lt 40; do
				sleep 0.1; i=$((i + 1))
				cat r 2>/dev/null && seen=$i
			done
			echo "last seen ${seen:-never}"
			test ${seen:-0} -lt 30' &
		echo HIDE2 >r.new; read x <ready
		mv r.new r; echo go >go
		wait $!
	E
	it 'the box has its own /proc, /dev, /tmp, /run and processes' <<-'E'
		echo x >/tmp/host-file
		$CORDON run -- sh -c '
			! test -e /tmp/host-file && echo t >/tmp/t &&
			test "$$" -lt 20 &&
			test "$(ls /proc | grep -c "^[0-9]")" -lt 8 &&
			echo x >/dev/null && head -c 4 /dev/urandom >/tmp/r &&
			! test -e /dev/vda && echo x >/dev/shm/x &&
			! (echo 1 >/proc/sys/kernel/sysrq)'
		rm /tmp/host-file; refused test -e /tmp/t
	E
	it 'no capability, no new privileges, a filter' <<-'E'
		for o in none 'host --allow-degraded landlock_scopes'; do
			$CORDON run --network $o -- cat /proc/self/status >status
			test "$(grep -c '^Cap.*:.0000000000000000$' status)" = 5
			grep -q '^NoNewPrivs:.1$' status
			grep -q '^Seccomp:.2$' status
		done
		refused $CORDON run -- unshare -Ur true
		refused $CORDON run -- mount -t tmpfs none /tmp
	E
	it 'a stream given for reading is not written through /proc' <<-'E'
		echo kept >$OUT/given
		refused $CORDON run -- sh -c 'echo x >/proc/self/fd/0' <$OUT/given
		refused $CORDON run -- sh -c 'truncate -s 0 /proc/self/fd/0' <$OUT/given
		for act in 'truncate("/proc/self/fd/0", 0)' \
			'open("/proc/self/fd/0", os.O_RDONLY | os.O_TRUNC)' \
			'open("/proc/self/fd/0", 3 | os.O_TRUNC)' \
			'open("/proc/self/fd/0", os.O_CREAT | os.O_TRUNC)'; do
			refused $CORDON run -- python3 -c "import os; os.$act" \
				<$OUT/given
			test "$(cat $OUT/given)" = kept
			cp $OUT/given $OUT/control
			python3 -c "import os; os.$act" <$OUT/control
			refused test -s $OUT/control
		done
		echo x >free; $CORDON run -- python3 -c \
			'import os; os.truncate("/proc/self/fd/0", 0)' <free
		refused test -s free
		$CORDON plan <$OUT/given | grep -q '^seccomp: .*without truncate'
	E
	it 'a kept file of the workspace is not given on a stream' <<-'E'
		echo kept >.mcp.json; git init -q .; echo kept >.git/hooks/x
		for f in .mcp.json .git/hooks/x; do
			refused $CORDON run -- sh -c 'echo x >/proc/self/fd/0' <$f
			test "$(cat $f)" = kept
			test "$(cat $f | $CORDON run -- cat)" = kept
		done
		rm -rf .mcp.json .git
	E
	it 'no network; the host network only with a word about scopes' <<-'E'
		test "$($CORDON run -- grep -c : /proc/net/dev)" = 1
		$CORDON run --network host -- true 2>said && exit 1
		grep -q landlock_scopes said
		$CORDON run --network host --allow-degraded landlock_scopes -- \
			grep -q dummy0 /proc/net/dev
		refused $CORDON run --require landlock_scopes --network host \
			--allow-degraded landlock_scopes -- true
	E
	it 'the plan says what this kernel holds' <<-'E'
		$CORDON plan >plan
		grep -i landlock plan
		refused grep -q ioctl_dev plan
		refused grep -q truncate plan
	E
	it 'a filter in the OCI format' <<-'E'
		cat >oci.json <<-'J'
			{"defaultAction": "SCMP_ACT_ALLOW",
			 "architectures": ["SCMP_ARCH_X86_64"],
			 "syscalls": [{"names": ["sethostname", "chmod", "fchmodat"],
			               "action": "SCMP_ACT_ERRNO", "errnoRet": 38}]}
		J
		echo x >mode; chmod 600 mode
		$CORDON run -- chmod 640 mode
		refused $CORDON run --seccomp $WORK/oci.json -- chmod 600 mode
		test "$(stat -c %a mode)" = 640
		refused $CORDON run --seccomp $WORK/oci.json -- unshare -Ur true
	E
	it 'a terminal of its own' <<-'E'
		script -qec "$CORDON run -- sh -c 'test -t 0 && tty; exit 5'" \
			/dev/null >said && exit 1
		test $? = 5
		grep -q /dev/pts/0 said
	E
	it 'git commits, and its hooks and config stay' <<-'E'
		export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a \
			GIT_COMMITTER_EMAIL=a@b
		git init -q repo; cd repo
		$CORDON run -- sh -c 'echo x >f && git add f && git commit -qm one &&
			git branch two && git checkout -q two && git gc -q'
		test "$(git log --format=%s)" = one
		refused $CORDON run -- sh -c 'echo x >.git/hooks/post-commit'
		refused $CORDON run -- git config core.fsmonitor evil
		refused $CORDON run -- mv .git .git2
		refused test -e .git/hooks/post-commit
	E
	it 'the end of the supervisor is the end of the box' <<-'E'
		mkfifo started
		$CORDON run -- sh -c 'echo up >started; exec sleep 987' &
		read x <started
		kill -9 $!; i=0
		while busybox pgrep -f '^sleep 987' >/dev/null; do
			i=$((i + 1)); test $i -lt 50; sleep 0.1
		done
	E
}

if [ "${1:-}" = try ]; then
	try
	exit 0
fi

# -- all ---------------------------------------------------------------------
as_user() {
	setpriv --reuid 1000 --regid 1000 --clear-groups env -i \
		HOME=/home/someone USER=someone PATH="$PATH" LANG=C.UTF-8 \
		CORDON="$CORDON" CORDON_PROBES=/srv/cordon/probe \
		PYTHONDONTWRITEBYTECODE=1 "$@"
}

uname -rv
mkdir -p /home/someone
chown 1000:1000 /home/someone
echo '-- doctor of a user'
as_user "$CORDON" doctor 2>&1 | cat
echo '-- end of doctor'
as_user sh /srv/cordon/inside.sh try
sh /srv/cordon/inside.sh try

# A setting of Debian's kernel, which only root may get around.
who=sysctl
echo 0 >/proc/sys/kernel/unprivileged_userns_clone
as_user "$CORDON" doctor >/tmp/doctor 2>&1
as_user "$CORDON" run -- true >/tmp/run 2>&1
echo "code $?" >>/tmp/run
it 'the doctor knows the remedy, and nothing runs' <<-'E'
	grep -q '^user_namespaces *missing' /tmp/doctor
	grep -q 'sysctl kernel.unprivileged_userns_clone=1' /tmp/doctor
	grep -q 'user_namespaces' /tmp/run
	grep -q '^code 125' /tmp/run
E
echo 1 >/proc/sys/kernel/unprivileged_userns_clone

python=/usr/bin/python3
suite() {
	who=$1
	shift
	"$@" 2>&1 | sed -n 's/^\(.*\) PASSED.*/ok '"$who"': \1/p
		s/^\(.*\) \(FAILED\|ERROR\) *\[.*/not ok '"$who"': \1/p
		/^E  /p; /^FAILED/p; /^[0-9]* .*passed/p'
}
if [ -e /srv/cordon/probe/calls ]; then
	suite box as_user $python -m pytest -v -p no:cacheprovider \
		--tb=short /srv/cordon/tests/box -k 'T_02 or T_05'
fi

# Yama: 1 and 2 ask for a relation or a capability, which the guard has. From
# 3 there is no way back but a boot, so it comes last.
who=yama
for scope in 1 2; do
	echo "$scope" >/proc/sys/kernel/yama/ptrace_scope
	it "the guard serves with ptrace_scope $scope" <<-'E'
		cd /home/someone/lab/work
		rm -rf served .vscode
		as_user() {
			setpriv --reuid 1000 --regid 1000 --clear-groups env \
				HOME=/home/someone "$@"
		}
		as_user $CORDON doctor
		as_user $CORDON run -- sh -c '(sleep 1; echo x >served) & wait'
		test -e served
		refused as_user $CORDON run -- mkdir .vscode
	E
done
echo 3 >/proc/sys/kernel/yama/ptrace_scope
cd /home/someone/lab/work || exit 1
as_user "$CORDON" doctor >/tmp/doctor 2>&1
as_user "$CORDON" run -- touch never >/tmp/run 2>&1
echo "code $?" >>/tmp/run
it 'with ptrace_scope 3 nothing runs, and it is said why' <<-'E'
	grep -q '^seccomp_notify *missing' /tmp/doctor
	grep -q 'set kernel.yama.ptrace_scope' /tmp/doctor
	grep -q 'ptrace_scope is 3' /tmp/run
	grep -q '^code 125' /tmp/run
	refused test -e never
E
exit 0
