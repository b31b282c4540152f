/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns what a row of fs, ds, nw or layers counts as. */
#include "analysis/amp/amp_rows.h"

#include <string.h>

#include "analysis/amp/amp_tasks.h"
#include "analysis/common/layers_columns.h"
#include "row/effects.h"
#include "row/row_words.h"
#include "row/fs_ops.h"

enum {
	FS_OPERATION = AMP_N_COMMON,
	FS_PATH,
	FS_LATENCY,
	FS_RESULT,
	FS_FLAGS,
	FS_CALL,
	FS_SIZE,
	FS_INODE,
	FS_OFFSET,
	FS_ADDRESS,
	FS_DEVICE,
	N_FS
};
enum {
	DS_OPERATION = AMP_N_COMMON,
	DS_SIZE,
	DS_LATENCY,
	DS_FLAGS,
	DS_ERROR,
	DS_CAUSE,
	DS_OWNER_PID,
	DS_OWNER_COMMAND,
	DS_PATH,
	DS_INODE,
	DS_DEVICE,
	N_DS
};
enum { NW_HERE = AMP_N_COMMON, NW_THERE, NW_SIZE, NW_DIRECTION, N_NW };
enum { LAYERS_COLUMNS_FROM(AMP_N_COMMON) };

/* clang-format off */
#define COMMON \
	[AMP_MONO] = { .name = "mono_ns", .kind = PARSE_UINT }, \
	[AMP_PID] = { .name = "pid", .kind = PARSE_UINT }, \
	[AMP_COMMAND] = { .name = "command", .kind = PARSE_TEXT }

static const struct read_column fs_columns[N_FS] = {
	COMMON,
	[FS_OPERATION] = { .name = "operation", .kind = PARSE_TEXT, .words = fs_operations },
	[FS_PATH] = { .name = "filename", .kind = PARSE_PATH },
	[FS_LATENCY] = { .name = "latency_ns", .kind = PARSE_UINT },
	[FS_RESULT] = { .name = "return_value", .kind = PARSE_INT },
	[FS_FLAGS] = { .name = "flags", .kind = PARSE_TEXT },
	[FS_CALL] = { .name = "call", .kind = PARSE_TEXT },
	[FS_SIZE] = { .name = "size", .kind = PARSE_UINT },
	[FS_INODE] = { .name = "inode", .kind = PARSE_UINT },
	[FS_OFFSET] = { .name = "offset", .kind = PARSE_UINT },
	[FS_ADDRESS] = { .name = "address", .kind = PARSE_ADDRESSES },
	[FS_DEVICE] = { .name = "device", .kind = PARSE_DEV },
};

static const struct read_column ds_columns[N_DS] = {
	COMMON,
	[DS_OPERATION] = { .name = "operation", .kind = PARSE_TEXT, .words = ds_operations },
	[DS_SIZE] = { .name = "size", .kind = PARSE_UINT },
	[DS_LATENCY] = { .name = "latency_ms", .kind = PARSE_MS },
	[DS_FLAGS] = { .name = "flags", .kind = PARSE_TEXT },
	[DS_ERROR] = { .name = "error", .kind = PARSE_TEXT },
	[DS_CAUSE] = { .name = "cause", .kind = PARSE_TEXT, .words = ds_causes },
	[DS_OWNER_PID] = { .name = "owner_pid", .kind = PARSE_UINT },
	[DS_OWNER_COMMAND] = { .name = "owner_command", .kind = PARSE_TEXT },
	[DS_PATH] = { .name = "filename", .kind = PARSE_PATH },
	[DS_INODE] = { .name = "inode", .kind = PARSE_UINT },
	[DS_DEVICE] = { .name = "dev", .kind = PARSE_DEV },
};

static const struct read_column nw_columns[N_NW] = {
	COMMON,
	[NW_HERE] = { .name = "source_addr", .kind = PARSE_TEXT },
	[NW_THERE] = { .name = "dest_addr", .kind = PARSE_TEXT },
	[NW_SIZE] = { .name = "size", .kind = PARSE_UINT },
	[NW_DIRECTION] = { .name = "direction", .kind = PARSE_TEXT, .words = nw_directions },
};

static const struct read_column layers_columns[N_LAYERS] = {
	COMMON,
	LAYERS_READ_COLUMNS,
};
/* clang-format on */

