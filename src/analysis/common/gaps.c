/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the account of what a trace lacks: gathered as JSON once, from which the lines are made. */
#include "analysis/common/gaps.h"

#include <inttypes.h>
#include <string.h>

#include "analysis/common/wall.h"
#include "base/clock.h"
#include "base/json_text.h"
#include "base/plain.h"
#include "read/members.h"

static json_t *number(uint64_t value)
{
	return json_integer((json_int_t)value);
}

/* ---- as JSON ---- */

/* Of a list in the manifest those of the stream; null: there is no list. */
static json_t *of_stream(const json_t *list, enum stream_id stream)
{
	json_t *found = json_is_array(list) ? json_array() : json_null(), *item;
	size_t i;

	json_array_foreach(list, i, item) if (read_is_of(item, stream))
		json_array_append(found, item);
	return found;
}

/* Operations without a probe, and why. */
static json_t *unseen(const struct gaps *l)
{
	const json_t *item, *plan = json_object_get(l->session->manifest, "plan");
	json_t *list = json_is_array(plan) ? json_array() : json_null();
	size_t i;

	json_array_foreach(plan, i, item)
	{
		const char *operation = member_text(item, "operation");
		const char *path = member_text(item, "path");

		/* another stream may have the rows of which these are made */
		if (!operation || !read_is_of(item, l->stream) || member_text(item, "chosen") ||
		    member_text(item, "rows_of"))
			continue;
		json_array_append_new(list, path && path[0] ?
						    json_sprintf("%s (%s)", operation, path) :
						    json_string(operation));
	}
	return list;
}

/* Each sentence once, of texts that have several with "; " between them. */
static void add_sentences(json_t *list, const char *text)
{
	while (*text) {
		const char *end = strstr(text, "; ");
		size_t len = end ? (size_t)(end - text) : strlen(text), i;
		json_t *sentence = json_stringn(text, len), *known;
		bool again = false;

		json_array_foreach(list, i, known) again = again || json_equal(known, sentence);
		if (!again)
			json_array_append(list, sentence);
		json_decref(sentence);
		text += end ? len + 2 : len;
	}
}

static json_t *limits(const struct gaps *l)
{
	const json_t *item, *plan = json_object_get(l->session->manifest, "plan");
	json_t *list = json_is_array(plan) ? json_array() : json_null();
	size_t i;

	json_array_foreach(plan, i, item)
	{
		const char *text = member_text(item, "limits");

		if (read_is_of(item, l->stream) && text)
			add_sentences(list, text);
	}
	return list;
}

/* What --budget left out of the stream; null: nothing. */
static json_t *budget(const struct gaps *l)
{
	const json_t *item, *list = json_object_get(json_object_get(l->session->manifest, "budget"),
						    "left_out");
	json_t *found = NULL;
	size_t i;

	json_array_foreach(list, i, item) if (read_is_of(item, l->stream))
	{
		/* the last one of a stream is the latest */
		json_decref(found);
		found = json_deep_copy(item);
	}
	if (found && l->error_known) {
		json_object_set_new(found, "share_error_points", json_real(l->share_error));
		json_object_set_new(found, "bytes_error_percent", json_real(l->bytes_error));
	}
	return found ? found : json_null();
}

static json_t *missing_columns(const struct gaps *l)
{
	json_t *object = json_object();

	for (unsigned i = 0; i < l->n_columns; i++)
		json_object_set_new(object, l->columns[i], json_string(l->meaning[i]));
	return object;
}

static json_t *times(const struct gaps *l)
{
	char first[WALL_TEXT_SIZE], last[WALL_TEXT_SIZE];
	struct wall wall;

	if (!l->chosen)
		return json_null();
	wall_make(&wall, l->session);
	wall_text(&wall, l->first_ns, first);
	wall_text(&wall, l->last_ns, last);
	return json_pack("{s:o, s:o, s:o, s:o}", "first", json_text(first), "last", json_text(last),
			 "first_ns", number(l->first_ns), "last_ns", number(l->last_ns));
}

