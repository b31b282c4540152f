/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A timeline, from rows as they stand in a directory to its events, and those to Perfetto's bytes. */
#include "analysis/timeline/timeline.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/common/wall.h"
#include "analysis/timeline/timeline_fuchsia.h"
#include "analysis/timeline/timeline_perfetto.h"
#include "analysis/timeline/timeline_svg.h"
#include "analysis/timeline/timeline_write.h"
#include "base/log.h"
#include "fixture/fixture_rows.h"
#include "fixture/session.h"

enum { MOST = 1000 };

static const char uring_header[] =
	"event_type,pid,tid,command,ring,req,user_data,opcode,fd,offset,length,result,latency_ns,"
	"sqe_flags,filename,mono_ns";
static const char fs_header[] =
	"operation,pid,tid,command,filename,size,return_value,latency_ns,mono_ns";
static const char ds_header[] =
	"pid,tid,command,sector,operation,size,latency_ms,dev,queue_time_ms,mono_ns";

/* ---- an encoder that remembers ---- */

struct noted {
	struct timeline_event event;
	char name[100];
};

static struct noted noted[MOST];
static struct timeline_track tracks[MOST];
static char track_names[MOST][100], kernel[32];
static struct timeline_run runs[MOST];
static unsigned n_noted, n_tracks, n_runs;
static struct timeline_totals totals;
static struct row_filter options;

static void note_start(struct timeline_encoder *encoder, const char *release)
{
	(void)encoder;
	snprintf(kernel, sizeof(kernel), "%s", release);
}

static void note_track(struct timeline_encoder *encoder, const struct timeline_track *track)
{
	(void)encoder;
	ck_assert_uint_lt(n_tracks, MOST);
	ck_assert(track->kind != TIMELINE_COUNTER || !track->name.text[track->name.len]);
	snprintf(track_names[n_tracks], sizeof(track_names[0]), "%.*s", (int)track->name.len,
		 track->name.text);
	tracks[n_tracks] = *track;
	tracks[n_tracks].name.text = track_names[n_tracks];
	n_tracks++;
}

static void note_event(struct timeline_encoder *encoder, const struct timeline_event *event)
{
	struct noted *n = &noted[n_noted++];

	(void)encoder;
	ck_assert_uint_lt(n_noted, MOST);
	n->event = *event;
	snprintf(n->name, sizeof(n->name), "%.*s", (int)event->name.len, event->name.text);
}

static void note_run(struct timeline_encoder *encoder, const struct timeline_run *run)
{
	(void)encoder;
	runs[n_runs++] = *run;
}

/* The n-th event of this kind and name from 0 on; NULL: there is none. */
static const struct timeline_event *find(enum timeline_kind kind, const char *name, unsigned n)
{
	for (unsigned i = 0; i < n_noted; i++)
		if (noted[i].event.kind == kind && !strcmp(noted[i].name, name) && !n--)
			return &noted[i].event;
	return NULL;
}

/* Returns NULL when the event has no argument of this name. */
static const struct timeline_argument *argument_of(const struct timeline_event *e, const char *name)
{
	for (unsigned i = 0; i < e->n_arguments; i++)
		if (!strcmp(e->arguments[i].name, name))
			return &e->arguments[i];
	return NULL;
}

static unsigned count_lanes(void)
{
	unsigned n = 0;

	for (unsigned i = 0; i < n_tracks; i++)
		n += tracks[i].kind == TIMELINE_GROUP && tracks[i].parent;
	return n;
}

/* Every track's slices are closed, last in first out, at times that do not go back. */
static void check_slices(void)
{
	for (unsigned t = 0; t < n_tracks; t++) {
		int depth = 0;

		for (unsigned i = 0; i < n_noted; i++) {
			if (noted[i].event.track != tracks[t].id)
				continue;
			depth += noted[i].event.kind == TIMELINE_BEGIN;
			depth -= noted[i].event.kind == TIMELINE_END;
			ck_assert_int_ge(depth, 0);
		}
		ck_assert_int_eq(depth, 0);
	}
}

/* ---- a directory of rows ---- */

static void setup(void)
{
	fixture_rows_setup();
	n_noted = n_tracks = n_runs = 0;
	memset(&options, 0, sizeof(options));
}

static void make_with(struct timeline_encoder *encoder)
{
	struct read_session session;

	ck_assert_int_eq(read_session_open(&session, dir), 0);
	ck_assert_int_eq(timeline_write(&session, &options, encoder, &totals), 0);
	read_session_close(&session);
}

static void make(void)
{
	struct timeline_encoder encoder = {
		.start = note_start,
		.track = note_track,
		.event = note_event,
		.run = note_run,
	};

	make_with(&encoder);
	check_slices();
}

static void uring(const char *event, unsigned req, const char *flags, const char *result,
		  unsigned ns)
{
	rows_add("%s,7,8,fio,0xf0,0x%x,%u,READ,3,8192,4096,%s,,%s,/x/db.sqlite,%u", event, req, req,
		 result, flags, ns);
}

static uint64_t track_named(const char *name)
{
	for (unsigned i = 0; i < n_tracks; i++)
		if (tracks[i].name.len == strlen(name) &&
		    !memcmp(tracks[i].name.text, name, strlen(name)))
			return tracks[i].id;
	return 0;
}

/* The n-th value of a counter, and when */
static const struct timeline_event *value_of(const char *counter, unsigned n)
{
	uint64_t id = track_named(counter);

	for (unsigned i = 0; i < n_noted; i++)
		if (noted[i].event.track == id && !n--)
			return &noted[i].event;
	return NULL;
}

/* ---- io_uring ---- */

START_TEST(a_request_is_a_slice_with_arrows)
{
	const struct timeline_event *begun, *submit, *done, *armed;

	rows_begin("iouring", uring_header);
	uring("SUBMIT", 1, "", "", 100);
	uring("POLL_ARM", 1, "", "", 150);
	uring("COMPLETE", 1, "", "4096", 200);
	rows_end();
	make();
	begun = find(TIMELINE_BEGIN, "READ db.sqlite 4096@8192", 0);
	submit = find(TIMELINE_INSTANT, "SUBMIT", 0);
	armed = find(TIMELINE_INSTANT, "POLL_ARM", 0);
	done = find(TIMELINE_INSTANT, "COMPLETE", 0);
	ck_assert(begun && submit && armed && done);
	ck_assert_uint_eq(begun->ns, 100);
	ck_assert_uint_eq(done->ns, 200);
	ck_assert_uint_ne(submit->track, begun->track);
	ck_assert_uint_eq(armed->track, begun->track);
	ck_assert_uint_eq(submit->flows[0], begun->flows[0]);
	ck_assert_uint_eq(armed->flows[0], begun->flows[0]);
	ck_assert_uint_eq(done->ended, begun->flows[0]);
	ck_assert_uint_eq(totals.requests, 1);
	ck_assert_uint_eq(totals.open + totals.unmatched, 0);
	/* in flight: one, and none again */
	ck_assert_int_eq(find(TIMELINE_VALUE, "", 0)->value, 1);
	ck_assert_int_eq(find(TIMELINE_VALUE, "", 1)->value, 0);
}
END_TEST

START_TEST(three_linked_requests_have_two_arrows_in_order)
{
	const struct timeline_event *r[3];

	rows_begin("iouring", uring_header);
	uring("SUBMIT", 1, "IOSQE_IO_LINK", "", 100);
	uring("SUBMIT", 2, "IOSQE_IO_LINK", "", 101);
	uring("SUBMIT", 3, "", "", 102);
	uring("SUBMIT", 4, "", "", 103);
	for (unsigned i = 1; i <= 4; i++)
		uring("COMPLETE", i, "", "0", 200 + i);
	rows_end();
	make();
	for (unsigned i = 0; i < 3; i++)
		r[i] = find(TIMELINE_BEGIN, "READ db.sqlite 4096@8192", i);
	ck_assert_uint_eq(r[0]->ended, 0);
	ck_assert_uint_ne(r[0]->flows[1], 0);
	ck_assert_uint_eq(r[1]->ended, r[0]->flows[1]);
	ck_assert_uint_ne(r[1]->flows[1], r[0]->flows[1]);
	ck_assert_uint_eq(r[2]->ended, r[1]->flows[1]);
	ck_assert_uint_eq(r[2]->flows[1], 0);
	ck_assert_uint_eq(find(TIMELINE_BEGIN, "READ db.sqlite 4096@8192", 3)->ended, 0);
}
END_TEST

