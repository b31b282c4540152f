/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns what is taken from fio's JSON, which anybody may have written, and how fio names files. */
#include "analysis/fio/fio_result.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"

enum { MOST_BYTES = 256 << 20 };

const unsigned fio_percentiles[FIO_PERCENTILES] = { 500, 950, 990 };

/* What is no count is 0; fio has times with a fraction. */
static uint64_t number(const json_t *object, const char *name)
{
	double value = json_number_value(json_object_get(object, name));

	return value > 0 && value < 1e18 ? (uint64_t)(value + .5) : 0;
}

/* The percentiles of these names are in fio's default list; one that is missing is 0. */
static void take_times(struct fio_told *told, const json_t *times)
{
	static const char *const names[FIO_PERCENTILES] = { "50.000000", "95.000000", "99.000000" };
	const json_t *percentiles = json_object_get(times, "percentile");

	told->n = number(times, "N");
	told->max = number(times, "max");
	for (unsigned i = 0; i < FIO_PERCENTILES; i++)
		told->percentile[i] = number(percentiles, names[i]);
}

/* A job's own before that of [global]; NULL: neither has it. */
static const char *option(const json_t *root, const json_t *job, const char *name)
{
	const json_t *own = json_object_get(json_object_get(job, "job options"), name);

	return json_string_value(
		own ? own : json_object_get(json_object_get(root, "global options"), name));
}

static bool take_job(struct fio_result *r, const json_t *job)
{
	static const char *const kinds[] = { "read", "write" };
	struct fio_result_job *j = &r->jobs[r->n];

	j->name = json_string_value(json_object_get(job, "jobname"));
	if (!j->name)
		return false;
	j->files = option(r->json, job, "filename");
	j->all_clones = option(r->json, job, "group_reporting");
	for (uint64_t i = 0; i < r->n; i++)
		j->clone += !strcmp(r->jobs[i].name, j->name);
	for (unsigned i = 0; i < 2; i++)
		/* from submission to completion, as the latency of a call */
		take_times(&j->told[i], json_object_get(json_object_get(job, kinds[i]), "clat_ns"));
	take_times(&j->told[2], json_object_get(json_object_get(job, "sync"), "lat_ns"));
	r->n++;
	return true;
}

int fio_result_parse(struct fio_result *r, const char *text, size_t len)
{
	/* fio's warnings may stand before it */
	const char *begin = len ? memchr(text, '{', len) : NULL;
	const json_t *jobs, *job;
	json_error_t error;
	size_t i;

	if (begin)
		r->json = json_loadb(begin, (size_t)(text + len - begin), JSON_DISABLE_EOF_CHECK,
				     &error);
	if (!r->json)
		return -EBADMSG;
	jobs = json_object_get(r->json, "jobs");
	r->jobs = calloc(json_array_size(jobs) + 1, sizeof(*r->jobs));
	if (!r->jobs)
		return -ENOMEM;
	json_array_foreach((json_t *)jobs, i, job) if (!take_job(r, job)) break;
	return r->n && i == json_array_size(jobs) ? 0 : -EINVAL;
}

int fio_result_read(struct fio_result *r, const char *file)
{
	int fd = file_open_regular(file);
	off_t size = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
	char *text = size > 0 && size < MOST_BYTES ? malloc((size_t)size) : NULL;
	ssize_t n = text ? pread(fd, text, (size_t)size, 0) : 0;
	int err = fd < 0 ? fd : fio_result_parse(r, text, n > 0 ? (size_t)n : 0);

	if (err)
		log_error(
			"%s: %s", file,
			err == -EBADMSG ?
				"is not the output of fio --output-format=json" :
			err == -EINVAL ?
				"has no jobs with names, as fio --output-format=json writes them" :
				strerror(-err));
	free(text);
	if (fd >= 0)
		close(fd);
	return err;
}

/* "b" of option "a:dir/b" is the end of "/x/dir/b". */
static bool is_one_of(const char *names, const char *path, size_t len)
{
	for (size_t n; *names; names += n + (names[n] == ':')) {
		n = strcspn(names, ":");
		if (n && n <= len && !memcmp(path + len - n, names, n) &&
		    (n == len || names[0] == '/' || path[len - n - 1] == '/'))
			return names[0] != '/' || n == len;
	}
	return false;
}

/* fio's default: NAME.CLONE.FILE */
static bool is_named(const struct fio_result_job *job, const char *base, size_t len)
{
	char prefix[512];
	int n = snprintf(prefix, sizeof(prefix), "%s.", job->name);

	if (!job->all_clones)
		n = snprintf(prefix, sizeof(prefix), "%s.%u.", job->name, job->clone);
	return n > 0 && (size_t)n < sizeof(prefix) && len > (size_t)n &&
	       !memcmp(base, prefix, (size_t)n);
}

int64_t fio_result_job_of(const struct fio_result *r, const char *path, size_t len)
{
	const char *slash = memrchr(path, '/', len);
	const char *base = slash ? slash + 1 : path;

	for (uint64_t i = 0; i < r->n; i++) {
		const struct fio_result_job *job = &r->jobs[i];

		if (job->files ? is_one_of(job->files, path, len) :
				 is_named(job, base, (size_t)(path + len - base)))
			return (int64_t)i;
	}
	return -1;
}

void fio_result_free(struct fio_result *r)
{
	json_decref(r->json);
	free(r->jobs);
	*r = (struct fio_result){ .n = 0 };
}
