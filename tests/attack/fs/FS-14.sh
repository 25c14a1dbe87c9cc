#!/bin/sh
# id: FS-14
# title: write deny-write files inside the workspace (locked.txt, .git/config, new .git/hooks/pre-commit, .env)
# class: boundary
# expect: all fail
# layer: ro bind over the path inside the rw bind
. "$(dirname "$0")/../lib/atk.sh"
cd "$WORK"; echo pwn >> locked.txt; echo pwn >> .git/config; printf '#!/bin/sh\ntouch /tmp/pwn\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; echo X=1 >> .env; rm -f locked.txt .env .git/config; rm -rf .git/hooks; mv locked.txt l2; sed -i s/a/b/ locked.txt; cp /etc/hostname locked.txt; truncate -s 0 locked.txt; git config core.fsmonitor 'touch /tmp/pwn'
blocked