const struct read_query amp_queries[AMP_N_STREAMS] = {
	[AMP_FS] = { STREAM_fs, fs_columns, N_FS },
	[AMP_DS] = { STREAM_ds, ds_columns, N_DS },
	[AMP_NW] = { STREAM_nw, nw_columns, N_NW },
	[AMP_LAYERS] = { STREAM_layers, layers_columns, N_LAYERS },
};

/* The fields of a call or a request that are alike. */
struct amount {
	uint64_t bytes;
	uint64_t ns;
	bool failed, timed;
};

static bool add(struct amp_sums *sums, enum amp_layer layer, enum amp_direction direction,
		const struct amount *amount)
{
	return amp_sums_add(sums, layer, direction, amount->bytes, amount->failed, amount->timed,
			    amount->ns);
}

/* False without memory. */
static bool take_fs(struct amp_sums *const sums[AMP_N_DIRECTIONS], const struct field *f)
{
	const unsigned effects = fs_row_effects((unsigned)f[FS_OPERATION].u, &f[FS_FLAGS],
						&f[FS_PATH]);
	const bool of[AMP_N_DIRECTIONS] = {
		[AMP_READ] = effect_reads(effects), [AMP_WRITE] = effect_writes(effects)
	};
	bool call = layout_lacks(&f[FS_CALL]) || f[FS_CALL].len;
	bool failed = f[FS_RESULT].known && f[FS_RESULT].s < 0, ok = true;
	const struct amount amount = {
		.bytes = f[FS_RESULT].known && !failed ? (uint64_t)f[FS_RESULT].s : 0,
		.ns = f[FS_LATENCY].u,
		.failed = failed,
		.timed = f[FS_LATENCY].known,
	};

	sums[AMP_WRITE]->syncs += (effects & SYNCS) != 0;
	for (unsigned d = 0; d < AMP_N_DIRECTIONS; d++) {
		if (!of[d])
			continue;
		ok = ok && add(sums[d], AMP_VFS, (enum amp_direction)d, &amount);
		if (call)
			ok = ok && add(sums[d], AMP_SYS, (enum amp_direction)d, &amount);
	}
	/* a transfer that moved nothing found the end of its source */
	sums[AMP_WRITE]->small_writes += of[AMP_WRITE] && call && amount.bytes &&
					 amount.bytes < AMP_SMALL;
	return ok;
}

/*
 * By its cause; in recordings without one by who submitted it (fs/jbd2 names its threads so)
 * and by the flags of the request.
 */
static enum amp_class class_of(const struct field *f)
{
	if (f[DS_CAUSE].u == CAUSE_JOURNAL)
		return AMP_JOURNAL;
	if (f[DS_CAUSE].u == CAUSE_METADATA || f[DS_CAUSE].u == CAUSE_LAZYINIT)
		return AMP_METADATA;
	if (f[DS_CAUSE].len)
		return AMP_DATA;
	if (f[AMP_COMMAND].len >= 5 && !memcmp(f[AMP_COMMAND].text, "jbd2/", 5))
		return AMP_JOURNAL;
	return field_has(&f[DS_FLAGS], "meta") ? AMP_METADATA : AMP_DATA;
}

static bool take_ds(struct amp_sums *const both[AMP_N_DIRECTIONS], const struct field *f)
{
	const unsigned effects = ds_effects((unsigned)f[DS_OPERATION].u);
	const bool writes = effect_writes(effects);
	const struct amount amount = {
		.bytes = f[DS_SIZE].u,
		.ns = f[DS_LATENCY].u,
		.failed = f[DS_ERROR].len,
		.timed = f[DS_LATENCY].known,
	};

	struct amp_sums *sums = both[writes ? AMP_WRITE : AMP_READ];

	if (!effects)
		return true;
	if (writes)
		sums->classes[class_of(f)] += f[DS_SIZE].u;
	return add(sums, AMP_BLK, writes ? AMP_WRITE : AMP_READ, &amount);
}

/* Itself is not another host: neither by a loopback address nor by one of its own. */
static bool is_of_other_host(const struct field *here, const struct field *there)
{
	static const char *const loopbacks[] = { "127.", "::ffff:127.", "::1" };

	if (!there->len || (here->len == there->len && !memcmp(here->text, there->text, here->len)))
		return false;
	for (size_t i = 0; i < sizeof(loopbacks) / sizeof(loopbacks[0]); i++) {
		size_t n = strlen(loopbacks[i]);
		bool prefix = loopbacks[i][n - 1] == '.';

		if ((prefix ? there->len > n : there->len == n) &&
		    !memcmp(there->text, loopbacks[i], n))
			return false;
	}
	return true;
}

