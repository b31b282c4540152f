/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the reader that a test feeds and the rows that it gave. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "fixture_events.h"

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fixture_proc.h"
#include "fixture_record.h"

struct events *ev;
struct plan fed_plan;
struct seen_row seen[MAX_SEEN];
unsigned n_seen;
uint64_t page;

static struct io_text text;
static uint64_t last_string;

static void on_row(void *arg, enum stream_id stream, const char *row, size_t len, uint64_t key)
{
	ck_assert_ptr_eq(arg, seen);
	ck_assert_uint_lt(n_seen, MAX_SEEN);
	seen[n_seen].stream = stream;
	seen[n_seen].key = key;
	csv_parse(&seen[n_seen].csv, row, len);
	ck_assert_int_eq(seen[n_seen].csv.n, (int)streams[stream].n_columns);
	n_seen++;
}

void feed_anew(const struct feed_options *fed)
{
	static const struct capability close_cap = {
		.stream = "fs", .operation = "CLOSE", .path = "",
	};
	static const struct candidate calls = { .name = "SC_CLOSE" }, fput = { .name = "FPUT" };
	struct events_options options = {
		.plan = &fed_plan, .all_fs = fed->all_fs, .extra_ops = fed->extra_ops, .names = 256,
		.n_cpus = 4, .row = on_row, .arg = seen,
	};

	static const struct capability drop_cap = {
		.stream = "nw_drop", .operation = "PACKET_DROP", .path = "",
	};
	static const struct candidate drop_tp = { .name = "DROP_TP" };

	fed_plan.n_choices = fed->drops ? 2 : 1;
	fed_plan.host = fed->drops;
	fed_plan.choices[1] = (struct plan_choice){ .capability = &drop_cap, .chosen = &drop_tp, .wanted = true };
	fed_plan.choices[0] = (struct plan_choice){
		.capability = &close_cap, .chosen = fed->kernel ? &fput : &calls, .wanted = true,
	};
	for (int i = 0; i < N_STREAMS; i++)
		options.wanted[i] = !fed->only || !strcmp(fed->only, streams[i].name);
	record_restart();
	events_close(ev);
	ev = events_open(&options);
	ck_assert(ev != NULL);
}

void feed_setup(void)
{
	setenv("TZ", "UTC0", 1);
	page = sysconf(_SC_PAGESIZE);
	fixture_proc_open();
	fixture_process(P, 77, "prog");
	fixture_cwd(P, "/usr");
	n_seen = 0;
	last_string = 1000;
	feed_anew(&(struct feed_options){ .kernel = false });
}

void feed_setup_kernel(void)
{
	feed_setup();
	feed_anew(&(struct feed_options){ .kernel = true });
}

void feed_teardown(void)
{
	events_close(ev);
	ev = NULL;
	for (unsigned i = 0; i < n_seen && i < MAX_SEEN; i++)
		csv_free(&seen[i].csv);
	fixture_proc_close();
}

/* ---- feeding ---- */

void feed(const void *rec, size_t len)
{
	events_record(ev, rec, len, 0);
}

void feed_fs(const struct io_fs *rec)
{
	struct io_fs copy = *rec;

	feed(&copy, sizeof(copy));
}

void feed_more(const struct io_more *rec)
{
	struct io_more copy = *rec;

	feed(&copy, sizeof(copy));
}

void feed_cache(const struct io_cache *rec)
{
	struct io_cache copy = *rec;

	feed(&copy, sizeof(copy));
}

void feed_fault(const struct io_fault *rec)
{
	struct io_fault copy = *rec;

	feed(&copy, sizeof(copy));
}

void feed_task(uint16_t event, uint32_t tgid, int64_t ret, uint64_t flags)
{
	struct io_task rec = record_task(tgid, event, ret);

	rec.flags = flags;
	feed(&rec, sizeof(rec));
}

void feed_text(uint64_t id, uint16_t kind, const char *bytes, size_t len)
{
	feed(&text, record_text(&text, id, kind, bytes, len));
}

uint64_t feed_string(const char *string)
{
	feed_text(++last_string, IO_TEXT_STRING, string, strlen(string));
	return last_string;
}

void feed_open(uint32_t tgid, const char *path, int fd, uint32_t flags)
{
	uint64_t name = feed_string(path);
	struct io_fs rec = record_fs(tgid, IO_OPEN, -1, fd);

	rec.name = name;
	rec.dirfd = AT_FDCWD;
	rec.flags = flags;
	rec.latency = 700;
	feed_fs(&rec);
}

/* Asked for first: what /proc tells of a process at first sight needs no open. */
void feed_open_file(uint32_t tgid, const char *name, int fd, uint32_t flags)
{
	procs_mntns(events_procs(ev), tgid);
	fixture_fd(tgid, fd, fixture_file(name), 0, flags);
	feed_open(tgid, fixture_file(name), fd, flags);
}

void feed_call(uint32_t tgid, uint16_t op, int fd, int64_t ret, uint64_t size)
{
	struct io_fs rec = record_fs(tgid, op, fd, ret);

	rec.size = size;
	rec.latency = 700;
	feed_fs(&rec);
}

void feed_kernel_file(struct io_more *rec, uint16_t status)
{
	feed_text(7, IO_TEXT_WALK, "c\0bb\0a", 7);
	rec->fs.status = IO_ST_FILE | status;
	rec->fs.name = 7;
	rec->fs.ino = INO;
	rec->fs.dev = DISK;
	rec->fs.mntns = 4026531840u; /* nobody has looked at its root there: status o, not f */
}

void kernel_file(struct io_fs *rec, uint64_t id, const char *name)
{
	feed_text(id, IO_TEXT_WALK, name, strlen(name) + 1);
	rec->status = IO_ST_FILE;
	rec->name = id;
	rec->ino = INO;
	rec->dev = DISK;
}

void feed_read(const char *name)
{
	struct io_fs rec = record_fs(P, IO_READ, -1, 1);

	kernel_file(&rec, 20, name);
	feed_fs(&rec);
}

void feed_end(void)
{
	events_flush(ev, UINT64_MAX);
}

/* ---- looking ---- */

uint64_t out_of_scope(void)
{
	return events_totals(ev)->out_of_scope;
}

uint64_t bad(void)
{
	return events_totals(ev)->bad;
}

const char *seen_field(unsigned row, const char *column)
{
	ck_assert_uint_lt(row, n_seen);
	for (unsigned i = 0; i < streams[seen[row].stream].n_columns; i++)
		if (!strcmp(streams[seen[row].stream].columns[i].name, column))
			return seen[row].csv.field[i];
	ck_abort_msg("no column %s", column);
	return NULL;
}

void expect(unsigned row, const char *column, const char *value)
{
	ck_assert_msg(!strcmp(seen_field(row, column), value), "row %u: %s is '%s', not '%s'", row,
		      column, seen_field(row, column), value);
}

void expect_number(unsigned row, const char *column, uint64_t value)
{
	char number[32];

	snprintf(number, sizeof(number), "%llu", (unsigned long long)value);
	expect(row, column, number);
}

void expect_operation(unsigned row, const char *operation, const char *path)
{
	expect(row, "operation", operation);
	expect(row, "filename", path);
}
