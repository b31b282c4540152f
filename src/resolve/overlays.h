/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where files of an overlay really are: their pages and requests are of the file in a layer. Where
 * all layers lie on one file system, the inode of a file is the same in the overlay.
 */
#pragma once

#include "resolve/mountinfo.h"

/*
 * The device of the layers' file system, by the table of our namespace; dev: it is no overlay, or
 * nobody can tell.
 */
uint32_t overlays_host_dev(const struct mountinfo *t, uint32_t dev);