json_t *gaps_json(const struct gaps *l)
{
	static const char *const states[] = {
		[READ_ENDED] = "ended", [READ_RECORDING] = "recording", [READ_KILLED] = "killed"
	};
	const struct read_session *s = l->session;
	const struct read_stream *stream = &s->streams[l->stream];
	const char tier[2] = { stream->tier, '\0' };
	json_t *object = json_object();

	json_object_set_new(object, "directory", json_text(s->dir));
	json_object_set_new(object, "host", json_text(l->host));
	json_object_set_new(object, "stream", json_string(streams[l->stream].name));
	json_object_set_new(object, "state", json_string(states[s->state]));
	json_object_set_new(object, "ended_early", json_text(s->reason));
	json_object_set_new(object, "times", times(l));
	json_object_set_new(object, "rows", number(l->totals.rows));
	json_object_set_new(object, "chosen_rows", number(l->chosen));
	json_object_set_new(object, "rows_not_kept", number(l->not_kept));
	json_object_set_new(object, "damaged_rows", number(l->totals.bad_rows));
	json_object_set_new(object, "unreadable_segments", number(l->totals.unreadable));
	json_object_set_new(object, "missing_segments", number(stream->n_missing));
	json_object_set_new(object, "evicted_segments", number(stream->evicted_segments));
	json_object_set_new(object, "evicted_rows", number(stream->evicted_rows));
	json_object_set_new(object, "unwritable_rows", number(stream->unwritable));
	json_object_set_new(object, "lost", of_stream(s->losses, l->stream));
	json_object_set_new(object, "sampling", of_stream(s->sampling, l->stream));
	json_object_set_new(object, "budget", budget(l));
	json_object_set_new(object, "tier", json_text(tier));
	json_object_set_new(object, "cannot_see", limits(l));
	json_object_set_new(object, "not_recorded", unseen(l));
	json_object_set(object, "command", json_object_get(s->manifest, "command"));
	json_object_set(object, "working_directory",
			json_object_get(s->manifest, "working_directory"));
	json_object_set(object, "filters", json_object_get(s->manifest, "filters"));
	json_object_set_new(object, "missing_columns", missing_columns(l));
	return object;
}

/* ---- as lines ---- */

struct lines {
	FILE *out;
	const char *prefix;
	const json_t *json;
};

static void print_count(const struct lines *to, const char *name, const char *what)
{
	uint64_t n;

	if (member_number(to->json, name, &n) && n)
		fprintf(to->out, "%s%" PRIu64 " %s\n", to->prefix, n, what);
}

static void print_losses(const struct lines *to)
{
	const json_t *item, *list = json_object_get(to->json, "lost");
	bool any = false;
	uint64_t n;
	size_t i;

	if (!json_is_array(list))
		fprintf(to->out, "%sevents lost: unknown (not in the manifest)\n", to->prefix);
	json_array_foreach(list, i, item)
	{
		const char *reason = member_text(item, "reason");

		if (!member_number(item, "count", &n) || !n)
			continue;
		fprintf(to->out, "%s%s%" PRIu64 " (", any ? "" : to->prefix,
			any ? ", " : "events lost: ", n);
		plain_put(to->out, reason ? reason : "?");
		fputc(')', to->out);
		any = true;
	}
	if (any)
		fputc('\n', to->out);
}

static void print_sampling(const struct lines *to)
{
	const json_t *item, *list = json_object_get(to->json, "sampling");
	uint64_t rate;
	size_t i;

	json_array_foreach(list, i, item) if (member_number(item, "rate", &rate) && rate > 1)
		fprintf(to->out, "%ssampled: 1 of %" PRIu64 " %s was recorded\n", to->prefix, rate,
			read_is_of(item, STREAM_iouring) ? "requests" : "events");
}

/* What one of so many has rows: as record --budget chooses it */
static const char *thinned(enum stream_id stream)
{
	switch (stream) {
	case STREAM_ds:
	case STREAM_iouring:
		return "requests";
	case STREAM_sched:
		return "threads";
	default:
		return "files";
	}
}

