#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What a first-time user reads at the end of a command: what to do next, on a terminal alone, and nothing
# of it with -q, with --help, or when it failed.
. "$(dirname "$0")/lib.sh"
# shellcheck source=lib-corpus.sh source-path=SCRIPTDIR
. "$tests_dir/live/lib-corpus.sh"

command -v python3 >/dev/null || skip_all 'python3 is not installed'
cat >terminal.py <<'END'
import os, pty, sys
said = b""
null = os.open("/dev/null", os.O_RDONLY)
os.dup2(null, 0)
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
while True:
    try:
        data = os.read(fd, 4096)
    except OSError:
        break
    if not data:
        break
    said += data
os.waitpid(pid, 0)
sys.stdout.write(said.decode(errors="replace").replace("\r", ""))
END
on_terminal()
{
	python3 terminal.py "$IOTRACER" "$@"
}

corpus everything || exit
mv everything d
check 'record tells where to look' grep -q 'more: iotracer report everything' everything.log
# command, what it says next
while IFS=: read -r words next; do
	read -ra words <<<"$words"
	if [ "${words[0]}" = uring ] && ! "$IOTRACER" "${words[@]}" >said 2>&1; then
		skip 'uring: this kernel has no events of io_uring'
		continue
	fi
	on_terminal "${words[@]}" >said
	check "${words[0]}: on a terminal" [ "$(tail -n 1 said)" = "iotracer: next: $next" ]
	"$IOTRACER" "${words[@]}" >said 2>&1
	check "${words[0]}: not into a file" eval '! grep -q "next:" said'
done <<-'END'
	verify d:iotracer report DIR
	files d:iotracer files DIR --hist PATH, or --errors; iotracer amp DIR
	amp d:iotracer amp DIR --by process, or --by file; iotracer files DIR
	uring d:iotracer timeline DIR -o FILE.pftrace
	timeline d -o d.pftrace:open the file in ui.perfetto.dev, or a .svg in any browser
	doctor:iotracer record -- COMMAND, or record -d 60 for the whole machine
END
on_terminal files d -q >said
check 'not with -q' eval '! grep -q "next:" said'
on_terminal files --help >said
check 'not with --help' eval '! grep -q "next:" said'
on_terminal files nowhere >said
check 'not when it failed' eval '! grep -q "next:" said'
