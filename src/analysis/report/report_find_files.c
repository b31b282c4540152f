/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns what is judged by file. There may be more files than fit in memory, so that those which may be
 * a finding are noted while they go by: of each kind the few that weigh most.
 */
#include "analysis/report/report_find_files.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/common/compare_text.h"
#include "analysis/common/units.h"
#include "analysis/report/report_machine.h"

enum { KEPT = 16, EVIDENCE = 512, RANDOM_SIZE = 128 << 10 };

enum kind {
	RANDOM_READ,
	RANDOM_WRITE,
	RE_READ,
	REWRITTEN,
	OPENED,
	MISALIGNED,
	COPY_FROM,
	COPY_TO,
	N_KINDS
};

struct file {
	char *name;
	size_t len;
	uint64_t weight;
	uint32_t device, pid;
	uint64_t opens, pids, rewrites, completed_writes;
	struct files_transfers moved[2];
};

struct report_noted_files {
	struct file files[N_KINDS][KEPT];
	unsigned n[N_KINDS];
};

/* ---- while they go by ---- */

/* Of those with as much, the one whose name comes first */
static bool weighs_more(const struct file *a, const struct file *b)
{
	if (a->weight != b->weight)
		return a->weight > b->weight;
	return compare_text(a->name, a->len, b->name, b->len) < 0;
}

static bool note(struct report_noted_files *noted, enum kind kind, const struct files_entry *entry,
		 uint64_t weight)
{
	const struct files_cell *cell = entry->cell;
	struct file file = {
		.name = (char *)entry->name, /* a copy of it, when it stays */
		.len = entry->len,
		.weight = weight,
		.device = entry->device,
		.pid = cell->last_pid,
		.opens = cell->opens,
		.pids = cell->n_pids,
		.rewrites = cell->rewrites,
		.completed_writes = cell->completed_writes,
		.moved = { cell->moved[0], cell->moved[1] },
	}, *place = &noted->files[kind][0];

	if (noted->n[kind] < KEPT) {
		place = &noted->files[kind][noted->n[kind]];
	} else {
		for (unsigned i = 1; i < KEPT; i++)
			if (weighs_more(place, &noted->files[kind][i]))
				place = &noted->files[kind][i];
		if (!weighs_more(&file, place))
			return true;
	}
	file.name = strndup(entry->name, entry->len);
	if (!file.name)
		return false;
	if (noted->n[kind] < KEPT)
		noted->n[kind]++;
	else
		free(place->name);
	*place = file;
	return true;
}

static uint64_t scattered(const struct files_transfers *moved)
{
	return moved->located - moved->sequential;
}

static bool is_random(const struct report *r, const struct files_transfers *moved, uint64_t opens)
{
	const double *limits = r->limits.values;
	uint64_t calls = moved->calls.calls - moved->calls.errors;

	return calls && moved->located &&
	       (double)calls >= limits[LIMIT_RANDOM_PER_OPEN] * (double)opens &&
	       (double)calls >= limits[LIMIT_RANDOM_CALLS] &&
	       (double)scattered(moved) >= limits[LIMIT_RANDOM_SHARE] * (double)moved->located &&
	       moved->bytes / calls < RANDOM_SIZE;
}

static const struct report_item *on_device(const struct report *r, const char *name, size_t len)
{
	const struct report_key key = { .kind = REPORT_ON_DEVICE, .name = name, .len = len };

	return report_find(&r->tally, &key);
}

/* Devices read what nobody reads: blocks that are written in part */
static bool is_misaligned(const struct report *r, const struct files_entry *e)
{
	const struct files_cell *cell = e->cell;
	const struct report_key mapped = { .kind = REPORT_MAPPED, .name = e->name, .len = e->len };
	const double *limits = r->limits.values;
	uint64_t writes = cell->moved[FILES_WRITE].calls.calls;
	const struct report_item *item;

	if (!r->on[STREAM_ds] || cell->moved[FILES_READ].calls.calls ||
	    (double)writes < limits[LIMIT_MISALIGNED_READS])
		return false;
	item = on_device(r, e->name, e->len);
	return item && (double)item->values[REPORT_READS] >= limits[LIMIT_MISALIGNED_READS] &&
	       (double)item->values[REPORT_READS] >=
		       limits[LIMIT_MISALIGNED_SHARE] * (double)writes &&
	       report_sees(r, STREAM_fs, "MMAP") && !report_find(&r->tally, &mapped);
}