START_TEST(as_many_lanes_as_requests_overlap)
{
	rows_begin("iouring", uring_header);
	for (unsigned i = 0; i < 3; i++)
		uring("SUBMIT", i + 1, "", "", 100 + i);
	uring("COMPLETE", 2, "", "0", 150);
	uring("SUBMIT", 4, "", "", 150);
	for (unsigned i = 0; i < 4; i++)
		if (i != 1)
			uring("COMPLETE", i + 1, "", "0", 200 + i);
	rows_end();
	make();
	ck_assert_uint_eq(count_lanes(), 3);
	ck_assert_uint_eq(find(TIMELINE_BEGIN, "READ db.sqlite 4096@8192", 3)->track,
			  find(TIMELINE_BEGIN, "READ db.sqlite 4096@8192", 1)->track);
}
END_TEST

START_TEST(what_never_completed_is_open_to_the_end)
{
	const struct timeline_event *last;

	rows_begin("iouring", uring_header);
	uring("SUBMIT", 1, "", "", 100);
	uring("SUBMIT", 2, "", "", 110);
	uring("COMPLETE", 2, "", "0", 900);
	rows_end();
	make();
	last = find(TIMELINE_INSTANT, "no completion until the end", 0);
	ck_assert_ptr_ne(last, NULL);
	ck_assert_uint_eq(last->ns, 900);
	ck_assert_uint_eq(totals.open, 1);
}
END_TEST

START_TEST(memory_used_again_ends_the_request_before)
{
	rows_begin("iouring", uring_header);
	uring("SUBMIT", 1, "", "", 100);
	uring("SUBMIT", 1, "", "", 500);
	uring("COMPLETE", 1, "", "0", 900);
	rows_end();
	make();
	ck_assert_uint_eq(find(TIMELINE_INSTANT, "no completion seen", 0)->ns, 500);
	ck_assert_uint_eq(totals.requests, 2);
	ck_assert_uint_eq(totals.open, 1);
}
END_TEST

START_TEST(a_completion_without_submission_is_drawn_and_counted)
{
	rows_begin("iouring", uring_header);
	uring("COMPLETE", 1, "", "0", 100);
	uring("POLL_ARM", 2, "", "", 100);
	rows_end();
	make();
	ck_assert_ptr_ne(find(TIMELINE_BEGIN, "READ db.sqlite 4096@8192", 0), NULL);
	ck_assert_uint_eq(totals.unmatched, 1);
	ck_assert_uint_eq(totals.requests, 0);
}
END_TEST

START_TEST(a_worker_has_a_slice_of_each_request_that_it_ran)
{
	const struct timeline_event *first, *second;

	rows_begin("iouring",
		   "event_type,pid,tid,command,ring,req,user_data,opcode,fd,offset,length,"
		   "result,latency_ns,sqe_flags,filename,worker,buf_index,mono_ns");
	for (unsigned i = 1; i <= 2; i++)
		rows_add("SUBMIT,7,8,fio,0xf0,0x%x,%u,READ,3,0,1,,,,/x/a,,5,%u", i, i, 100 + i);
	for (unsigned i = 1; i <= 2; i++)
		rows_add("QUEUE_ASYNC,7,8,fio,0xf0,0x%x,%u,READ,3,0,1,,,,/x/a,,,%u", i, i, 110 + i);
	for (unsigned i = 1; i <= 2; i++)
		rows_add("COMPLETE,7,8,fio,0xf0,0x%x,%u,READ,3,0,1,1,,,/x/a,9,,%u", i, i, 200 * i);
	rows_end();
	make();
	ck_assert_uint_ne(track_named("iou-wrk-7 (ring 1)"), 0);
	first = find(TIMELINE_BEGIN, "READ a 1@0", 2);
	second = find(TIMELINE_BEGIN, "READ a 1@0", 3);
	ck_assert(first && second);
	ck_assert_uint_eq(first->track, track_named("iou-wrk-7 (ring 1)"));
	ck_assert_uint_eq(first->ns, 111);
	ck_assert_uint_eq(second->ns, 200); /* it was busy with the first one */
	ck_assert_uint_eq(first->flows[0], find(TIMELINE_BEGIN, "READ a 1@0", 0)->flows[0]);
	ck_assert_uint_eq(find(TIMELINE_INSTANT, "COMPLETE", 1)->ended, second->flows[0]);
	first = find(TIMELINE_BEGIN, "READ a 1@0", 0);
	ck_assert_str_eq(first->arguments[first->n_arguments - 1].name, "fixed buffer");
	ck_assert_int_eq(first->arguments[first->n_arguments - 1].number, 5);
}
END_TEST

START_TEST(events_of_later_versions_just_appear)
{
	rows_begin("iouring", "event_type,pid,tid,command,ring,req,user_data,opcode,length,result,"
			      "latency_ns,sq_fill,cq_fill,mono_ns");
	rows_add("CREATE,7,8,fio,0xf0,,,,32,,40,,,10");
	rows_add("REGISTER,7,8,fio,0xf0,,,REGISTER_FILES,,0,20,,,60");
	rows_add("REGISTER,7,8,fio,0xf0,,,REGISTER_RING_FDS,,1,,,,85");
	rows_add("ENTER,7,8,fio,0xf0,,,,1,1,50,3,2,90");
	rows_add("SUBMIT,7,8,fio,0xf0,0x1,1,READ,1,,,,,100");
	rows_add("SHORT_WRITE,7,8,fio,0xf0,0x1,1,READ,1,,,,,110");
	rows_add("TASK_WORK,7,8,fio,,,,,3,,,,,120");
	rows_add("COMPLETE,7,8,fio,0xf0,0x1,1,READ,1,1,,0,1,130");
	rows_add("FAIL_LINK,7,8,fio,0xf0,0x9,9,READ,,,,,,140");
	rows_end();
	make();
	ck_assert_uint_eq(find(TIMELINE_BEGIN, "setup", 0)->ns, 10);
	ck_assert_str_eq(find(TIMELINE_BEGIN, "setup", 0)->arguments[0].name, "entries");
	ck_assert_int_eq(find(TIMELINE_BEGIN, "setup", 0)->arguments[0].number, 32);
	ck_assert_str_eq(find(TIMELINE_BEGIN, "register", 0)->arguments[0].name, "opcode");
	/* its beginning was not seen */
	ck_assert_uint_eq(find(TIMELINE_INSTANT, "register", 0)->ns, 85);
	ck_assert_uint_eq(find(TIMELINE_BEGIN, "enter", 0)->track,
			  find(TIMELINE_BEGIN, "setup", 0)->track);
	ck_assert_uint_eq(find(TIMELINE_INSTANT, "SHORT_WRITE", 0)->track,
			  find(TIMELINE_BEGIN, "READ", 0)->track);
	ck_assert_uint_eq(find(TIMELINE_INSTANT, "TASK_WORK", 0)->track,
			  find(TIMELINE_INSTANT, "SUBMIT", 0)->track);
	ck_assert_uint_eq(find(TIMELINE_INSTANT, "FAIL_LINK", 0)->track,
			  find(TIMELINE_INSTANT, "SUBMIT", 0)->track);
	ck_assert_int_eq(value_of("submission queue", 0)->value, 3);
	ck_assert_int_eq(value_of("submission queue", 1)->value, 0);
	ck_assert_int_eq(value_of("completions not reaped", 0)->value, 2);
	ck_assert_uint_eq(value_of("completions not reaped", 0)->ns, 140);
	ck_assert_int_eq(value_of("completions not reaped", 1)->value, 1);
}
END_TEST

/* ---- the others ---- */

