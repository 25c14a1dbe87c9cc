# id: SY-18
# title: session keyring of the caller: search and read a key
# class: boundary
# expect: no key found
# layer: new session keyring, seccomp keyctl
( cd "$WORK" && envset /usr/bin/timeout -k 3 "$T" python3 "$HOSTLIB/withkey.py" "$S_KEY" -- "${ARGV[@]}" "$ATK/bin/readkey" )
