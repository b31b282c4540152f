/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the logs' buffers, times and lines. */
#include "analysis/fio/fio_logs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/below.h"
#include "base/file.h"
#include "row/format.h"

enum {
	/* of each job: 64 MB for as many as fio takes */
	BUFFER = 16384,
	/* SCRATCH and the name of a file, with slashes, and three numbers; a pause comes with the next action */
	LINE = 512,
	OLD_START_MS = 200, /* format 2: fio has begun by then */
};

int fio_logs_open(struct fio_logs *logs, int dir_fd, uint64_t n)
{
	logs->dir_fd = dir_fd;
	logs->n = n;
	logs->list = calloc(n + 1, sizeof(*logs->list));
	return logs->list ? 0 : -ENOMEM;
}

void fio_log_name(uint64_t job, char name[FIO_LOG_NAME])
{
	snprintf(name, FIO_LOG_NAME, "%04llu.log", (unsigned long long)job + 1);
}

/* There may be more jobs than a process has descriptors: each is open only while it is written. */
static void flush(struct fio_logs *logs, uint64_t job)
{
	struct fio_log *log = &logs->list[job];
	char name[FIO_LOG_NAME];
	int fd;

	if (!log->len || logs->err)
		return;
	fio_log_name(job, name);
	fd = log->begun ? below_open(logs->dir_fd, name, O_WRONLY | O_APPEND) :
			  below_create(logs->dir_fd, name, O_WRONLY);
	logs->err = fd < 0 ? fd : file_write_all(fd, log->text, log->len, NULL);
	if (fd >= 0 && close(fd) && !logs->err)
		logs->err = -errno;
	log->begun = true;
	log->len = 0;
}

static struct fio_log *room(struct fio_logs *logs, uint32_t job)
{
	struct fio_log *log = &logs->list[job];

	if (!log->text) {
		log->text = malloc(BUFFER);
		if (!log->text) {
			logs->err = -ENOMEM;
			return NULL;
		}
		log->len = (uint32_t)sprintf(log->text, "fio version %u iolog\n", logs->format);
	}
	if (log->len > BUFFER - 2 * LINE)
		flush(logs, job);
	return logs->err ? NULL : log;
}

static char *put_text(char *p, const char *text)
{
	return stpcpy(p, text);
}

/*
 * To fio, names with more slashes are other files; to the kernel they are the same. So a job can have one
 * open several times.
 */
static char *put_name(const struct fio_logs *logs, char *p, const char *file, uint32_t slot)
{
	p = put_text(p, logs->into);
	memset(p, '/', slot + 1);
	return put_text(p + slot + 1, file);
}

/* Each line of format 2 begins with a file, also one that only waits. */
static char *put_wait(const struct fio_logs *logs, struct fio_log *log, char *p, uint64_t us,
		      const char *file)
{
	if (log->us && us / 1000 == log->us / 1000)
		return p;
	p = put_text(put_name(logs, p, file, 0), " wait ");
	return put_text(put_u(p, OLD_START_MS + us / 1000), " 0\n");
}

void fio_log_line(struct fio_logs *logs, uint32_t job, uint64_t ns, const char *file, uint32_t slot,
		  const char *action, uint64_t offset, uint64_t bytes)
{
	struct fio_log *log = logs->dir_fd >= 0 ? room(logs, job) : NULL;
	uint64_t us = ns > logs->first_ns ? (ns - logs->first_ns) / 1000 + 1 : 1;
	char *p;

	if (!log)
		return;
	p = log->text + log->len;
	if (us < log->us)
		us = log->us; /* a row that came late */
	if (!log->us)
		us = logs->format == FIO_FORMAT ? 1 : us;
	if (logs->format == FIO_FORMAT) {
		p = put_u(p, us);
		*p++ = ' ';
	} else if (strcmp(action, "add") != 0) {
		/* an "add" comes before any line about its file, a pause among them */
		p = put_wait(logs, log, p, us, file);
	}
	p = put_name(logs, p, file, slot);
	*p++ = ' ';
	p = put_text(p, action);
	if (bytes != UINT64_MAX) {
		*p++ = ' ';
		p = put_u(p, offset);
		*p++ = ' ';
		p = put_u(p, bytes);
	}
	*p++ = '\n';
	if (logs->format == FIO_FORMAT || strcmp(action, "add") != 0)
		log->us = us;
	log->len = (uint32_t)(p - log->text);
}

void fio_log_drop(struct fio_logs *logs, uint64_t job)
{
	char name[FIO_LOG_NAME];

	fio_log_name(job, name);
	logs->list[job].len = 0;
	if (logs->list[job].begun)
		below_unlink(logs->dir_fd, name);
	logs->list[job].begun = false;
}

int fio_logs_flush(struct fio_logs *logs)
{
	for (uint64_t i = 0; i < logs->n; i++)
		flush(logs, i);
	return logs->err;
}

void fio_logs_free(struct fio_logs *logs)
{
	for (uint64_t i = 0; logs->list && i < logs->n; i++)
		free(logs->list[i].text);
	free(logs->list);
	*logs = (struct fio_logs){ .n = 0 };
}
