#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Completion for bash offers the commands, options and streams that the program has, and
# only where they fit.
builddir=$(cd "${builddir:-.}" && pwd -P)
failed=0 n=0
# what a terminal would have, and a script has not
# shellcheck disable=SC2317
compopt() { :; }
# shellcheck source=/dev/null
. "$builddir/completion/iotracer" || exit 1

# offers WANTED WORD...: what is offered for the last word
offers()
{
	local wanted=$1 got

	shift
	n=$((n + 1))
	COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
	_iotracer
	got=${COMPREPLY[*]}
	[ "$got" = "$wanted" ] || { echo "FAIL: $*: '$got' instead of '$wanted'"; failed=1; }
}

for command in $("$builddir/iotracer" --help | sed -n 's/^  \([a-z]*\) .*/\1/p'); do
	offers "$command" iotracer "$command"
	while read -r option; do
		case " $(COMP_WORDS=(iotracer "$command" "$option") COMP_CWORD=2 && _iotracer && echo "${COMPREPLY[*]}") " in
		*" $option "*) n=$((n + 1)) ;;
		*) echo "FAIL: $command does not offer $option" && failed=1 ;;
		esac
	done < <({ "$builddir/iotracer" "$command" --help=all 2>/dev/null || "$builddir/iotracer" "$command" --help; } |
		sed -n 's/^  .. \{0,2\},\{0,1\} *\(--[a-z-]*\).*/\1/p' | sort -u)
done
[ $n -ge 60 ] || { echo "FAIL: only $n commands and options"; failed=1; }
offers 'report' iotracer rep
offers '--section' iotracer report DIR --sec
offers 'nw nw_conn nw_epoll nw_sockopt nw_drop' iotracer record -e nw
offers 'fs,ds' iotracer record -e fs,d
offers 'fs,!cache' iotracer record -e 'fs,!c'
offers '+sched' iotracer watch --events +sch
offers 'exec' iotracer schema exe
offers 'uring' iotracer help ur
offers 'questions' iotracer help q
offers 'files fio findings' iotracer help 'fi'
offers '' iotracer help questions ur
# an argument is no option, and a directory no word of ours
offers '' iotracer report DIR -o -
offers '' iotracer report tra
[ $failed = 1 ] || echo "PASS: $n completions"
exit $failed
