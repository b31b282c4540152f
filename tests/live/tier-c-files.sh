#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# How files are used, against strace's output, and who is traced, in tier c.
# shellcheck source=lib-tier-c.sh
. "$(dirname "$0")/lib-tier-c.sh"
in_tier_c files-strace filters
