/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A request comes from the program that asked for it, or from a thread of the kernel that writes what
 * others left in the cache. Its pages tell which file it carries; the flags that the file system gave
 * it, and the name of the thread, tell its own data: journals, metadata.
 */
#include "events/ds_owner.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>

#include "events/events_private.h"
#include "events/texts.h"
#include "resolve/writers.h"
#include "row/fs_ops.h"

enum { KTHREADD = 2 };

static bool begins(const char comm[16], const char *text)
{
	return !strncmp(comm, text, strlen(text));
}

static bool has(const char *words, const char *word)
{
	return strstr(words, word) != NULL;
}

/* A thread of the kernel's own: they have one parent. */
static bool is_kernel_thread(const struct ds_request *request)
{
	return request->ppid == KTHREADD || request->rec->head.tgid == KTHREADD;
}

/* What is mounted from where the request goes; NULL: nothing, as far as is known. */
static const struct mount_point *mount_of(struct events *ev, const struct iot_ds *rec)
{
	uint32_t part = disks_partition(&ev->resolve->disks, rec->dev, rec->sector);
	const struct mount_point *mount = mounts_of_dev(&ev->resolve->mounts, part);

	return mount ? mount : mounts_of_dev(&ev->resolve->mounts, rec->dev);
}

/* What is mounted from the device whose pages they are: it may lie on the one that the request is for. */
static const struct mount_point *mount_of_pages(struct events *ev, const struct iot_ds *rec)
{
	const struct mount_point *mount = NULL;

	if (rec->owner.dev && !(rec->owner.found & IOT_OWNER_CALL_FILE))
		mount = mounts_of_dev(&ev->resolve->mounts, rec->owner.dev);
	return mount ? mount : mount_of(ev, rec);
}

/* The device of the file system: of a file that is flushed an event may name the disk, or nothing. */
static uint32_t host_of(struct events *ev, const struct iot_ds *rec)
{
	const struct mount_point *mount;

	if (!(rec->owner.found & IOT_OWNER_EVENT) ||
	    mounts_of_dev(&ev->resolve->mounts, rec->owner.dev))
		return rec->owner.dev;
	mount = mount_of(ev, rec);
	return mount ? mount->dev : rec->owner.dev;
}

/* Blocks of the file system itself: XFS writes its log from whatever thread fills it. */
static const char *own_blocks(struct events *ev, const struct ds_request *request)
{
	const struct mount_point *mount;

	if (strcmp(request->operation, "write") != 0 || !has(request->flags, "sync") ||
	    begins(request->rec->head.comm, "xfsaild/"))
		return "metadata";
	mount = mount_of(ev, request->rec);
	return mount && !strcmp(mount->type, "xfs") ? "journal" : "metadata";
}

static bool is_data_call(const struct iot_owner *seen)
{
	return seen->op && seen->op < IOT_N_OPS && (fs_ops[seen->op].traits & FS_DATA);
}

/* The open file of the call that submitted the request, where user space follows descriptors */
static struct desc *called(struct events *ev, const struct iot_ds *rec)
{
	uint64_t ago = rec->issue_ns + rec->queue_ns;

	if (!ev->follow || rec->owner.fd < 0 || (rec->owner.found & IOT_OWNER_CALL_FILE))
		return NULL;
	return procs_desc(ev->procs, rec->head.tgid, rec->owner.fd, rec->head.ts - ago);
}

/* Memory of a program, or the kernel's own: direct, or a file system's blocks. */
static const char *of_memory(struct events *ev, const struct ds_request *request,
			     struct ds_owner *owner)
{
	const struct iot_owner *seen = &request->rec->owner;
	const struct desc *desc;

	if (has(request->flags, "meta"))
		return own_blocks(ev, request);
	if (is_kernel_thread(request) && !(seen->found & IOT_OWNER_CALL_FILE))
		return "";
	if (seen->op && !is_data_call(seen))
		return "";
	desc = called(ev, request->rec);
	if (seen->found & IOT_OWNER_CALL_FILE) {
		owner->inode = seen->ino;
		owner->dev = seen->dev;
	} else if (is_data_call(seen) && desc) {
		owner->inode = desc->ino;
		owner->dev = desc->dev;
		owner->file = texts_whole(desc->path);
	}
	return "direct";
}

/* What the submitter's call tells where nothing else does: who waits for which file */
static const char *of_call(struct events *ev, const struct ds_request *request,
			   struct ds_owner *owner)
{
	const struct iot_owner *seen = &request->rec->owner;
	const struct desc *desc = called(ev, request->rec);
	bool reads = !strcmp(request->operation, "read");
	const char *cause = "";

	if (has(request->flags, "meta"))
		return own_blocks(ev, request);
	if (!desc || desc->flags == FORMAT_NO_FLAGS || desc->scope != SCOPE_IN)
		return "";
	/* less than a page may be a block of the file system's own, if its blocks are small */
	if (reads && request->rec->nr_sector % 8)
		return "";
	if (seen->op == (reads ? IOT_READ : IOT_WRITE) && (desc->flags & O_DIRECT))
		cause = "direct";
	else if (!reads && (seen->op == IOT_FSYNC || seen->op == IOT_FDATASYNC ||
			    (seen->op == IOT_WRITE && (desc->flags & O_DSYNC))))
		cause = "sync";
	if (*cause) {
		owner->inode = desc->ino;
		owner->dev = desc->dev;
		owner->file = texts_whole(desc->path);
	}
	return cause;
}

