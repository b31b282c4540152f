/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns how a frame is written. A stack is filled from its end, where the innermost frame is: of one that
 * has too many bytes the outermost are cut.
 */
#include "events/stack_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fnv.h"
#include "row/anon.h"
#include "row/format.h"
#include "row/path.h"
#include "row/records.h"

/* A path with its offset; places are kept until the recording ends, so there is a bound */
enum { FRAME_MAX = 4096 + 64, PLACES_MAX = 1 << 20 };

struct filling {
	char bytes[STACK_TEXT_MAX];
	char *p; /* the first that is used */
};

/* What separates frames is no part of a name. */
static void clean(char *text, char instead)
{
	for (; *text; text++)
		if (*text == ';' || (unsigned char)*text < ' ')
			*text = instead;
}

static bool put_before(struct filling *f, const char *text)
{
	size_t len = strlen(text), rest = (size_t)(f->bytes + sizeof(f->bytes) - f->p);

	if ((size_t)(f->p - f->bytes) < len + 1)
		return false;
	if (rest)
		*--f->p = ';';
	f->p -= len;
	memcpy(f->p, text, len);
	return true;
}

/* The room is what format_quote() may need. */
static bool quote(struct stack_field *field, const char *text, size_t len)
{
	bool escaped;

	*field = (struct stack_field){ .text = malloc(len * 4 + 2) };
	if (!field->text)
		return false;
	field->len = (uint32_t)format_quote(field->text, text, len, &escaped);
	return true;
}

/* ---- the program's ---- */

/* The files of one stack, each once */
struct files {
	const struct code_file *list[IOT_STACK_FRAMES + 1];
	unsigned n;
};

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* The last part of its path, unless another file of the stack has it, too: then all of it. */
static void file_name(struct files *files, const struct code_file *file, char out[FRAME_MAX])
{
	const char *name = base_name(file->path->raw);

	for (unsigned i = 0; i < files->n && files->list[i] != file; i++)
		if (!strcmp(base_name(files->list[i]->path->raw), name))
			name = file->path->raw;
	if (!anon_on()) {
		snprintf(out, FRAME_MAX, "%.4096s", name);
		clean(out, '_');
	} else if (name != file->path->raw) {
		anon_token(out, name, strlen(name));
		out[ANON_TOKEN] = '\0';
	} else {
		snprintf(out, FRAME_MAX, "%.*s", (int)file->path->csv_len, file->path->csv);
	}
}

static void add_file(struct files *files, const struct code_file *file)
{
	for (unsigned i = 0; i < files->n; i++)
		if (files->list[i] == file)
			return;
	files->list[files->n++] = file;
}

static void made_name(const char *name, char out[FRAME_MAX])
{
	if (anon_on()) {
		anon_token(out, name, strlen(name));
		out[ANON_TOKEN] = '\0';
		return;
	}
	snprintf(out, FRAME_MAX, "%.1000s", name);
	clean(out, ':');
}

static void frame_text(struct files *files, const struct code_place *place, uint64_t address,
		       char out[FRAME_MAX])
{
	char name[FRAME_MAX];

	switch (place->kind) {
	case CODE_FILE:
		file_name(files, place->file, name);
		add_file(files, place->file);
		snprintf(out, FRAME_MAX, "%.4120s+0x%" PRIx64, name, place->offset);
		return;
	case CODE_MADE:
		made_name(place->name, name);
		snprintf(out, FRAME_MAX, "[jit]%.4100s+0x%" PRIx64, name, place->offset);
		return;
	case CODE_MEMORY:
		snprintf(out, FRAME_MAX, "[memory]");
		return;
	case CODE_KERNELS:
		snprintf(out, FRAME_MAX, "[vdso]");
		return;
	case CODE_UNKNOWN:
	case CODE_GONE:
		snprintf(out, FRAME_MAX, "0x%" PRIx64, address);
	}
}

