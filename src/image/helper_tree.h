/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel tree as libbcc wants it. */
#pragma once

/*
 * Makes libbcc find the kernel tree: build as it is, or, of a package split in
 * two, one tree of links under work. Needs work to be private and empty.
 * Returns 0 or -errno and reports.
 */
int helper_tree(const char *build, const char *source, const char *work);
