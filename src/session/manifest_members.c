/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the names of these members. Their meaning is in the manual, iotracer-streams(5). */
#include "session/manifest_members.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/json_text.h"
#include "compat/host/layout_source.h"
#include "events/ds.h"
#include "events/events.h"
#include "events/fs_requests.h"
#include "plan/plan_json.h"
#include "row/anon.h"
#include "row/fs_ops.h"
#include "session/selftest.h"
#include "trace/trace.h"
#include "trace/trace_config.h"
#include "trace/trace_set.h"

static json_t *secret(const char *text)
{
	return anon_on() ? anon_json_text(text) : json_text(text);
}

static json_t *host_json(const struct plan *plan)
{
	char name[65] = "", machine_id[64] = "";
	FILE *in = fopen("/etc/machine-id", "re");

	gethostname(name, sizeof(name) - 1);
	if (in) {
		if (!fgets(machine_id, sizeof(machine_id), in))
			machine_id[0] = '\0';
		machine_id[strcspn(machine_id, "\n")] = '\0';
		fclose(in);
	}
	return json_pack("{s:o, s:o, s:s, s:s, s:s, s:I, s:b, s:s}", "name", secret(name),
			 "machine_id", secret(machine_id), "kernel_release", plan->host->release,
			 "kernel_version", plan->host->version, "machine", plan->host->machine,
			 "page_size", (json_int_t)sysconf(_SC_PAGESIZE), "btf", plan->host->has_btf,
			 "layout", layout_source_name(plan->layouts));
}

void facts_host_name(const struct plan *plan, char host[READ_HOST_SIZE])
{
	json_t *members = host_json(plan);

	read_host_name(json_string_value(json_object_get(members, "name")),
		       json_string_value(json_object_get(members, "machine_id")), host);
	json_decref(members);
}

/* Those of the choice that are not live, and why. */
static json_t *not_attached_json(const struct trace *trace, const struct plan_choice *choice)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < choice->n_probes; i++) {
		const char *why = trace_not_attached(trace, choice->probes[i]);

		if (why)
			json_array_append_new(list, json_pack("{s:s, s:s}", "probe",
							      trace->plan->probes[choice->probes[i]]
								      .target,
							      "why", why));
	}
	return list;
}

/*
 * live: a record came, now or in the self-test; attached: it could. What serves other
 * capabilities sends records in their names.
 */
static void add_chosen(json_t *item, const struct trace *trace, const struct events_totals *totals,
		       unsigned i)
{
	const struct plan *plan = trace->plan;
	const struct plan_choice *c = &plan->choices[i];
	json_t *missing = not_attached_json(trace, c);

	if (json_array_size(missing))
		json_object_set(item, "not_attached", missing);
	json_decref(missing);
	json_object_set_new(item, "attached", json_boolean(trace->live[i]));
	if (capability_is_internal(c->capability))
		return;
	json_object_set_new(item, "self_test", json_string(selftest_word(trace->tested[i])));
	json_object_set_new(item, "records", json_integer((json_int_t)totals->via[i + 1]));
	json_object_set_new(item, "live",
			    json_boolean(totals->via[i + 1] || trace->tested[i] == SELFTEST_FIRES));
}

static json_t *plan_json(const struct plan *plan, const struct trace *trace,
			 const struct events_totals *totals)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < plan->n_choices; i++) {
		const struct plan_choice *c = &plan->choices[i];
		json_t *item;

		if (!c->wanted)
			continue;
		item = plan_choice_json(plan, c);
		if (!c->chosen && c->capability->stream == STREAM_fs &&
		    !strcmp(c->capability->path, "io_uring") && fs_of_requests(plan))
			json_object_set_new(item, "rows_of", json_string("iouring"));
		if (c->chosen)
			add_chosen(item, trace, totals, i);
		json_array_append_new(list, item);
	}
	return list;
}

static json_t *clocks_json(const struct clocks *clocks)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < clocks->n; i++)
		json_array_append_new(list,
				      json_pack("{s:I, s:I}", "mono_ns",
						(json_int_t)clocks->pairs[i].mono_ns, "real_ns",
						(json_int_t)clocks->pairs[i].real_ns));
	return list;
}

static json_t *lost_json(struct events *events)
{
	struct ledger *ledger = events_ledger(events);
	json_t *list = json_array();

	for (unsigned class = 0; class < IOT_N_SEQ; class ++)
		for (int reason = 0; reason < N_LOST_REASONS; reason++) {
			uint64_t n = ledger_lost(ledger, class, reason);

			if (n && !ledger_is_choice((enum lost_reason)reason))
				json_array_append_new(list,
						      json_pack("{s:s, s:s, s:I}", "stream",
								ledger_class_name(class), "reason",
								ledger_reason_name(reason), "count",
								(json_int_t)n));
		}
	return list;
}

