/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stream fs: calls that name a path: which file that is, and what the call does to names. */
#include "events/fs_names.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include <sys/mount.h>

#include "events/fs_given.h"
#include "events/fs_private.h"
#include "events/texts.h"
#include "resolve/fd_calls.h"
#include "resolve/procs_names.h"
#include "row/fs_ops.h"

/* linux/fs.h */
#define RENAME_EXCHANGE_FLAG 2
#define MOVE_MOUNT_TO_LINKS 0x10 /* linux/mount.h */
/* linux/fanotify.h of later kernels */
#define FAN_MARK_FILESYSTEM_FLAG 0x100
#define FAN_MARK_IGNORE_FLAG 0x400

/* A text that cannot leave the directory that it starts at, relative to that. Takes the reference. */
static struct path *below_root(struct path *text)
{
	char absolute[PATH_TEXT_MAX + 2];
	int len = snprintf(absolute, sizeof(absolute), "/%s", text->raw);
	struct path *folded, *relative = NULL;

	if (len >= (int)sizeof(absolute))
		return text;
	folded = path_join(NULL, absolute, (size_t)len, text->flags & PATH_CUT);
	if (folded)
		relative = folded->raw[1] ?
				   path_new(folded->raw + 1, folded->raw_len - 1, text->flags) :
				   path_new(".", 1, text->flags);
	path_put(folded);
	path_put(text);
	return relative;
}

static struct procs_name given_by(const struct iot_fs *rec, unsigned how)
{
	return (struct procs_name){ .tgid = rec->head.tgid,
				    .mntns = rec->mntns,
				    .ts = rec->head.ts,
				    .how = how | (rec->ret < 0 ? LINKS_FAILED : 0) };
}

struct path *fs_names_given(struct events *ev, const struct iot_fs *rec, uint64_t name,
			    uint64_t dir, int dirfd, unsigned how)
{
	struct path *text = name ? names_take(ev->names, name) : NULL;
	struct procs_name by = given_by(rec, how);
	struct path *path = NULL;
	size_t skip = 0;

	fs_given_came(ev, name != rec->name, text);
	if (text && !text->raw_len && (rec->status & IOT_ST_SELF)) {
		path_put(text);
		text = path_new(".", 1, 0);
	}
	if (text && (rec->status & IOT_ST_IN_ROOT))
		text = below_root(text);
	if (text && (text->flags & PATH_CUT))
		by.how |= LINKS_CUT;
	/* of an absolute path the directory is the root that the process has */
	while (text && dir && text->raw[skip] == '/')
		skip++;
	if (text && dir && skip == text->raw_len && skip)
		path = path_get(texts_known(ev, dir));
	else if (text && dir)
		path = procs_below(ev->procs, &by, texts_known(ev, dir), skip, text->raw + skip);
	else if (text)
		path = procs_resolve(ev->procs, &by, dirfd, text);
	path_put(text);
	return path;
}

void fs_names_change_directory(struct events *ev, const struct iot_fs *rec, const struct path *path)
{
	/* where headers are, the kernel says where relative names start */
	if (ev->follow && rec->ret == 0 && !(rec->status & IOT_ST_FILE))
		fd_calls_state(ev->procs, rec, path);
}

/* Of calls that take a link at the end of a name for itself, those whose operation has others that do not */
static bool by_itself(const struct iot_fs *rec)
{
	switch (rec->call) {
	case IOT_CALL_lstat:
	case IOT_CALL_lchown:
	case IOT_CALL_lgetxattr:
	case IOT_CALL_lsetxattr:
	case IOT_CALL_llistxattr:
	case IOT_CALL_lremovexattr:
		return true;
	}
	return (rec->op == IOT_WATCH && (rec->flags & IN_DONT_FOLLOW)) ||
	       (rec->op == IOT_UMOUNT && (rec->flags & UMOUNT_NOFOLLOW)) ||
	       (rec->call == IOT_CALL_move_mount && !(rec->flags & MOVE_MOUNT_TO_LINKS));
}

