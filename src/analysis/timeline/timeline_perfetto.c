/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the bytes of a Perfetto trace: one packet for each track, event and
 * switch. The names of fields behind the numbers are those of Perfetto's
 * protos/perfetto/trace. Knows no stream.
 */
#include "analysis/timeline/timeline_perfetto.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/common/hash.h"
#include "analysis/timeline/timeline_text.h"

enum {
	NAME_SLOTS = 16384, /* a power of two */
	NAME_MAX_BYTES = 1024,
	BUFFER_SIZE = 64 * 1024,
	SEQUENCE = 1, /* trusted_packet_sequence_id, without which events are dropped */
};

enum wire { VARINT = 0, FIXED64 = 1, BYTES = 2 };

enum packet {
	PACKET_FTRACE = 1,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_FLAGS = 13,
	PACKET_SYSTEM = 45,
	PACKET_TRACK = 60,
	PACKET_SAMPLE = 66,
};

enum { FLAG_CLEARED = 1, FLAG_NEEDS_STATE = 2 };

struct name_slot {
	uint64_t hash;
	uint64_t id;
};

struct perfetto {
	struct timeline_encoder encoder;
	uint64_t n_names;
	bool has_mappings;
	struct name_slot names[NAME_SLOTS]; /* a name that lost its slot is given a new number */
	unsigned char *interned; /* names that the packet brings along; NULL: none so far */
	unsigned char buf[BUFFER_SIZE];
	unsigned char *p;
};

/* ---- protobuf ---- */

static void put_varint(struct perfetto *f, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*f->p++ = (unsigned char)(v | 0x80);
	*f->p++ = (unsigned char)v;
}

static void put_number(struct perfetto *f, unsigned field, uint64_t v)
{
	put_varint(f, field << 3 | VARINT);
	put_varint(f, v);
}

static void put_fixed(struct perfetto *f, unsigned field, uint64_t v)
{
	put_varint(f, field << 3 | FIXED64);
	for (int i = 0; i < 8; i++)
		*f->p++ = (unsigned char)(v >> 8 * i);
}

/* A message within another: its length takes three bytes, so that it can be written last. */
static unsigned char *begin(struct perfetto *f, unsigned field)
{
	put_varint(f, field << 3 | BYTES);
	f->p += 3;
	return f->p;
}

/* As a varint of three bytes, also where fewer would do: up to 2 MB, much more than the buffer. */
static void end(struct perfetto *f, unsigned char *start)
{
	size_t len = (size_t)(f->p - start);

	start[-3] = (unsigned char)(len | 0x80);
	start[-2] = (unsigned char)(len >> 7 | 0x80);
	start[-1] = (unsigned char)(len >> 14);
}

static void put_text(struct perfetto *f, unsigned field, const char *text, size_t len)
{
	unsigned char *start = begin(f, field);

	f->p += timeline_utf8((char *)f->p, NAME_MAX_BYTES, text, len);
	end(f, start);
}

/* ---- packets ---- */

static unsigned char *begin_packet(struct perfetto *f, unsigned flags)
{
	unsigned char *start;

	f->p = f->buf;
	start = begin(f, 1);
	put_number(f, PACKET_SEQUENCE, SEQUENCE);
	put_number(f, PACKET_FLAGS, flags);
	return start;
}

static void end_packet(struct perfetto *f, unsigned char *start)
{
	end(f, start);
	fwrite(f->buf, 1, (size_t)(f->p - f->buf), f->encoder.out);
}

static void perfetto_start(struct timeline_encoder *encoder, const char *release)
{
	struct perfetto *f = (struct perfetto *)encoder;
	unsigned char *packet = begin_packet(f, FLAG_CLEARED), *system, *uts;

	/* without it, states from 0x40 on would be read as those of Linux 4.4 */
	system = begin(f, PACKET_SYSTEM);
	uts = begin(f, 1);
	put_text(f, 1, "Linux", 5);
	put_text(f, 3, release, strlen(release));
	end(f, uts);
	end(f, system);
	end_packet(f, packet);
}

static void perfetto_track(struct timeline_encoder *encoder, const struct timeline_track *track)
{
	struct perfetto *f = (struct perfetto *)encoder;
	unsigned char *packet = begin_packet(f, FLAG_NEEDS_STATE), *descriptor, *inner;

	descriptor = begin(f, PACKET_TRACK);
	put_number(f, 1, track->id);
	if (track->parent)
		put_number(f, 5, track->parent);
	if (track->kind == TIMELINE_PROCESS || track->kind == TIMELINE_THREAD) {
		bool process = track->kind == TIMELINE_PROCESS;

		inner = begin(f, process ? 3 : 4);
		put_number(f, 1, track->pid);
		if (!process)
			put_number(f, 2, track->tid);
		put_text(f, process ? 6 : 5, track->name.text, track->name.len);
		end(f, inner);
	} else {
		put_text(f, 2, track->name.text, track->name.len);
	}
	if (track->kind == TIMELINE_COUNTER)
		end(f, begin(f, 8));
	end(f, descriptor);
	end_packet(f, packet);
}