START_TEST(calls_of_a_thread_are_nested_or_on_a_lane)
{
	const struct timeline_event *a, *b, *c, *d;

	rows_begin("fs", fs_header);
	rows_add("READ,7,8,dd,/x/a,1,1,100,1000");
	rows_add("OPEN,7,8,dd,/x/a,1,1,50,1050");
	rows_add("WRITE,7,8,dd,/x/a,1,1,100,1060");
	rows_add("CLOSE,7,8,dd,/x/a,1,1,10,1200");
	/* late */
	rows_add("FSYNC,7,8,dd,/x/a,1,1,10,1190");
	rows_end();
	make();
	a = find(TIMELINE_BEGIN, "READ", 0);
	b = find(TIMELINE_BEGIN, "OPEN", 0);
	c = find(TIMELINE_BEGIN, "WRITE", 0);
	d = find(TIMELINE_BEGIN, "CLOSE", 0);
	ck_assert_uint_eq(a->track, b->track);
	ck_assert_uint_ne(a->track, c->track);
	ck_assert_uint_eq(a->track, d->track);
	ck_assert_uint_eq(find(TIMELINE_BEGIN, "FSYNC", 0)->track, c->track);
	ck_assert_uint_eq(totals.slices, 5);
}
END_TEST

static int64_t part_of(const struct timeline_event *e, const char *part)
{
	const struct timeline_argument *a = argument_of(e, part);

	return a ? a->number : 0;
}

/* A sync: on a CPU, in a queue and a device, asleep until another thread wakes it, without a CPU. */
START_TEST(a_slice_says_where_its_time_went)
{
	const struct timeline_event *e;

	rows_begin("fs", "operation,pid,tid,command,filename,inode,latency_ns,call,mono_ns");
	rows_add("FSYNC,7,8,db,/f,77,1000,fsync,100");
	rows_add("WRITE,7,8,db,/g,78,50,write,1200");
	rows_add("READ,7,8,db,/g,78,40,io_uring,1300");
	rows_end();
	rows_begin(
		"sched",
		"pid,tid,command,cpu,run_ns,state,sleep_ns,delay_ns,waker_tid,waker_command,mono_ns");
	rows_add("7,8,db,0,150,S,,,,,50");
	rows_add("7,8,db,0,500,S,800,50,9,jbd2,1050");
	rows_end();
	rows_begin("ds", "inode,filename,tid,owner_pid,owner_count,cause,latency_ms,queue_time_ms,"
			 "uring_req,mono_ns");
	rows_add("77,/f,8,7,1,sync,0.000200,0.000100,,600");
	rows_add(",,9,7,1,journal,0.000200,,,900");
	rows_end();
	make();
	e = find(TIMELINE_BEGIN, "FSYNC", 0);
	ck_assert_int_eq(part_of(e, "run_ns"), 150);
	ck_assert_int_eq(part_of(e, "runqueue_ns"), 50);
	ck_assert_int_eq(part_of(e, "device_queue_ns"), 100);
	ck_assert_int_eq(part_of(e, "device_ns"), 400);
	ck_assert_int_eq(part_of(e, "wait_ns"), 300);
	ck_assert(!argument_of(e, "unknown_ns"));
	ck_assert_uint_eq(argument_of(e, "waker")->len, 4);
	ck_assert_int_eq(part_of(find(TIMELINE_BEGIN, "WRITE", 0), "run_ns"), 50);
	/* no thread waited for it */
	ck_assert_int_eq(part_of(find(TIMELINE_BEGIN, "READ", 0), "unknown_ns"), 40);
	ck_assert(!argument_of(find(TIMELINE_BEGIN, "READ", 0), "run_ns"));
}
END_TEST

/* At its end, since nobody knows at its beginning how long it takes; its row of fs has none. */
START_TEST(a_request_of_io_uring_says_where_its_time_went)
{
	const struct timeline_event *end = NULL;

	rows_begin("fs", "operation,pid,tid,command,filename,inode,latency_ns,call,mono_ns");
	rows_add("READ,7,8,fio,/x/db.sqlite,78,1000,io_uring,100");
	rows_end();
	rows_begin("sched",
		   "pid,tid,command,cpu,run_ns,state,sleep_ns,delay_ns,waker_tid,waker_command,"
		   "mono_ns");
	rows_add("7,8,fio,0,5000,S,,,,,50");
	rows_end();
	rows_begin("ds", "inode,filename,tid,owner_pid,owner_count,cause,latency_ms,queue_time_ms,"
			 "uring_req,mono_ns");
	rows_add("78,/x/db.sqlite,8,7,1,direct,0.000500,0.000200,0x1,1000");
	rows_end();
	rows_begin("iouring",
		   "event_type,pid,tid,command,ring,req,opcode,result,latency_ns,mono_ns");
	rows_add("SUBMIT,7,8,fio,0xf0,0x1,READ,,,100");
	rows_add("COMPLETE,7,8,fio,0xf0,0x1,READ,4096,1000,1100");
	rows_end();
	make();
	for (unsigned i = 0; i < n_noted; i++)
		if (noted[i].event.kind == TIMELINE_END && noted[i].event.n_arguments)
			end = &noted[i].event;
	ck_assert(end);
	ck_assert_int_eq(part_of(end, "device_queue_ns"), 200);
	ck_assert_int_eq(part_of(end, "device_ns"), 500);
	ck_assert_int_eq(part_of(end, "unknown_ns"), 300);
	ck_assert(!argument_of(find(TIMELINE_BEGIN, "READ", 0), "unknown_ns"));
}
END_TEST

START_TEST(without_sched_a_slice_has_no_parts)
{
	rows_begin("fs", fs_header);
	rows_add("READ,7,8,dd,/x/a,1,1,100,1000");
	rows_end();
	make();
	ck_assert(!argument_of(find(TIMELINE_BEGIN, "READ", 0), "unknown_ns"));
}
END_TEST

START_TEST(requests_of_devices_have_lanes_and_their_cause)
{
	const struct timeline_event *first, *second, *third;

	rows_begin("ds", ds_header);
	rows_add("7,8,dd,0,read,4096,0.001000,8:0,,2000");
	rows_add("7,8,dd,8,read,4096,0.001500,8:0,0.000100,3000");
	rows_add("0,0,,16,read,4096,,8:0,,3500");
	rows_end();
	make();
	first = find(TIMELINE_BEGIN, "read 4096@0", 0);
	second = find(TIMELINE_BEGIN, "read 4096@8", 0);
	third = find(TIMELINE_BEGIN, "read 4096@16", 0);
	ck_assert_uint_eq(first->ns, 1000);
	ck_assert_uint_eq(second->ns, 1400);
	ck_assert_uint_eq(third->ns, 3500);
	ck_assert_uint_ne(first->track, second->track);
	ck_assert_uint_eq(third->track, second->track);
	ck_assert_uint_eq(find(TIMELINE_INSTANT, "request", 0)->flows[0], first->ended);
	ck_assert_uint_eq(find(TIMELINE_INSTANT, "request", 1)->flows[0], second->ended);
	ck_assert_uint_eq(third->ended, 0);
}
END_TEST

/* ---- requests of devices that those of io_uring are made of ---- */

