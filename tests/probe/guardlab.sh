#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Ordinary work in the current directory, one part per run. guardlab runs each
# part twice, with and without the guard, and compares output and files.
# Redirections to odd names are what it is about:
# shellcheck disable=SC2210,SC2238,SC2012
export LC_ALL=C HOME=$PWD TZ=UTC TMPDIR=$PWD

# Says what a command did without the parts that differ between two runs.
try() { "$@"; echo "$* -> $?"; }

files() {
	echo one > a; echo two >> a; echo three > d/x; mkdir d; echo four > d/x
	mkdir -p p/q/r/s; touch p/q/r/s/t p/../u ./v //"$PWD"/w
	echo x > "with space"; printf x > $'line\nfeed'; echo ü > ü
	cp a b; cp -r p p2; mv p2 p3; mv a c; mv -n b c; rm u
	try mkdir d; try mkdir e/f; try mkdir d/; try mkdir e///; try mkdir .
	try mkdir ..; try mkdir /; try touch e/; try touch no/way
	name=$(printf 'n%.0s' {1..256}); try touch "$name" 2>&1 | tail -c 30
	try touch "${name:1}"; mktemp -p . XXXX > /dev/null; rm -f ./????
	set -o noclobber; echo again > c; set +o noclobber
	ls > list; exec 5<> rw; echo both >&5; exec 5>&-; cat rw
	try install -m 640 -D c deep/er/c; dd if=c of=c2 status=none
	mkdir gone; cd gone && rmdir ../gone; try touch here
}

special() {
	echo 1 > /dev/stdout; echo 2 > /dev/stderr; echo 3 > /dev/fd/1
	echo 4 > /proc/self/fd/1; echo 5 > "/proc/$$/fd/1"
	echo 6 > /proc/thread-self/fd/1; echo 7 >> /dev/stdout
	echo 8 > /dev/null; echo 9 > /dev/full; echo 10 > /dev/zero
	echo 11 | cat > /dev/stdout; echo 12 | tee /dev/stderr > /dev/null
	echo 13 > >(cat); wait $!; cat <(echo 14)
	diff <(echo 15) <(echo 16); exec 7> seven; echo 17 > /dev/fd/7
	echo 18 > /proc/self/fd/7; exec 7>&-; echo 19 > /dev/fd/7
	echo 20 > /proc/self/cwd/made; echo 21 > "/proc/self/root$PWD/made2"
	echo 22 > "/proc/$$/cwd/made3"; touch /proc/self/nothing
	mkdir /proc/self/cwd/dir; ln -s /proc/self/cwd/by-link link
	echo 23 > link; ln -s /proc/self/fd/1 out; echo 24 > out
	echo -n self > /proc/self/comm && cat /proc/self/comm
	echo 25 > /proc/self/oom_score_adj; cat /proc/self/oom_score_adj
	bash -c 'echo 500 > /proc/self/oom_score_adj; cat /proc/self/oom_score_adj'
	echo 26 > /proc; echo 27 > /proc/self; echo 28 > /proc/version
	echo 29 > /proc/self/exe; setsid bash -c 'echo 30 > /dev/tty'
	echo 31 > /dev/fd/99; cd /proc/self && echo 32 > fd/1; cd fd && echo 33 > 1
	echo 34 | (cat > /dev/stdout) | cat; echo 35 > /proc/self/task/../fd/1
	script -qec 'echo 36 > /dev/tty; echo 37 > /dev/stdout' /dev/null
}

