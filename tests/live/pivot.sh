#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Paths of a process that made another directory its root, in a mount namespace
# of its own: whole, but not the host's, and their status says so.
. "$(dirname "$0")/lib.sh"

flood=$(program conform_flood -static) || skip_all 'conform_flood cannot be linked statically here'
if ! command -v unshare >/dev/null || ! command -v pivot_root >/dev/null; then
	skip_all 'unshare or pivot_root is not installed'
fi
mkdir -p new/old
cp "$flood" new/flood
cat >turn <<-END
	mount --bind $tmp/new $tmp/new && cd $tmp/new && pivot_root . old && cd / && exec /flood /F 2 30011
END
unshare -m --propagation private bash turn 2>turn.log || skip_all "no root can be changed here: $(tail -n 1 turn.log)"
rm new/F

# status SESSION FILE: of rows on it
status()
{
	cells "$1" fs operation,filename,path_status | awk -F'\t' -v file="$2" '$1 == "WRITE" && $2 == file { print $3 }' | sort -u
}

record s -e fs -m 2048 -- unshare -m --propagation private bash turn
check 'recorded' [ $? = 0 ]
check "after pivot_root no path is the host's ($(status s /F | tr '\n' ' '))" \
	grep -qx 'o\|om\|mo' <(status s /F)
check 'and none says so' [ -z "$(status s /F | grep f)" ]

# a namespace of its own alone changes nothing
record n -e fs -m 2048 -- unshare -m --propagation private "$flood" "$tmp/F" 2 30011
check "without pivot_root they are ($(status n "$tmp/F" | tr '\n' ' '))" [ -z "$(status n "$tmp/F" | grep -v f)" -a -n "$(status n "$tmp/F")" ]
