/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the choice between a directory and a tap. Neither knows of the other. */
#include "session/session_output.h"

#include <errno.h>

#include "base/clock.h"
#include "events/order.h"
#include "row/format.h"
#include "write/write_session.h"

/* Who looks on does not want to wait for operations that began earlier and still last. */
enum { TAP_HOLD_NS = 100 * 1000 * 1000 };

int output_open(struct output *output, const struct recording_options *options)
{
	int err = 0;

	output->tap = options->tap;
	if (output->tap)
		output->hurry_ns = ORDER_HOLD_NS - TAP_HOLD_NS;
	else
		output->writer = write_open(&options->write, &err);
	return output->tap || output->writer ? 0 : err;
}

int output_start(struct output *output, const struct recording_options *options)
{
	if (!output->writer)
		return 0;
	return digest_open(&output->digest, &options->summary, options->no_rows, output->writer,
			   options->dir);
}

void output_stream(struct output *output, enum stream_id stream)
{
	if (output->writer)
		write_stream(output->writer, stream);
}

void output_row(struct output *output, enum stream_id stream, const char *row, size_t len,
		uint64_t key)
{
	if (output->tap)
		output->tap->row(output->tap->arg, stream, row, len, key);
	else
		digest_row(&output->digest, stream, row, len, format_real_ns(key));
}

/* The gap becomes rows of `lost` when these can be written again. */
static void account_disk(struct output *output, struct ledger *ledger)
{
	const struct write_totals *totals = write_totals(output->writer);

	for (unsigned i = 0; i < N_EVENT_STREAMS; i++)
		if (!schema_has(i, ALWAYS_RECORDED)) {
			ledger_missed(ledger, i, LOST_DISK_FULL, -1, totals->no_room[i], mono_ns());
			ledger_missed(ledger, i, LOST_DISK_ERROR, -1, totals->disk_error[i],
				      mono_ns());
		}
}

static enum output_state tick_tap(const struct row_tap *tap)
{
	switch (tap->tick(tap->arg)) {
	case TAP_GONE:
		return OUTPUT_GONE;
	case TAP_STOP:
		return OUTPUT_STOP;
	default:
		return OUTPUT_GOING;
	}
}

enum output_state output_tick(struct output *output, struct ledger *ledger)
{
	enum write_state state;

	if (output->tap)
		return tick_tap(output->tap);
	digest_tick(&output->digest);
	state = write_tick(output->writer);
	if (output->paused && state == WRITE_OK)
		account_disk(output, ledger);
	output->paused = state == WRITE_PAUSED;
	output->stopped = output->stopped || state == WRITE_STOPPED;
	return output->stopped ? OUTPUT_GONE : OUTPUT_GOING;
}

static void keep_waiting(void *arg, enum stream_id stream, const char *row, size_t len,
			 uint64_t key)
{
	write_waiting(arg, stream, row, len, key);
}

void output_waiting(struct output *output, struct events *events)
{
	struct writer *writer = output->writer;

	if (!writer || output->digest.no_rows || !write_waiting_is_due(writer))
		return;
	for (int i = 0; i < N_EVENT_STREAMS; i++) {
		events_news(events, i, keep_waiting, writer);
		write_waiting_end(writer, i, events_first(events, i));
	}
}

void output_rotate(struct output *output)
{
	if (output->writer)
		write_rotate(output->writer);
}

void output_stopping(struct output *output)
{
	if (output->tap && output->tap->stopping)
		output->tap->stopping(output->tap->arg);
}

void output_account(struct output *output, struct ledger *ledger)
{
	if (!output->writer)
		return;
	write_rotate(output->writer); /* the last chance of a full disk to show */
	account_disk(output, ledger);
}

void output_end(struct output *output, bool interrupted)
{
	if (output->tap)
		output->tap->end(output->tap->arg, interrupted);
	else
		output->summary_error = digest_end(&output->digest);
}

int output_finish(struct output *output, struct write_totals *totals)
{
	int err = output->writer ? write_end(output->writer, totals) : 0;

	output->writer = NULL;
	if (output->stopped)
		return -EIO;
	return err ? err : output->summary_error;
}

void output_abandon(struct output *output)
{
	if (output->writer)
		write_abandon(output->writer);
	output->writer = NULL;
}

void output_close(struct output *output)
{
	digest_close(&output->digest);
}
