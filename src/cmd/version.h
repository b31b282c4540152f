/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The version of the program, as src/cmd/version.sh prints it while building: that of the release,
 * in a checkout with the commit. PACKAGE_VERSION is the release alone: images are compared by it,
 * and a manifest has it.
 */
#ifndef IOT_VERSION_H
#define IOT_VERSION_H

extern const char program_version[];

#endif
