/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the rows of stream symbols. Which places of which files they are of, the stacks have told. */
#include "session/session_symbols.h"

#include <stdlib.h>

#include "base/clock.h"
#include "code/symbols.h"
#include "probes/schema/symbols.def"
#include "row/path.h"
#include "row/records.h"

struct symbols_row {
	u64 when;
	struct format_text module;
	const char *build_id;
	u64 offset;
	struct format_text symbol;
};

size_t symbols_row(char *out, const struct symbols_row *row);
FORMAT_ROW(symbols)

struct writing {
	struct output *output;
	uint64_t when;
	char row[ROW_MAX];
};

static void write_symbol(void *arg, const struct code_module *module, uint64_t offset,
			 const char *name)
{
	struct writing *w = arg;
	/* names of files and functions are foreign text, which this quotes */
	struct path *path = path_new(module->path, module->path_len, 0);
	struct path *symbol = path_new(name, strlen(name), 0);
	struct symbols_row row = { .when = w->when, .build_id = module->id, .offset = offset };

	if (path && symbol) {
		row.module = (struct format_text){ path->csv, path->csv_len, false };
		row.symbol = (struct format_text){ symbol->csv, symbol->csv_len, false };
		output_row(w->output, STREAM_symbols, w->row, symbols_row(w->row, &row), w->when);
	}
	path_put(path);
	path_put(symbol);
}

void session_symbols(struct output *output, struct events *events)
{
	struct writing *writing;
	struct code_symbols *symbols = output->writer ? events_symbols(events) : NULL;
	int err;

	if (!symbols)
		return;
	err = code_symbols_ask(symbols);
	code_symbols_warn(err);
	if (err)
		return;
	/* a row is too long for the stack */
	writing = malloc(sizeof(*writing));
	if (!writing)
		return;
	output_stream(output, STREAM_symbols);
	writing->output = output;
	/* one time for all: names are looked up, they do not happen */
	writing->when = mono_ns();
	code_symbols_each(symbols, write_symbol, writing);
	free(writing);
}
