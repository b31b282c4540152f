#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# iotracer watch: its lines are the operations of real programs, no more and no fewer; who reads
# them slowly, or not at all, does not slow what is traced.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

command -v python3 >/dev/null || skip_all 'needs python3'

# watch OPTION...: lines go to standard output, messages to the file said
watch()
{
	"$IOTRACER" watch "${tier_options[@]}" "$@" 2>said
}

cat >program.py <<'END'
import os, sys
name = b'a"b,\n<script> \xf0\x9f\x98\x80 \xff'
fd = os.open(name, os.O_RDWR | os.O_CREAT)
for i in range(211):
    assert os.pwrite(fd, b"x" * 100, 100 * i) == 100
for i in range(101):
    try:
        os.open("absent", os.O_RDONLY)
    except FileNotFoundError:
        pass
os.fsync(fd)
os.close(fd)
END
cat >flood.c <<'END'
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv)
{
	char c;
	int fd = open("flood.data", O_RDWR | O_CREAT, 0600);

	for (long n = argc > 1 ? atol(argv[1]) : 0; n > 0; n--)
		if (pread(fd, &c, 1, 0) < 0)
			return 1;
	close(fd);
	return close(open("flood.done", O_WRONLY | O_CREAT, 0600));
}
END

# ---- what the lines say ----

watch -e fs,exec -- python3 program.py >lines
check 'status of the command' [ $? = 0 ]
check 'nothing was lost or dropped' [ ! -s said ]
check 'titles first' sh -c 'head -1 lines | grep -q "^TIME  *SYSTEM  *EVENT  *PID  *TID  *COMM  *SIZE  *OFFSET  *LAT(us) RET  *PATH$"'
check 'a line for each write' [ "$(grep -c ' WRITE .* 100 .* 100  *[^ ]*/a"b,\\n<script>' lines)" = 211 ]
check 'a line for each failure, with its name' [ "$(grep -c ' OPEN .* ENOENT .*/absent$' lines)" = 101 ]
check 'in the order of their start, of all streams' sh -c 'tail -n +2 lines | cut -c 1-15 | sort -c'
check 'the program and its end' sh -c 'grep -q " exec  *EXEC .*python3 program.py$" lines && grep -q " exec  *EXIT " lines'

watch --json -e fs,exec -- python3 program.py >lines
check 'JSON: each line is an object, with exact numbers' python3 "$tests_dir/readers/watch_checks.py" lines_of_json

watch -e fs --errors --path absent -- python3 program.py >lines
check 'filters are those of record' [ "$(tail -n +2 lines | grep -c ENOENT) $(wc -l <lines)" = '101 102' ]
watch -e fs,exec --errors -- python3 program.py >lines
check 'only what failed: nothing of programs that began' [ "$(tail -n +2 lines | grep -cv ' E[A-Z0-9]* ') $(grep -c ' exec ' lines)" = '0 0' ]
watch -e fs,exec --min-latency 10s -- true >lines
check 'nor where only what took long is asked for' [ "$(tail -n +2 lines | wc -l)" = 0 ]
watch -e fs -o file -- sh -c 'echo said by the program' >lines
check '--output keeps lines and program apart' sh -c '[ "$(cat lines)" = "said by the program" ] && head -1 file | grep -q ^TIME'
watch -a -e fs -- python3 program.py >lines
check 'anonymised: no name' sh -c '! grep -q -e absent -e script lines && [ "$(grep -c " OPEN .* ENOENT " lines)" -ge 101 ]'
watch -e fs -- sh -c 'exit 7' >lines
check 'status of a command that failed' [ $? = 7 ]
watch --operation NOSUCH >lines
check 'wrong usage: status 2' [ $? = 2 ]
check 'wrong usage: nothing printed' [ ! -s lines ]

# ---- who reads ----

if ${CC:-cc} -O1 -o flood flood.c 2>/dev/null; then
	n=2000003
	mkfifo pipe
	rm -f flood.done
	# not before the program has ended: were anybody waiting for the reader, it never would
	(
		exec <pipe
		while [ ! -e flood.done ]; do sleep 0.1; done
		cat >slow
	) &
	pids+=($!)
	watch --json -e fs --path '*/flood.data' -- ./flood $n >pipe
	check 'slow reader: status of the command' [ $? = 0 ]
	wait "${pids[-1]}"
	check 'slow reader: what is not a line is counted, in its place and at the end' python3 "$tests_dir/readers/watch_checks.py" dropped_are_counted $n
	rm -f flood.done
	watch -e fs -- ./flood 20011 | head -2 >lines
	check 'closed pipe: quiet, status 0' [ "${PIPESTATUS[0]} $(wc -c <said)" = '0 0' ]
	check 'closed pipe: the program ran to its end' [ -e flood.done ]
else
	skip 'slow reader: needs a compiler'
fi
: >pipe.err
"$IOTRACER" watch "${tier_options[@]}" -e fs -- sh -c 'echo x >x; echo x >y' >/dev/full 2>pipe.err
check 'full disk: status 1' [ $? = 1 ]
check 'full disk: one message' one_message pipe.err
check 'full disk: said' grep -q 'standard output: No space left' pipe.err
sleep 60 &
pids+=($!)
"$IOTRACER" watch "${tier_options[@]}" -e fs -p $! >lines 2>said &
tracer=$!
pids+=("$tracer")
sleep 3
kill -INT "$tracer"
wait "$tracer"
check 'SIGINT: status 0' [ $? = 0 ]
check 'no probe is left' no_probe_left

# ---- a terminal ----

if command -v script >/dev/null; then
	in_terminal()
	{
		env "$1" TERM=xterm script -qec "stty cols 120; '$IOTRACER' watch ${tier_options[*]} -e fs --path '*/absent*' -- python3 program.py" \
			/dev/null </dev/null | tr -d '\r' >seen
	}
	touch "absent$(printf '%0200d' 7)"
	sed -i 's/os.close(fd)/os.close(os.open("absent%0200d" % 7, os.O_RDONLY))/' program.py
	in_terminal COLOR=1
	check 'terminal: failures are red' [ "$(grep -c "^$(printf '\033')\[31m.*ENOENT.*$(printf '\033')\[0m$" seen)" = 101 ]
	check 'terminal: lines are cut to it' [ "$(grep ' OPEN ' seen | grep -v ENOENT | awk '{ print length }' | sort -u)" = 120 ]
	in_terminal NO_COLOR=1
	check 'terminal: NO_COLOR' eval '[ "$(grep -c ENOENT seen)" = 101 ] && ! grep -q "$(printf "\033")" seen'
else
	skip 'terminal: needs script'
fi
