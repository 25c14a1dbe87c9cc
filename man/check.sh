#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Checks that the manuals are clean and say what the program says:
#     man/check.sh CORDON            fails where they differ
#     man/check.sh CORDON --update   writes the generated parts anew
set -eu

cordon=$1
update=${2-}
here=$(cd "$(dirname "$0")" && pwd)
new=$(mktemp)
part=$(mktemp)
trap 'rm -f "$new" "$part"' EXIT
bad=0

# $1: page, rest: what prints its part between BEGIN and END
refresh() {
	page=$here/$1
	shift
	"$cordon" "$@" >"$part"
	awk -v part="$part" '
		/^\.\\" END$/ { skip = 0 }
		!skip { print }
		/^\.\\" BEGIN: / {
			skip = 1
			while ((getline line < part) > 0)
				print line
		}' "$page" >"$new"
	if [ "$update" = --update ]; then
		cat "$new" >"$page"
	elif ! diff -u "$page" "$new"; then
		echo "$page is not what 'cordon $*' prints" >&2
		bad=1
	fi
	mandoc -Tlint -W warning "$page" || bad=1
}

refresh cordon.1 help --mdoc
refresh cordon.policy.5 policy schema --mdoc
exit $bad
