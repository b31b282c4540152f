#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Snapshots of the real machine: the files that find finds, the processes that
# /proc has, in bounded memory, by a user like any other, and beside a trace.
#   SNAPSHOT_FILES  how many files the large tree has (20000)
# alone: it compares times, and what changes meanwhile is on the whole machine
. "$(dirname "$0")/lib.sh"

n_files=${SNAPSHOT_FILES:-20000}

undo()
{
	umount -l "$tmp/small" "$tmp/big" 2>/dev/null
}

# snapshot DIR ARGUMENT...: what it says goes to DIR.log
snapshot()
{
	local dir=$1

	shift
	"$IOTRACER" snapshot -o "$dir" "$@" 2>"$dir.log"
}

# same_files SESSION ROOT DEPTH: the rows are what find has, type and size as well; nothing twice
same_files()
{
	cells "$1" filesystem_snapshot path,type,inode,mode,uid,gid | sort >rows.txt
	find "$2" -xdev -maxdepth "$3" -printf '%p\t%y\t%i\t%04m\t%U\t%G\n' | sort >found.txt
	diff rows.txt found.txt | head -5
	echo "$(wc -l <rows.txt) rows, $(wc -l <found.txt) files"
	cmp -s rows.txt found.txt
}

# rows of the newest are those of the segments
newest_agrees()
{
	[ "$(zcat "$1/filesystem_snap.csv.gz" | tail -n +2 | wc -l)" = "$(n_rows "$1" filesystem_snapshot)" ]
}

# ---- files ----

mkdir -p tree/{a,b}/{c,d}/{e,f}
for i in {1..50}; do echo "$i" >"tree/a/d/f/file $i"; done
ln -s /etc tree/link
mkfifo tree/a/pipe
for depth in 1 2 3 9; do
	snapshot "t$depth" fs --snapshot-root "$tmp/tree" --snapshot-depth $depth
	check "a tree, depth $depth: status" [ $? = 0 ]
	check "a tree, depth $depth: the files that find has" same_files "t$depth" "$tmp/tree" $depth
