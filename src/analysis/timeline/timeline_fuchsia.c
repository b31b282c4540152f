/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the bytes of a Fuchsia trace (https://fuchsia.dev/fuchsia-src/reference/tracing/trace-format).
 * The format has processes and threads alone: a group becomes a process and a
 * lane a thread of it, with numbers that no task has. An arrow there leads to
 * the slice that is open on its thread, so an instant with an arrow is written
 * as a slice without length. Knows no stream.
 */
#include "analysis/timeline/timeline_fuchsia.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/common/grow.h"
#include "analysis/common/hash.h"
#include "analysis/timeline/timeline_text.h"
#include "base/log.h"

enum {
	NAME_SLOTS = 16384,              /* a power of two; indices of strings have 15 bits: */
	FIRST_CONSTANT = NAME_SLOTS + 1, /* names from 1 on, behind them those of arguments */
	MAX_CONSTANTS = 256,
	THREAD_SLOTS = 255, /* indices of threads have 8 bits, 0 is none */
	TEXT_MAX_BYTES = 1024,
	BUFFER_WORDS = 4095, /* the longest record */
	PENDING_RUNS = 1024,
	INLINE = 0x8000, /* a string that follows, of as many bytes */
	IDLE = INT32_MIN,
};

/* Numbers of tasks end at 2^22, and readers keep 32 bits. */
#define FIRST_FAKE 0x40000000ull

enum record {
	RECORD_INIT = 1,
	RECORD_STRING = 2,
	RECORD_THREAD = 3,
	RECORD_EVENT = 4,
	RECORD_OBJECT = 7,
	RECORD_SCHEDULER = 8,
};

enum event {
	EVENT_INSTANT = 0,
	EVENT_COUNTER = 1,
	EVENT_BEGIN = 2,
	EVENT_END = 3,
	EVENT_FLOW_BEGIN = 8,
	EVENT_FLOW_STEP = 9,
	EVENT_FLOW_END = 10,
};

enum { OBJECT_PROCESS = 1, OBJECT_THREAD = 2 };
enum { ARGUMENT_INT32 = 1, ARGUMENT_INT64 = 3, ARGUMENT_TEXT = 6, ARGUMENT_KOID = 8 };
enum { SWITCH = 1, WAKE_UP = 2 };
enum { STATE_RUNNING = 1, STATE_SUSPENDED, STATE_BLOCKED, STATE_DYING, STATE_DEAD };

/* Where the events of a track go. */
struct home {
	uint32_t process, thread;
	uint16_t counter; /* its name, of the constants */
};

struct fuchsia {
	struct timeline_encoder encoder;
	uint64_t names[NAME_SLOTS]; /* hashes; a name that lost its slot is told again */
	const char *constants[MAX_CONSTANTS];
	unsigned n_constants;
	uint64_t threads[THREAD_SLOTS]; /* tracks */
	struct home *homes;             /* by track */
	uint64_t n_homes;
	uint64_t last_flow;        /* flows are numbered in the order in which they begin */
	struct timeline_run *runs; /* by their start, without names */
	unsigned n_runs;
	bool no_memory;
	uint64_t words[BUFFER_WORDS];
	unsigned n;
};

/* ---- records ---- */

static void begin(struct fuchsia *f, uint64_t header)
{
	f->words[0] = header;
	f->n = 1;
}

static void put(struct fuchsia *f, uint64_t word)
{
	f->words[f->n++] = word;
}

/* A header has the length of its record from bit 4 on, in words, itself included. */
static void end(struct fuchsia *f)
{
	f->words[0] |= (uint64_t)f->n << 4;
	fwrite(f->words, sizeof(uint64_t), f->n, f->encoder.out);
}

/* Padded with zeros; returns its length. */
static size_t put_text(struct fuchsia *f, const char *text, size_t len)
{
	char *to = (char *)&f->words[f->n];
	size_t used = timeline_utf8(to, TEXT_MAX_BYTES, text, len);

	memset(to + used, 0, -used & 7);
	f->n += (unsigned)((used + 7) / 8);
	return used;
}

static void put_string_record(struct fuchsia *f, uint64_t index, const char *text, size_t len)
{
	size_t used;

	begin(f, RECORD_STRING | index << 16);
	used = put_text(f, text, len);
	f->words[0] |= (uint64_t)used << 32;
	end(f);
}

/* The index of a name, which is told before the record that has it. */
static uint64_t name_ref(struct fuchsia *f, const struct timeline_text *name)
{
	uint64_t hash, slot;

	if (!name->len)
		return 0;
	/* never 0, which is nobody's */
	hash = hash_text(1, name->text, name->len) | 1ull << 63;
	slot = hash & (NAME_SLOTS - 1);
	if (f->names[slot] != hash) {
		f->names[slot] = hash;
		put_string_record(f, slot + 1, name->text, name->len);
	}
	return slot + 1;
}

/* The same of a text that stays where it is; these keep their index. */
static uint64_t constant_ref(struct fuchsia *f, const char *text)
{
	unsigned i = 0;

	while (i < f->n_constants && f->constants[i] != text)
		i++;
	if (i == f->n_constants) {
		if (i == MAX_CONSTANTS)
			return 0;
		f->constants[f->n_constants++] = text;
		put_string_record(f, FIRST_CONSTANT + i, text, strlen(text));
	}
	return FIRST_CONSTANT + i;
}

static uint64_t thread_ref(struct fuchsia *f, uint64_t track)
{
	unsigned slot = (unsigned)(track % THREAD_SLOTS);

	if (f->threads[slot] != track) {
		f->threads[slot] = track;
		begin(f, RECORD_THREAD | (uint64_t)(slot + 1) << 16);
		put(f, f->homes[track].process);
		put(f, f->homes[track].thread);
		end(f);
	}
	return slot + 1;
}

static void fuchsia_start(struct timeline_encoder *encoder, const char *release)
{
	struct fuchsia *f = (struct fuchsia *)encoder;

	(void)release; /* there is no place for it */
	/* the magic number, but for the length that end() adds */
	begin(f, 0x0016547846040000);
	end(f);
	begin(f, RECORD_INIT);
	put(f, 1000000000); /* ticks a second: with others readers round */
	end(f);
}

/* ---- tracks ---- */

static bool add_home(struct fuchsia *f, uint64_t track, const struct home *home)
{
	const uint64_t n = f->n_homes;

	if (!grow(&f->homes, &f->n_homes, track + 1, 256, sizeof(*f->homes))) {
		f->no_memory = f->encoder.full = true;
		return false;
	}
	memset(f->homes + n, 0, (f->n_homes - n) * sizeof(*f->homes));
	f->homes[track] = *home;
	return true;
}

/* Without it, slices of a thread would lie with a nameless one of process 0. */
static void put_object(struct fuchsia *f, const struct home *home, bool thread,
		       const struct timeline_text *name)
{
	uint64_t text = name_ref(f, name), process = constant_ref(f, "process");

	begin(f, RECORD_OBJECT | (thread ? OBJECT_THREAD : OBJECT_PROCESS) << 16 | text << 24 |
			 (uint64_t)thread << 40);
	put(f, thread ? home->thread : home->process);
	if (thread) {
		put(f, ARGUMENT_KOID | 2 << 4 | process << 16);
		put(f, home->process);
	}
	end(f);
}

static void fuchsia_track(struct timeline_encoder *encoder, const struct timeline_track *track)
{
	struct fuchsia *f = (struct fuchsia *)encoder;
	uint32_t fake = (uint32_t)(FIRST_FAKE + track->id);
	struct home home = { .process = fake, .thread = fake };

	if (f->no_memory)
		return;
	if (track->kind == TIMELINE_PROCESS || track->kind == TIMELINE_THREAD)
		home = (struct home){ .process = track->pid, .thread = track->tid };
	else if (track->parent)
		home.process = f->homes[track->parent].process;
	if (track->kind == TIMELINE_COUNTER)
		home.counter = (uint16_t)constant_ref(f, track->name.text);
	if (!add_home(f, track->id, &home) || track->kind == TIMELINE_COUNTER)
		return;
	put_object(f, &home,
		   track->kind == TIMELINE_THREAD ||
			   (track->kind == TIMELINE_GROUP && track->parent),
		   &track->name);
}

/* ---- events ---- */

static void put_argument(struct fuchsia *f, uint64_t name, const struct timeline_argument *a)
{
	unsigned at = f->n;
	size_t len;

	put(f, name << 16);
	if (!a->text) {
		put(f, (uint64_t)a->number);
		f->words[at] |= ARGUMENT_INT64 | 2 << 4;
		return;
	}
	len = put_text(f, a->text, a->len);
	/* a reference to the empty string is 0 */
	f->words[at] |= ARGUMENT_TEXT | (uint64_t)(f->n - at) << 4 |
			(uint64_t)(len ? INLINE | len : 0) << 32;
}

static void begin_event(struct fuchsia *f, enum event kind, const struct timeline_event *e,
			uint64_t name, unsigned n_arguments)
{
	uint64_t thread = thread_ref(f, e->track);

	begin(f, RECORD_EVENT | (uint64_t)kind << 16 | (uint64_t)n_arguments << 20 | thread << 24 |
			 name << 48);
	put(f, e->ns);
}

static void put_event(struct fuchsia *f, enum event kind, const struct timeline_event *e)
{
	uint64_t names[TIMELINE_MAX_ARGUMENTS];
	uint64_t name = kind == EVENT_END ? 0 : name_ref(f, &e->name);
	unsigned n = e->n_arguments;

	for (unsigned i = 0; i < n; i++)
		names[i] = constant_ref(f, e->arguments[i].name);
	begin_event(f, kind, e, name, n);
	for (unsigned i = 0; i < n; i++)
		put_argument(f, names[i], &e->arguments[i]);
	end(f);
}

static void put_flow(struct fuchsia *f, enum event kind, const struct timeline_event *e,
		     uint64_t flow)
{
	begin_event(f, kind, e, constant_ref(f, "arrow"), 0);
	put(f, flow);
	end(f);
}

static void put_flows(struct fuchsia *f, const struct timeline_event *e)
{
	for (unsigned i = 0; i < TIMELINE_MAX_FLOWS; i++) {
		if (!e->flows[i])
			continue;
		put_flow(f, e->flows[i] > f->last_flow ? EVENT_FLOW_BEGIN : EVENT_FLOW_STEP, e,
			 e->flows[i]);
		if (e->flows[i] > f->last_flow)
			f->last_flow = e->flows[i];
	}
	if (e->ended)
		put_flow(f, EVENT_FLOW_END, e, e->ended);
}

static void put_counter(struct fuchsia *f, const struct timeline_event *e)
{
	const struct timeline_argument value = { .number = e->value };
	uint64_t argument = constant_ref(f, "value");

	begin_event(f, EVENT_COUNTER, e, f->homes[e->track].counter, 1);
	put_argument(f, argument, &value);
	put(f, 0); /* there is one of this name in a process */
	end(f);
}

static void fuchsia_event(struct timeline_encoder *encoder, const struct timeline_event *e)
{
	struct fuchsia *f = (struct fuchsia *)encoder;
	bool arrows = e->flows[0] || e->flows[1] || e->ended;

	if (f->no_memory)
		return;
	switch (e->kind) {
	case TIMELINE_BEGIN:
		put_event(f, EVENT_BEGIN, e);
		put_flows(f, e);
		break;
	case TIMELINE_END:
		put_event(f, EVENT_END, e);
		break;
	case TIMELINE_INSTANT:
		put_event(f, arrows ? EVENT_BEGIN : EVENT_INSTANT, e);
		put_flows(f, e);
		if (arrows)
			put_event(f, EVENT_END, e);
		break;
	case TIMELINE_VALUE:
		put_counter(f, e);
		break;
	}
}

/* ---- the scheduler ---- */

static void put_weight(struct fuchsia *f, uint64_t name, int32_t weight)
{
	put(f, ARGUMENT_INT32 | 1 << 4 | name << 16 | (uint64_t)(uint32_t)weight << 32);
}

/* As which of its states a thread leaves that the kernel has by this bit. */
static uint64_t state_of(uint32_t bit)
{
	switch (bit) {
	case 0:
	case 0x100: /* preempted */
		return STATE_RUNNING;
	case 4:
	case 8:
		return STATE_SUSPENDED;
	case 0x10:
		return STATE_DEAD;
	case 0x20:
		return STATE_DYING;
	default:
		return STATE_BLOCKED;
	}
}

static void put_switch(struct fuchsia *f, const struct timeline_run *run, bool ends)
{
	uint64_t from = constant_ref(f, "outgoing_weight"), to = constant_ref(f, "incoming_weight");

	begin(f, RECORD_SCHEDULER | 2 << 16 | (uint64_t)(run->cpu & 0xffff) << 20 |
			 (ends ? state_of(run->state) : STATE_RUNNING) << 36 |
			 (uint64_t)SWITCH << 60);
	put(f, ends ? run->ns + run->run_ns : run->ns);
	put(f, ends ? run->tid : 0);
	put(f, ends ? 0 : run->tid);
	put_weight(f, from, ends ? run->priority : IDLE);
	put_weight(f, to, ends ? IDLE : run->priority);
	end(f);
}

static void put_run(struct fuchsia *f, const struct timeline_run *run)
{
	uint64_t weight = constant_ref(f, "weight");

	if (run->woken_ns) {
		begin(f, RECORD_SCHEDULER | 1 << 16 | (uint64_t)(run->cpu & 0xffff) << 20 |
				 (uint64_t)WAKE_UP << 60);
		put(f, run->woken_ns);
		put(f, run->tid);
		put_weight(f, weight, run->priority);
		end(f);
	}
	put_switch(f, run, false);
	put_switch(f, run, true);
}

static void put_runs(struct fuchsia *f, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		put_run(f, &f->runs[i]);
	f->n_runs -= n;
	memmove(f->runs, f->runs + n, f->n_runs * sizeof(*f->runs));
}

/*
 * Readers sort events, but not what the scheduler did: there, a thread's state
 * lasts from one record to the next. Rows that came late are put in their place
 * as far as so many runs reach.
 */
static void fuchsia_run(struct timeline_encoder *encoder, const struct timeline_run *run)
{
	struct fuchsia *f = (struct fuchsia *)encoder;
	unsigned at;

	if (f->n_runs == PENDING_RUNS)
		put_runs(f, PENDING_RUNS / 2);
	for (at = f->n_runs++; at && f->runs[at - 1].ns > run->ns; at--)
		f->runs[at] = f->runs[at - 1];
	f->runs[at] = *run;
}

static int fuchsia_finish(struct timeline_encoder *encoder)
{
	struct fuchsia *f = (struct fuchsia *)encoder;

	if (f->no_memory) {
		log_error("%s", strerror(ENOMEM));
		return -ENOMEM;
	}
	put_runs(f, f->n_runs);
	return 0;
}

static void fuchsia_free(struct timeline_encoder *encoder)
{
	struct fuchsia *f = (struct fuchsia *)encoder;

	free(f->homes);
	free(f->runs);
	free(f);
}

struct timeline_encoder *timeline_fuchsia(FILE *out)
{
	struct fuchsia *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->runs = calloc(PENDING_RUNS, sizeof(*f->runs));
	if (!f->runs) {
		free(f);
		return NULL;
	}
	f->encoder = (struct timeline_encoder){
		.start = fuchsia_start,
		.track = fuchsia_track,
		.event = fuchsia_event,
		.run = fuchsia_run,
		.finish = fuchsia_finish,
		.free = fuchsia_free,
		.out = out,
	};
	return &f->encoder;
}
