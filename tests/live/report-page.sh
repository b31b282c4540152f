#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The page of iotracer report: it is what the report says, and names of files are text in it whatever they are.
#   LIVE_BROWSER  chromium: there it asks for nothing, can be used by keyboard, fits wide and narrow screens and paper
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib-corpus.sh source-path=SCRIPTDIR
. "$tests_dir/live/lib-corpus.sh"

command -v python3 >/dev/null || skip_all 'needs python3'

# page DIR... : as page.html, which passes in the browser; what is said of the first stands in it
page()
{
	local texts

	"$IOTRACER" report "$@" -o page.html 2>err || { cat err; return 1; }
	[ ! -e page.html.part ] || { echo 'the part is still there'; return 1; }
	[ "$(stat -c %s page.html)" -lt 2000000 ] || { ls -l page.html; return 1; }
	texts=$("$IOTRACER" report "$1" --json --top 50 2>/dev/null | python3 "$tests_dir/readers/report_checks.py" texts) || return
	PAGE_TEXTS=$texts python3 "$tests_dir/readers/page_texts.py" page.html || return
	[ -n "${LIVE_BROWSER:-}" ] || return 0
	mkdir -p shots
	PAGE_TEXTS=$texts timeout 120 python3 "$tests_dir/readers/page.py" "$LIVE_BROWSER" page.html shots
}

corpus everything || exit
mv everything trace
"$IOTRACER" snapshot -q system -o machine && cp -r machine/system_spec trace/
check 'no event was lost' no_loss trace
check 'the page of a trace' page trace

pictures()
{
	local name

	for name in light-1280 light-400 dark-1280 dark-400; do
		[ "$(head -c 4 "shots/$name.png" | tail -c 3)" = PNG ] || return
	done
	[ "$(head -c 4 shots/page.pdf)" = %PDF ]
}

[ -z "${LIVE_BROWSER:-}" ] || check 'its pictures and its print' pictures

# every row of a list in the page is that of the CSV, exactly
same_numbers()
{
	"$IOTRACER" report trace -q --json --top 50 >report.json && python3 "$tests_dir/readers/page_tables.py"
}

check 'its tables are those of the JSON' same_numbers

# has HEADING CHART...: a part, and figures with these words in it
has()
{
	python3 "$tests_dir/readers/report_checks.py" figures "$@"
}

check 'over time: operations, bytes, pages found and their share' has layers 'fs: operations' 'fs: bytes' 'cache: pages' 'cache: share'
check 'what is missing is a line, which opens' grep -q '<details id="t1-missing"><summary>What is missing: [0-9]* remarks</summary>' page.html
check 'latencies over time, by operation' has operations 'latencies over time'
check 'and by device' has devices 'latencies over time'
check 'sizes, runs and latencies of files' has sizes read_request write_run write_latency
check 'histograms have a scale' python3 "$tests_dir/readers/report_checks.py" scales
for part in files directories processes amplification owners cache faults connections machine; do
	check "a part on $part" has $part
done

corpus only-fs
mkdir nothing && "$IOTRACER" record -o nothing/trace "${record_options[@]}" -e nw_drop -d 1 2>/dev/null
check 'the page of a trace without rows' page nothing/trace
check 'of nearly none' page only-fs
check 'of two traces, with what differs' page trace only-fs
check 'which comes first' grep -q '<article id=changes>' page.html
check 'of a fleet' page trace only-fs --fleet

lossy()
{
	cp -r trace lossy && python3 "$tests_dir/readers/manifest_checks.py" add_loss lossy fs 'ring <&>' 1234 && page lossy && grep -q 1234 page.html
}

killed()
{
	cp -r trace killed && rm killed/manifest.json && page killed
}

failed()
{
	mkdir -p shut && echo before >shut/page.html && mkdir -p shut/page.html.part &&
		! "$IOTRACER" report trace -o shut/page.html 2>err && [ "$(cat shut/page.html)" = before ]
}

check 'of one with losses' lossy
check 'of one without a manifest' killed
check 'what cannot be written leaves the page of before' failed
