/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `iotracer amp`: its command line, its rules, and the way from directories to amplification. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "analysis/amp/amp_print.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/amp/amp_charts.h"
#include "analysis/amp/amp_read.h"
#include "analysis/common/units.h"
#include "base/log.h"
#include "base/output_file.h"
#include "cmd/commands.h"
#include "cmd/filter_options.h"
#include "cmd/option_groups.h"

enum { DEFAULT_TOP = 20 };

struct amp_arguments {
	struct row_filter filter;
	struct amp_view view;
	struct amp_options read;
	bool csv, json, has_top;
	const char *rules;
	const char *output;
	const char *charts; /* a folder */
};

/* ---- options ---- */

static bool parse_top(const struct option_row *row, const char *arg, void *target)
{
	struct amp_arguments *o = target;

	o->has_top = parse_number(arg, UINT64_MAX, &o->view.top);
	if (!o->has_top)
		log_error("--%s: invalid number '%s'", row->name, arg);
	return o->has_top;
}

static bool parse_by(const struct option_row *row, const char *arg, void *target)
{
	for (unsigned i = 0; amp_by_names[i]; i++)
		if (!strcmp(arg, amp_by_names[i])) {
			*(enum amp_by *)target = (enum amp_by)i;
			return true;
		}
	log_error("--%s: unknown key '%s' (system, process, comm, file, device, host)", row->name,
		  arg);
	return false;
}

#define TO(kind, member) OPTION_TO(kind, struct amp_arguments, member)
#define AT(parser, member) .parse = parser, .target = offsetof(struct amp_arguments, member)

/* clang-format off */
static const struct option_row rows[] = {
	{ .name = "by", .argument = "KEY", .common = true, .section = OPTIONS_MAIN,
	  AT(parse_by, read.by),
	  .help = "system, process, comm, file, device, cgroup or host",
	  .more = "Default: system. Rules decide the system of a process; without one that matches it is `others`, threads of the kernel are `kernel`. "
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
	{ .name = "csv", .common = true, .section = OPTIONS_MAIN, TO(flag, csv),
	  .help = "all numbers as CSV, exact",
	  .more = "Gaps of the trace go to standard error." },
	{ .name = "json", .letter = 'j', .common = true, .section = OPTIONS_MAIN, TO(flag, json),
	  .help = "the same as JSON, with gaps of the trace" },
	{ .name = "top", .argument = "N", .letter = 'n', .common = true, .section = OPTIONS_MAIN,
	  .parse = parse_top, .help = "rows (20; all with --csv, --json, --interval; 0: all)" },
	{ .name = "svg", .argument = "FOLDER", .common = true, .section = OPTIONS_MAIN,
	  TO(text, charts), .help = "draw five charts instead of tables",
	  .more = "amplification.svg, operations.svg, latency.svg, efficiency.svg and bytes.svg, which any "
		  "browser shows. FOLDER is created if missing." },
	{ .name = "output", .letter = 'o', .argument = "FILE", .common = true, .section = OPTIONS_MAIN,
	  TO(text, output), .help = "write to FILE" },
	OPTIONS_READ_PROCESSES_ROWS(struct amp_arguments, filter),
	OPTIONS_READ_TIMES_ROWS(struct amp_arguments, filter, "rows"),
	OPTIONS_MEMORY_ROW(struct amp_arguments, read.memory),
	{ .name = "quiet", .letter = 'q', .common = true, .section = OPTIONS_MESSAGES,
	  .parse = option_quiet, .help = "errors only" },
	OPTIONS_HELP_ROW,
	{ 0 },
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

/* ---- the answer ---- */

struct traces {
	struct amp_reading *readings;
	unsigned n;
	struct amp_runs runs; /* of more files than fit in memory */
};

/* Whether the answer is made of the stream's rows. */
static bool is_told(const struct amp_reading *r, unsigned stream, bool net)
{
	if (stream == AMP_NW)
		return r->on[stream] && net;
	return r->on[stream] && r->counted == (stream == AMP_LAYERS);
}

/* What the counters do not have */
static void print_counted(FILE *out, const char *prefix)
{
	fprintf(out,
		"%sfrom counters (layers): all calls and requests, no percentiles, no small "
		"writes\n",
		prefix);
}

/* Each thing once for a directory, not once for each stream of it. */
static void print_gaps(FILE *out, const char *prefix, const struct amp_arguments *o,
		       const struct traces *t)
{
	char size[UNITS_SIZE];

	for (unsigned i = 0; i < t->n; i++) {
		const struct amp_reading *r = &t->readings[i];
		bool first = true;

		for (unsigned s = 0; s < AMP_N_STREAMS; s++)
			if (is_told(r, s, o->read.net)) {
				gaps_print(out, prefix, &r->gaps[s], first);
				first = false;
			}
		if (r->counted)
			print_counted(out, prefix);
		if (!r->on[AMP_FS] && !r->counted)
			fprintf(out, "%sfs was not recorded: no system calls, and no factors\n",
				prefix);
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
			fprintf(out,
				"%sno snapshot of processes: their control groups are not known\n",
				prefix);
		if (r->unwritten)
			fprintf(out,
				"%s%s of the bytes written had not reached a device at the end\n",
				prefix, units_bytes(size, r->unwritten));
		if (!r->exec)
			fprintf(out,
				"%sexec was not recorded: systems are found by names of threads "
				"alone\n",
				prefix);
	}
}

static json_t *gaps_list(const struct traces *t, bool net)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < t->n; i++) {
		json_t *of_stream = json_object();

		for (unsigned s = 0; s < AMP_N_STREAMS; s++)
			if (is_told(&t->readings[i], s, net))
				json_object_set_new(of_stream, streams[amp_queries[s].stream].name,
						    gaps_json(&t->readings[i].gaps[s]));
		json_object_set_new(of_stream, "vfs_counted",
				    json_boolean(amp_reading_counts_vfs(&t->readings[i])));
		json_object_set_new(of_stream, "unwritten_bytes",
				    json_integer((json_int_t)t->readings[i].unwritten));
		json_array_append_new(list, of_stream);
	}
	return list;
}

