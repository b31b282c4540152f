#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a person reads (manual pages, README, doc, messages, help, comments of headers) has none of the
# phrases below, which once made it read like a translation: "PATTERN => what to write". Line ends are
# blanks to a pattern, roff and comment marks are left out. CONTRIBUTING.md has the glossary.
cd "${srcdir:-.}" || exit 1
export LC_ALL=C

patterns='
(is|are|was|were|be|been|being) told => shown, reported, known, found by
told (by|from|of) => known from, found by
(^|[^a-z])tells (of|what|how|which|that|who|why|whether|when|where|it|its) => shows, reports, says
(is|are) said([^a-z]|$) => a message says so
(is|are|be) known of([^a-z]|$) => none known; no known
hand(ed|s)? over => lost in the kernel; passed
(makes?|made) no sense => malformed
(^|[^a-z])anew([^a-z]|$) => again; rebuilding
who looks (on|at|there) => the reader
(^|[^a-z])be it([^a-z]|$) => whether, or
what (is|was) asked for => the request; requested
keep so many => how many to keep
(is|are) (an?y? )?no (failure|rows?|event|loss|number|size|file|record|longer one) => is not a; produces no
(^|[^a-z])in the end([^a-z]|$) => at the end; finally
(^|[^a-z])for so long([^a-z]|$) => until then
[ ,]but for ([^w]|w[^h]) => except
(read|comes?|stands?) behind => after
(^|[^a-z])as ever([^a-z]|$) => as usual
finds? no place => does not fit
(is|are|was|were) given up([^a-z]|$) => is dropped
(gets?|has) its name when => is renamed into place once
is never waited for => never blocks the tracer
(cannot|can not|could not|to) be had([^a-z]|$) => is not available
whose it is => its owner
of what (it|they) (is|are)([^a-z]|$) => its kind
'

# prose FILE...: "FILE: PARAGRAPH" of each, without roff, and of a header its comments alone.
prose()
{
	awk '
	function flush() { if (text != "") print name ": " text; text = "" }
	FNR == 1 { flush(); on = 0; name = FILENAME }
	name ~ /\.in$/ {
		if (/^\.\\"/) next
		if (/^\.(PP|TP|SH|SS|IP|nf|fi)/) flush()
		sub(/^\.[A-Z]+ */, ""); gsub(/\\f[BIR]|"/, ""); gsub(/\\-/, "-")
	}
	name ~ /\.h$/ {
		if (!on && !/\/\*/) next
		if (!on) flush()
		sub(/.*\/\*/, ""); on = !/\*\//; sub(/\*\/.*/, ""); sub(/^[ \t]*\*/, "")
	}
	/^[ \t]*$/ || name ~ /\.txt$/ { flush() }
	{ gsub(/[ \t]+/, " "); sub(/^ /, ""); if (/[^ ]/) text = text (text == "" ? "" : " ") $0 }
	END { flush() }' "$@"
}

# refused: complains about paragraphs on standard input, and is then true.
refused()
{
	grep -iE "$any" | awk -v patterns="${patterns:1}" '
	BEGIN {
		n = split(patterns, lines, "\n")
		for (i = 1; i <= n; i++)
			if (split(lines[i], half, " => ") == 2) { wrong[i] = half[1]; better[i] = half[2] }
	}
	{
		match($0, /^[^ ]*: /)
		name = substr($0, 1, RLENGTH)
		text = substr($0, RLENGTH + 1)
		gsub(/[Tt]here (is|are) no/, "there exists no", text)
		for (i in wrong)
			if (match(tolower(text), wrong[i])) {
				start = RSTART > 30 ? RSTART - 30 : 1
				print "FAIL: " name "..." substr(text, start, RLENGTH + 60) "... [" better[i] "]"
				bad++
			}
	}
	END { exit !bad }'
}

any=$(sed -n 's/ => .*//p' <<<"$patterns" | paste -sd '|')
# Each pattern refuses a sentence, also one that is broken into lines; plain words pass.
bad=$(mktemp -d) || exit 1
trap 'rm -rf "$bad"' EXIT
while IFS= read -r sentence; do
	tr ' ' '\n' <<<"$sentence" >"$bad/page.md"
	prose "$bad/page.md" | refused >"$bad/said" || { echo "FAIL: not refused: $sentence"; exit 1; }
	planted=$((${planted:-0} + 1))
done <<-'END'
	The size is told by the header.
	It is known from what is told of them, or told from rows.
	The command tells how rings were used.
	What is missing is said.
	nothing that is known of
	The kernel could not hand over some events.
	12 rows make no sense
	It is damaged and made anew.
	Who looks on is never slowed.
	Any file, be it open or not.
	That is what was asked for.
	Keep so many files in memory.
	A closed pipe is no failure.
	They are shown in the end.
	For so long they wait.
	All of them, but for Spark's, are run.
	It is read behind FILE.
	Rows are recorded as ever.
	What finds no place is lost.
	Old counts are given up.
	The file gets its name when it is whole.
	A reader is never waited for.
	60 ns cannot be had.
	A record says whose it is.
	It says of what it is.
END
n_patterns=$(grep -c ' => ' <<<"$patterns")
[ "$planted" -ge "$n_patterns" ] || { echo "FAIL: $planted planted sentences for $n_patterns patterns"; exit 1; }
printf '/* A header: it\n * is told\n * what happens */\nint x; /* fine */\n' >"$bad/a.h"
prose "$bad/a.h" | refused >"$bad/said" || { echo 'FAIL: a comment of a header was not refused'; exit 1; }
printf 'It shows, counts and reports what happened; there is no file\nof that name. Nothing else is asked for.\n' >"$bad/good.md"
prose "$bad/good.md" | refused && { echo 'FAIL: plain words were refused'; exit 1; }

files=(iotracer.8.in iotracer-streams.5.in README.md CONTRIBUTING.md SECURITY.md NEWS doc/*.md tests/vm/README.md
	compat/*/*.h src/*/*.h src/analysis/*/*.h)
# messages.sh compares messages.txt with the sources. Texts that CSV and JSON carry stay as they are.
carried='compat/candidates/candidates_|probes/schema/|src/analysis/(report/report_words|[a-z]+/[a-z]+_rows)\.c'
prose "${files[@]}" tests/unit/messages.txt | grep -vE "^tests/unit/messages\.txt: ($carried)" | refused && exit 1
echo "PASS: ${#files[@]} files and $(wc -l <tests/unit/messages.txt) messages have none of $n_patterns phrases"
