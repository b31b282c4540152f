/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `iotracer fio`: its command line, and the two directories that it names. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/fio/fio_check.h"
#include "analysis/fio/fio_read.h"
#include "base/below.h"
#include "base/log.h"
#include "cmd/commands.h"
#include "cmd/fio_run.h"
#include "cmd/reader_options.h"

enum { MOST_TIMES = 1000 /* --jobs, --scale */ };
enum { NAME_LENGTH = 140 /* fio takes names of 255 bytes from a log; ours come behind it */ };

struct fio_arguments {
	struct reader reader;
	const char *into;
	bool no_wait, warm, check;
	unsigned format;      /* place in formats */
	uint64_t jobs, scale; /* 0: not given */
};

static const char *const formats[] = { "3", "2", NULL };

#define TO(kind, member) OPTION_TO(kind, struct fio_arguments, member)

/* clang-format off */
static const struct option_row rows[] = {
	{ .name = "output", .letter = 'o', .argument = "OUT", .common = true, .section = OPTIONS_MAIN,
	  TO(text, reader.folder), .help = "write the jobs to OUT, a new directory, needed",
	  .more = "Its name goes into the job files, so it stays where it is made." },
	{ .name = "into", .argument = "SCRATCH", .common = true, .section = OPTIONS_MAIN,
	  TO(text, into), .help = "where fio is to work, needed: on the disk to try",
	  .more = "It is made unless it is there, and must be empty, or from an earlier run. Nothing outside of it is touched by fio." },
	{ .name = "no-wait", .common = true, .section = OPTIONS_MAIN, TO(flag, no_wait),
	  .help = "without the pauses: as fast as the disk can",
	  .more = "The same as `fio --replay_no_stall=1`." },
	{ .name = "warm", .section = OPTIONS_MAIN, TO(flag, warm),
	  .help = "files begin in the page cache",
	  .more = "As those of a program that has run for long, whose reads need no device. Without it each file is on the disk alone." },
	{ .name = "iolog", .argument = "FORMAT", .section = OPTIONS_MAIN,
	  .parse = option_word, .target = offsetof(struct fio_arguments, format), .words = formats,
	  .help = "format of the logs: 3, or 2 for fio before 3.31",
	  .more = "Format 2 keeps pauses to the millisecond, format 3 to the microsecond." },
	{ .name = "check", .common = true, .section = OPTIONS_MAIN, TO(flag, check),
	  .help = "run profile.fio, record it and compare; as root",
	  .more = "The recording is OUT/check. Exit status 1 where something could not be run; measures that differ by more than 10 % are marked." },
	{ .name = "jobs", .argument = "N", .section = OPTIONS_MAIN, TO(count, jobs),
	  .help = "profile.fio with N times as many jobs (1)",
	  .more = "Each with files of its own, and as busy as one was: more users of the same kind." },
	{ .name = "scale", .argument = "N", .section = OPTIONS_MAIN, TO(count, scale),
	  .help = "profile.fio with N times the calls and bytes (1)",
	  .more = "Each job does N times as much, in files that are N times as large: the same load with more data, for longer." },
	READER_PROCESS_ROWS,
	READER_PATH_ROW("calls on these files", ""),
	READER_TIME_ROWS("calls"),
	READER_LAST_ROWS,
};
/* clang-format on */

const struct command command_fio = {
	.name = "fio",
	.summary = "makes jobs of fio that repeat what was recorded",
	.usage = "DIR -o OUT --into SCRATCH [OPTION]...",
	.example = "iotracer fio ~/trace -o ~/jobs --into /mnt/new-disk/scratch",
	.next = "fio OUT/layout.fio && iotracer record -o DIR2 -- fio OUT/replay.fio && iotracer report DIR DIR2 --replay OUT",
	.options = rows,
	.run = fio_command,
};

