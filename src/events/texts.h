/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The texts that the kernel sends once (paths, arguments), and what streams make
 * of them: cells, and names of files by inode.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "row/format.h"
#include "row/path.h"

struct events;

/* The path that the kernel gave this id; NULL when it is not known (any more). */
struct path *texts_known(struct events *ev, uint64_t id);
/* A path (or none) as a field of a row */
struct format_text texts_cell(const struct path *path);
/* The path if it is whole, else NULL: for rows that have no path_status. */
const struct path *texts_whole(const struct path *path);

/* The file's name by its inode; NULL: none is known, or no stream asks for names. */
const struct path *texts_of_file(struct events *ev, uint64_t ino, uint32_t dev);
/* The file has this name (where a stream asks for names by inode). */
void texts_learn(struct events *ev, uint64_t ino, uint32_t dev, const struct path *path);
/* It had this name some time ago, which counts where no other is known. */
void texts_learn_old(struct events *ev, uint64_t ino, uint32_t dev, const struct path *path);
