/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file without a name, for what does not fit in memory: it goes away with the process, however
 * that ends.
 */
#pragma once

/* $TMPDIR, or where files may be large and stay on a disk. */
const char *temporary_folder(void);
/* Returns a descriptor, or -errno. */
int temporary_open(void);
