#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# `iotracer help`: doc/FINDINGS.md and doc/QUESTIONS.md are what the program has. Names of questions are told apart,
# words select, and the formats have the same ones. tests/unit/shown.sh has the parser look at every command line
# of the pages, tests/live/questions.sh runs those of the questions.
iotracer=$builddir/iotracer
doc=${srcdir:-.}/doc
failed=0
said=$(mktemp) || exit 1
trap 'rm -f "$said"' EXIT

wrong()
{
	echo "FAIL: $*"
	failed=1
}

# shows STATUS WORD...: what `help` prints is in $said
shows()
{
	local wanted=$1 status

	shift
	"$iotracer" help "$@" >"$said" 2>&1
	status=$?
	[ "$status" = "$wanted" ] || wrong "help $*: exit status $status"
}

for topic in findings questions; do
	shows 0 $topic --markdown
	diff "$doc/${topic^^}.md" "$said" || wrong "doc/${topic^^}.md is not what the program has: make update-pages"
done
n=$(grep -c '^### ' "$said")
[ "$n" -ge 30 ] || wrong "$n questions"
shows 0 questions --csv
[ "$(wc -l <"$said")" = $((n + 1)) ] || wrong "as CSV there are not $n questions"
twice=$(cut -d, -f2 "$said" | sort | uniq -d)
[ -z "$twice" ] || wrong "names of two questions: $twice"
shows 0 questions
[ "$(grep -c '^  [A-Z]' "$said")" = "$n" ] || wrong "as text there are not $n questions"

# the names of all commands that answer
for command in files report why amp uring timeline fio watch top verify doctor; do
	grep -q "^      iotracer $command " <(sed 's/$/ /' "$said") || wrong "no question is answered by $command"
done

# whatever their case, in a name or in a command line; all words at once
shows 0 questions FSYNC
[ "$(grep -c '^  [A-Z]' "$said")" -lt "$n" ] && grep -q '^  Why was this fsync slow?' "$said" && grep -q '^ *COUNT .*FSYNC\|^ *[0-9].*FSYNC' "$said" ||
	wrong 'the word FSYNC'
shows 0 questions not-found
[ "$(grep -c '^  [A-Z]' "$said")" = 1 ] || wrong 'a name'
shows 0 questions fsync slow
[ "$(grep -c '^  [A-Z]' "$said")" = 1 ] || wrong 'two words'
shows 1 questions fsync nonsense
grep -q "^iotracer: no question has 'fsync' and the other words" "$said" || wrong 'words that no question has'
shows 2 questions --csv --markdown
shows 2 findings --csv
shows 2 findings nonsense
shows 2 nonsense
shows 2 files --csv
shows 2 files report

shows 0 findings
for rule in sync-bound one-byte-calls; do
	grep -qx "$rule" "$said" || wrong "findings: no $rule"
done
grep -q '^ *small.calls ' "$said" || wrong 'findings: no numbers that decide'

# without a topic the commands, with a command its options
shows 0
diff "$said" <("$iotracer" --help) || wrong 'the commands'
shows 0 files
diff "$said" <("$iotracer" files --help) || wrong 'the options of a command'
[ $failed = 1 ] || echo "PASS: $n questions"
exit $failed
