#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The manual pages have every option and every column that the program has, the section of each command
# begins with the question that it answers and shows an example, and groff has no warning about them.
set -u
pages=("$builddir/iotracer.8" "$builddir/iotracer-streams.5")
failed=0

# has PAGE ROFF-TEXT
has()
{
	grep -qF -- "$2" "$1" || { echo "FAIL: ${1##*/} has no $2"; failed=1; }
}

options=$(for command in record doctor build snapshot watch top files report why amp uring timeline fio verify schema help; do
	"$builddir/iotracer" "$command" --help=all 2>/dev/null || "$builddir/iotracer" "$command" --help
done | sed -n 's/^  .. \{0,2\},\{0,1\} *\(--[a-z-]*\).*/\1/p' | sort -u)
columns=$("$builddir/iotracer" schema | awk '/^ ?[0-9]+  [a-z_0-9]+  / { print $2 }' | sort -u)
[ "$(wc -w <<<"$options")" -ge 50 ] || { echo "FAIL: options found: $options"; failed=1; }
[ "$(wc -w <<<"$columns")" -ge 90 ] || { echo "FAIL: columns found: $columns"; failed=1; }
# sections PAGE: says which sections with options have no question or no example, and how many there are
sections()
{
	awk '
	function judge() {
		if (!options)
			return
		n++
		if (question !~ /^\.I [A-Z].*\?$/) { print "FAIL: " name ": begins with no question"; bad = 1 }
		if (!example) { print "FAIL: " name ": has no example"; bad = 1 }
	}
	/^\.SH / { judge(); name = $0; options = example = 0; getline question; next }
	/^\.nf/ { example = 1 }
	/^@OPTIONS / { options = 1 }
	END { judge(); if (!bad) print n; exit bad }' "$1"
}
source=${srcdir:-.}/iotracer.8.in
commands=$("$builddir/iotracer" --help | grep -c '^  [a-z]')
n_sections=$(sections "$source") || { echo "$n_sections"; failed=1; }
[ "$n_sections" = "$commands" ] || { echo "FAIL: $n_sections sections of $commands commands"; failed=1; }
for line in '/^\.I How was each file used/d' '/^.SH SCHEMA/,/^@OPT/{/^\.nf/d}'; do
	sed "$line" "$source" | sections /dev/stdin >/dev/null && { echo "FAIL: a page without it passes: $line"; failed=1; }
done

for option in $options; do
	has "${pages[0]}" "\\fB${option//-/\\-}\\fR"
done
for column in $columns; do
	has "${pages[1]}" "\\fB$column\\fR ("
done
# values begin no sentence: "f", not "F"
grep -q '^f full path' "${pages[1]}" || { echo 'FAIL: path_status has other values'; failed=1; }
for page in "${pages[@]}"; do
	if grep -n '^@' "$page"; then
		failed=1
	fi
	if command -v groff >/dev/null; then
		warnings=$(groff -man -ww -Tutf8 "$page" 2>&1 >/dev/null)
		[ -z "$warnings" ] || { echo "FAIL: $warnings"; failed=1; }
	fi
done
[ $failed = 1 ] || echo "PASS: $(wc -w <<<"$options") options, $(wc -w <<<"$columns") columns"
exit $failed
