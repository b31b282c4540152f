/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the way from rows of fs, ds and exec to the sums of processes: a table for each thread, joined in the end. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "analysis/amp_read.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "row/fs_ops.h"

enum { MAX_THREADS = 16 };

enum { MONO, PID, COMMAND, N_COMMON };
enum {
	FS_OPERATION = N_COMMON,
	FS_PATH,
	FS_LATENCY,
	FS_RESULT,
	FS_FLAGS,
	FS_CALL,
	FS_DEVICE,
	N_FS
};
enum { DS_OPERATION = N_COMMON, DS_SIZE, DS_LATENCY, DS_FLAGS, DS_ERROR, DS_DEVICE, N_DS };

#define OP_WORD(name, flags, traits) #name,
/* By enum iot_op, less one. */
static const char *const operations[] = { IOT_FS_OPS(OP_WORD) NULL };

/* clang-format off */
#define COMMON \
	[MONO] = { .name = "mono_ns", .kind = PARSE_UINT }, \
	[PID] = { .name = "pid", .kind = PARSE_UINT }, \
	[COMMAND] = { .name = "command", .kind = PARSE_TEXT }

static const struct read_column fs_columns[N_FS] = {
	COMMON,
	[FS_OPERATION] = { .name = "operation", .kind = PARSE_TEXT, .words = operations },
	[FS_PATH] = { .name = "filename", .kind = PARSE_PATH },
	[FS_LATENCY] = { .name = "latency_ns", .kind = PARSE_UINT },
	[FS_RESULT] = { .name = "return_value", .kind = PARSE_INT },
	[FS_FLAGS] = { .name = "flags", .kind = PARSE_TEXT },
	[FS_CALL] = { .name = "call", .kind = PARSE_TEXT },
	[FS_DEVICE] = { .name = "device", .kind = PARSE_DEV },
};

static const struct read_column ds_columns[N_DS] = {
	COMMON,
	[DS_OPERATION] = { .name = "operation", .kind = PARSE_TEXT },
	[DS_SIZE] = { .name = "size", .kind = PARSE_UINT },
	[DS_LATENCY] = { .name = "latency_ms", .kind = PARSE_MS },
	[DS_FLAGS] = { .name = "flags", .kind = PARSE_TEXT },
	[DS_ERROR] = { .name = "error", .kind = PARSE_TEXT },
	[DS_DEVICE] = { .name = "dev", .kind = PARSE_DEV },
};
/* clang-format on */

static const struct read_wish wishes[AMP_N_STREAMS] = {
	[AMP_FS] = { STREAM_fs, fs_columns, N_FS },
	[AMP_DS] = { STREAM_ds, ds_columns, N_DS },
};

/* What a thread has read. */
struct part {
	struct amp_tasks tasks;
	struct {
		uint64_t read, damaged, unreadable, chosen, first_ns, last_ns;
		uint64_t columns; /* a bit for each that some segment lacks */
	} streams[AMP_N_STREAMS];
};

struct job {
	struct amp_reading *reading;
	const struct files_filter *filter;
	const struct amp_options *options;
	uint64_t from_ns, to_ns;
	struct read_wish wishes[AMP_N_STREAMS];
	enum amp_stream streams[AMP_N_STREAMS]; /* by wish */
	unsigned n_wishes;
	struct part parts[MAX_THREADS];
};

static bool is_word(const struct field *field, const char *word)
{
	return field->len == strlen(word) && !memcmp(field->text, word, field->len);
}

static bool has_word(const struct field *flags, const char *word)
{
	return flags->len && memmem(flags->text, flags->len, word, strlen(word));
}

/* ---- rows ---- */

/* Terminals and devices of characters move bytes to nobody's disk. */
static bool is_of_file(const struct field *path)
{
	static const char *const names[] = { "null",    "zero",    "full",   "random",
					     "urandom", "tty",     "pts/",   "ptmx",
					     "kmsg",    "console", "fuse",   "net/",
					     "stdin",   "stdout",  "stderr", "fd/" };
	const char *name = path->text + 5;

	if (!path->len || path->text[0] != '/')
		return false;
	if (path->len < 5 || memcmp(path->text, "/dev/", 5) != 0)
		return true;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t n = strlen(names[i]);

		if (path->len - 5 >= n && !memcmp(name, names[i], n))
			return false;
	}
	return true;
}