static void print_budget(const struct lines *to, const struct gaps *l)
{
	const json_t *item = json_object_get(to->json, "budget");
	uint64_t count = 0, factor = 0, alone = 0;

	if (!json_is_object(item))
		return;
	member_number(item, "count", &count);
	member_number(item, "largest_factor", &factor);
	member_number(item, "not_represented", &alone);
	fprintf(to->out,
		"%sbudget: %" PRIu64 " events of %s have no row: one of up to %" PRIu64
		" %s was kept",
		to->prefix, count, streams[l->stream].name, factor, thinned(l->stream));
	if (alone)
		fprintf(to->out, ", which does not stand for %" PRIu64 " of them", alone);
	fputc('\n', to->out);
	if (!l->estimated)
		return;
	fprintf(to->out, "%sbudget: sums over several files are estimates%s", to->prefix,
		alone ? " without these" : "");
	if (l->error_known)
		fprintf(to->out,
			": standard error %.1f points of a share of calls, %.1f%% of all bytes\n",
			l->share_error, l->bytes_error);
	else
		fputs(", whose error is not known: more files than fit in memory\n", to->out);
}

static void print_times(const struct lines *to, const struct gaps *l)
{
	const json_t *when = json_object_get(to->json, "times");
	const char *first = member_text(when, "first"), *last = member_text(when, "last");
	double seconds = (double)(l->last_ns - l->first_ns) / (double)NS_PER_S;

	fputs(to->prefix, to->out);
	plain_printf(to->out, "%s (%s): ", l->session->dir, l->host ? l->host : "unknown host");
	if (!l->chosen)
		fprintf(to->out, "no rows of %s\n", streams[l->stream].name);
	else if (first && last) {
		plain_printf(to->out, "%" PRIu64 " rows of %s, %.19s to %.19s, %.3f s", l->chosen,
			     streams[l->stream].name, first, last, seconds);
		fputc('\n', to->out);
	} else
		fprintf(to->out, "%" PRIu64 " rows of %s in %.3f s\n", l->chosen,
			streams[l->stream].name, seconds);
}

static void print_state(const struct lines *to, const struct read_session *s)
{
	if (s->state == READ_RECORDING)
		fprintf(to->out, "%sstill being recorded: there will be more\n", to->prefix);
	else if (s->state == READ_KILLED)
		fprintf(to->out, "%sthe recorder was killed: its last rows may be missing\n",
			to->prefix);
	if (s->reason) {
		fprintf(to->out, "%srecording stopped early: ", to->prefix);
		plain_put(to->out, s->reason);
		fputc('\n', to->out);
	}
}

/* "pid 7, 8", "commands dd", "2 paths" where names are hidden */
static void print_filter(FILE *out, const char *word, const json_t *value)
{
	const json_t *item;
	size_t i;

	if (json_is_integer(value)) {
		fprintf(out, "%s (%" JSON_INTEGER_FORMAT ")", word, json_integer_value(value));
		return;
	}
	fputs(word, out);
	if (json_is_string(value))
		plain_printf(out, " %s", json_string_value(value));
	json_array_foreach(value, i, item)
	{
		if (json_is_integer(item))
			fprintf(out, "%s %" JSON_INTEGER_FORMAT, i ? "," : "",
				json_integer_value(item));
		else
			plain_printf(out, "%s %s", i ? "," : "",
				     json_is_string(item) ? json_string_value(item) : "?");
	}
}

bool gaps_print_filters(FILE *out, const char *before, const json_t *filters)
{
	static const char *const words[][2] = {
		{ "pid", "processes" },
		{ "comm", "commands" },
		{ "not_comm", "not the commands" },
		{ "uid", "user" },
		{ "cgroup", "control group" },
		{ "path", "files" },
		{ "operation", "operations" },
		{ "errors", "failed calls" },
		{ "min_latency_ns", "calls that took at least so many ns" },
	};
	const json_t *value;
	bool any = false;

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		value = json_object_get(filters, words[i][0]);
		if (!value)
			continue;
		fputs(any ? "; " : before, out);
		print_filter(out, words[i][1], value);
		any = true;
	}
	return any;
}

