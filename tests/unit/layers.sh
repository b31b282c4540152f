#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# No file of src/ or compat/ includes one of a higher floor (CONTRIBUTING.md lists the floors), and
# the script that says so finds one that does.
cd "${srcdir:-.}" || exit 1
awk -f tests/unit/layers.awk src/*/*.[ch] compat/*.[ch] || exit 1

bad=$(mktemp -d) || exit 1
trap 'rm -rf "$bad"' EXIT
mkdir "$bad/base" "$bad/row"
echo '#include "row/format.h"' >"$bad/base/up.c"
echo '#include "format.h"' >"$bad/row/bare.c"
! awk -f tests/unit/layers.awk "$bad/base/up.c" >"$bad/said" && grep -q 'base must not include row/format.h' "$bad/said" &&
	! awk -f tests/unit/layers.awk "$bad/row/bare.c" >"$bad/said" && grep -q 'does not name its folder' "$bad/said"
