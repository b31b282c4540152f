#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Where it cannot work, or is asked for nonsense: one clear message, the right
# exit status, nothing left behind.
# shellcheck disable=SC2016 # for another shell
. "$(dirname "$0")/lib.sh"

# refused CLAIM STATUS COMMAND...: its messages in said, one line
refused()
{
	local claim=$1 status=$2 got

	shift 2
	rm -rf session
	timeout 60 "$@" >said 2>&1 </dev/null
	got=$?
	check "$claim: status $status" [ "$got" = "$status" ]
	check "$claim: one message ($(head -1 said | cut -c1-120))" one_message said
	check "$claim: no directory is left" [ ! -e session ]
}

# -q: that something is compiled is another message
tracing=(record -q -o session "${record_options[@]}" -e fs --no-cache -- true)

chmod 777 .
refused 'without root' 1 setpriv --reuid 65534 --regid 65534 --clear-groups "$IOTRACER" "${tracing[@]}"
check 'without root: says what is needed' grep -qi 'root\|CAP_' said

# the limit is raised where it may be; where not, one line says so
(
	ulimit -S -n 64
	record few_files -e fs -- dd if=/dev/zero of=few bs=1k count=3
)
check 'with a soft limit of 64 open files: it works' [ "$(cells few_files fs operation,filename | grep -c "WRITE.*/few$")" = 3 ]
refused 'with 64 open files that cannot be more' 1 bash -c 'ulimit -n 64
	exec setpriv --bounding-set -sys_resource --inh-caps -sys_resource "$@"' - "$IOTRACER" "${tracing[@]}"
check 'with 64 open files that cannot be more: says so' grep -q 'the limit is 64: raise it (ulimit -n' said

# a time namespace: the tracer's clock is not that of the kernel's records
if unshare --time true 2>/dev/null; then
	IOTRACER_ALONE=$IOTRACER
	# shellcheck disable=SC2329 # in place of the program, for record
	in_time_namespace()
	{
		unshare --time --monotonic 1000000 --boottime 1000000 "$IOTRACER_ALONE" "$@"
	}
	IOTRACER=in_time_namespace
	record another_time -e fs -- dd if=/dev/zero of=late bs=1k count=3
	IOTRACER=$IOTRACER_ALONE
	check 'in a time namespace: rows have the time of the machine' [ "$(cells another_time fs timestamp,operation,filename |
		grep "WRITE.*/late$" | grep -c "^$(date +%F)")" = 3 ]
else
	skip 'in a time namespace: this kernel has none'
fi

# its own namespace of mounts, in which tracefs cannot be mounted
if unshare -m true 2>/dev/null; then
	cat >no_tracefs <<-'END'
		mount --make-rprivate /
		umount -l /sys/kernel/debug/tracing 2>/dev/null
		umount -l /sys/kernel/debug 2>/dev/null
		umount -l /sys/kernel/tracing 2>/dev/null
		mount -t tmpfs -o ro none /sys/kernel || exit 99
		exec "$@"
	END
	refused 'without tracefs' 1 unshare -m bash no_tracefs "$IOTRACER" "${tracing[@]}"
	check 'without tracefs: says so' grep -qi 'tracefs\|tracepoint' said
else
	skip 'without tracefs: unshare -m is not allowed'
fi

# its process numbers are not those that the kernel tells: nothing would come
if unshare -pf --mount-proc true 2>/dev/null; then
	# shellcheck disable=SC2086 # no option is no word
	for stream in fs exec ds; do
		for option in '' --no-self-test; do
			refused "in another PID namespace: $stream $option" 1 unshare -pf --mount-proc "$IOTRACER" \
				record -o session "${record_options[@]}" -e $stream $option -- true
			check "in another PID namespace: $stream $option says so" grep -q "not in the host's PID namespace" said
		done
	done
else
	skip 'in another PID namespace: unshare -p is not allowed'
fi

# io_uring switched off, which doctor says, and a trace of nothing else warns of
setting=/proc/sys/kernel/io_uring_disabled
uring_off()
{
	echo "$1" >off
	unshare -m bash -c "mount --bind off $setting && shift && exec \"\$@\"" - - "${@:2}"
}
if [ -f $setting ] && unshare -m true 2>/dev/null; then
	check 'io_uring for nobody: doctor says so' eval \
		'uring_off 2 "$IOTRACER" doctor | grep -q "^io_uring .*io_uring_disabled is 2"'
	check 'io_uring for some: doctor says so' eval \
		'uring_off 1 "$IOTRACER" doctor | grep -q "^io_uring .*io_uring_disabled is 1"'
	check 'io_uring for all: doctor has no word' eval '! uring_off 0 "$IOTRACER" doctor | grep -q "^io_uring "'
	check 'io_uring for nobody: a trace of it warns' eval \
		'uring_off 2 "$IOTRACER" record -o session "${record_options[@]}" -e iouring,exec -- true 2>said &&
		[ "$(grep -c "io_uring_disabled is 2" said)" = 1 ]'
	check 'io_uring for nobody: one of all does not' eval \
		'uring_off 2 "$IOTRACER" record -o session2 "${record_options[@]}" -- true 2>said && ! grep -q io_uring_dis said'
	check 'io_uring for nobody: tests of it skip with that reason' eval \
		'uring_off 2 bash "$tests_dir/live/uring-ways.sh" >said 2>&1; [ $? = 77 ] && grep -q "^SKIP: .*io_uring_disabled is 2" said'
