#!/bin/sh
# id: FS-17
# title: side doors of .git: info/attributes, config.worktree, commondir, alternates, modules, fsmonitor hook
# class: boundary
# expect: none can be made or changed; objects and refs stay writable
# layer: filesystem.git: only the files of ordinary work are writable
. "$(dirname "$0")/../lib/atk.sh"
cd "$WORK/.git" || exit 3
bad=
for f in info/attributes config.worktree commondir objects/info/alternates objects/info/http-alternates modules/x/config modules/x/hooks/pre-commit hooks/fsmonitor-watchman gitdir branches/x remotes/x; do
  case $f in */*) mkdir -p "${f%/*}" 2>/dev/null;; esac
  (echo pwn >> "$f") 2>/dev/null; [ -s "$f" ] && grep -q pwn "$f" && bad="$bad $f"
  (ln -s /etc/hostname "$f") 2>/dev/null && bad="$bad link:$f"
done
[ "$bad" ] && escaped "written:$bad"
blocked
