/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What options.c (the commands' tables) and options_values.c (arguments) share,
 * and nobody else sees.
 */
#ifndef IO_OPTIONS_PRIVATE_H
#define IO_OPTIONS_PRIVATE_H

#include "options.h"

/* ---- options_values.c; each but options_number reports what it refuses ---- */

/* Decimal, up to max. */
bool options_number(const char *text, uint64_t max, uint64_t *value);
/* Lists with commas; what earlier ones gave stays. rule: IO_FS_* */
bool options_pids(const char *text, struct trace_options *trace);
bool options_comms(const char *text, struct trace_options *trace);
bool options_fs_types(const char *text, struct fs_types *types, uint8_t rule);
/* A name or a number */
bool options_user(const char *text, struct trace_options *trace);
bool options_dev(const char *text, bool *partitions);
/* A power of two */
bool options_pages(const char *text, unsigned *pages);
bool options_sample_rate(const char *text, uint32_t *rate);
/* Levels of socket options, or "all" */
bool options_levels(const char *text, struct trace_options *trace);

#endif
