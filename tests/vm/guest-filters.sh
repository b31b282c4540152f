#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Filters in tier a: the claims of tests/live/filters.sh, with an image that is
# compiled on the host. Nine minutes; tier b is guest-filters-b.sh.

# shellcheck source=guest.sh source-path=SCRIPTDIR
. "${0%/*}/guest.sh"

seen_elsewhere 'filters: seen by make check' 5.10 6.1 6.12 backports
check 'tier a: compiled on the host' image a
live 'tier a' filters LIVE_TIER=a "LIVE_IMAGE=$rw/image-a"
