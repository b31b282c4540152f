# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What the test scripts of a guest share: cases, images from the host, the tracer as it was built,
# and how a live test is run. Sourced, never run.

# shellcheck source=cases.sh source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/cases.sh"
# shellcheck source=image.sh source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/image.sh"
# shellcheck source=gate.sh source-path=SCRIPTDIR
. "${BASH_SOURCE[0]%/*}/gate.sh"

# shellcheck disable=SC2154 # guest-run gives builddir and srcdir
export IOTRACER_BCC=$builddir/iotracer-bcc IOTRACER_STUB=$srcdir/compat/stub
iotracer=$builddir/iotracer
rw=/host-rw

# part NAME: this script is to do that part of it: each; in the gate (VM_GATE is the kernel's column of the
# table) what stands there; or what VM_PARTS names
part()
{
	local script=${0##*/guest-} parts=${VM_PARTS:-*}

	[ -z "${VM_GATE:-}" ] || parts=$(gate_parts "$VM_GATE" "${script%.sh}")
	case ,$parts, in
	*,\*,* | *,"$1",*) ;;
	*) return 1 ;;
	esac
}

# live PREFIX SCRIPT [NAME=VALUE]...: the claims of a live test, each begins with the prefix
live()
{
	local prefix=$1 script=$2

	shift 2
	env TMPDIR=/mnt/ext4 "$@" /bin/bash "$srcdir/tests/live/$script.sh" |
		sed "s/^\(PASS\|FAIL\|SKIP\): /&$prefix: /"
}

# live_tier TIER SCRIPT...: the same of several, with the image that has the tier's name
live_tier()
{
	local tier=$1 script

	shift
	for script; do
		live "tier $tier: $script" "$script" "LIVE_TIER=$tier" "LIVE_IMAGE=$rw/image-$tier"
	done
}

# tier_options TIER: what record and build are asked for, in the array of this name
# shellcheck disable=SC2034 # for the script that sources this
tier_options()
{
	tier_options=()
	case $1 in
	b) tier_options=(--no-kprobes) ;;
	c) tier_options=(--no-kprobes --no-headers) ;;
	esac
}

# tier_image TIER: the claim that its image is compiled, on the host: of all streams, once for all scripts
tier_image()
{
	local tier_options

	tier_options "$1"
	check "tier $1: compiled on the host" image "$1" -e +sched,+layers --drops "${tier_options[@]}"
}

# cells DIR STREAM COLUMN[,COLUMN]...: cells of all rows, tabs between
cells()
{
	"$builddir/tests/conform/conform_diff" cut "$1" "$2" "$3"
}

kernel_log_is_clean()
{
	! dmesg | grep -E 'BUG|WARNING|Oops|refcount|rcu.*stall'
}
