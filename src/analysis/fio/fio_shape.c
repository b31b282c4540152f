/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the sums of a load, and which sizes count as one. */
#include "analysis/fio/fio_shape.h"

static uint64_t mean(const struct fio_size *size)
{
	return size->bytes / size->n;
}

/* How far apart two sizes are, in thousandths of the smaller one. */
static uint64_t distance(uint64_t a, uint64_t b)
{
	uint64_t low = a < b ? a : b, high = a < b ? b : a;

	return low ? (high - low) * 1000 / low : UINT64_MAX;
}

/* The place of that size; a free one; else that of the closest size. */
static struct fio_size *place_of(struct fio_size sizes[FIO_SIZES], uint64_t want)
{
	struct fio_size *closest = &sizes[0];

	for (unsigned i = 0; i < FIO_SIZES; i++) {
		if (!sizes[i].n || mean(&sizes[i]) == want)
			return &sizes[i]; /* they are taken from the first on */
		if (distance(mean(&sizes[i]), want) < distance(mean(closest), want))
			closest = &sizes[i];
	}
	return closest;
}

static void add_size(struct fio_size sizes[FIO_SIZES], const struct fio_size *more)
{
	struct fio_size *size = place_of(sizes, mean(more));

	size->n += more->n;
	size->bytes += more->bytes;
}

void fio_shape_add(struct fio_shape *s, const struct fio_row *row, uint64_t end[FIO_MOVES])
{
	const struct fio_size size = { 1, row->bytes };
	unsigned to = row->does == FIO_WRITE;

	s->busy_ns += row->end_ns - row->ns;
	s->syncs += row->does == FIO_SYNC;
	s->datasyncs += row->does == FIO_DATASYNC;
	if (row->does != FIO_READ && row->does != FIO_WRITE)
		return;
	s->n[to]++;
	s->bytes[to] += row->bytes;
	/* the first one is, at the beginning of the file */
	if (row->offset == end[to])
		s->sequential[to]++;
	else
		fio_skew_add(&s->skew, row->offset);
	end[to] = row->offset + row->bytes;
	if (end[to] > s->reach)
		s->reach = end[to];
	add_size(s->sizes[to], &size);
}

void fio_shape_join(struct fio_shape *s, const struct fio_shape *other)
{
	for (unsigned to = 0; to < FIO_MOVES; to++) {
		s->n[to] += other->n[to];
		s->bytes[to] += other->bytes[to];
		s->sequential[to] += other->sequential[to];
		for (unsigned i = 0; i < FIO_SIZES; i++)
			if (other->sizes[to][i].n)
				add_size(s->sizes[to], &other->sizes[to][i]);
	}
	s->syncs += other->syncs;
	s->datasyncs += other->datasyncs;
	s->busy_ns += other->busy_ns;
	/* of another file, or of another job: each has files of its own in the profile */
	s->reach += other->reach;
	fio_skew_rank(&other->skew, other->reach, s->tenths);
	for (unsigned t = 0; t < FIO_TENTHS; t++)
		s->tenths[t] += other->tenths[t];
}
