#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# record --alert: a condition that holds for so many seconds is told once, its command runs, and its
# end is told. A program with the name of a storage system does what is watched for.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

command -v python3 >/dev/null || skip_all 'needs python3'

cat >program.py <<'END'
import ctypes, os, time
ctypes.CDLL(None).prctl(15, b"redis-server", 0, 0, 0)
fd = os.open("data", os.O_RDWR | os.O_CREAT)
gap = 0
def busy(seconds):
    global gap
    last = time.monotonic()
    end = last + seconds
    while last < end:
        os.pwrite(fd, b"x" * 1000, 0)
        time.sleep(0.01)
        gap, last = max(gap, time.monotonic() - last), time.monotonic()
busy(6)
# how long the machine stood still for it, in milliseconds
print(int(1000 * gap), file=open("gap", "w"))
time.sleep(2.5)
busy(0.2)
time.sleep(1.5)
os.pwrite(fd, b"x", 0)
END
cat >alerted.sh <<'END'
echo "$IOTRACER_ALERT|$IOTRACER_SYSTEM|$IOTRACER_VALUE" >>told
END

"$IOTRACER" record "${record_options[@]}" "${tier_options[@]}" -o trace -e fs,ds,exec --summary=amp --no-rows \
	--alert 'sys_write_bytes > 2K for 3s' --alert 'sys_write_p99_ns>=1ns' --alert 'sys_writes>1000000' \
	--exec 'exec sh alerted.sh' -- python3 program.py >out 2>said
check 'recorded' [ $? = 0 ]
n=$(grep -c 'alert: Redis: sys_write_bytes > 2K for 3s: now [0-9]*$' said)
# a second in which nothing could happen is one in which it was not true
if [ "$(cat gap)" -lt 500 ]; then
	check 'told once, when it has been true for so long' [ "$n" = 1 ]
else
	check "told, when it has been true for so long (the machine stood still for $(cat gap) ms)" [ "$n" -ge 1 ]
fi
check 'and when it is over' [ "$(grep -c 'alert is over: Redis: sys_write_bytes > 2K for 3s$' said)" = "$n" ]
check 'at once, and again after it was over' [ "$(grep -c 'warning: alert: Redis: sys_write_p99_ns>=1ns: now [0-9]*$' said)" -ge 2 ]
check 'not what never is' sh -c '! grep -q 1000000 said'
# nobody waits for it
ran()
{
	local i

	for ((i = 0; i < 100; i++)); do
		[ "$(grep -c '|Redis|[0-9]*$' told)" = "$(grep -c 'warning: alert: Redis: ' said)" ] && return
		sleep 0.1
	done
	cat told said
	return 1
}
check 'the command ran at each alert of Redis' ran
check 'with the condition, the system and the value' grep -qxE 'sys_write_bytes > 2K for 3s\|Redis\|[0-9]{4,}' told
check 'without rows: the answer of all of it' grep -q ',Redis,' trace/summary/amp.csv
n=0
while IFS= read -r condition; do
	n=$((n + 1))
	"$IOTRACER" record -o none --summary=amp --alert "$condition" -- true 2>said
	[ $? = 2 ] && one_message said || fail "taken as a condition: '$condition'"
done <<'END'
x>1
host>1
write_amp=3
write_amp>
write_amp>1.2345678
write_amp>1.
write_amp>-1
sys_write_p99_ns>10zz
sys_writes>1 for
sys_writes>1 for 1.5s
sys_writes>1 for 0s
sys_writes>1 for 10s more
sys_writes>99999999999999999999
END
check 'wrong conditions are refused' [ $n = 13 ]
check 'and make no directory' [ ! -e none ]
"$IOTRACER" record -o none --alert 'sys_writes>1' -- true 2>said
check 'without --summary=amp: usage' [ $? = 2 ]
"$IOTRACER" record -o none --summary=amp --exec true -- true 2>said
check 'a command without a condition: usage' [ $? = 2 ]
