#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The scripts whose rows depend on descriptors, directories and sockets that the reader follows, in tier c.
# shellcheck source=lib-tier-c.sh
. "$(dirname "$0")/lib-tier-c.sh"
in_tier_c net moving forks pivot
