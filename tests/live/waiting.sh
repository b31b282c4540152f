#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What takes longer than a second is said on a terminal while it lasts, and
# nowhere else; and nothing of it stays.
. "$(dirname "$0")/lib.sh"

[ -z "${LIVE_IMAGE:-}" ] || skip_all 'nothing is compiled where there is an image'
[ -n "${IOTRACER_BCC:-}" ] || skip_all 'the compile helper of an installed tracer is not replaced'
command -v script >/dev/null || skip_all 'no script(1) that gives a terminal'

cat >slow-helper <<END
#!/bin/sh
sleep 2.5
exec '$IOTRACER_BCC' "\$@"
END
printf '#!/bin/sh\nsleep 2.5\nexit 3\n' >failing-helper
chmod +x slow-helper failing-helper

# with_helper NAME [OPTION]...: a command of nothing, compiled by NAME-helper
with_helper()
{
	IOTRACER_BCC=$tmp/$1-helper "$IOTRACER" record "${record_options[@]}" -e exec --no-cache "${@:2}" -- true
}

# The same on a terminal; what is written to it is in NAME.log
on_terminal()
{
	export IOTRACER tmp
	export -f with_helper
	SHELL=/bin/bash script -qec "record_options=(${record_options[*]}); with_helper $1 -o on-$1" /dev/null </dev/null >"$1.log"
}

# The lines as they are when all is done: after the last return of the carriage, without what was erased
lines_left()
{
	sed -e 's/\r*$//' -e 's/.*\r//' -e 's/\x1b\[K//g' "$1" | grep .
}

on_terminal slow
check 'a slow start: status 0' [ $? = 0 ]
check 'what is waited for is said after a second' grep -qP '\rcompiling the programs \(1 s\)\x1b\[K' slow.log
check 'not before' bash -c "! grep -q '(0 s)' slow.log"
check 'and each second once' [ -z "$(grep -oP 'compiling the programs \(\d s\)' slow.log | sort | uniq -d)" ]
lines_left slow.log >left
check 'only messages stay' bash -c "! grep -v '^iotracer: ' left"
check 'and they are there' grep -q '^iotracer: recording into on-slow' left

with_helper slow -o pipe 2>&1 | cat >pipe.log
check 'in a pipe: nothing but messages' bash -c "! grep -v '^iotracer: ' pipe.log"
check 'in a pipe: no waiting' bash -c "! grep -q 'compiling the programs' pipe.log"
check 'in a pipe: and they are there' grep -q '^iotracer: recording into pipe' pipe.log

on_terminal failing
check 'a slow start that fails: status 1' [ $? = 1 ]
check 'a slow start that fails: was waited for' grep -qP '\rcompiling the programs \(1 s\)\x1b\[K' failing.log
lines_left failing.log >left
check 'a slow start that fails: only messages stay' bash -c "! grep -v '^iotracer: ' left"
check 'a slow start that fails: and they are there' grep -q '^iotracer: ' left
