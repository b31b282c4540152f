# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# For tests of other programs that read what is recorded: the examples of doc/LOADING.md, and what Python's csv module
# finds. Sourced after lib.sh, never run.

# shellcheck disable=SC2034 # for who sources this
readers=$tests_dir/readers
root=$(cd "$tests_dir/.." && pwd -P)
command -v jq >/dev/null || skip_all 'jq is missing'
command -v python3 >/dev/null || skip_all 'python3 is missing'
[ -r "$root/doc/LOADING.md" ] || skip_all 'doc/LOADING.md is not here'

# example NAME: the block below its mark, with this trace in place of DIR and this program
example()
{
	awk -v mark="<!-- ci:$1 -->" '$0 == mark { found = 1; next } found && /^```/ { if (inside) exit; inside = 1; next }
		inside' "$root/doc/LOADING.md" | sed "s#DIR#$dir#g"
}

# the rows of STREAM by READER are those of the reference, however they are sorted
# agree READER STREAM FILE
agree()
{
	LC_ALL=C sort "$3" | cmp -s - "$tmp/reference.$2" && return
	diff <(LC_ALL=C sort "$3") "$tmp/reference.$2" | head -4 | cut -c1-600
	return 1
}