/* Whether the call is about what a link at the end of its name leads to, when there is one. */
static unsigned follows_last(const struct iot_fs *rec)
{
	if (rec->ret < 0)
		return 0;
	if (rec->op == IOT_LINK)
		return rec->status & IOT_ST_AT_LINK ? LINKS_LAST : 0;
	if (!(fs_ops[rec->op].traits & FS_LAST_LINK) || (rec->status & IOT_ST_AT_LINK))
		return 0;
	return by_itself(rec) ? 0 : LINKS_LAST;
}

/* The second name: found by the kernel, or given to the call. A new reference. */
static struct path *second_path(struct events *ev, const struct iot_more *more)
{
	if (more->status2 & IOT_ST_FILE)
		return path_get(texts_known(ev, more->name2));
	return fs_names_given(ev, &more->fs, more->name2, more->dir2, more->fd2,
			      fs_ops[more->fs.op].traits & FS_GIVEN ? follows_last(&more->fs) : 0);
}

static void note_change(struct events *ev, const struct iot_fs *rec, enum procs_change change,
			const struct path *name, const struct path *other)
{
	struct procs_name by = given_by(rec, 0);

	procs_name_changed(ev->procs, &by, change, name, other);
}

static void note_links(struct events *ev, const struct iot_fs *rec, const struct path *path,
		       const struct path *second)
{
	bool exchanged = rec->flags & RENAME_EXCHANGE_FLAG;

	switch (rec->op) {
	case IOT_RENAME:
		note_change(ev, rec, exchanged ? NAMES_EXCHANGED : NAME_MOVED, path, second);
		break;
	case IOT_LINK:
		note_change(ev, rec, NAME_ADDED, path, second);
		break;
	case IOT_UNLINK:
	case IOT_RMDIR:
		note_change(ev, rec, NAME_REMOVED, path, NULL);
		break;
	case IOT_MKDIR:
	case IOT_MKNOD:
		note_change(ev, rec, NAME_MADE, path, NULL);
		break;
	case IOT_SYMLINK:
		note_change(ev, rec, NAME_MADE, second, path);
		break;
	}
}

/* Where a name may lead elsewhere than its text says, no device is certain. */
static enum scope scope_of(const struct mounts *mounts, const struct path *path, uint32_t *dev)
{
	enum scope scope = mounts_scope(mounts, path ? path->raw : "", dev);

	if (path && !(path->flags & PATH_FULL))
		*dev = 0;
	return scope;
}

/* By the mount that the path lies on; of two paths one is enough (a link to /proc/self/fd/3, say). */
static enum scope named_scope(const struct mounts *mounts, const struct iot_fs *rec,
			      const struct path *path, const struct path *second, uint32_t *dev)
{
	enum scope scope;

	if (rec->status & IOT_ST_PSEUDO)
		return SCOPE_OUT;
	if (fs_ops[rec->op].traits & FS_MOUNTS)
		return SCOPE_IN; /* whatever is mounted there now */
	if (rec->op == IOT_SYMLINK)
		return scope_of(mounts, second, dev);
	scope = scope_of(mounts, path, dev);
	if (scope == SCOPE_OUT && second)
		scope = scope_of(mounts, second, dev);
	return scope;
}

/* Old programs of mount(8) say a number before the flags; move_mount has flags of its own. */
static void mount_words(struct iot_fs *rec)
{
	if (rec->call == IOT_CALL_move_mount)
		rec->flags |= MOUNT_MOVES;
	else if ((rec->flags & MS_MGC_MSK) == MS_MGC_VAL)
		rec->flags &= ~(uint32_t)MS_MGC_MSK;
}

