/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the way from rows to counters: whose a row is by the rules of `amp`, as far as it is known by then. */
#include "analysis/metrics/metrics_summary.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analysis/amp/live_processes.h"
#include "analysis/amp/programs.h"
#include "analysis/amp/systems.h"
#include "analysis/common/hash.h"
#include "analysis/metrics/metrics_print.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/output_file.h"

enum {
	HEADER_SIZE = 4096,
	DROP_EVERY_S = 60,
	COMM_SIZE = 64,
	KNOWN = 1024,
	KNOWN_COMM = 24,
	PARTS = 1 << OP_EVENT | 1 << OP_PID | 1 << OP_COMMAND | 1 << OP_SIZE | 1 << OP_LATENCY |
		1 << OP_RESULT | 1 << OP_ERROR | 1 << OP_DETAIL | 1 << OP_DEVICE | 1 << OP_PATH |
		1 << OP_FLAGS | 1 << OP_MONO | 1 << OP_OWNER_PID | 1 << OP_OWNER | 1 << OP_COUNT |
		1 << OP_ERRORS,
};

/* Of a name of a thread and a program; rules are many, names are few. */
struct known {
	char comm[KNOWN_COMM]; /* "": free */
	const char *program;
	const char *system; /* NULL: none */
};

struct metrics_live {
	const char *file;
	struct metrics_model model;
	struct operations *operations;
	struct systems systems;
	struct known known[KNOWN];
	struct live_processes processes;
	struct {
		struct layout layout;
		struct split split;
		struct field fields[PROGRAMS_N_COLUMNS];
		char scratch[SUMMARY_ROW_MAX];
	} exec;
	uint64_t dropped_ns; /* processes that are over were forgotten then */
	double started;
	int err; /* of the last file, 0: it was written */
	bool no_memory;
};

static double wall_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / NS_PER_S;
}

static void open_exec(struct metrics_live *l)
{
	char header[HEADER_SIZE];
	size_t len = schema_header(STREAM_exec, 0, header, sizeof(header) - SPLIT_PAD);

	split_row(header, len, &l->exec.split);
	layout_make(&l->exec.layout, programs_columns, PROGRAMS_N_COLUMNS, header, len - 1,
		    &l->exec.split);
}

/* ---- the file ---- */

static uint64_t resident_bytes(void)
{
	FILE *in = fopen("/proc/self/statm", "re");
	unsigned long long pages = 0;

	if (in && fscanf(in, "%*s %llu", &pages) != 1)
		pages = 0;
	if (in)
		fclose(in);
	return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

static int publish(void *self, bool last)
{
	struct metrics_live *l = self;
	struct metrics_tracer tracer = { .started = l->started,
					 .up = !last,
					 .memory_bytes = resident_bytes() };
	struct output_file file;
	struct timespec used;
	int err = output_file_open_regular(&file, l->file); /* everybody may read it */

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	tracer.cpu_ns = (uint64_t)used.tv_sec * NS_PER_S + (uint64_t)used.tv_nsec;
	if (!err) {
		metrics_print(file.out, &l->model, &tracer);
		err = output_file_close(&file, 0);
	}
	if (l->model.no_memory && !l->no_memory)
		log_warn("%s: some counts are missing: out of memory", l->file);
	l->no_memory = l->model.no_memory;
	if (err && !l->err && !last)
		log_warn("%s: metrics are tried again, and counted meanwhile", l->file);
	l->err = err;
	return err;
}

/* ---- rows ---- */

static const char *find_system(struct metrics_live *l, const char *comm, const char *program)
{
	size_t len = strlen(comm);
	uint64_t hash = hash_text(hash_mix(1, (uintptr_t)program), comm, len);
	struct known *known = &l->known[hash % KNOWN];

	if (!len || len >= KNOWN_COMM)
		return systems_find(&l->systems, comm, program);
	if (known->program != program || strcmp(known->comm, comm) != 0) {
		*known = (struct known){ .program = program };
		memcpy(known->comm, comm, len);
		known->system = systems_find(&l->systems, comm, program);
	}
	return known->system;
}

/* As `amp` has it: by the name of the thread or the program, or what its process is by another thread's name. */
static const char *system_of(struct metrics_live *l, const struct operation *op)
{
	const struct field *owner = &op->parts[OP_OWNER_PID];
	bool owned = op->stream == STREAM_ds && owner->known && owner->u;
	const struct field *comm = &op->parts[owned ? OP_OWNER : OP_COMMAND];
	const struct field *pid = owned ? owner : &op->parts[OP_PID];
	const char *program = pid->known ? live_processes_program(&l->processes, pid->u) : NULL;
	const char *known = pid->known ? live_process_system(&l->processes, pid->u) : NULL;
	char name[COMM_SIZE];
	const char *system;

	snprintf(name, sizeof(name), "%.*s", (int)comm->len, comm->len ? comm->text : "");
	system = find_system(l, name, program);
	if (system && system != known && pid->known)
		live_process_belongs(&l->processes, pid->u, system);
	system = system ? system : known;
	if (system)
		return system;
	return systems_is_kernel(name, program) || !pid->u ? "kernel" : "others";
}

static bool take_exec(struct metrics_live *l, const char *row, size_t len)
{
	if (split_row(row, len, &l->exec.split) < 0 ||
	    !layout_row(&l->exec.layout, row, &l->exec.split, l->exec.scratch, l->exec.fields))
		return false;
	live_processes_take(&l->processes, l->exec.fields);
	return true;
}

static bool feed(void *self, enum stream_id stream, const char *row, size_t len)
{
	struct metrics_live *l = self;
	struct operation op;
	uint64_t now;

	if ((stream == STREAM_exec && !take_exec(l, row, len)) ||
	    !operations_read(l->operations, stream, row, len, &op))
		return false;
	metrics_feed(&l->model, &op, stream == STREAM_lost ? NULL : system_of(l, &op));
	now = op.parts[OP_MONO].u;
	if (now > l->dropped_ns + DROP_EVERY_S * NS_PER_S) {
		live_processes_drop(&l->processes, now);
		l->dropped_ns = now;
	}
	return true;
}

/* ---- beginning and end ---- */

static void close_metrics(void *self)
{
	struct metrics_live *l = self;

	if (!l)
		return;
	metrics_free(&l->model);
	operations_close(l->operations);
	systems_free(&l->systems);
	live_processes_free(&l->processes);
	free(l);
}

/* The first file tells at once whether there can be any. */
static void *open_metrics(const struct summary_room *room)
{
	struct metrics_live *l = calloc(1, sizeof(*l));
	int err = l ? 0 : -ENOMEM;

	if (l) {
		l->file = room->metrics;
		l->started = wall_now();
		open_exec(l);
		l->operations = operations_open(PARTS);
		err = l->operations ? systems_read_all(&l->systems, NULL) : -ENOMEM;
		err = err ? err : publish(l, false);
	}
	if (!err)
		return l;
	close_metrics(l);
	errno = -err;
	return NULL;
}

const struct summary_kind metrics_summary = {
	.name = "metrics",
	.all_streams = true,
	.open = open_metrics,
	.row = feed,
	.publish = publish,
	.close = close_metrics,
};
