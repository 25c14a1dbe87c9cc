#!/bin/sh
# id: FS-16
# title: create deny-write files that did not exist at start (.mcp.json, .vscode/tasks.json, .cordon.yaml, .env.local, CLAUDE-like config)
# class: boundary
# expect: creation fails or never reaches the host
# layer: placeholder mounts / deny-create by directory watch / seccomp-notify; host-side post-check
. "$(dirname "$0")/../lib/atk.sh"
cd "$WORK"; echo '{}' > .mcp.json; mkdir -p .vscode && echo '{}' > .vscode/tasks.json; echo 'net.allow=["*"]' > .cordon.yaml; mkdir -p .cordon && echo x > .cordon/config.yaml; ln -s /etc/hostname .mcp.json; mkdir .mcp.json
blocked
