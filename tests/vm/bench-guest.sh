#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# What tier a costs: parts "ops", "nets" and "cache" of `make bench`, whose tables go to
# the log. Emulation multiplies all times, so that the ratios to untraced are
# what to look at. The claims that are counted: every operation and call left all
# its rows, and look-ups of cached pages leave some at each sample rate.

# shellcheck source=guest.sh source-path=SCRIPTDIR
. "${0%/*}/guest.sh"

export IOTRACER=$iotracer

# turns PART IMAGE FIRST: what cannot be done there is skipped, and says so (DIO_READ: tmpfs has O_DIRECT from 6.6 on)
turns()
{
	BENCH_PROGRAMS=$builddir/tests/bench BENCH_ONLY=$1 BENCH_DIR=/dev/shm BENCH_CHUNKS=40 \
		BENCH_TURNS=50 BENCH_ROUNDS=3 BENCH_RECORD="--no-snapshots --image "$rw/image-$2"" \
		"$srcdir/tests/bench/run" | tee /tmp/bench.table
	grep -q "^$3.* untraced, x " /tmp/bench.table && ! grep -q 'no round left all rows' /tmp/bench.table
}

cache()
{
	BENCH_PROGRAMS=$builddir/tests/bench BENCH_ONLY=cache BENCH_DIR=/dev/shm BENCH_DISK=/mnt/ext4 \
		BENCH_READS=40000 BENCH_ROUNDS=3 BENCH_RECORD="--no-snapshots --image "$rw/image-bench-cache"" \
		"$srcdir/tests/bench/run" | tee /tmp/bench.cache
	[ "$(grep -c '^warm read.* untraced, x ' /tmp/bench.cache)" = 3 ]
}

for program in load nets ops; do
	[ -x "$builddir/tests/bench/$program" ] || {
		echo 'not built: make tests/bench/load tests/bench/nets tests/bench/ops'
		exit 77
	}
done
check 'tier a: compiled on the host' image bench
check 'tier a: each measured operation left all its rows' turns ops bench READ
check 'tier a, network: compiled on the host' image bench-nets -e nw,nw_conn,nw_epoll,nw_sockopt,iouring
check 'tier a, network: each measured call left all its rows' turns nets bench-nets 'send and receive'
check 'tier a, cache: compiled on the host' image bench-cache -e cache
check 'tier a: look-ups of cached pages are measured at three sample rates' cache
