/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words of locks, and of calls on names that neither open, make nor move them. */
#pragma once

#include "row/flags.h"

/* Beside the flags of move_mount, in a bit that mount is never given */
enum { MOUNT_MOVES = 0x40000000 };

/* Beside the events of flags_watch, in bits that neither inotify nor fanotify has: what fanotify_mark is asked */
enum {
	WATCH_FANOTIFY = 0x2000,
	WATCH_REMOVES = 0x80000,
	WATCH_FLUSHES = 0x200000,
	WATCH_MOUNT = 0x400000,
	WATCH_FILESYSTEM = 0x800000,
	WATCH_IGNORES = 0x4000000,
};

extern const struct flag_set flags_lock; /* IOT_LOCK_* of record.h */
extern const struct flag_set flags_access;
extern const struct flag_set flags_xattr;
extern const struct flag_set flags_mount; /* MS_*, or MOUNT_MOVES and MOVE_MOUNT_* */
extern const struct flag_set flags_umount;
extern const struct flag_set flags_watch; /* IN_*, or WATCH_FANOTIFY and FAN_* */
