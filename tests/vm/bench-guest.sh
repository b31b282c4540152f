#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What tier a costs: parts "ops" and "cache" of `make bench`, whose tables go to
# the log. Emulation multiplies all times, so that the ratios to untraced are
# what to look at. The claims that are counted: every operation left all its
# rows, and look-ups of cached pages leave some at each sample rate.

# shellcheck source=cases.sh source-path=SCRIPTDIR
. "${0%/*}/cases.sh"
# shellcheck source=image.sh source-path=SCRIPTDIR
. "${0%/*}/image.sh"

export IOTRACER=$builddir/iotracer
export IOTRACER_BCC=$builddir/iotracer-bcc IOTRACER_STUB=$srcdir/compat/stub
iotracer=$IOTRACER
rw=/host-rw

# DIO_READ is skipped where tmpfs has no O_DIRECT (before 6.6); it says so.
ops()
{
	BENCH_PROGRAMS=$builddir/tests/bench BENCH_ONLY=ops BENCH_DIR=/dev/shm BENCH_CHUNKS=40 \
		BENCH_TURNS=50 BENCH_ROUNDS=3 BENCH_RECORD="--no-snapshots --image $rw/image-bench" \
		"$srcdir/tests/bench/run" | tee /tmp/bench.table
	grep -q '^READ.* untraced, x ' /tmp/bench.table && ! grep -q 'no round left all rows' /tmp/bench.table
}

cache()
{
	BENCH_PROGRAMS=$builddir/tests/bench BENCH_ONLY=cache BENCH_DIR=/dev/shm BENCH_DISK=/mnt/ext4 \
		BENCH_READS=40000 BENCH_ROUNDS=3 BENCH_RECORD="--no-snapshots --image $rw/image-bench-cache" \
		"$srcdir/tests/bench/run" | tee /tmp/bench.cache
	[ "$(grep -c '^warm read.* untraced, x ' /tmp/bench.cache)" = 3 ]
}

if ! [ -x "$builddir/tests/bench/ops" ] || ! [ -x "$builddir/tests/bench/load" ]; then
	echo 'not built: make tests/bench/load tests/bench/ops'
	exit 77
fi
check 'tier a: compiled on the host' image bench
check 'tier a: each measured operation left all its rows' ops
check 'tier a, cache: compiled on the host' image bench-cache -e cache
check 'tier a: look-ups of cached pages are measured at three sample rates' cache