/*
 * What a loop device does with its file (or, with direct I/O, with the pages that it was given) is done for a
 * request of its own. Who else reads or writes that file does so for itself.
 */
static bool repeats_loop(struct events *ev, const struct ds_request *request,
			 struct ds_owner *owner)
{
	const struct loops *loops = &ev->resolve->loops;
	const struct iot_owner *seen = &request->rec->owner;
	bool file = seen->pages == IOT_OWNER_FILE, kernel = is_kernel_thread(request);
	uint32_t dev;

	if (!loops->n || (!kernel && !(file && !strcmp(request->operation, "write"))) ||
	    (!file && !(seen->found & IOT_OWNER_CALL_FILE)))
		return false;
	dev = file ? host_of(ev, request->rec) : seen->dev;
	if (!loops_has_file(loops, seen->ino, dev) &&
	    !(file && loops_is_below(loops, &ev->resolve->disks, dev, request->rec->dev)))
		return false;
	owner->inode = seen->ino;
	owner->dev = dev;
	return true;
}

static const char *cause_of(struct events *ev, const struct ds_request *request,
			    struct ds_owner *owner)
{
	const struct iot_owner *seen = &request->rec->owner;
	bool reads = !strcmp(request->operation, "read");

	if (!strcmp(request->operation, "flush"))
		return "flush";
	if (begins(request->rec->head.comm, "ext4lazyinit"))
		return "lazyinit";
	if (!strcmp(request->operation, "discard") || !strcmp(request->operation, "secure_erase"))
		return "discard";
	if (repeats_loop(ev, request, owner))
		return "loop";
	/* wherever its blocks are, also below the device mapper, where nothing is mounted; but no file's data */
	if (seen->found & IOT_OWNER_COMMIT)
		return "journal";
	if (begins(request->rec->head.comm, "jbd2/") &&
	    (seen->pages != IOT_OWNER_FILE || has(request->flags, "meta")))
		return "journal";
	switch (seen->pages) {
	case IOT_OWNER_FILE:
		/* Btrfs keeps its trees in an inode; where events tell, an inode itself follows its data */
		if (has(request->flags, "meta"))
			return own_blocks(ev, request);
		owner->inode = seen->ino;
		owner->dev = host_of(ev, request->rec);
		return reads ? "read" : has(request->flags, "sync") ? "sync" : "writeback";
	case IOT_OWNER_DEVICE:
		if (!has(request->flags, "meta") && !mount_of_pages(ev, request->rec))
			return "device";
		return own_blocks(ev, request);
	case IOT_OWNER_META:
		return own_blocks(ev, request);
	case IOT_OWNER_SWAP:
		return "swap";
	case IOT_OWNER_MEMORY:
		return of_memory(ev, request, owner);
	default:
		return of_call(ev, request, owner);
	}
}

/* Without the kernel's structures a flusher counts as any process, and nobody is known. */
static void owner_of_commit(struct events *ev, const struct iot_commit *commit,
			    struct writer *writer)
{
	if (procs_ppid(ev->procs, commit->tgid) == KTHREADD)
		return;
	writer->pid = commit->tgid;
	writer->count = commit->owners;
	memcpy(writer->comm, commit->comm, sizeof(writer->comm));
}

static void find_owner(struct events *ev, const struct ds_request *request, struct ds_owner *owner)
{
	const struct iot_ds *rec = request->rec;

	if (!(rec->flags & IOT_DS_OWNER))
		return;
	if (rec->owner.found & IOT_OWNER_COMMIT) {
		owner_of_commit(ev, &rec->owner.commit, &owner->writer);
		return;
	}
	if (!is_kernel_thread(request)) {
		owner->writer.pid = rec->head.tgid;
		owner->writer.count = 1;
		memcpy(owner->writer.comm, rec->head.comm, sizeof(owner->writer.comm));
	} else if (!writers_find(ev->writers, owner->inode, owner->dev, &owner->writer)) {
		return;
	}
	if (rec->owner.pages == IOT_OWNER_FILE && strcmp(request->operation, "read") != 0 &&
	    !request->is_bio)
		writers_written(ev->writers, owner->inode, owner->dev);
	if (rec->owner.pages == IOT_OWNER_FILE && owner->writer.count < rec->owner.owners)
		owner->writer.count = rec->owner.owners;
}

bool ds_owner_find(struct events *ev, const struct ds_request *request, struct ds_owner *owner)
{
	owner->cause = request->rec->flags & IOT_DS_OWNER ? cause_of(ev, request, owner) : "";
	if (owner->inode && !owner->file)
		owner->file = texts_of_file(ev, owner->inode, owner->dev);
	find_owner(ev, request, owner);
	return !(request->rec->owner.found & IOT_OWNER_FOREIGN) || owner->writer.pid;
}
