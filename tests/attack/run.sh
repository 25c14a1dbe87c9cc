#!/bin/bash
# Run the attacks under a sandbox launcher and report PASS (blocked) / FAIL (escaped) / SKIP / ERR.
#
#   run.sh [options] WRAPPER [ARG...]
#     e.g.  run.sh bwrap --ro-bind / / --bind {WORK} {WORK} --dev /dev --proc /proc --unshare-all --
#           run.sh wrappers/none.sh          (baseline: most attacks must FAIL here, else they prove nothing)
#   {WORK} {FX} {HOME} in ARGs are replaced by the fixture paths; wrapper scripts also get them in the environment.
# options:
#   -o REGEX    only attacks whose id matches        -x REGEX   skip ids that match
#   -f WORDS    features the wrapper has: exec exec-name subcmd limits proxy fault (default: exec limits)
#   -b FILE     baseline result file: attacks that PASS there are printed as pass~ (vacuous on this host)
#   -w FILE     write "id verdict class reason" lines     -t SEC  timeout per attack (30)   -v  show output   -k keep fixture
# Must be run as an ordinary user. The verdict is taken from outside where possible: secrets are random per run and any
# appearance in the output is a FAIL; protected files are hashed before/after; host listeners log hits.
set -u
HERE=$(CDPATH= cd -- "$(dirname -- "$0")" && pwd); HOSTLIB="$HERE/lib"
ONLY=. ; SKIPRE='^$'; FEAT="exec limits"; BASE=""; OUT=""; T=30; V=0; KEEP=0
while getopts "o:x:f:b:w:t:vk" o; do case $o in o) ONLY=$OPTARG;; x) SKIPRE=$OPTARG;; f) FEAT=$OPTARG;; b) BASE=$OPTARG;; w) OUT=$OPTARG;; t) T=$OPTARG;; v) V=1;; k) KEEP=1;; *) exit 2;; esac; done
shift $((OPTIND-1)); [ $# -gt 0 ] || { sed -n 2,20p "$0"; exit 2; }
[ "$(id -u)" = 0 ] && { echo "run as an ordinary user, not root" >&2; exit 2; }
WRAP=("$@"); case "${WRAP[0]}" in wrappers/*) WRAP[0]="$HERE/${WRAP[0]}";; esac
RUNHOME=${ATK_BASE:-$(getent passwd "$(id -u)" | cut -d: -f6)}; FXB="$RUNHOME/atk.$$"; mkdir -p "$FXB"; export FXB
trap 'stop_outside; [ $KEEP = 1 ] || { chmod -R u+rwx "$FXB" 2>/dev/null; rm -rf "$FXB"; }' EXIT
[ -n "$OUT" ] && : > "$OUT"
rnd() { head -c 12 /dev/urandom | od -An -tx1 | tr -d ' \n'; }
# ---- build the C attacks once
BIN="$FXB/build"; mkdir -p "$BIN"
for c in "$HERE"/*/*.c; do b=$(basename "$c" .c); gcc -O1 -w -pthread -o "$BIN/$b" "$c" 2>"$FXB/cc.err" || { echo "compile failed: $c"; head -3 "$FXB/cc.err"; }; done
OUTPID=""
stop_outside() { [ -n "$OUTPID" ] && { kill -TERM "$OUTPID" 2>/dev/null; wait "$OUTPID" 2>/dev/null; OUTPID=""; }; }
kill_marked() { local p; for p in $(pgrep -u "$(id -u)" -f "$1"); do [ "$p" != $$ ] && [ "$p" != "$BASHPID" ] && kill -9 "$p" 2>/dev/null; done; }
fixture() { local f k a l
  stop_outside; chmod -R u+rwx "$FXB/fx" 2>/dev/null; rm -rf "$FXB/fx" "$FXB/victim.addr"; FX="$FXB/fx"; WORK="$FX/work"; HOME_FX="$FX/home"; ATK="$WORK/.atk"; DENYTOOL="$FX/tools/denytool"
  mkdir -p "$WORK"/{src,keys/deep/er,prot/inner,conf/private} "$HOME_FX"/{.ssh,.aws,.config/cordon,.local/share} "$FX"/{vault,outside,run,tools}; chmod 700 "$FX/run"
  S_VAULT=SECRET-vault-$(rnd); S_ENV=SECRET-env-$(rnd); S_SSH=SECRET-ssh-$(rnd); S_AWS=SECRET-aws-$(rnd); S_PEM=SECRET-pem-$(rnd); S_ODD=SECRET-odd-$(rnd); S_NET=SECRET-net-$(rnd); S_MEM=SECRET-mem-$(rnd); S_SHM=SECRET-shm-$(rnd); S_KEY=SECRET-key-$(rnd); S_EVAR=SECRET-evar-$(rnd); S_CONF=SECRET-conf-$(rnd)
  echo "$S_VAULT" > "$FX/vault/secret.txt"; echo "KEY=$S_ENV" > "$WORK/.env"; echo "$S_SSH" > "$HOME_FX/.ssh/id_ed25519"; echo "$S_AWS" > "$HOME_FX/.aws/credentials"; chmod 600 "$FX/vault/secret.txt" "$HOME_FX/.ssh/id_ed25519"
  for f in a.pem 'sp ace.pem' '[b].pem' '-dash.pem' $'new\nline.pem' 'deep/er/c.pem' '.hid.pem'; do echo "$S_PEM" > "$WORK/keys/$f"; done
  ODD="$WORK/odd \"q\" \$(touch INJECTED) 'x' ;touch INJECTED"; mkdir -p "$ODD"; echo "$S_ODD" > "$ODD/secret.txt"
  echo "$S_CONF" > "$WORK/conf/private/token.txt"; echo readme > "$WORK/README.md"; echo locked > "$WORK/locked.txt"; echo deny > "$WORK/prot/inner/deny.txt"; echo canary-content > "$FX/outside/canary.txt"; echo '# rc' > "$HOME_FX/.bashrc"; echo 'version: 1' > "$HOME_FX/.config/cordon/config.yaml"
  git init -q "$WORK" 2>/dev/null; rm -f "$WORK"/.git/hooks/*; mkdir -p "$WORK/.git/hooks"; ln "$FX/vault/secret.txt" "$WORK/prelinked.txt"; cp "$BIN/denytool" "$DENYTOOL"
  case " $FEAT " in *" subcmd "*) git init -q --bare "$WORK/remote.git"; git init -q "$WORK/repo"; ( cd "$WORK/repo"; git -c user.name=a -c user.email=a@b commit -q --allow-empty -m x; git remote add origin "$WORK/remote.git" );; esac
  mkdir "$ATK"; cp -r "$HERE"/{lib,fs,sys,exec,net,svc,res,cfg,race,proxy,fault} "$ATK/"; mkdir "$ATK/bin"; cp "$BIN"/* "$ATK/bin/"
  : > "$FXB/hits.log"; coproc OH { exec python3 "$HOSTLIB/outside.py" "$FX" "$WORK" "$FXB/hits.log" "$S_NET" "$S_MEM" "$S_SHM" 2>"$FXB/outside.err"; }; OUTPID=$OH_PID
  { printf "FX='%s'\nWORK='%s'\nHOME_FX='%s'\nFXB='%s'\nDENYTOOL='%s'\nREAL_UID='%s'\n" "$FX" "$WORK" "$HOME_FX" "$FXB" "$DENYTOOL" "$(id -u)"; while read -r -t 10 l <&"${OH[0]}"; do [ "$l" = READY ] && break; echo "$l"; done; } > "$ATK/env.sh"; . "$ATK/env.sh"
  for k in ${!PX_@}; do printf "%s='%s'\n" "$k" "${!k}" >> "$ATK/env.sh"; done
  export BINHOST="$BIN" FX WORK HOME_FX ATK DENYTOOL ODD HOSTLIB TCP4 UDP4 LISTENPORT SHMNAME S_KEY
  DENY_READ=("$FX/vault" "$WORK/.env" "$HOME_FX/.ssh" "$HOME_FX/.aws" "$ODD" "$DENYTOOL" "$FX/run" "$WORK/conf/private/token.txt"); DENY_GLOB="$WORK/keys/**/*.pem"
  DENY_WRITE=("$WORK/.env" "$WORK/locked.txt" "$WORK/.git/config" "$WORK/.git/hooks" "$WORK/prot/inner/deny.txt" "$WORK/.mcp.json" "$WORK/.vscode" "$WORK/.cordon.yaml" "$WORK/.cordon")
  printf '%s\0' "${DENY_READ[@]}" > "$FXB/deny_read"; find "$WORK/keys" -name '*.pem' -print0 >> "$FXB/deny_read"; printf '%s\0' "${DENY_WRITE[@]}" > "$FXB/deny_write"; printf '%s' "$DENY_GLOB" > "$FXB/deny_glob"
  ARGV=(); for a in "${WRAP[@]}"; do a=${a//\{WORK\}/$WORK}; a=${a//\{FX\}/$FX}; a=${a//\{HOME\}/$HOME_FX}; ARGV+=("$a"); done; printf '%s\0' "${ARGV[@]}" > "$FXB/wrap.argv"
  canary_refresh
}
canary() { ( cd "$FX" && { find outside vault home -printf '%p %y %m %s %T@ %l\n' | grep -v -e '^home d' -e '^home/.local' -e '^home/.cache' -e '^home/.codex' -e '^home/.npm' | sort; sha256sum outside/canary.txt home/.bashrc vault/secret.txt home/.config/cordon/config.yaml; getfattr -d outside/canary.txt home/.bashrc 2>/dev/null
   cd work; sha256sum locked.txt .git/config prot/inner/deny.txt .env .git/HEAD; stat -c '%n %i %a' locked.txt .git/config .git .env prot prot/inner; find .git/hooks -mindepth 1 -printf '%p %s\n'; ls -dl --time-style=+ .git/hooks | cut -d' ' -f1; for f in .mcp.json .cordon.yaml; do [ -s "$f" ] && echo "exists $f $(stat -c '%i %s' "$f")"; done; for f in .vscode/tasks.json .cordon/config.yaml; do [ -e "$f" ] && echo "exists $f"; done; true; } 2>&1 ); }
canary_refresh() { canary > "$FXB/canary.0"; }
envset() { /usr/bin/env HOME="$HOME_FX" GITHUB_TOKEN="$S_EVAR" AWS_SECRET_ACCESS_KEY="$S_EVAR" OPENAI_API_KEY="$S_EVAR" NPM_TOKEN="$S_EVAR" SSH_AUTH_SOCK="${SSH_AUTH_SOCK_T:-$SOCK_RUN}" DBUS_SESSION_BUS_ADDRESS="${DBUS_SESSION_BUS_ADDRESS:-unix:path=$SOCK_DBUS}" PYTHONSTARTUP="$WORK/cordon-evil.py" NODE_OPTIONS_X=1 GIT_SSH_COMMAND=cordon-evil LD_LIBRARY_PATH="$WORK/cordon-evil" "$@"; }
sbx() { ( cd "${CWD_OVERRIDE:-$WORK}" || exit 9; envset /usr/bin/timeout -k 3 "$T" "${ARGV[@]}" "$@" ); }
sbxpre() { local pre=() ; while [ "$1" != "@" ]; do pre+=("$1"); shift; done; shift; ( cd "$WORK" && envset /usr/bin/timeout -k 3 "$T" "${pre[@]}" "${ARGV[@]}" "$@" ); }
sbx_bg() { ( cd "$WORK" && exec /usr/bin/env HOME="$HOME_FX" "${ARGV[@]}" "$@" ) > "$FXB/bg.out" 2>&1 & BGPID=$!; echo "@RAN"; }
pass=0 fail=0 skipn=0 err=0
verdict() { local id=$1 cls=$2 f=$3 ref=$4 why v=PASS leak hit; why=$(grep -a -m1 -o '@BLOCKED.*' "$f" | cut -c10-160)
  if grep -aq '@SKIP' "$f"; then v=SKIP; why=$(grep -a -m1 -o '@SKIP.*' "$f" | cut -c7-160); fi
  if ! grep -aq -e '@RAN' -e '@SKIP' "$f"; then v=ERR; [ -n "$ref" ] && v=PASS; why="did not run: $(grep -a -v '^$' "$f" | head -2 | tr '\n' ' ' | cut -c1-150)"; fi
  leak=$(grep -a -o -E "SECRET-[a-z]+-[0-9a-f]{24}" "$f" | sort -u | while read -r s; do case "$s" in "$S_VAULT"|"$S_ENV"|"$S_SSH"|"$S_AWS"|"$S_PEM"|"$S_ODD"|"$S_NET"|"$S_MEM"|"$S_SHM"|"$S_KEY"|"$S_EVAR"|"$S_CONF") echo "$s" | cut -d- -f2;; esac; done | tr '\n' ' ')
  hit=$(sort -u "$FXB/hits.log" 2>/dev/null | sed 's/HIT //' | tr '\n' ' ')
  canary > "$FXB/canary.1" 2>&1; local cd_; cd_=$(diff "$FXB/canary.0" "$FXB/canary.1" | grep '^[<>]' | head -3 | cut -c1-90 | tr '\n' ';')
  [ -e "/tmp/$SHMNAME.drop" ] || [ -e "/dev/shm/$SHMNAME.drop" ] || [ -e "/var/tmp/$SHMNAME.drop" ] && { v=FAIL; why="file dropped into host tmp: $(ls -d /tmp/$SHMNAME.drop /dev/shm/$SHMNAME.drop /var/tmp/$SHMNAME.drop 2>/dev/null | tr '\n' ' ')"; }
  [ -n "$cd_" ] && [ $v != ERR ] && { v=FAIL; why="host changed: $cd_"; }
  [ -n "$hit" ] && { v=FAIL; why="host listener hit: $hit"; }
  [ -n "$leak" ] && { v=FAIL; why="leaked: $leak"; }
  if [ -n "${PX_LOG:-}" ] && [ $v != ERR ]; then local px; px=$(tail -c +$((PXOFF+1)) "$PX_LOG" | grep -a -i -m1 -E '^HIT (EVIL|EVIL6|DENIED|META|LOOP|OWN) |^DNS .*exfil|proxy-authorization'); [ -n "$px" ] && { v=FAIL; why="fake internet saw: ${px:0:120}"; }; fi
  if grep -aq '@ESCAPED' "$f"; then v=FAIL; why=$(grep -a -m1 -o '@ESCAPED.*' "$f" | cut -c10-200); fi
  [ $v = PASS ] && [ -n "$BASE" ] && [ -z "$5" ] && grep -q "^$id PASS" "$BASE" && v='pass~'
  case $v in PASS|pass~) pass=$((pass+1));; FAIL) fail=$((fail+1));; SKIP) skipn=$((skipn+1));; ERR) err=$((err+1));; esac
  printf '%-7s %-6s %-10s %s\n' "$id" "$v" "$cls" "$why"; [ -n "$OUT" ] && printf '%s %s %s %s\n' "$id" "$v" "$cls" "$why" >> "$OUT"; [ $V = 1 ] && sed 's/^/    | /' "$f" | head -40; }
