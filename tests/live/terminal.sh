#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a terminal obeys (control characters, C1, marks of direction) reaches it from nobody's names:
# those of a hostile thread, file and argument, and those of a hostile manifest, through each text.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

command -v python3 >/dev/null || skip_all 'needs python3'

cat >raw.py <<'END'
# raw.py FILE...: what is in there of it, by file
import sys, unicodedata
bad = []
for name in sys.argv[1:]:
    text = open(name, 'rb').read()
    try:
        text = text.decode()
    except UnicodeDecodeError as e:
        bad.append('%s: %s' % (name, e))
        continue
    for c in text:
        if (unicodedata.category(c) == 'Cc' and c != '\n') or \
           c in '\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069':
            line = next(l for l in text.split('\n') if c in l)
            bad.append('%s: U+%04X in %r' % (name, ord(c), line[:160]))
            break
print('; '.join(bad))
END

# clean NAME FILE...: not empty, and nothing of it
clean()
{
	local name=$1 found f

	shift
	found=$(python3 raw.py "$@" 2>&1)
	for f; do [ -s "$f" ] || found="$found $f is empty"; done
	check "$name${found:+: $found}" [ -z "$found" ]
}

cat >hostile.py <<'END'
import ctypes, os, sys, time
end = time.monotonic() + float(sys.argv[1])
ctypes.CDLL(None).prctl(15, b'\033[31m\xc2\x9b7m\xe2\x80\xae', 0, 0, 0)
name = b'file\033]0;owned\007\xc2\x9b31m\xe2\x80\xaegpj\xff\n.txt'
while True:
    with open(name, 'wb') as f:
        for i in range(300):
            os.pwrite(f.fileno(), b'x' * 5000, 5000 * i)
        os.fsync(f.fileno())
    try:
        os.open(name + b'.absent', os.O_RDONLY)
    except OSError:
        pass
    if time.monotonic() > end:
        break
END
"$IOTRACER" record -v -o trace "${record_options[@]}" -e fs,ds,exec -- \
	python3 hostile.py 0 "$(printf '\033[32m\302\233m\342\200\256')" >out 2>record.log
check 'hostile names are recorded' grep -q 'x1b' trace/fs/*.csv
clean 'messages and the end of record' record.log
"$IOTRACER" watch "${tier_options[@]}" -e fs,exec -- python3 hostile.py 0 >watch.out 2>&1
clean 'watch' watch.out
"$IOTRACER" watch --json "${tier_options[@]}" -e fs,exec -- python3 hostile.py 0 2>said | tee watch.json | tr -d '\t' >watch.out
clean 'watch --json' watch.out
check 'watch --json: the same characters all the same' python3 "$tests_dir/readers/terminal_checks.py" names_of_watch
"$IOTRACER" top "${tier_options[@]}" -e fs --batch 2 -- python3 hostile.py 3 >top.out 2>&1
clean 'top --batch' top.out

# texts DIR NAME: of each reader
texts()
{
	local by

	for by in file dir ext comm pid; do "$IOTRACER" files "$1" --by $by; done >files.out 2>files.log
	"$IOTRACER" files "$1" --histograms >>files.out 2>>files.log
	"$IOTRACER" files "$1" --errors >>files.out 2>>files.log
	clean "$2: files" files.out
	for by in process comm file device; do "$IOTRACER" amp "$1" --by $by; done >amp.out 2>amp.log
	clean "$2: amp" amp.out
	"$IOTRACER" report "$1" >report.out 2>report.log
	"$IOTRACER" report "$1" "$1" >>report.out 2>>report.log
	"$IOTRACER" report "$1" --section missing >>report.out 2>>report.log
	clean "$2: report" report.out
	for r in 'files --errors' files 'amp --by comm' amp report uring; do
		# shellcheck disable=SC2086 # words
		"$IOTRACER" ${r%% *} "$1" ${r#"${r%% *}"} --json 2>/dev/null
		echo
	done >json.out
	clean "$2: JSON" json.out
	"$IOTRACER" uring "$1" >uring.out 2>&1
	"$IOTRACER" timeline "$1" -o x.svg >timeline.out 2>&1
	"$IOTRACER" verify "$1" >verify.out 2>&1
	clean "$2: uring, timeline, verify" uring.out timeline.out verify.out
	cat files.log amp.log report.log >logs.out
	echo >>logs.out
	clean "$2: messages" logs.out
}
texts trace 'a hostile program'

# Every text of the manifest that is not compared with another one
python3 "$tests_dir/readers/terminal_checks.py" spoil_manifest
texts spoilt 'a hostile manifest'
texts damaged 'and one that is wrong'
"$IOTRACER" verify --repair damaged >repair.out 2>&1
clean 'verify --repair' repair.out
named=$(printf 'dir\033[31m\302\233')
mkdir "$named"
"$IOTRACER" verify "$named" >named.out 2>&1
"$IOTRACER" files "$named" >>named.out 2>&1
clean 'a directory of such a name' named.out

# A saved host's words are somebody else's, too.
mkdir -p host/proc/sys/kernel host/sys/kernel/tracing/events
printf '6.1\033[31m\302\233m\342\200\256' >host/proc/sys/kernel/osrelease
printf '#1\033[31m\302\233m' >host/proc/sys/kernel/version
printf 'x86\033_64' >host/proc/sys/kernel/arch
"$IOTRACER" doctor -v --root host >doctor.out 2>&1
clean 'doctor of a saved host' doctor.out
"$IOTRACER" doctor --json --root host >doctor.json 2>/dev/null
clean 'and its JSON' doctor.json
