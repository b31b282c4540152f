/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the job files' options, and their heads, which say what is not repeated. */
#include "analysis/fio/fio_write.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/common/cells.h"
#include "analysis/fio/fio_layout.h"
#include "analysis/fio/fio_profile.h"
#include "base/below.h"
#include "base/plain.h"
#include "row/format.h"
#include "row/fs_ops.h"

enum {
	HEAD_LINE = 200, /* fio cuts lines at 4,096 bytes, and takes the rest for an option */
	NAME_SIZE = PATH_MAX + FIO_NAME_SIZE,
};

static FILE *create(const struct fio_plan *plan, const char *name)
{
	int fd = below_create(plan->out_fd, name, O_WRONLY);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");

	if (fd >= 0 && !out)
		close(fd);
	return out;
}

/*
 * Of what create() returned: NULL is an error, with errno as it left it. Stdio may have forgotten of which
 * kind an earlier one was: EIO.
 */
static int finish(FILE *out, int err)
{
	if (!out)
		return errno ? -errno : -ENOMEM;
	if (fflush(out) || ferror(out))
		err = err ? err : -EIO;
	if (fclose(out) && !err)
		err = -errno;
	return err;
}

/* ---- the head ---- */

/* Lines of a text, each of them a comment. */
static void put_comment(FILE *out, const char *text)
{
	for (size_t len; *text; text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		fprintf(out, "; %.*s%s\n", (int)(len > HEAD_LINE ? HEAD_LINE : len), text,
			len > HEAD_LINE ? " ..." : "");
	}
}

static void put_count(FILE *out, uint64_t n, const char *what)
{
	if (n)
		fprintf(out, "; %" PRIu64 " %s\n", n, what);
}

static const char *const left_texts[N_FIO_LEFT] = {
	[FIO_NO_ACTION] = "calls that fio's logs have no action for",
	[FIO_FAILED] = "calls that failed",
	[FIO_AT_END] = "reads and writes that moved nothing",
	[FIO_NO_NAME] = "calls on files whose name is not known",
	[FIO_NO_FILE] = "calls on what is no regular file or disk, on /proc and /sys",
	[FIO_NO_OFFSET] = "reads and writes whose offset is not known",
	[FIO_IDLE] = "calls of threads that neither read nor wrote",
};

/* "; left out: 12 calls that failed (OPEN 10, READ 2)" */
static void put_left(FILE *out, const struct fio_replay *r)
{
	for (unsigned why = 0; why < N_FIO_LEFT; why++) {
		uint64_t n = 0;
		const char *before = "";

		for (unsigned op = 0; op < IOT_N_OPS; op++)
			n += r->left[op][why];
		if (!n)
			continue;
		fprintf(out, "; left out: %" PRIu64 " %s (", n, left_texts[why]);
		for (unsigned op = 0; op < IOT_N_OPS; op++)
			if (r->left[op][why]) {
				fprintf(out, "%s%s %" PRIu64, before, fs_ops[op].name,
					r->left[op][why]);
				before = ", ";
			}
		fputs(")\n", out);
	}
	put_count(out, r->short_calls, "reads and writes ask for what they got, which was less");
	put_count(out, r->others, "calls that copy (SENDFILE ...) are done as reads or writes");
	put_count(out, r->second_files, "of these wrote to a second file, which is left out");
	put_count(
		out, r->added_opens,
		"opens are added: each job opens its files itself, also those that were open before");
	put_count(out, r->crowded, "opens are left out: of files open too often at once");
}

static void put_gaps(FILE *out, const struct gaps *gaps)
{
	char *text = NULL;
	size_t size = 0;
	FILE *memory = open_memstream(&text, &size);

	if (!memory)
		return;
	gaps_print(memory, "", gaps, true);
	if (!fclose(memory))
		put_comment(out, text);
	free(text);
}

/* "; not recorded: READ (aio), WRITE (aio)": of these the trace has nothing that could be left out. */
static void put_unseen(FILE *out, const struct gaps *gaps)
{
	json_t *json = gaps_json(gaps);
	const json_t *list = json_object_get(json, "not_recorded"), *name;
	size_t i;

	json_array_foreach((json_t *)list, i, name)
	{
		fputs(i ? ", " : "; not recorded: ", out);
		plain_put(out, json_string_value(name));
	}
	if (json_array_size(list))
		fputc('\n', out);
	json_decref(json);
}

static void put_head(FILE *out, const struct fio_plan *plan, const struct fio_replay *r,
		     const struct gaps *gaps, const struct fio_laid *laid)
{
	fprintf(out,
		"; Made by `iotracer fio`. Run it with\n;     fio %s/layout.fio && fio %s/replay.fio\n",
		plan->out, plan->out);
	fprintf(out,
		"; It works in %s alone. layout.fio makes %" PRIu64
		" files there and writes %" PRIu64
		" bytes.\n; names.csv says which file of the trace is which of them.\n;\n; The trace:\n",
		plan->into, laid->files, laid->bytes);
	put_gaps(out, gaps);
	put_unseen(out, gaps);
	fprintf(out, ";\n; %" PRIu64 " reads, writes and syncs are repeated.\n", r->n);
	put_left(out, r);
	if (r->logs.format != FIO_FORMAT)
		fputs("; Format 2 of logs: pauses are kept to the millisecond.\n", out);
	fputs(";\n", out);
}

/* ---- jobs ---- */