/* The fields of a call or a request that are alike. */
struct amount {
	uint64_t bytes;
	uint64_t ns;
	bool failed, timed;
};

static bool add(struct amp_sums *sums, enum amp_layer layer, enum amp_direction direction,
		const struct amount *amount)
{
	return amp_sums_add(sums, layer, direction, amount->bytes, amount->failed, amount->timed,
			    amount->ns);
}

/* False without memory. */
static bool take_fs(struct amp_sums *sums, const struct field *f)
{
	bool reads = false, writes = false, call = layout_lacks(&f[FS_CALL]) || f[FS_CALL].len;
	bool failed = f[FS_RESULT].known && f[FS_RESULT].s < 0, ok = true;
	const struct amount amount = {
		.bytes = f[FS_RESULT].known && !failed ? (uint64_t)f[FS_RESULT].s : 0,
		.ns = f[FS_LATENCY].u,
		.failed = failed,
		.timed = f[FS_LATENCY].known,
	};

	switch (f[FS_OPERATION].u + 1) {
	case IOT_READ:
	case IOT_SENDFILE:
		reads = true;
		break;
	case IOT_WRITE:
		writes = true;
		break;
	case IOT_COPY_FILE_RANGE:
		reads = writes = true;
		break;
	case IOT_SPLICE:
		writes = has_word(&f[FS_FLAGS], "TO_FILE");
		reads = !writes;
		break;
	case IOT_FSYNC:
	case IOT_FDATASYNC:
	case IOT_SYNC_FILE_RANGE:
		sums->syncs++;
		return true;
	default:
		return true;
	}
	for (unsigned d = 0; d < AMP_N_DIRECTIONS; d++) {
		if (!(d == AMP_READ ? reads : writes))
			continue;
		ok = ok && add(sums, AMP_VFS, (enum amp_direction)d, &amount);
		if (call)
			ok = ok && add(sums, AMP_SYS, (enum amp_direction)d, &amount);
	}
	sums->small_writes += writes && call && !failed && amount.bytes < AMP_SMALL;
	return ok;
}

static enum amp_class class_of(const struct field *f)
{
	if (f[COMMAND].len >= 5 && !memcmp(f[COMMAND].text, "jbd2/", 5))
		return AMP_JOURNAL;
	return has_word(&f[DS_FLAGS], "meta") ? AMP_METADATA : AMP_DATA;
}

static bool take_ds(struct amp_sums *sums, const struct field *f)
{
	bool writes = is_word(&f[DS_OPERATION], "write") ||
		      is_word(&f[DS_OPERATION], "zone_append");
	const struct amount amount = {
		.bytes = f[DS_SIZE].u,
		.ns = f[DS_LATENCY].u,
		.failed = f[DS_ERROR].len,
		.timed = f[DS_LATENCY].known,
	};

	if (!writes && !is_word(&f[DS_OPERATION], "read"))
		return true;
	if (writes)
		sums->classes[class_of(f)] += f[DS_SIZE].u;
	return add(sums, AMP_BLK, writes ? AMP_WRITE : AMP_READ, &amount);
}

static uint64_t disk_of(const struct devices *devices, const struct field *device)
{
	const struct device *known = devices_find(devices, device->u);

	return known ? known->disk : device->u;
}

static struct amp_key key_of(const struct job *job, enum amp_stream stream, const struct field *f)
{
	const struct amp_options *options = job->options;
	uint64_t ns = f[MONO].u;
	struct amp_key key = {
		.pid = f[PID].known ? f[PID].u : 0,
		.comm = f[COMMAND].text,
		.comm_len = f[COMMAND].len,
		.interval = options->interval_ns ? ns / options->interval_ns : 0,
	};

	key.program = programs_find(&job->reading->programs, key.pid, ns);
	if (options->by == AMP_BY_DEVICE)
		key.device = disk_of(&job->reading->devices,
				     &f[stream == AMP_FS ? FS_DEVICE : DS_DEVICE]);
	return key;
}

