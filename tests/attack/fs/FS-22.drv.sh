# id: FS-22
# title: inherited descriptors: O_RDWR file (fd 8), directory fd of vault (fd 9), connected host socket (fd 7)
# class: boundary
# expect: closed before the program starts (only 0,1,2 pass)
# layer: close_range(3,~0) in the launcher before exec
exec 8<>"$FX/outside/canary.txt" 9<"$FX/vault"
exec 7<>"/dev/tcp/127.0.0.1/$TCP4" 2>/dev/null
sleep 0.3; : > "$FXB/hits.log"   # our own connect above is not a hit
sbx "$ATK/bin/inherit_fd"