static bool note_file(struct report *r, const struct files_entry *e)
{
	const struct files_cell *cell = e->cell;
	const double *limits = r->limits.values;
	struct report_noted_files *noted = r->noted;
	uint64_t moved = cell->moved[0].calls.calls + cell->moved[1].calls.calls;
	uint64_t pids = cell->n_pids;
	bool done = true;

	for (unsigned d = 0; d < 2; d++)
		/* rewrites are a finding of their own */
		if (is_random(r, &cell->moved[d], cell->opens) &&
		    (!d || cell->rewrites * 2 < cell->completed_writes))
			done = note(noted, d ? RANDOM_WRITE : RANDOM_READ, e,
				    scattered(&cell->moved[d])) &&
			       done;
	if ((double)cell->moved[FILES_READ].located >= limits[LIMIT_REREAD_BYTES] &&
	    cell->moved[FILES_READ].reach &&
	    (double)cell->moved[FILES_READ].located >=
		    limits[LIMIT_REREAD_TIMES] * (double)cell->moved[FILES_READ].reach)
		done = note(noted, RE_READ, e, cell->moved[FILES_READ].located) && done;
	if ((double)cell->rewrites >= limits[LIMIT_REWRITE_CALLS] && cell->rewrites &&
	    (double)cell->rewrites >= limits[LIMIT_REWRITE_SHARE] * (double)cell->completed_writes)
		done = note(noted, REWRITTEN, e, cell->rewrites) && done;
	if ((double)cell->opens >= limits[LIMIT_OPEN_CALLS] && cell->opens >= moved && pids &&
	    (double)cell->opens >= limits[LIMIT_OPEN_PER_PROCESS] * (double)pids)
		done = note(noted, OPENED, e, cell->opens) && done;
	if (is_misaligned(r, e))
		done = note(noted, MISALIGNED, e, cell->moved[FILES_WRITE].calls.calls) && done;
	for (unsigned d = 0; d < 2; d++)
		if ((double)cell->moved[d].bytes >= limits[LIMIT_COPY_BYTES] && pids == 1)
			done = note(noted, d ? COPY_TO : COPY_FROM, e, cell->moved[d].bytes) &&
			       done;
	return done;
}

bool report_note_files(struct report *r, const struct files_answer *files)
{
	bool done = true;

	if (!r->noted)
		r->noted = calloc(1, sizeof(*r->noted));
	for (uint64_t i = 0; r->noted && i < files->n; i++)
		done = note_file(r, &files->entries[i]) && done;
	return r->noted && done;
}

void report_free_files(struct report *r)
{
	for (unsigned kind = 0; r->noted && kind < N_KINDS; kind++)
		for (unsigned i = 0; i < r->noted->n[kind]; i++)
			free(r->noted->files[kind][i].name);
	free(r->noted);
	r->noted = NULL;
}

/* ---- what they are ---- */

/* How much of a file devices read; all of it where that was not recorded. */
static uint64_t from_device(const struct report *r, const struct file *file)
{
	const struct report_item *item = on_device(r, file->name, file->len);

	if (!r->on[STREAM_ds])
		return file->moved[FILES_READ].bytes;
	return item ? item->values[REPORT_READ_BYTES] : 0;
}