static void take_row(void *arg, const struct read_task *task, const struct field *f)
{
	struct job *job = arg;
	enum amp_stream stream = job->streams[task->wish - job->wishes];
	struct part *part = &job->parts[task->thread];
	uint64_t ns = f[MONO].u;
	struct amp_sums *sums;
	struct amp_key key;

	if (!f[MONO].known || ns < job->from_ns || ns >= job->to_ns ||
	    !files_filter_has_thread(job->filter, f[PID].known, f[PID].u, f[COMMAND].text,
				     f[COMMAND].len) ||
	    (stream == AMP_FS && (!f[FS_OPERATION].known || !is_of_file(&f[FS_PATH]))))
		return;
	if (!part->streams[stream].chosen || ns < part->streams[stream].first_ns)
		part->streams[stream].first_ns = ns;
	if (ns > part->streams[stream].last_ns)
		part->streams[stream].last_ns = ns;
	part->streams[stream].chosen++;
	key = key_of(job, stream, f);
	sums = amp_task_sums(&part->tasks, &key);
	if (sums && !(stream == AMP_FS ? take_fs : take_ds)(sums, f))
		part->tasks.no_memory = true;
}

static void end_segment(void *arg, const struct read_task *task, const struct rows_file *file)
{
	struct job *job = arg;
	const struct read_wish *wish = task->wish;
	enum amp_stream stream = job->streams[wish - job->wishes];
	struct part *part = &job->parts[task->thread];

	part->streams[stream].damaged += file->n_bad;
	part->streams[stream].read += file->n - file->n_bad;
	part->streams[stream].unreadable += file->state == ROWS_DAMAGED;
	for (unsigned i = 0; i < wish->n_columns && file->n; i++)
		if (!rows_file_has(file, i))
			part->streams[stream].columns |= 1ull << i;
}

/* ---- the directory ---- */

static const char *meaning_of(const char *column)
{
	static const char *const meanings[][2] = {
		{ "call", "what the kernel did by itself counts as system calls" },
		{ "latency_ns", "no times of calls" },
		{ "latency_ms", "no times of requests" },
		{ "flags", "no classes of bytes" },
		{ "error", "no errors" },
		{ "device", "no devices of calls" },
		{ "dev", "no devices of requests" },
	};

	for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
		if (!strcmp(meanings[i][0], column))
			return meanings[i][1];
	return "what it tells is not known";
}

static void note_stream(struct amp_reading *r, const struct job *job, enum amp_stream stream)
{
	struct lacks *lacks = &r->lacks[stream];
	uint64_t missing = 0;

	*lacks = (struct lacks){ .session = &r->session,
				 .host = r->host,
				 .stream = wishes[stream].stream };
	for (unsigned i = 0; i < MAX_THREADS; i++) {
		const struct part *part = &job->parts[i];

		lacks->totals.rows += part->streams[stream].read;
		lacks->totals.bad_rows += part->streams[stream].damaged;
		lacks->totals.unreadable += part->streams[stream].unreadable;
		missing |= part->streams[stream].columns;
		if (part->streams[stream].chosen &&
		    (!lacks->chosen || part->streams[stream].first_ns < lacks->first_ns))
			lacks->first_ns = part->streams[stream].first_ns;
		if (part->streams[stream].last_ns > lacks->last_ns)
			lacks->last_ns = part->streams[stream].last_ns;
		lacks->chosen += part->streams[stream].chosen;
	}
	for (unsigned i = 0; i < wishes[stream].n_columns; i++)
		if (missing & 1ull << i) {
			lacks->columns[lacks->n_columns] = wishes[stream].columns[i].name;
			lacks->meaning[lacks->n_columns++] =
				meaning_of(wishes[stream].columns[i].name);
		}
	if (lacks->chosen && (!r->last_ns || lacks->first_ns < r->first_ns))
		r->first_ns = lacks->first_ns;
	if (lacks->last_ns > r->last_ns)
		r->last_ns = lacks->last_ns;
}

