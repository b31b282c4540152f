#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `iotracer files` of fio, by each way into the kernel, against fio's own totals: reads, writes and
# their bytes, and requests of the sizes that it was told to make. Asynchronous I/O and io_uring
# are seen in tier a alone; elsewhere the output says that they are not.
. "$(dirname "$0")/lib.sh"

for tool in fio python3; do
	command -v $tool >/dev/null || skip_all "$tool is not installed"
done

# run ENGINE OPTION...: fio's report is ENGINE.json, ours of its two files ENGINE.csv and .histograms
run()
{
	local engine=$1

	shift
	record "$engine" -m 4096 -e fs -- fio --output="$engine.json" --output-format=json --ioengine="$engine" --iodepth=8 \
		--size=1m --bssplit=512/25:4k/50:16k/25 --norandommap --blockalign=16k --thread=0 --fallocate=none --invalidate=0 "$@" \
		--name="${engine}_reader" --rw=randread --filename="$PWD/old" \
		--name="${engine}_writer" --rw=randwrite --filename="$PWD/new" || return
	"$IOTRACER" files "$engine" --csv --path "$PWD/*" >"$engine.csv" 2>"$engine.said" &&
		"$IOTRACER" files "$engine" --csv --histograms --path "$PWD/*" >"$engine.histograms" 2>/dev/null
}

totals()
{
	python3 "$tests_dir/readers/fio_totals.py" "$1" "$PWD"
}

with_unseen()
{
	python3 "$tests_dir/readers/fio_unseen.py" "$1" "$PWD" "$2"
}

call_of()
{
	awk -F, '$2 ~ /\/(old|new)$/ && $3 ~ /_request$/ { print $4 }' "$1.histograms" | sort -u | xargs
}

head -c 1048576 /dev/urandom >old
for engine in psync libaio io_uring; do
	direct=1
	dd if=/dev/zero of=direct bs=4096 count=1 oflag=direct status=none 2>/dev/null || direct=0
	if [ $engine = io_uring ] && why=$(uring_forbidden); then
		skip "$engine: $why"
		continue
	fi
	if ! fio --ioengine=$engine --name=probe --size=4k --filename="$PWD/probe" --rw=write --output=/dev/null >/dev/null 2>&1; then
		skip "$engine: fio or this kernel has none"
		continue
	fi
	run $engine --direct=$direct
	check "$engine: recorded" [ $? = 0 ]
	if [ "$LIVE_TIER" != a ] && [ $engine != psync ]; then
		"$IOTRACER" report $engine --section missing >$engine.said
		check "$engine: said not to be seen" grep -Eq "(cannot_see|not_recorded) .*($([ $engine = libaio ] && echo aio || echo io_uring))" $engine.said
		continue
	fi
	unseen=$(cells $engine lost reason,count | awk -F'\t' '$1 == "no-return" { n += $2 } END { print n + 0 }')
	if [ $engine = libaio ] && [ "$unseen" -gt 0 ]; then
		# a completion that interrupts a program is passed over by the kernel: emulated machines show it
		check "$engine: rows and completions said to be unseen ($unseen) are fio's" with_unseen $engine "$unseen"
	else
		check "$engine: nothing was lost" no_loss $engine
		check "$engine: calls, bytes and sizes are fio's" totals $engine
	fi
	case $engine in
	psync) call='pread64 pwrite64' ;;
	libaio) call=aio ;;
	io_uring) call=io_uring ;;
	esac
	check "$engine: by the calls that it makes ($(call_of $engine))" [ "$(call_of $engine)" = "$call" ]
done