umasks() {
	for mask in 000 002 022 027 077 0117 0177 0777; do
		(umask $mask; echo > f$mask; mkdir d$mask; mkfifo p$mask
		 ln -s x l$mask; touch t$mask; python3 -c "import os
os.close(os.open('o$mask', os.O_CREAT | os.O_WRONLY, 0o7777 & ~0o6000))
os.mknod('n$mask', 0o666); os.mkdir('m$mask', 0o1777)")
	done
	mkdir acl; setfacl -d -m u::rwx,g::rwx,o::r-x acl && (umask 077
		echo > acl/f; mkdir acl/d)
	mkdir sgid; chmod g+s sgid; echo > sgid/f; mkdir sgid/d
	mkdir sticky; chmod 1777 sticky; echo > sticky/f; echo >> sticky/f
	ln -s /nonexistent/x sticky/l; echo > sticky/l; ls -l sticky/f | cut -c1-10
}

fifos() {
	mkfifo f; cat f & echo hello > f; wait
	(sleep 0.2; cat f) & echo late > f; wait
	timeout 0.3 bash -c 'echo never > f'; echo "timeout $?"
	exec 8<> f; echo both >&8; read -r -u 8 line; echo "$line"; exec 8>&-
	mknod g p; for i in 1 2 3 4 5; do cat g & echo "n$i" > g; wait; done
	python3 - <<-'P'
	import os
	try:
	    os.open('f', os.O_WRONLY | os.O_CREAT | os.O_NONBLOCK)
	except OSError as e:
	    print(e.errno)
	os.close(os.open('f', os.O_RDONLY | os.O_CREAT | os.O_NONBLOCK))
	P
	for i in $(seq 20); do mkfifo "m$i"; done
	for i in $(seq 20); do (echo "w$i" > "m$i") & done
	for i in $(seq 20); do cat "m$i"; done; wait
}

links() {
	echo x > f; ln f g; ln -s f s; ln -s gone dangling; echo made > dangling
	cat gone; ln s hs; ln -L s hl; ln -P s hp; try ln f g; try ln . dd
	ln -s loop loop; try touch loop; mkdir d; ln -s d sd; echo > sd/in
	ln -s ../up d/rel; echo up > sd/rel; ln -s "$PWD/abs" d/a; echo abs > d/a
	try mkdir s/; try mkdir dangling; rm gone; try mkdir dangling/
	ln -s d/ slash; echo > slash; ln -s new/ slash2; echo > slash2
	try mv f f; try mv d d/e; mv s s2; try mv d/ d3; try mv f/ f3; try mv f f4/
	try ln f d3/; try ln f nodir/; try ln -sT x d3; try ln -s '' empty
	stat -c '%n %h %F' -- * | sort
	for i in $(seq 45); do ln -s "c$((i + 1))" "c$i"; done; echo > c1; echo > c7
	try link g m; try unlink m; try rename 's/^hs$/hs2/' hs
}

gits() {
	export GIT_AUTHOR_DATE='2024-01-01T00:00:00Z'
	export GIT_COMMITTER_DATE=$GIT_AUTHOR_DATE
	git init -q -b main r && cd r || exit
	git config user.email a@b; git config user.name n
	for i in $(seq 30); do echo "$i" > "f$i"; done
	git add . && git commit -q -m one; git checkout -q -b two
	echo more >> f1; git commit -q -am two; git checkout -q main
	git merge -q two; git worktree add -q ../w two 2>&1 | head -1; git gc -q
	git log --oneline | cat; git status --short; git fsck; cd ..
	rm -f r/.git/index w/.git; rm -rf r/.git/worktrees
}

archive() {
	mkdir -p src/{a,b}/c; echo x > src/a/f; ln src/a/f src/b/g
	ln -s ../a src/b/l; chmod 750 src/a; mkfifo src/p; touch -d @1 src/a/f
	cp -a src copy; tar cf t.tar src && mkdir out && tar xpf t.tar -C out
	tar cf - src | tar xf - -C copy; gzip -nk t.tar; gunzip -c t.tar.gz | md5sum |
		wc -c; rm t.tar t.tar.gz; stat -c '%n %h' out/src/a/f
	split -b 1 src/a/f part.; sort -o sorted src/a/f; sed -i s/x/y/ sorted
	find out -depth -type d -exec mkdir {}/new \;
}

sqlite() {
	command -v sqlite3 || return 0
	sqlite3 db 'create table t(a); insert into t values (1), (2);' 'select * from t'
	sqlite3 db 'pragma journal_mode=wal; insert into t values (3);'
	sqlite3 db 'select count(*) from t'; rm -f db db-*
}

pythons() {
	python3 - <<-'P'
	import glob, multiprocessing, os, shutil, subprocess, tempfile, threading
	def f(x):
	    open(f'mp{x}', 'w').write(str(x))
	    return x * x
	if __name__ == '__main__':
	    with multiprocessing.Pool(2) as pool:
	        print(pool.map(f, range(20)))
	    with tempfile.TemporaryDirectory(dir='.') as d:
	        with tempfile.NamedTemporaryFile(dir=d) as t:
	            t.write(b'x'); t.flush(); print(os.path.getsize(t.name))
	        with tempfile.TemporaryFile(dir=d) as t:
	            t.write(b'y')
	    ts = [threading.Thread(target=lambda i=i: [open(f't{i}', 'a').write('z')
	          for _ in range(50)]) for i in range(8)]
	    [t.start() for t in ts]; [t.join() for t in ts]
	    print([os.path.getsize(n) for n in sorted(glob.glob('t*'))])
	    print(subprocess.run(['sh', '-c', 'echo sub > sub; cat sub'],
	                         capture_output=True).stdout)
	    shutil.copytree('.', '../copy-of-work'); shutil.rmtree('../copy-of-work')
	P
}

compile() {
	printf '#include <stdio.h>\nint main(void){puts("hi");return 0;}\n' > m.c
	for i in 1 2 3; do gcc -o "m$i" m.c && "./m$i"; done; rm m?
	# Written, closed and executed at once: nobody may still hold it.
	python3 - <<-'P'
	import os
	for i in range(300):
	    fd = os.open('x', os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o755)
	    os.write(fd, b'#!/bin/true\n'); os.close(fd)
	    pid = os.posix_spawn('./x', ['./x'], {})
	    assert os.waitpid(pid, 0)[1] == 0; os.unlink('x')
	import fcntl
	for i in range(300):
	    for k in range(2):
	        with open('lock', 'w') as f:
	            fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)
	P
}

