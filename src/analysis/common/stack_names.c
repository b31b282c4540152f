/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns how a frame is taken apart, and which ones a thread begins with. */
#include "analysis/common/stack_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/common/hash.h"
#include "code/symbols.h"
#include "read/layout.h"
#include "read/read_parallel.h"
#include "row/parse.h"

/* A thread begins within its OUTERMOST frames. ADDED places: a stack whose place another took is added again. */
enum { OUTERMOST = 4, ADDED = 16384 };

struct stack_names {
	struct code_symbols *symbols;
	uint64_t added[ADDED]; /* hashes of stacks, by themselves: rows repeat them */
	bool recorded;         /* some were looked up when the recording ended */
};

struct text {
	const char *p;
	size_t len;
};

/* One frame of a program */
struct frame {
	struct text whole;
	struct text name; /* before the last "+0x" */
	uint64_t offset;
	bool has_offset, made;
};

struct stack_names *stack_names_new(void)
{
	struct stack_names *names = calloc(1, sizeof(*names));

	if (names)
		names->symbols = code_symbols_new();
	if (!names || names->symbols)
		return names;
	free(names);
	return NULL;
}

void stack_names_free(struct stack_names *names)
{
	if (!names)
		return;
	code_symbols_free(names->symbols);
	free(names);
}

/* ---- texts ---- */

static bool begins(struct text text, const char *word)
{
	return text.len >= strlen(word) && !memcmp(text.p, word, strlen(word));
}

/* The part up to the next semicolon, and the rest behind it. False at the end. */
static bool next_part(struct text *rest, struct text *part)
{
	const char *end;

	if (!rest->len)
		return false;
	end = memchr(rest->p, ';', rest->len);
	*part = (struct text){ rest->p, end ? (size_t)(end - rest->p) : rest->len };
	rest->p += part->len + (end != NULL);
	rest->len -= part->len + (end != NULL);
	return true;
}

/*
 * "FILE+0xOFFSET", "[jit]NAME+0xOFFSET", "[memory]", "0xADDRESS": a name may have a "+" of its own, so the
 * last one counts.
 */
static struct frame frame_of(struct text part)
{
	struct frame f = { .whole = part, .name = part };

	for (size_t i = part.len; i >= 3; i--)
		if (!memcmp(part.p + i - 3, "+0x", 3)) {
			f.has_offset = parse_hex_digits(part.p + i, part.len - i, &f.offset);
			if (f.has_offset)
				f.name.len = i - 3;
			break;
		}
	f.made = begins(f.name, "[jit]");
	if (f.made) {
		f.name.p += strlen("[jit]");
		f.name.len -= strlen("[jit]");
	}
	return f;
}

/* "PATH ID" or "PATH" */
static struct code_module module_of(struct text part)
{
	const char *blank = memrchr(part.p, ' ', part.len);
	struct code_module m = { .path = part.p, .path_len = part.len, .id = "" };
	uint64_t value;

	/* a name may have a blank in it, and no id behind it */
	if (!blank || !parse_hex_digits(blank + 1,
					part.len - (size_t)(blank + 1 - part.p) > 16 ?
						16 :
						part.len - (size_t)(blank + 1 - part.p),
					&value))
		return m;
	m.path_len = (size_t)(blank - part.p);
	m.id = blank + 1;
	m.id_len = part.len - m.path_len - 1;
	return m;
}

/* The file of a frame, which has its whole path or the last part of it. */
static bool find_module(const struct stack_cells *stack, struct text name,
			struct code_module *module)
{
	struct text rest = { stack->modules, stack->modules_len }, part;

	while (next_part(&rest, &part)) {
		const char *slash;
		size_t last;

		*module = module_of(part);
		slash = memrchr(module->path, '/', module->path_len);
		last = slash ? module->path_len - (size_t)(slash + 1 - module->path) :
			       module->path_len;
		if ((name.len == module->path_len && !memcmp(name.p, module->path, name.len)) ||
		    (name.len == last && !memcmp(name.p, slash ? slash + 1 : module->path, last)))
			return true;
	}
	return false;
}

/* ---- names ---- */

bool stack_names_add(struct stack_names *names, const struct stack_cells *stack)
{
	struct text rest = { stack->user, stack->user_len }, part;
	const uint64_t hash = hash_text(hash_text(1, stack->modules, stack->modules_len),
					stack->user, stack->user_len);
	struct code_module module;

	if (names->added[hash % ADDED] == hash)
		return true;
	names->added[hash % ADDED] = hash;
	while (next_part(&rest, &part)) {
		const struct frame f = frame_of(part);

		/* of a file without an id nobody can tell here whether it is the one that ran */
		if (f.has_offset && !f.made && find_module(stack, f.name, &module) &&
		    module.id_len && !code_symbols_add(names->symbols, &module, f.offset))
			return false;
	}
	return true;
}

void stack_names_ask(struct stack_names *names)
{
	int err = code_symbols_ask(names->symbols);

	/* the recording has looked them up itself: little is missing */
	if (err != -ENOENT || !names->recorded)
		code_symbols_warn(err);
}

