#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# check-matrix.sh [KERNEL...]
# `make check-matrix`; 5.10, 6.1, 6.12 and the newest where none is named. Compiles the whole plan of each kernel, in tiers a and b against its headers
# and in tier c against none, that of each stream alone, names as given, and counts without rows, has the running kernel verify every program and
# holds the instructions against the rules of 4.14 (tests/vm/verify_programs). Facts come
# from tests/hosts, headers from get-kernel; nothing is booted. From the build
# directory; prints PASS, FAIL or SKIP for each, and the sum. As many at once as there are CPUs.

# shellcheck source=lib.sh source-path=SCRIPTDIR
. "$(dirname "$(readlink -f "$0")")/lib.sh"

export IOTRACER_BCC=${IOTRACER_BCC:-$PWD/iotracer-bcc} IOTRACER_STUB=$vm_top/compat/stub
jobs=$(nproc)
streams=$(sed -n 's|^\tSTREAM(\([a-z_]*\),.*|\1|p' "$vm_top/probes/schema/streams.def" | grep -vx 'lost\|layers')
n=0

# The saved host with this release's name, so that its headers fit.
host_of()
{
	local version=${1%%[-+]*} saved

	saved=$vm_top/tests/hosts/${version%.*}
	[ -d "$saved" ] || saved=$(printf '%s\n' "$vm_top"/tests/hosts/"${version%%.*}".* | sort -V | tail -n 1)
	cp -a "$saved" "$work/host-$1" && echo "$1" >"$work/host-$1/proc/sys/kernel/osrelease"
	rm -rf "$work/host-$1/include"
	for config in "$work/host-$1"/boot/config-*; do
		[ "$config" = "$work/host-$1/boot/config-$1" ] || mv "$config" "$work/host-$1/boot/config-$1"
	done
	echo "$work/host-$1"
}

# verify NAME ARG...
verify()
{
	local name=$1 output

	shift
	output=$(tests/vm/verify_programs "$@" 2>&1)
	case $? in
	0) echo "PASS: matrix: $name: ${output##*$'\n'}" ;;
	77) echo "SKIP: matrix: $name: needs root" ;;
	*)
		echo "FAIL: matrix: $name"
		grep -v ': warning:\|^iotracer: compiler:  ' <<<"$output" | tail -n 12 | sed 's/^/  | /'
		;;
	esac
}

# start NAME ARG...: beside the others; what it says is shown in the order of the starts
start()
{
	[ "$(jobs -pr | wc -l)" -lt "$jobs" ] || wait -n
	n=$((n + 1))
	verify "$@" >"$work/result-$(printf %03d $n)" &
}

count()
{
	cat "$work"/result-* | grep -c "^$1: "
}

vm_home
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ $# -gt 0 ] || set -- 5.10 6.1 6.12 backports
for kernel; do
	[ -f "$VM_HOME/$(kernel_name "$kernel")/release" ] || "$vm_dir/get-kernel" "$kernel" >&2 || {
		echo "FAIL: matrix: $kernel cannot be had" | tee "$work/result-$kernel"
		continue
	}
	dir=$VM_HOME/$(kernel_name "$kernel")
	release=$(<"$dir/release")
	headers=$dir/usr/src/linux-headers-$release
	host=$(host_of "$release")
	start "$release, tier a" "$host" "$headers"
	start "$release, tier b" "$host" "$headers" --no-kprobes
	start "$release, names as given" "$host" "$headers" --stream fs --given
	start "$release, counts alone" "$host" "$headers" --counts
	# what one stream takes from the text of another is missing only where it is alone: that is the same from kernel to
	# kernel but for a few candidates, so that the gate asks the oldest and the newest
	if [ -n "${VM_GATE:-}" ] && [ "$kernel" != "$1" ] && [ "$kernel" != "${!#}" ]; then
		continue
	fi
	for stream in $streams; do
		start "$release, $stream alone" "$host" "$headers" --stream "$stream"
	done
done
# Of arm64 where get-kernel --arch has been, or an own build is: its programs are held against the rules, and are loaded nowhere.
for dir in "$VM_HOME"/arm64-*/; do
	[ -f "$dir/release" ] || continue
	release=$(<"$dir/release")
	host=$vm_top/tests/hosts/$(basename "$dir" | sed 's/^arm64-\(.*\)/\1-arm64/')
	[ "$(cat "$host/proc/sys/kernel/osrelease" 2>/dev/null)" = "$release" ] || continue
	headers=$(kernel_headers "$(basename "$dir")")
	start "$release, tier a" "$host" "$headers"
	start "$release, tier b" "$host" "$headers" --no-kprobes
done
for host in "$vm_top"/tests/hosts/*/; do
	start "$(basename "$host"), tier c" "$host" none
done
wait
cat "$work"/result-[0-9][0-9][0-9]
echo "$(count PASS) passed, $(count FAIL) failed, $(count SKIP) skipped"
[ "$(count FAIL)" = 0 ]
