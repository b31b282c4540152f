/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the pieces between the threads. Each thread does what is next: items of
 * a shard before rows of a piece, and these before more text, so that what is
 * under way becomes less before it becomes more.
 */
#include "read/read_ordered.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "read/read_segment.h"

enum { MAX_THREADS = READ_MAX_SHARDS, PIECES_OF_A_THREAD = 3 };
static const uint32_t NO_ITEM = UINT32_MAX;

/* A segment until its last piece is done. */
struct reading {
	const struct read_segment *segment;
	int fd;
	int err; /* of reading it */
	uint64_t counted;
	struct rows_file file;
	char *header;
	size_t header_len;
	struct split header_split;
	char first_bad[LAYOUT_WHY_SIZE + 32];
};

enum piece_state { PIECE_TEXT, PIECE_PARSING, PIECE_ITEMS };

/*
 * A piece is one thread's while its state is PIECE_PARSING, and of the fetching thread before
 * it is begun; all others only read it, until no shard is left and its place in the ring is
 * used again.
 */
struct read_piece {
	enum piece_state state;
	struct reading *reading;
	bool last; /* of its segment */
	char *buf;
	char *scratch;
	size_t start, len;
	uint64_t n_long; /* rows before the text that were too long */
	uint64_t n_rows; /* in the text */
	uint64_t n_bad;
	uint64_t bad_row; /* the first of them, and why */
	char why[LAYOUT_WHY_SIZE];

	char *items;
	size_t item_size;
	uint32_t n_items, max_items;
	uint32_t *next; /* item of the same shard */
	uint32_t first[READ_MAX_SHARDS], last_of[READ_MAX_SHARDS];
	unsigned left; /* shards that have not consumed it */
	bool no_memory;
};

struct ordered {
	const struct read_ordered *read;
	struct read_totals *totals;
	uint64_t *missing;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t changed;
	struct read_piece *pieces;
	unsigned n_pieces;
	uint64_t n_begun, n_done; /* pieces; the one with number n is pieces[n % n_pieces] */
	bool fetching, ended;
	unsigned segment; /* the next one */
	uint64_t n_unopened;
	uint64_t ended_bytes, bytes; /* of the segments before the one that is read, and with it */
	struct reading *reading;
	struct shard {
		bool busy;
		uint64_t next;
	} shards[READ_MAX_SHARDS];
	int err;
};

/* What a thread parses with. */
struct parser {
	struct layout layout;
	struct split split;
	struct field fields[LAYOUT_MAX_COLUMNS];
};

void *read_ordered_add(struct read_piece *piece, unsigned shard)
{
	uint32_t n = piece->n_items;

	if (n == piece->max_items) {
		uint32_t max = n ? 2 * n : 1024;
		char *items = realloc(piece->items, max * piece->item_size);
		uint32_t *next = items ? realloc(piece->next, max * sizeof(*next)) : NULL;

		piece->items = items ? items : piece->items;
		piece->next = next ? next : piece->next;
		piece->no_memory = !next;
		if (!next)
			return NULL;
		piece->max_items = max;
	}
	if (piece->first[shard] == NO_ITEM)
		piece->first[shard] = n;
	else
		piece->next[piece->last_of[shard]] = n;
	piece->next[n] = NO_ITEM;
	piece->last_of[shard] = n;
	piece->n_items++;
	return piece->items + n * piece->item_size;
}

/* ---- text: one thread at a time, without the lock ---- */

static void close_reading(struct reading *reading)
{
	if (!reading)
		return;
	rows_file_close(&reading->file);
	if (reading->fd >= 0)
		close(reading->fd);
	free(reading->header);
	free(reading);
}

static int read_header(struct ordered *o, struct reading *reading)
{
	int result = rows_file_header(&reading->file);

	if (result != ROWS_ROW)
		return result;
	reading->header = malloc(reading->file.len + 1);
	if (!reading->header)
		return -ENOMEM;
	memcpy(reading->header, reading->file.row, reading->file.len);
	reading->header_len = reading->file.len;
	reading->header_split = reading->file.split;
	for (unsigned i = 0; i < o->read->query->n_columns; i++)
		if (!rows_file_has(&reading->file, i))
			*o->missing |= 1ull << i;
	return ROWS_ROW;
}

/* The next segment that can be opened; NULL: there is none, or *err. */
static struct reading *open_next(struct ordered *o, int *err)
{
	const struct read_session *session = o->read->session;
	const struct read_query *query = o->read->query;
	const struct read_stream *stream = &session->streams[query->stream];

	while (o->segment < stream->n_segments) {
		const struct read_segment *segment = &stream->segments[o->segment++];
		struct reading *reading = calloc(1, sizeof(*reading));
		enum packing packing;

		*err = reading ? 0 : -ENOMEM;
		if (*err)
			return NULL;
		reading->segment = segment;
		reading->fd = read_segment_open(session, segment, &packing);
		if (reading->fd >= 0) {
			*err = rows_file_open(&reading->file, reading->fd, packing, query->columns,
					      query->n_columns, NULL);
			if (!*err)
				return reading;
		} else {
			o->n_unopened += !(reading->fd == -ENOENT &&
					   session->state == READ_RECORDING);
		}
		close_reading(reading);
		if (*err)
			return NULL;
	}
	return NULL;
}

