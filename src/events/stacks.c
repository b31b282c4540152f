/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stream stacks: see stacks.h. A record comes before that of its operation, of whose row it becomes a row
 * of its own. Owns what is known of the stacks in the kernel's tables: a text of each, and when it
 * was removed there to make room.
 */
#include "events/stacks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "events/events_private.h"
#include "events/events_rows.h"
#include "events/stack_text.h"
#include "probes/schema/fs_ops.def"
#include "probes/schema/stacks.def"
#include "row/anon.h"

EVENTS_ROW(stacks)

/* Places, in which the later one takes that of the earlier one */
enum { PENDING = 1024, TEXTS = 8192 };

/* A program that had the number of a stack before it was removed may have stamped its record this much later */
#define REMOVED_SLACK_NS (10 * (NS_PER_S / 1000))

struct user_text {
	uint32_t tgid;
	int32_t number;
	uint64_t innermost;
	uint64_t caller;  /* of the innermost frame, that is not among the others; 0 */
	uint32_t version; /* of what was known of the process; 0: no text is here */
	struct stack_text text;
};

/* kernel_read: once, whether it worked or not */
struct stacks {
	struct stack_sources sources;
	struct kernel_names *kernel_names;
	bool kernel_read;
	struct iot_stack pending[PENDING]; /* by thread; ts 0: none */
	struct user_text texts[TEXTS];     /* by process and number */
	struct stack_field kernel[IOT_KERNEL_STACKS];
	/* of both tables: which were met, how many, and when all were removed last */
	uint8_t met_user[IOT_USER_STACKS], met_kernel[IOT_KERNEL_STACKS];
	unsigned n_user, n_kernel;
	uint64_t removed_user_ns, removed_kernel_ns;
	char status[8];
};

/* ---- the kernel's tables ---- */

/* Version 0 is that of no process, so that nobody finds it. */
static void drop_text(struct user_text *at)
{
	stack_text_free(&at->text);
	at->version = 0;
}

/* Half of the places are taken, and one in two of new stacks would find none. */
static void remove_user(struct events *ev, struct stacks *s)
{
	for (int i = 0; i < IOT_USER_STACKS; i++)
		if (s->met_user[i])
			ev->stacks.remove(ev->stacks.arg, false, i);
	for (int i = 0; i < TEXTS; i++)
		drop_text(&s->texts[i]);
	memset(s->met_user, 0, sizeof(s->met_user));
	s->n_user = 0;
	s->removed_user_ns = mono_ns() + REMOVED_SLACK_NS;
}

/* The same; texts go, too, since the numbers will be those of other stacks. */
static void remove_kernel(struct events *ev, struct stacks *s)
{
	for (int i = 0; i < IOT_KERNEL_STACKS; i++)
		if (s->met_kernel[i]) {
			ev->stacks.remove(ev->stacks.arg, true, i);
			free(s->kernel[i].text);
			s->kernel[i] = (struct stack_field){ 0 };
		}
	memset(s->met_kernel, 0, sizeof(s->met_kernel));
	s->n_kernel = 0;
	s->removed_kernel_ns = mono_ns() + REMOVED_SLACK_NS;
}

/*
 * The innermost function has no frame pointer mostly: where it returns to is then not among the frames, but near the
 * stack pointer. 0: it has one, or nobody knows.
 */
static uint64_t caller_of(struct stacks *s, const struct iot_stack *rec, uint64_t innermost)
{
	uint32_t above = rec->words[0] || rec->words[1] ?
				 code_maps_above_sp(s->sources.maps, rec->head.tgid, innermost) :
				 0;

	return above && above % 8 == 0 && above / 8 <= IOT_STACK_WORDS ? rec->words[above / 8 - 1] :
									 0;
}

/* Unless the next frame is that already: then the innermost function has a frame pointer. */
static unsigned insert_caller(uint64_t *frames, unsigned n, uint64_t caller)
{
	if (!caller || (n > 1 && frames[1] == caller))
		return n;
	memmove(frames + 2, frames + 1, (n - 1) * sizeof(*frames));
	frames[1] = caller;
	return n + 1;
}

/*
 * NULL: it was lost, removed, or there is no memory. Of one process the same number is the same stack,
 * until what is mapped there changes: then the text is made again.
 */
static const struct stack_text *user_text(struct events *ev, struct stacks *s,
					  const struct iot_stack *rec)
{
	uint64_t frames[IOT_STACK_FRAMES + 1];
	uint32_t tgid = rec->head.tgid, version;
	struct user_text *at =
		&s->texts[(tgid * 2654435761u ^ (uint32_t)rec->user * 40503u) % TEXTS];
	unsigned n;
	bool cut;

	if (!s->sources.maps)
		s->sources.maps = code_maps_open(&ev->resolve->procfs);
	if (!s->sources.maps || !ev->stacks.read || rec->user < 0 || rec->user >= IOT_USER_STACKS ||
	    rec->head.ts < s->removed_user_ns)
		return NULL;
	if (s->n_user >= IOT_USER_STACKS / 2) {
		remove_user(ev, s);
		return NULL;
	}
	version = code_maps_version(s->sources.maps, tgid);
	if (at->version == version && at->tgid == tgid && at->number == rec->user &&
	    at->caller == caller_of(s, rec, at->innermost))
		return &at->text;
	n = ev->stacks.read(ev->stacks.arg, false, rec->user, frames);
	drop_text(at);
	if (!n)
		return NULL;
	s->n_user += !s->met_user[rec->user];
	s->met_user[rec->user] = 1;
	/* as many as a stack of the table has at most: there may be more */
	cut = n == IOT_STACK_FRAMES;
	/* what is mapped is read with the first frame */
	code_maps_find(s->sources.maps, tgid, frames[0]);
	at->innermost = frames[0];
	at->caller = caller_of(s, rec, frames[0]);
	n = insert_caller(frames, n, at->caller);
	if (!stack_text_make(&at->text, &s->sources, tgid, frames, n))
		return NULL;
	at->text.cut = at->text.cut || cut;
	at->tgid = tgid;
	at->number = rec->user;
	/* it may have been read anew for an address */
	at->version = code_maps_version(s->sources.maps, tgid);
	return &at->text;
}

