#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# check-vm.sh [--arch arm64] [KERNEL...] [-- SCRIPT...]
# Boots each kernel once (5.10 6.1 6.12 and the newest) and runs all test scripts in it
# (guest-*.sh of this directory), from the build directory, which is where this
# is called. A kernel that cannot be had or booted on this machine is skipped
# with the reason; where CI is set it fails. What has not run has failed. The last line is the sum.
# KERNEL:btf hides its headers, so that images are made from what its BTF says.
# arm64-KERNEL (--arch: all of them) is a guest of that machine: what it runs is compiled by cross-build, and images are
# made here for it.
#   VM_TIMEOUT         seconds for one kernel with all its scripts (7200)
#   VM_SCRIPT_TIMEOUT  seconds for one script (1500)
#   VM_JOBS            kernels at a time (one for each CPU, at most 4)
#   VM_LOGS            where what the guests leave goes, a directory for each kernel ($VM_HOME/log)
#   VM_RUN             options of `run` for every boot
#   SOAK_FLAGS         of guest-soak.sh
#   VM_PARTS           which parts of the scripts (a,c), where they have any
#   VM_GATE            not empty: each kernel runs what the table in gate.sh has in its column, and
#                      the compile matrix is left out

# shellcheck source=lib.sh source-path=SCRIPTDIR
. "$(dirname "$(readlink -f "$0")")/lib.sh"
# shellcheck source=gate.sh source-path=SCRIPTDIR
. "$vm_dir/gate.sh"

builddir=$PWD
arch=amd64
if [ "${1:-}" = --arch ]; then
	arch=${2:-}
	shift 2
fi
kernels=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
	kernels+=("$1")
	shift