/* A READ of /x/a begins at 150 in a call from 100 to 550, and completes at 700. */
static const struct {
	const char *what;
	const char *row; /* of iouring, behind it; NULL */
	const char *device;
	const char *manifest;
	bool arrow;
} parts[] = {
	{ "the only one", NULL, "7,8,fio,0,read,4096,0.000100,8:0,direct,/x/a,7,,600", "", true },
	{ "one of two", "SUBMIT,7,8,fio,0xf0,0x2,2,READ,3,8192,4096,,,,/x/a,160",
	  "7,8,fio,0,read,4096,0.000100,8:0,direct,/x/a,7,,600", "", false },
	{ "named", "SUBMIT,7,8,fio,0xf0,0x2,2,READ,3,8192,4096,,,,/x/a,160",
	  "7,8,fio,0,read,4096,0.000100,8:0,direct,/x/a,7,0x1,600", "", true },
	{ "another one is named", NULL, "7,8,fio,0,read,4096,0.000100,8:0,direct,/x/a,7,0x9,600",
	  "", false },
	{ "named, by a thread of the kernel", NULL,
	  "9,9,kworker/0,0,read,4096,0.000100,8:0,direct,/x/a,,0x1,600", "", true },
	{ "another file", NULL, "7,8,fio,0,read,4096,0.000100,8:0,direct,/x/b,7,,600", "", false },
	{ "one of two, of another file", "SUBMIT,7,8,fio,0xf0,0x2,2,READ,3,8192,4096,,,,/x/b,160",
	  "7,8,fio,0,read,4096,0.000100,8:0,direct,/x/a,7,,600", "", true },
	{ "of two, one writes", "SUBMIT,7,8,fio,0xf0,0x2,2,WRITE,3,8192,4096,,,,/x/a,160",
	  "7,8,fio,0,read,4096,0.000100,8:0,direct,/x/a,7,,600", "", true },
	{ "of two, one may do anything", "SUBMIT,7,8,fio,0xf0,0x2,2,URING_CMD,3,,,,,,,160",
	  "7,8,fio,0,read,4096,0.000100,8:0,direct,/x/a,7,,600", "", false },
	{ "a write", NULL, "7,8,fio,0,write,4096,0.000100,8:0,direct,/x/a,7,,600", "", false },
	{ "more than it asked for", NULL, "7,8,fio,0,read,8192,0.000100,8:0,direct,/x/a,7,,600", "",
	  false },
	{ "what is read ahead", NULL, "7,8,fio,0,read,131072,0.000100,8:0,read,/x/a,7,,600", "",
	  true },
	{ "before it", NULL, "7,8,fio,0,read,4096,0.000500,8:0,direct,/x/a,7,,600", "", false },
	{ "after its call", NULL, "7,8,fio,0,read,4096,0.000010,8:0,direct,/x/a,7,,600", "",
	  false },
	{ "in another thread", NULL, "7,9,fio,0,read,4096,0.000100,8:0,direct,/x/a,7,,600", "",
	  false },
	{ "in a worker, but it went to none", NULL,
	  "7,20,iou-wrk-8,0,read,4096,0.000010,8:0,direct,/x/a,7,,600", "", false },
	{ "in a worker", "QUEUE_ASYNC,7,8,fio,0xf0,0x1,1,READ,3,0,4096,,,,/x/a,160",
	  "7,20,iou-wrk-8,0,read,4096,0.000010,8:0,direct,/x/a,7,,600", "", true },
	{ "of another cause", NULL, "7,8,fio,0,read,4096,0.000100,8:0,metadata,,7,,600", "",
	  false },
	{ "of a sample", NULL, "7,8,fio,0,read,4096,0.000100,8:0,direct,/x/a,7,,600",
	  ", \"sampling\": [{\"stream\": \"iouring\", \"rate\": 10}]", false },
	{ "of a sample, named", NULL, "7,8,fio,0,read,4096,0.000100,8:0,direct,/x/a,7,0x1,600",
	  ", \"sampling\": [{\"stream\": \"iouring\", \"rate\": 10}]", true },
	{ "some are lost", NULL, "7,8,fio,0,read,4096,0.000100,8:0,direct,/x/a,7,,600",
	  ", \"lost\": [{\"stream\": \"iouring\", \"reason\": \"ring\", \"count\": 3}]", false },
	{ "others are lost", NULL, "7,8,fio,0,read,4096,0.000100,8:0,direct,/x/a,7,,600",
	  ", \"lost\": [{\"stream\": \"fs\", \"reason\": \"ring\", \"count\": 3}]", true },
	{ "of a ring that was there before", "SUBMIT,7,8,fio,0xe0,0x2,2,NOP,,,,,,,,160",
	  "7,8,fio,0,read,4096,0.000100,8:0,direct,/x/a,7,,600", "", false },
};

START_TEST(a_part_of_a_request_has_its_arrow)
{
	const struct timeline_event *mark, *request;
	char manifest[200];

	rows_begin("iouring", uring_header);
	rows_add("CREATE,7,8,fio,0xf0,,,,3,,32,,10,,,50");
	rows_add("ENTER,7,8,fio,0xf0,,,,3,,1,1,450,,,100");
	rows_add("SUBMIT,7,8,fio,0xf0,0x1,1,READ,3,0,4096,,,,/x/a,150");
	if (parts[_i].row)
		rows_add("%s", parts[_i].row);
	rows_add("COMPLETE,7,8,fio,0xf0,0x1,1,READ,3,0,4096,4096,550,,/x/a,700");
	rows_end();
	rows_begin("ds",
		   "pid,tid,command,sector,operation,size,latency_ms,dev,cause,filename,owner_pid,"
		   "uring_req,mono_ns");
	rows_add("%s", parts[_i].device);
	rows_end();
	snprintf(manifest, sizeof(manifest), "{\"format\": \"iotracer\", \"schema_version\": 1%s}",
		 parts[_i].manifest);
	session_write(dir, "manifest.json", manifest);
	make();
	request = find(TIMELINE_BEGIN, "READ a 4096@0", 0);
	mark = find(TIMELINE_INSTANT, "request", 0);
	ck_assert_msg(mark && (mark->track == request->track) == parts[_i].arrow, "%s",
		      parts[_i].what);
	if (parts[_i].arrow)
		ck_assert_ptr_eq(find(TIMELINE_INSTANT, "request", 1), NULL);
}
END_TEST

START_TEST(queue_depth_is_right_at_each_time)
{
	rows_begin("ds", ds_header);
	/* 1000 to 4000, 2000 to 3000, 4000 to 5000: by their ends */
	rows_add("7,8,dd,8,read,4096,0.001000,8:0,,3000");
	rows_add("7,8,dd,0,read,4096,0.003000,8:0,,4000");
	rows_add("7,8,dd,0,read,8192,0.001000,8:0,,5000");
	rows_end();
	make();
	static const struct {
		uint64_t ns;
		int64_t depth;
	} want[] = { { 1000, 1 }, { 2000, 2 }, { 3000, 1 }, { 4000, 0 }, { 4000, 1 }, { 5000, 0 } };

	for (unsigned i = 0; i < 6; i++) {
		ck_assert_uint_eq(value_of("queue depth", i)->ns, want[i].ns);
		ck_assert_int_eq(value_of("queue depth", i)->value, want[i].depth);
	}
	ck_assert_ptr_eq(value_of("queue depth", 6), NULL);
	/* 16,384 bytes in one span of 10 ms */
	ck_assert_int_eq(value_of("throughput (B/s)", 1)->value, 16384 * 100);
	ck_assert_int_eq(value_of("throughput (B/s)", 2)->value, 0);
}
END_TEST

START_TEST(a_written_page_leads_back_to_who_wrote_it)
{
	const struct timeline_event *wrote, *request, *device;

	rows_begin("fs", fs_header);
	rows_add("WRITE,7,8,db,/x/db.sqlite,4096,4096,100,1000");
	rows_add("WRITE,7,8,db,/x/other,4096,4096,100,1500");
	rows_end();
	rows_begin("ds", "pid,tid,command,sector,operation,size,latency_ms,dev,queue_time_ms,cause,"
			 "filename,owner_pid,owner_command,mono_ns");
	rows_add("90,90,kworker/u8,64,write,4096,0.001000,8:0,,writeback,/x/db.sqlite,7,db,9000");
	rows_add("90,90,kworker/u8,72,write,4096,0.001000,8:0,,writeback,/x/unknown,7,db,9500");
	rows_add("90,90,kworker/u8,80,write,4096,0.001000,8:0,,writeback,/x/db.sqlite,9,dd,9600");
	rows_add("91,91,sync,88,write,4096,0.001000,8:0,,sync,/x/db.sqlite,91,sync,9700");
	rows_end();
	make();
	wrote = find(TIMELINE_INSTANT, "written back", 0);
	request = find(TIMELINE_INSTANT, "request", 0);
	device = find(TIMELINE_BEGIN, "write db.sqlite 4096@64", 0);
	ck_assert(wrote && request && device);
	ck_assert_uint_eq(wrote->ns, 1000);
	ck_assert_uint_eq(wrote->track, find(TIMELINE_BEGIN, "WRITE", 0)->track);
	ck_assert_uint_eq(request->flows[0], wrote->flows[0]);
	ck_assert_uint_eq(device->ended, wrote->flows[0]);
	/* not by who is said to own it, but what somebody waits for */
	ck_assert_uint_eq(find(TIMELINE_BEGIN, "write db.sqlite 4096@88", 0)->ended,
			  find(TIMELINE_INSTANT, "written back", 1)->flows[0]);
	ck_assert_ptr_eq(find(TIMELINE_INSTANT, "written back", 2), NULL);
	ck_assert_uint_eq(find(TIMELINE_BEGIN, "write unknown 4096@72", 0)->ended,
			  find(TIMELINE_INSTANT, "request", 1)->flows[0]);
}
END_TEST