signals() {
	mkfifo f
	python3 - <<-'P'
	import os, signal
	def stop(*_):
	    raise KeyboardInterrupt
	signal.signal(signal.SIGALRM, stop); signal.setitimer(signal.ITIMER_REAL, .2)
	try:
	    open('f', 'w')
	except KeyboardInterrupt:
	    print('interrupted')
	# Calls are done once, whatever signals come.
	signal.signal(signal.SIGALRM, lambda *_: None)
	signal.siginterrupt(signal.SIGALRM, False)
	signal.setitimer(signal.ITIMER_REAL, .0005, .0005)
	for i in range(3000):
	    os.mkdir('d'); os.rmdir('d')
	    os.close(os.open('e', os.O_CREAT | os.O_EXCL)); os.unlink('e')
	signal.setitimer(signal.ITIMER_REAL, 0); print('done')
	P
	(echo x > f) & kill -TERM $!; wait $!; echo $?
	ulimit -c 0; python3 - <<-'P'
	import os, signal, time
	def blocked():
	    pid = os.fork()
	    if pid == 0:
	        os.write(os.open('f', os.O_WRONLY | os.O_CREAT), b'x')
	        os._exit(7)
	    time.sleep(.2)
	    return pid
	os.kill(pid := blocked(), signal.SIGQUIT); print(os.waitpid(pid, 0)[1])
	os.kill(pid := blocked(), signal.SIGSTOP)
	print(os.WIFSTOPPED(os.waitpid(pid, os.WUNTRACED)[1]))
	os.kill(pid, signal.SIGCONT); print(os.read(os.open('f', os.O_RDONLY), 9))
	print(os.WEXITSTATUS(os.waitpid(pid, 0)[1]))
	P
}

rights() {
	mkdir ro; echo > ro/old; chmod 500 ro; chmod 400 ro/old
	try touch ro/new; echo x > ro/old; echo x > ro/new; try mkdir ro/d
	try mv ro/old x; try ln ro/old y; mkdir no; chmod 0 no; try touch no/x
	try ln -s x no/l; echo > no; try touch /sys/x /proc/x
	echo > 5; (ulimit -n 5; exec 3> 3; echo > 4; exec 4> 4; exec 5>> 5; echo "$?")
	chmod 700 ro no; (ulimit -f 0; trap '' XFSZ; echo x > big); wc -c < big
	try mknod dev c 1 3; try mknod blk b 8 0
}

