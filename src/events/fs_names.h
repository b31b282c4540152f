/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes rows of stream fs of calls that name files by path, and finds the path that a name
 * given to a call leads to.
 */
#pragma once

#include <stdint.h>

struct events;
struct iot_fs;
struct iot_more;
struct path;

/*
 * The path of what a string given to a call leads to; how: as in links.h. The text is taken; a new
 * reference.
 */
struct path *fs_names_given(struct events *ev, const struct iot_fs *rec, uint64_t name,
			    uint64_t dir, int dirfd, unsigned how);
/* The same of an OPEN. */
struct path *fs_names_opened(struct events *ev, const struct iot_fs *rec);
/* An OPEN may have made the file, which is no link. */
void fs_names_made(struct events *ev, const struct iot_fs *rec, const struct path *path);
/* A call that names one path, or two. */
void fs_names_call(struct events *ev, struct iot_more *more);
/* CHDIR, to the path or (NULL) to the descriptor of the record. */
void fs_names_change_directory(struct events *ev, const struct iot_fs *rec,
			       const struct path *path);