/* A device's row without a latency: it is known when it was over, not how long it took. */
START_TEST(a_request_whose_end_nobody_saw_says_so)
{
	const struct timeline_event *seen, *unseen;

	rows_begin("ds", ds_header);
	rows_add("7,8,dd,0,read,4096,0.001000,8:0,,3000");
	rows_add("7,8,dd,8,read,4096,,8:0,,4000");
	rows_end();
	make();
	seen = find(TIMELINE_BEGIN, "read 4096@0", 0);
	unseen = find(TIMELINE_BEGIN, "read 4096@8", 0);
	ck_assert(seen && unseen);
	ck_assert_ptr_eq(argument_of(seen, "end"), NULL);
	ck_assert_str_eq(argument_of(unseen, "end")->text, "not seen");
	ck_assert_uint_eq(unseen->ns, 4000);
	ck_assert_ptr_eq(find(TIMELINE_INSTANT, "request", 1), NULL);
}
END_TEST

START_TEST(requests_follow_their_owner)
{
	rows_begin("ds", "pid,tid,command,sector,operation,size,latency_ms,dev,owner_pid,mono_ns");
	rows_add("90,90,kworker/u8,64,write,4096,0.001000,8:0,7,9000");
	rows_add("90,90,kworker/u8,72,write,4096,0.001000,8:0,9,9500");
	rows_end();
	options.pids[options.n_pids++] = 7;
	make();
	ck_assert_uint_eq(totals.rows, 1);
}
END_TEST

START_TEST(workers_are_named_and_counted)
{
	rows_begin("iouring", uring_header);
	rows_add("CREATE,7,7,fio,0xf0,,,,3,,32,,,,,100");
	rows_end();
	rows_begin("sched", "pid,tid,command,cpu,priority,run_ns,state,delay_ns,waker_tid,mono_ns");
	rows_add("7,20,iou-wrk-7,1,120,50,S,,,1000");
	rows_add("7,21,iou-wrk-7,1,120,50,S,,,1100");
	rows_add("7,20,iou-wrk-7,1,120,50,X,,,2000");
	/* late */
	rows_add("7,21,iou-wrk-7,1,120,50,X,,,1900");
	rows_end();
	make();
	ck_assert_uint_ne(track_named("iou-wrk-7 (ring 1)"), 0);
	ck_assert_int_eq(value_of("io-wq workers", 0)->value, 1);
	ck_assert_int_eq(value_of("io-wq workers", 1)->value, 2);
	ck_assert_int_eq(value_of("io-wq workers", 2)->value, 1);
	ck_assert_uint_eq(value_of("io-wq workers", 2)->ns, 1950);
	ck_assert_int_eq(value_of("io-wq workers", 3)->value, 0);
	ck_assert_uint_eq(value_of("io-wq workers", 3)->ns, 2050);
}
END_TEST

START_TEST(the_recording_is_counted_unless_it_is_a_part)
{
	rows_begin("fs", fs_header);
	rows_add("READ,7,8,dd,/x/a,1,1,100,1000");
	rows_add("READ,7,8,dd,/x/a,1,1,100,2000");
	rows_end();
	session_write(
		dir, "manifest.json",
		"{\"format\": \"iotracer\", \"schema_version\": 1,"
		"\"host\": {\"kernel_release\": \"6.1.2\"}, \"reader\": {\"records\": 9,"
		"\"kernel_lost\": 3, \"programs_skipped\": 1, \"out_of_scope\": 4, \"bad_records\": 0},"
		"\"lost\": [{\"stream\": \"fs\", \"reason\": \"ring\", \"count\": 3}],"
		"\"sampling\": [{\"stream\": \"fs\", \"rate\": 10}]}");
	make();
	ck_assert_str_eq(kernel, "6.1.2"); /* by which states are read */
	ck_assert_int_eq(value_of("events written", 0)->value, 2);
	ck_assert_int_eq(value_of("events lost", 0)->value, 3);
	ck_assert_int_eq(value_of("events recorded", 0)->value, 9);
	ck_assert_int_eq(value_of("programs skipped", 0)->value, 1);
	ck_assert_int_eq(value_of("events not related", 0)->value, 4);
	ck_assert_int_eq(find(TIMELINE_BEGIN, "SAMPLED", 0)->arguments[0].number, 10);
	n_noted = n_tracks = 0;
	options.pids[options.n_pids++] = 7;
	make();
	ck_assert_uint_eq(track_named("events written"), 0);
	ck_assert_int_eq(find(TIMELINE_BEGIN, "SAMPLED", 0)->arguments[0].number, 10);
}
END_TEST

START_TEST(sockets_faults_and_programs_are_of_their_threads)
{
	rows_begin(
		"nw",
		"direction,pid,tid,command,protocol,dest_addr,dest_port,size,latency_ns,mono_ns");
	rows_add("send,7,8,web,TCP,10.0.0.7,80,512,300,1000");
	rows_end();
	rows_begin("pagefault", "fault_type,severity,pid,tid,command,filename,offset,mono_ns");
	rows_add("WRITE,MAJOR,7,8,web,/x/a,3,1100");
	rows_end();
	rows_begin("exec", "event_type,pid,tid,command,filename,return_value,mono_ns");
	rows_add("FORK,9,8,web,,9,1200");
	rows_add("EXEC,9,9,ls,/bin/ls,0,1300");
	rows_end();
	make();
	ck_assert_uint_eq(find(TIMELINE_BEGIN, "send TCP 10.0.0.7 80", 0)->track,
			  find(TIMELINE_INSTANT, "fault", 0)->track);
	ck_assert_str_eq(find(TIMELINE_INSTANT, "fault", 0)->arguments[0].name, "severity");
	/* of the new process */
	ck_assert_uint_eq(find(TIMELINE_INSTANT, "FORK", 0)->track,
			  find(TIMELINE_INSTANT, "EXEC", 0)->track);
	ck_assert_uint_eq(totals.slices, 1);
}
END_TEST

START_TEST(stays_on_a_cpu_have_the_kernels_states)
{
	rows_begin("sched",
		   "pid,tid,command,cpu,priority,run_ns,state,sleep_ns,delay_ns,waker_tid,mono_ns");
	rows_add("7,8,dd,3,120,500,D,,100,9,1000");
	rows_add("7,8,dd,3,120,500,R+,,,,2000");
	rows_add("7,8,dd,3,120,,S,,,,3000");
	rows_add("7,8,dd,3,120,500,I,,,,4000");
	rows_add("7,8,dd,3,120,500,W,,,,5000");
	rows_end();
	make();
	ck_assert_uint_eq(n_runs, 4);
	ck_assert_uint_eq(runs[0].state, 2);
	ck_assert_uint_eq(runs[0].woken_ns, 900);
	ck_assert_uint_eq(runs[1].state, 0x100);
	ck_assert_uint_eq(runs[1].woken_ns, 0);
	ck_assert_uint_eq(runs[2].state, 0x80);
	ck_assert_uint_eq(runs[3].state, 1);
}
END_TEST

START_TEST(losses_are_slices_that_count)
{
	const struct timeline_event *lost;

	rows_begin("lost", "stream,cpu,reason,count,mono_ns");
	rows_add("fs,1,ring,42,1000");
	/* that was wanted */
	rows_add("iouring,1,sampled,90,2000");
	rows_add("fs,,budget,70,3000");
	rows_end();
	make();
	ck_assert_ptr_eq(find(TIMELINE_BEGIN, "LOST", 1), NULL);
	ck_assert_int_eq(find(TIMELINE_BEGIN, "LEFT OUT", 0)->arguments[3].number, 90);
	ck_assert_ptr_ne(find(TIMELINE_BEGIN, "LEFT OUT", 1), NULL);
	lost = find(TIMELINE_BEGIN, "LOST", 0);
	ck_assert_ptr_ne(lost, NULL);
	ck_assert_int_eq(lost->arguments[lost->n_arguments - 1].number, 42);
}
END_TEST

