#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Requests of io_uring, as the reader follows them, in tier c.
# shellcheck source=lib-tier-c.sh
. "$(dirname "$0")/lib-tier-c.sh"
in_tier_c uring-ways uring-steps