static int begin_json(FILE *out, const struct amp_arguments *o, const struct traces *t)
{
	json_t *list = gaps_list(t, o->read.net);
	int err = 0;

	fputs("{\n  \"traces\": ", out);
	if (json_array_size(list) != t->n ||
	    json_dumpf(list, out, JSON_COMPACT | JSON_ENSURE_ASCII))
		err = -ENOMEM;
	json_decref(list);
	fprintf(out, ",\n  \"by\": \"%s\",\n  \"amplification\": ", amp_by_names[o->read.by]);
	return err;
}

static int print_exact(FILE *out, const struct amp_arguments *o, struct traces *t,
		       const struct amp_groups *groups, enum table_format format)
{
	int err;

	if (!t->runs.n || o->view.top)
		return amp_print_exact(out, groups, &o->view, format);
	err = amp_print_exact_each(out, groups, &o->view, format, amp_runs_next, &t->runs);
	return err ? err : t->runs.err;
}

static int print(FILE *out, const struct amp_arguments *o, struct traces *t,
		 const struct amp_groups *groups)
{
	int err = 0;

	if (o->json) {
		err = begin_json(out, o, t);
		if (!err)
			err = print_exact(out, o, t, groups, TABLE_JSON);
		fputs("\n}\n", out);
		return err;
	}
	if (o->csv) {
		if (log_get_level() >= LOG_NORMAL)
			print_gaps(stderr, "iotracer: ", o, t);
		return print_exact(out, o, t, groups, TABLE_CSV);
	}
	print_gaps(out, "", o, t);
	fputc('\n', out);
	return amp_print_text(out, groups, &o->view);
}

static int write_answer(const struct amp_arguments *o, struct traces *t,
			const struct amp_groups *groups)
{
	struct output_file file;
	int err = output_file_open(&file, o->output);

	if (err)
		return err;
	err = print(file.out, o, t, groups);
	if (err)
		log_error("%s", strerror(-err));
	return output_file_close(&file, err);
}

static int draw(const struct amp_arguments *o, const struct traces *t,
		const struct amp_groups *groups)
{
	if (log_get_level() >= LOG_NORMAL)
		print_gaps(stderr, "iotracer: ", o, t);
	return amp_write_charts(o->charts, groups, &o->view);
}

