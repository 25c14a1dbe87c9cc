# id: RC-01
# title: a protected directory is exchanged with a link to an outside directory while the sandbox starts, 30 starts
# class: limit
# expect: neither place is ever written
# layer: opened once without following links, compared with the plan, mounted by descriptor
mkdir "$FX/outside/hk"; ln -s "$FX/outside/hk" "$WORK/.git/hk2"; canary_refresh
"$BINHOST/swap" "$WORK/.git/hooks" "$WORK/.git/hk2" & FL=$!; ran=0; r=""
for i in $(seq ${RC_N:-30}); do o=$(sbx "$ATK/race/poke.sh" 2>&1); case "$o" in *@RAN*) ran=$((ran+1));; esac
  for f in "$FX/outside/hk/poke" "$WORK/.git/hooks/poke" "$WORK/.git/hk2/poke"; do [ -e "$f" ] && r="wrote $f in start $i"; done; [ -n "$r" ] && break; done
kill $FL; wait $FL 2>/dev/null; echo "@RAN"; [ -n "$r" ] && echo "@ESCAPED $r (ran $ran)" || echo "@BLOCKED $i starts, $ran ran"
