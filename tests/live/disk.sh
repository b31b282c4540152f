#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Where the trace goes: what is refused, what happens when there is no more
# room, and that what was written before is kept.
# shellcheck disable=SC2016 # for another shell
. "$(dirname "$0")/lib.sh"

undo()
{
	umount -l "$tmp/small" "$tmp/ro" 2>/dev/null
}

repaired_for_the_group()
{
	"$IOTRACER" record -q "${record_options[@]}" -e fs -o again --group daemon -- true && rm again/manifest.json &&
		"$IOTRACER" verify -q --repair again 2>/dev/null
	[ -z "$(not_as again 2750 640)" ] && [ -z "$(find again ! -group daemon)" ]
}

mkdir used empty small ro
echo precious >used/file
record used -e fs -- true
check 'a directory with something in it is refused' [ $? = 1 ]
check 'with one message' one_message used.log
check 'and left alone' [ "$(ls used)" = file ]
record empty -e fs -- true
check 'an empty one is used' [ $? = 0 -a -f empty/manifest.json ]
echo x >file
record file -e fs -- true
check 'a file is refused' [ $? = 1 ]
check 'with one message' one_message file.log
# made by another user, or open to others: whoever made it would read what root sees
mkdir -m 755 another open
chown 12345 another && chmod 1777 open
for d in another open; do
	record $d -e fs -- true
	check "$d: refused" [ $? = 1 ]
	check "$d: with one message" one_message $d.log
	check "$d: and left alone" [ -z "$(ls -A $d)" ]
done
ln -s "$tmp/small" link
record link -e fs -- true
check "a link is refused" [ $? = 1 ]
check "nothing lands behind it" [ -z "$(ls -A small)" ]
"$IOTRACER" record "${record_options[@]}" -o nowhere/deep/session -e fs -- true 2>deep.log
check 'missing parents: made, or one message' [ -f nowhere/deep/session/manifest.json -o "$(wc -l <deep.log)" = 1 ]

# everybody's paths, arguments and peers are in it
not_as()
{
	find "$1" \( -type d ! -perm "$2" -o ! -type d ! -perm "$3" \) | head -3
}
(umask 0; record closed --summary=files,amp -d 1 >/dev/null 2>&1)
check "nobody else reads a directory ($(not_as closed 700 600))" [ -d closed/summary -a -d closed/fs -a -z "$(not_as closed 700 600)" ]
(umask 0; "$IOTRACER" snapshot -q -o taken process system)
check "nor snapshots ($(not_as taken 700 600))" [ -d taken/process -a -d taken/system_spec -a -z "$(not_as taken 700 600)" ]
(umask 077; record grouped --summary=files,amp --group daemon -d 1 >/dev/null 2>&1)
check "but the group that is named ($(not_as grouped 2750 640))" [ -d grouped/summary -a -z "$(not_as grouped 2750 640)" ]
check 'which all of it belongs to' [ -z "$(find grouped ! -group daemon)" ]
check 'and which it is kept for by verify --repair' repaired_for_the_group

# writes N small rows: a line each into its file
cat >writer <<'END'
for ((i = 0; i < $1; i++)); do echo "$i"; done >"$2"
END

if ! mount -t tmpfs -o size=2m none small 2>/dev/null; then
	skip 'full disk and read-only target: mounting is not allowed'
