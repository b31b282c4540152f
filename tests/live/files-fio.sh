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
	python3 - "$1" "$PWD" <<'END'
import csv, json, sys
engine, where = sys.argv[1:]
text = open(engine + ".json").read()
jobs = {job["jobname"].split("_")[-1]: job for job in json.loads(text[text.index("{"):])["jobs"]}
files = {row["filename"]: row for row in csv.DictReader(open(engine + ".csv"))}
buckets = list(csv.DictReader(open(engine + ".histograms")))
wrong = []
for name, kind, job in ("old", "read", "reader"), ("new", "write", "writer"):
    row, told = files[where + "/" + name], jobs[job][kind]
    for ours, fio in (kind + "s", "total_ios"), (kind + "_bytes", "io_bytes"), (kind + "_requested", "io_bytes"):
        if int(row[ours]) != told[fio]:
            wrong.append("%s of %s: %s, fio says %d" % (ours, name, row[ours], told[fio]))
    mine = [b for b in buckets if b["filename"] == where + "/" + name and b["metric"] == kind + "_request"]
    if {int(b["from"]) for b in mine} != {512, 4096, 16384}:
        wrong.append("sizes of %s: %s" % (name, sorted(int(b["from"]) for b in mine)))
    if any(int(b["sum"]) != int(b["from"]) * int(b["count"]) for b in mine):
        wrong.append("requests of %s have other sizes" % name)
    if sum(int(b["count"]) for b in mine) != told["total_ios"]:
        wrong.append("requests of %s by size: %d" % (name, sum(int(b["count"]) for b in mine)))
    calls = {b["call"] for b in mine}
    print("%s: %s %ss of %s bytes by %s" % (name, row[kind + "s"], kind, row[kind + "_bytes"], ", ".join(sorted(calls))))
print("\n".join(wrong))
sys.exit(bool(wrong))
END
}

with_unseen()
{
	python3 - "$1" "$PWD" "$2" <<'END'
import csv, json, sys
engine, where, unseen = sys.argv[1:]
text = open(engine + ".json").read()
files = {row["filename"]: row for row in csv.DictReader(open(engine + ".csv"))}
told = sum(job[kind]["total_ios"] for job in json.loads(text[text.index("{"):])["jobs"] for kind in ("read", "write"))
seen = int(files[where + "/old"]["reads"]) + int(files[where + "/new"]["writes"])
print("%d rows and %s unseen, fio says %d" % (seen, unseen, told))
sys.exit(seen + int(unseen) != told or seen < told / 2)
END
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
		check "$engine: said not to be seen" grep -Eq "(cannot see|not recorded): .*($([ $engine = libaio ] && echo aio || echo io_uring))" $engine.said
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
