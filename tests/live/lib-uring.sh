# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the tests of io_uring share: the kernel's events of it. Sourced after lib.sh, never run.

events=/sys/kernel/tracing/events/io_uring
[ -d /sys/kernel/tracing/events ] || events=/sys/kernel/debug/tracing/events/io_uring

# uring_event_has EVENT NAME: the event is there, and has the field
uring_event_has()
{
	grep -qs "[ *]$2;" "$events/$1/format"
}

# needs_to_run PROGRAM: it does what it says without a tracer, or nothing can be said with one: ends. What it says is `alone`
needs_to_run()
{
	"$1" "$tmp" >alone 2>alone.log
	case $? in
	0) ;;
	77) skip_all "this kernel has no io_uring: $(sed -n 's/^SKIP: //p' alone)" ;;
	*) fail "$1 does not do what it says without a tracer, either: $(tail -n 1 alone.log)" && exit 1 ;;
	esac
}

# no_uring_loss DIR: or events that the kernel skipped, which makes the claim a skip
no_uring_loss()
{
	[ "$(cells "$1" lost stream,reason | grep -c iouring)" = 0 ] || skipped "$1"
}