static int complete(struct reader *reader)
{
	struct fio_arguments *o = (struct fio_arguments *)reader;

	if (reader->n_dirs > 1)
		return reader_refuse("jobs repeat one trace: make them for each directory");
	if (!reader->folder)
		return reader_refuse("give a new directory for the jobs with -o OUT");
	if (!o->into)
		return reader_refuse(
			"give the directory that fio is to work in with --into SCRATCH");
	if (o->jobs > MOST_TIMES || o->scale > MOST_TIMES)
		return reader_refuse("--jobs and --scale are 1000 at most");
	if (o->check && (o->jobs || o->scale))
		return reader_refuse(
			"--check compares with the trace: without --jobs and --scale, which change the load");
	return OPTIONS_OK;
}

static int open_trace(struct reader *reader, void *reading, const char *dir)
{
	return fio_reading_open(reading, dir, &reader->filter);
}

/* ---- the two directories ---- */

static const char marker[] = ".iotracer-fio";

/* Job files and logs have no way to write others, and a log's lines have limits. */
static bool is_plain(const char *name, const char *real)
{
	for (const char *c = real; *c; c++)
		if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
		      (*c >= '0' && *c <= '9') || strchr("/._+-", *c))) {
			log_error(
				"%s: fio cannot take this name: use letters, digits and ./_+- in all of its path",
				name);
			return false;
		}
	if (strlen(real) > NAME_LENGTH) {
		log_error("%s: its path is too long for fio: %d bytes at most", name, NAME_LENGTH);
		return false;
	}
	return true;
}

static int refuse_folder(const char *name, const char *why)
{
	log_error("%s: %s", name, why);
	return -EPERM;
}

