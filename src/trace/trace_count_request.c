/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the look-ups. The decision is the text that the programs have. */
#include "trace/trace_count_request.h"

#include <string.h>

#include "compat/sys/bpf.h"
#include "trace/load.h"
#include "trace/trace_set.h"

/*
 * The programs' text is compiled here, too. Its tables are these, each with the look-up that a table
 * has there; one thread asks, at the end of a recording.
 */
#define IOT_STREAM_layers 1

static struct {
	int loops, partitions, written; /* the maps, and what was found there last: */
	u32 disk;
	struct iot_partitions all;
	struct iot_written writer;
} asked;

static u32 *loop_of(const struct iot_inode *key)
{
	return bpf_map_get(asked.loops, key, &asked.disk) ? NULL : &asked.disk;
}

static struct iot_partitions *partitions_at(const u32 *key)
{
	return bpf_map_get(asked.partitions, key, &asked.all) ? NULL : &asked.all;
}

static struct iot_written *writer_of(const struct iot_inode *key)
{
	return bpf_map_get(asked.written, key, &asked.writer) ? NULL : &asked.writer;
}

static const struct {
	u32 *(*lookup)(const struct iot_inode *key);
} iot_loops = { loop_of };
static const struct {
	struct iot_partitions *(*lookup)(const u32 *key);
} iot_partitions = { partitions_at };
static const struct {
	struct iot_written *(*lookup)(const struct iot_inode *key);
} iot_written = { writer_of };

/* clang unrolls the loops of the programs */
#pragma GCC diagnostic ignored "-Wunknown-pragmas"
#include "probes/schema/count_request.h"

bool trace_count_request(const struct trace *trace, struct iot_rq *rq, struct iot_count_key *key,
			 struct iot_count *counted)
{
	asked.loops = load_map(&trace->loaded, "iot_loops");
	asked.partitions = load_map(&trace->loaded, "iot_partitions");
	asked.written = load_map(&trace->loaded, "iot_written");
	*key = (struct iot_count_key){ 0 };
	*counted = (struct iot_count){ .count = 1, .bytes = (u64)rq->sectors << 9 };
	return asked.loops >= 0 && asked.partitions >= 0 && asked.written >= 0 &&
	       iot_count_key_of(key, counted->comm, rq, rq->rwbs, (u32)rq->dev, rq->sector);
}
