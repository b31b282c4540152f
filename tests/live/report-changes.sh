#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# iotracer report BEFORE AFTER on real loads: the same load with another block size differs in the
# right direction and by the right factor, the same load twice in nothing that its rows do not
# bear out, in text, CSV, JSON and as a page.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

command -v python3 >/dev/null || skip_all 'needs python3'
command -v fio >/dev/null || skip_all 'fio is not installed'

# load DIR BLOCK_SIZE: the same 32 MiB, written in order, synced at the end
load()
{
	record "$1" -m 4096 -e fs,ds -- fio --name=load --filename="$tmp/file" --size=32m --rw=write --bs="$2" \
		--ioengine=psync --fallocate=none --end_fsync=1 --output=/dev/null && no_loss "$1"
}

check 'a load is recorded' load before 4k
check 'with larger blocks' load larger 64k
check 'and again as it was' load again 4k

cat >claims.py <<'END'
import csv, glob, json, math, subprocess, sys
before, after, tracer = sys.argv[1:]
def report(*arguments):
    return json.loads(subprocess.run([tracer, "report", *arguments, "--json"], check=True, stdout=subprocess.PIPE).stdout)
changes, single, bad = report(before, after), [report(before), report(after)], []
claimed = [d for d in changes["differences"] if d["verdict"] in ("higher", "lower", "new", "gone")]
if changes["differences"][:len(claimed)] != claimed:
    bad.append("differences are not first")

# what is compared is what each of the reports says
for d in changes["differences"]:
    for r, side in zip(single, ("before", "after")):
        if d["kind"] == "operation" and (d["measure"].startswith("p") or d["measure"] == "count"):
            layer, name = d["name"].split(" ", 1)
            is_value = [o[d["measure"]] for o in r["operations"] if (o["layer"], o["operation"]) == (layer, name)] or [0]
            if is_value != [d[side]]:
                bad.append("%s of %s: %r, not %r" % (d["measure"], d["name"], d[side], is_value))
    wanted = (d["after"] - d["before"]) / d["before"] if d["before"] else None
    if d["measure"].startswith("p") and wanted is not None and abs(d["change"] - wanted) > 1e-6:
        bad.append("%r changes by %r" % (d, wanted))

# order statistics of the rows themselves: a claim holds for any latencies with these intervals
def interval(dir, operation, share):
    values = []
    for name in glob.glob(dir + "/fs/*.csv"):
        with open(name, newline="", errors="surrogateescape") as f:
            values += [int(r["latency_ns"]) for r in csv.DictReader(f) if r["operation"] == operation]
    values.sort()
    half = 1.96 * math.sqrt(len(values) * share * (1 - share))
    return values[max(0, math.floor(len(values) * share - half) - 1)], values[min(len(values) - 1, math.ceil(len(values) * share + half))]
for d in claimed:
    if d["kind"] == "operation" and d["name"].startswith("fs ") and d["measure"].startswith("p"):
        share = int(d["measure"][1:3]) / 100
        a, b = (interval(x, d["name"][3:], share) for x in (before, after))
        if a[0] <= b[1] and b[0] <= a[1]:
            bad.append("%r is noise: %r, %r" % (d, a, b))
print("\n".join(bad))
sys.exit(bool(bad))
END

check 'what is claimed of larger blocks is so' python3 claims.py before larger "$IOTRACER"
check 'and of the same load twice' python3 claims.py before again "$IOTRACER"

# difference DIR DIR KIND,NAME,MEASURE: its change and verdict
difference()
{
	"$IOTRACER" report "$1" "$2" --section differences --csv 2>/dev/null | grep -F "$3," | rev | cut -d, -f1,2 | rev
}

is_difference()
{
	local got

	got=$(difference "$1" "$2" "$3")
	[ "$got" = "$4" ] || { echo "$3: $got, not $4"; return 1; }
}

check 'blocks are 16 times as large' is_difference before larger 'operation,fs WRITE,mean_write_bytes' 15.000000,higher
check 'and so many fewer' is_difference before larger 'operation,fs WRITE,count' -0.937500,lower
check 'the other way round' is_difference larger before 'operation,fs WRITE,mean_write_bytes' -0.937500,lower
check 'the same load writes as often' is_difference before again 'operation,fs WRITE,count' 0.000000,equal
check 'and as much at once' is_difference before again 'operation,fs WRITE,mean_write_bytes' 0.000000,equal

report()
{
	"$IOTRACER" report "$@" >out 2>err
}

says()
{
	grep -qE -- "$1" out || { cat out err; return 1; }
}

nothing_of_itself()
{
	report before before && says '^0 of [0-9]+ figures differ\.$' && ! grep -qE 'higher|lower|noise' out
}

as_text()
{
	report before larger && [ "$(wc -l <out)" -le 48 ] && says '^before: .*before' && says '^after: +.*larger' &&
		says 'mean_write_bytes +4\.0K +64\.0K +x16\.00 +higher +fs WRITE' && says '^more: iotracer report BEFORE AFTER'
}

lossy()
{
	cp -r larger lossy && python3 - <<-'END' && report before lossy && says 'missing after: fs: 123456 events lost: ring'
		import json
		m = json.load(open("lossy/manifest.json"))
		m["lost"].append({"stream": "fs", "reason": "ring", "count": 123456})
		json.dump(m, open("lossy/manifest.json", "w"))
	END
}

check 'a trace does not differ from itself' nothing_of_itself
check 'text: both values and the change' as_text
check 'losses of one of them are said' lossy
check 'and what they may have taken is not claimed' is_difference before lossy 'operation,fs WRITE,count' -0.937500,noise

# ---- more than two, and not to be compared ----

side_by_side()
{
	local n=$1

	shift
	report "$@" && ! grep -q 'figures differ' out && [ "$(grep -c '^streams: ' out)" = "$n" ]
}

one_is_missing()
{
	! report before /nothing && says '^streams: '
}

check 'three directories are a fleet' side_by_side 3 before larger again
check 'two are one when asked for' side_by_side 2 before larger --fleet
check 'one that cannot be read leaves the other' one_is_missing
check 'one directory has no differences' [ "$(report before --section differences; echo $?)" = 2 ]
check 'nor has a fleet' [ "$(report before larger again --section differences; echo $?)" = 2 ]

page()
{
	"$IOTRACER" report before larger -o page.html && [ "$(stat -c %s page.html)" -lt 2000000 ] &&
		grep -q 'title="15.000000">x16.00' page.html && grep -q '<h2 id="t2-operations">' page.html
}

check 'the page has the differences and both traces' page
