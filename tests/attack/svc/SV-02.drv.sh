# id: SV-02
# title: real ssh-agent of the host user: list and use identities
# class: boundary
# expect: agent unreachable
# layer: mask + env scrub + AF_UNIX rule
command -v ssh-agent >/dev/null || { echo "@SKIP no ssh-agent"; return 0 2>/dev/null || exit 0; }
eval "$(ssh-agent -a "$FX/run/ssh.sock")" >/dev/null; ssh-keygen -q -t ed25519 -N '' -C cordon-agent-key -f "$FXB/k" >/dev/null </dev/null; ssh-add "$FXB/k" 2>/dev/null
SSH_AUTH_SOCK="$FX/run/ssh.sock" sbx "$ATK/svc/agent.sh"; kill $SSH_AGENT_PID 2>/dev/null; rm -f "$FXB/k" "$FXB/k.pub"
