/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How arguments of a recording become values, as an option row names it: filters, limits,
 * owners.
 */
#pragma once

#include "cmd/option_values.h"

struct recording_options;

#define OPTION_TYPE_pids struct trace_options *
#define OPTION_TYPE_user struct trace_options *
#define OPTION_TYPE_group struct write_options *
#define OPTION_TYPE_levels struct trace_options *
#define OPTION_TYPE_comms struct trace_options *
#define OPTION_TYPE_not_comms struct trace_options *
#define OPTION_TYPE_cgroup struct cgroup *
#define OPTION_TYPE_container struct cgroup *
#define OPTION_TYPE_glob struct filter *
#define OPTION_TYPE_operations struct filter *
#define OPTION_TYPE_min_latency uint64_t *
#define OPTION_TYPE_fs_types struct fs_types *
#define OPTION_TYPE_not_fs_types struct fs_types *
#define OPTION_TYPE_dev bool *
#define OPTION_TYPE_pages unsigned *
#define OPTION_TYPE_sample_rate uint32_t *
#define OPTION_TYPE_stacks struct trace_stacks *
#define OPTION_TYPE_columns struct schema_omitted *
#define OPTION_TYPE_budget struct budget_options *
#define OPTION_TYPE_events struct recording_options *
#define OPTION_TYPE_events_shown struct recording_options *
bool option_pids(const struct option_row *row, const char *arg, void *target);
bool option_group(const struct option_row *row, const char *arg, void *target);
bool option_user(const struct option_row *row, const char *arg, void *target);
bool option_levels(const struct option_row *row, const char *arg, void *target);
bool option_comms(const struct option_row *row, const char *arg, void *target);
bool option_not_comms(const struct option_row *row, const char *arg, void *target);
bool option_cgroup(const struct option_row *row, const char *arg, void *target);
bool option_container(const struct option_row *row, const char *arg, void *target);
bool option_glob(const struct option_row *row, const char *arg, void *target);
bool option_operations(const struct option_row *row, const char *arg, void *target);
bool option_min_latency(const struct option_row *row, const char *arg, void *target);
bool option_fs_types(const struct option_row *row, const char *arg, void *target);
bool option_not_fs_types(const struct option_row *row, const char *arg, void *target);
bool option_dev(const struct option_row *row, const char *arg, void *target);
bool option_pages(const struct option_row *row, const char *arg, void *target);
bool option_stacks(const struct option_row *row, const char *arg, void *target);
bool option_sample_rate(const struct option_row *row, const char *arg, void *target);
bool option_columns(const struct option_row *row, const char *arg, void *target);
bool option_budget(const struct option_row *row, const char *arg, void *target);
/* What a list changes is the default of record, or what people can follow. */
bool option_events(const struct option_row *row, const char *arg, void *target);
bool option_events_shown(const struct option_row *row, const char *arg, void *target);
