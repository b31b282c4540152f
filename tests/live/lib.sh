# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the live tests share: a directory that goes away with its processes, the
# programs, how the tracer is called, how rows are read. Sourced, never run.
#   IOTRACER  the binary (default: the one of the build directory)
#   LIVE_TIER a, b or c: what is asked of the kernel (default: what it has)
#   LIVE_IMAGE an image for this kernel and tier: nothing is compiled here

export tests_dir # for shells below, which start programs of tests/readers
tests_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
builddir=$(cd "${builddir:-.}" && pwd -P)
# shellcheck source=../vm/cases.sh
. "$tests_dir/vm/cases.sh"

if [ -z "${IOTRACER:-}" ]; then
	IOTRACER=$builddir/iotracer
	export IOTRACER_BCC=$builddir/iotracer-bcc IOTRACER_STUB=$tests_dir/../compat/stub IOTRACER_SYSTEMS=$tests_dir/../data/systems.conf
fi

# The whole test cannot be: says why, in the way automake understands.
skip_all()
{
	echo "SKIP: $*"
	exit 77
}

tmp=
pids=()
watcher= # see lib-events.sh
unwatch()
{
	[ -z "$watcher" ] || rmdir "$watcher"
	watcher=
}

leave()
{
	local status=$?

	trap '' INT TERM HUP
	[ ${#pids[@]} -eq 0 ] || kill -KILL "${pids[@]}" 2>/dev/null
	wait 2>/dev/null
	cd /
	unwatch
	! declare -F undo >/dev/null || undo
	[ -z "$tmp" ] || rm -rf "$tmp"
	[ "$status" -ne 0 ] || exit "$cases_failed"
	exit "$status"
}
trap leave EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

[ -x "$IOTRACER" ] || skip_all "no tracer at $IOTRACER"
[ "$(id -u)" = 0 ] || skip_all 'tracing needs root'
# Nobody mounts it on minimal systems: `record` does so, too
if [ ! -d /sys/kernel/tracing/events ] && [ ! -d /sys/kernel/debug/tracing/events ] &&
	! mount -t tracefs nodev /sys/kernel/tracing; then
	skip_all 'tracefs is not mounted'
fi
tmp=$(mktemp -d "${TMPDIR:-/tmp}/live.XXXXXX") || exit 1
tmp=$(cd "$tmp" && pwd -P)
chmod 755 "$tmp"
cd "$tmp" || exit 1
export LIVE_OF=$tmp # see ours

if [ -z "${LIVE_TIER:-}" ]; then
	LIVE_TIER=c
	if [ -e /sys/kernel/btf/vmlinux ] || [ -d "/lib/modules/$(uname -r)/build/include" ]; then
		LIVE_TIER=b
		[ ! -e /sys/kernel/tracing/kprobe_events ] || LIVE_TIER=a
	fi
fi
case $LIVE_TIER in
a) tier_options=() ;;
b) tier_options=(--no-kprobes) ;;
c) tier_options=(--no-kprobes --layout none) ;;
esac
# from another source than the first that is there; tiers a and b
[ -z "${LIVE_LAYOUT:-}" ] || [ "$LIVE_TIER" = c ] || tier_options+=(--layout "$LIVE_LAYOUT")
[ -z "${LIVE_IMAGE:-}" ] || tier_options+=(--image "$LIVE_IMAGE")

# uring_forbidden: says why no ring of io_uring can be made here (RHEL 9 ships it so), or is false
uring_forbidden()
{
	local setting

	setting=$(cat /proc/sys/kernel/io_uring_disabled 2>/dev/null)
	[ "$setting" = 2 ] && echo 'kernel.io_uring_disabled is 2'
}

# Of record: snapshots have a test of their own; elsewhere they would be among what is counted.
record_options=("${tier_options[@]}" --no-snapshots)

# record DIR [OPTION]... [-- COMMAND]: what it says goes to DIR.log
record()
{
	local dir=$1

	shift
	"$IOTRACER" record -o "$dir" "${record_options[@]}" "$@" 2>"$dir.log"
}

# The same without a command, in the background: waits until it traces; $! is its number.
record_in_background()
{
	local dir=$1 i

	shift
	"$IOTRACER" record -o "$dir" "${record_options[@]}" "$@" 2>"$dir.log" </dev/null &
	tracer=$!
	pids+=("$tracer")
	for ((i = 0; i < 300; i++)); do
		! grep -q 'recording into' "$dir.log" 2>/dev/null || return 0
		sleep 0.1
	done
	return 1
}

# Ends the tracer with a signal (TERM) and gives its exit status.
end_tracer()
{
	kill "-${1:-TERM}" "$tracer"
	wait "$tracer"
}

# the compiler, which may have words before its name ("ccache gcc")
read -ra cc <<<"${CC:-cc}"

