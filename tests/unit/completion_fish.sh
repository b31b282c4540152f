#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Completion for fish offers the commands, options and streams that the program has, and only where
# they fit.
command -v fish >/dev/null || { echo 'SKIP: no fish here'; exit 77; }
builddir=$(cd "${builddir:-.}" && pwd -P)
home=$(mktemp -d) || exit 1
trap 'rm -rf "$home"' EXIT
export HOME=$home XDG_CONFIG_HOME=$home XDG_DATA_HOME=$home
failed=0 n=0

# A line of input each: what is offered for it, in one line.
complete_lines()
{
	fish -c 'source $argv[1]; while read -l line
		echo (complete -C $line | string replace -r "\t.*" "" | sort)
	end' "$builddir/completion/iotracer.fish"
}

# options COMMAND: what its help has
options()
{
	{ "$builddir/iotracer" "$1" --help=all 2>/dev/null || "$builddir/iotracer" "$1" --help; } |
		sed -n 's/^  .. \{0,2\},\{0,1\} *\(--[a-z-]*\).*/\1/p' | sort -u
}

mapfile -t commands < <("$builddir/iotracer" --help | sed -n 's/^  \([a-z]*\) .*/\1/p')
for command in "${commands[@]}"; do
	offered=" $(complete_lines <<<"iotracer $command --") "
	for option in $(options "$command"); do
		n=$((n + 1))
		[[ $offered == *" $option "* ]] || { echo "FAIL: $command does not offer $option"; failed=1; }
	done
done
[ $n -ge 60 ] || { echo "FAIL: only $n options"; failed=1; }
cat >"$home/wanted" <<-WANTED
	iotracer rep|report
	iotracer --ver|--version
	iotracer report DIR --sec|--section
	iotracer record -e nw|nw nw_conn nw_drop nw_epoll nw_sockopt
	iotracer record -e fs,d|fs,ds
	iotracer record -e fs,!c|fs,!cache
	iotracer watch --events=+sch|--events=+sched
	iotracer schema exe|exec
	iotracer help qu|questions
WANTED
paste -d'|' "$home/wanted" <(cut -d'|' -f1 "$home/wanted" | complete_lines) >"$home/got"
while IFS='|' read -r line wanted got; do
	n=$((n + 1))
	[ "$got" = "$wanted" ] || { echo "FAIL: $line: '$got' instead of '$wanted'"; failed=1; }
done <"$home/got"
[ $failed = 1 ] || echo "PASS: $n completions"
exit $failed
