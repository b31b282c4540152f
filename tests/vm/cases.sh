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
	[ $((SECONDS - since)) -lt 5 ] || echo "$((SECONDS - since)) s: $claim"
	case $status in
	0) pass "$claim" ;;
	77) skip "$claim" ;;
	*) fail "$claim" ;;
	esac
}

# spared KERNEL...: true on these. The gate has half an hour for all kernels, so each
# of them does a part of what need not be seen on every one; any other kernel does all.
spared()
{
	local kernel

	for kernel; do
		[[ $(uname -r) != "$kernel".* ]] || return 0
	done
	return 1
}

# skipped DIR...: one of the traces says that the kernel skipped a program, as it does now and
# then where system calls are preemptible (7.2). Rows may be missing there.
skipped()
{
	grep -qs '"programs_skipped": [1-9]' "${@/%//manifest.json}"
}