static bool put_modules(struct stack_field *field, const struct files *files)
{
	char text[STACK_TEXT_MAX], name[4097];
	size_t len = 0;
	bool has_id;

	for (unsigned i = 0; i < files->n; i++) {
		const struct code_file *file = files->list[i];
		const struct path *path = file->path;

		if (anon_on())
			snprintf(name, sizeof(name), "%.*s", (int)path->csv_len, path->csv);
		else
			snprintf(name, sizeof(name), "%s", path->raw);
		clean(name, '_');
		if (len + strlen(name) + BUILD_ID_HEX + 3 > sizeof(text))
			break;
		/* by which anybody could tell the program */
		has_id = file->build_id[0] && !anon_on();
		len += (size_t)sprintf(text + len, "%s%s%s%s", len ? ";" : "", name,
				       has_id ? " " : "", has_id ? file->build_id : "");
	}
	return quote(field, text, len);
}

/* Asked for when the recording ends, of the file itself. In anonymised mode nothing is named. */
static void note_place(struct stack_sources *sources, const struct code_place *place)
{
	const struct code_file *file = place->file;
	char at[64], path[4097];

	if (!sources->symbols || sources->n_places == PLACES_MAX || file->fd < 0)
		return;
	/* another program opens it, by our descriptor: the name may lead elsewhere by then */
	snprintf(at, sizeof(at), "/proc/%d/fd/%d", (int)getpid(), file->fd);
	snprintf(path, sizeof(path), "%s", file->path->raw);
	clean(path, '_');
	sources->n_places +=
		code_symbols_add(sources->symbols,
				 &(struct code_module){ .path = path,
							.id = file->build_id,
							.path_len = strlen(path),
							.id_len = strlen(file->build_id),
							.file = at },
				 place->offset);
}

bool stack_text_make(struct stack_text *text, struct stack_sources *sources, uint32_t tgid,
		     const uint64_t *frames, unsigned n)
{
	struct files files = { .n = 0 };
	struct filling f;
	char frame[FRAME_MAX];

	*text = (struct stack_text){ 0 };
	f.p = f.bytes + sizeof(f.bytes);
	for (unsigned i = 0; i < n; i++) {
		const struct code_place place = code_maps_find(sources->maps, tgid, frames[i]);

		text->gone = text->gone || place.kind == CODE_GONE;
		if (place.kind == CODE_FILE)
			note_place(sources, &place);
		frame_text(&files, &place, frames[i], frame);
		if (!put_before(&f, frame)) {
			text->cut = true;
			break;
		}
		text->n_frames++;
	}
	if (!quote(&text->frames, f.p, (size_t)(f.bytes + sizeof(f.bytes) - f.p)) ||
	    !put_modules(&text->modules, &files)) {
		stack_text_free(text);
		return false;
	}
	/* 0 stands for no stack */
	text->id = fnv_64(FNV_64, text->frames.text, text->frames.len);
	text->id = fnv_64(text->id, text->modules.text, text->modules.len) ?: 1;
	return true;
}

void stack_text_free(struct stack_text *text)
{
	free(text->frames.text);
	free(text->modules.text);
	*text = (struct stack_text){ 0 };
}

/* ---- the kernel's ---- */

bool stack_text_kernel(struct stack_field *field, const struct kernel_names *names,
		       const uint64_t *frames, unsigned n)
{
	struct filling f;
	char frame[600];
	uint64_t offset;

	f.p = f.bytes + sizeof(f.bytes);
	for (unsigned i = 0; i < n; i++) {
		const char *name = kernel_names_find(names, frames[i], &offset);

		if (name)
			snprintf(frame, sizeof(frame), "%.512s+0x%" PRIx64, name, offset);
		else
			snprintf(frame, sizeof(frame), "[kernel]");
		if (!put_before(&f, frame))
			break;
	}
	return quote(field, f.p, (size_t)(f.bytes + sizeof(f.bytes) - f.p));
}
