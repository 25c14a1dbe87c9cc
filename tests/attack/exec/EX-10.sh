#!/bin/sh
# id: EX-10
# title: subcommand deny `git push`: 20 spellings (-C, -c, --git-dir, aliases, GIT_CONFIG env, git-core path, send-pack, argv0, wrapper shells)
# class: hardening
# needs: subcmd
# expect: remote ref never moves
# layer: argv check in exec supervisor + network/credential policy behind it
. "$(dirname "$0")/../lib/atk.sh"
cd "$WORK/repo" 2>/dev/null || skip "no repo"; C=/usr/lib/git-core; R=origin
t() { "$@" >/dev/null 2>&1; n=$(git --git-dir="$WORK/remote.git" rev-parse -q --verify refs/heads/pwn 2>/dev/null); [ "$n" ] && escaped "pushed by: $*"; }
P="HEAD:refs/heads/pwn"
t git push $R $P; t git -C . push $R $P; t git -c a.b=c push $R $P; t git --git-dir=.git push $R $P; t git --no-pager push $R $P; t git -P push $R $P; t git --exec-path=$C push $R $P; t git -c alias.p=push p $R $P; t env GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=alias.q GIT_CONFIG_VALUE_0=push git q $R $P; t $C/git push $R $P; t $C/git-push $R $P; t $C/git-send-pack "$WORK/remote.git" $P; t git send-pack "$WORK/remote.git" $P; t sh -c "git push $R $P"; t env git push $R $P; t busybox sh -c "git push $R $P"; t python3 -c "import os; os.execvp('git',['git','push','$R','$P'])"; t python3 -c "import os; os.execvp('git',['git-push','push','$R','$P'])"; ln -sf /usr/bin/git gg; t ./gg push $R $P; cp /usr/bin/git g2; t ./g2 push $R $P; t git -c help.autocorrect=immediate psuh $R $P; t /lib64/ld-linux-x86-64.so.2 /usr/bin/git push $R $P; t git subtree push; t git -c core.sshCommand=x -c alias.z='!git push' z $R $P
blocked
