#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Files of an overlay: requests of the device and pages of the cache have the names under which programs
# used them there, and belong to who wrote them, although the kernel knows them as files of a layer.
# alone: it empties the page cache
. "$(dirname "$0")/lib.sh"

mkdir lower upper work merged
dd if=/dev/urandom of=lower/old bs=64k count=17 status=none
sync -f lower
dd if=lower/old of=direct oflag=direct bs=64k count=1 status=none 2>/dev/null || skip_all "$tmp is on no disk"
undo()
{
	umount "$tmp/merged" 2>/dev/null
}
mount -t overlay -o "lowerdir=$PWD/lower,upperdir=$PWD/upper,workdir=$PWD/work" overlay merged 2>said ||
	skip_all "overlayfs: $(cat said)"
echo 3 >/proc/sys/vm/drop_caches

cat >load.sh <<'END'
dd if=/dev/zero of=merged/new bs=64k count=23 conv=fsync status=none
cat merged/old merged/new >/dev/null
dd if=/dev/zero of=merged/late bs=64k count=5 status=none
sync -f merged
END
record o -e fs,ds,cache -- bash load.sh

# bytes FILE OPERATION OWNER: of requests
bytes()
{
	cells o ds filename,operation,owner_command,size |
		awk -F'\t' -v file="$PWD/merged/$1" -v op="$2" -v owner="$3" '$1 == file && $2 == op && $3 == owner { n += $4 } END { print n + 0 }'
}
# pages FILE EVENT
pages()
{
	cells o cache filename,event_type,count |
		awk -F'\t' -v file="$PWD/merged/$1" -v event="$2" '$1 == file && $2 == event { n += $3 } END { print n + 0 }'
}
size=$(stat -c %s lower/old)
check "what is read from the lower layer has its file ($(bytes old read cat) of $size)" [ "$(bytes old read cat)" = "$size" ]
check "what is written to the upper one as well ($(bytes new write dd))" [ "$(bytes new write dd)" = $((23 * 65536)) ]
check "and its writer when others write it to the disk ($(bytes late write dd))" [ "$(bytes late write dd)" = $((5 * 65536)) ]
page=$(getconf PAGESIZE)
check "pages made dirty ($(pages new DIRTY))" [ "$(pages new DIRTY)" -ge 23 ]
check "pages that were not there ($(pages old MISS))" [ "$(pages old MISS)" -ge $((size / page)) ]
check "nothing is given to files of the layers" [ "$(cells o ds filename | grep -c -e /upper/ -e /lower/)" = 0 ]
