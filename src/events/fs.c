/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stream fs: see fs.h. A row of an operation and the file that it is about. Which that is, is
 * decided in fs_records.c.
 */
#include "events/fs.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "events/events_rows.h"
#include "events/fs_given.h"
#include "events/fs_private.h"
#include "events/nw.h"
#include "events/stacks.h"
#include "events/texts.h"
#include "probes/schema/fs.def"
#include "resolve/fd_calls.h"
#include "row/effects.h"
#include "row/format.h"
#include "row/fs_ops.h"

enum { DEVICE_WORD = 24 }; /* MAJOR:MINOR */

const struct fs_subject fs_no_subject = { .flags = FORMAT_NO_FLAGS, .offset = -1 };

/* ---- the row ---- */

static char *put_addresses(char *p, const struct fs_row *r)
{
	if (r->address == FORMAT_UNKNOWN)
		return put_u_nz(p, r->ino2);
	p = put_hex(p, r->address);
	if (r->new_address == FORMAT_UNKNOWN)
		return p;
	return put_hex(put_word(p, " -> "), r->new_address);
}

/* Only a quoted text begins with a quote, and then the whole field is one. */
static char *put_words(char *p, const struct fs_row *r)
{
	bool quoted = r->word.len && r->word.text[0] == '"';
	char *start;

	if (!r->word.len)
		return put_flags(p, r->flags);
	if (quoted)
		*p++ = '"';
	start = p;
	p = put_flags(p, r->flags);
	if (p > start)
		*p++ = '|';
	return put_bytes(p, r->word.text + quoted, r->word.len - quoted);
}

EVENTS_ROW(fs)

static struct flags row_flags(const struct iot_fs *rec, const struct fs_subject *s)
{
	const struct fs_op *op = &fs_ops[rec->op];

	if (!(op->traits & FS_OPEN_FLAGS))
		return (struct flags){ op->flags, rec->flags };
	return (struct flags){ s->flags == FORMAT_NO_FLAGS ? NULL : op->flags, s->flags };
}

/* The kernel's way to put a device into an argument, which is not its own */
static struct format_text node_word(const struct iot_more *more, char word[DEVICE_WORD])
{
	uint32_t dev = (uint32_t)more->address;
	int len;

	if (!S_ISCHR(more->fs.flags) && !S_ISBLK(more->fs.flags))
		return (struct format_text){ .text = "" };
	len = snprintf(word, DEVICE_WORD, "%u:%u", dev >> 8 & 0xfff,
		       (dev & 0xff) | (dev >> 12 & 0xfff00));
	return (struct format_text){ .text = word, .len = (uint32_t)len };
}

static void memory_cells(struct fs_row *row, const struct iot_more *more)
{
	bool failed = more->fs.ret < 0;

	if (!(fs_ops[more->fs.op].traits & FS_MEMORY))
		return;
	row->address = more->address;
	if (more->fs.op == IOT_MMAP) {
		row->mmap_prot = (struct flags){ &flags_mmap_prot, more->prot };
		row->mmap_flags = (struct flags){ &flags_mmap_map, more->fs.flags };
		row->address = failed ? FORMAT_UNKNOWN : (u64)more->fs.ret;
	} else if (more->fs.op == IOT_MREMAP && !failed) {
		row->new_address = more->fs.ret;
	}
}

/* A rename that came since has told of the name that it is called by now. */
static void learn_name(struct events *ev, const struct fs_subject *s)
{
	if (s->two)
		return;
	if (s->remembered)
		texts_learn_old(ev, s->ino, s->dev, s->path);
	else
		texts_learn(ev, s->ino, s->dev, s->path);
}

/* Whose data will go to the disk, some time later, from a thread of the kernel */
static void note_writer(struct events *ev, const struct iot_fs *rec, const struct iot_more *more,
			const struct fs_subject *s)
{
	unsigned effects = fs_effects(rec->op, rec->flags);
	bool second = (effects & WRITES_SECOND) && s->two;
	bool writes = second || (effects & WRITES) || rec->op == IOT_FALLOCATE ||
		      rec->op == IOT_TRUNCATE ||
		      (rec->op == IOT_MMAP && (rec->flags & MAP_SHARED) &&
		       (more->prot & PROT_WRITE));

	if (writes && rec->ret >= 0)
		writers_note(ev->writers, second ? more->ino2 : s->ino,
			     mounts_host_dev(&ev->resolve->mounts, s->dev), rec->head.tgid,
			     rec->head.comm);
}

static void note_time(struct events *ev, const struct fs_row *row, const struct path *path)
{
	struct slowest *s = &ev->slowest[STREAM_fs];
	struct slowest operation = { .latency_ns = row->latency,
				     .mono_ns = row->start,
				     .pid = row->pid,
				     .operation = row->operation };

	if (!path || !slowest_is(s, row->latency, row->start) ||
	    !is_file_or_disk(path->raw, strlen(path->raw)))
		return;
	memcpy(operation.comm, row->comm, sizeof(operation.comm));
	events_note_time(ev, STREAM_fs, &operation, &row->path);
}

static void note_busy(struct events *ev, const struct path *path, uint32_t mntns, bool write,
		      int64_t bytes)
{
	if (path)
		busiest_add(ev->busiest, (struct path *)path, mntns, write, (uint64_t)bytes);
}

/* Which files had the bytes of an operation */
static void note_moved(struct events *ev, const struct iot_fs *rec, const struct fs_subject *s,
		       uint32_t mntns)
{
	unsigned effects = fs_effects(rec->op, rec->flags);

	if (effects & (READS | WRITES))
		note_busy(ev, s->two ? s->pair[0] : s->path, mntns, effects & WRITES, rec->ret);
	if ((effects & WRITES_SECOND) && s->two)
		note_busy(ev, s->pair[1], mntns, true, rec->ret);
}