static void take_nw(struct amp_sums *const sums[AMP_N_DIRECTIONS], const struct field *f)
{
	sums[AMP_WRITE]->net[f[NW_DIRECTION].u == NW_SENDS ? AMP_WRITE : AMP_READ] += f[NW_SIZE].u;
}

static void take_layers(struct amp_sums *sums, const struct field *f)
{
	bool writes = f[LAYERS_OPERATION].u == LAYERS_WRITE;
	const struct amp_side side = {
		.count = f[LAYERS_COUNT].u,
		.bytes = f[LAYERS_BYTES].u,
		.errors = f[LAYERS_ERRORS].u,
		.timed = f[LAYERS_COUNT].u,
		.summed = f[LAYERS_COUNT].u,
		.ns = f[LAYERS_LATENCY].u,
	};
	/* in the same order */
	unsigned layer = (unsigned)f[LAYERS_LAYER].u - LAYERS_SYSCALL + AMP_SYS;

	if (f[LAYERS_OPERATION].u == LAYERS_SYNC)
		sums->syncs += layer == AMP_SYS ? side.count : 0;
	else if (layer < AMP_N_LAYERS)
		amp_sums_count(sums, (enum amp_layer)layer, writes ? AMP_WRITE : AMP_READ, &side);
	if (layer == AMP_BLK && writes)
		sums->classes[f[LAYERS_CLASS].u == CAUSE_JOURNAL  ? AMP_JOURNAL :
			      f[LAYERS_CLASS].u == CAUSE_METADATA ? AMP_METADATA :
								    AMP_DATA] += side.bytes;
}

/* ---- all of them ---- */

bool amp_has_device(enum amp_stream stream)
{
	return stream == AMP_DS;
}

static void note_write(struct unwritten *u, const struct field *f, void *owner)
{
	const unsigned op = (unsigned)f[FS_OPERATION].u;
	const unsigned effects = fs_row_effects(op, &f[FS_FLAGS], &f[FS_PATH]);
	struct unwritten_write write = {
		.inode = f[FS_INODE].u,
		.device = f[FS_DEVICE].u,
		.path = f[FS_PATH].text,
		.len = f[FS_PATH].len,
		.offset = f[FS_OFFSET].known ? (int64_t)f[FS_OFFSET].u : -1,
		.bytes = f[FS_RESULT].u,
		.ns = f[AMP_MONO].u,
		.owner = owner,
	};

	if (!effect_writes(effects))
		return;
	if (effects & WRITES_SECOND) {
		const struct read_text second = amp_row_file(AMP_FS, f, AMP_WRITE);

		/* of the second file: fs has no other column for it */
		write.inode = f[FS_ADDRESS].u;
		write.path = second.text;
		write.len = second.len;
		write.offset = -1;
	}
	unwritten_wrote(u, &write);
}

/* Files whose content this row ends, or that have another name by it. */
static void note_names(struct unwritten *u, const struct field *f)
{
	const struct field *path = &f[FS_PATH];
	const uint64_t ns = f[AMP_MONO].u;
	const char *second;

	switch (f[FS_OPERATION].u) {
	case IOT_UNLINK:
		unwritten_gone(u, path->text, path->len, ns);
		break;
	case IOT_TRUNCATE:
		if (!f[FS_SIZE].u)
			unwritten_gone(u, path->text, path->len, ns);
		break;
	case IOT_OPEN:
		if (field_has(&f[FS_FLAGS], "O_TRUNC"))
			unwritten_gone(u, path->text, path->len, ns);
		break;
	case IOT_RENAME:
		second = second_path(path->text, path->len);
		if (second)
			unwritten_renamed(u, path->text,
					  (size_t)(second - path->text) - PATHS_BETWEEN, second,
					  (size_t)(path->text + path->len - second), ns);
		break;
	default:
		break;
	}
}

void amp_row_unwritten(struct unwritten *u, enum amp_stream stream, const struct field *f,
		       void *owner)
{
	if (stream == AMP_DS && effect_writes(ds_effects((unsigned)f[DS_OPERATION].u)) &&
	    class_of(f) == AMP_DATA)
		unwritten_reached(u, f[DS_INODE].u, f[DS_PATH].text, f[DS_PATH].len, f[DS_SIZE].u);
	if (stream != AMP_FS || !f[FS_RESULT].known || f[FS_RESULT].s < 0)
		return;
	note_write(u, f, owner);
	note_names(u, f);
}

