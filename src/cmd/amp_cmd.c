/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `iotracer amp`: its command line, its rules, and the way from directories to amplification. */
#include "analysis/amp/amp_print.h"

#include <string.h>

#include "analysis/amp/amp_charts.h"
#include "analysis/amp/amp_read.h"
#include "analysis/amp/amp_readings.h"
#include "analysis/common/units.h"
#include "base/log.h"
#include "cmd/commands.h"
#include "cmd/reader_options.h"

struct amp_arguments {
	struct reader reader;
	struct amp_view view;
	struct amp_options read;
	const char *rules;
	struct systems systems;
	struct amp_groups groups;
	struct amp_runs runs; /* of more files than fit in memory */
};

/* ---- options ---- */

#define TO(kind, member) OPTION_TO(kind, struct amp_arguments, member)
#define AT(parser, member) .parse = parser, .target = offsetof(struct amp_arguments, member)

/* clang-format off */
static const struct option_row rows[] = {
	{ .name = "by", .argument = "KEY", .common = true, .section = OPTIONS_MAIN,
	  AT(option_word, read.by), .words = amp_by_names,
	  .help = "system, process, comm, file, device, container ...",
	  .more = "system, process, comm, file, device, cgroup, container, host. Default: system. Rules decide the system of a process; without one that matches it is `others`, threads of the kernel are `kernel`. "
		  "A call belongs to the disk of its file system, a request to the device that served it. "
		  "The control group of a process comes from snapshots (stream process), else it is that of its parent." },
	{ .name = "interval", .argument = "TIME", .common = true, .section = OPTIONS_MAIN,
	  AT(option_interval, read.interval_ns),
	  .help = "a row for each interval (e.g. 1s), with its start" },
	{ .name = "net", .common = true, .section = OPTIONS_MAIN, TO(flag, read.net),
	  .help = "bytes sent to other hosts for each byte received",
	  .more = "From rows of nw. Replication shows as more than 1. Bytes that a host sends to itself do not count." },
	{ .name = "rules", .argument = "FILE", .common = true, .section = OPTIONS_MAIN,
	  TO(text, rules), .help = "rules for systems, before the user's and installed",
	  .more = "A line has the name of a system and shell patterns. A pattern without a slash is compared with the "
		  "name of a thread and with the last part of its program's path, one with a slash with the whole path. The "
		  "first match wins. `~/.config/iotracer/systems.conf` is read after FILE, and the installed file last." },
	READER_FORMAT_ROWS,
	READER_TOP_ROW("rows (20; 0, exact or --interval: all)"),
	{ .name = "svg", .argument = "FOLDER", .common = true, .section = OPTIONS_MAIN,
	  TO(text, reader.folder), .help = "draw five charts instead of tables",
	  .more = "amplification.svg, operations.svg, latency.svg, efficiency.svg and bytes.svg, which any "
		  "browser shows. FOLDER is created if missing." },
	READER_OUTPUT_ROW,
	READER_PROCESS_ROWS,
	READER_TIME_ROWS("rows"),
	READER_MEMORY_ROW,
	READER_LAST_ROWS,
};
/* clang-format on */

const struct command command_amp = {
	.name = "amp",
	.summary = "shows device I/O per application I/O, by storage system",
	.usage = "DIR... [OPTION]...",
	.example = "iotracer amp ~/trace --by process",
	.next = "iotracer amp DIR --by process, or --by file; iotracer files DIR",
	.options = rows,
	.run = amp_command,
};

/* ---- what a trace lacks ---- */

/* Whether the answer is made of the stream's rows. */
static bool is_told(const struct amp_reading *r, unsigned stream, bool net)
{
	if (stream == AMP_NW)
		return r->on[stream] && net;
	return r->on[stream] && r->counted == (stream == AMP_LAYERS);
}

/* Each thing once for a directory, not once for each stream of it. */
static void print_gaps(const struct reader *reader, const void *reading, FILE *out,
		       const char *prefix)
{
	const struct amp_arguments *o = (const struct amp_arguments *)reader;
	const struct amp_reading *r = reading;
	char size[UNITS_SIZE];
	bool first = true;

	for (unsigned s = 0; s < AMP_N_STREAMS; s++)
		if (is_told(r, s, o->read.net)) {
			gaps_print(out, prefix, &r->gaps[s], first);
			first = false;
		}
	if (r->counted)
		fprintf(out,
			"%sfrom counters (layers): all calls and requests, no percentiles, no small "
			"writes\n",
			prefix);
	else if (gaps_rows_chosen_apart(r->session.manifest))
		fprintf(out,
			"%scalls and requests were recorded by what each was (--operation, --errors, "
			"--min-latency): one may be there without the other, and factors may be wrong\n",
			prefix);
	if (!r->on[AMP_FS] && !r->counted)
		fprintf(out, "%sfs was not recorded: no system calls, and no factors\n", prefix);
	else if (!amp_reading_counts_vfs(r))
		fprintf(out,
			"%soperations of file systems are counted in tier a alone: vfs and "
			"the factors made with it are not known\n",
			prefix);
	if (!r->on[AMP_DS] && !r->counted)
		fprintf(out, "%sds was not recorded: no requests of devices\n", prefix);
	if (o->read.net && !r->on[AMP_NW])
		fprintf(out, "%snw was not recorded: no bytes of the network\n", prefix);
	if (o->read.by == AMP_BY_CGROUP && !r->cgroups.n)
		fprintf(out, "%sno snapshot of processes: their control groups are not known\n",
			prefix);
	if (r->unwritten)
		fprintf(out, "%s%s of the bytes written had not reached a device at the end\n",
			prefix, units_bytes(size, r->unwritten));
	if (!r->exec)
		fprintf(out,
			"%sexec was not recorded: systems are found by names of threads "
			"alone\n",
			prefix);
}

