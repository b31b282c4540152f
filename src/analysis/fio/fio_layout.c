/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns which files are there before the first call, with what in them: bytes that are read before
 * they are written, and nothing where nothing was read. fio looks through all files of a job for
 * each line of its log, so that a job has a limited number of them.
 */
#include "analysis/fio/fio_layout.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <unistd.h>

#include "base/below.h"

enum { FILES_OF_A_JOB = 500, CHUNK = 1 << 20, NAME = 64 };

/* Of a job that only reads, or of several, fio creates no file. */
static bool is_laid(const struct fio_replay *r, const struct fio_file *file)
{
	const struct fio_log *log = file->used ? &r->logs.list[file->job] : NULL;

	if (!log || (!fio_log_moves(log) && !file->shared))
		return false;
	return file->n_extents || !file->created || file->shared || !log->writes;
}

static void log_name(uint64_t number, char name[NAME])
{
	snprintf(name, NAME, "logs/layout-%05" PRIu64 ".log", number + 1);
}

struct laying {
	const struct fio_plan *plan;
	FILE *log;
	uint64_t n_logs, us;
};

/* Closes the one before. A log is a job's, which has FILES_OF_A_JOB of them, and one of its own. */
static int next_log(struct laying *l)
{
	char name[NAME];
	int fd, err = l->log && fclose(l->log) ? -errno : 0;

	log_name(l->n_logs++, name);
	fd = err ? err : below_create(l->plan->out_fd, name, O_WRONLY);
	l->log = fd < 0 ? NULL : fdopen(fd, "w");
	if (!l->log)
		return fd < 0 ? fd : -errno;
	/* all have the same time, so that fio waits for nothing; 0 would count as none */
	l->us = 1;
	fprintf(l->log, "fio version %u iolog\n", l->plan->format);
	return 0;
}

static void line(struct laying *l, const char *name, const char *action)
{
	if (l->plan->format == FIO_FORMAT)
		fprintf(l->log, "%" PRIu64 " ", l->us);
	fprintf(l->log, "%s/%s %s", l->plan->into, name, action);
}

static void write_bytes(struct laying *l, const char *name, const struct fio_extent *extent)
{
	for (uint64_t at = extent->start, n; at < extent->end; at += n) {
		n = extent->end - at < CHUNK ? extent->end - at : CHUNK;
		line(l, name, "write");
		fprintf(l->log, " %" PRIu64 " %" PRIu64 "\n", at, n);
	}
}

/* What is opened again is by then on the disk, and fio (invalidate) drops it from memory, unless it is to stay. */
static void write_file(struct laying *l, const struct fio_file *file)
{
	static const char *const opened[] = { "add\n", "open\n" }, *const ended[] = {
		"sync 0 0\n", "close\n", "open\n", "close\n"
	};

	for (size_t i = 0; i < 2; i++)
		line(l, file->name, opened[i]);
	for (uint32_t i = 0; i < file->n_extents; i++)
		write_bytes(l, file->name, &file->extents[i]);
	for (size_t i = file->n_extents ? 0 : 1; i < (file->n_extents && !l->plan->warm ? 4 : 2);
	     i++)
		line(l, file->name, ended[i]);
}

/* fio refuses a log that moves nothing. */
static void write_own(struct laying *l)
{
	struct fio_extent byte = { 0, 1 };

	write_file(l, &(struct fio_file){ .name = "layout", .n_extents = 1, .extents = &byte });
}

int fio_layout_write(const struct fio_plan *plan, const struct fio_replay *r, struct fio_laid *laid)
{
	struct laying l = { .plan = plan };
	int err = 0;

	for (uint64_t i = 0; i < r->files.n && !err; i++) {
		const struct fio_file *file = &r->files.list[i];

		if (!is_laid(r, file))
			continue;
		if (laid->files++ % FILES_OF_A_JOB == 0) {
			err = next_log(&l);
			if (!err)
				write_own(&l);
		}
		for (uint32_t n = 0; n < file->n_extents; n++)
			laid->bytes += file->extents[n].end - file->extents[n].start;
		if (!err)
			write_file(&l, file);
	}
	/* not ||: it is closed in any case */
	if (l.log && (ferror(l.log) | fclose(l.log)) && !err)
		err = -EIO;
	return err;
}

static uint64_t n_logs(const struct fio_laid *laid)
{
	return (laid->files + FILES_OF_A_JOB - 1) / FILES_OF_A_JOB;
}

void fio_layout_jobs(const struct fio_plan *plan, const struct fio_laid *laid, FILE *out)
{
	char name[NAME];

	for (uint64_t i = 0; i < n_logs(laid); i++) {
		log_name(i, name);
		fprintf(out, "\n[layout%05" PRIu64 "]\nstonewall\nread_iolog=%s/%s\n", i + 1,
			plan->out, name);
	}
	/* fio refuses a file without a job */
	if (!laid->files)
		fprintf(out,
			"\n; nothing is there before the first call\n[layout]\nrw=write\nsize=1\nbs=1\nfilename=%s/layout\n",
			plan->into);
}

/* Numbers have no holes: the first that is not there was never made. */
void fio_layout_unwrite(const struct fio_plan *plan)
{
	char name[NAME];

	for (uint64_t i = 0; log_name(i, name), !unlinkat(plan->out_fd, name, 0); i++)
		;
}
