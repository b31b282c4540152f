#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# State belongs to structs that are passed on. What outlives a call at file level is listed in
# objects.txt with its reason, and nothing else is there: no other object of src/ or compat/ can
# be written to. Names are the linker's, so that a static of a function is one, too.
cd "${builddir:-.}" || exit 1
srcdir=${srcdir:-.}

if grep -q '^CFLAGS = .*-fsanitize' Makefile; then
	echo 'SKIP: sanitizers add objects of their own'
	exit 77
fi
found=$(mktemp) && known=$(mktemp) || exit 1
trap 'rm -f "$found" "$known"' EXIT

# FILE NAME of each object that is written to; constant ones with pointers lie in .data.rel.ro
nm -f sysv --defined-only src/*/*.o src/analysis/*/*.o compat/*/*.o | awk -F '|' -v srcdir="$srcdir" '
	/^Symbols from / {
		file = $0
		sub(/^Symbols from /, "", file)
		sub(/\.o:$/, ".c", file)
		sub(/libhelper_a-/, "", file)
		there = (getline line <(srcdir "/" file)) > 0
		close(srcdir "/" file)
	}
	NF < 7 || !there { next }
	{ section = $NF; gsub(/ /, "", section); gsub(/ /, "", $1) }
	section ~ /^(\.bss|\.data|\*COM\*)/ && section !~ /^\.data\.rel\.ro/ && $1 !~ /^(\.|__gcov)/ {
		sub(/\.[0-9]+$/, "", $1)
		print file, $1
	}' | sort -u >"$found"
[ -s "$found" ] || { echo 'SKIP: nothing is built here, or nm is missing'; exit 77; }
sed -n 's/^\([^ #][^ ]* [^ ]*\):.*/\1/p' "$srcdir/tests/unit/objects.txt" | sort -u >"$known"
if ! diff "$known" "$found"; then
	echo 'objects at file level differ from tests/unit/objects.txt: pass them on, or give a reason'
	exit 1
fi
echo "PASS: $(wc -l <"$known") objects, each with its reason"