static json_t *gaps(const struct reader *reader, const void *reading)
{
	const struct amp_arguments *o = (const struct amp_arguments *)reader;
	const struct amp_reading *r = reading;
	json_t *of_stream = json_object();

	for (unsigned s = 0; s < AMP_N_STREAMS; s++)
		if (is_told(r, s, o->read.net))
			json_object_set_new(of_stream, streams[amp_queries[s].stream].name,
					    gaps_json(&r->gaps[s]));
	json_object_set_new(of_stream, "vfs_counted", json_boolean(amp_reading_counts_vfs(r)));
	json_object_set_new(of_stream, "chosen_apart",
			    json_boolean(!r->counted &&
					 gaps_rows_chosen_apart(r->session.manifest)));
	json_object_set_new(of_stream, "unwritten_bytes", json_integer((json_int_t)r->unwritten));
	return of_stream;
}

/* ---- the answer ---- */

static int complete(struct reader *reader)
{
	struct amp_arguments *o = (struct amp_arguments *)reader;

	if (o->read.by == AMP_BY_CONTAINER)
		reader_wants_containers(reader);
	const bool whole = reader->format != TABLE_TEXT || o->read.interval_ns;
	if (o->read.net && (o->read.by == AMP_BY_DEVICE || o->read.by == AMP_BY_FILE)) {
		log_error("--net excludes --by %s: it sends nothing", amp_by_names[o->read.by]);
		return OPTIONS_WRONG;
	}
	if (reader->folder && (whole || reader->output))
		return reader_refuse("--svg excludes --csv, --json, --output and --interval");
	o->view.net = o->read.net;
	o->view.top = reader->has_top ? reader->top : whole ? 0 : READER_TOP;
	o->read.memory = reader->memory;
	o->groups.by = o->read.by;
	o->groups.interval_ns = o->read.interval_ns;
	o->groups.systems = &o->systems;
	if (!systems_read_all(&o->systems, o->rules))
		return OPTIONS_OK;
	systems_free(&o->systems);
	return 1 + STATUS_FAILED;
}

static int open_trace(struct reader *reader, void *reading, const char *dir)
{
	struct amp_arguments *o = (struct amp_arguments *)reader;
	struct amp_reading *r = reading;
	uint64_t n_rows = 0, chosen = 0;
	int err = amp_reading_open(r, dir, &reader->filter, &o->read);

	if (err)
		return err;
	for (unsigned s = 0; s < AMP_N_STREAMS; s++) {
		n_rows += r->gaps[s].totals.rows;
		chosen += r->gaps[s].chosen;
	}
	row_filter_say_none(&reader->filter, dir, n_rows, chosen);
	/* of one host that is its time; hosts work side by side */
	if (o->read.interval_ns)
		o->view.seconds = (double)o->read.interval_ns / 1e9;
	else if ((double)(r->last_ns - r->first_ns) / 1e9 > o->view.seconds)
		o->view.seconds = (double)(r->last_ns - r->first_ns) / 1e9;
	return 0;
}

/* Groups that are printed once need not be in memory. */
static int make_groups(struct reader *reader)
{
	struct amp_arguments *o = (struct amp_arguments *)reader;
	int err = amp_readings_add(reader->readings, reader->n, &o->groups, &o->runs);

	if (!err && o->runs.n && (o->view.top || reader->format == TABLE_TEXT))
		err = amp_runs_take(&o->runs, &o->groups, o->view.top);
	if (err)
		log_error("%s", strerror(-err));
	return err;
}

static void print_head(const struct reader *reader, FILE *out)
{
	const struct amp_arguments *o = (const struct amp_arguments *)reader;

	fprintf(out, "\"by\": \"%s\",\n  \"amplification\": ", amp_by_names[o->read.by]);
}

static int print(struct reader *reader, FILE *out)
{
	struct amp_arguments *o = (struct amp_arguments *)reader;
	int err;

	if (reader->folder)
		return amp_write_charts(reader->folder, &o->groups, &o->view);
	if (reader->format == TABLE_TEXT)
		return amp_print_text(out, &o->groups, &o->view);
	if (!o->runs.n || o->view.top)
		return amp_print_exact(out, &o->groups, &o->view, reader->format);
	err = amp_print_exact_each(out, &o->groups, &o->view, reader->format, amp_runs_next,
				   &o->runs);
	return err ? err : o->runs.err;
}

static void end(struct reader *reader)
{
	struct amp_arguments *o = (struct amp_arguments *)reader;

	amp_groups_free(&o->groups);
	amp_runs_close(&o->runs);
	systems_free(&o->systems);
}

static void close_trace(void *reading)
{
	amp_reading_close(reading);
}

static const struct reader_command amp = {
	.command = &command_amp,
	.reading_size = sizeof(struct amp_reading),
	.complete = complete,
	.open = open_trace,
	.finish = make_groups,
	.print_gaps = print_gaps,
	.gaps = gaps,
	.print_head = print_head,
	.print = print,
	.end = end,
	.close = close_trace,
};

int amp_command(int argc, char **argv)
{
	struct amp_arguments o = { .read = { .by = AMP_BY_SYSTEM } };

	return reader_run(&amp, &o.reader, argc, argv);
}