/* clang-format off */
#define COLUMNS(COLUMN) \
	COLUMN(SYMBOL_MODULE, "module", TEXT) \
	COLUMN(SYMBOL_ID, "build_id", TEXT) \
	COLUMN(SYMBOL_OFFSET, "offset", HEX) \
	COLUMN(SYMBOL_NAME, "symbol", TEXT)
/* clang-format on */
READ_COLUMNS(columns, N_SYMBOL, COLUMNS);

struct reading {
	struct stack_names *names;
	bool no_memory;
};

static void take_symbol(void *arg, const struct read_task *task, const struct field *f)
{
	struct reading *reading = arg;
	const struct code_module module = { .path = f[SYMBOL_MODULE].text,
					    .id = f[SYMBOL_ID].len ? f[SYMBOL_ID].text : "",
					    .path_len = f[SYMBOL_MODULE].len,
					    .id_len = f[SYMBOL_ID].len };

	(void)task;
	if (f[SYMBOL_MODULE].len && f[SYMBOL_OFFSET].known && f[SYMBOL_NAME].len &&
	    !code_symbols_know(reading->names->symbols, &module, f[SYMBOL_OFFSET].u,
			       f[SYMBOL_NAME].text, f[SYMBOL_NAME].len))
		reading->no_memory = true;
}

int stack_names_read(struct stack_names *names, const struct read_session *session)
{
	const struct read_query query = { STREAM_symbols, columns, N_SYMBOL };
	struct reading reading = { .names = names };
	const struct read_parallel read = { .session = session,
					    .queries = &query,
					    .n_queries = 1,
					    .n_threads = 1,
					    .arg = &reading,
					    .row = take_symbol };
	struct read_totals totals;
	int err;

	if (!session->streams[STREAM_symbols].on)
		return 0;
	names->recorded = true;
	err = read_parallel(&read, &totals);
	return err ? err : reading.no_memory ? -ENOMEM : 0;
}

/* What a thread of any kind begins with */
static bool is_beginning(const char *name)
{
	static const char *const beginnings[] = { "main",          "_start",       "start_thread",
						  "clone",         "clone3",       "__clone",
						  "__clone3",      "thread_start", "_dl_start",
						  "_dl_start_user" };

	for (size_t i = 0; i < sizeof(beginnings) / sizeof(beginnings[0]); i++)
		if (!strcmp(name, beginnings[i]))
			return true;
	return !strncmp(name, "__libc_start_", 13) || !strncmp(name, "runtime.goexit", 14) ||
	       !strncmp(name, "runtime.mstart", 14);
}

/* The C library and the dynamic linker, which are mostly built without frame pointers */
static bool is_of_libc(struct text name)
{
	return begins(name, "libc.so") || begins(name, "libc-2") || begins(name, "libpthread") ||
	       begins(name, "ld-") || begins(name, "ld.so");
}

static const char *function_of(const struct stack_names *names, const struct stack_cells *stack,
			       const struct frame *f)
{
	struct code_module module;

	if (!f->has_offset || f->made || !find_module(stack, f->name, &module))
		return NULL;
	return code_symbols_find(names->symbols, &module, f->offset);
}

/* _[j] is how flamegraph.pl knows code that was made at run time; _[k] the kernel's. */
static void put_frame(FILE *out, const struct frame *f, const char *function)
{
	if (function)
		fputs(function, out);
	else if (f->made)
		fprintf(out, "%.*s_[j]", (int)f->name.len, f->name.p);
	else if (f->has_offset)
		fprintf(out, "[%.*s]", (int)f->name.len, f->name.p);
	else if (begins(f->whole, "0x"))
		fputs("[unknown]", out);
	else
		fprintf(out, "%.*s", (int)f->whole.len, f->whole.p);
}

enum stack_begins stack_names_put(const struct stack_names *names, const struct stack_cells *stack,
				  FILE *out)
{
	struct text rest = { stack->user, stack->user_len }, part;
	bool begun = false, outside = false, unnamed = false, any = false;

	for (unsigned i = 0; next_part(&rest, &part); i++) {
		const struct frame f = frame_of(part);
		const char *function = function_of(names, stack, &f);

		begun = begun || (i < OUTERMOST && function && is_beginning(function));
		/* one without symbols: its start of threads has called something else */
		outside = outside || (i == 0 && is_of_libc(f.name));
		begun = begun || (i > 0 && outside && !is_of_libc(f.name));
		unnamed = unnamed ||
			  (i == 0 && f.has_offset && !f.made && !function && !is_of_libc(f.name));
		fputs(any ? ";" : "", out);
		put_frame(out, &f, function);
		any = true;
	}
	rest = (struct text){ stack->kernel, stack->kernel_len };
	while (next_part(&rest, &part)) {
		const struct frame f = frame_of(part);

		fprintf(out, "%s%.*s_[k]", any ? ";" : "", (int)f.name.len, f.name.p);
		any = true;
	}
	return begun ? STACK_BEGUN : unnamed ? STACK_UNNAMED : STACK_CUT;
}
