/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a row costs in user space: the bytes of a ring are made in memory and
 * go through the tracer's own reader, resolver, order and writer into a session
 * directory. Beside it, the same rows by fprintf from ready-made values: no
 * ring, no names, no order. Or into the tables of top. Prints one line for each way.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "analysis/top/top.h"
#include "base/clock.h"
#include "events/events.h"
#include "plan/plan.h"
#include "row/format.h"
#include "row/records.h"
#include "trace/drain.h"
#include "write/write.h"
#include "write/write_session.h"

#define RING_BYTES (1u << 20) /* what a turn finds: the watermark of a ring of 4 MiB */
#define STEP_NS 1000          /* between records: a million a second */
#define TEST_FD 100
#define NAME_ID 77

/* A sample as the kernel writes it: its size counts the padding. */
struct sample {
	struct perf_event_header header;
	uint32_t size;
	char data[];
};

struct bench {
	const char *dir;
	const char *path; /* of a real file: tier c looks at it */
	uint64_t rows;
	bool tier_c;
	char *ring;
	uint32_t used;
	uint64_t ts;
	uint32_t seq[IOT_N_SEQ];
	uint32_t pid;
	struct stat st;
	struct resolve resolve;
	struct events *events;
	struct writer *writer;
	struct top *top; /* instead of the writer */
	struct plan plan;
};

static uint64_t clock_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

/* ---- ring bytes ---- */

static struct iot_head head_of(struct bench *b, unsigned type, unsigned class)
{
	b->ts += STEP_NS;
	return (struct iot_head){
		.ts = b->ts,
		.seq = ++b->seq[class],
		.type = type,
		.class = class,
		.via = 1,
		.tgid = b->pid,
		.tid = b->pid,
		.comm = "bench",
	};
}

static bool put_sample(struct bench *b, const void *record, size_t len)
{
	size_t total = (sizeof(struct sample) + len + 7) & ~7UL;
	struct sample *s = (struct sample *)(b->ring + b->used);

	if (b->used + total > RING_BYTES)
		return false;
	memset(s, 0, total);
	s->header = (struct perf_event_header){ .type = PERF_RECORD_SAMPLE, .size = total };
	s->size = total - sizeof(*s);
	memcpy(s->data, record, len);
	b->used += total;
	return true;
}

static struct iot_fs data_record(struct bench *b, uint64_t i)
{
	struct iot_fs rec = {
		.head = head_of(b, IOT_REC_FS, IOT_SEQ_fs),
		.size = 4096,
		.offset = i * 4096,
		.latency = 1234,
		.ret = 4096,
		.fd = TEST_FD,
		.dirfd = -1,
		.op = i & 1 ? IOT_WRITE : IOT_READ,
		.status = IOT_ST_OFFSET,
	};

	if (!b->tier_c) {
		rec.name = NAME_ID;
		rec.ino = b->st.st_ino;
		rec.dev = 8 << 20 | 1;
		rec.flags = O_RDWR;
		rec.mntns = 4026531840u;
		rec.status |= IOT_ST_FILE | IOT_ST_REGULAR;
	}
	return rec;
}

/* The text of the name, and in tier c the open that makes the descriptor known. */
static void put_opening(struct bench *b)
{
	static struct iot_text text;
	struct iot_fs open = {
		.size = 0,
		.name = NAME_ID,
		.offset = -1,
		.ret = TEST_FD,
		.fd = TEST_FD,
		.flags = O_RDWR,
		.dirfd = AT_FDCWD,
		.op = IOT_OPEN,
	};

	text.head = head_of(b, IOT_REC_TEXT, IOT_SEQ_STATE);
	text.id = NAME_ID;
	if (b->tier_c) {
		text.kind = IOT_TEXT_STRING;
		text.len = snprintf(text.data, sizeof(text.data), "%s", b->path);
	} else {
		text.kind = IOT_TEXT_WALK;
		text.len = 0;
		for (const char *end = b->path + strlen(b->path), *at = end; at > b->path;) {
			while (at[-1] != '/')
				at--;
			memcpy(text.data + text.len, at, end - at);
			text.len += end - at;
			text.data[text.len++] = '\0';
			end = --at;
		}
	}
	put_sample(b, &text, IOT_TEXT_HEAD + text.len);
	if (!b->tier_c)
		return;
	open.head = head_of(b, IOT_REC_FS, IOT_SEQ_fs);
	put_sample(b, &open, sizeof(open));
}

static uint64_t fill(struct bench *b, uint64_t done)
{
	uint64_t i = done;
	struct iot_fs rec;

	b->used = 0;
	if (!done)
		put_opening(b);
	while (i < b->rows && b->used + 256 < RING_BYTES) {
		rec = data_record(b, i++);
		put_sample(b, &rec, sizeof(rec));
	}
	return i - done;
}

