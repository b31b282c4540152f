#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# iotracer top: its tables are what real programs did in each interval.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

command -v python3 >/dev/null || skip_all 'needs python3'

# top OPTION...: tables go to standard output, messages to the file said
top()
{
	"$IOTRACER" top "${tier_options[@]}" "$@" 2>said
}


cat >program.py <<'END'
import os, time
fd = os.open("data", os.O_RDWR | os.O_CREAT)
began = last = time.monotonic()
gap = 0
while time.monotonic() < began + 3.2:
    gap, last = max(gap, time.monotonic() - last), time.monotonic()
    os.pwrite(fd, b"x" * 4096, 0)
    try:
        os.open("absent", os.O_RDONLY)
    except FileNotFoundError:
        pass
    time.sleep(0.01)
# how long it took, and the longest that the machine stood still for it, in milliseconds
print(int(1000 * (time.monotonic() - began)), int(1000 * gap), file=open("pace", "w"))
END

top -e fs --batch 2 -- python3 program.py >tables
check 'so many tables, and the command ends in peace' [ "$? $(grep -c 'own CPU' tables)" = '0 2' ]
began=${EPOCHREALTIME/./}
top -e fs -- bash -c 'began=${EPOCHREALTIME/./}; python3 program.py; echo $(((${EPOCHREALTIME/./} - began) / 1000)) >took' >tables
n=$(grep -c 'own CPU' tables) all=$(((${EPOCHREALTIME/./} - began) / 1000))
read -r took <took
read -r _ gap <pace
check "a table a second until the command ends: $n in $took of $all ms" sh -c '[ "$1" -ge 2 ] && [ "$1" -le $(($2 / 1000 + 3)) ]' - "$n" "$took"
[ "$gap" -ge 300 ] || check 'and none is left out' [ "$n" -ge 3 ]
check 'its line tells of losses and of the own cost' sh -c '[ "$(grep -c "operations/s: [0-9]*  lost: 0  dropped: 0  own CPU: [0-9.]*%$" tables)" = "$(grep -c "own CPU" tables)" ]'
check 'rates are those of the program' python3 -c '
import re
rounds = open("tables").read().split("\n\n")[1:3]
for r in rounds:
    cells = next(re.split(r"  +", l.strip()) for l in r.splitlines() if l.endswith("/data"))
    # a hundred times a second at most, on a machine with other things to do
    assert 5 <= int(cells[3]) <= 101 and cells[3] == cells[0], cells
    cells = next(re.split(r"  +", l.strip()) for l in r.splitlines() if l.endswith("/absent"))
    assert 5 <= int(cells[5]) <= 203, cells
'
top -e fs --view processes --sort errors -n 1 -- python3 program.py >tables
check 'processes by errors, one of them' sh -c 'grep -q "  [0-9]* python3$" tables && [ "$(wc -l <tables)" -le $((4 * $(grep -c "own CPU" tables))) ]'
top -e fs --view layers --interval 100ms --batch 5 >tables
check 'without a command: ends after its tables, status 0' [ "$? $(grep -c 'own CPU' tables)" = '0 5' ]
top -e fs -- sh -c 'echo x >short' >tables
check 'a command that is over at once has a table, too' sh -c 'grep -q "/short$" tables && [ "$(grep -c "own CPU" tables)" = 1 ]'
top -e fs -- sh -c 'exit 7' >tables
check 'status of a command that failed' [ $? = 7 ]
top --view nonsense >tables
check 'wrong usage: status 2' [ $? = 2 ]
check 'wrong usage: one message' one_message said
top -e fs --interval 100ms -- python3 program.py | head -1 >tables
check 'closed pipe: quiet, status 0' [ "${PIPESTATUS[0]} $(wc -c <said)" = '0 0' ]
top -e fs -- sh -c 'echo x >x' >/dev/full
check 'full disk: status 1' [ $? = 1 ]
check 'full disk: one message' one_message said
check 'no probe is left' no_probe_left
