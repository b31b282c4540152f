#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Filters in tier b: see guest-filters.sh.

# shellcheck disable=SC2154 # guest-run gives builddir and srcdir
# shellcheck source=cases.sh source-path=SCRIPTDIR
. "${0%/*}/cases.sh"
# shellcheck source=image.sh source-path=SCRIPTDIR
. "${0%/*}/image.sh"

iotracer=$builddir/iotracer
rw=/host-rw

tier()
{
	LIVE_TIER=$1 LIVE_IMAGE=$rw/image-$1 TMPDIR=/mnt/ext4 /bin/bash "$srcdir/tests/live/filters.sh" |
		sed "s/^\(PASS\|FAIL\|SKIP\): /&tier $1: /"
}

if spared 5.10 6.1 backports; then
	skip 'tier b: seen on 6.12'
else
	check 'tier b: compiled on the host' image b --no-kprobes
	tier b
fi
