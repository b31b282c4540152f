#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Charts and pages once more, in a real browser (chromium, headless).

LIVE_BROWSER=$(command -v chromium) || { echo 'SKIP: chromium is not installed'; exit 77; }
export LIVE_BROWSER
failed=0
for script in amp-charts report-page; do
	echo "== $script"
	bash "$(dirname "${BASH_SOURCE[0]}")/$script.sh" || failed=1
done
exit $failed
