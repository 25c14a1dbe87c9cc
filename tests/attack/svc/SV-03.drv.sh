# id: SV-03
# title: D-Bus session bus: authenticate and call (org.freedesktop.DBus.ListNames; StartUnit on systemd --user would be next)
# class: boundary
# expect: bus unreachable
# layer: mask XDG_RUNTIME_DIR, AF_UNIX rule, env scrub
command -v dbus-daemon >/dev/null || { echo "@SKIP no dbus-daemon"; return 0 2>/dev/null || exit 0; }
rm -f "$FX/run/dbus.sock"; dbus-daemon --session --address="unix:path=$FX/run/dbus.sock" --nofork --nopidfile >/dev/null 2>&1 & DB=$!
for i in 1 2 3 4 5 6 7 8 9 10; do [ -S "$FX/run/dbus.sock" ] && break; sleep 0.1; done
DBUS_SESSION_BUS_ADDRESS="unix:path=$FX/run/dbus.sock" sbx "$ATK/svc/dbus.py"; kill $DB 2>/dev/null; wait $DB 2>/dev/null