static void say_none(const struct amp_arguments *o, const struct amp_reading *r)
{
	uint64_t n_rows = 0, chosen = 0;

	for (unsigned s = 0; s < AMP_N_STREAMS; s++) {
		n_rows += r->gaps[s].totals.rows;
		chosen += r->gaps[s].chosen;
	}
	row_filter_say_none(&o->filter, r->session.dir, n_rows, chosen);
}

/* Those that can be read are; false: not all could. */
static bool read_traces(struct traces *t, struct amp_arguments *o, char **dirs)
{
	bool all = true;

	for (; *dirs; dirs++) {
		struct amp_reading *r = &t->readings[t->n];

		if (amp_reading_open(r, *dirs, &o->filter, &o->read)) {
			amp_reading_close(r);
			memset(r, 0, sizeof(*r));
			all = false;
			continue;
		}
		all = all && read_session_whole(&r->session);
		say_none(o, r);
		t->n++;
		/* of one host that is its time; hosts work side by side */
		if (o->read.interval_ns)
			o->view.seconds = (double)o->read.interval_ns / 1e9;
		else if ((double)(r->last_ns - r->first_ns) / 1e9 > o->view.seconds)
			o->view.seconds = (double)(r->last_ns - r->first_ns) / 1e9;
	}
	return all;
}

/* What is told of each group once need not be in memory. */
static int make_groups(struct traces *t, const struct amp_arguments *o, struct amp_groups *groups)
{
	int err = amp_readings_add(t->readings, t->n, groups, &t->runs);

	if (!err && t->runs.n && (o->view.top || !(o->csv || o->json)))
		err = amp_runs_take(&t->runs, groups, o->view.top);
	return err;
}

static int answer(struct amp_arguments *o, char **dirs, unsigned n_dirs)
{
	struct systems systems = { .n = 0 };
	struct amp_groups groups = { .by = o->read.by,
				     .interval_ns = o->read.interval_ns,
				     .systems = &systems };
	struct traces t = { .readings = calloc(n_dirs, sizeof(*t.readings)) };
	int status = STATUS_OK;

	if (!t.readings)
		log_error("out of memory");
	if (!t.readings || systems_read_all(&systems, o->rules)) {
		systems_free(&systems);
		free(t.readings);
		return STATUS_FAILED;
	}
	if (!read_traces(&t, o, dirs))
		status = STATUS_FAILED;
	if (make_groups(&t, o, &groups)) {
		log_error("%s", strerror(ENOMEM));
		status = STATUS_FAILED;
	}
	if (t.n && (o->charts ? draw(o, &t, &groups) : write_answer(o, &t, &groups)))
		status = STATUS_FAILED;
	amp_groups_free(&groups);
	amp_runs_close(&t.runs);
	for (unsigned i = 0; i < t.n; i++)
		amp_reading_close(&t.readings[i]);
	free(t.readings);
	systems_free(&systems);
	return status;
}

int amp_command(int argc, char **argv)
{
	struct amp_arguments o = { .read = { .by = AMP_BY_SYSTEM } };
	int err = options_parse(&command_amp, argc, argv, &o);

	if (!err && optind == argc)
		err = options_wrong_usage(&command_amp);
	if (!err && o.csv && o.json) {
		log_error("--csv and --json exclude each other");
		err = OPTIONS_WRONG;
	}
	if (!err && o.read.net && (o.read.by == AMP_BY_DEVICE || o.read.by == AMP_BY_FILE)) {
		log_error("--net excludes --by %s: it sends nothing", amp_by_names[o.read.by]);
		err = OPTIONS_WRONG;
	}
	if (!err && o.charts && (o.csv || o.json || o.output || o.read.interval_ns)) {
		log_error("--svg excludes --csv, --json, --output and --interval");
		err = OPTIONS_WRONG;
	}
	if (err)
		return err - 1;
	o.view.net = o.read.net;
	o.read.memory = (o.read.memory ? o.read.memory : AMP_MEMORY) / (unsigned)(argc - optind);
	if (!o.has_top)
		o.view.top = o.csv || o.json || o.read.interval_ns ? 0 : DEFAULT_TOP;
	/* who reads the answer through a pipe may have enough of it */
	signal(SIGPIPE, SIG_DFL);
	return answer(&o, argv + optind, (unsigned)(argc - optind));
}
