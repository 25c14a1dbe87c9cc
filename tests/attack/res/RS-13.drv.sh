# id: RS-13
# title: output flood: 512 MiB to stdout; launcher memory must stay bounded and all bytes arrive (or a clear cut)
# launcher: yes
# class: hardening
# expect: RSS of launcher tree < 300 MiB, byte count exact for plain run
# layer: streaming with back-pressure
( sleep 2; for i in 1 2 3 4 5 6; do ps -u "$(id -u)" -o rss=,args= | grep -v -e 'ps -u' -e grep | sort -rn | head -1; sleep 0.3; done > "$FXB/rss" ) & n=$(sbx /bin/sh -c 'head -c 536870912 /dev/zero; sleep 3' 2>/dev/null | (sleep 2.5; wc -c)); wait; echo "@RAN"; m=$(awk '{if($1>m)m=$1}END{print m+0}' "$FXB/rss"); echo "bytes $n max rss ${m}k"; if [ "$n" != 536870912 ]; then echo "@ESCAPED byte count $n"; elif [ "$m" -gt 307200 ]; then echo "@ESCAPED rss ${m}k $(sort -rn "$FXB/rss" | head -1 | cut -c1-80)"; else echo "@BLOCKED ok"; fi
