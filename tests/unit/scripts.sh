#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Each live script is run: it has its place in one of the lists of tests/local.mk, and in that of those that
# have the machine to themselves exactly when it says so. Python programs of scripts are in tests/readers, where one
# can read them; a script has at most a line of it.
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
# inline FILE: Python of more than a line, given on standard input or with -c
inline()
{
	grep -nE "python3? +(- .*<<|-<<|<<)|python3? +-c +('|\"|\\\\\"|'\"'\"')\$" "$1"
}

planted=$(mktemp) || exit 1
for program in "python3 - <<END" "python3 - \"\$1\" <<-'END'" "check x python3 -c '" "sh -c 'x | python3 -c \""; do
	echo "$program" >"$planted"
	inline "$planted" >/dev/null || wrong "'$program' is not refused"
done
rm -f "$planted"
for script in tests/live/*.sh tests/vm/*.sh tests/unit/*.sh tests/bench/*; do
	[ "$script" = tests/unit/scripts.sh ] && continue
	! inline "$script" || wrong "$script: a Python program belongs into tests/readers"
done
[ $failed = 0 ] && echo "PASS: $(find tests/live -name '*.sh' | wc -l) scripts have their places"
exit $failed
