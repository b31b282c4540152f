/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns names, units and labels, as the conventions of Prometheus want them. */
#include "analysis/metrics/metrics_print.h"

#include <inttypes.h>

#include "base/clock.h"

static void print_head(FILE *out, const char *name, const char *type, const char *help)
{
	fprintf(out, "# HELP iotracer_%s %s\n# TYPE iotracer_%s %s\n", name, help, name, type);
}

/* A name may come from a file of rules: the format has three escapes. */
static void print_label(FILE *out, const char *name, const char *value)
{
	fprintf(out, "%s=\"", name);
	for (; *value; value++) {
		if (*value == '\n') {
			fputs("\\n", out);
			continue;
		}
		if (*value == '"' || *value == '\\')
			fputc('\\', out);
		fputc(*value, out);
	}
	fputc('"', out);
}

static void print_seconds(FILE *out, uint64_t ns)
{
	fprintf(out, "%llu.%09llu", ns / NS_PER_S, ns % NS_PER_S);
}

static void print_name(FILE *out, const char *name, const struct metrics_series *s)
{
	fprintf(out, "iotracer_%s{", name);
	print_label(out, "layer", s->layer);
	fputc(',', out);
	print_label(out, "operation", s->operation);
	fputc(',', out);
	print_label(out, "system", s->system);
}

static void print_number(FILE *out, const char *name, const struct metrics_series *s, uint64_t n)
{
	print_name(out, name, s);
	fprintf(out, "} %" PRIu64 "\n", n);
}

static void print_counts(FILE *out, const struct metrics_model *m)
{
	print_head(out, "operations_total", "counter",
		   "Operations that have ended, by layer, operation and storage system.");
	for (uint64_t i = 0; i < m->n; i++)
		print_number(out, "operations_total", &m->list[i], m->list[i].count);
	print_head(out, "errors_total", "counter", "Operations that have failed.");
	for (uint64_t i = 0; i < m->n; i++)
		if (metrics_has_errors(m->list[i].stream))
			print_number(out, "errors_total", &m->list[i], m->list[i].errors);
	print_head(out, "bytes_total", "counter", "Bytes that operations have moved.");
	for (uint64_t i = 0; i < m->n; i++)
		if (m->list[i].moves)
			print_number(out, "bytes_total", &m->list[i], m->list[i].bytes);
}

/* Of sums there is the number and the time of all. */
static void print_histogram(FILE *out, const struct metrics_series *s)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < METRICS_BUCKETS && s->stream != STREAM_layers; i++) {
		n += s->buckets[i];
		print_name(out, "duration_seconds_bucket", s);
		fprintf(out, ",le=\"%g\"} %" PRIu64 "\n", (double)metrics_bounds[i] / NS_PER_S, n);
	}
	print_name(out, "duration_seconds_bucket", s);
	fprintf(out, ",le=\"+Inf\"} %" PRIu64 "\n", s->timed);
	print_name(out, "duration_seconds_sum", s);
	fputs("} ", out);
	print_seconds(out, s->ns);
	fputc('\n', out);
	print_number(out, "duration_seconds_count", s, s->timed);
}

static void print_times(FILE *out, const struct metrics_model *m)
{
	print_head(out, "duration_seconds", "histogram",
		   "How long operations took, of those whose time is known.");
	for (uint64_t i = 0; i < m->n; i++)
		if (metrics_has_times(m->list[i].stream))
			print_histogram(out, &m->list[i]);
}

static void print_devices(FILE *out, const struct metrics_model *m)
{
	print_head(out, "device_busy_seconds_total", "counter",
		   "Time in which the device had at least one traced request.");
	for (unsigned i = 0; i < m->n_devices; i++) {
		fputs("iotracer_device_busy_seconds_total{", out);
		print_label(out, "device", m->devices[i].name);
		fputs("} ", out);
		print_seconds(out, busy_ns(&m->devices[i].busy));
		fputc('\n', out);
	}
}

static void print_losses(FILE *out, const struct metrics_model *m)
{
	print_head(
		out, "lost_events_total", "counter",
		"Events that should be rows and are not; reason sampled: left out by a sample rate.");
	for (unsigned i = 0; i <= m->n_losses; i++) {
		const struct metrics_loss *loss = &m->losses[i];

		if (i == m->n_losses && !loss->events)
			continue;
		fputs("iotracer_lost_events_total{", out);
		print_label(out, "stream", loss->stream);
		fputc(',', out);
		print_label(out, "reason", loss->reason);
		fprintf(out, "} %" PRIu64 "\n", loss->events);
	}
}

static void print_tracer(FILE *out, const struct metrics_tracer *t)
{
	print_head(out, "up", "gauge", "1 while the recording goes on, 0 since it has ended.");
	fprintf(out, "iotracer_up %d\n", t->up);
	print_head(out, "start_time_seconds", "gauge",
		   "When the recording began, in seconds since 1970.");
	fprintf(out, "iotracer_start_time_seconds %.3f\n", t->started);
	print_head(out, "cpu_seconds_total", "counter",
		   "CPU time of the tracer, without that of its programs in the kernel.");
	fputs("iotracer_cpu_seconds_total ", out);
	print_seconds(out, t->cpu_ns);
	fputc('\n', out);
	print_head(out, "resident_memory_bytes", "gauge", "Memory of the tracer.");
	fprintf(out, "iotracer_resident_memory_bytes %" PRIu64 "\n", t->memory_bytes);
}

void metrics_print(FILE *out, const struct metrics_model *m, const struct metrics_tracer *t)
{
	print_tracer(out, t);
	print_losses(out, m);
	if (m->n_devices)
		print_devices(out, m);
	if (!m->n)
		return;
	print_counts(out, m);
	print_times(out, m);
}