/* The kernel's functions are the same for all processes: the number alone tells which text it is. */
static struct format_text kernel_text(struct events *ev, struct stacks *s,
				      const struct iot_stack *rec)
{
	uint64_t frames[IOT_STACK_FRAMES];
	struct stack_field *field;
	unsigned n;

	if (!ev->stacks.read || rec->kernel < 0 || rec->kernel >= IOT_KERNEL_STACKS ||
	    rec->head.ts < s->removed_kernel_ns)
		return (struct format_text){ 0 };
	if (s->n_kernel >= IOT_KERNEL_STACKS / 2) {
		remove_kernel(ev, s);
		return (struct format_text){ 0 };
	}
	field = &s->kernel[rec->kernel];
	if (field->text)
		return (struct format_text){ field->text, field->len, false };
	if (!s->kernel_read) {
		s->kernel_read = true;
		s->kernel_names = kernel_names_read(ev->resolve->procfs.root);
	}
	n = ev->stacks.read(ev->stacks.arg, true, rec->kernel, frames);
	if (!n || !stack_text_kernel(field, s->kernel_names, frames, n))
		return (struct format_text){ 0 };
	s->n_kernel += !s->met_kernel[rec->kernel];
	s->met_kernel[rec->kernel] = 1;
	return (struct format_text){ field->text, field->len, false };
}

/* ---- rows ---- */

/* Of two threads with one place the earlier one loses its stack: its operation has no row here. */
static struct iot_stack *pending_of(struct stacks *s, uint32_t tid)
{
	return &s->pending[tid % PENDING];
}

static void handle_stack(struct events *ev, void *record, size_t len)
{
	struct stacks *s = ev->state[STREAM_stacks];
	const struct iot_stack *rec = record;

	(void)len;
	if (s)
		*pending_of(s, rec->head.tid) = *rec;
}

static const char *status_of(struct stacks *s, const struct iot_stack *rec,
			     const struct stack_text *text)
{
	char *p = s->status;

	if (text && text->cut)
		*p++ = 't';
	if (text && text->gone)
		*p++ = 'g';
	/* a thread of the kernel has none */
	if (!text)
		*p++ = rec->user == -EFAULT ? 'k' : 'l';
	*p = '\0';
	return s->status;
}

void stacks_of(struct events *ev, const struct stacks_row *operation)
{
	struct stacks *s = ev->state[STREAM_stacks];
	struct iot_stack *rec = s ? pending_of(s, operation->tid) : NULL;
	struct stacks_row row = *operation;
	const struct stack_text *text;

	/* of one that is another operation's the row never came */
	if (!rec || rec->head.tid != row.tid || rec->head.ts < row.start)
		return;
	text = user_text(ev, s, rec);
	row.status = status_of(s, rec, text);
	if (text) {
		row.id = text->id;
		row.n_frames = text->n_frames;
		row.user = (struct format_text){ text->frames.text, text->frames.len, false };
		row.modules = (struct format_text){ text->modules.text, text->modules.len, false };
	}
	row.wait = rec->wait;
	row.kernel = kernel_text(ev, s, rec);
	rec->head.tid = 0;
	stacks_push(ev, row.start, &row);
}

void stacks_forget(struct events *ev, uint32_t tgid)
{
	struct stacks *s = ev->state[STREAM_stacks];

	if (s && s->sources.maps)
		code_maps_forget(s->sources.maps, tgid);
}

/* ---- life ---- */

static void close_stacks(void *state)
{
	struct stacks *s = state;

	if (!s)
		return;
	for (int i = 0; i < TEXTS; i++)
		drop_text(&s->texts[i]);
	for (int i = 0; i < IOT_KERNEL_STACKS; i++)
		free(s->kernel[i].text);
	kernel_names_free(s->kernel_names);
	code_symbols_free(s->sources.symbols);
	code_maps_close(s->sources.maps);
	free(s);
}

static int open_stacks(void **state, const struct plan *plan)
{
	struct stacks *s = calloc(1, sizeof(*s));

	(void)plan;
	*state = s;
	/* names of functions would show which program it is */
	if (s && !anon_on())
		s->sources.symbols = code_symbols_new();
	return s ? 0 : -ENOMEM;
}

struct code_symbols *events_symbols(struct events *ev)
{
	struct stacks *s = ev->state[STREAM_stacks];

	return s && s->sources.n_places ? s->sources.symbols : NULL;
}

const struct stream_ops stream_stacks = {
	.records = {
		{ .type = IOT_REC_STACK, .least = sizeof(struct iot_stack), .handle = handle_stack },
	},
	.open = open_stacks,
	.close = close_stacks,
};
