#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The screen of iotracer top, in a real terminal (tmux): keys are sent, what is shown is read, and
# whatever ends it, the terminal is as it was before.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

command -v python3 >/dev/null || skip_all 'needs python3'
command -v tmux >/dev/null || skip_all 'needs tmux'
ldd "$IOTRACER" | grep -q libncursesw || skip_all 'iotracer was built without ncursesw'
unset TMUX NO_COLOR
export LC_ALL=C.UTF-8

tm() { tmux -S "$tmp/socket" -f /dev/null "$@"; }
keys() { tm send-keys -t s "$@"; }
screen() { tm capture-pane -p -t s; }
coloured() { tm capture-pane -e -p -t s; }
undo() { tm kill-server 2>/dev/null; }
# shows TEXT...: the screen does, soon
see() { screen | grep -qF -- "$1"; }
shows() { eventually 20 see "$1"; }
unseen() { ! see "$1"; }
hides() { eventually 20 unseen "$1"; }


# A server that is about to end with its last session would take the next one with it
tm start-server \; set -g exit-empty off \; set -g status off

# start OPTION...: a shell in the terminal, and top in it; its status and the terminal's settings to files
start()
{
	tm kill-session -t s 2>/dev/null
	rm -f status before after
	tm new-session -d -s s -x 80 -y 24 "env ${environment:-A=A} bash --norc"
	keys 'PS1=READY\$; cd '"$tmp"'; stty -g >before; clear' Enter
	eventually 10 [ -s before ]
	keys "$IOTRACER top ${tier_options[*]} -e fs $*; echo \$? >status; stty -g >after" Enter
}
# restored STATUS: the terminal is, and top ended with that status
restored()
{
	eventually 20 [ -s after ] && cmp -s before after && [ "$(cat status)" = "$1" ] && shows 'READY$' &&
		[ "$(tm display-message -p -t s '#{alternate_on} #{cursor_flag}')" = '0 1' ]
}
tracer_of() { pgrep -P "$(tm display-message -p -t s '#{pane_pid}')" iotracer; }
is_1_by_1() { [ "$(stty size <"$(tm display-message -p -t s '#{pane_tty}')")" = '1 1' ] && [ "$(screen | wc -m)" -le 2 ]; }
has_colours() { coloured | grep -q $'\033\[[0-9;]*3[0-7]m'; }
has_none() { ! has_colours; }
# line N PATTERN: that line of the screen has it, soon
line_is() { screen | sed -n "$1p" | grep -q -- "$2"; }
line() { eventually 10 line_is "$@"; }
# enter PATTERN: to who uses the first file
enter()
{
	keys Enter
	line 5 "$1"
}
# selected N: the line that is shown the other way round, of rows
selected() { [ "$(coloured | sed 1,4d | grep -nE $'\033\\[([0-9]+;)*7(;[0-9]+)*m' | head -1 | cut -d: -f1)" = $(($1 - 4)) ]; }
load="-- python3 $tests_dir/live/traced/screen.py"

