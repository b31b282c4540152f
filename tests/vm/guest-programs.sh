#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Programs that nobody here wrote (tests/live/programs.sh), in tier a: the only
# one that sees what fio asks of libaio and io_uring. The image is compiled on
# the host; the tree is small, and git left out, because emulation is slow:
# about a minute, most of it starts of the tracer, one for each program. Before
# them a few hundred short processes (tests/live/forks.sh).

# shellcheck source=guest.sh source-path=SCRIPTDIR
. "${0%/*}/guest.sh"

began=$SECONDS
tier_image a
echo "image: $((SECONDS - began)) s"
[ "$cases_failed" = 0 ] || exit 1
export LIVE_TIER=a LIVE_IMAGE=$rw/image-a LIVE_FILES=200 LIVE_PROGRAMS='fio sqlite tar rsync' TMPDIR=/mnt/ext4
LIVE_FORKS=300 /bin/bash "$srcdir/tests/live/forks.sh"
forks=$?
/bin/bash "$srcdir/tests/live/programs.sh" && [ $forks = 0 ]