/* The number of a name, and whether it has to be told; kind: of its list in InternedData. */
static uint64_t name_id(struct perfetto *f, unsigned kind, const char *text, size_t len,
			bool *is_new)
{
	uint64_t hash = hash_text(kind, text, len);
	struct name_slot *slot = &f->names[hash & (NAME_SLOTS - 1)];

	*is_new = slot->hash != hash || !slot->id;
	if (*is_new)
		*slot = (struct name_slot){ hash, ++f->n_names };
	return slot->id;
}

enum {
	LIST_EVENTS = 2,
	LIST_ARGUMENTS = 3,
	LIST_FUNCTIONS = 5,
	LIST_FRAMES = 6,
	LIST_STACKS = 7,
	LIST_PATHS = 17,
	LIST_MAPPINGS = 19,
};

/* Before the event in its packet: readers take in names when they come to them. */
static uint64_t put_name(struct perfetto *f, unsigned list, const char *text, size_t len)
{
	bool is_new;
	uint64_t id = name_id(f, list, text, len, &is_new);
	unsigned char *entry;

	if (!is_new)
		return id;
	/* one for all of them: of two, a reader keeps the last */
	if (!f->interned)
		f->interned = begin(f, PACKET_INTERNED);
	entry = begin(f, list);
	put_number(f, 1, id);
	put_text(f, 2, text, len);
	end(f, entry);
	return id;
}

static void put_argument(struct perfetto *f, const struct timeline_argument *a, uint64_t name)
{
	unsigned char *start = begin(f, 4);

	put_number(f, 1, name);
	if (a->text)
		put_text(f, 6, a->text, a->len);
	else
		put_number(f, 4, (uint64_t)a->number);
	end(f, start);
}

static void perfetto_event(struct timeline_encoder *encoder, const struct timeline_event *e)
{
	struct perfetto *f = (struct perfetto *)encoder;
	unsigned char *packet = begin_packet(f, FLAG_NEEDS_STATE), *event;
	uint64_t ids[TIMELINE_MAX_ARGUMENTS], name = 0;

	put_number(f, PACKET_TIMESTAMP, e->ns);
	f->interned = NULL;
	if (e->name.len)
		name = put_name(f, LIST_EVENTS, e->name.text, e->name.len);
	for (unsigned i = 0; i < e->n_arguments; i++)
		ids[i] = put_name(f, LIST_ARGUMENTS, e->arguments[i].name,
				  strlen(e->arguments[i].name));
	if (f->interned)
		end(f, f->interned);
	event = begin(f, PACKET_EVENT);
	put_number(f, 9, e->kind);
	put_number(f, 11, e->track);
	if (e->name.len)
		put_number(f, 10, name);
	if (e->kind == TIMELINE_VALUE)
		put_number(f, 30, (uint64_t)e->value);
	for (unsigned i = 0; i < TIMELINE_MAX_FLOWS; i++)
		if (e->flows[i])
			put_fixed(f, 47, e->flows[i]);
	if (e->ended)
		put_fixed(f, 48, e->ended);
	for (unsigned i = 0; i < e->n_arguments; i++)
		put_argument(f, &e->arguments[i], ids[i]);
	end(f, event);
	end_packet(f, packet);
}

/* ---- the scheduler's events, as ftrace has them ---- */

static unsigned char *begin_ftrace(struct perfetto *f, uint64_t ns, uint32_t pid)
{
	unsigned char *event = begin(f, 2);

	put_number(f, 1, ns);
	put_number(f, 2, pid);
	return event;
}

static void put_task(struct perfetto *f, unsigned field, const struct timeline_text *name,
		     uint32_t tid, int32_t priority)
{
	put_text(f, field, name->text, name->len);
	put_number(f, field + 1, tid);
	put_number(f, field + 2, (uint64_t)priority);
}

static void put_switch(struct perfetto *f, const struct timeline_run *run, bool ends)
{
	static const struct timeline_text idle = { "swapper", 7 };
	unsigned char *event, *inner;

	event = begin_ftrace(f, ends ? run->ns + run->run_ns : run->ns, ends ? run->tid : 0);
	inner = begin(f, 4);
	put_task(f, 1, ends ? &run->name : &idle, ends ? run->tid : 0, ends ? run->priority : 120);
	put_number(f, 4, ends ? run->state : 0);
	put_task(f, 5, ends ? &idle : &run->name, ends ? 0 : run->tid, ends ? 120 : run->priority);
	end(f, inner);
	end(f, event);
}

static void put_waking(struct perfetto *f, const struct timeline_run *run)
{
	unsigned char *event = begin_ftrace(f, run->woken_ns, run->waker), *inner = begin(f, 20);

	put_task(f, 1, &run->name, run->tid, run->priority);
	put_number(f, 4, 1);
	put_number(f, 5, run->cpu);
	end(f, inner);
	end(f, event);
}