/* Its descriptor, or -errno (reported). real: its absolute name. */
static int open_folder(const char *name, char real[PATH_MAX], bool *made)
{
	const char *why;
	int fd;

	*made = !mkdir(name, 0700);
	if ((!*made && errno != EEXIST) || !realpath(name, real)) {
		fd = -errno;
		log_error("%s: %s", name, strerror(-fd));
		return fd;
	}
	fd = is_plain(name, real) ? open(real, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -EINVAL;
	if (fd == -EINVAL)
		return fd;
	if (fd < 0) {
		fd = -errno;
		log_error("%s: %s", name, strerror(-fd));
		return fd;
	}
	why = below_not_ours(fd);
	if (!why)
		return fd;
	close(fd);
	return refuse_folder(name, why);
}

/* A descriptor of its own is read: the other one's place in the directory stays. */
static bool is_empty(int fd)
{
	int again = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = again < 0 ? NULL : fdopendir(again);
	int n = 0;

	while (dir && readdir(dir))
		n++;
	if (dir)
		closedir(dir);
	else if (again >= 0)
		close(again);
	return n == 2;
}

/* The mark that it is ours to write to, also the next time. */
static int mark(const char *name, int fd)
{
	struct stat st;
	int marked;

	if (!below_stat(fd, marker, &st) && S_ISREG(st.st_mode))
		return 0;
	if (!is_empty(fd))
		return refuse_folder(name, "has other files: name a new or empty directory");
	marked = below_create(fd, marker, O_WRONLY);
	if (marked < 0) {
		log_error("%s: %s", name, strerror(-marked));
		return marked;
	}
	close(marked);
	return 0;
}

/* ---- the check ---- */

static int compare(const struct fio_reading *before, const struct fio_reading *after)
{
	struct fio_sums sums[2] = { { .span_ns = 0 } };
	unsigned apart = 0;
	int err = fio_sums_make(&sums[0], before);

	if (!err)
		err = fio_sums_make(&sums[1], after);
	if (!err)
		err = fio_check_print(stdout, &sums[0], &sums[1], &apart);
	if (err)
		log_error("%s", strerror(-err));
	else if (apart)
		log_note("%u of the profile's measures are not within 10 %% of the trace", apart);
	return err;
}

static int check(const struct fio_arguments *o, const struct fio_plan *plan)
{
	char dir[PATH_MAX + 16], path[PATH_MAX + 16];
	struct fio_reading after = { .host = "" };
	struct row_filter filter = { .path = path };
	const struct fio_reading *before = o->reader.readings;
	/* as the trace was recorded, so that the same is seen of both */
	bool ring = before->session.streams[STREAM_iouring].on;
	int err = fio_run_profile(plan, ring ? "fs,ds,iouring" : "fs,ds");

	if (err)
		return err;
	snprintf(dir, sizeof(dir), "%s/check", plan->out);
	/* the files of the profile alone: fio reads and writes others, too */
	snprintf(path, sizeof(path), "%s/profile-*", plan->into);
	err = fio_reading_open(&after, dir, &filter);
	if (!err)
		err = fio_reading_count(&after, &filter);
	if (!err)
		err = compare(before, &after);
	fio_reading_close(&after);
	return err;
}

static int write_jobs(struct fio_arguments *o, struct fio_plan *plan)
{
	struct fio_reading *reading = o->reader.readings;
	char out[PATH_MAX], into[PATH_MAX];
	bool made_out, made_into;
	int err, into_fd = open_folder(o->into, into, &made_into);

	if (into_fd < 0)
		return into_fd;
	err = mark(o->into, into_fd);
	plan->out_fd = err ? err : open_folder(o->reader.folder, out, &made_out);
	if (plan->out_fd >= 0) {
		plan->out = out;
		plan->into = into;
		err = is_empty(plan->out_fd) ?
			      fio_reading_write(reading, &o->reader.filter, plan) :
			      refuse_folder(o->reader.folder,
					    "has files: name a new or empty directory");
		close(plan->out_fd);
		if (!err && o->check)
			return close(into_fd), check(o, plan);
		/* one that was there before stays */
		if (err && made_out)
			rmdir(out);
	}
	close(into_fd);
	return err ? err : plan->out_fd < 0 ? plan->out_fd : 0;
}

static int print(struct reader *reader, FILE *out)
{
	struct fio_arguments *o = (struct fio_arguments *)reader;
	struct fio_plan plan = {
		.no_wait = o->no_wait,
		.warm = o->warm,
		.jobs = o->jobs ? (unsigned)o->jobs : 1,
		.scale = o->scale ? (unsigned)o->scale : 1,
		.format = o->format ? FIO_FORMAT_OLD : FIO_FORMAT,
	};

	(void)out;
	return write_jobs(o, &plan) ? 1 : 0;
}

static void say(const struct reader *reader)
{
	const struct fio_reading *r = reader->readings;
	uint64_t left = 0, n_jobs = 0;

	for (uint64_t i = 0; i < r->fio.n_jobs; i++)
		n_jobs += fio_log_moves(&r->replay.logs.list[i]);
	for (unsigned op = 0; op < IOT_N_OPS; op++)
		for (unsigned why = 0; why < N_FIO_LEFT; why++)
			left += r->replay.left[op][why];
	log_note(
		"%llu reads, writes and syncs in %llu jobs; %llu calls are left out, which the head of %s/replay.fio lists",
		(unsigned long long)r->replay.n, (unsigned long long)n_jobs,
		(unsigned long long)left, reader->folder);
	log_note(
		"fio %s/layout.fio makes %llu files and writes %llu bytes, then run fio %s/replay.fio",
		reader->folder, (unsigned long long)r->laid.files,
		(unsigned long long)r->laid.bytes, reader->folder);
}

/* What the trace lacks is in the head of the jobs, too. */
static void print_head(const struct reader *reader, FILE *out)
{
	(void)reader;
	(void)out;
}

static const struct reader_command fio = {
	.command = &command_fio,
	.reading_size = sizeof(struct fio_reading),
	.complete = complete,
	.open = open_trace,
	.gaps_at = offsetof(struct fio_reading, gaps),
	.print_head = print_head,
	.print = print,
	.say = say,
	.close = fio_reading_close,
};

int fio_command(int argc, char **argv)
{
	struct fio_arguments o = { .into = NULL };

	return reader_run(&fio, &o.reader, argc, argv);
}