done
# trees that nobody changes meanwhile
for root in /usr /etc; do
	dir=root_${root#/}
	snapshot "$dir" fs --snapshot-root $root
	check "$root: the files that find has" same_files "$dir" $root 3
	check "$root: the newest is the whole" newest_agrees "$dir"
done
snapshot whole fs
check '/: status' [ $? = 0 ]
check "/: about as many as find has" [ $(($(n_rows whole filesystem_snapshot) - $(find / -xdev -maxdepth 3 2>/dev/null | wc -l))) -le 2000 ]
check '/: nothing of /proc' [ -z "$(cells whole filesystem_snapshot path | grep -m1 '^/proc/')" ]
check 'nothing is left open' [ -z "$(find whole t1 -name '*.part')" ]
check 'a root that is not there: status 1' [ "$(snapshot none fs --snapshot-root "$tmp/nowhere"; echo $?)" = 1 ]
check 'a root that is not there: one message' one_message none.log
check 'wrong words: status 2' [ "$(snapshot wrong files; echo $?)" = 2 ]
check 'and nothing is made' [ ! -e wrong ]

# ---- many files, bounded memory ----

cat >many.py <<'END'
import os, sys
top, n = sys.argv[1], int(sys.argv[2])
for i in range(n):
    if i % 1000 == 0:
        d = os.path.join(top, "d%04d" % (i // 1000))
        os.makedirs(d)
    os.close(os.open(os.path.join(d, "a file with a name of some length %07d" % i), os.O_CREAT | os.O_WRONLY))
END
# peak FILE COMMAND...: its largest resident size in KiB goes to FILE
peak()
{
	local out=$1 pid

	shift
	"$@" &
	pid=$!
	while kill -0 "$pid" 2>/dev/null; do
		awk '/^VmHWM/ { print $2 }' "/proc/$pid/status" >"$out.now" 2>/dev/null
		[ ! -s "$out.now" ] || mv "$out.now" "$out"
		sleep 0.02
	done
	wait "$pid"
}
if ! command -v python3 >/dev/null; then
	skip 'many files: python3 is missing'
else
	mkdir big
	mount -t tmpfs -o size=4g,nr_inodes=0 none big 2>/dev/null || echo 'many files on disk: mounting is not allowed'
	python3 many.py big/tree "$n_files"
	peak kib "$IOTRACER" snapshot -v -o many fs --snapshot-root "$tmp/big/tree" --snapshot-depth 0
	kib=$(cat kib)
	echo "$n_files files: $kib KiB"
	check "$n_files files: each is a row" [ "$(n_rows many filesystem_snapshot)" = $((n_files + (n_files + 999) / 1000 + 1)) ]
	check "$n_files files: at most 16 MiB" [ "$kib" -le 16384 ]
	check "$n_files files: the newest is the whole" newest_agrees many
fi

# ---- processes ----

sleepers=()
for i in {1..200}; do
	sleep "10$i" &
	sleepers+=($!)
done
pids+=("${sleepers[@]}")
# each is what it is to be, however busy the machine
for pid in "${sleepers[@]}"; do
	for ((i = 0; i < 300; i++)); do
		! grep -qs "^$pid (sleep) S" "/proc/$pid/stat" || break
		sleep 0.1
	done
done
snapshot p process
check 'processes: status' [ $? = 0 ]
cells p process pid,name,cmdline,ppid,uid,num_threads,status | sort >rows.txt
all_sleepers()
{
	local i=0 pid

	for pid in "${sleepers[@]}"; do
		grep -qxP "$pid\tsleep\tsleep 10$((++i))\t$$\t0\t1\tsleeping" rows.txt || return 1
	done
}
check 'processes: each of 200 is a row as it is' all_sleepers
# of those that are there before and after, all have a row
same_processes()
{
	local before after pid missing=0

	before=$(cd /proc && echo [0-9]*)
	snapshot all process || return
	after=" $(cd /proc && echo [0-9]*) "
	cells all process pid | sort -u >rows.txt
	for pid in $before; do
		[[ $after != *" $pid "* ]] || grep -qx "$pid" rows.txt || missing=$((missing + 1))
	done
	echo "$(wc -l <rows.txt) rows, $missing missing"
	[ "$missing" = 0 ]
}
check 'processes: those of /proc' same_processes
check 'processes: namespaces as readlink has them' \
	[ "$(cells p process pid,mntns,netns | grep -P "^$$\t" | tr -dc '0-9\t\n')" = \
	"$(printf '%s\t%s\t%s' $$ "$(readlink /proc/$$/ns/mnt | tr -dc 0-9)" "$(readlink /proc/$$/ns/net | tr -dc 0-9)")" ]
check 'processes: the newest is the segment' cmp -s p/process_snap.csv p/process/process_*.csv
kill "${sleepers[@]}" 2>/dev/null

# ---- the system ----

snapshot sys system
check 'system: status' [ $? = 0 ]
check 'system: device_spec.txt' grep -qx "Release: $(uname -r)" sys/system_spec/device_spec.txt
if command -v jq >/dev/null; then
	check 'system: all files are JSON' [ "$(jq -s length sys/system_spec/*.json)" = 5 ]
	check 'system: processors' [ "$(jq .cores_logical sys/system_spec/cpu_info.json)" = "$(nproc --all)" -o \
		"$(jq .cores_logical sys/system_spec/cpu_info.json)" = "$(getconf _NPROCESSORS_ONLN)" ]
	check 'system: memory' [ "$(jq .total_bytes sys/system_spec/memory_info.json)" = \
		$(($(awk '/^MemTotal/ { print $2 }' /proc/meminfo) * 1024)) ]
	check 'system: kernel parameters' [ "$(jq -r .cmdline sys/system_spec/os_info.json)" = "$(sed 's/ *$//' /proc/cmdline)" ]
	check 'system: every disk with something in it' [ "$(jq -r '.block_devices[].name' sys/system_spec/disk_info.json | sort)" = \
		"$(grep -vlx 0 /sys/block/*/size | cut -d/ -f4 | sort)" ]
	check 'the manifest has them' jq -e '.state == "complete" and .snapshots.fs.last.rows > 50' t9/manifest.json
fi

# ---- by whoever it is, by itself ----

if command -v setpriv >/dev/null; then
	mkdir -m 777 anybody
	cp "$IOTRACER" anybody/tool && chmod 755 anybody/tool
	nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	if "${nobody[@]}" true 2>/dev/null; then
		"${nobody[@]}" anybody/tool snapshot -o anybody/s fs process system --snapshot-root / 2>anybody.log
		check 'without root: status 0' [ $? = 0 ]
		check 'without root: the first process is a row' [ -n "$(cells anybody/s process pid | grep -x 1)" ]
		check 'without root: closed directories are counted' \
			[ "$(id -u)" != 0 -o "$(sed -n 's/.*"unreadable": \([0-9]*\).*/\1/p' anybody/s/manifest.json)" -ge 1 ]
	else
		skip 'without root: cannot be another user'
	fi
else
	skip 'without root: setpriv is missing'
fi
if command -v strace >/dev/null && strace -qo /dev/null true 2>/dev/null; then
	strace -fqo calls.txt -e trace=execve,fork,vfork,clone,clone3,socket,connect "$IOTRACER" snapshot -q -o traced fs process system
	# the C library tries clone3 first, which 4.14 has not
	check 'no program, no child, no socket: one thread that writes' \
		[ "$(grep -c execve calls.txt)" = 1 -a "$(grep -v ENOSYS calls.txt | grep -cE '(fork|clone3?)\(')" -le 1 -a \
		"$(grep -cE '(socket|connect)\(' calls.txt)" = 0 ]
else
	skip 'no program, no socket: strace cannot trace here'
fi

# ---- beside a trace ----

bare=("${tier_options[@]}")
# as long as its snapshots take, and a while, a tenth of which is for the last one
cat >snapped <<'END'
for ((i = 0; i < 300; i++)); do [ ! -s beside/filesystem_snap.csv.gz ] || break; sleep 0.1; done
sleep 5
END
"$IOTRACER" record -o beside "${bare[@]}" -e fs -- bash snapped 2>beside.log
check 'a short trace: has all three' [ -s beside/process_snap.csv -a -s beside/filesystem_snap.csv.gz -a -s beside/system_spec/device_spec.txt ]
check 'a short trace: processes at the start and at the end' [ "$(find beside/process -name 'process_*.csv' | wc -l)" = 2 ]
check 'a short trace: its own walk is no row' [ -z "$(cells beside fs filename | grep -v "^$tmp" | grep -m1 '^/boot')" ]
if command -v jq >/dev/null; then
	check 'datapackage.json knows them' jq -e '[.resources[].name] | contains(["process", "filesystem_snapshot"])' beside/datapackage.json
	jq -r '.streams[].segments[] | "\(.sha256)  \(.file)"' beside/manifest.json >sums.txt
	check 'checksums' [ "$(cd beside && sha256sum -c --quiet ../sums.txt 2>&1; wc -l <../sums.txt)" -ge 3 ]
fi
"$IOTRACER" record -o wide "${bare[@]}" -e fs --no-snapshots -- true 2>wide.log # compiled, for what follows
mkdir wide/tree
(cd wide/tree && for ((i = 0; i < 100; i++)); do mkdir "$i" && (cd "$i" && seq -f 'file %g' 3000 | tr '\n' '\0' | xargs -0 touch); done)
# shortest_ms OPTION...: of three runs
shortest_ms()
{
	local i began ms least=999999

	for i in 1 2 3; do
		rm -rf hasty
		began=${EPOCHREALTIME/[.,]/}
		"$IOTRACER" record -o hasty "${bare[@]}" -e fs "$@" -- true 2>hasty.log
		ms=$(((${EPOCHREALTIME/[.,]/} - began) / 1000))
		[ "$ms" -ge "$least" ] || least=$ms
	done
	echo "$least"
}
without=$(shortest_ms --no-snapshots)
with=$(shortest_ms --snapshot-root "$tmp/wide/tree")
check "a command that does nothing does not wait for a long walk ($with ms, $without without snapshots)" \
	[ "$with" -lt $((without + 700)) ]
check 'what there is no snapshot of is one line' [ "$(grep -c 'no snapshot of .*fs: ' hasty.log)/$(grep -c snapshot hasty.log)" = 1/1 ]
check 'and a killed walk leaves no part' [ -z "$(find hasty -name '.*')" ]
rm -rf wide hasty
"$IOTRACER" record -o off "${bare[@]}" -e fs --no-snapshots -- true 2>off.log
check '--no-snapshots: none' [ ! -e off/process -a ! -e off/system_spec -a ! -e off/filesystem_snapshot ]

# a process that computes: seen by the samples in between
"$IOTRACER" record -o busy "${bare[@]}" -e fs --process-interval 6 -- timeout 9 bash -c 'while :; do :; done' 2>busy.log
cells busy process cmdline,cpu_5s,cpu_1h | grep -F 'while :' >busy.txt
# shellcheck disable=SC2016 # awk's own
check "use of CPU: $(sort -t$'\t' -k2n busy.txt | tail -n 1 | cut -f2- | tr '\t' ' ') per cent" \
	awk -F'\t' '$2 > 15 && $2 < 110 { n++ } END { exit !n }' busy.txt
check '--process-interval 6: at 0 s, 6 s and the end' [ "$(find busy/process -name 'process_*.csv' | wc -l)" = 3 ]

# a file that the trace never saw opened has a name: a program's, whose pages exec reads;
# the walk begins when nobody else wants the CPU
mkdir programs
cp "$(type -P true)" programs/prog
for root in programs tree; do
	"$IOTRACER" record -o "named_$root" "${bare[@]}" -e cache --snapshot-root "$tmp/$root" -- \
		bash -c "for ((i = 0; i < 1200; i++)); do [ ! -s $tmp/named_$root/filesystem_snap.csv.gz ] || break; sleep 0.1; done
			$tmp/programs/prog" 2>"$root.log"
	cells "named_$root" cache inode,filename | grep -P "^$(stat -c %i programs/prog)\t" >"$root.txt"
done
if [ ! -s tree.txt ]; then
	skip 'names: this kernel shows no pages that are there'
else
	echo "unknown: $(sort tree.txt | uniq -c)"
	check 'names: of a file that was seen by the walk' grep -q "$tmp/programs/prog" programs.txt
	[ "$LIVE_TIER" = a ] || check 'names: of one that was not, none' [ -z "$(cut -f2 tree.txt | tr -d '\n')" ]
fi

# too little room for a walk: it is given up, and the trace is not
mkdir small
if mount -t tmpfs -o size=12m none small 2>/dev/null; then
	# shellcheck disable=SC2016 # for the command
	"$IOTRACER" record -o small/s "${bare[@]}" -e fs -- bash -c 'for i in {1..500}; do echo $i; done >lines; sleep 1' 2>full.log
	check 'a small disk: status 0' [ $? = 0 ]
	check 'a small disk: the walk is given up, and that is said' grep -q 'snapshot of fs: not kept: .* are left' full.log
	check 'a small disk: the trace is whole' [ "$(cells small/s fs operation,filename | grep -cP "^WRITE\t$tmp/lines")" = 500 ]
	check 'a small disk: nothing is left of it' [ ! -e small/s/filesystem_snapshot -a -z "$(find small/s -name '*.part')" ]
else
	skip 'a small disk: mounting is not allowed'
fi

# the end does not wait for a long walk
SECONDS=0
"$IOTRACER" record -o long "${bare[@]}" -e fs --snapshot-depth 0 --snapshot-all-mounts -- true 2>long.log
check "a long walk ($SECONDS s): the trace ends soon" [ "$SECONDS" -le 15 ]
check 'a long walk: whole, or nothing of it' \
	[ -e long/filesystem_snap.csv.gz -o ! -e long/filesystem_snapshot ]
"$IOTRACER" snapshot fs -o killed --snapshot-depth 0 2>killed.log &
walker=$!
pids+=("$walker")
sleep 0.3
kill "$walker" 2>/dev/null
wait "$walker"
status=$?
check "a signal ($status): nothing is left open" [ \( "$status" = 143 -o "$status" = 0 \) -a -z "$(find killed -name '*.part')" ]
