#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The scripts that need the machine for themselves, in tier c.
# alone: conform and cache call sync(2), and where suites keep the CPUs busy the tracer looks into /proc too late
# shellcheck source=lib-tier-c.sh
. "$(dirname "$0")/lib-tier-c.sh"
in_tier_c conform cache
