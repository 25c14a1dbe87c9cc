# id: RC-02
# title: the workspace directory itself is exchanged with a symlink to a private directory while the sandbox starts, 40 starts
# class: limit
# expect: the private directory is never mounted as the workspace
# layer: open the workspace once (O_PATH|O_NOFOLLOW), compare dev/ino with the one the caller named, mount by fd
mkdir "$FX/outside/priv"; echo keep > "$FX/outside/priv/keep"; canary_refresh; cp -r "$ATK" "$FX/outside/priv/.atk" 2>/dev/null; canary_refresh; ln -s "$FX/outside/priv" "$FX/altwork"
"$BINHOST/swap" "$WORK" "$FX/altwork" & FL=$!; ran=0; r=""
for i in $(seq ${RC_N:-40}); do o=$( cd "$FX" && CWD_OVERRIDE="$FX" sbx "$WORK/.atk/race/poke2.sh" 2>&1); case "$o" in *@RAN*) ran=$((ran+1));; esac; [ -e "$FX/outside/priv/poke" ] && { r="private dir writable in start $i"; break; }; done
kill $FL; wait $FL 2>/dev/null; rm -f "$FX/altwork"; echo "@RAN"; [ -n "$r" ] && echo "@ESCAPED $r (ran $ran)" || echo "@BLOCKED ${RC_N:-40} starts, $ran ran"