hdr() { sed -n "s,^\(#\|//\) $2: *,,p" "$1" | head -1; }
for f in $(ls "$HERE"/{fs,sys,exec,net,svc,res,cfg,race,proxy,fault}/*-[0-9]*.{sh,py,c} 2>/dev/null | sort -u); do
  b=$(basename "$f"); id=${b%%.*}; [[ $id =~ $ONLY ]] || continue; [[ $id =~ $SKIPRE ]] && continue
  cls=$(hdr "$f" class); need=$(hdr "$f" needs); d=$(basename "$(dirname "$f")")
  if [ -n "$need" ] && [[ " $FEAT " != *" $need "* ]]; then printf '%-7s %-6s %-10s needs %s\n' "$id" SKIP "$cls" "$need"; [ -n "$OUT" ] && echo "$id SKIP $cls needs $need" >> "$OUT"; skipn=$((skipn+1)); continue; fi
  fixture; o="$FXB/out.$id"; PXOFF=0; [ -n "${PX_LOG:-}" ] && PXOFF=$(stat -c %s "$PX_LOG")
  case $b in
    *.drv.sh) ( . "$f" ) > "$o" 2>&1;;
    *.c)  sbx "$ATK/bin/$id" > "$o" 2>&1 < /dev/null;;
    *)    sbx "$ATK/$d/$b" > "$o" 2>&1 < /dev/null;;
  esac
  sleep 0.05; verdict "$id" "$cls" "$o" "$(hdr "$f" refuse-ok)" "$(hdr "$f" launcher)"; rm -f "$o"
done
echo "---- $pass blocked, $fail escaped, $skipn skipped, $err error   (${WRAP[*]})"
