#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The layout of this kernel as it is learned from objects of our own: the same in
# a saved host, kept for the next start, and good for the rows of tier b.
. "$(dirname "$0")/lib.sh"

[ -z "${LIVE_IMAGE:-}" ] || skip_all 'an image has its layout already'
"$IOTRACER" doctor --layout learned --collect learned.tar.gz 2>log
check 'a saved host' [ $? = 0 ]
tar xzOf learned.tar.gz iotracer/layout >learned 2>/dev/null ||
	skip_all "$("$IOTRACER" doctor --layout learned | sed -n 's/^layouts *//p')"
check 'says that it is not all' grep -q '^partial ' learned
check 'at the desk it is the layout' \
	grep -q '^layouts .*learned on the host' <("$IOTRACER" doctor --root learned.tar.gz)

if "$IOTRACER" doctor --layout btf --collect btf.tar.gz 2>log && tar xzOf btf.tar.gz iotracer/layout >btf 2>/dev/null; then
	awk '$1 == "member" { print $2, $3 }' learned | sort >a
	awk '$1 == "member" { print $2, $3 }' btf | sort >b
	comm -23 a b >different
	check "its $(wc -l <a) places are those of BTF" [ ! -s different ]
	sed 's/^/# /' different
fi

LIVE_LAYOUT=learned
record_options=(--no-kprobes --layout learned --no-snapshots)
# what is kept, and damaged here, is nobody else's
export IOTRACER_CACHE=$tmp/cache
record s -e fs,exec -- bash -c 'exec 7>"$1/F"; echo 0123456789 >&7; sync "$1/F"' - "$PWD"
check 'recorded' [ $? = 0 ]
check 'the manifest says so' grep -q '"layout": *"learned"' s/manifest.json
row=$(cells s fs operation,command,filename,inode 2>/dev/null | grep -P '^WRITE\t.*/F\t' | head -n 1)
check "a write has the file's inode: $row" [ "$(printf '%s' "$row" | cut -f4)" = "$(stat -c %i F)" ]

# the second of two starts finds what the first one kept
file=$(find "$IOTRACER_CACHE" -maxdepth 1 -name '*-learned.layout' | head -n 1)
check 'it is kept' [ -n "$file" ]
if [ -n "$file" ]; then
	before=$(stat -c %i "$file")
	record again -e exec -- true
	check 'the next start' grep -q '"layout": *"learned"' again/manifest.json
	check 'learns nothing anew' [ "$(stat -c %i "$file")" = "$before" ]
	echo 'damaged' >"$file"
	record once -e exec -- true
	check 'one that is damaged is learned again' [ "$(stat -c %i "$file")" != "$before" ]

	# a wrong place becomes no wrong row: the file of a position is not where it was kept
	sed -i 's/^member file.f_pos .*/member file.f_pos 16 8 1/; s/^member inode.i_ino .*/member inode.i_ino 8 8 0/' "$file"
	"$IOTRACER" doctor --layout learned >/dev/null 2>damaged.log
	check 'what was changed by hand is said' grep -q 'layout is damaged: rebuilding it' damaged.log
	sed -i 's/^member file.f_pos .*/member file.f_pos 16 8 1/; s/^member inode.i_ino .*/member inode.i_ino 8 8 0/; $d' "$file"
	echo "end of layout $(sha256sum <"$file" | cut -d ' ' -f 1)" >>"$file"
	record tampered -e fs -- bash -c 'exec 7>"$1/F"; echo 0123456789 >&7; echo 012 >&7' - "$PWD"
	check 'a wrong place is said' grep -q 'the self-test found that .* is not where it was at an earlier start: learning it again' tampered.log
	rows=$(cells tampered fs operation,filename,inode,offset | grep -P '^WRITE\t.*/F\t' | cut -f3,4 | tr '\t\n' '  ')
	check "and no row has it: $rows" [ "$rows" = "$(stat -c %i F) 0 $(stat -c %i F) 11 " ]
	record after -e exec -- true
	check 'nor is there anything to say at the next start' bash -c '! grep -q learned after.log'
fi