/* Fills a piece. False: there is no more text, or *err. */
static bool fetch(struct ordered *o, struct read_piece *piece, int *err)
{
	struct reading *reading = o->reading;
	int result = ROWS_ROW;

	if (!reading) {
		reading = open_next(o, err);
		if (!reading)
			return false;
		o->reading = reading;
		result = read_header(o, reading);
	}
	piece->n_long = piece->len = 0;
	if (result == ROWS_ROW)
		result = rows_file_lines(&reading->file, &piece->buf, &piece->start, &piece->len,
					 &piece->n_long);
	piece->reading = reading;
	/*
	 * a piece without text, too, so that a segment that cannot be read still comes to its
	 * end
	 */
	piece->last = result != ROWS_ROW;
	if (result < 0)
		reading->err = result;
	if (piece->last)
		o->reading = NULL;
	return true;
}

/* ---- rows: any thread, without the lock ---- */

static void begin_piece(struct read_piece *piece, unsigned n_shards)
{
	piece->n_rows = piece->n_bad = 0;
	piece->n_items = 0;
	piece->left = n_shards;
	for (unsigned i = 0; i < n_shards; i++)
		piece->first[i] = NO_ITEM;
}

/* For each piece: the one before may have been of another segment, whose columns can differ. */
static void use_header(struct parser *parser, const struct read_piece *piece,
		       const struct read_query *query)
{
	const struct reading *reading = piece->reading;

	layout_make(&parser->layout, query->columns, query->n_columns, reading->header,
		    reading->header_len, &reading->header_split);
}

static void parse_piece(const struct read_ordered *read, struct parser *parser,
			struct read_piece *piece)
{
	const char *at = piece->buf + piece->start, *end = at + piece->len;

	if (piece->len)
		use_header(parser, piece, read->query);
	while (at < end) {
		long len = split_row(at, (size_t)(end - at), &parser->split);
		bool good = false;

		piece->n_rows++;
		if (len > ROWS_FILE_ROW_MAX)
			snprintf(parser->layout.why, sizeof(parser->layout.why),
				 "longer than %d bytes", ROWS_FILE_ROW_MAX);
		else if (layout_row(&parser->layout, at, &parser->split,
				    piece->scratch + (at - piece->buf), parser->fields))
			good = true;
		if (good) {
			read->row(read->arg, piece, parser->fields);
		} else if (!piece->n_bad++) {
			piece->bad_row = piece->n_rows;
			memcpy(piece->why, parser->layout.why, sizeof(piece->why));
		}
		at += len + 1;
	}
}

static void consume(const struct read_ordered *read, unsigned shard, const struct read_piece *piece)
{
	for (uint32_t i = piece->first[shard]; i != NO_ITEM; i = piece->next[i])
		read->item(read->arg, shard, piece->items + i * piece->item_size);
}

/* ---- what is done, in order and under the lock ---- */

/*
 * Pieces come here in their order: a thread that parses one does not know how many rows were
 * before.
 */
static void note_bad(struct read_piece *piece)
{
	struct reading *reading = piece->reading;
	bool first = !reading->file.n_bad;

	if (first && piece->n_long)
		snprintf(reading->first_bad, sizeof(reading->first_bad),
			 "row %" PRIu64 ": longer than %d bytes", reading->counted + 1,
			 ROWS_FILE_ROW_MAX);
	else if (first && piece->n_bad)
		snprintf(reading->first_bad, sizeof(reading->first_bad), "row %" PRIu64 ": %s",
			 reading->counted + piece->bad_row, piece->why);
	reading->file.n_bad += piece->n_long + piece->n_bad;
	reading->counted += piece->n_long + piece->n_rows;
}

static void end_segment(struct ordered *o, struct reading *reading)
{
	const struct read_session *session = o->read->session;

	if (reading->file.state == ROWS_GOING && !reading->err)
		rows_file_end(&reading->file, reading->counted);
	reading->file.n = reading->counted;
	if (reading->err)
		read_segment_failed(session, reading->segment, reading->err);
	else
		read_segment_report(session, reading->segment, &reading->file, reading->first_bad);
	o->totals->unreadable += reading->err ||
				 read_segment_is_short(reading->segment, &reading->file);
	o->totals->bytes += reading->file.source.bytes;
	close_reading(reading);
}

static void end_pieces(struct ordered *o)
{
	while (o->n_done < o->n_begun) {
		struct read_piece *piece = &o->pieces[o->n_done % o->n_pieces];

		if (piece->state != PIECE_ITEMS || piece->left)
			break;
		note_bad(piece);
		o->totals->rows += piece->n_rows - piece->n_bad;
		o->totals->bad_rows += piece->n_bad + piece->n_long;
		if (piece->no_memory)
			o->err = -ENOMEM;
		if (piece->last)
			end_segment(o, piece->reading);
		o->n_done++;
		if (o->read->progress)
			o->read->progress(o->read->arg, o->totals->rows, o->bytes);
	}
}

