# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the tests of `iotracer fio` share: a trace is repeated by fio in a scratch directory, that is recorded, too, and
# each figure of each file is as before. Sourced behind lib.sh.

for tool in fio python3; do
	command -v $tool >/dev/null || skip_all "$tool is not installed"
done
export IOTRACER
checks=$tests_dir/readers/fio_checks.py
iolog=3
case $(fio --version) in
fio-3.[0-9] | fio-3.[12][0-9] | fio-3.30 | fio-2.*) iolog=2 ;;
esac

# jobs NAME COPY [OPTION]...: of the trace NAME: COPY.jobs, and the files as they were in COPY.scratch
jobs()
{
	"$IOTRACER" fio "$1" -o "$2.jobs" --into "$2.scratch" --iolog $iolog "${@:3}" 2>"$2.said" && fio --output="$2.layout" "$2.jobs/layout.fio"
}

# replay COPY...: fio does what their jobs say, one after the other
replay()
{
	local copy

	for copy; do
		fio --output="$copy.out" "$copy.jobs/replay.fio" && ! grep 'err=[^0]*[1-9]' "$copy.out" || return
	done
}
export -f replay

# repeated NAME [EVENTS]: recorded again as NAME.again
repeated()
{
	jobs "$1" "$1" && record "$1.again" -e "${2:-fs}" -m 8192 -- fio --output="$1.out" "$1.jobs/replay.fio" && ! grep 'err=[^0]*[1-9]' "$1.out"
}

# as_before NAME [COPY [AGAIN [MEASURE-OR-VERDICT-TO-PASS-OVER]...]]: no figure of a file that fio repeated differs
as_before()
{
	local copy=${2:-$1}

	"$IOTRACER" report -q "$1" "${3:-$1.again}" --replay "$copy.jobs" --section replayed_files --csv --top 0 >"$copy.figures" 2>>"$copy.said" ||
		return
	python3 "$checks" figures "$copy.figures" "${@:4}"
}