start "$load"
check 'says that it starts' shows 'starting'
check 'files, and what they are' shows '/more00'
check 'its line: rates and own cost' line 1 'operations/s: [1-9][0-9]*  own CPU: [0-9.]*%'
check 'losses, and the order' line 2 '^lost: 0  by bytes'
check 'a long name is cut at its beginning' shows 'nnnEND'
check 'nothing in a name moves the cursor; the command is silent' unseen NOISE
check '80 by 24: the keys stand on the last line' line 24 'q quit'
check 'colours' has_colours
keys 2
check 'key 2: processes' shows ' python3'
keys 3
check 'key 3: devices, none of which are traced' hides ' python3'
keys 5
check 'key 5: layers' line 5 ' fs$'
keys 7
check 'key 7: latency' shows 'P99'
check 'latency of each kind' shows 'fs WRITE'
keys 8
check 'key 8: containers, of which there are none' hides 'P99'
keys Tab
check 'Tab: files again' shows '/more00'
keys BTab
check 'Shift-Tab: back' hides '/more00'
keys 7
check 'key 7: latency again' shows 'P99'
keys 6
check 'key 6: rings' hides 'P99'
keys 4
check 'key 4: connections' hides '/more00'
keys 1
shows '/more00'
keys s
check 'key s: by operations' shows 'by ops'
keys s
check 'by errors: what failed comes first' line 5 /absent
keys s s s
check 'by bytes: what moved most comes first' line 5 nEND
keys /
keys abse Enter
check 'key /: only such names' hides '/more00'
check 'the filter is shown' shows 'filter: abse'
keys Escape
check 'Esc: all names' shows '/more00'
keys u
check 'key u: exact numbers' line 5 ' [0-9]\{5,\} '
keys u
keys End
check 'End: the last rows' shows '/absent'
keys Home
check 'Home: the first ones' shows 'nEND'
keys NPage
check 'PgDn' hides 'nEND'
keys PPage
check 'PgUp' shows 'nEND'
keys Up
keys s s
shows 'by errors'
check 'Enter: who uses the file, by process' enter ' python3$'
check 'and which it is' line 2 'processes of /.*/absent'
keys Enter
check 'Enter: by thread' line 2 'threads of /.*/absent'
keys Escape
check 'Esc: all files' shows '/more00'
keys s s s
shows 'nEND'
keys Down
check 'Down: the next row is selected' eventually 10 selected 6
keys End
keys Down
check 'the last one has no next' eventually 10 selected 23
keys Home
check 'Home: the first one' eventually 10 selected 5
keys h
check 'key h: help' shows 'freeze or continue'
keys x
check 'any key leaves it' hides 'freeze or continue'
keys Space
check 'Space: frozen' shows FROZEN
screen >one
sleep 2.5
screen >two
check 'frozen is frozen' cmp -s one two
keys Space
check 'Space: it goes on' hides FROZEN
tm resize-window -t s -x 132 -y 40
check 'a larger terminal: more columns' shows 'WRITES/S'
check 'and lines' line 40 'q quit'
tm resize-window -t s -x 30 -y 6
check 'a small one' line 6 '1-8'
tm resize-window -t s -x 1 -y 1
check 'the smallest' eventually 10 is_1_by_1
tm resize-window -t s -x 80 -y 24
check 'and back' shows '/more00'
keys q
check 'q ends it and the command; the terminal is restored' restored 130

start "$load"
shows '/more00'
keys C-c
check 'Ctrl-C: restored' restored 130
for signal in TERM HUP; do
	start "$load"
	shows '/more00'
	kill "-$signal" "$(tracer_of)"
	check "SIG$signal: restored" restored $((128 + $(kill -l $signal)))
done
start "$load"
shows '/more00'
tracer=$(tracer_of)
load_pid=$(pgrep -P "$tracer" -f screen.py)
kill -KILL "$tracer"
check 'SIGKILL: restored all the same' restored 137
kill -KILL "$load_pid" 2>/dev/null
alone() { ! pgrep -x iotracer-screen >/dev/null; }
check 'and whoever restored it is gone' eventually 10 alone
start '-- sh -c "echo COMPLAINT >&2; sleep 2; kill -9 \$\$"'
check 'a command that crashes: restored' restored 137
check 'what it said is shown in the end' shows COMPLAINT
start '-- sh -c "exit 5"'
check 'a command that is over at once: its status' restored 5
start '-i 100ms -d 3'
check '--duration ends it' restored 0
start '--no-self-test --layout nonsense'
check 'a wrong option: no screen' restored 2
environment=NO_COLOR=1 start "$load"
shows '/more00'
check 'NO_COLOR: none' has_none
keys q
restored 130
environment=TERM=dumb start -i 200ms "$load"
check 'a terminal that cannot: tables' shows 'files: '
# until then Ctrl-C might end the command in its own way, at a status of its own
shows '/more00'
keys C-c
check 'and Ctrl-C' restored 130
start "$load"
shows '/more00'
tracer=$(tracer_of)
tm kill-session -t s
gone() { ! kill -0 "$tracer" 2>/dev/null; }
check 'a terminal that is closed ends it' eventually 20 gone
check 'no probe is left' no_probe_left
