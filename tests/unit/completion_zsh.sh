#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Completion for zsh offers the commands, options and streams that the program has, and only where
# they fit. completion_zsh.zsh presses the key.
command -v zsh >/dev/null || { echo 'SKIP: no zsh here'; exit 77; }
builddir=$(cd "${builddir:-.}" && pwd -P)
srcdir=$(cd "${srcdir:-.}" && pwd -P)
home=$(mktemp -d) || exit 1
trap 'rm -rf "$home"' EXIT
export HOME=$home ZDOTDIR=$home
failed=0 n=0

# options COMMAND: what its help has
options()
{
	{ "$builddir/iotracer" "$1" --help=all 2>/dev/null || "$builddir/iotracer" "$1" --help; } |
		sed -n 's/^  .. \{0,2\},\{0,1\} *\(--[a-z-]*\).*/\1/p' | sort -u
}

cat >"$home/wanted" <<-WANTED
	iotracer rep|report
	iotracer --ver|--version
	iotracer report DIR --sec|--section
	iotracer record -e nw|nw nw_conn nw_drop nw_epoll nw_sockopt
	iotracer record -e fs,d|ds
	iotracer watch --events +sch|sched
	iotracer schema exe|exec
	iotracer help qu|questions
WANTED
mapfile -t commands < <("$builddir/iotracer" --help | sed -n 's/^  \([a-z]*\) .*/\1/p')
for command in "${commands[@]}"; do
	for option in $(options "$command"); do
		echo "iotracer $command $option|$option"
	done
done >"$home/options"
[ "$(wc -l <"$home/options")" -ge 60 ] || { echo 'FAIL: few options found'; failed=1; }

cut -d'|' -f1 "$home/wanted" "$home/options" >"$home/lines"
(cd "$home" && zsh -f "$srcdir/tests/unit/completion_zsh.zsh" "$builddir/completion" lines) >"$home/said"
[ "$(wc -l <"$home/said")" = "$(wc -l <"$home/lines")" ] || { echo 'FAIL: a line has no answer'; failed=1; }
while IFS='|' read -r line wanted got; do
	n=$((n + 1))
	# an option's name may begin another one's
	case $wanted in
	--*) [[ " $got " == *" $wanted "* ]] ;;
	*) [ "$got" = "$wanted" ] ;;
	esac || { echo "FAIL: $line: '$got' instead of '$wanted'"; failed=1; }
done < <(cat "$home/wanted" "$home/options" | paste -d'|' - "$home/said")
[ $failed = 1 ] || echo "PASS: $n completions"
exit $failed