/* Of fanotify_mark the events, and what is to become of them, which is an argument of its own. */
static void mark_words(struct iot_more *more)
{
	static const struct {
		uint32_t mark, word;
	} words[] = {
		{ FAN_MARK_REMOVE, WATCH_REMOVES },
		{ FAN_MARK_FLUSH, WATCH_FLUSHES },
		{ FAN_MARK_MOUNT, WATCH_MOUNT },
		{ FAN_MARK_FILESYSTEM_FLAG, WATCH_FILESYSTEM },
		{ FAN_MARK_IGNORED_MASK, WATCH_IGNORES },
		{ FAN_MARK_IGNORE_FLAG, WATCH_IGNORES },
	};
	struct iot_fs *rec = &more->fs;

	if (more->prot & FAN_MARK_DONT_FOLLOW)
		rec->status |= IOT_ST_AT_LINK;
	rec->flags |= WATCH_FANOTIFY;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (more->prot & words[i].mark)
			rec->flags |= words[i].word;
}

void fs_names_call(struct events *ev, struct iot_more *more)
{
	struct iot_fs *rec = &more->fs;
	struct path *path, *second = NULL, *both = NULL;
	struct fs_subject s = fs_no_subject;
	uint32_t dev = 0;

	if (rec->call == IOT_CALL_fanotify_mark)
		mark_words(more);
	else if (rec->op == IOT_MOUNT)
		mount_words(rec);
	if (rec->status & IOT_ST_FILE) {
		s = fs_subject_of_record(ev, rec);
		path = path_get((struct path *)s.path);
	} else if (fs_ops[rec->op].traits & FS_GIVEN) {
		path = rec->name ? names_take(ev->names, rec->name) :
				   NULL; /* as given: a link may lead anywhere */
		fs_given_came(ev, false, path);
	} else {
		path = fs_names_given(ev, rec, rec->name, rec->dir, rec->dirfd, follows_last(rec));
		if (rec->op == IOT_CHROOT && ev->follow && rec->ret == 0)
			path = procs_rooted(ev->procs, rec->head.tgid, path);
	}
	if (fs_ops[rec->op].traits & FS_TWO) {
		second = second_path(ev, more);
		both = path_pair(path, second, fs_ops[rec->op].traits & FS_GIVEN);
		s.two = true;
	}
	s.path = both ? both : path;
	if (!(rec->status & IOT_ST_FILE)) {
		s.scope = named_scope(&ev->resolve->mounts, rec, path, second, &dev);
		s.ino = rec->ino;
		s.dev = rec->dev ? rec->dev : dev;
	}
	if (rec->op == IOT_CHDIR) {
		fs_names_change_directory(ev, rec, path);
	} else if ((fs_ops[rec->op].traits & FS_MOUNTS) && rec->ret == 0) {
		procs_mounted(ev->procs, rec->head.ts);
	} else if (rec->op == IOT_RENAME && rec->ret == 0) {
		procs_renamed(ev->procs);
		texts_learn(ev, s.ino, s.dev, second);
		if (rec->flags & RENAME_EXCHANGE_FLAG)
			texts_learn(ev, more->ino2, s.dev, path);
	}
	if (rec->ret >= 0)
		note_links(ev, rec, path, second);
	fs_emit(ev, rec, more, &s);
	path_put(path);
	path_put(second);
	path_put(both);
}

/*
 * Of an open the file tells where its name led, but for those that failed, or are gone before anybody
 * looks: of these, what is known of links must do.
 */
struct path *fs_names_opened(struct events *ev, const struct iot_fs *rec)
{
	bool follows = rec->ret >= 0 && !(rec->flags & O_NOFOLLOW) &&
		       (rec->flags & (O_CREAT | O_EXCL)) != (O_CREAT | O_EXCL);

	return fs_names_given(ev, rec, rec->name, rec->dir, rec->dirfd,
			      follows ? LINKS_LAST | LINKS_KNOWN : 0);
}

void fs_names_made(struct events *ev, const struct iot_fs *rec, const struct path *path)
{
	if ((rec->flags & O_CREAT) && (rec->flags & O_TMPFILE) != O_TMPFILE && rec->ret >= 0)
		note_change(ev, rec, NAME_MADE, path, NULL);
}
