# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# For test scripts with several cases: each says PASS, FAIL or SKIP on one
# line, and the exit status says whether any failed. Sourced, never run.

cases_failed=0
trap '[ $? = 0 ] && exit $cases_failed' EXIT

pass()
{
	echo "PASS: $*"
}

fail()
{
	echo "FAIL: $*"
	cases_failed=1
}

skip()
{
	echo "SKIP: $*"
}

# check CLAIM COMMAND [ARG]...: the claim holds when the command succeeds; 77: it cannot be tried
check()
{
	local claim=$1 since=$SECONDS status

	shift
	"$@"
	status=$?
	case $status in
	0) pass "$claim" ;;
	77) skip "$claim" ;;
	*) fail "$claim$(last_words)" ;;
	esac
	[ $((SECONDS - since)) -lt 5 ] || echo "$((SECONDS - since)) s: $claim"
}

# equal CLAIM WANTED FOUND: both texts are told
equal()
{
	if [ "$2" = "$3" ]; then
		pass "$1 ($2)"
	else
		fail "$1: $2 wanted, $3 found"
	fi
}

# last_words: what was said last, in brackets, where the log is a file: a gate shows the failures
# of thousands of lines, and what they saw must be with them.
last_words()
{
	local log

	log=$(readlink "/proc/$$/fd/1")
	[ ! -f "$log" ] || printf ' (%s)' "$(tail -n 1 "$log" | cut -c 1-500)"
}

# skipped DIR...: one of the traces says that the kernel skipped a program, as it does now and
# then where system calls are preemptible (7.2). Rows may be missing there.
skipped()
{
	grep -qs '"programs_skipped": [1-9]' "${@/%//manifest.json}"
}

# again DIR COMMAND...: a claim on each row, up to three times while the trace in DIR says "skipped"
again()
{
	local dir=$1

	shift
	for _ in 1 2 3; do
		"$@" && return
		skipped "$dir" || return 1
		echo 'the kernel skipped a program'
	done
	return 1
}