/*
 * Rows times rate estimate the events of cache, of whatever file, and the requests of io_uring;
 * what was left out is counted.
 */
static json_t *sampling_json(const struct trace *trace, struct events *events)
{
	const struct {
		unsigned class;
		uint32_t rate;
	} rates[] = { { IOT_SEQ_cache, trace->cache_sample_rate },
		      { IOT_SEQ_iouring, trace->uring_sample_rate } };
	json_t *list = json_array();

	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		uint64_t left_out = ledger_lost(events_ledger(events), rates[i].class,
						LOST_SAMPLED);

		json_array_append_new(list, json_pack("{s:s, s:I, s:I}", "stream",
						      ledger_class_name(rates[i].class), "rate",
						      (json_int_t)rates[i].rate, "left_out",
						      (json_int_t)left_out));
	}
	return list;
}

static json_t *devices_json(const struct disks *disks)
{
	json_t *list = json_array();

	for (size_t i = 0; i < disks->n; i++) {
		const struct disk *disk = &disks->list[i];
		char dev[24], whole[24];

		*put_dev(dev, disk->dev) = '\0';
		*put_dev(whole, disk->whole) = '\0';
		json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:I, s:I}", "name",
						      disk->name, "device", dev, "disk", whole,
						      "first_sector", (json_int_t)disk->start,
						      "sectors", (json_int_t)disk->sectors));
	}
	return list;
}

static json_t *namespace_json(const struct host_namespace *ns)
{
	json_t *mounts = json_array();

	for (unsigned i = 0; i < ns->n; i++)
		json_array_append_new(mounts,
				      json_pack("{s:o, s:o}", "inside", secret(ns->list[i].inside),
						"host", secret(ns->list[i].host)));
	return json_pack("{s:I, s:o}", "mntns", (json_int_t)ns->mntns, "mounts", mounts);
}

/* What was issued and not seen to complete, at the end; the first of them. */
static json_t *under_way_json(const struct trace *trace)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < trace->n_requests; i++) {
		const struct iot_rq *rq = &trace->requests[i];
		char dev[24], comm[17];
		json_t *item;

		*put_dev(dev, (uint32_t)rq->dev) = '\0';
		if (anon_comm_on())
			*put_comm(comm, rq->comm) = '\0';
		else
			snprintf(comm, sizeof(comm), "%.16s", rq->comm);
		for (char *c = comm; *c; c++)
			if (*c & 0x80)
				*c = '?'; /* need not be UTF-8, which JSON must be */
		item = json_pack("{s:s, s:I, s:i, s:s, s:I}", "device", dev, "size",
				 (json_int_t)rq->sectors * 512, "pid", (int)rq->tgid, "command",
				 comm, "issued_ns", (json_int_t)rq->issue_ts);
		if (rq->sector <= INT64_MAX)
			json_object_set_new(item, "sector", json_integer((json_int_t)rq->sector));
		if (rq->rwbs[0])
			json_object_set_new(item, "operation",
					    json_string(ds_operation(rq->rwbs, rq->op)));
		json_array_append_new(list, item);
	}
	return list;
}

static json_t *reader_json(const struct trace *trace, struct events *events)
{
	const struct drain_totals *drain = drain_totals(trace->drain);
	const struct names_totals *names = events_names(events);
	const struct events_totals *totals = events_totals(events);
	json_t *late = json_object();

	for (int i = 0; i < N_EVENT_STREAMS; i++)
		if (totals->late[i])
			json_object_set_new(late, streams[i].name, json_integer(totals->late[i]));
	return json_pack("{s:i, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o}",
			 "ring_pages", (int)trace->pages, "records", (json_int_t)drain->records,
			 "wakeups", (json_int_t)drain->wakeups, "kernel_lost",
			 (json_int_t)drain->kernel_lost, "programs_skipped",
			 (json_int_t)(trace->skipped_any + trace->unprobed_any), "bad_records",
			 (json_int_t)(drain->bad + totals->bad), "out_of_scope",
			 (json_int_t)totals->out_of_scope, "not_last_closes",
			 (json_int_t)totals->not_last, "names", (json_int_t)names->added,
			 "names_evicted", (json_int_t)names->evicted, "names_unknown",
			 (json_int_t)names->unknown, "late", late);
}

void facts_add_plan(json_t *members, const struct plan *plan, const struct trace *trace,
		    struct events *events)
{
	json_object_set_new(members, "plan", plan_json(plan, trace, events_totals(events)));
}

static json_t *words_json(const char *words, size_t size, unsigned n)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < n; i++)
		json_array_append_new(list, json_string(words + i * size));
	return list;
}