else
	"$IOTRACER" record -o small/s "${record_options[@]}" -e fs --rotate-rows 1000 -- \
		bash writer 30000 "$tmp/lines" 2>full.log
	status=$?
	check 'full disk: the command ends in peace, and the status says that rows are missing' [ "$status" = 1 ]
	check 'full disk: it ran to its end' [ "$(wc -l <lines)" = 30000 ]
	check 'full disk: said once' [ "$(grep -c 'No space\|space' full.log)" = 1 ]
	check 'full disk: what was written before is kept' [ "$(n_rows small/s fs)" -ge 1000 ]
	# every row that is there is whole, and there is no hole before the end
	cells small/s fs operation,offset,filename,size | awk -F'\t' -v f="$tmp/lines" '
		$1 == "WRITE" && $3 == f { if ($2 != at) exit 1; at += $4; n++ } END { exit n < 100 }'
	check 'full disk: without a hole' [ $? = 0 ]
	rm -rf small/s
	"$IOTRACER" record -o small/s "${record_options[@]}" -e fs -- bash -c '. ./writer; exit 7' _ 30000 "$tmp/lines" \
		2>full.log
	check 'full disk: a status of the command that is no success stays' [ $? = 7 ]
	rm -rf small/s
	"$IOTRACER" record -o small/s "${record_options[@]}" -e fs -d 5 -c bash 2>full2.log &
	tracer=$!
	pids+=("$tracer")
	eventually 10 grep -q 'recording into' full2.log
	bash writer 30000 "$tmp/lines"
	wait "$tracer"
	check 'full disk without a command: status 1' [ $? = 1 ]
	rm -rf small/s

	# The disk fills up, stays full, and has room again. Each phase begins when it is told to.
	mkfifo go
	cat >phases <<-'END'
	exec 4<go >"$1"
	for n in 9000 5000 1000; do
		read -r <&4
		for ((i = 0; i < n; i++)); do echo "$i"; done
	done
	END
	# in_phases DIR NAME: the same operations each time; between the phases, for the second time, the disk
	in_phases()
	{
		: >"$2.lines"
		# a ring that no load fills: what is lost is lost on the disk
		"$IOTRACER" record -o "$1" "${record_options[@]}" -m 1024 -e fs -- bash phases "$tmp/$2.lines" 2>"$2.log" &
		tracer=$!
		pids+=("$tracer")
		exec 5>go
		echo >&5
		eventually 20 has_lines "$2.lines" 9000
		[ "$2" != again ] || eventually 20 grep -q 'writing paused' again.log
		echo >&5
		eventually 20 has_lines "$2.lines" 14000
		sleep 1.5 # these are to come while the disk is full
		[ "$2" != again ] || rm small/filler
		[ "$2" != again ] || eventually 20 grep -q 'writing continues' again.log
		echo >&5
		exec 5>&-
		wait "$tracer"
	}
	has_lines()
	{
		[ "$(wc -l <"$1")" -ge "$2" ]
	}
	in_phases reference reference
	check 'a disk with room: status 0' [ $? = 0 ]
	fallocate -l 1200K small/filler
	in_phases small/s again
	check 'room again: the status says that rows are missing' [ $? = 1 ]
	check 'room again: both is said once' \
		[ "$(grep -c 'writing paused' again.log)/$(grep -c 'writing continues' again.log)" = 1/1 ]
	rows=$(n_rows small/s fs)
	lost=$(lost small/s fs disk-full)
	all=$(n_rows reference fs)
	check "room again: rows ($rows) and lost ones ($lost) are all operations ($all)" [ $((rows + lost)) = "$all" ]
	check 'room again: the second phase is lost' [ "$lost" -ge 5000 ]
	cells small/s fs operation,filename,offset | awk -F'\t' -v f="$tmp/again.lines" '
		$1 == "WRITE" && $2 == f { n++ } END { print n }' >written
	check 'room again: the third phase is there' [ "$(tail -n 1 written)" -ge 1000 ]
	losses=$(cells small/s lost stream,reason,count | tr '\t\n' ' ;')
	check "room again: its last write is the last (lost: $losses)" [ "$(cells small/s fs operation,filename,offset,size |
		awk -F'\t' -v f="$tmp/again.lines" '$1 == "WRITE" && $2 == f { end = $3 + $4 } END { print end }')" = \
		"$(stat -c %s again.lines)" ]
	check 'room again: in a new segment' [ "$(jq '.streams[] | select(.name == "fs") | .segments | length' \
		small/s/manifest.json)" = 2 ]
	check 'room again: the manifest tells it' jq -e --argjson n "$lost" \
		'.lost[] | select(.stream == "fs" and .reason == "disk-full") | .count == $n' small/s/manifest.json
	check 'room again: and that it ended well' [ "$(jq -r .state small/s/manifest.json)" = complete ]
	"$IOTRACER" verify small/s >verified 2>&1
	status=$?
	check "room again: verify finds it whole ($(tail -n 3 verified | tr '\n' ' '))" [ $status = 0 ]
	check 'room again: and says what is missing' grep -q "lost $lost of fs: disk-full" verified
	rm -rf small/s reference

	mount -t tmpfs -o ro none ro
	"$IOTRACER" record -o ro/s "${record_options[@]}" -e fs -- touch ran 2>ro.log
	check 'read-only target: status 1' [ $? = 1 ]
	check 'read-only target: one message' one_message ro.log
	check 'read-only target: the command did not run' [ ! -e ran ]
fi

record gone -e fs -- bash -c 'echo a >one; rm -rf gone; sleep 1.5; for i in {1..200}; do echo $i; done >two'
check 'directory removed: the status says that rows are missing' [ $? = 1 ]
check 'directory removed: the command ended in peace' [ "$(wc -l <two)" = 200 ]
check 'directory removed: said once' [ "$(grep -c 'writing stopped' gone.log)" = 1 ]

record max -e fs --rotate-rows 1000 --max-disk 1M -- bash writer 30000 "$tmp/lines"
check '--max-disk: status 0' [ $? = 0 ]
check '--max-disk: kept to it' [ "$(du -sb max/fs | cut -f1)" -le 1200000 ]
check '--max-disk: the oldest went' [ ! -e "$(echo max/fs/*_0001.csv)" ]
check '--max-disk: and was counted' jq -e '.streams[] | select(.name == "fs") | .evicted_rows > 0' max/manifest.json
total=$(jq '.streams[] | select(.name == "fs") | .rows' max/manifest.json)
evicted=$(jq '.streams[] | select(.name == "fs") | .evicted_rows' max/manifest.json)
check "--max-disk: rows that are there ($(n_rows max fs)) and that went ($evicted) are all ($total)" \
	[ "$(n_rows max fs)" = $((total - evicted)) -o $((total + evicted)) -ge 30000 -a "$(n_rows max fs)" = "$total" ]

free=$(($(stat -f -c '%a * %S' .) / 1024 / 1024))
record min -e fs --min-free $((free + 100000))M -- bash writer 50 "$tmp/lines"
status=$?
check '--min-free: refused, or the command ends in peace' [ "$status" = 0 -o "$status" = 1 ]
check '--min-free: says so' grep -qi 'free' min.log
