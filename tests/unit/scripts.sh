#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Each live script is run: it has its place in one of the lists of tests/local.mk, and in that of those that
# have the machine to themselves exactly when it says so.
cd "${srcdir:-.}" || exit 1
failed=0

# list NAME: what tests/local.mk gives the variable
list()
{
	sed -e ':a' -e '/\\$/N; s/\\\n//; ta' tests/local.mk | sed -n "s/^$1 = //p" | tr -s ' \t' '\n'
}

wrong()
{
	echo "FAIL: $*"
	failed=1
}

for script in tests/live/*.sh; do
	case $script in */lib*.sh | */run.sh) continue ;; esac
	places=$(for name in FIRST BESIDE ALONE ALL; do list LIVE_$name | grep -x "$script" | sed "s/.*/$name/"; done | paste -sd ' ')
	alone=$(sed -n 's/^# alone: //p' "$script")
	case $places:${alone:+alone} in
	BESIDE: | ALL: | ALONE:alone | FIRST:alone | ALL:alone) ;;
	*) wrong "$script: in the lists '$places', says '${alone:+alone: }$alone'" ;;
	esac
done
for script in $(for name in FIRST BESIDE ALONE ALL; do list LIVE_$name; done); do
	[ -f "$script" ] || wrong "$script: in a list, but not there"
done
[ $failed = 0 ] && echo "PASS: $(find tests/live -name '*.sh' | wc -l) scripts have their places"
exit $failed