static void put_job(FILE *out, const struct fio_plan *plan, const struct fio_job *job,
		    uint64_t number)
{
	char log[FIO_LOG_NAME];

	fio_log_name(number, log);
	fputs("\n; ", out);
	/* a name that a program gave itself: it must not end the comment */
	plain_put(out, job->command);
	fprintf(out, ", process %u, thread %u", (unsigned)job->pid, (unsigned)job->tid);
	if (job->n_threads > 1)
		fprintf(out, ", and %u others, one after the other", (unsigned)job->n_threads - 1);
	fprintf(out, "\n[job%04" PRIu64 "]\nread_iolog=%s/logs/%s\n", number + 1, plan->out, log);
	fio_put_class(out, job->klass, job->depth);
}

/* Under its name when it is whole: whoever finds it may run it. */
static int write_replay(const struct fio_plan *plan, const struct fio_replay *r,
			const struct gaps *gaps, const struct fio_laid *laid)
{
	FILE *out = create(plan, "replay.fio.part");
	int err;

	if (!out)
		return finish(out, 0);
	put_head(out, plan, r, gaps, laid);
	/* what fio would do by itself beside the calls of the logs */
	fputs("[global]\nthread=1\ninvalidate=0\nfadvise_hint=0\nfallocate=none\n", out);
	fprintf(out, "replay_no_stall=%d\n", plan->no_wait);
	for (uint64_t i = 0; i < r->fio->n_jobs; i++)
		if (fio_log_moves(&r->logs.list[i]))
			put_job(out, plan, &r->fio->jobs[i], i);
	err = finish(out, 0);
	return err ? err : below_rename(plan->out_fd, "replay.fio.part", "replay.fio");
}

static int write_profile(const struct fio_plan *plan, const struct fio_replay *r,
			 const struct gaps *gaps)
{
	struct fio_groups groups = { .n = 0 };
	FILE *out = fio_groups_make(&groups, r) ? create(plan, "profile.fio") : NULL;
	int err = -ENOMEM;

	if (out) {
		fprintf(out,
			"; Made by `iotracer fio`: the load of a trace as distributions.\n; Run it with fio --create_only=1 %s/profile.fio,\n"
			"; which makes its files in %s, and then with fio %s/profile.fio\n",
			plan->out, plan->into, plan->out);
		if (plan->warm)
			fprintf(out,
				"; In between, this brings them into memory: cat %s/profile-* >/dev/null\n",
				plan->into);
		fputs(";\n; The trace:\n", out);
		put_gaps(out, gaps);
		fputs(";\n", out);
		fio_profile_put(out, &groups, plan);
		err = finish(out, 0);
	}
	fio_groups_free(&groups);
	return err;
}

/* As a row of a stream has it, so that what reads these reads this, too. False without memory. */
static bool put_name(struct cells *c, const struct fio_plan *plan, const struct fio_file *file)
{
	char copy[NAME_SIZE], *quoted = malloc(file->path_len * 4ull + 2);
	bool escaped = false;

	if (!quoted)
		return false;
	format_quote(quoted, file->path, file->path_len, &escaped);
	free(quoted);
	snprintf(copy, sizeof(copy), "%s/%s", plan->into, file->name);
	cell(c, "name", TABLE_NAME, table_text(copy));
	cell(c, "filename", TABLE_NAME, table_bytes(file->path, file->path_len));
	cell(c, "path_status", TABLE_NAME, table_text(escaped ? "e" : ""));
	cells_row(c);
	return true;
}

/* Its job may do nothing but open it: fio refuses such a log. */
static bool is_named(const struct fio_replay *r, const struct fio_file *file)
{
	return file->used && (file->shared || fio_log_moves(&r->logs.list[file->job]));
}

static int write_names(const struct fio_plan *plan, const struct fio_replay *r)
{
	FILE *out = create(plan, "names.csv");
	struct cells c;
	int err = 0;

	if (!out)
		return finish(out, 0);
	cells_begin(&c, out, TABLE_CSV);
	for (uint64_t i = 0; i < r->files.n && !err; i++)
		if (is_named(r, &r->files.list[i]) && !put_name(&c, plan, &r->files.list[i]))
			err = -ENOMEM;
	err = cells_end(&c) ?: err;
	return finish(out, err);
}

int fio_write(const struct fio_plan *plan, const struct fio_replay *r, const struct gaps *gaps,
	      struct fio_laid *laid)
{
	int err = fio_layout_write(plan, r, laid);
	FILE *out = err ? NULL : create(plan, "layout.fio");

	if (err)
		return err;
	if (!out)
		return finish(out, 0);
	fprintf(out,
		"; Made by `iotracer fio`: the files of replay.fio, as they were before.\n[global]\nthread=1\nioengine=psync\n"
		"fadvise_hint=0\nfallocate=none\ninvalidate=%d\n",
		!plan->warm);
	fio_layout_jobs(plan, laid, out);
	err = finish(out, 0);
	if (!err)
		err = write_names(plan, r);
	if (!err)
		err = write_profile(plan, r, gaps);
	return err ? err : write_replay(plan, r, gaps, laid);
}

/* By the names that we give, not all that is there: a folder with files of others in it stays. */
void fio_unwrite(const struct fio_plan *plan, uint64_t n_jobs)
{
	static const char *const names[] = { "replay.fio.part", "replay.fio", "names.csv",
					     "profile.fio", "layout.fio" };
	char log[FIO_LOG_NAME + 8];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		unlinkat(plan->out_fd, names[i], 0);
	memcpy(log, "logs/", 5);
	for (uint64_t i = 0; i < n_jobs; i++) {
		fio_log_name(i, log + 5);
		unlinkat(plan->out_fd, log, 0);
	}
	fio_layout_unwrite(plan);
	unlinkat(plan->out_fd, "logs", AT_REMOVEDIR);
}
