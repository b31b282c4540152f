#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Each live script is run: it has its place in one of the lists of tests/local.mk, and in that of those that
# have the machine to themselves exactly when it says so.
cd "${srcdir:-.}" || exit 1
failed=0

# "LIST SCRIPT" of each, by what tests/local.mk gives the variables
lists=$(sed -e ':a' -e '/\\$/N; s/\\\n//; ta' tests/local.mk |
	awk '$1 ~ /^LIVE_(FIRST|BESIDE|ALONE|ALL)$/ && $2 == "=" { for (i = 3; i <= NF; i++) print substr($1, 6), $i }')

wrong()
{
	echo "FAIL: $*"
	failed=1
}

for script in tests/live/*.sh; do
	case $script in */lib*.sh | */run.sh) continue ;; esac
	places=$(awk -v script="$script" '$2 == script { printf "%s ", $1 }' <<<"$lists")
	alone=$(sed -n 's/^# alone: .*/alone/p' "$script")
	case $places:$alone in
	'BESIDE :' | 'ALL :' | 'ALONE :alone' | 'FIRST :alone' | 'ALL :alone') ;;
	*) wrong "$script: in the lists '$places', and says '$alone'" ;;
	esac
done
for script in $(cut -d ' ' -f 2 <<<"$lists"); do
	[ -f "$script" ] || wrong "$script: in a list, but not there"
done
[ $failed = 0 ] && echo "PASS: $(find tests/live -name '*.sh' | wc -l) scripts have their places"
exit $failed