static void emit(struct events *ev, const struct iot_fs *rec, const struct iot_more *more,
		 const struct fs_subject *s, struct format_text word)
{
	uint32_t letters = s->path ? s->path->flags | s->path_flags : PATH_NONE;
	bool left_out = (fs_ops[rec->op].traits & FS_EXTRA) && !ev->extra_ops;
	char number[CALL_WORD_MAX];
	struct fs_row row = {
		.start = rec->head.ts - (rec->latency == FORMAT_UNKNOWN ? 0 : rec->latency),
		.operation = fs_ops[rec->op].name,
		.pid = rec->head.tgid,
		.tid = rec->head.tid,
		.comm = rec->head.comm,
		.size = rec->size,
		.ino = s->ino,
		.flags = row_flags(rec, s),
		.word = word,
		.offset = s->offset,
		.address = FORMAT_UNKNOWN,
		.new_address = FORMAT_UNKNOWN,
		.latency = rec->latency,
		.ret = rec->ret,
		.dev = s->dev,
		.fd = rec->fd,
		.mntns = events_mntns(ev, rec->head.tgid,
				      rec->mntns ? rec->mntns : ev->cause_mntns),
		.ofd = s->ofd,
		.call = calls_word(&ev->calls, rec->call, number),
	};

	if ((letters & PATH_FULL) && procs_has_other_root(ev->procs, rec->head.tgid, row.mntns)) {
		letters |= PATH_OTHER;
		host_mounts_see(&ev->hosts, rec->head.tgid, row.mntns, false);
	}
	row.path_status = path_letters(letters);
	learn_name(ev, s);
	if (ev->writers)
		note_writer(ev, rec, more, s);
	/* positions and mappings are followed all the same */
	if (!ev->wanted[STREAM_fs] || left_out)
		return;
	if (s->scope == SCOPE_OUT) {
		ev->totals.out_of_scope++;
		return;
	}
	if (!events_keeps(ev, &(struct filter_row){ .stream = STREAM_fs,
						    .operation = row.operation,
						    .failed = rec->ret < 0,
						    .latency = rec->latency,
						    .path = s->path,
						    .two_paths = s->two }))
		return;
	if (s->path)
		row.path = (struct format_text){ s->path->csv, s->path->csv_len,
						 fs_ops[rec->op].traits & FS_DIRECTORY };
	if (more) {
		row.start = more->start;
		row.ino2 = more->ino2;
		memory_cells(&row, more);
	}
	/* a close that an open or rename caused has none of its own */
	if (rec->op == IOT_OPEN || (rec->status & IOT_ST_PATH))
		row.given = fs_given_cell(ev, s->path, s->two,
					  fs_ops[rec->op].traits & FS_DIRECTORY);
	/* of what is not kept no closing line tells */
	if (!ev->wanted_values && rec->ret > 0)
		note_moved(ev, rec, s, row.mntns);
	note_time(ev, &row, s->path);
	fs_push(ev, row.start, &row);
	if (ev->wanted[STREAM_stacks])
		stacks_of(ev, &(struct stacks_row){ .start = row.start,
						    .operation = row.operation,
						    .pid = row.pid,
						    .tid = row.tid,
						    .comm = row.comm,
						    .path = row.path,
						    .latency = row.latency });
}

void fs_emit(struct events *ev, const struct iot_fs *rec, const struct iot_more *more,
	     const struct fs_subject *s)
{
	struct format_text word = { .text = "" };
	struct path *attribute = NULL;
	char device[DEVICE_WORD];

	if (more && (fs_ops[rec->op].traits & FS_ATTRIBUTE) && more->name2) {
		attribute = names_take(ev->names, more->name2);
		word = texts_cell(attribute);
	} else if (more && rec->op == IOT_MKNOD) {
		word = node_word(more, device);
	}
	emit(ev, rec, more, s, word);
	path_put(attribute);
}

/* ---- subjects ---- */

struct fs_subject fs_subject_of_desc(const struct desc *desc)
{
	return (struct fs_subject){
		.path = desc->path,
		.ino = desc->ino,
		.dev = desc->dev,
		.flags = desc->flags,
		.path_flags = desc->deleted ? PATH_DELETED : 0,
		.scope = desc->scope,
		.offset = -1,
		.ofd = desc->ofd,
		.remembered = true,
	};
}

struct fs_subject fs_subject_of_record(struct events *ev, const struct iot_fs *rec)
{
	return (struct fs_subject){
		.path = texts_known(ev, rec->name),
		.ino = rec->ino,
		.dev = rec->dev,
		.flags = rec->flags,
		.path_flags = rec->status & IOT_ST_DELETED ? PATH_DELETED : 0,
		.scope = rec->status & IOT_ST_PSEUDO ? SCOPE_OUT : SCOPE_IN,
		.offset = rec->status & (IOT_ST_OFFSET | IOT_ST_APPEND) ? rec->offset : -1,
		.ofd = rec->ofd,
	};
}

/* ---- data ---- */

void fs_emit_data(struct events *ev, struct iot_fs *rec, const struct fs_subject *s)
{
	fs_emit(ev, rec, NULL, s);
	if (!(fs_ops[rec->op].traits & FS_DATA) || s->flags == FORMAT_NO_FLAGS ||
	    !(s->flags & O_DIRECT))
		return;
	rec->op = rec->op == IOT_READ ? IOT_DIO_READ : IOT_DIO_WRITE;
	fs_emit(ev, rec, NULL, s);
}
