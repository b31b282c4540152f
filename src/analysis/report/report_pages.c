/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the second look at rows of the page cache, where one inode was several files: they come in
 * order with the calls of fs, and what a call does to pages it does to those of the file by whose
 * name it was opened. What comes outside of calls is of the file that had the inode last.
 */
#include "analysis/report/report_pages.h"

#include <string.h>

#include "analysis/report/report_choice.h"
#include "analysis/report/report_columns.h"
#include "analysis/report/report_generations.h"
#include "analysis/report/report_fields.h"
#include "analysis/report/report_rows.h"
#include "base/log.h"
#include "read/read_merge.h"
#include "row/fs_ops.h"

enum { CALLS, PAGES, N_QUERIES };

enum {
	CALL_OPERATION = REPORT_OWN,
	CALL_LATENCY,
	CALL_SPARE,
	CALL_TID,
	CALL_INODE,
	CALL_OFFSET,
	CALL_SIZE,
	N_CALL
};
enum { PAGE_TID = N_CACHE, PAGE_OFFSET, N_PAGE };

/* Of a call under way, what REPORT_CALL has as its values; its label is the path. */
enum { CALL_ENDS, CALL_ITS_INODE, CALL_FIRST, CALL_LAST };

/* ---- calls ---- */

static struct report_item *call_of(struct report_tally *tally, const struct field *tid)
{
	const struct report_key key = { .kind = REPORT_CALL, .number = tid->u };

	return tid->known ? report_item(tally, &key) : NULL;
}

static void note_call(struct report_tally *tally, const struct field *f)
{
	struct report_item *call = call_of(tally, &f[CALL_TID]);
	unsigned op = (unsigned)f[CALL_OPERATION].u;

	if (!call || !f[CALL_OPERATION].known || op >= IOT_N_OPS)
		return;
	call->values[CALL_ENDS] = 0;
	if (!f[CALL_LATENCY].known || !f[REPORT_PATH].len || fs_ops[op].traits & FS_TWO)
		return;
	/* of a descriptor that nobody saw being opened, the inode may not be known */
	if (!f[CALL_INODE].known && (!(fs_ops[op].traits & FS_DATA) || !f[CALL_OFFSET].known))
		return;
	report_item_label(tally, call, f[REPORT_PATH].text, f[REPORT_PATH].len, f[REPORT_MONO].u);
	call->values[CALL_ENDS] = f[REPORT_MONO].u + f[CALL_LATENCY].u;
	call->values[CALL_ITS_INODE] = f[CALL_INODE].u;
	call->values[CALL_FIRST] = f[CALL_OFFSET].u & ~4095ull;
	call->values[CALL_LAST] = f[CALL_OFFSET].u + f[CALL_SIZE].u;
}

/* Whether the call is what a row of pages comes from. */
static bool is_by_call(const struct report_item *call, const struct field *f)
{
	if (!call || f[REPORT_MONO].u > call->values[CALL_ENDS])
		return false;
	if (call->values[CALL_ITS_INODE])
		return call->values[CALL_ITS_INODE] == f[CACHE_INODE].u;
	return !f[REPORT_PATH].len && f[PAGE_OFFSET].known &&
	       f[PAGE_OFFSET].u >= call->values[CALL_FIRST] &&
	       f[PAGE_OFFSET].u <= call->values[CALL_LAST];
}

/* ---- pages ---- */

static void take_pages(struct report_tally *tally, const struct field *f)
{
	struct report_item *inode = report_doubtful(tally, f[CACHE_INODE].u, f[CACHE_DEVICE].u);
	const struct report_item *call = call_of(tally, &f[PAGE_TID]), *name = NULL;
	struct report_key key = { .kind = REPORT_CACHED };

	if (!f[CACHE_INODE].known || !inode)
		return;
	if (is_by_call(call, f))
		name = call;
	else if (!f[REPORT_PATH].len)
		name = inode;
	key.number = inode->number;
	key.second = inode->second;
	key.name = name ? name->label : f[REPORT_PATH].text;
	key.len = name ? name->label_len : f[REPORT_PATH].len;
	if (name != inode)
		report_item_label(tally, inode, key.name, key.len, f[REPORT_MONO].u);
	report_count_pages(report_pages_of(tally, &key, f[REPORT_MONO].u), f);
}

static void make_queries(struct read_query queries[N_QUERIES], struct read_column calls[N_CALL],
			 struct read_column pages[N_PAGE])
{
	memcpy(calls, report_fs_columns, CALL_SPARE * sizeof(*calls));
	calls[CALL_SPARE] = (struct read_column){ .name = "" };
	calls[CALL_TID] = (struct read_column){ .name = "tid", .kind = PARSE_UINT };
	calls[CALL_INODE] = (struct read_column){ .name = "inode", .kind = PARSE_UINT };
	calls[CALL_OFFSET] = (struct read_column){ .name = "offset", .kind = PARSE_UINT };
	calls[CALL_SIZE] = (struct read_column){ .name = "size", .kind = PARSE_UINT };
	memcpy(pages, report_cache_columns, N_CACHE * sizeof(*pages));
	pages[PAGE_TID] = (struct read_column){ .name = "tid", .kind = PARSE_UINT };
	pages[PAGE_OFFSET] = (struct read_column){ .name = "offset", .kind = PARSE_UINT };
	queries[CALLS] = (struct read_query){ STREAM_fs, calls, N_CALL };
	queries[PAGES] = (struct read_query){ STREAM_cache, pages, N_PAGE };
}

static void read_pages(struct report *r, const struct row_filter *filter)
{
	struct read_column calls[N_CALL], pages[N_PAGE];
	struct read_query queries[N_QUERIES];
	struct read_merge *merge;
	struct read_merged row;

	make_queries(queries, calls, pages);
	merge = read_merge_open(&r->session, queries, N_QUERIES);
	r->tally.no_memory = r->tally.no_memory || !merge;
	while (merge && read_merge_next(merge, &row)) {
		if (row.query == CALLS)
			note_call(&r->tally, row.fields);
		else if (report_chooses(r, filter, STREAM_cache, row.fields))
			take_pages(&r->tally, row.fields);
	}
	read_merge_close(merge);
}

/* What was kept in spite of its name has it still. */
static void drop_others(struct report_tally *tally, const struct row_filter *filter)
{
	for (uint64_t i = 0; filter->path && i < tally->n_slots; i++)
		for (struct report_item *item = tally->slots[i]; item; item = item->next)
			if (item->kind == REPORT_CACHED &&
			    !row_filter_has_path(filter, item->name, item->name_len))
				item->kind = REPORT_JOINED;
}

void report_join_pages(struct report *r, const struct row_filter *filter)
{
	enum log_level level = log_get_level();

	if (!r->on[STREAM_cache])
		return;
	if (report_forget_doubtful(&r->tally)) {
		/* what cannot be read was reported the first time */
		log_set_level(LOG_QUIET);
		read_pages(r, filter);
		log_set_level(level);
	}
	report_join_renamed(&r->tally);
	drop_others(&r->tally, filter);
}