const struct field *amp_row_device(enum amp_stream stream, const struct field *f)
{
	return stream == AMP_FS ? &f[FS_DEVICE] : stream == AMP_DS ? &f[DS_DEVICE] : NULL;
}

struct amp_caller amp_row_caller(enum amp_stream stream, const struct field *f)
{
	/* a request belongs to who caused it, whoever submitted it */
	bool owned = stream == AMP_DS && f[DS_OWNER_PID].known && f[DS_OWNER_PID].u;
	const struct field *pid = &f[owned ? DS_OWNER_PID : AMP_PID];
	const struct field *command = &f[owned ? DS_OWNER_COMMAND : AMP_COMMAND];

	return (struct amp_caller){
		.known = pid->known,
		.pid = pid->known ? pid->u : 0,
		.comm = command->text,
		.comm_len = command->len,
	};
}

bool amp_row_counts(enum amp_stream stream, const struct field *f)
{
	switch (stream) {
	case AMP_FS:
		return f[FS_OPERATION].known && is_file_or_disk(f[FS_PATH].text, f[FS_PATH].len);
	case AMP_NW:
		return is_of_other_host(&f[NW_HERE], &f[NW_THERE]);
	default:
		return true;
	}
}

bool amp_row_repeats(enum amp_stream stream, const struct field *f)
{
	return (stream == AMP_DS && f[DS_CAUSE].u == CAUSE_LOOP) ||
	       (stream == AMP_LAYERS && f[LAYERS_CLASS].u == CAUSE_LOOP);
}

/* What has no file is named by what it is for, in words that are no absolute path. */
static struct read_text no_file(uint64_t cause)
{
	static const char *const names[N_DS_CAUSES] = { [CAUSE_JOURNAL] = "(journal)",
							[CAUSE_METADATA] = "(metadata)",
							[CAUSE_LAZYINIT] = "(metadata)",
							[CAUSE_SWAP] = "(swap)",
							[CAUSE_DEVICE] = "(device)" };
	const char *name = cause < N_DS_CAUSES ? names[cause] : NULL;

	name = name ? name : "(not known)";
	return (struct read_text){ name, strlen(name) };
}

struct read_text amp_row_file(enum amp_stream stream, const struct field *f,
			      enum amp_direction direction)
{
	const struct field *path = &f[stream == AMP_FS ? FS_PATH : DS_PATH];
	const char *second;

	if (!path->len)
		return no_file(stream == AMP_DS ? f[DS_CAUSE].u : 0);
	second = stream == AMP_FS ? second_path(path->text, path->len) : NULL;
	if (!second)
		return (struct read_text){ path->text, path->len };
	if (direction == AMP_READ)
		return (struct read_text){ path->text,
					   (size_t)(second - path->text) - PATHS_BETWEEN };
	return (struct read_text){ second, (size_t)(path->text + path->len - second) };
}

bool amp_row_add(struct amp_sums *const sums[AMP_N_DIRECTIONS], enum amp_stream stream,
		 const struct field *f)
{
	if (stream == AMP_NW)
		take_nw(sums, f);
	if (stream == AMP_LAYERS)
		take_layers(sums[AMP_READ], f);
	return stream == AMP_FS ? take_fs(sums, f) : stream == AMP_DS ? take_ds(sums, f) : true;
}

const struct column_meaning amp_column_meanings[] = {
	{ "call", "what the kernel did by itself counts as system calls" },
	{ "latency_ns", "no times of calls" },
	{ "latency_ms", "no times of requests" },
	{ "flags", "no classes of bytes" },
	{ "error", "no errors" },
	{ "cause",
	  "journal and metadata are told by the flags of requests and who submitted them" },
	{ "owner_pid", "requests count for who submitted them" },
	{ "owner_command", "requests count for who submitted them" },
	{ "filename", "no files of requests" },
	{ "device", "no devices of calls" },
	{ "dev", "no devices of requests" },
	{ "class", "no classes of bytes" },
	{ "inode", "what is not yet written back" },
	{ "source_addr", "addresses of its own count as other hosts" },
	{ NULL, NULL },
};