reads() {
	mkdir -p d/e; echo one > d/e/f; ln -s d/e l; ln -s l/f lf; ln -s gone dang
	cat d/e/f l/f lf ./d/../d/e/f "$PWD/lf" "/proc/self/root$PWD/lf"
	try cat dang; try cat d; try cat d/e/f/x; try cat nodir/x; try cat loop
	ln -s loop loop; try cat loop; try ls loop/; try cat lf/; try ls l/ d/ ./
	ls -l / | wc -l; ls /usr/share/doc | wc -l; find /usr/lib/python3 | wc -l
	grep -r one . | sort; (cd d/e && cat f ../e/f ../../lf; ls ..); tail -c 3 lf
	chmod 0 d/e/f; try cat d/e/f; try cat lf; chmod 600 d/e/f; chmod 0 d
	try cat d/e/f; try ls d; chmod 700 d; cat < lf > copy; cmp lf copy
	head -c 8 /dev/zero | od -An -tx1; head -c 4 /dev/urandom | wc -c
	cat < /dev/null; try cat /etc/shadow > /dev/null; cat /etc/mtab | wc -l
	wc -l < /etc/passwd; truncate -s 3 d/e/f; cat d/e/f; truncate -s 9 lf
	(ulimit -f 1; truncate -s 1024 lf; truncate -s 1025 lf; echo $?) 2> /dev/null
	wc -c < lf; try truncate -s 1 d; try truncate -s 1 nothing; rm -f copy
	try rmdir d; try rm d; try rm nothing; try rmdir lf; try unlink dang
	mkdir -p x/y/z; rm -rf x; try rm /proc/version /proc/self/status
	cat <<-E
	here is a document
	E
	echo 'echo from a script' > s.sh; sh s.sh; sh /dev/stdin < s.sh
	sh < s.sh; . ./s.sh; echo 'print("python")' | python3 /dev/stdin
	cat s.sh | sh /dev/stdin; exec 9< s.sh; cat /dev/fd/9; cat <&9; exec 9<&-
	python3 -c 'import json, sqlite3, ssl, email.mime.text; print("imports")'
	perl -MPOSIX -e 'print strftime("%Y", gmtime(0)), "\n"'
	tar cf - d | tar tf -; tar cf t.tar d && tar tf t.tar; rm t.tar
}

