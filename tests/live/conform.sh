#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The conformance program in the tier of this machine: each case leaves the
# rows that it expects, in their order, and no others.
. "$(dirname "$0")/../lib-live.sh"

conform=$(program conform) || skip_all 'tests/conform is not built and cannot be'
mkdir work
record s -e fs -- "$conform" "$LIVE_TIER" work >expected
check 'the program ran' [ $? = 0 ]
"$reader" diff s expected "$tmp/work" || cases_failed=1
check 'nothing was lost' [ "$(n_rows s lost)" = 0 ]
