#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# For whom XFS' log is written, mostly by a worker: a process whose file system counts each buffer that it
# writes; two in one checkpoint; and one that is traced beside one that is not.
#   LIVE_JOURNAL  a directory on an XFS of a disk that nobody else uses (default: in an image)
. "$(dirname "$0")/lib.sh"
. "$tests_dir/live/lib-disks.sh"
undo() { umount_images; }

case ${LIVE_TIER:-} in
a | '') ;;
*) [ -d /sys/kernel/tracing/events/xfs/xlog_iclog_sync ] || skip_all 'buffers of the log have no events here (5.14), and functions are seen in tier a only' ;;
esac
if [ -z "${LIVE_JOURNAL:-}" ]; then
	mount_image xfs || skip_all 'no mkfs.xfs, or no loop devices'
	LIVE_JOURNAL=$PWD/xfs
fi
source=$(findmnt -no SOURCE -T "$LIVE_JOURNAL")
disk=$(basename "$source")
statistics=/sys/fs/xfs/$disk/stats/stats
[ -r "$statistics" ] || skip_all "XFS counts nothing for $source alone"
# shellcheck source=lib-journals.sh source-path=SCRIPTDIR
. "$tests_dir/live/lib-journals.sh"

# buffers and sectors of the log that were written
log_written()
{
	awk '$1 == "log" { print $2, $3 }' "$statistics"
}

# nothing is left to be written: what is in memory, then what says that nothing is
settle()
{
	sync -f "$LIVE_JOURNAL"
	for _ in 1 2; do
		xfs_freeze -f "$LIVE_JOURNAL" && xfs_freeze -u "$LIVE_JOURNAL"
	done
}

# ---- one process ----

settle
printf '%s\n' 'one make 3000' 'one sync' 'one make 1' 'one sync' >lines
check 'a process that makes many files and syncs is recorded' record alone -e ds,layers,exec -- sh counted.sh "$statistics" "$python" "$LIVE_JOURNAL" <lines
# what the file system counts; a buffer that goes on where the log begins is two requests
all_there()
{
	local want got

	want=$(awk '$1 == "log" { if (!n++) { buffers = $2; sectors = $3 } else print $2 - buffers, $3 - sectors }' before after)
	got=$(rows alone | awk '$2 == "journal" { n++; sectors += $5 } END { print n + 0, sectors + 0 }')
	echo "XFS: $want; rows: $got"
	awk '{ exit !($1 > 10 && ($3 == $1 || $3 == $1 + 1) && $4 == $2) }' <<<"$want $got"
}
check 'its rows are all that was written of the log, to the request and the sector' all_there
check 'each of them is its own' owned_by alone one 1
check 'a worker wrote most of them' sh -c '[ "$1" -gt 10 ]' - "$(rows alone | grep -c '^kworker/.* journal ')"
check_counts alone one

# ---- several in one checkpoint ----

settle
printf '%s\n' 'few make 10' 'many make 400' 'few sync' >lines
check 'two processes change it before one of them syncs' record both -e ds -- "$python" play.py "$LIVE_JOURNAL" few many <lines
check 'the checkpoint is of two, and the one with most of the changes is named' owned_among both many 2

# ---- one that is not traced ----

settle
two_begin
# three checkpoints: of both, of others alone, and his own
synced()
{
	[ "$(grep -c ' sync	' times)" = "$1" ]
}
log_written >written
n=1
for lines in 'other make 400|traced make 400|other sync' 'other make 400|other sync' 'traced make 1|traced sync'; do
	tr '|' '\n' <<<"$lines" >&3
	n=$((n + 1))
	eventually 60 synced $n
	log_written >>written
done
two_end
check 'of a process that is traced alone the checkpoints are its own, whoever else is in them' owned_by one traced 1
# sectors of the first and the third; of the second nothing
his_own()
{
	local wanted found

	wanted=$(awk '{ n[NR] = $2 } END { print n[2] - n[1] + n[4] - n[3], n[3] - n[2] }' written)
	found=$(rows one | awk '$2 == "journal" { sectors += $5 } END { print sectors + 0 }')
	echo "XFS: ${wanted% *} that he has a part in, ${wanted#* } of others alone; rows: $found"
	[ "${wanted% *}" = "$found" ] && [ "${wanted#* }" -gt 0 ]
}
check "what others' syncs write of it is there to the sector, and what is of others only is not" his_own
