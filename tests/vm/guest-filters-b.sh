#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Filters in tier b: see guest-filters.sh.

# shellcheck source=guest.sh source-path=SCRIPTDIR
. "${0%/*}/guest.sh"

seen_elsewhere 'tier b: seen by make check' 5.10 6.1 6.12 backports
check 'tier b: compiled on the host' image b --no-kprobes
live 'tier b' filters LIVE_TIER=b "LIVE_IMAGE=$rw/image-b"
