#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The units are what systemd takes, and let the service do as little as they promise (systemd-analyze security below 3).
srcdir=$(cd "${srcdir:-.}" && pwd -P) || exit 1
builddir=$(cd "${builddir:-.}" && pwd -P) || exit 1
command -v systemd-analyze >/dev/null || { echo 'SKIP: systemd-analyze is not installed'; exit 77; }
systemd-analyze --help | grep -q -- --threshold || { echo 'SKIP: this systemd-analyze does not look at files'; exit 77; }
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

failed=0
for unit in iotracer.service iotracer@.service; do
	name=${unit/@./@x.}
	make -s -C "$builddir" "data/systemd/$unit" || exit 1
	# the program need not be installed
	sed 's#^\(Exec.*=\)[^ ]*/iotracer #\1/bin/true #' "$builddir/data/systemd/$unit" >"$tmp/$unit"
	! grep -n '@[a-zA-Z]*@' "$tmp/$unit" || { echo "FAIL: $unit: a name was not replaced"; failed=1; }
	said=$(systemd-analyze verify --man=no "$tmp/$unit" 2>&1) && [ -z "$(grep "$name\|$unit" <<<"$said")" ] ||
		{ echo "FAIL: $unit: $said"; failed=1; }
	systemd-analyze security --no-pager --offline=yes --threshold=29 "$tmp/$unit" >"$tmp/security" 2>&1 ||
		{ echo "FAIL: $unit: $(tail -n 1 "$tmp/security")"; failed=1; }
	tail -n 1 "$tmp/security"
	# and it notices what is too much
	sed '/^CapabilityBoundingSet=/d' "$tmp/$unit" >"$tmp/more.service"
	! systemd-analyze security --no-pager --offline=yes --threshold=29 "$tmp/more.service" >/dev/null 2>&1 ||
		{ echo "FAIL: $unit: more capabilities were not noticed"; failed=1; }
done
[ $failed = 0 ] && echo 'PASS: units'
exit $failed