static int read_rows(struct amp_reading *r, struct job *job)
{
	unsigned n = read_threads();
	struct read_parallel read = {
		.session = &r->session,
		.wishes = job->wishes,
		.n_threads = n < MAX_THREADS ? n : MAX_THREADS,
		.arg = job,
		.row = take_row,
		.end = end_segment,
	};
	struct read_totals totals;
	int err;

	for (unsigned i = 0; i < AMP_N_STREAMS; i++) {
		r->on[i] = r->session.streams[wishes[i].stream].on;
		if (!r->on[i])
			continue;
		job->streams[job->n_wishes] = (enum amp_stream)i;
		job->wishes[job->n_wishes] = wishes[i];
		if (job->options->by != AMP_BY_DEVICE) /* the last column */
			job->wishes[job->n_wishes].n_columns--;
		job->n_wishes++;
	}
	read.n_wishes = job->n_wishes;
	log_status("%s: reading", r->session.dir);
	err = read_parallel(&read, &totals);
	log_status("%s", "");
	for (unsigned i = 0; i < MAX_THREADS; i++) {
		amp_tasks_join(&r->tasks, &job->parts[i].tasks);
		amp_tasks_free(&job->parts[i].tasks);
	}
	for (unsigned i = 0; i < AMP_N_STREAMS; i++)
		note_stream(r, job, (enum amp_stream)i);
	return err;
}

static int check_rows(const struct amp_reading *r)
{
	if (json_array_size(json_object_get(r->session.manifest, "not_kept"))) {
		log_error(
			"%s: its rows were not kept (--no-rows), and amplification is told from rows",
			r->session.dir);
		return -ENOENT;
	}
	if (r->session.streams[STREAM_fs].on || r->session.streams[STREAM_ds].on)
		return 0;
	log_error("%s: neither fs nor ds was recorded there; record with -e fs,ds,exec",
		  r->session.dir);
	return -ENOENT;
}

int amp_reading_open(struct amp_reading *r, const char *dir, const struct files_filter *filter,
		     const struct amp_options *options)
{
	struct job *job = calloc(1, sizeof(*job));
	int err = job ? read_session_open(&r->session, dir) : -ENOMEM;

	if (err) {
		free(job);
		return err;
	}
	job->reading = r;
	job->filter = filter;
	job->options = options;
	read_session_host(&r->session, r->host);
	wall_make(&r->wall, &r->session);
	err = files_filter_times(filter, &r->wall, &job->from_ns, &job->to_ns);
	if (!err)
		err = check_rows(r);
	if (!err)
		err = devices_read(&r->devices, &r->session);
	r->exec = r->session.streams[STREAM_exec].on;
	if (!err && r->exec)
		err = programs_read(&r->programs, &r->session);
	if (!err)
		err = read_rows(r, job);
	if (!err && (r->tasks.no_memory || r->programs.no_memory))
		err = -ENOMEM;
	if (err == -ENOMEM)
		log_error("%s: %s", dir, strerror(ENOMEM));
	free(job);
	return err;
}

static bool is_member(const json_t *item, const char *name, const char *value)
{
	const char *text = json_string_value(json_object_get(item, name));

	return text && !strcmp(text, value);
}

/* Other operations may be seen through system calls all the same. */
bool amp_reading_counts_vfs(const struct amp_reading *r)
{
	const json_t *plan = json_object_get(r->session.manifest, "plan");
	unsigned n_seen = 0;

	for (size_t i = 0; r->on[AMP_FS] && i < json_array_size(plan); i++) {
		const json_t *item = json_array_get(plan, i);

		if (is_member(item, "stream", "fs") && is_member(item, "path", "") &&
		    (is_member(item, "operation", "READ") || is_member(item, "operation", "WRITE")))
			n_seen += is_member(item, "tier", "a");
	}
	return n_seen == 2;
}

static const char *device_name(void *arg, uint64_t number)
{
	struct amp_reading *r = arg;
	const struct device *known = devices_find(&r->devices, number);

	if (known)
		return known->name;
	if (!number)
		return "not known";
	snprintf(r->number, sizeof(r->number), "%u:%u", (unsigned)(number >> 20),
		 (unsigned)(number & 0xfffff));
	return r->number;
}

int amp_reading_add(struct amp_reading *r, struct amp_groups *groups)
{
	const struct amp_host host = {
		.name = r->host,
		.tasks = &r->tasks,
		.wall = &r->wall,
		.device_name = device_name,
		.arg = r,
		.vfs = amp_reading_counts_vfs(r),
	};

	return amp_groups_add(groups, &host);
}

void amp_reading_close(struct amp_reading *r)
{
	devices_free(&r->devices);
	amp_tasks_free(&r->tasks);
	programs_free(&r->programs);
	read_session_close(&r->session);
}