START_TEST(processes_are_chosen)
{
	rows_begin("fs", fs_header);
	rows_add("READ,7,8,dd,/x/a,1,1,100,1000");
	rows_add("READ,9,9,dd,/x/a,1,1,100,1000");
	rows_end();
	options.pids[options.n_pids++] = 9;
	make();
	ck_assert_uint_eq(totals.rows, 1);
}
END_TEST

START_TEST(a_hundred_thousand_threads_have_a_track_each)
{
	struct timeline_encoder *encoder;
	char *bytes = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&bytes, &size);

	rows_begin("fs", fs_header);
	for (unsigned i = 1; i <= 100000; i++)
		rows_add("READ,7,%u,dd,/x/a,1,1,100,%u", i, 1000 + i);
	rows_end();
	encoder = timeline_perfetto(out);
	make_with(encoder);
	encoder->free(encoder);
	fclose(out);
	ck_assert_uint_eq(totals.slices, 100000);
	ck_assert_uint_gt(size, 100000 * 40);
	free(bytes);
}
END_TEST

/* ---- Perfetto ---- */

static bool holds(const char *bytes, size_t size, const char *what)
{
	return memmem(bytes, size, what, strlen(what)) != NULL;
}

START_TEST(any_bytes_of_a_name_become_text)
{
	struct timeline_event e = { .kind = TIMELINE_INSTANT, .ns = 5, .track = 1 };
	struct timeline_encoder *encoder;
	char *bytes = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&bytes, &size);

	encoder = timeline_perfetto(out);
	encoder->start(encoder, "6.1");
	e.name = (struct timeline_text){ "a\0b\xff"
					 "c\xc3\xa4\xed\xa0\x80",
					 10 };
	encoder->event(encoder, &e);
	encoder->free(encoder);
	fclose(out);
	ck_assert(holds(bytes, size,
			"a\xef\xbf\xbd"
			"b\xef\xbf\xbd"
			"c\xc3\xa4\xef\xbf\xbd"));
	ck_assert(!holds(bytes, size, "\xff"));
	free(bytes);
}
END_TEST

START_TEST(a_name_is_told_once)
{
	struct timeline_event e = { .kind = TIMELINE_INSTANT, .track = 1, .name = { "once", 4 } };
	struct timeline_encoder *encoder;
	char *bytes = NULL, *at;
	size_t size = 0;
	FILE *out = open_memstream(&bytes, &size);

	encoder = timeline_perfetto(out);
	encoder->event(encoder, &e);
	encoder->event(encoder, &e);
	encoder->free(encoder);
	fclose(out);
	at = memmem(bytes, size, "once", 4);
	ck_assert_ptr_ne(at, NULL);
	ck_assert_ptr_eq(memmem(at + 1, size - (size_t)(at + 1 - bytes), "once", 4), NULL);
	free(bytes);
}
END_TEST

/* ---- Fuchsia ---- */

enum { FXT_STRING = 2, FXT_THREAD, FXT_EVENT, FXT_OBJECT = 7, FXT_SCHEDULER };

static char *fxt_bytes;
static size_t fxt_size;
static FILE *fxt_out;

static struct timeline_encoder *fxt_begin(void)
{
	struct timeline_encoder *encoder;

	fxt_out = open_memstream(&fxt_bytes, &fxt_size);
	encoder = timeline_fuchsia(fxt_out);
	ck_assert_ptr_ne(encoder, NULL);
	return encoder;
}

static void fxt_end(struct timeline_encoder *encoder)
{
	ck_assert_int_eq(encoder->finish(encoder), 0);
	encoder->free(encoder);
	fclose(fxt_out);
}

static unsigned fxt_bits(uint64_t word, unsigned from, unsigned n)
{
	return (unsigned)(word >> from & ((1u << n) - 1));
}

/* Each record of a kind (0: any) is given to take; returns how many there were. */
static unsigned fxt_records(unsigned kind, void (*take)(const uint64_t *words))
{
	const uint64_t *words = (const uint64_t *)(void *)fxt_bytes;
	size_t n = fxt_size / sizeof(*words), size;
	unsigned found = 0;

	ck_assert_uint_eq(fxt_size % sizeof(*words), 0);
	for (size_t i = 0; i < n; i += size) {
		size = fxt_bits(words[i], 4, 12);
		ck_assert_uint_ne(size, 0);
		ck_assert_uint_le(i + size, n);
		if (kind && fxt_bits(words[i], 0, 4) != kind)
			continue;
		found++;
		if (take)
			take(words + i);
	}
	return found;
}

START_TEST(fxt_any_bytes_become_text)
{
	struct timeline_event e = { .kind = TIMELINE_INSTANT, .ns = 5, .track = 1 };
	struct timeline_track track = { .id = 1, .kind = TIMELINE_GROUP, .name = { "g", 1 } };
	struct timeline_encoder *encoder = fxt_begin();

	encoder->start(encoder, "6.1");
	encoder->track(encoder, &track);
	e.name = (struct timeline_text){ "a\0b\xff"
					 "c",
					 5 };
	encoder->event(encoder, &e);
	fxt_end(encoder);
	ck_assert(holds(fxt_bytes, fxt_size,
			"a\xef\xbf\xbd"
			"b\xef\xbf\xbd"
			"c"));
	free(fxt_bytes);
}
END_TEST

static char fxt_names[32768][64];
static uint64_t fxt_threads[256];
static unsigned fxt_seen;

static void resolve(const uint64_t *w)
{
	char want[64];

	switch (fxt_bits(w[0], 0, 4)) {
	case FXT_STRING:
		snprintf(fxt_names[fxt_bits(w[0], 16, 15)], 64, "%.*s", (int)fxt_bits(w[0], 32, 15),
			 (const char *)(w + 1));
		break;
	case FXT_THREAD:
		ck_assert_uint_eq(w[1], 7);
		fxt_threads[fxt_bits(w[0], 16, 8)] = w[2];
		break;
	case FXT_EVENT:
		/* the thread is named like the event */
		snprintf(want, sizeof(want), "name %llu",
			 (unsigned long long)fxt_threads[fxt_bits(w[0], 24, 8)]);
		ck_assert_str_eq(fxt_names[fxt_bits(w[0], 48, 16)], want);
		fxt_seen++;
		break;
	default:
		break;
	}
}

START_TEST(fxt_indices_are_used_again)
{
	enum { MANY = 100000 };
	struct timeline_encoder *encoder = fxt_begin();
	struct timeline_track track = { .id = 1, .kind = TIMELINE_PROCESS, .pid = 7 };
	struct timeline_event e = { .kind = TIMELINE_INSTANT };
	char name[64];

	encoder->start(encoder, "6.1");
	encoder->track(encoder, &track);
	for (unsigned i = 0; i < MANY; i++) {
		track = (struct timeline_track){
			.id = i + 2, .parent = 1, .kind = TIMELINE_THREAD, .pid = 7, .tid = 1000 + i
		};
		encoder->track(encoder, &track);
	}
	for (unsigned i = 0; i < 2 * MANY; i++) {
		unsigned thread = i % 3 ? i * 7 % MANY : i % 100;

		e.name.text = name;
		e.name.len = (size_t)snprintf(name, sizeof(name), "name %u", 1000 + thread);
		e.track = thread + 2;
		e.ns = i;
		encoder->event(encoder, &e);
	}
	fxt_end(encoder);
	fxt_seen = 0;
	fxt_records(0, resolve);
	ck_assert_uint_eq(fxt_seen, 2 * MANY);
	free(fxt_bytes);
}
END_TEST

static uint64_t last_switch;

static void in_order(const uint64_t *w)
{
	ck_assert_uint_ge(w[1], last_switch);
	last_switch = w[1];
}