static void perfetto_run(struct timeline_encoder *encoder, const struct timeline_run *run)
{
	struct perfetto *f = (struct perfetto *)encoder;
	unsigned char *packet = begin_packet(f, FLAG_NEEDS_STATE), *bundle;

	bundle = begin(f, PACKET_FTRACE);
	put_number(f, 1, run->cpu);
	if (run->woken_ns)
		put_waking(f, run);
	put_switch(f, run, false);
	put_switch(f, run, true);
	end(f, bundle);
	end_packet(f, packet);
}

/* ---- stacks, as a profiler has them ---- */

enum { MAPPING_PROGRAM = 1, MAPPING_KERNEL, FRAMES_MAX = 512 };

/* Each frame is in a file: of those there are two, the program with all it uses, and the kernel. */
static void put_mappings(struct perfetto *f)
{
	static const char *const names[] = { "program", "kernel" };
	unsigned char *packet, *interned, *entry;

	if (f->has_mappings)
		return;
	f->has_mappings = true;
	packet = begin_packet(f, FLAG_NEEDS_STATE);
	interned = begin(f, PACKET_INTERNED);
	for (unsigned i = 0; i < 2; i++) {
		entry = begin(f, LIST_PATHS);
		put_number(f, 1, MAPPING_PROGRAM + i);
		put_text(f, 2, names[i], strlen(names[i]));
		end(f, entry);
	}
	for (unsigned i = 0; i < 2; i++) {
		entry = begin(f, LIST_MAPPINGS);
		put_number(f, 1, MAPPING_PROGRAM + i);
		put_number(f, 7, MAPPING_PROGRAM + i);
		end(f, entry);
	}
	end(f, interned);
	end_packet(f, packet);
}

/* A new one has a packet of its own: all of a stack's would not fit into one. */
static uint64_t put_frame(struct perfetto *f, const char *text, size_t len)
{
	bool is_new, kernel = len > 4 && !memcmp(text + len - 4, "_[k]", 4);
	uint64_t id = name_id(f, LIST_FRAMES, text, len, &is_new);
	unsigned char *packet, *interned, *entry;

	if (!is_new)
		return id;
	packet = begin_packet(f, FLAG_NEEDS_STATE);
	interned = begin(f, PACKET_INTERNED);
	entry = begin(f, LIST_FUNCTIONS);
	put_number(f, 1, id);
	put_text(f, 2, text, kernel ? len - 4 : len);
	end(f, entry);
	entry = begin(f, LIST_FRAMES);
	put_number(f, 1, id);
	put_number(f, 2, id);
	put_number(f, 3, kernel ? MAPPING_KERNEL : MAPPING_PROGRAM);
	/* without places, those of one file would be one frame */
	put_number(f, 4, id);
	end(f, entry);
	end(f, interned);
	end_packet(f, packet);
	return id;
}

static void put_stack(struct perfetto *f, uint64_t id, const uint64_t *frames, unsigned n)
{
	unsigned char *interned = begin(f, PACKET_INTERNED), *entry = begin(f, LIST_STACKS);

	put_number(f, 1, id);
	for (unsigned i = 0; i < n; i++)
		put_number(f, 2, frames[i]);
	end(f, entry);
	end(f, interned);
}

static void perfetto_stack(struct timeline_encoder *encoder, const struct timeline_stack *stack)
{
	struct perfetto *f = (struct perfetto *)encoder;
	const char *p = stack->frames.text, *last = p + stack->frames.len, *next;
	uint64_t frames[FRAMES_MAX], id;
	unsigned char *packet, *sample;
	unsigned n = 0;
	bool is_new;

	put_mappings(f);
	id = name_id(f, LIST_STACKS, p, stack->frames.len, &is_new);
	for (; is_new && p < last && n < FRAMES_MAX; p = next + 1) {
		next = memchr(p, ';', (size_t)(last - p));
		next = next ? next : last;
		frames[n++] = put_frame(f, p, (size_t)(next - p));
	}
	packet = begin_packet(f, FLAG_NEEDS_STATE);
	put_number(f, PACKET_TIMESTAMP, stack->ns);
	if (is_new)
		put_stack(f, id, frames, n);
	sample = begin(f, PACKET_SAMPLE);
	put_number(f, 1, 0);
	put_number(f, 2, stack->pid);
	put_number(f, 3, stack->tid);
	put_number(f, 4, id);
	put_number(f, 5, 2);
	end(f, sample);
	end_packet(f, packet);
}

static void perfetto_free(struct timeline_encoder *encoder)
{
	free(encoder);
}

struct timeline_encoder *timeline_perfetto(FILE *out)
{
	struct perfetto *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->encoder = (struct timeline_encoder){
		.start = perfetto_start,
		.track = perfetto_track,
		.event = perfetto_event,
		.run = perfetto_run,
		.stack = perfetto_stack,
		.free = perfetto_free,
		.out = out,
	};
	return &f->encoder;
}
