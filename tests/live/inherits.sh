#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# A traced command runs as it would without the tracer: what it inherits is what
# the caller of the tracer has.
# shellcheck disable=SC2016 # for another shell
. "$(dirname "$0")/lib.sh"

# no shell of bash's kind, which changes signals
cat >show <<'END'
#!/bin/sh
cat /proc/self/limits
# 32 and 33 are the C library's own, which no program can set
grep -E '^(SigBlk|SigIgn|SigCgt|Umask|Uid|Gid|Groups|Cap|NoNewPrivs|Seccomp|Cpus_allowed_list)' /proc/self/status |
	sed 's/^\(Sig[A-Z][a-z]*:.*\)..\(.......\)$/\1--\2/'
echo "nice and policy $(nice) $(chrt -p $$ | sed 's/.*: //' | tr '\n' ' ')"
echo "io $(ionice -p $$)"
echo "oom $(cat /proc/self/oom_score_adj)"
for fd in 0 1 2 3 4 5 6 7 8 9; do
	! [ -e /proc/$$/fd/$fd ] || readlink -v /proc/$$/fd/$fd
done
echo "pwd $(pwd)"
echo "session $(cut -d ' ' -f 5-8 /proc/self/stat)"
env | grep -v '^_=' | sort
END
chmod +x show

# same CLAIM SETTING: a shell that did it runs show without and with the tracer
same()
{
	local claim=$1

	rm -rf session
	cat >given <<-END
		$2
		"$tmp/show" >"$tmp/said" </dev/null 2>"$tmp/err"
		cp "$tmp/said" "$tmp/without"
		"$IOTRACER" record -q -o "$tmp/session" ${record_options[*]} -e fs -- "$tmp/show" \
			>"$tmp/said" </dev/null 2>"$tmp/err"
	END
	timeout 60 sh given
	check "$claim" [ $? = 0 ]
	check "$claim: the command sees the same" diff without said
}

same 'as it is' ':'
same 'limits' 'ulimit -S -l 64; ulimit -S -n 300; ulimit -c 0; ulimit -S -s 4096'
same 'signals ignored' "trap '' PIPE USR1 HUP QUIT"
same 'SIGCHLD ignored' "exec 2>&1; trap '' CHLD"
same 'nice, I/O priority and oom score' \
	'renice -n 5 $$ >/dev/null; ionice -c 2 -n 6 -p $$; echo 500 >/proc/self/oom_score_adj; echo 500 >/proc/$$/oom_score_adj'
mkdir deep
same 'working directory, umask and environment' 'cd deep; umask 027; export LIVE_TEST="two words" TZ=Asia/Tokyo; unset LANG'
same 'descriptors' 'exec 7<"$0" 8>/dev/null 9>&1'
same 'standard input and error closed' 'exec 0<&- 2>&-'
cat >blocked.py <<'END'
import signal, subprocess, sys
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGUSR1, signal.SIGTERM, signal.SIGCHLD})
sys.exit(subprocess.call(sys.argv[1:], stdout=open("said", "w"), restore_signals=False))
END
if command -v python3 >/dev/null; then
	python3 blocked.py ./show 2>err && cp said without
	python3 blocked.py "$IOTRACER" record -q -o blocked "${record_options[@]}" -e fs -- ./show 2>err
	check 'signals blocked: the command sees the same' diff without said
fi
setsid -w ./show >said 2>err </dev/null && sed 's/^session.*/session of its own/' said >without
setsid -w "$IOTRACER" record -q -o alone "${record_options[@]}" -e fs -- ./show >said 2>err </dev/null
check 'a session of its own is that of the tracer' [ "$(awk '/^session/ { print $2 == $3 }' said)" = 1 ]
