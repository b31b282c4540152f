/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns what requests of devices, and bios of devices without requests, count as. */
#include "analysis/report/report_rows_disks.h"

#include <stdio.h>

#include "analysis/report/report_choice.h"
#include "analysis/report/report_failed.h"
#include "analysis/report/report_fields.h"
#include "row/effects.h"
#include "row/row_words.h"

static void count_request(struct report_tally *tally, struct report_item *item,
			  const struct field *f, bool reads, bool writes)
{
	item->values[REPORT_COUNT]++;
	item->values[REPORT_ERRORS] += f[DS_ERROR].known;
	item->values[REPORT_READS] += reads;
	item->values[REPORT_WRITES] += writes;
	item->values[REPORT_FLUSHES] += f[DS_OPERATION].u == DS_OP_FLUSH;
	item->values[REPORT_READ_BYTES] += reads ? f[DS_SIZE].u : 0;
	item->values[REPORT_WRITE_BYTES] += writes ? f[DS_SIZE].u : 0;
	if (f[DS_LATENCY].known) {
		report_item_time(item, f[DS_LATENCY].u);
		report_item_latency(tally, item, f[DS_LATENCY].u);
	}
	if (f[DS_QUEUE].known) {
		item->values[REPORT_QUEUED]++;
		item->values[REPORT_QUEUE_NS] += f[DS_QUEUE].u;
	}
}

static void count_device(struct report_tally *tally, const struct field *f, bool reads, bool writes)
{
	const struct report_key key = { .kind = REPORT_DEVICE, .number = f[DS_DEV].u };
	struct report_item *item = f[DS_DEV].known ? report_item(tally, &key) : NULL;

	if (!item)
		return;
	count_request(tally, item, f, reads, writes);
	if (f[DS_LATENCY].known) {
		report_item_heat(tally, item, f[REPORT_MONO].u, f[DS_LATENCY].u);
		report_item_busy(tally, item, f[REPORT_MONO].u - f[DS_LATENCY].u, f[REPORT_MONO].u);
	}
}

/* Of a device that is made of bios: one of its own (below 0), or what became of one on a device below. */
static void count_bio(struct report_tally *tally, const struct field *f, uint64_t device,
		      uint64_t below)
{
	const struct report_key key = { .kind = REPORT_BIOS, .number = device, .second = below };
	const unsigned effects = ds_effects((unsigned)f[DS_OPERATION].u);
	struct report_item *item = report_item(tally, &key);

	if (item)
		count_request(tally, item, f, effect_reads(effects), effect_writes(effects));
}

/* Their bytes are those of the devices below, which rows of ds have: no sum has them twice. */
void report_take_bio(struct report_tally *tally, const struct report_source *source,
		     const struct field *f, uint64_t *over)
{
	report_operation(tally, source->stream, f, &f[DS_OPERATION], &f[DS_LATENCY],
			 f[DS_ERROR].known, over);
	if (f[DS_ERROR].known)
		report_failed(tally, source->stream, f, &f[DS_OPERATION], NULL, 0, &f[DS_ERROR]);
	if (f[DS_DEV].known)
		count_bio(tally, f, f[DS_DEV].u, 0);
	if (f[DS_BIO_DEV].known)
		count_bio(tally, f, f[DS_BIO_DEV].u, f[DS_DEV].u);
}

/* Who caused it, and why; bytes of a discard are moved nowhere. */
static void count_owner(struct report_tally *tally, const struct field *f, bool reads, bool writes)
{
	const struct field *command = report_caller(STREAM_ds, f).command, *cause = &f[DS_CAUSE];
	struct report_key key = { .kind = REPORT_OWNER };
	struct report_item *item;
	char name[128];

	key.name = name;
	key.len = (size_t)snprintf(name, sizeof(name), "%.*s%c%.*s",
				   cause->len > 40 ? 40 : (int)cause->len, cause->text, '\0',
				   command->len > 64 ? 64 : (int)command->len, command->text);
	item = report_item(tally, &key);
	report_add(item, REPORT_COUNT, 1);
	report_add(item, REPORT_READ_BYTES, reads ? f[DS_SIZE].u : 0);
	report_add(item, REPORT_WRITE_BYTES, writes ? f[DS_SIZE].u : 0);
	if (item && f[DS_LATENCY].known)
		report_item_time(item, f[DS_LATENCY].u);
}

static void count_read(struct report_item *file, const struct field *f)
{
	report_add(file, REPORT_READ_BYTES, f[DS_SIZE].u);
	report_add(file, REPORT_READS, 1);
	report_add(file, REPORT_NS, f[DS_LATENCY].u);
}

/* Of which file, "" when it is not known: what applications read and wrote of it, devices have as far as that. */
static void count_file(struct report_tally *tally, const struct field *f, bool reads, bool writes)
{
	const struct report_key key = { .kind = REPORT_ON_DEVICE,
					.name = f[DS_FILE].len ? f[DS_FILE].text : "",
					.len = f[DS_FILE].len };
	bool for_read = f[DS_CAUSE].u == CAUSE_READ || f[DS_CAUSE].u == CAUSE_DIRECT;

	if (reads && for_read)
		count_read(report_item(tally, &key), f);
	if (writes && f[DS_CAUSE].u != CAUSE_JOURNAL && f[DS_CAUSE].u != CAUSE_METADATA)
		report_add(report_item(tally, &key), REPORT_WRITE_BYTES, f[DS_SIZE].u);
}

void report_take_ds(struct report_tally *tally, const struct report_source *source,
		    const struct field *f, uint64_t *over)
{
	const unsigned effects = ds_effects((unsigned)f[DS_OPERATION].u);
	bool reads = effect_reads(effects), writes = effect_writes(effects);
	struct report_item *process = report_process(tally, source->stream, f);
	struct report_item *item = report_operation(tally, source->stream, f, &f[DS_OPERATION],
						    &f[DS_LATENCY], f[DS_ERROR].known, over);

	if (f[DS_ERROR].known)
		report_failed(tally, source->stream, f, &f[DS_OPERATION], NULL, 0, &f[DS_ERROR]);
	report_move_bytes(item, reads, writes, f[DS_SIZE].u);
	count_device(tally, f, reads, writes);
	if (f[DS_BIO_DEV].known)
		count_bio(tally, f, f[DS_BIO_DEV].u, f[DS_DEV].u);
	count_owner(tally, f, reads, writes);
	if (!f[DS_ERROR].known)
		count_file(tally, f, reads, writes);
	/* the row of a loop device has the bytes already that its file moves */
	if (f[DS_CAUSE].u != CAUSE_LOOP) {
		report_move_over(over, reads, writes, f[DS_SIZE].u);
		report_add(process, REPORT_DISK_READ, reads ? f[DS_SIZE].u : 0);
		report_add(process, REPORT_DISK_WRITTEN, writes ? f[DS_SIZE].u : 0);
	}
	if (f[DS_LATENCY].known)
		report_note_slow(tally, source->stream, f,
				 &(struct report_slow){ .latency_ns = f[DS_LATENCY].u,
							.mono_ns = f[REPORT_MONO].u -
								   f[DS_LATENCY].u,
							.pid = f[REPORT_PID].u },
				 &f[DS_OPERATION], &f[DS_FILE]);
}
