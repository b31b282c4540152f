# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Processes that change a file system as they are told, and what the rows say of the disk below it.
# Sourced, after $LIVE_JOURNAL is a directory of it and $disk its device.

# shellcheck source=lib-events.sh source-path=SCRIPTDIR
. "$tests_dir/live/lib-events.sh"

# One that changes what it is told to: "make N" files in a directory of its own, "sync" one of them
cat >actor.py <<'END'
import os, sys
name = sys.argv[1]
where = os.path.join(sys.argv[2], name)
os.makedirs(where, exist_ok=True)
files = 0
for line in sys.stdin:
    word, *number = line.split()
    if word == "make":
        for _ in range(int(number[0])):
            files += 1
            os.close(os.open("%s/%d" % (where, files), os.O_CREAT | os.O_WRONLY))
    elif word == "sync":
        there = os.open("%s/%d" % (where, files), os.O_WRONLY)
        os.write(there, b"x" * 5000)
        os.fsync(there)
        os.close(there)
    print(word, flush=True)
END
# play WHERE NAME...: actors by these names, and what they do in turn by the lines of standard input,
# "NAME WORD [N]", with the numbers of their processes in the files NAME.pid, and in the file times
# when each line was done, on the clock of mono_ns
cat >play.py <<'END'
import subprocess, sys, time
where, names = sys.argv[1], sys.argv[2:]
actors = {n: subprocess.Popen([sys.executable, "actor.py", n, where], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for n in names}
times = open("times", "w")
for n in names:
    print(actors[n].pid, file=open(n + ".pid", "w"), flush=True)
for line in sys.stdin:
    name, what = line.split(None, 1)
    actors[name].stdin.write(what)
    actors[name].stdin.flush()
    actors[name].stdout.readline()
    print(line.strip(), time.monotonic_ns(), sep="\t", file=times, flush=True)
for actor in actors.values():
    actor.communicate()
END

# counted.sh COUNTERS PYTHON WHERE: the actor "one" is played, and what the counters said before and after are files.
# The recorded command reads them itself: until a recording has begun, on a slow machine, what settled may be
# written to its place, which is no row.
cat >counted.sh <<'END'
cat "$1" >before
"$2" play.py "$3" one
status=$?
cat "$1" >after
exit $status
END

# shellcheck disable=SC2034 # for who sources this
python=$(python_path) || skip_all 'python3 is not installed'

disk_of()
{
	local where

	where=$(readlink -f "/sys/class/block/$disk")
	[ ! -e "$where/partition" ] || where=${where%/*}
	cat "$where/dev"
}
dev=$(disk_of)

# record_unflushed DIR [OPTION]... -- COMMAND: records it into DIR, anew when a flusher was at work meanwhile. Whoever
# calls sync(2), another test for example, has one write what settled, too: that is of nobody who is traced, and no row.
# The kernel says when one wrote anything of the disk.
record_unflushed()
{
	local dir=$1 i status wrote

	for ((i = 0; i < 5; i++)); do
		rm -rf "$dir"
		watch writeback/writeback_single_inode "name == \"$dev\" && wrote > 0" || return
		status=0
		record "$@" <lines || status=$?
		wrote=$(watched) || :
		[ -n "$wrote" ] || return $status
		echo "anew, as a flusher wrote: $wrote"
		rm -r "$LIVE_JOURNAL/one"
		settle
	done
	return 1
}

# rows TRACE: who submitted, cause, whose, of how many, sectors; of the writes to the disk
rows()
{
	cells "$1" ds dev,operation,command,cause,owner_pid,owner_count,size |
		awk -F'\t' -v dev="$dev" '$1 == dev && $2 == "write" { print $3, $4 == "" ? "-" : $4, $5, $6, $7 / 512 }'
}

commits()
{
	rows "$1" | awk '$2 == "journal" { print $3, $4 }' | sort -u
}

# owned_by TRACE NAME N: what was written of the journal is of N processes, and that actor has most of it
owned_by()
{
	commits "$1"
	[ "$(commits "$1")" = "$(cat "$2.pid") $3" ]
}

# owned_among TRACE NAME N: some of it is
owned_among()
{
	commits "$1"
	commits "$1" | grep -qx "$(cat "$2.pid") $3"
}

# same_counts TRACE NAME: what layers counted of the journal for that actor is what the rows have
same_counts()
{
	local counted rows

	counted=$(cells "$1" layers pid,layer,operation,class,bytes |
		awk -F'\t' -v pid="$(cat "$2.pid")" '$1 == pid && $2 == "BLOCK" && $3 == "WRITE" && $4 == "journal" { n += $5 } END { print n + 0 }')
	rows=$(rows "$1" | awk '$2 == "journal" { n += $5 * 512 } END { print n + 0 }')
	echo "counted: $counted; rows: $rows"
	[ "$counted" = "$rows" ] && [ "$rows" -gt 0 ]
}

check_counts()
{
	if [ -d "$1/layers" ]; then
		check 'its counters have the same bytes' same_counts "$1" "$2"
	else
		skip 'its counters have the same bytes: there are none in this tier'
	fi
}

# Two actors, "traced" and "other", of which the first is recorded into the directory one: told by descriptor 3
two_begin()
{
	mkfifo to
	"$python" play.py "$LIVE_JOURNAL" traced other <to &
	play=$!
	pids+=("$play")
	exec 3>to
	printf '%s\n' 'traced make 1' 'other make 1' 'other sync' >&3
	eventually 20 test -s other.pid
	eventually 20 test -e "$LIVE_JOURNAL/other/1"
	sleep 1
	record_in_background one -e ds -p "$(cat traced.pid)" 3>&- || cat one.log
}

# What they were told is done, and recorded
two_end()
{
	exec 3>&-
	wait "$play"
	end_tracer
}
