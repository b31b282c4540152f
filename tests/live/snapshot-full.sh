#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A full disk during a snapshot, wherever in it: it is there as a whole or not
# at all, one line says why, and what was there before is what it was.
. "$(dirname "$0")/lib.sh"

undo()
{
	umount -l "$tmp/small" 2>/dev/null
}

mkdir small tree
mount -t tmpfs -o size=1m none small 2>/dev/null || skip_all 'mounting is not allowed'
umount small
command -v jq >/dev/null || skip_all 'jq is missing'
for i in {1..300}; do : >"tree/a file that takes some room in a row of a snapshot $i"; done

# nothing but whole files under final names, and no other
no_part()
{
	[ -z "$(find "$1" -name '.?*')" ] && return
	find "$1" -name '.?*'
	return 1
}

# what the newest of KIND is called, and whether it is all there
newest()
{
	case $2 in
	fs) [ "$(zcat "$1/filesystem_snap.csv.gz" | tail -n +2 | wc -l)" = 301 ] ;;
	process) [ "$(tail -n +2 "$1/process_snap.csv" | wc -l)" -ge 2 ] ;;
	system) [ "$(jq -s length "$1"/system_spec/*.json)" = 5 ] && [ -s "$1/system_spec/device_spec.txt" ] ;;
	esac
}

nothing_of()
{
	local names=(filesystem_snap.csv.gz filesystem_snapshot process_snap.csv process system_spec) name

	for name in "${names[@]}"; do
		[ ! -e "$1/$name" ] || { echo "there is $name"; return 1; }
	done
}

# ---- by itself: the room ends anywhere ----

# once KIND KIB: with so much room. Counts what became of it.
once()
{
	local status verdict

	mount -t tmpfs -o "size=${2}k" none small || return
	"$IOTRACER" snapshot -o small/s "$1" --snapshot-root "$tmp/tree" 2>said
	status=$?
	if [ "$status" = 0 ]; then
		kept=$((kept + 1))
		newest small/s "$1" && "$IOTRACER" verify -q small/s 2>verify.said
		verdict=$?
	elif [ ! -e small/s ]; then
		refused=$((refused + 1))
		grep -q 'No space left' said && one_message said
		verdict=$?
	else
		failed=$((failed + 1))
		# of the manifest itself there may be one more
		grep -q "snapshot of $1: not kept: .*No space left\|manifest.json: No space left" said &&
			[ "$(wc -l <said)" -le 2 ] && no_part small/s && { kept_unsaid "$1" || nothing_of small/s; }
		verdict=$?
	fi
	[ "$verdict" = 0 ] || { echo "$1, $2 KiB: status $status"; cat said; [ ! -e small/s ] || find small/s; }
	umount small
	return "$verdict"
}

# The snapshot is whole, but there was no room for the manifest that says so: verify does.
kept_unsaid()
{
	newest small/s "$1" 2>/dev/null && grep -q 'manifest.json: No space left' said || return
	"$IOTRACER" verify -q small/s 2>verify.said
	[ $? = 3 ]
}

# anywhere KIND: each amount of room up to more than enough, with and without room kept for the manifest
anywhere()
{
	local kib bad=0

	kept=0 failed=0 refused=0
	for kib in {4..100..4} {260..400..4} 700; do
		once "$1" "$kib" || bad=$((bad + 1))
	done
	echo "$kept kept, $failed given up, $refused refused, $bad of them wrong"
	[ "$bad" = 0 ] && [ "$kept" -ge 3 ] && [ "$failed" -ge 3 ]
}

for kind in fs process system; do
	check "$kind: whole or not at all, wherever the room ends" anywhere $kind
done

# with room kept for the manifest it is one line, and what is there is whole
mount -t tmpfs -o size=600k none small
for i in {1..3000}; do : >"tree/another file that takes some room in a row of a snapshot $i"; done
"$IOTRACER" snapshot -o small/s fs --snapshot-root "$tmp/tree" 2>said
check 'a full disk: status 1' [ $? = 1 ]
check 'a full disk: one message' one_message said
check 'a full disk: it says why' grep -q 'snapshot of fs: not kept: No space left' said
check 'a full disk: the manifest counts it' jq -e '.snapshots.fs.failed == 1 and .snapshots.fs.kept == 0 and .state == "complete"' small/s/manifest.json
check 'a full disk: nothing of it' nothing_of small/s
check 'a full disk: no part' no_part small/s
check 'a full disk: what there is, is whole' "$IOTRACER" verify -q small/s
umount small
rm -f tree/another*

# ---- beside a trace: those before stay ----

# begin OPTION...: a trace on a disk of its own, with the newest ones of the first seconds kept here
begin()
{
	umount small 2>/dev/null
	rm -rf before
	mkdir before
	mount -t tmpfs -o size=40m none small
	"$IOTRACER" record -o small/s "${tier_options[@]}" -e fs --snapshot-root "$tmp/tree" --snapshot-interval 3 \
		--process-interval 3 "$@" 2>said &
	tracer=$!
	pids+=("$tracer")
	eventually 30 [ -s small/s/filesystem_snap.csv.gz ]
	sleep 1
	cp -a small/s/filesystem_snap.csv.gz small/s/process_snap.csv small/s/system_spec before
}

fill_up()
{
	dd if=/dev/zero of=small/filler bs=64k 2>/dev/null
	dd if=/dev/zero of=small/filler bs=4k oflag=append conv=notrunc 2>/dev/null
}

# what is there is that from before, whole, and nothing but it
as_before()
{
	local file

	for file in filesystem_snap.csv.gz process_snap.csv system_spec; do
		check "$1: $file is that from before" diff -rq before/$file small/s/$file
	done
	check "$1: the newest of files is whole" newest small/s fs
	check "$1: no part" no_part small/s
	"$IOTRACER" verify small/s >verify.said 2>&1
	check "$1: what is kept is whole" [ $? = 0 ] || cat verify.said
}

# a trace without a row: of the full disk only snapshots hear
begin -c nobody -d 14
fill_up
wait "$tracer"
check 'without rows: status 0' [ $? = 0 ] || cat said
check 'without rows: files: said once' [ "$(grep -c 'snapshot of fs: not kept: .*are left' said)" = 1 ]
check 'without rows: processes: said once' [ "$(grep -c 'snapshot of process: not kept: No space left' said)" = 1 ]
check 'without rows: more than one failed' \
	jq -e '.snapshots.fs.failed >= 2 and .snapshots.process.failed >= 2' small/s/manifest.json
as_before 'without rows'

# with rows: the room that is left is the manifest's
cat >writer <<'END'
exec 9>lines
until [ -e full ]; do echo $((n++)) >&9; sleep 0.05; done
for ((i = 0; i < 30000; i++)); do echo $((n++)) >&9; done
sleep 7
exit 7
END
begin -- bash writer
fill_up
: >full
wait "$tracer"
check 'with rows: the status is that of the command' [ $? = 7 ]
check 'with rows: that writing paused is said once' [ "$(grep -c 'writing paused.*No space left' said)" = 1 ]
check 'with rows: of each snapshot one line at most' [ "$(grep -c 'snapshot of' said)" -le 2 ]
as_before 'with rows'
check 'with rows: those that are missing are told' grep -q 'rows of fs could not be written' verify.said