bool gaps_rows_chosen_apart(const json_t *manifest)
{
	const json_t *filters = json_object_get(manifest, "filters");

	return json_object_get(filters, "operation") || json_object_get(filters, "errors") ||
	       json_object_get(filters, "min_latency_ns");
}

/* As a shell would take it, as far as blanks go. */
static void print_argument(FILE *out, const char *text)
{
	bool quoted = !text[0] || strpbrk(text, " \t\n");

	fputs(quoted ? "'" : "", out);
	plain_put(out, text);
	fputs(quoted ? "'" : "", out);
}

bool gaps_print_command(FILE *out, const char *before, const json_t *manifest)
{
	const json_t *item, *command = json_object_get(manifest, "command");
	const char *directory = member_text(manifest, "working_directory");
	size_t i;

	if (!json_array_size(command))
		return false;
	fputs(before, out);
	json_array_foreach(command, i, item)
	{
		fputs(i ? " " : "", out);
		print_argument(out, json_is_string(item) ? json_string_value(item) : "?");
	}
	if (directory)
		plain_printf(out, " (in %s)", directory);
	return true;
}

static void print_command(const struct lines *to, const struct read_session *session)
{
	char before[64];

	snprintf(before, sizeof(before), "%.32scommand: ", to->prefix);
	if (gaps_print_command(to->out, before, session->manifest))
		fputc('\n', to->out);
}

static void print_filters(const struct lines *to)
{
	char before[64];

	snprintf(before, sizeof(before), "%.32srecorded only: ", to->prefix);
	if (gaps_print_filters(to->out, before, json_object_get(to->json, "filters")))
		fputc('\n', to->out);
}

/* What belongs to the way of tracing: report has it whole. */
static void print_standing(const struct lines *to)
{
	const char *tier = member_text(to->json, "tier");
	size_t limits = json_array_size(json_object_get(to->json, "cannot_see"));
	size_t unseen = json_array_size(json_object_get(to->json, "not_recorded"));

	if (!tier && !limits && !unseen)
		return;
	fprintf(to->out, "%stier ", to->prefix);
	plain_put(to->out, tier ? tier : "unknown");
	if (limits)
		fprintf(to->out, "; %zu limit%s of its probes", limits, limits == 1 ? "" : "s");
	if (unseen)
		fprintf(to->out, "; %zu operation%s without one", unseen, unseen == 1 ? "" : "s");
	if (limits || unseen)
		fputs(" (iotracer report DIR --section missing)", to->out);
	fputc('\n', to->out);
}

void gaps_print(FILE *out, const char *prefix, const struct gaps *l, bool first)
{
	json_t *json = gaps_json(l);
	const struct lines to = { .out = out, .prefix = prefix, .json = json };

	print_times(&to, l);
	if (first) {
		print_command(&to, l->session);
		print_filters(&to);
		print_state(&to, l->session);
	}
	print_count(&to, "rows_not_kept",
		    "rows were added up and not kept (--no-rows): this is their summary");
	print_losses(&to);
	print_sampling(&to);
	print_budget(&to, l);
	print_count(&to, "damaged_rows", "rows are damaged and left out");
	print_count(&to, "unreadable_segments", "segments could not be read to their end");
	print_count(&to, "missing_segments", "segments are missing");
	print_count(&to, "evicted_segments", "segments were removed to keep to --max-disk");
	print_count(&to, "evicted_rows", "rows were in these");
	print_count(&to, "unwritable_rows",
		    "rows could not be written: the disk was full, or failed");
	for (unsigned i = 0; i < l->n_columns; i++)
		fprintf(out, "%scolumn %s is missing: %s\n", prefix, l->columns[i], l->meaning[i]);
	print_standing(&to);
	json_decref(json);
}