START_TEST(fxt_runs_that_come_late_are_put_in_their_place)
{
	struct timeline_encoder *encoder = fxt_begin();
	struct timeline_run run = { .run_ns = 5, .tid = 8, .priority = 120 };

	for (unsigned i = 0; i < 5000; i++) {
		run.ns = 1000 + (i ^ 0xff) * 10; /* back and forth within 256 */
		run.woken_ns = run.ns - 2;
		encoder->run(encoder, &run);
	}
	fxt_end(encoder);
	last_switch = 0;
	ck_assert_uint_eq(fxt_records(FXT_SCHEDULER, in_order), 15000);
	free(fxt_bytes);
}
END_TEST

static unsigned flows[4];

static void count_flow(const uint64_t *w)
{
	unsigned kind = fxt_bits(w[0], 16, 4);

	if (kind >= 8 && kind <= 10)
		flows[kind - 8]++;
	flows[3] += kind == 2;
}

START_TEST(fxt_arrows_begin_once_within_slices)
{
	struct timeline_track track = { .id = 1, .kind = TIMELINE_GROUP };
	struct timeline_encoder *encoder = fxt_begin();
	struct timeline_event e = { .kind = TIMELINE_INSTANT, .track = 1, .name = { "x", 1 } };

	encoder->track(encoder, &track);
	e.flows[0] = 1;
	for (unsigned i = 0; i < 3; i++)
		encoder->event(encoder, &e);
	e.flows[0] = 0;
	e.ended = 1;
	encoder->event(encoder, &e);
	fxt_end(encoder);
	memset(flows, 0, sizeof(flows));
	fxt_records(FXT_EVENT, count_flow);
	ck_assert_uint_eq(flows[0], 1);
	ck_assert_uint_eq(flows[1], 2);
	ck_assert_uint_eq(flows[2], 1);
	ck_assert_uint_eq(flows[3], 4);
	free(fxt_bytes);
}
END_TEST

/* ---- a picture ---- */

static char *svg_bytes;
static size_t svg_size;
static FILE *svg_out;

static struct timeline_encoder *svg_begin(void)
{
	svg_out = open_memstream(&svg_bytes, &svg_size);
	return timeline_svg(svg_out);
}

static unsigned svg_count(const char *what)
{
	unsigned n = 0;

	for (const char *at = svg_bytes; (at = strstr(at, what)); at++)
		n++;
	return n;
}

/* An hour into the trace: that is what the picture says, not 0. */
START_TEST(a_picture_has_the_times_of_the_trace_and_its_colours)
{
	struct timeline_encoder *encoder = svg_begin();
	static const struct read_session unknown;
	struct wall wall = { .session = &unknown, .start_ns = 500 };

	encoder->wall = &wall;
	rows_begin("fs", fs_header);
	rows_add("OPEN,7,8,dd,/x/a,1,3,1000000,3600000000500");
	rows_add("FSYNC,7,8,dd,/x/a,1,0,1000000,3600002000500");
	rows_end();
	make_with(encoder);
	encoder->free(encoder);
	fclose(svg_out);
	ck_assert_uint_eq(svg_count("at 3600.000000000 s, for 1.00ms"), 1);
	ck_assert_uint_eq(svg_count(">3600.0000 s<"), 1);
	ck_assert_uint_eq(svg_count("<g><rect class=\"c1\""), 1);
	ck_assert_uint_eq(svg_count("<g><rect class=\"c4\""), 1);
	free(svg_bytes);
}
END_TEST

START_TEST(a_picture_has_every_slice_arrow_and_name)
{
	struct timeline_encoder *encoder = svg_begin();

	rows_begin("fs", fs_header);
	rows_add("READ,7,8,d<d>,/x/a&b,1,1,1000,1000");
	rows_add("OPEN,7,8,d<d>,/x/a,1,1,100,1100");
	rows_end();
	rows_begin("iouring", uring_header);
	uring("SUBMIT", 1, "", "", 1200);
	uring("POLL_ARM", 1, "", "", 1300);
	uring("COMPLETE", 1, "", "4096", 1900);
	rows_end();
	make_with(encoder);
	encoder->free(encoder);
	fclose(svg_out);
	ck_assert_uint_eq(svg_count("rx=\"1\"/>"), 3); /* slices */
	ck_assert_uint_eq(svg_count("<path class=\"a\" marker"),
			  4); /* three arrows, and the legend's */
	/* requests in flight, and what was written and lost of two streams */
	ck_assert_uint_eq(svg_count("<path class=\"v\""), 5);
	ck_assert_uint_eq(svg_count("path: /x/a&amp;b"), 1);
	ck_assert_uint_eq(svg_count("d&lt;d&gt; 8"), 1); /* the thread */
	ck_assert_uint_eq(svg_count("d<d>"), 0);
	ck_assert_uint_eq(svg_count("prefers-color-scheme:dark"), 1);
	ck_assert_uint_eq(svg_count("http"), 1); /* its name space: nothing is loaded */
	ck_assert_ptr_ne(strstr(svg_bytes, "</svg>\n"), NULL);
	free(svg_bytes);
}
END_TEST

START_TEST(a_picture_ends_where_nobody_could_read_it)
{
	struct timeline_encoder *encoder = svg_begin();
	struct timeline_track track = { .id = 1, .kind = TIMELINE_GROUP };
	struct timeline_event e = { .kind = TIMELINE_INSTANT, .track = 1, .name = { "x", 1 } };

	encoder->track(encoder, &track);
	for (unsigned i = 0; i < 10000; i++)
		encoder->event(encoder, &e);
	ck_assert(!encoder->full);
	encoder->event(encoder, &e);
	ck_assert(encoder->full);
	log_set_level(LOG_QUIET);
	ck_assert_int_ne(encoder->finish(encoder), 0);
	encoder->free(encoder);
	fclose(svg_out);
	ck_assert_uint_eq(svg_size, 0);
	free(svg_bytes);
}
END_TEST

/* ---- a part ---- */

/* A recording that began at mono_ns 1000000000 and lasted a second; the part is 20 ms, 500 ms later. */
static void make_part(void)
{
	session_write(dir, "manifest.json",
		      "{\"format\": \"iotracer\", \"schema_version\": 1,"
		      "\"started_ns\": 5000000000, \"ended_ns\": 6000000000,"
		      "\"clocks\": [{\"mono_ns\": 1000000000, \"real_ns\": 5000000000}]}");
	options.from = "+500ms";
	options.to = "+520ms";
	make();
}

enum { PART_FROM = 1500000000, PART_TO = 1520000000 };

static const char *cut_of(const struct timeline_event *e)
{
	for (unsigned i = 0; i < e->n_arguments; i++)
		if (!strcmp(e->arguments[i].name, "cut"))
			return e->arguments[i].text;
	return "";
}

static void slice_is(const char *name, uint64_t begin_ns, uint64_t end_ns, const char *cut)
{
	const struct timeline_event *begun = find(TIMELINE_BEGIN, name, 0), *end = NULL;

	ck_assert_msg(begun != NULL, "%s", name);
	for (unsigned i = 0; i < n_noted && !end; i++)
		if (noted[i].event.kind == TIMELINE_END && noted[i].event.track == begun->track &&
		    &noted[i].event > begun)
			end = &noted[i].event;
	ck_assert_uint_eq(begun->ns, begin_ns);
	ck_assert_uint_eq(end->ns, end_ns);
	ck_assert_str_eq(cut_of(begun), cut);
}