done
if [ ${#kernels[@]} -eq 0 ] && [ -n "${VM_GATE:-}" ]; then
	read -r -a kernels < <(gate_kernels)
elif [ ${#kernels[@]} -eq 0 ]; then
	kernels=(5.10 6.1 6.12 backports)
fi
[ $# -eq 0 ] || shift
named=${1:-}
scripts=()
for script in "${@:-$vm_dir/guest-*.sh}"; do
	# shellcheck disable=SC2206 # the default is a pattern
	scripts+=($script)
done

# One line a result, as the scripts write them; the name of the kernel in front.
results=
passed=0 failed=0 skipped=0

count()
{
	grep -c "^$1: " "$results"
}

absent()
{
	local verdict=SKIP script

	[ -z "${CI:-}" ] || verdict=FAIL
	for script in "${scripts[@]}"; do
		script=${script##*/}
		echo "$verdict: ${script%.sh}: $1" | tee -a "$results"
	done
}

# A guest that dies takes the results of later scripts with it.
without_result()
{
	local script name

	for script in "${scripts[@]}"; do
		name=${script##*/}
		grep -q ": ${name%.sh}\(:\|\$\)" "$results" || echo "$script"
	done
}

missing_results()
{
	local script

	without_result | while read -r script; do
		script=${script##*/}
		echo "FAIL: ${script%.sh}: no result from the guest" | tee -a "$results"
	done
}

guest()
{
	# shellcheck disable=SC2086 # a list of options
	cd "$builddir" && "$vm_dir/run" "$kernel" --arch $vm_arch ${VM_RUN:-} $turns --timing --timeout $((${VM_TIMEOUT:-7200} - SECONDS)) --rw "$out" -- \
		env "srcdir=$vm_top" "builddir=$builddir" "VM_SCRIPT_TIMEOUT=${VM_SCRIPT_TIMEOUT:-1500}" \
		"VM_RELEASE=$(<"$VM_HOME/$(kernel_name "$kernel")/release")" "VM_GATE=${VM_GATE:+$column}" \
		"VM_LAYOUT=$layout" "VM_PARTS=${VM_PARTS:-}" "SOAK_FLAGS=${SOAK_FLAGS:-}" \
		/bin/bash "$vm_dir/guest-run" "$@"
}

# An emulated machine can die where a real one does not: a CPU executes what another one is just
# patching (seen: 5.10 for ever at the breakpoint of a static key; 6.12 in the middle of the nop of
# sched_switch, and at address 0 behind an event of page faults; 7.3 at a breakpoint that was gone,
# in three of five guests that were alone on the host). What it owes is tried on another
# one whose CPUs take turns, as long as that gets further. A script in which two have died has failed.
guests()
{
	local owed=("${scripts[@]}") died='' turns=''

	until guest "${owed[@]}"; do
		mapfile -t owed < <(without_result)
		[ ${#owed[@]} -gt 0 ] || return 1
		[ "${owed[0]}" != "$died" ] || return 1
		[ "$SECONDS" -lt "${VM_TIMEOUT:-7200}" ] || return 1
		died=${owed[0]} turns=--turns
		echo "DIED: $kernel in $(basename "$died" .sh), again: ${owed[*]##*/}"
	done
}

failed_logs()
{
	local script

	sed -n 's/^FAIL: \([^: ]*\).*/\1/p' "$results" | sort -u | while read -r script; do
		[ ! -f "$out/$script.log" ] || tail -n 40 "$out/$script.log" | sed "s/^/  $script | /"
	done
}

# Without scripts by name: the programs of all these kernels and of the newest,
# compiled and verified on this machine.
matrix()
{
	local newest have=() dir

	echo '== compile matrix'
	newest=$(printf '%s\n' "$VM_HOME"/deb-[7-9]* | tail -n 1)
	[ -d "$newest" ] || "$vm_dir/get-kernel" backports || echo "the newest kernel cannot be had"
	for dir in "$VM_HOME"/deb-*; do
		[ ! -f "$dir/release" ] || have+=("${dir##*/}")
	done
	results=$logs/matrix
	"$vm_dir/check-matrix.sh" "${have[@]}" 2>&1 | tee "$results"
	passed=$((passed + $(count PASS)))
	failed=$((failed + $(count FAIL)))
	skipped=$((skipped + $(count SKIP)))
}

# Each member where headers, BTF and what was learned say it is: guest-layout.sh left the latter two.
offsets()
{
	echo '== offsets'
	results=$logs/offsets
	VM_LOGS=$logs "$vm_dir/check-offsets.sh" "${@%%:*}" 2>&1 | tee "$results"
	passed=$((passed + $(count PASS)))
	failed=$((failed + $(count FAIL)))
	skipped=$((skipped + $(count SKIP)))
}

# scripts_of COLUMN: a line for each script that runs there
scripts_of()
{
	if [ -n "${VM_GATE:-}" ] && [ -z "$named" ]; then
		gate_scripts "$1" | sed "s,.*,$vm_dir/guest-&.sh,"
	else
		printf '%s\n' "${scripts[@]}"
	fi
}

# with_layouts COLUMN...: those whose guests leave layouts
with_layouts()
{
	local column

	for column; do
		! scripts_of "$column" | grep -q '/guest-layout.sh$' || echo "$column"
	done
}

run_kernel()
{
	local column=$1 kernel=${1%%:*} layout='' why server

	# each kernel has a shell of its own
	case $kernel in arm64-*) use_arch arm64 ;; esac
	[ "$kernel" = "$1" ] || layout=${1#*:}
	mapfile -t scripts < <(scripts_of "$column")

	out=$logs/${kernel}
	rm -rf "$out"
	mkdir -p "$out"
	results=$out/results
	: >"$results"
	: >"$out/seconds"
	if [ ${#scripts[@]} -eq 0 ]; then
		echo "FAIL: gate: $column is no column of gate.sh" | tee -a "$results"
	elif [ ! -f "$VM_HOME/$(kernel_name "$kernel")/bzImage" ] && ! why=$("$vm_dir/get-kernel" --arch "$vm_arch" "$kernel" 2>&1); then
		absent "${why##*$'\n'}"
	elif ! why=$(vm_needs 2>&1); then
		absent "$why"
	elif [ "$vm_arch" != amd64 ] && ! why=$("$vm_dir/cross-build" "$vm_arch" 2>&1); then
		absent "${why##*$'\n'}"
	else
		[ "$vm_arch" = amd64 ] || builddir=$VM_HOME/$vm_arch-build
		srcdir=$vm_top "$vm_dir/build-server" "$out" "$(kernel_headers "$kernel")" &
		server=$!
		(guests) || echo "FAIL: guest: run ended with status $?" | tee -a "$results"
		kill $server
		wait $server 2>/dev/null
		missing_results
		failed_logs
	fi
	echo "$kernel: $(count PASS) passed, $(count FAIL) failed, $(count SKIP) skipped"
}

# Some kernels at the same time, the next one as soon as one is done, so that none waits for a
# slower one: best named longest first. What they say appears when all of them are done.
run_kernels()
{
	local kernel

	for kernel in "$@"; do
		[ "$(jobs -pr | wc -l)" -lt "$jobs" ] || wait -n
		(
			SECONDS=0
			echo "== $kernel"
			run_kernel "$kernel"
			echo "$kernel: $SECONDS s"
		) >"$logs/${kernel%%:*}.said" 2>&1 &
	done
	wait
	for kernel in "${@%%:*}"; do
		cat "$logs/$kernel.said"
		results=$logs/$kernel/results
		passed=$((passed + $(count PASS)))
		failed=$((failed + $(count FAIL)))
		skipped=$((skipped + $(count SKIP)))
	done
	echo '== seconds'
	for kernel in "${@%%:*}"; do
		sed "s/$/, $kernel/" "$logs/$kernel/seconds"
	done | sort -rn | tee "$logs/seconds"
	for kernel in "${@%%:*}"; do
		grep '^DIED: ' "$logs/$kernel.said"
	done
}

# A script that got slow is a failure of the gate, as are those of make check
slow_scripts()
{
	local slow

	slow=$("$vm_top/tests/seconds.sh" --guests <"$logs/seconds") && return
	echo "$slow"
	failed=$((failed + 1))
}

for i in "${!scripts[@]}"; do
	[ -f "${scripts[i]}" ] || die "no test script ${scripts[i]}"
	scripts[i]=$(readlink -f "${scripts[i]}")
done
vm_home
logs=${VM_LOGS:-$VM_HOME/log}
mkdir -p "$logs"
[ "$arch" = amd64 ] || kernels=("${kernels[@]/#/$arch-}")
jobs=${VM_JOBS:-$(nproc)}
[ "$jobs" -le 4 ] || jobs=4
run_kernels "${kernels[@]}"
[ -z "${VM_GATE:-}" ] || slow_scripts
mapfile -t kernels < <(with_layouts "${kernels[@]}")
[ ${#kernels[@]} -eq 0 ] || offsets "${kernels[@]}"
[ -n "$named${VM_GATE:-}" ] || [ "$arch" != amd64 ] || matrix
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
