#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# For whom ext4's journal commits: processes that change a file system of their own, whose disk then has
# exactly the requests that the kernel counts for it; one that is not traced; and two in one commit.
#   LIVE_JOURNAL  a directory on an ext4 of a disk that nobody else uses, commit=60 (default: in an image)
. "$(dirname "$0")/lib.sh"
. "$tests_dir/live/lib-disks.sh"
undo()
{
	umount_images
}

[ -d /sys/kernel/tracing/events/jbd2 ] || skip_all 'this kernel has no events of jbd2'
if [ -z "${LIVE_JOURNAL:-}" ]; then
	mount_image ext4 commit=60,noinit_itable || skip_all 'no mkfs.ext4, or no loop devices'
	LIVE_JOURNAL=$PWD/ext4
fi
source=$(findmnt -no SOURCE -T "$LIVE_JOURNAL")
disk=$(basename "$source")
[ -e "/sys/class/block/$disk/stat" ] || skip_all "$source has no counters"

# shellcheck source=lib-journals.sh source-path=SCRIPTDIR
. "$tests_dir/live/lib-journals.sh"

# Nothing is left to be written, and the journal has begun
settle()
{
	mkdir -p "$LIVE_JOURNAL/settled"
	sync -f "$LIVE_JOURNAL"
	printf '%s\n' "w make 1" "w sync" | "$python" play.py "$LIVE_JOURNAL" w
}

# ---- one process ----

# the journal is empty: its first block is written before the first commit
settle
fsfreeze -f "$LIVE_JOURNAL" && fsfreeze -u "$LIVE_JOURNAL"
for ((i = 0; i < 20; i++)); do
	printf '%s\n' 'one make 1' 'one sync'
done >lines
check 'a process that syncs each of its files is recorded' record_unflushed alone -e ds,layers,exec -- sh counted.sh "/sys/class/block/$disk/stat" "$python" "$LIVE_JOURNAL"
# the disk's own counters say what nobody but it wrote
all_there()
{
	local want got

	# requests and sectors that were written
	want=$(cat before after | awk 'NR == 1 { n = $5; sectors = $7 } END { print $5 - n, $7 - sectors }')
	got=$(rows alone | awk '{ n++; sectors += $5 } END { print n + 0, sectors + 0 }')
	echo "the kernel: $want; rows: $got"
	[ "$want" = "$got" ]
}
check 'its rows are all that the disk wrote, to the request and the sector' all_there
check 'each commit is its own' owned_by alone one 1
check 'there are as many as it synced, or more' sh -c '[ "$1" -ge 20 ]' - "$(rows alone | grep -c '^jbd2/.* journal ')"
check_counts alone one

# ---- several in one commit ----

settle
printf '%s\n' 'few make 1' 'many make 40' 'few sync' >lines
check 'two processes change it before one of them syncs' record both -e ds -- "$python" play.py "$LIVE_JOURNAL" few many <lines
check 'the commit is of two, and the one with most of the changes is named' owned_among both many 2

# ---- one that is not traced ----

settle
two_begin
printf '%s\n' 'other make 40' 'traced make 1' 'traced sync' 'other make 5' 'other sync' 'traced make 1' >&3
two_end
check 'of a process that is traced alone the commits are its own, whoever else is in them' owned_by one traced 1
# the last one that is his was there when his sync was
none_of_others()
{
	local last synced

	last=$(cells one ds dev,cause,mono_ns | awk -F'\t' -v dev="$dev" '$1 == dev && $2 == "journal" { print $3 }' | sort -n | tail -n 1)
	synced=$(awk -F'\t' '$1 == "traced sync" { print $2 }' times)
	echo "the last row at $last, his sync ended at $synced"
	[ -n "$last" ] && [ "$last" -le "$synced" ]
}
check 'and those of others only are not there' none_of_others
