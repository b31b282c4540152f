/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Columns of stream layers, in the order in which its readers ask for them behind those that all
 * streams have.
 */
#pragma once

#include "row/row_words.h"

/* first: the number of columns before these */
#define LAYERS_COLUMNS_FROM(first)                                                                 \
	LAYERS_LAYER = (first), LAYERS_OPERATION, LAYERS_CLASS, LAYERS_COUNT, LAYERS_BYTES,        \
	LAYERS_ERRORS, LAYERS_LATENCY, N_LAYERS

/* In an array of struct read_column */
#define LAYERS_READ_COLUMNS                                                                        \
	[LAYERS_LAYER] = { .name = "layer", .kind = PARSE_TEXT, .words = layers_layers },          \
	[LAYERS_OPERATION] = { .name = "operation",                                                \
			       .kind = PARSE_TEXT,                                                 \
			       .words = layers_operations },                                       \
	[LAYERS_CLASS] = { .name = "class", .kind = PARSE_TEXT, .words = ds_causes },              \
	[LAYERS_COUNT] = { .name = "count", .kind = PARSE_UINT },                                  \
	[LAYERS_BYTES] = { .name = "bytes", .kind = PARSE_UINT },                                  \
	[LAYERS_ERRORS] = { .name = "errors", .kind = PARSE_UINT },                                \
	[LAYERS_LATENCY] = { .name = "latency_ns", .kind = PARSE_UINT }