START_TEST(a_part_keeps_what_is_in_progress)
{
	rows_begin("fs", fs_header);
	rows_add("OPEN,7,7,dd,/x/a,0,3,1000,1100000000");
	rows_add("WRITE,7,8,dd,/x/a,4096,4096,648000000,1200000000");
	rows_add("READ,7,9,dd,/x/a,4096,4096,20000000,1490000000");
	rows_add("FSYNC,7,10,dd,/x/a,0,0,20000000,1510000000");
	rows_add("TRUNCATE,7,11,dd,/x/a,0,0,1000,1511000000");
	rows_add("CLOSE,7,12,dd,/x/a,0,0,1000,1600000000");
	rows_end();
	rows_begin("ds", ds_header);
	rows_add("1,1,sh,1,read,512,5.000000,8:0,0.000000,1480000000");
	/* by its end */
	rows_add("7,8,dd,2,write,512,110.000000,8:0,0.000000,1600000000");
	rows_add("7,8,dd,3,flush,512,1.000000,8:0,0.000000,1700000000");
	rows_end();
	make_part();
	slice_is("WRITE", PART_FROM, PART_TO, "began before, goes on");
	slice_is("READ", PART_FROM, 1510000000, "began before");
	slice_is("FSYNC", 1510000000, PART_TO, "goes on");
	slice_is("TRUNCATE", 1511000000, 1511001000, "");
	slice_is("write 512@2", PART_FROM, PART_TO, "began before, goes on");
	ck_assert(!find(TIMELINE_BEGIN, "OPEN", 0) && !find(TIMELINE_BEGIN, "CLOSE", 0));
	ck_assert(!find(TIMELINE_BEGIN, "read 512@1", 0) &&
		  !find(TIMELINE_BEGIN, "flush 512@3", 0));
	/* nothing that is elsewhere leaves a track, and the depth is what it was */
	ck_assert_uint_eq(track_named("sh"), 0);
	ck_assert_int_eq(value_of("queue depth", 0)->value, 1);
	ck_assert_uint_eq(value_of("queue depth", 0)->ns, PART_FROM);
	ck_assert_uint_eq(totals.rows, 5);
	ck_assert_uint_eq(totals.slices, 5);
}
END_TEST

START_TEST(a_part_keeps_requests_in_flight)
{
	rows_begin("iouring", uring_header);
	uring("SUBMIT", 1, "", "", 1100000000);
	uring("COMPLETE", 1, "", "1", 1200000000);
	uring("SUBMIT", 2, "", "", 1300000000);
	uring("POLL_ARM", 2, "", "", 1510000000);
	uring("SUBMIT", 3, "", "", 1515000000);
	uring("COMPLETE", 3, "", "3", 1700000000);
	uring("COMPLETE", 2, "", "2", 1800000000);
	uring("SUBMIT", 4, "", "", 1810000000);
	uring("COMPLETE", 4, "", "4", 1900000000);
	rows_end();
	make_part();
	slice_is("READ db.sqlite 4096@8192", PART_FROM, PART_TO, "began before");
	ck_assert_uint_eq(find(TIMELINE_BEGIN, "READ db.sqlite 4096@8192", 1)->ns, 1515000000);
	ck_assert(!find(TIMELINE_BEGIN, "READ db.sqlite 4096@8192", 2));
	/* what was on the way when nobody knew its end yet is marked there */
	ck_assert_uint_eq(find(TIMELINE_INSTANT, "goes on", 0)->ns, PART_TO);
	ck_assert_int_eq(value_of("in flight", 0)->value, 1);
	ck_assert_uint_eq(value_of("in flight", 0)->ns, PART_FROM);
	ck_assert_int_eq(value_of("in flight", 1)->value, 2);
	ck_assert_uint_eq(totals.requests, 1);
	ck_assert_uint_eq(totals.open + totals.unmatched, 0);
}
END_TEST

START_TEST(a_part_has_the_states_that_threads_are_in)
{
	rows_begin("sched", "pid,tid,command,cpu,priority,run_ns,state,delay_ns,waker_tid,mono_ns");
	/* asleep all the time, ended, on its CPU all the time, woken within */
	rows_add("7,8,dd,1,120,50,S,,,1100000000");
	rows_add("7,8,dd,1,120,1000,D,,,1200000000");
	rows_add("7,9,dd,1,120,1000,X,,,1300000000");
	rows_add("7,10,dd,2,120,900000000,S,,,1050000000");
	rows_add("7,11,dd,1,120,1000,S,,,1400000000");
	rows_add("7,11,dd,1,120,1000,S,1000000,10,1510000000");
	rows_add("7,8,dd,1,120,1000,S,100000000,10,1600000000");
	rows_end();
	make_part();
	ck_assert_uint_eq(n_runs, 4);
	for (unsigned i = 0; i < n_runs; i++)
		switch (runs[i].tid) {
		case 8:
			ck_assert_uint_eq(runs[i].ns, PART_FROM - 1);
			ck_assert_uint_eq(runs[i].run_ns, 0);
			ck_assert_uint_eq(runs[i].state, 2);
			break;
		case 10:
			ck_assert_uint_eq(runs[i].ns, PART_FROM);
			ck_assert_uint_eq(runs[i].run_ns, PART_TO - PART_FROM);
			ck_assert_uint_eq(runs[i].state, 0);
			break;
		case 11:
			ck_assert_uint_eq(runs[i].state, 1);
			ck_assert(runs[i].ns == PART_FROM - 1 || runs[i].woken_ns == 1509000000);
			break;
		default:
			ck_abort_msg("thread %u", runs[i].tid);
		}
	ck_assert_uint_eq(totals.rows, 2);
}
END_TEST

static Suite *suite(void)
{
	Suite *s = suite_create("timeline");
	TCase *tc = tcase_create("model");

	tcase_add_checked_fixture(tc, setup, fixture_verify_teardown);
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, a_request_is_a_slice_with_arrows);
	tcase_add_test(tc, three_linked_requests_have_two_arrows_in_order);
	tcase_add_test(tc, as_many_lanes_as_requests_overlap);
	tcase_add_test(tc, what_never_completed_is_open_to_the_end);
	tcase_add_test(tc, memory_used_again_ends_the_request_before);
	tcase_add_test(tc, a_completion_without_submission_is_drawn_and_counted);
	tcase_add_test(tc, a_worker_has_a_slice_of_each_request_that_it_ran);
	tcase_add_test(tc, events_of_later_versions_just_appear);
	tcase_add_test(tc, calls_of_a_thread_are_nested_or_on_a_lane);
	tcase_add_test(tc, a_slice_says_where_its_time_went);
	tcase_add_test(tc, a_request_of_io_uring_says_where_its_time_went);
	tcase_add_test(tc, without_sched_a_slice_has_no_parts);
	tcase_add_test(tc, requests_of_devices_have_lanes_and_their_cause);
	tcase_add_loop_test(tc, a_part_of_a_request_has_its_arrow, 0,
			    (int)(sizeof(parts) / sizeof(parts[0])));
	tcase_add_test(tc, queue_depth_is_right_at_each_time);
	tcase_add_test(tc, a_written_page_leads_back_to_who_wrote_it);
	tcase_add_test(tc, a_request_whose_end_nobody_saw_says_so);
	tcase_add_test(tc, requests_follow_their_owner);
	tcase_add_test(tc, workers_are_named_and_counted);
	tcase_add_test(tc, the_recording_is_counted_unless_it_is_a_part);
	tcase_add_test(tc, sockets_faults_and_programs_are_of_their_threads);
	tcase_add_test(tc, stays_on_a_cpu_have_the_kernels_states);
	tcase_add_test(tc, losses_are_slices_that_count);
	tcase_add_test(tc, processes_are_chosen);
	tcase_add_test(tc, a_part_keeps_what_is_in_progress);
	tcase_add_test(tc, a_part_keeps_requests_in_flight);
	tcase_add_test(tc, a_part_has_the_states_that_threads_are_in);
	tcase_add_test(tc, a_hundred_thousand_threads_have_a_track_each);
	suite_add_tcase(s, tc);
	tc = tcase_create("perfetto");
	tcase_add_test(tc, any_bytes_of_a_name_become_text);
	tcase_add_test(tc, a_name_is_told_once);
	suite_add_tcase(s, tc);
	tc = tcase_create("fuchsia");
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, fxt_any_bytes_become_text);
	tcase_add_test(tc, fxt_indices_are_used_again);
	tcase_add_test(tc, fxt_runs_that_come_late_are_put_in_their_place);
	tcase_add_test(tc, fxt_arrows_begin_once_within_slices);
	suite_add_tcase(s, tc);
	tc = tcase_create("picture");
	tcase_add_checked_fixture(tc, setup, fixture_verify_teardown);
	tcase_add_test(tc, a_picture_has_the_times_of_the_trace_and_its_colours);
	tcase_add_test(tc, a_picture_has_every_slice_arrow_and_name);
	tcase_add_test(tc, a_picture_ends_where_nobody_could_read_it);
	suite_add_tcase(s, tc);
	return s;
}

int main(void)
{
	SRunner *runner = srunner_create(suite());
	int failed;

	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
