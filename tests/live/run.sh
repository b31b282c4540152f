#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# run.sh [NAME]...: runs live tests (all without a name) and prints one line
# for each: PASS, FAIL with what failed, or SKIP with the reason.

dir=$(cd "$(dirname "$0")" && pwd -P)
failed=0
names=("$@")
if [ $# -eq 0 ]; then
	for script in "$dir"/*.sh; do
		script=${script##*/}
		[ "$script" = run.sh ] || names+=("${script%.sh}")
	done
fi
for name in "${names[@]}"; do
	began=$(date +%s.%N)
	said=$(bash "$dir/$name.sh" 2>&1)
	status=$?
	seconds=$(date +%s.%N | awk -v t="$began" '{ printf "%.1f", $1 - t }')
	skips=$(grep -c '^SKIP: ' <<<"$said")
	case $status in
	0) echo "PASS: $name ($(grep -c '^PASS: ' <<<"$said") claims, $skips skipped, $seconds s)" ;;
	77) echo "SKIP: $name: $(grep '^SKIP: ' <<<"$said" | tail -1 | cut -c7-)" ;;
	*)
		echo "FAIL: $name (status $status, $seconds s)"
		grep -v '^PASS: ' <<<"$said" | sed 's/^/    /' | cut -c1-400 | head -40
		failed=1
		;;
	esac
	[ "$status" != 0 ] || grep '^SKIP: ' <<<"$said" | sed 's/^/    /'
done
exit $failed
