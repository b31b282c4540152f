#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The soak in a machine of its own: with steps of the clock, CPUs that go and come, modules. SOAK_FLAGS are its
# options, beside --vm.

# shellcheck source=guest.sh source-path=SCRIPTDIR
. "${0%/*}/guest.sh"

tier_image a
export IOTRACER=$iotracer IOTRACER_SYSTEMS=$srcdir/data/systems.conf SOAK_OPTIONS="--image $rw/image-a" TMPDIR=/mnt/ext4
read -ra flags <<<"${SOAK_FLAGS:---seed 1 --minutes 5}"
"$srcdir/tests/soak/run" --vm "${flags[@]}" | grep -v '^[0-9]* passed'
[ "${PIPESTATUS[0]}" = 0 ] || cases_failed=1
