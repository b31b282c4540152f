#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What is open at the end of a trace is what /proc says then, of a program that opens, duplicates, renames,
# closes and inherits; of its files that were open before, those that it used. With the program it ends.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

command -v python3 >/dev/null || skip_all 'needs python3'
cat >program.py <<'END'
import os, signal, sys, threading, time
def new(name): return os.open(name, os.O_RDWR | os.O_CREAT)
before, unused = new("before"), new("unused")
print("ready", flush=True)
sys.stdin.readline()
os.write(before, b"x")
kept, closed, renamed, doubled, undone = (new(n) for n in ("kept", "closed", "renamed", "doubled", "undone"))
leak = [new("leak") for _ in range(37)]
os.close(leak.pop())
os.close(closed)
os.rename("renamed", "renamed.1")
os.write(renamed, b"x")
again = os.dup(doubled)
os.close(doubled)
os.close(os.dup(undone))
os.close(undone)
thread = threading.Thread(target=new, args=("by-thread",))
thread.start()
thread.join()
# a child has it when its parent has closed it
handed = new("handed")
child = os.fork()
if child:
    os.close(handed)
else:
    time.sleep(0.3)
    os.write(handed, b"x")
    signal.pause()
print(child, flush=True)
sys.stdin.readline()
os.kill(child, signal.SIGTERM)
END

coproc program { exec python3 program.py; }
# shellcheck disable=SC2154 # coproc sets it
pid=$program_PID
pids+=("$pid")
read -r _ <&"${program[0]}"
record_in_background trace -m 1024 -e fs,exec -p "$pid" || exit
echo go >&"${program[1]}"
read -r child <&"${program[0]}"
# name and number of descriptors in the working directory, of both
for p in "$pid" "$child"; do
	find "/proc/$p/fd" -lname "$tmp/*" -printf '%l\n' | sed "s|.*/||; s|^|$p |"
done | sort | uniq -c | awk '{ print $1, $2, $3 }' >proc
sleep 0.3
end_tracer TERM
check 'no event was lost' no_loss trace
still_open()
{
	"$IOTRACER" report trace -q --section open --csv | python3 "$tests_dir/readers/open_files.py" "$tmp" "$@"
}
# the child inherited what its parent had: one description, which the one has that opened it, or used it last
awk -v p="$pid" '$2 == p && $3 != "unused" || $3 == "handed"' proc | sort >wanted
# in tier c a file keeps the name by which it was opened
[ "$LIVE_TIER" != c ] || sed -i 's/renamed\.1$/renamed/' wanted
still_open | sort >got
diff -u wanted got
check 'open is what /proc shows, each by who has it' cmp wanted got
check 'a leak is one line, with its number' [ "$(still_open leak opens)" = 36 ]
check 'what was open before has no beginning' [ "$(still_open before since_ns open_ns)" = '- -' ]
check 'what was opened in it has one' [ "$(still_open kept since_ns)" -gt 0 ]
check 'and its time' [ "$(still_open kept open_ns)" -gt 200000000 ]
check 'what was closed is not there' [ -z "$(still_open closed opens)$(still_open undone opens)" ]
check 'nor what it never used' [ -z "$(still_open unused opens)" ]
"$IOTRACER" report trace -q -o page.html
check 'the page has it' grep -q '<h2 id="t1-open">' page.html

# a program that ends closes what it has
echo go >&"${program[1]}"
record ended -e fs,exec -- python3 -c 'import os; [os.open("left%d" % i, os.O_RDWR | os.O_CREAT) for i in range(9)]'
check 'a program that ended has nothing open' [ -z "$("$IOTRACER" report ended -q --section open --csv | grep "$tmp/left")" ]
record part -e fs --operation OPEN,READ -- cat program.py >copy
check 'where closes were not recorded nothing is claimed' [ "$("$IOTRACER" report part -q --section open --csv | wc -l)" = 1 ]
