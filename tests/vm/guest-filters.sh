#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Filters in tier a: the claims of tests/live/filters.sh, with an image that is
# compiled on the host. Nine minutes; tier b is guest-filters-b.sh.

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

if spared 5.10 6.12 backports; then
	skip 'tier a: seen on 6.1'
else
	check 'tier a: compiled on the host' image a
	tier a
fi