/* Names that an anonymised session hides are counted instead. */
static json_t *names_json(json_t *list, bool hidden)
{
	json_t *count = hidden ? json_integer((json_int_t)json_array_size(list)) : NULL;

	if (count)
		json_decref(list);
	return count ? count : list;
}

static json_t *paths_json(const struct filter *rows)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < rows->n_globs; i++)
		json_array_append_new(list, json_string(rows->globs[i]));
	return list;
}

static void add_list(json_t *to, const char *name, json_t *list, unsigned n)
{
	if (n)
		json_object_set_new(to, name, list);
	else
		json_decref(list);
}

/* Who is traced and which rows there are, where not everything is asked for. */
static json_t *filters_json(const struct trace_options *o)
{
	const struct filter *rows = &o->rows;
	json_t *filters = json_object(), *pids = json_array();

	for (unsigned i = 0; i < o->n_pids; i++)
		json_array_append_new(pids, json_integer(o->pids[i]));
	add_list(filters, "pid", pids, o->n_pids);
	add_list(filters, "comm",
		 names_json(words_json(o->comms[0], sizeof(o->comms[0]), o->n_comms),
			    anon_comm_on()),
		 o->n_comms);
	add_list(filters, "not_comm",
		 names_json(words_json(o->not_comms[0], sizeof(o->not_comms[0]), o->n_not_comms),
			    anon_comm_on()),
		 o->n_not_comms);
	if (o->by_uid)
		json_object_set_new(filters, "uid", json_integer(o->uid));
	if (o->cgroup.path[0])
		json_object_set_new(filters, "cgroup",
				    anon_on() ? json_integer(1) : json_string(o->cgroup.path));
	add_list(filters, "path", names_json(paths_json(rows), anon_on()), rows->n_globs);
	add_list(filters, "operation",
		 words_json(rows->operations[0], sizeof(rows->operations[0]), rows->n_operations),
		 rows->n_operations);
	if (rows->errors)
		json_object_set_new(filters, "errors", json_true());
	if (rows->min_latency)
		json_object_set_new(filters, "min_latency_ns",
				    json_integer((json_int_t)rows->min_latency));
	return filters;
}

/* Of which operations there are stacks: of any of these */
static json_t *stacks_json(const struct trace_options *options)
{
	struct iot_config cfg = { .n_cpus = 0 };
	json_t *o = json_object(), *list = json_array();

	trace_config_stacks(options, &cfg);
	if (cfg.stack_latency)
		json_object_set_new(o, "min_latency_ns",
				    json_integer((json_int_t)cfg.stack_latency));
	for (unsigned op = 1; op < IOT_N_OPS; op++)
		if (cfg.stack_ops >> op & 1)
			json_array_append_new(list, json_string(fs_ops[op].name));
	json_object_set_new(o, "operations", list);
	if (options->stacks.rate)
		json_object_set_new(o, "rate", json_integer(options->stacks.rate));
	return o;
}

void facts_add_fixed(json_t *members, const struct plan *plan, const struct trace_options *options)
{
	json_object_set_new(members, "filters", filters_json(options));
	json_object_set_new(members, "host", host_json(plan));
	if (plan_has_stream(plan, STREAM_stacks))
		json_object_set_new(members, "stacks", stacks_json(options));
	if (plan->given)
		json_object_set_new(members, "given", json_true());
	if (anon_on())
		json_object_set_new(members, "anonymized", anon_json());
}

void facts_add_command(json_t *members, char *const *command)
{
	char directory[PATH_MAX];
	json_t *list = json_array();

	for (unsigned i = 0; command && command[i]; i++)
		json_array_append_new(list, command[i][0] ? secret(command[i]) : json_string(""));
	if (command)
		json_object_set(members, "command", list);
	json_decref(list);
	if (getcwd(directory, sizeof(directory)))
		json_object_set_new(members, "working_directory", secret(directory));
}

void facts_add_devices(json_t *members, const struct disks *disks)
{
	json_object_set_new(members, "devices", devices_json(disks));
}

void facts_add_namespaces(json_t *members, const struct host_mounts *hosts)
{
	json_t *list = json_array();

	for (unsigned i = 0; i < hosts->n; i++)
		if (hosts->list[i]->n)
			json_array_append_new(list, namespace_json(hosts->list[i]));
	json_object_set_new(members, "namespaces", list);
}

void facts_add_account(json_t *members, const struct trace *trace, struct events *events,
		       const struct clocks *clocks)
{
	json_object_set_new(members, "clocks", clocks_json(clocks));
	json_object_set_new(members, "lost", lost_json(events));
	json_object_set_new(members, "under_way", under_way_json(trace));
	json_object_set_new(members, "sampling", sampling_json(trace, events));
	json_object_set_new(members, "reader", reader_json(trace, events));
}
