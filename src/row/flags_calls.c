/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the tables. Why they have numbers, flags.c says. */
#include "row/flags_calls.h"

#include "row/flags_private.h"
#include "row/records.h"

/* clang-format off */
/* IOT_LOCK_* of record.h: three small numbers in one value, beside the bits of flock */
#define COMMAND(n, name) FIELD(7 * IOT_LOCK_COMMAND, (n) * IOT_LOCK_COMMAND, name)
#define TYPE(n, name) FIELD(3 * IOT_LOCK_TYPE, ((n) + 1) * IOT_LOCK_TYPE, name)
#define WHENCE(n, name) FIELD(3 * IOT_LOCK_WHENCE, (n) * IOT_LOCK_WHENCE, name)

static const struct flag_name lock_names[] = {
	VALUE(0, "NO_FLAGS"),
	COMMAND(1, "F_GETLK"),
	COMMAND(2, "F_SETLK"),
	COMMAND(3, "F_SETLKW"),
	COMMAND(4, "F_OFD_GETLK"),
	COMMAND(5, "F_OFD_SETLK"),
	COMMAND(6, "F_OFD_SETLKW"),
	TYPE(0, "F_RDLCK"),
	TYPE(1, "F_WRLCK"),
	TYPE(2, "F_UNLCK"),
	WHENCE(1, "SEEK_CUR"),
	WHENCE(2, "SEEK_END"),
	BITS(0x1, "LOCK_SH"),
	BITS(0x2, "LOCK_EX"),
	BITS(0x4, "LOCK_NB"),
	BITS(0x8, "LOCK_UN"),
	END
};
const struct flag_set flags_lock = { .names = lock_names };

static const struct flag_name access_names[] = {
	/* a mode of 0 only asks whether it is there */
	FIELD(0x7, 0, "F_OK"),
	BITS(0x4, "R_OK"),
	BITS(0x2, "W_OK"),
	BITS(0x1, "X_OK"),
	BITS(0x100, "AT_SYMLINK_NOFOLLOW"),
	BITS(0x200, "AT_EACCESS"),
	BITS(0x1000, "AT_EMPTY_PATH"),
	END
};
const struct flag_set flags_access = { .names = access_names };

static const struct flag_name xattr_names[] = {
	BITS(0x1, "XATTR_CREATE"),
	BITS(0x2, "XATTR_REPLACE"),
	END
};
const struct flag_set flags_xattr = { .names = xattr_names };

/* The same bits mean one thing to mount and another to move_mount, which a bit of ours tells apart. */
#define OF_MOUNT(bits, name) FIELD(MOUNT_MOVES | (bits), bits, "MS_" name)
#define OF_MOVE(bits, name) FIELD(MOUNT_MOVES | (bits), MOUNT_MOVES | (bits), "MOVE_MOUNT_" name)

static const struct flag_name mount_names[] = {
	VALUE(0, "NO_FLAGS"),
	VALUE(MOUNT_MOVES, "NO_FLAGS"),
	OF_MOUNT(1 << 0, "RDONLY"),
	OF_MOUNT(1 << 1, "NOSUID"),
	OF_MOUNT(1 << 2, "NODEV"),
	OF_MOUNT(1 << 3, "NOEXEC"),
	OF_MOUNT(1 << 4, "SYNCHRONOUS"),
	OF_MOUNT(1 << 5, "REMOUNT"),
	OF_MOUNT(1 << 6, "MANDLOCK"),
	OF_MOUNT(1 << 7, "DIRSYNC"),
	OF_MOUNT(1 << 8, "NOSYMFOLLOW"),
	OF_MOUNT(1 << 10, "NOATIME"),
	OF_MOUNT(1 << 11, "NODIRATIME"),
	OF_MOUNT(1 << 12, "BIND"),
	OF_MOUNT(1 << 13, "MOVE"),
	OF_MOUNT(1 << 14, "REC"),
	OF_MOUNT(1 << 15, "SILENT"),
	OF_MOUNT(1 << 16, "POSIXACL"),
	OF_MOUNT(1 << 17, "UNBINDABLE"),
	OF_MOUNT(1 << 18, "PRIVATE"),
	OF_MOUNT(1 << 19, "SLAVE"),
	OF_MOUNT(1 << 20, "SHARED"),
	OF_MOUNT(1 << 21, "RELATIME"),
	OF_MOUNT(1 << 23, "I_VERSION"),
	OF_MOUNT(1 << 24, "STRICTATIME"),
	OF_MOUNT(1 << 25, "LAZYTIME"),
	OF_MOVE(0x1, "F_SYMLINKS"),
	OF_MOVE(0x2, "F_AUTOMOUNTS"),
	OF_MOVE(0x4, "F_EMPTY_PATH"),
	OF_MOVE(0x10, "T_SYMLINKS"),
	OF_MOVE(0x20, "T_AUTOMOUNTS"),
	OF_MOVE(0x40, "T_EMPTY_PATH"),
	OF_MOVE(0x100, "SET_GROUP"),
	OF_MOVE(0x200, "BENEATH"),
	END
};
const struct flag_set flags_mount = { .names = mount_names };

