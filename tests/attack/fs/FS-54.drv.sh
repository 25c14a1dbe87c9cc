# id: FS-54
# title: keep the supervisor busy with refusals while the host moves a denied file aside and writes it anew
# class: boundary
# expect: the new file is hidden a moment later
# layer: names are looked at by the clock
sbx "$ATK/fs/flood.py" & box=$!
for _ in $(seq 100); do [ -e "$WORK/ready" ] && break; sleep 0.05; done
cp "$WORK/.env" "$FXB/env"; mv "$WORK/.env" "$WORK/.env.bak"; cp "$FXB/env" "$WORK/.env"; canary_refresh; touch "$WORK/go"; wait $box
