# id: SY-50
# title: in a terminal the command stops itself, and with it the supervisor and its clock; a child works on
# needs: limits
# class: hardening
# expect: nothing in the box runs after wall_time
# layer: supervisor
CORDON_LIMITS='{"wall_time": "1s"}'; export CORDON_LIMITS T=6
( cd "$WORK" && envset timeout -k 1 6 python3 -c 'import pty, sys; pty.spawn(sys.argv[1:])' "${ARGV[@]}" "$ATK/sys/stopself.sh" ) < /dev/null
sleep 0.2; n=$(wc -l < "$WORK/ticks"); [ "$n" -lt 40 ] && echo "@BLOCKED $n ticks" || echo "@ESCAPED $n ticks of 0.1 s with a limit of 1 s"