static void judge_random(struct findings *f, const struct file *file, unsigned direction)
{
	const struct files_transfers *moved = &file->moved[direction];
	uint64_t calls = moved->calls.calls - moved->calls.errors;
	double share = (double)moved->calls.ns / report_span(f);
	bool rotates = report_device_rotates(report_answer_of(f), file->device);
	bool reaches = direction == FILES_WRITE ||
		       from_device(report_of(f), file) >= moved->bytes / 10;
	char name[FINDING_NAME_SIZE], evidence[EVIDENCE], time[UNITS_SIZE], size[UNITS_SIZE];

	snprintf(evidence, sizeof(evidence),
		 "%.0f %% of its bytes do not follow the call before; %s each; %s%s",
		 100 * (double)scattered(moved) / (double)moved->located,
		 units_bytes(size, moved->bytes / calls),
		 rotates ? "its device rotates" : "its device does not rotate, as far as is known",
		 reaches ? "" : "; most came from memory");
	report_found(f,
		     &(struct finding){
			     .id = direction ? FINDING_RANDOM_WRITES : FINDING_RANDOM_READS,
			     .share = share,
			     .harmless = !rotates || !reaches,
			     .at_least = rotates && reaches && direction == FILES_READ &&
							 share >= report_limit(f, LIMIT_MEDIUM) ?
						 FINDING_HIGH :
						 FINDING_LOW,
			     .subject = file->name,
			     .subject_len = file->len,
			     .evidence = evidence,
			     .reader = "files",
			     .command = direction ? "--histograms --sort writes" :
						    "--histograms --sort reads" },
		     "%s: %" PRIu64 " %s in no order, which took %s",
		     finding_name(name, file->name, file->len), calls,
		     direction ? "writes" : "reads", units_ns(time, moved->calls.ns));
}

static void judge_re_reads(struct findings *f, const struct file *file)
{
	const struct files_transfers *read = &file->moved[FILES_READ];
	double again = 1 - (double)read->reach / (double)read->located;
	uint64_t device = from_device(report_of(f), file);
	bool known = report_of(f)->on[STREAM_ds], reaches = known && device >= 2 * read->reach;
	char name[FINDING_NAME_SIZE], evidence[EVIDENCE], all[UNITS_SIZE], size[UNITS_SIZE],
		came[UNITS_SIZE];

	snprintf(evidence, sizeof(evidence), "%s of %s%s%s", units_bytes(all, read->located),
		 units_bytes(size, read->reach), known ? "; from devices: " : "",
		 known ? units_bytes(came, device) : "");
	report_found(f,
		     &(struct finding){ .id = FINDING_RE_READS,
					.share = again * (double)read->calls.ns / report_span(f),
					.at_least = reaches ? FINDING_MEDIUM : FINDING_LOW,
					.subject = file->name,
					.subject_len = file->len,
					.evidence = evidence,
					.reader = "files",
					.command = "--sort read_bytes" },
		     "%s was read %.1f times over", finding_name(name, file->name, file->len),
		     (double)read->located / (double)read->reach);
}

static void judge_rewrites(struct findings *f, const struct file *file)
{
	const struct files_calls *writes = &file->moved[FILES_WRITE].calls;
	char name[FINDING_NAME_SIZE], evidence[EVIDENCE];
	double part = (double)file->rewrites / (double)file->completed_writes;

	snprintf(evidence, sizeof(evidence), "%.0f %% of its %" PRIu64 " writes", 100 * part,
		 file->completed_writes);
	report_found(f,
		     &(struct finding){ .id = FINDING_REWRITES,
					.share = part * (double)writes->ns / report_span(f),
					.subject = file->name,
					.subject_len = file->len,
					.evidence = evidence,
					.reader = "files",
					.command = "--sort rewrites" },
		     "%s: %" PRIu64 " writes began where the one before began",
		     finding_name(name, file->name, file->len), file->rewrites);
}

static void judge_opens(struct findings *f, const struct file *file)
{
	const struct report_key key = { REPORT_OPERATION, STREAM_fs, 0, "OPEN", 4 };
	const struct report_item *all = report_find(&report_of(f)->tally, &key);
	uint64_t n = all ? all->values[REPORT_COUNT] : 0;
	double time = all ? (double)all->values[REPORT_NS] : 0;
	char name[FINDING_NAME_SIZE], evidence[EVIDENCE];

	snprintf(evidence, sizeof(evidence),
		 "%" PRIu64 " reads and writes in all, by %" PRIu64 " processes",
		 file->moved[0].calls.calls + file->moved[1].calls.calls, file->pids);
	report_found(f,
		     &(struct finding){ .id = FINDING_OPEN_CHURN,
					.share = n ? time * (double)file->opens / (double)n /
								 report_span(f) :
						     0,
					.subject = file->name,
					.subject_len = file->len,
					.evidence = evidence,
					.reader = "files",
					.command = "--sort opens" },
		     "%s was opened %" PRIu64 " times", finding_name(name, file->name, file->len),
		     file->opens);
}

