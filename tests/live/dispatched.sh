#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A queue with a scheduler: whoever puts a request into it hands over those of others, too, which wait there. Of
# a program that is traced only its own are rows, and each of them, whatever a program beside it writes.
. "$(dirname "$0")/lib.sh"

for tool in fio losetup python3; do
	command -v $tool >/dev/null || skip_all "$tool is not installed"
done
truncate -s 64M image || exit 1
loop=$(losetup -f --show --direct-io=on "$tmp/image" 2>/dev/null) || skip_all 'no loop device can be made here'
undo()
{
	losetup -d "$loop"
} 2>/dev/null
echo mq-deadline >"/sys/block/${loop#/dev/}/queue/scheduler" || skip_all "$loop cannot have a scheduler"

cat >half.py <<'END'
import mmap, os, sys
page = mmap.mmap(-1, 4096)
fd = os.open(sys.argv[1], os.O_RDWR | os.O_DIRECT)
for i in range(2000):
    assert os.pwrite(fd, page, (32 << 20) + i * 4096) == 4096
END
# of the requests to the device: those of the second half, each counted once, and all others
requests()
{
	cells "$1" ds dev,operation,sector | awk -F'\t' -v dev="$(cat "/sys/block/${loop#/dev/}/dev")" '
		$1 == dev { if ($2 == "write" && $3 >= 65536 && !seen[$3]++) n++; else others++ }
		END { print n + 0, others + 0 }'
}

fio --name=x --filename="$loop" --size=32M --rw=randwrite --bs=4k --ioengine=libaio --iodepth=32 --direct=1 \
	--time_based --runtime=60 --output=fio.said &
pids+=($!)
sleep 0.5
record trace -m 1024 -e ds -- python3 half.py "$loop"
check 'recorded' [ $? = 0 ]
kill "${pids[-1]}"
wait "${pids[-1]}"
check 'nothing was lost' no_loss trace
found=$(requests trace)
check "its own requests, each once, and nobody else's ($found)" [ "$found" = '2000 0' ]