procs() {
	grep -c processor /proc/cpuinfo; grep -c . /proc/meminfo | head -c 1
	cat /proc/sys/kernel/ostype /proc/version | wc -l; wc -l < /proc/filesystems
	cat /proc/self/comm; cat /proc/self/cmdline | tr '\0' ' '; echo
	bash -c 'grep -c libc /proc/self/maps; cat /proc/$$/comm' | tail -1
	grep -c . /proc/self/maps > /dev/null && echo maps
	sh -c 'cat /proc/$PPID/comm'; cat /proc/thread-self/comm
	head -1 /proc/self/status; head -1 /proc/self/task/self/status
	ls /proc/self/fd | wc -l; ls /proc/self | wc -l; ls -d /proc/self/task/*/fd | wc -l
	readlink /proc/self/cwd | sed "s,$PWD,HERE,"; ls /proc/self/cwd/ | wc -l
	wc -c < /proc/self/exe > /dev/null && echo exe; cat /proc/mounts | wc -l
	cat /proc/net/dev | wc -l; cat /proc/self/net/dev | wc -l; wc -l < /proc/self/mountinfo
	python3 - <<-'P'
	import os, re, threading
	pid = os.getpid()
	for p in 'self', str(pid), f'self/task/{pid}', 'thread-self':
	    s = open(f'/proc/{p}/stat').read()
	    print(p.replace(str(pid), 'PID'), int(s.split()[0]) == pid)
	def other():
	    tid = threading.get_native_id()
	    print(open('/proc/self/stat').read().split()[0] == str(pid))
	    print(open('/proc/thread-self/stat').read().split()[0] == str(tid))
	    open(f'/proc/self/task/{tid}/comm', 'w').write('renamed')
	    print(open(f'/proc/self/task/{tid}/comm').read())
	    print(len(os.listdir('/proc/self/task')))
	t = threading.Thread(target=other); t.start(); t.join()
	with open('/proc/self/mem', 'rb+') as m:
	    line = next(l for l in open('/proc/self/maps') if 'rw-p' in l)
	    m.seek(int(line.split('-')[0], 16)); print(len(m.read(16)))
	print(b'PATH=' in open('/proc/self/environ', 'rb').read())
	r, w = os.pipe(); os.write(w, b'pipe'); os.close(w)
	print(open(f'/proc/self/fd/{r}', 'rb').read())
	child = os.fork()
	if child == 0:
	    os.read(r, 1); os.close(r); os.pause() if hasattr(os, 'pause') else None
	    os._exit(0)
	print(open(f'/proc/{child}/stat').read().split()[3] == str(pid))
	os.waitpid(child, 0)
	for name in 'kcore', 'kmsg', '1/environ', '1/mem', '1/fd/0', '1/fd', '1/maps':
	    try:
	        open('/proc/' + name, 'rb').close(); print(name, 'ok')
	    except OSError as e:
	        print(name, e.errno)
	for name in '1/stat', '1/comm', '1/status', '1/cmdline', '1/limits':
	    print(name, len(open('/proc/' + name, 'rb').read()) > 0)
	print('stat' in os.listdir('/proc/1'), '1' in os.listdir('/proc'))
	P
}

readers() {
	mkfifo f; (echo hello > f) & cat f; wait
	(exec 3> f; echo slow >&3) & cat < f; wait
	timeout 0.3 cat f; echo "timeout $?"
	for i in $(seq 80); do mkfifo "r$i"; done
	for i in $(seq 80); do cat "r$i" > "o$i" & done
	for i in $(seq 80); do echo "$i" > "r$i"; done; wait; cat o* | sort -n | md5sum
	python3 - <<-'P'
	import os, signal
	def stop(*_):
	    raise KeyboardInterrupt
	signal.signal(signal.SIGALRM, stop); signal.setitimer(signal.ITIMER_REAL, .2)
	try:
	    open('f')
	except KeyboardInterrupt:
	    print('interrupted')
	fd = os.open('f', os.O_RDONLY | os.O_NONBLOCK)
	w = os.open('f', os.O_WRONLY); os.write(w, b'x'); print(os.read(fd, 9))
	P
	script -qec 'tty > /dev/null && cat < /dev/tty | head -c 0; echo t' /dev/null < /dev/null
	setsid sh -c 'cat /dev/tty'
}

threads() {
	python3 - <<-'P'
	import os, threading
	bad = []
	def work(i):
	    for k in range(40):
	        with open(__file__ if False else '/etc/passwd') as f:
	            f.read(1)
	        with open(f't{i}', 'a+') as f:
	            f.write('x')
	        try:
	            open(f'missing{i}')
	            bad.append(i)
	        except FileNotFoundError:
	            pass
	ts = [threading.Thread(target=work, args=(i,)) for i in range(100)]
	[t.start() for t in ts]; [t.join() for t in ts]
	print(bad, sum(os.path.getsize(f't{i}') for i in range(100)))
	P
	printf 'int main(void){return 0;}\n' > m.c; printf 'all: a b c d e f\n%%: m.c\n\tgcc -o $@ m.c\n' > Makefile
	make -sj4 2>&1 | sort; ls; ./a; echo $?; rm -f a b c d e f
}

case $1 in
umask) umasks ;; fifo) fifos ;; git) gits ;; python) pythons ;;
*) "$1" ;;
esac 2>&1 | sed "s/line [0-9]*: //; s/\\b$$\\b/PID/g"
