# id: SV-01
# title: tmux server of the host user: run a command outside through its socket
# class: boundary
# expect: socket unreachable
# layer: private /tmp + AF_UNIX rule
command -v tmux >/dev/null || { echo "@SKIP no tmux"; return 0 2>/dev/null || exit 0; }
unset TMUX; tmux -S "/tmp/$SHMNAME.tmux" new-session -d -s c 'sleep 60'; sbx "$ATK/svc/tmuxrun.sh"; sleep 0.5; [ -e "$FX/outside/tmuxpwn" ] && echo "@ESCAPED command ran outside through tmux"; tmux -S "/tmp/$SHMNAME.tmux" kill-server 2>/dev/null; rm -f "/tmp/$SHMNAME.tmux"