/* ---- the tracer's way ---- */

static void to_writer(void *arg, enum stream_id stream, const char *row, size_t len, uint64_t key)
{
	struct bench *b = arg;

	write_row(b->writer, stream, row, len, format_real_ns(key));
}

static void drain(struct bench *b, struct drain_totals *totals)
{
	static uint64_t record[DRAIN_RECORD_MAX / sizeof(uint64_t)];
	struct drain_ring ring = { .data = b->ring, .size = RING_BYTES, .head = b->used };
	uint32_t len;

	while (drain_ring_peek(&ring, totals)) {
		len = ring.len;
		drain_ring_take(&ring, record);
		totals->records++;
		events_record(b->events, record, len, 0);
	}
}

/* Tier c is told from the plan: closes seen as system calls. */
static void make_plan(struct bench *b)
{
	static const struct capability close = { .stream = STREAM_fs,
						 .operation = "CLOSE",
						 .path = "" };
	static const struct candidate by_call = { .name = "SC_CLOSE", .uses = USES_DESCRIPTORS };

	if (!b->tier_c)
		return;
	b->plan.choices[0] =
		(struct plan_choice){ .capability = &close, .chosen = &by_call, .wanted = true };
	b->plan.n_choices = 1;
}

static int open_tracer(struct bench *b, events_row_fn *row)
{
	struct write_options write = { .dir = b->dir,
				       .rotate_size = 100 << 20,
				       .max_disk = 1 << 30 };
	struct events_options events = {
		.plan = &b->plan,
		.wanted = { [STREAM_fs] = true, [STREAM_lost] = true },
		.resolve = &b->resolve,
		.names = 65536,
		.n_cpus = 1,
		.row = row,
		.values = b->top ? top_wants(b->top) : NULL,
		.arg = b,
	};
	int err;

	resolve_init(&b->resolve, &(struct resolve_options){ .all_fs = true });
	make_plan(b);
	b->writer = b->top ? NULL : write_open(&write, &err);
	b->events = b->top || b->writer ? events_open(&events) : NULL;
	return b->events ? 0 : 1;
}

static int run_tracer(struct bench *b, const char *way)
{
	struct drain_totals drained = { 0 };
	struct write_totals written;
	uint64_t thread = 0, process = 0, from_thread, from_process;

	if (open_tracer(b, to_writer))
		return 1;
	for (uint64_t done = 0; done < b->rows;) {
		done += fill(b, done);
		from_thread = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		from_process = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
		drain(b, &drained);
		events_flush(b->events, done < b->rows ? b->ts - DRAIN_SLACK_NS : UINT64_MAX);
		write_tick(b->writer);
		thread += clock_ns(CLOCK_THREAD_CPUTIME_ID) - from_thread;
		process += clock_ns(CLOCK_PROCESS_CPUTIME_ID) - from_process;
	}
	from_process = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	if (write_end(b->writer, &written))
		return 1;
	process += clock_ns(CLOCK_PROCESS_CPUTIME_ID) - from_process;
	events_close(b->events);
	if (drained.bad || written.rows[STREAM_fs] + written.evicted_rows[STREAM_fs] < b->rows ||
	    written.rows[STREAM_lost]) {
		fprintf(stderr, "rows: %llu of %llu rows written, %llu bad records\n",
			(unsigned long long)written.rows[STREAM_fs], (unsigned long long)b->rows,
			(unsigned long long)drained.bad);
		return 1;
	}
	/* the fixed columns alone are longer: a name in each row, or something else was measured */
	if (written.bytes[STREAM_fs] < b->rows * (80 + strlen(b->path))) {
		fprintf(stderr, "rows: the rows do not name their file\n");
		return 1;
	}
	printf("%s %llu %.1f %.1f %.1f\n", way, (unsigned long long)b->rows,
	       (double)thread / b->rows, (double)process / b->rows,
	       (double)written.bytes[STREAM_fs] / b->rows);
	return 0;
}

