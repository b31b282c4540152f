#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Requests of a disk with two partitions, told by the disk and by the partition:
# a loop device, whose requests are those of the program that writes to it.
. "$(dirname "$0")/lib.sh"

command -v losetup addpart >/dev/null || skip_all 'losetup and addpart (util-linux) are needed'
truncate -s 64M image || exit 1
loop=$(losetup -f --show "$tmp/image" 2>/dev/null) || skip_all 'no loop device can be made here'
undo()
{
	for at in one two; do
		! mountpoint -q "$tmp/$at" || umount "$tmp/$at"
	done
	delpart "$loop" 1
	delpart "$loop" 2
	losetup -d "$loop"
} 2>/dev/null
# whoever had the device before may have some still, which go when the last one closes it
eventually 2 addpart "$loop" 1 2048 20480 && eventually 2 addpart "$loop" 2 22528 100000 || skip_all "$loop cannot have partitions"
name=${loop#/dev/}
disk=$(cat "/sys/block/$name/dev")
first=$(cat "/sys/block/$name/${name}p1/dev")
second=$(cat "/sys/block/$name/${name}p2/dev")

cat >requests <<-END
	dd if=/dev/zero of=$loop bs=4096 count=7 seek=256 oflag=direct conv=notrunc
	dd if=/dev/zero of=$loop bs=4096 count=5 seek=2816 oflag=direct conv=notrunc
	dd if=/dev/zero of=$loop bs=4096 count=3 oflag=direct conv=notrunc
	dd if=$loop of=/dev/null bs=4096 count=2 skip=256 iflag=direct
END

# Of dd's rows those of this disk: where memory is short, what dd itself consists of is read again from its own.
of_disk()
{
	cells "$1" ds command,operation,size,dev,sector |
		awk -F'\t' -v devices="$disk $first $second" '$1 == "dd" && index(" " devices " ", " " $4 " ")'
}

# rows SESSION: operation, bytes and device, counted
rows()
{
	of_disk "$1" | awk -F'\t' '{ n[$2 " " $3 " " $4]++ } END { for (is in n) print n[is], is }' | LC_ALL=C sort
}

record disk -e ds -- sh requests 2>/dev/null
check 'the whole disk by default' cmp <(rows disk) <(printf '%s\n' "15 write 4096 $disk" "2 read 4096 $disk" |
	LC_ALL=C sort)
record partition -e ds --dev=partition -- sh requests 2>/dev/null
check '--dev=partition: the partition in which the first sector lies' cmp <(rows partition) \
	<(printf '%s\n' "7 write 4096 $first" "5 write 4096 $second" "3 write 4096 $disk" "2 read 4096 $first" |
		LC_ALL=C sort)
check 'the sector stays that of the whole disk' [ "$(of_disk partition | cut -f 5 | head -n 1)" = 2048 ]
check 'names and places of partitions in the manifest' jq -e --arg name "${name}p2" --arg dev "$second" \
	--arg disk "$disk" '.devices[] | select(.name == $name) | .device == $dev and .disk == $disk and
		.first_sector == 22528 and .sectors == 100000' partition/manifest.json
"$IOTRACER" record -o none --dev=sector 2>wrong
check 'an unknown word is wrong usage' [ $? = 2 ]
check 'and one message' one_message wrong

# ---- two file systems on one disk: each tells what is its journal ----

if [ "$LIVE_TIER" = c ]; then
	skip 'classes: without layouts there are no counts'
	exit
fi
command -v mkfs.xfs python3 >/dev/null || { skip 'classes: no mkfs.xfs, or no python3'; exit; }
delpart "$loop" 1
delpart "$loop" 2
truncate -s 600M image && losetup -c "$loop"
addpart "$loop" 1 2048 819200 && addpart "$loop" 2 821248 204800 || { skip "classes: $loop cannot have partitions"; exit; }
mkdir -p one two
mkfs.xfs -q -f "${loop}p1" >said 2>&1 && mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 "${loop}p2" >said 2>&1 &&
	mount "${loop}p1" one 2>said && mount "${loop}p2" two 2>said || { skip "classes: $(tail -n 1 said)"; exit; }
cat >files.py <<'END'
import os
for at in "one", "two":
    for i in range(23):
        fd = os.open("%s/f%d" % (at, i), os.O_WRONLY | os.O_CREAT)
        os.write(fd, b"x" * 5000)
        os.fsync(fd)
        os.close(fd)
    fd = os.open(at, os.O_RDONLY)
    os.fsync(fd)
END
cat >classes.py <<'END'
import csv, glob, sys
def rows(stream):
    return [r for f in sorted(glob.glob(sys.argv[1] + "/" + stream + "/*.csv")) for r in csv.DictReader(open(f, errors="surrogateescape"))]
classes = {"journal": "journal", "metadata": "metadata", "lazyinit": "metadata", "swap": "swap", "loop": "loop", "": "other"}
counted, seen, journals = {}, {}, {}
def add(to, key, size):
    to[key] = to.get(key, 0) + int(size)
for r in rows("layers"):
    if r["layer"] == "BLOCK":
        add(counted, (r["operation"], r["class"]), r["bytes"])
for r in rows("ds"):
    if r["operation"] in ("read", "write"):
        kind = classes.get(r["cause"], "data")
        add(seen, (r["operation"].upper(), kind), r["size"])
        if r["dev"] == sys.argv[2] and r["operation"] == "write":
            sector = int(r["sector"])
            add(journals, (1 if 2048 <= sector < 821248 else 2, kind), r["size"])
print("ok" if counted == seen else "WRONG", sorted(counted.items()), sorted(seen.items()))
print(sorted(journals.items()))
print("xfs", journals.get((1, "journal"), 0), "ext4", journals.get((2, "journal"), 0))
END
if [ -n "${LIVE_WHOLE:-}" ]; then
	record_in_background classes -e ds,layers
	python3 files.py
	sync -f one
	sync -f two
	end_tracer
else
	record classes -e ds,layers -- sh -c 'python3 files.py; sync -f one; sync -f two'
fi
python3 classes.py classes "$disk" >classes.sums
check "classes: counted as rows have it ($(head -n 1 classes.sums))" grep -q '^ok' classes.sums
if [ -n "${LIVE_WHOLE:-}" ]; then
	check "classes: both file systems have a journal ($(tail -n 1 classes.sums))" grep -q 'xfs [1-9].* ext4 [1-9]' classes.sums
else
	sed 's/^/# /' classes.sums
fi
