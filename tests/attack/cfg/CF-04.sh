#!/bin/sh
# id: CF-04
# title: rewrite the sandbox's own configuration and state (CONFIG_PATHS given by the wrapper), incl. rename of the directory and creation when missing
# class: boundary
# expect: unwritable
# layer: config outside writable tree; explicit deny; absent files pinned
. "$(dirname "$0")/../lib/atk.sh"
for f in "$HOME_FX/.config/cordon/config.yaml" "$HOME_FX/.codex/config.toml" "$HOME_FX/.srt-settings.json" "$HOME_FX/.config/firejail/default.profile" "$FXB/srt.json" "$WORK/.codex/config.toml" "$WORK/.srt-settings.json" "$HOME_FX/.local/share/cordon/state.db" "$HOME_FX/.claude/settings.json" "$HOME_FX/.gitconfig" "$HOME_FX/.config/git/config" "$HOME_FX/.npmrc" "$HOME_FX/.config/systemd/user/x.service" "$HOME_FX/.config/autostart/x.desktop" "$HOME_FX/.local/bin/git" "$HOME_FX/bin/git"; do case "$f" in "$WORK"/*) continue;; esac; d=$(dirname "$f"); mkdir -p "$d" 2>/dev/null; (echo pwn >> "$f") 2>/dev/null && [ -s "$f" ] && echo "wrote $f" && W="$W $f"; done
mv "$HOME_FX/.config" "$HOME_FX/.config2" 2>/dev/null && escaped "renamed ~/.config"
[ "$W" ] && echo "writes seen inside:$W (host check decides)"
blocked