static void judge_misaligned(struct findings *f, const struct file *file)
{
	const struct files_transfers *write = &file->moved[FILES_WRITE];
	const struct report_item *item = on_device(report_of(f), file->name, file->len);
	char name[FINDING_NAME_SIZE], evidence[EVIDENCE], time[UNITS_SIZE], each[UNITS_SIZE];

	snprintf(evidence, sizeof(evidence), "%" PRIu64 " writes, %s each; no reads, not mapped",
		 write->calls.calls, units_bytes(each, write->bytes / write->calls.calls));
	report_found(f,
		     &(struct finding){ .id = FINDING_MISALIGNED,
					.share = (double)item->values[REPORT_NS] / report_span(f),
					.subject = file->name,
					.subject_len = file->len,
					.evidence = evidence,
					.reader = "files",
					.command = "--histograms --sort writes" },
		     "%s: devices read %" PRIu64 " blocks before they were written, which took %s",
		     finding_name(name, file->name, file->len), item->values[REPORT_READS],
		     units_ns(time, item->values[REPORT_NS]));
}

static bool is_copy(const struct file *from, const struct file *to)
{
	uint64_t reads = from->moved[FILES_READ].calls.calls,
		 writes = to->moved[FILES_WRITE].calls.calls;

	/* a read more or two find the end */
	return from->pid == to->pid &&
	       from->moved[FILES_READ].bytes == to->moved[FILES_WRITE].bytes && writes <= reads &&
	       reads <= writes + 2;
}

static void judge_copy(struct findings *f, const struct file *from, const struct file *to)
{
	const struct files_transfers *read = &from->moved[FILES_READ],
				     *write = &to->moved[FILES_WRITE];
	char name[FINDING_NAME_SIZE], evidence[FINDING_NAME_SIZE + 64], command[64],
		size[UNITS_SIZE], each[UNITS_SIZE];

	snprintf(evidence, sizeof(evidence), "from %s, %s a call",
		 finding_name(name, from->name, from->len),
		 units_bytes(each, write->bytes / write->calls.calls));
	snprintf(command, sizeof(command), "-p %u", from->pid);
	report_found(f,
		     &(struct finding){ .id = FINDING_USER_COPY,
					.share = (double)(read->calls.ns + write->calls.ns) /
						 report_span(f),
					.subject = to->name,
					.subject_len = to->len,
					.evidence = evidence,
					.reader = "files",
					.command = command },
		     "process %u copied %s to %s by reading and writing", from->pid,
		     units_bytes(size, write->bytes), finding_name(name, to->name, to->len));
}

void report_find_in_files(struct findings *f)
{
	const struct report_noted_files *noted = report_of(f)->noted;

	if (!noted)
		return;
	for (unsigned i = 0; i < noted->n[RANDOM_READ]; i++)
		judge_random(f, &noted->files[RANDOM_READ][i], FILES_READ);
	for (unsigned i = 0; i < noted->n[RANDOM_WRITE]; i++)
		judge_random(f, &noted->files[RANDOM_WRITE][i], FILES_WRITE);
	for (unsigned i = 0; i < noted->n[RE_READ]; i++)
		judge_re_reads(f, &noted->files[RE_READ][i]);
	for (unsigned i = 0; i < noted->n[REWRITTEN]; i++)
		judge_rewrites(f, &noted->files[REWRITTEN][i]);
	for (unsigned i = 0; i < noted->n[OPENED]; i++)
		judge_opens(f, &noted->files[OPENED][i]);
	for (unsigned i = 0; i < noted->n[MISALIGNED]; i++)
		judge_misaligned(f, &noted->files[MISALIGNED][i]);
	for (unsigned i = 0; i < noted->n[COPY_TO]; i++)
		for (unsigned j = 0; j < noted->n[COPY_FROM]; j++)
			if (is_copy(&noted->files[COPY_FROM][j], &noted->files[COPY_TO][i]))
				judge_copy(f, &noted->files[COPY_FROM][j],
					   &noted->files[COPY_TO][i]);
}
