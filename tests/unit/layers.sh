#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# No file of src/ or compat/ includes one of a higher floor, none of src/resolve one that comes after
# it there, no room of compat/ one of a room that comes after it, no room of src/analysis looks into another one (doc/ARCHITECTURE.md has the orders), none
# includes another in a circle, and the script that says so finds one that does.
cd "${srcdir:-.}" || exit 1
awk -f tests/unit/layers.awk src/*/*.[ch] src/analysis/*/*.[ch] compat/*/*.[ch] || exit 1

bad=$(mktemp -d) || exit 1
trap 'rm -rf "$bad"' EXIT
mkdir -p "$bad/base" "$bad/row" "$bad/resolve" "$bad/analysis/amp" "$bad/analysis/attic" "$bad/compat/sys" "$bad/compat/attic"
echo '#include "row/format.h"' >"$bad/base/up.c"
echo '#include "format.h"' >"$bad/row/bare.c"
echo '#include "resolve/procs.h"' >"$bad/resolve/fd_table.c"
echo '#include "base/b.h"' >"$bad/base/a.h"
echo '#include "base/c_private.h"' >"$bad/base/b.c"
echo '#include "base/a.h"' >"$bad/base/c.c"
echo '#include "resolve/names.h"' >"$bad/resolve/stray.c"
echo '#include "analysis/files/files_cell.h"' >"$bad/analysis/amp/looks.c"
echo '#include "analysis/common/table.h"' >"$bad/analysis/attic/stray.c"

echo '#include "compat/host/host.h"' >"$bad/compat/sys/up.c"
echo '#include "compat/sys/sys.h"' >"$bad/compat/attic/stray.c"

# FILE must be refused with that line.
refused() {
	if awk -f tests/unit/layers.awk "$bad/$1" >"$bad/output" || ! grep -q "$2" "$bad/output"; then
		echo "$1 was not refused: $(cat "$bad/output")"
		exit 1
	fi
}
refused base/up.c 'base must not include row/format.h'
refused row/bare.c 'does not name its folder'
refused resolve/fd_table.c 'fd_table must not include resolve/procs.h'
refused resolve/stray.c 'has no place in the order'
refused analysis/amp/looks.c 'the room amp must not include analysis/files/files_cell.h'
refused analysis/attic/stray.c 'analysis is no floor'
refused compat/sys/up.c 'compat/sys must not include compat/host/host.h'
refused compat/attic/stray.c 'compat is no floor'
awk -f tests/unit/layers.awk "$bad"/base/[abc].[ch] >"$bad/output" && { echo 'a circle was not refused'; exit 1; }
grep -q 'a circle of includes: ' "$bad/output" || { cat "$bad/output"; exit 1; }

# Planner and image choose by the traits of streams (streams.def) and name none: what a stream needs it says itself.
streams=$(sed -n 's/^\tSTREAM(\([a-z_]*\),.*/\1/p' probes/schema/streams.def | paste -sd'|')
names_stream() {
	grep -nE "\\b(IOT_)?STREAM_($streams)\\b|\"($streams)\"|CAP_[A-Z]" "$@"
}
# not probes_text.c, which is made of the probes
names_stream src/plan/*.[ch] src/image/[!p]*.[ch] src/image/plan_text.[ch] && { echo 'the planner or the image names a stream'; exit 1; }
echo 'return stream == STREAM_pagefault;' >"$bad/named.c"
echo 'return !strcmp(name, "nw_conn");' >"$bad/quoted.c"
echo 'fprintf(out, "#define IOT_STREAM_fs 1\n");' >"$bad/defined.c"
echo 'return plan_find(plan, CAP_FS_READ);' >"$bad/found.c"
for planted in named quoted defined found; do
	names_stream "$bad/$planted.c" >/dev/null || { echo "$planted.c: a stream was not found"; exit 1; }
done

# Of two headers with one guard only the first is read.
twice=$(sed -n 's/^#define \(IOT_[A-Z0-9_]*_H\)$/\1/p' src/*/*.h src/analysis/*/*.h compat/*/*.h | sort | uniq -d)
[ -z "$twice" ] || { echo "a guard of two headers: $twice"; exit 1; }

# Every file that others call has a header of its own name. Not main, the commands (a
# table has them), programs of the build, what stands for another file where a library is missing, and what defines nothing but the table of its stream.
without_header() {
	local c

	for c in "$@"; do
		case $c in
		*/main.c | */*_cmd.c | */*_none.c | */version_text.c | */completion.c | */manual.c | */symbolizer.c) continue ;;
		esac
		[ -e "${c%.c}.h" ] || { grep -q '^const struct stream_ops ' "$c" && ! grep -v '^static ' "$c" | grep -q '^[a-z][^=;]*('; } ||
			echo "$c has no header of its own name"
	done
}
missing=$(without_header src/*/*.c src/analysis/*/*.c compat/*/*.c)
[ -z "$missing" ] || { echo "$missing"; exit 1; }
printf 'static int own(void)\n{\n}\nconst struct stream_ops stream_x = { 0 };\n' | tee "$bad/table.c" >"$bad/more.c"
printf 'int called(void)\n{\n}\n' | tee -a "$bad/more.c" "$bad/called.c" >"$bad/declared.c"
: >"$bad/declared.h"
without_header "$bad"/{called,declared,more,table}.c | sed 's/.*\///' | paste -sd, >"$bad/output"
echo 'called.c has no header of its own name,more.c has no header of its own name' | diff - "$bad/output" || exit 1
