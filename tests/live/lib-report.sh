# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the tests of `iotracer report` share. Sourced after lib.sh, never run.

# report ARGUMENT...: what it says is in out and err
report()
{
	"$IOTRACER" report "$@" >out 2>err
}

# says TEXT: the last report has it; says_like PATTERN
says()
{
	grep -qF -- "$1" out || { cat out err; return 1; }
}

says_like()
{
	grep -qE -- "$1" out || { cat out err; return 1; }
}