static const struct flag_name umount_names[] = {
	VALUE(0, "NO_FLAGS"),
	BITS(0x1, "MNT_FORCE"),
	BITS(0x2, "MNT_DETACH"),
	BITS(0x4, "MNT_EXPIRE"),
	BITS(0x8, "UMOUNT_NOFOLLOW"),
	END
};
const struct flag_set flags_umount = { .names = umount_names };

/* The first twelve are the same for both; the others are told apart by a bit that neither has. */
#define OF_INOTIFY(bits, name) FIELD(WATCH_FANOTIFY | (bits), bits, "IN_" name)
#define OF_FANOTIFY(bits, name) FIELD(WATCH_FANOTIFY | (bits), WATCH_FANOTIFY | (bits), "FAN_" name)
#define OF_BOTH(bits, name) OF_INOTIFY(bits, name), OF_FANOTIFY(bits, name)

static const struct flag_name watch_names[] = {
	BITS(WATCH_FANOTIFY | WATCH_REMOVES, "FAN_MARK_REMOVE"),
	BITS(WATCH_FANOTIFY | WATCH_FLUSHES, "FAN_MARK_FLUSH"),
	BITS(WATCH_FANOTIFY | WATCH_MOUNT, "FAN_MARK_MOUNT"),
	BITS(WATCH_FANOTIFY | WATCH_FILESYSTEM, "FAN_MARK_FILESYSTEM"),
	BITS(WATCH_FANOTIFY | WATCH_IGNORES, "FAN_MARK_IGNORE"),
	OF_BOTH(0x1, "ACCESS"),
	OF_BOTH(0x2, "MODIFY"),
	OF_BOTH(0x4, "ATTRIB"),
	OF_BOTH(0x8, "CLOSE_WRITE"),
	OF_BOTH(0x10, "CLOSE_NOWRITE"),
	OF_BOTH(0x20, "OPEN"),
	OF_BOTH(0x40, "MOVED_FROM"),
	OF_BOTH(0x80, "MOVED_TO"),
	OF_BOTH(0x100, "CREATE"),
	OF_BOTH(0x200, "DELETE"),
	OF_BOTH(0x400, "DELETE_SELF"),
	OF_BOTH(0x800, "MOVE_SELF"),
	OF_INOTIFY(0x1000000, "ONLYDIR"),
	OF_INOTIFY(0x2000000, "DONT_FOLLOW"),
	OF_INOTIFY(0x4000000, "EXCL_UNLINK"),
	OF_INOTIFY(0x10000000, "MASK_CREATE"),
	OF_INOTIFY(0x20000000, "MASK_ADD"),
	OF_INOTIFY(0x40000000, "ISDIR"),
	OF_INOTIFY(0x80000000, "ONESHOT"),
	OF_FANOTIFY(0x1000, "OPEN_EXEC"),
	OF_FANOTIFY(0x8000, "FS_ERROR"),
	OF_FANOTIFY(0x10000, "OPEN_PERM"),
	OF_FANOTIFY(0x20000, "ACCESS_PERM"),
	OF_FANOTIFY(0x40000, "OPEN_EXEC_PERM"),
	OF_FANOTIFY(0x100000, "PRE_ACCESS"),
	OF_FANOTIFY(0x1000000, "MNT_ATTACH"),
	OF_FANOTIFY(0x2000000, "MNT_DETACH"),
	OF_FANOTIFY(0x8000000, "EVENT_ON_CHILD"),
	OF_FANOTIFY(0x10000000, "RENAME"),
	OF_FANOTIFY(0x40000000, "ONDIR"),
	/* of fanotify_mark, what nothing above has a word for: no event at all */
	FIELD(UINT32_MAX, WATCH_FANOTIFY, "FAN_MARK_ADD"),
	END
};
const struct flag_set flags_watch = { .names = watch_names };
/* clang-format on */
