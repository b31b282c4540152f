/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How arguments become values, as an option row names it. */
#pragma once

#include <stdint.h>

#include "cmd/option.h"
#include "trace/trace_set.h"
#include "write/write.h"

/*
 * Parser and target of a row: OPTION_TO(size, struct write_options, max_disk). It does not
 * compile where the member has another type than the parser writes.
 */
#define OPTION_TO(kind, type, member)                                                              \
	.parse = option_##kind,                                                                    \
	.target = offsetof(type, member) +                                                         \
		  0 * sizeof(_Generic(&((type *)0)->member, OPTION_TYPE_##kind : 1))

/* ---- of any command ---- */

#define OPTION_TYPE_flag bool *
#define OPTION_TYPE_text const char **
#define OPTION_TYPE_directory const char **
#define OPTION_TYPE_session_dir char(*)[4096]
#define OPTION_TYPE_size uint64_t *
#define OPTION_TYPE_count uint64_t *
#define OPTION_TYPE_seconds unsigned *
#define OPTION_TYPE_duration unsigned *
#define OPTION_TYPE_packing enum packing *
#define OPTION_TYPE_depth unsigned *
#define OPTION_TYPE_layout enum layout_source *
#define OPTION_TYPE_no_layout enum layout_source *
bool option_flag(const struct option_row *row, const char *arg, void *target);
bool option_text(const struct option_row *row, const char *arg, void *target);
bool option_directory(const struct option_row *row, const char *arg, void *target);
bool option_session_dir(const struct option_row *row, const char *arg, void *target);
bool option_size(const struct option_row *row, const char *arg, void *target);
bool option_count(const struct option_row *row, const char *arg, void *target);
bool option_seconds(const struct option_row *row, const char *arg, void *target);
bool option_duration(const struct option_row *row, const char *arg, void *target); /* above 0 */
bool option_packing(const struct option_row *row, const char *arg, void *target);
bool option_depth(const struct option_row *row, const char *arg, void *target);
bool option_layout(const struct option_row *row, const char *arg, void *target);
bool option_no_layout(const struct option_row *row, const char *arg, void *target);
/* One of the row's words, to an enum: its place. */
bool option_word(const struct option_row *row, const char *arg, void *target);
/* These have no target but the level of messages. */
bool option_quiet(const struct option_row *row, const char *arg, void *target);
bool option_verbose(const struct option_row *row, const char *arg, void *target);

/* ---- what parsers have in common ---- */

enum { OPTION_WORD = 64 };

/* "100M", "1G", "4096": bytes (suffixes are powers of 1024). False: not a size. */
bool parse_size(const char *text, uint64_t *bytes);
/* Decimal, up to max. */
bool parse_number(const char *text, uint64_t max, uint64_t *value);
/* "10ms", "5m", "30" (of unit_ns; 0: a unit is required): ns */
bool parse_time(const char *text, uint64_t unit_ns, uint64_t *ns);
/* The next word of a comma-separated list; false at its end. Cut to what fits. */
bool next_word(const char **list, char word[OPTION_WORD]);