# program NAME [FLAG]...: path of a test program, built when make has not
program()
{
	local name=$1 sources=("$tests_dir/conform/$1.c")

	shift
	[ ! -x "$builddir/tests/conform/$name" ] || { echo "$builddir/tests/conform/$name"; return; }
	case $name in
	conform) sources+=("$tests_dir"/conform/case_*.c) ;;
	conform_pages) sources+=("$tests_dir/conform/pages_faults.c") ;;
	conform_uring | conform_uring_steps) sources+=("$tests_dir/conform/uring_ring.c") ;;
	esac
	[ -x "$tmp/$name" ] || "${cc[@]}" -D_GNU_SOURCE -O1 -I"$tests_dir" -I"$tests_dir/.." "$@" -o "$tmp/$name" "${sources[@]}" -pthread \
		>"$tmp/$name.log" 2>&1 || return
	echo "$tmp/$name"
}

reader=$(program conform_diff -lz) || reader=
if [ -z "$reader" ]; then
	reader=$(program conform_diff -Wl,--no-as-needed -lz) ||
		skip_all 'tests/conform/conform_diff is not built and cannot be'
fi

# python_path: of the interpreter itself, which a wrapper of that name may start
python_path()
{
	python3 -c 'import sys; print(sys.executable)'
}

# cells SESSION STREAM COLUMN[,COLUMN]...: cells of all rows, tabs between; nothing when there is no row
cells()
{
	[ ! -d "$1/$2" ] || "$reader" cut "$1" "$2" "$3"
}

# The kernel takes what its host and its interrupts had from the time that a thread ran (update_rq_clock_task);
# rows do not. In nanoseconds, of all CPUs.
not_programs()
{
	awk -v hz="$(getconf CLK_TCK)" '$1 == "cpu" { printf "%.0f\n", ($7 + $8 + $9) * 1000000000 / hz }' /proc/stat
}

# record_steps DIR [OPTION]... <LINES: one trace of several commands, one after the other, as a start of the tracer costs
# more than most of them do. A line is NAME COMMAND...; what it said is in NAME.out, its status in NAME.status.
record_steps()
{
	cat >"$1.steps"
	cat >steps.sh <<-'END'
		exec 3>"$1.marks" 4<"$1.steps"
		while read -ru4 name command; do
			sleep 0.01
			{ read -r _ && read -r _ && read -r _ _ now _; } </proc/timer_list # now at N nsecs
			echo "$name $now" >&3
			eval "$command" >"$name.out" </dev/null 3>&- 4<&-
			echo $? >"$name.status"
		done
	END
	record "$@" -- bash steps.sh "$1"
}

# step_cells DIR NAME STREAM COLUMN[,COLUMN]...: cells of the rows of that step
step_cells()
{
	cells "$1" "$3" "mono_ns,$4" | awk -F'\t' -v name="$2" '
		NR == FNR { split($0, word, " "); if (began && !ended) ended = word[2]; if (word[1] == name) began = word[2]; next }
		$1 + 0 >= began + 0 && (!ended || $1 + 0 < ended + 0) { sub(/^[^\t]*\t/, ""); print }' "$1.marks" -
}

n_rows()
{
	cells "$1" "$2" mono_ns | wc -l
}

# lost DIR [STREAM [REASONS]]: how many events, by the rows that say so; for reasons that match
lost()
{
	cells "$1" lost stream,reason,count | awk -F'\t' -v stream="${2:-}" -v reasons="^(${3:-.*})\$" '
		(stream == "" || $1 == stream) && $2 ~ reasons { n += $3 }
		END { print n + 0 }'
}

# no_loss DIR [STREAM]: no row says that anything was lost; else these are shown
no_loss()
{
	! cells "$1" lost stream,reason,count | grep -P "^${2:-.*}\t"
}

# column [--sum] COLUMN[,COLUMN]... [COLUMN=VALUE | =NAME]... <CSV: see there
column()
{
	python3 "$tests_dir/readers/column.py" "$@"
}

# One line that begins with the program's name, or exactly N
one_message()
{
	[ "$(grep -c '^iotracer: ' "$1")" = "${2:-1}" ] && [ "$(wc -l <"$1")" = "${2:-1}" ]
}

# eventually SECONDS COMMAND...: of a quick machine; a busy one has six times as many
eventually()
{
	local end=$((SECONDS + 6 * $1))

	shift
	until "$@"; do
		[ "$SECONDS" -lt "$end" ] || return 1
		sleep 0.1
	done
}

# ours NAME: processes of that name that this script has started, or that come from those
ours()
{
	local pid

	for pid in $(pgrep -x "$1"); do
		! grep -qzx "LIVE_OF=$tmp" "/proc/$pid/environ" 2>/dev/null || echo "$pid"
	done
}

# No process of ours closes events any more
none_detaches()
{
	[ -z "$(ours iotracer-detach)" ]
}

# Probes of a tracer that runs and is not ours are its own.
no_probe_left()
{
	local pid

	for pid in $(cat /sys/kernel/tracing/kprobe_events <(ls /sys/kernel/tracing/events) 2>/dev/null |
		grep -o 'iotracer_[0-9]*' | sort -u | cut -d _ -f 2); do
		grep -qsx iotracer "/proc/$pid/comm" && ! ours iotracer | grep -qx "$pid" || return
	done
}