else
	skip 'io_uring switched off: this kernel has no such setting, or unshare -m is not allowed'
fi

helper()
{
	printf '#!/bin/sh\n%s\n' "$1" >helper
	chmod +x helper
}

chmod 755 . # see below
helper 'kill -SEGV $$'
refused 'a helper that crashes' 1 env IOTRACER_BCC="$tmp/helper" "$IOTRACER" "${tracing[@]}"
helper 'echo this went wrong >&2; exit 1'
refused 'a helper that fails' 1 env IOTRACER_BCC="$tmp/helper" "$IOTRACER" "${tracing[@]}"
check 'a helper that fails: its words' grep -q 'this went wrong' said
helper 'exit 0'
refused 'a helper that hands back nothing' 1 env IOTRACER_BCC="$tmp/helper" "$IOTRACER" "${tracing[@]}"
helper 'head -c 5000 /dev/urandom >&3'
refused 'a helper that hands back nonsense' 1 env IOTRACER_BCC="$tmp/helper" "$IOTRACER" "${tracing[@]}"
refused 'a helper that is not there' 1 env IOTRACER_BCC="$tmp/no-helper" "$IOTRACER" "${tracing[@]}"

# root runs nothing that another user chose, or can change
helper 'touch foreign-ran; exit 1'
for how in 'chown 12345 helper' 'chmod 777 helper' 'chmod 777 .'; do
	chown 0 helper && chmod 755 helper . && $how
	IOTRACER_BCC=$tmp/helper "$IOTRACER" "${tracing[@]}" >said 2>&1
	check "$how: the helper is ignored" [ ! -e foreign-ran ]
	check "$how: which is said" grep -q "IOTRACER_BCC=$tmp/helper is ignored: " said
	rm -rf session
done
chown 0 helper && chmod 755 helper .
mkdir -p stub && chown 12345 stub
IOTRACER_STUB=$tmp/stub "$IOTRACER" "${tracing[@]}" >said 2>&1
check 'stubs of another user are ignored' grep -q "IOTRACER_STUB=$tmp/stub is ignored: belongs to another user" said
rm -rf session

# one that hangs is ended with the tracer
helper 'echo $$ >helper.pid; exec sleep 300'
IOTRACER_BCC=$tmp/helper "$IOTRACER" "${tracing[@]}" >said 2>&1 </dev/null &
tracer=$!
pids+=("$tracer")
check 'a helper that hangs: it was started' eventually 20 test -s helper.pid
end_tracer INT
check 'a helper that hangs: ^C ends the tracer' [ $? != 0 ]
check 'a helper that hangs: and the helper' eventually 5 bash -c "! kill -0 $(cat helper.pid) 2>/dev/null"
check 'a helper that hangs: no directory is left' [ ! -e session ]

touch empty_image
refused 'an empty image' 1 "$IOTRACER" record -o session "${record_options[@]}" -e fs --image empty_image -- true
refused 'a process that is not there' 1 "$IOTRACER" record -o session "${record_options[@]}" -e fs -p 4194999 -d 1

# usage
for words in 'record -e nonsense' 'record -e fs, -d zero' 'record -m 3' 'record -m 0' 'record -p abc' \
	'record -u nobody-of-that-name' 'record --rotate-size 5X' 'record --compress lzma' 'nonsense' \
	'record -p 1 -- true' 'record --no-such-option' 'record -d 0'; do
	# shellcheck disable=SC2086 # words
	"$IOTRACER" $words >said 2>&1
	check "usage: $words: status 2" [ $? = 2 ]
	check "usage: $words: a message" [ -s said ]
done
"$IOTRACER" >said 2>&1
check 'without a word: status 2' [ $? = 2 ]
for words in --help --version 'record --help' 'doctor --help' 'schema --help' 'build --help'; do
	# shellcheck disable=SC2086 # words
	"$IOTRACER" $words >said 2>said.err
	check "$words: status 0" [ $? = 0 ]
	check "$words: on stdout" [ -s said -a ! -s said.err ]
done
check 'nothing was made here' [ -z "$(ls -d iotracer_* 2>/dev/null)" ]

# each chosen probe sees its operation on this very kernel
TMPDIR=$tmp "$IOTRACER" doctor --self-test >said 2>&1
check 'doctor --self-test: reads, writes, opens, closes and syncs fire' [ "$(grep -c '^fs .* fires ' said)" -ge 8 ]
check 'doctor --self-test: nothing stays silent' [ "$(grep -c ' silent ' said)" = 0 ]