/* The same records to the tables of `iotracer top`, which nobody reads: both threads together. */
static int run_top(struct bench *b)
{
	struct drain_totals drained = { 0 };
	uint64_t thread = 0, process = 0, from_thread, from_process;
	FILE *out = fopen("/dev/null", "we");

	b->top = out ? top_open(&(struct top_options){ .out = out, .interval_ns = NS_PER_S }) :
		       NULL;
	if (!b->top || open_tracer(b, NULL))
		return 1;
	for (uint64_t done = 0; done < b->rows;) {
		done += fill(b, done);
		from_thread = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		from_process = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
		drain(b, &drained);
		events_flush(b->events, done < b->rows ? b->ts - DRAIN_SLACK_NS : UINT64_MAX);
		top_tick(b->top);
		thread += clock_ns(CLOCK_THREAD_CPUTIME_ID) - from_thread;
		usleep(20000); /* the other thread's turn: nothing is dropped */
		process += clock_ns(CLOCK_PROCESS_CPUTIME_ID) - from_process;
	}
	from_process = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	top_end(b->top, false);
	process += clock_ns(CLOCK_PROCESS_CPUTIME_ID) - from_process;
	top_close(b->top);
	events_close(b->events);
	fclose(out);
	printf("top %llu %.1f %.1f 0\n", (unsigned long long)b->rows, (double)thread / b->rows,
	       (double)process / b->rows);
	return 0;
}

/* ---- fprintf's way ---- */

/* The text of a second is made once a second, as the tracer does it. */
static const char *second_text(uint64_t real_ns)
{
	static char text[32];
	static time_t last;
	time_t second = real_ns / NS_PER_S;
	struct tm tm;

	if (second != last) {
		localtime_r(&second, &tm);
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm);
		last = second;
	}
	return text;
}

static void print_row(struct bench *b, FILE *out, const struct iot_fs *rec)
{
	uint64_t start = rec->head.ts - rec->latency, real = format_real_ns(start);

	fprintf(out, "%s.%06u,%s,%u,%s,%s,%llu,%llu,%s,%lld,%u,,,,%llu,%lld,%u:%u,%d,%u,%s,%llu\n",
		second_text(real), (unsigned)(real % NS_PER_S / 1000),
		rec->op == IOT_READ ? "READ" : "WRITE", rec->head.tgid, rec->head.comm, b->path,
		(unsigned long long)rec->size, (unsigned long long)rec->ino, "O_RDWR",
		(long long)rec->offset, rec->head.tid, (unsigned long long)rec->latency,
		(long long)rec->ret, rec->dev >> 20, rec->dev & 0xfffff, rec->fd, rec->mntns, "f",
		(unsigned long long)start);
}

static int run_fprintf(struct bench *b)
{
	char name[4096];
	uint64_t from, took;
	struct iot_fs rec;
	long bytes;
	FILE *out;

	snprintf(name, sizeof(name), "%s.fprintf", b->dir);
	out = fopen(name, "we");
	if (!out) {
		fprintf(stderr, "rows: %s: %s\n", name, strerror(errno));
		return 1;
	}
	setvbuf(out, NULL, _IOFBF, 256 * 1024);
	from = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	for (uint64_t i = 0; i < b->rows; i++) {
		rec = data_record(b, i);
		print_row(b, out, &rec);
	}
	fflush(out);
	took = clock_ns(CLOCK_THREAD_CPUTIME_ID) - from;
	bytes = ftell(out);
	fclose(out);
	unlink(name);
	printf("fprintf %llu %.1f %.1f %.1f\n", (unsigned long long)b->rows, (double)took / b->rows,
	       (double)took / b->rows, (double)bytes / b->rows);
	return 0;
}

/* A file that both ways name, held open under a number of its own. */
static int hold_file(struct bench *b)
{
	int fd = open(b->path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	int err = fd < 0 || fstat(fd, &b->st) || dup2(fd, TEST_FD) < 0 ? -errno : 0;

	if (err)
		fprintf(stderr, "rows: %s: %s\n", b->path, strerror(-err));
	return err;
}

int main(int argc, char **argv)
{
	static struct bench b;

	if (argc != 5 || argv[4][0] != '/') {
		fprintf(stderr,
			"usage: rows kernel|calls|top|fprintf ROWS DIRECTORY FILE\n"
			"kernel: records that name their file (tiers a and b); calls: descriptors that are\n"
			"followed (tier c). Prints way, rows, ns of the thread, ns of the process, bytes a row.\n");
		return 2;
	}
	b.rows = strtoull(argv[2], NULL, 10);
	b.dir = argv[3];
	b.path = argv[4];
	b.pid = getpid();
	b.ring = malloc(RING_BYTES);
	/* younger than anything that /proc will have told */
	b.ts = clock_ns(CLOCK_MONOTONIC) + 10 * NS_PER_S;
	if (!b.ring || !b.rows || hold_file(&b))
		return 1;
	b.tier_c = !strcmp(argv[1], "calls");
	if (!strcmp(argv[1], "fprintf"))
		return run_fprintf(&b);
	if (!strcmp(argv[1], "top"))
		return run_top(&b);
	return run_tracer(&b, argv[1]);
}
