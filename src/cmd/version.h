/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The version of the program, as src/cmd/version.sh prints it while building: that of the release,
 * in a checkout with the commit. PACKAGE_VERSION is the release alone: images are compared by it,
 * and a manifest has it.
 */
#pragma once

extern const char program_version[];
