/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The commands that answer from directories. Owns what all of them do: options, the order of steps,
 * gaps of the trace, the output file, the exit status. A command is a table of what it alone has.
 */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "analysis/common/row_filter.h"
#include "analysis/common/table.h"
#include "cmd/option.h"

enum { READER_TOP = 20, READER_MEMORY = 256 << 20 };

/* The first member of what such a command fills from its options. */
struct reader {
	struct row_filter filter;
	uint64_t top, memory; /* memory: of one directory */
	bool has_top, csv, json;
	const char *output;
	const char *folder; /* that has the answer instead of an output; NULL: none */
	/* not options */
	struct process_containers containers;
	enum table_format format;
	unsigned n_dirs;
	void *readings; /* of the directories that could be read */
	unsigned n;
};

/* Any of them but open and print may be NULL. */
struct reader_command {
	const struct command *command;
	/* Of what a directory is read into, zeroed. Its first member is a struct read_session. */
	size_t reading_size;
	/* What options mean together; OPTIONS_OK, or, reported, the exit status plus one. */
	int (*complete)(struct reader *reader);
	/* 0 or -errno, reported. To be closed in any case. */
	int (*open)(struct reader *reader, void *reading, const char *dir);
	/* What is made of all readings; the same. */
	int (*finish)(struct reader *reader);
	/*
	 * The place of a reading's struct gaps; 0: it has several, of which these two tell (as JSON
	 * a new reference).
	 */
	size_t gaps_at;
	void (*print_gaps)(const struct reader *reader, const void *reading, FILE *out,
			   const char *prefix);
	json_t *(*gaps)(const struct reader *reader, const void *reading);
	/*
	 * What JSON has between gaps and the list that print makes. NULL: print is given an empty
	 * file.
	 */
	void (*print_head)(const struct reader *reader, FILE *out);
	/* out is NULL with a folder. 0, -errno, or 1: reported. */
	int (*print)(struct reader *reader, FILE *out);
	/* Behind an answer that is complete. */
	void (*say)(const struct reader *reader);
	void (*end)(struct reader *reader);
	/* NULL: a reading has nothing to close but its session. */
	void (*close)(void *reading);
};

/* reader: zeroed but for what options do not set. Returns the exit status. */
int reader_run(const struct reader_command *command, struct reader *reader, int argc, char **argv);

/* The answer needs the containers of processes. */
void reader_wants_containers(struct reader *reader);
/* Reports it; returns OPTIONS_WRONG. */
int reader_refuse(const char *message);

/* --top; target: struct reader */
bool option_top(const struct option_row *row, const char *arg, void *target);
