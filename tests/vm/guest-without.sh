#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What an administrator may forbid: each setting costs nothing, or what it costs is said in one
# line that names it. Lockdown cannot be taken back, so this is the last script of a guest.

# shellcheck source=guest.sh source-path=SCRIPTDIR
. "${0%/*}/guest.sh"

file=/mnt/ext4/without
lockdown=/sys/kernel/security/lockdown

# record DIR [OPTION...]: 11 writes; what the tracer says goes to /tmp/said
record()
{
	local dir=$1

	shift
	rm -rf "$dir"
	"$iotracer" record --no-snapshots -e fs -o "$dir" "$@" -- dd if=/dev/zero of=$file bs=512 count=11 status=none 2>/tmp/said
}

# rows TIER: each write is a row with the file's inode, in this tier
rows()
{
	record /tmp/without.trace --image "$rw/image-$1" || { cat /tmp/said; return 1; }
	"$builddir/tests/conform/conform_diff" cut /tmp/without.trace fs operation,filename,inode |
		grep -c "^WRITE	$file	$(stat -c %i $file)$" | grep -qx 11 || return
	"$iotracer" doctor | grep -q "^fs  *WRITE  *$1 "
}

# setting NAME VALUE COMMAND...: the command while it is so
setting()
{
	local name=$1 value=$2 before

	shift 2
	before=$(sysctl -n "$name") && sysctl -qw "$name=$value" || return 77
	[ "$(sysctl -n "$name")" = "$value" ] || return 77
	"$@"
	set -- $?
	sysctl -qw "$name=$before"
	return "$1"
}

# refused PATTERN [OPTION...]: nothing is recorded, and one line like this says why
refused()
{
	local pattern=$1

	shift
	record /tmp/refused.trace "$@"
	[ $? = 1 ] || return
	cat /tmp/said
	[ "$(wc -l </tmp/said)" = 1 ] && grep -q "$pattern" /tmp/said && [ ! -e /tmp/refused.trace ]
}

# Kprobes at functions are ftrace's to call: without it they are attached, and do not fire.
no_kprobes()
{
	refused 'image-a has kprobes: .* sysctl kernel.ftrace_enabled=1' --image "$rw/image-a" &&
		"$iotracer" doctor | grep '^kprobes .*sysctl kernel.ftrace_enabled=1'
}

tier_image a
check 'kernel.kptr_restrict=2 costs nothing' setting kernel.kptr_restrict 2 rows a
check 'kernel.perf_event_paranoid=3 costs nothing' setting kernel.perf_event_paranoid 3 rows a
check 'kernel.perf_event_paranoid=4 costs nothing' setting kernel.perf_event_paranoid 4 rows a
check 'kernel.unprivileged_bpf_disabled=2 costs nothing' setting kernel.unprivileged_bpf_disabled 2 rows a
check 'kernel.ftrace_enabled=0: one line says what to do' setting kernel.ftrace_enabled 0 no_kprobes
tier_image b
check 'kernel.ftrace_enabled=0 costs no more than kprobes' setting kernel.ftrace_enabled 0 rows b
[ -e $lockdown ] || mount -t securityfs none /sys/kernel/security
if ! grep -q confidentiality $lockdown 2>/dev/null; then
	skip 'lockdown: this kernel has none'
	exit
fi
check 'lockdown=integrity' bash -c "echo integrity >$lockdown"
check 'lockdown=integrity costs nothing' rows a
forbidden='lockdown.* confidentiality.*boot with lockdown=integrity'
check 'lockdown=confidentiality' bash -c "echo confidentiality >$lockdown"
check 'lockdown=confidentiality: one line says what to do' refused "$forbidden"
check 'lockdown=confidentiality: with an image, too' refused "$forbidden" --image "$rw/image-a"
check 'lockdown=confidentiality: nothing is learned' refused "$forbidden" --layout learned
check 'lockdown=confidentiality: doctor says so' bash -c "'$iotracer' doctor | grep '^bpf .*lockdown=integrity'"
umount /sys/kernel/security
check 'lockdown=confidentiality where nobody says so: one line' bash -c \
	"'$iotracer' record -o /tmp/x --no-snapshots -- true 2>/tmp/said; [ \$? = 1 ] && cat /tmp/said && grep -c 'bpf_probe_read.* lockdown=integrity' /tmp/said && [ \$(wc -l </tmp/said) = 1 ]"