/* ---- threads ---- */

/*
 * A shard takes pieces in their order, one at a time; different shards need not wait for each
 * other.
 */
static bool do_shard(struct ordered *o)
{
	for (unsigned i = 0; i < o->read->n_shards; i++) {
		struct shard *shard = &o->shards[i];
		struct read_piece *piece = &o->pieces[shard->next % o->n_pieces];

		if (shard->busy || shard->next >= o->n_begun || piece->state != PIECE_ITEMS)
			continue;
		shard->busy = true;
		pthread_mutex_unlock(&o->lock);
		consume(o->read, i, piece);
		pthread_mutex_lock(&o->lock);
		shard->busy = false;
		shard->next++;
		piece->left--;
		end_pieces(o);
		return true;
	}
	return false;
}

static bool do_piece(struct ordered *o, struct parser *parser)
{
	for (uint64_t n = o->n_done; n < o->n_begun; n++) {
		struct read_piece *piece = &o->pieces[n % o->n_pieces];

		if (piece->state != PIECE_TEXT)
			continue;
		piece->state = PIECE_PARSING;
		pthread_mutex_unlock(&o->lock);
		parse_piece(o->read, parser, piece);
		pthread_mutex_lock(&o->lock);
		piece->state = PIECE_ITEMS;
		return true;
	}
	return false;
}

static bool do_text(struct ordered *o)
{
	struct read_piece *piece = &o->pieces[o->n_begun % o->n_pieces];
	bool more;
	int err = 0;

	if (o->fetching || o->ended || o->n_begun - o->n_done == o->n_pieces)
		return false;
	if (o->err) {
		o->ended = true;
		return true;
	}
	o->fetching = true;
	pthread_mutex_unlock(&o->lock);
	more = fetch(o, piece, &err);
	pthread_mutex_lock(&o->lock);
	o->fetching = false;
	o->ended = !more;
	if (err)
		o->err = err;
	if (more) {
		begin_piece(piece, o->read->n_shards);
		piece->state = PIECE_TEXT;
		o->bytes = o->ended_bytes + piece->reading->file.source.bytes;
		if (piece->last)
			o->ended_bytes = o->bytes;
		o->n_begun++;
	}
	return true;
}

static void *work(void *arg)
{
	struct ordered *o = arg;
	struct parser *parser = calloc(1, sizeof(*parser));

	pthread_mutex_lock(&o->lock);
	/* the others go on; do_text() ends the reading */
	if (!parser)
		o->err = -ENOMEM;
	while (parser && !(o->ended && o->n_done == o->n_begun)) {
		if (do_shard(o) || do_piece(o, parser) || do_text(o))
			/* what was done may be what any of the others waits for */
			pthread_cond_broadcast(&o->changed);
		else
			pthread_cond_wait(&o->changed, &o->lock);
	}
	pthread_mutex_unlock(&o->lock);
	free(parser);
	return NULL;
}

static bool make_pieces(struct ordered *o)
{
	o->pieces = calloc(o->n_pieces, sizeof(*o->pieces));
	for (unsigned i = 0; o->pieces && i < o->n_pieces; i++) {
		struct read_piece *piece = &o->pieces[i];

		piece->item_size = o->read->item_size;
		piece->buf = malloc(ROWS_FILE_BUFFER);
		piece->scratch = malloc(ROWS_FILE_BUFFER);
		if (!piece->buf || !piece->scratch)
			return false;
	}
	return o->pieces != NULL;
}

static void free_pieces(struct ordered *o)
{
	for (unsigned i = 0; o->pieces && i < o->n_pieces; i++) {
		free(o->pieces[i].buf);
		free(o->pieces[i].scratch);
		free(o->pieces[i].items);
		free(o->pieces[i].next);
	}
	free(o->pieces);
}

int read_ordered(const struct read_ordered *read, struct read_totals *totals, uint64_t *missing)
{
	unsigned n = read->n_threads < 1           ? 1 :
		     read->n_threads > MAX_THREADS ? MAX_THREADS :
						     read->n_threads;
	struct ordered o = { .read = read,
			     .totals = totals,
			     .missing = missing,
			     .lock = PTHREAD_MUTEX_INITIALIZER,
			     .changed = PTHREAD_COND_INITIALIZER,
			     .n_pieces = n * PIECES_OF_A_THREAD };
	pthread_t threads[MAX_THREADS];
	unsigned n_begun = 1;

	memset(totals, 0, sizeof(*totals));
	*missing = 0;
	if (!make_pieces(&o)) {
		free_pieces(&o);
		return -ENOMEM;
	}
	while (n_begun < n && !pthread_create(&threads[n_begun], NULL, work, &o))
		n_begun++;
	work(&o);
	for (unsigned i = 1; i < n_begun; i++)
		pthread_join(threads[i], NULL);
	close_reading(o.reading);
	free_pieces(&o);
	totals->unreadable += o.n_unopened;
	return o.err;
}
