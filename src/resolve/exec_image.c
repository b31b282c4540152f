/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns what is computed from the two files. Where that cannot be checked there is no mapping. */
#include "resolve/exec_image.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "resolve/procfs.h"

#define PAGE 4096ULL

/* Where x86-64 puts a program that can be anywhere and has a linker (ELF_ET_DYN_BASE, 28 random bits of pages) */
#define PROGRAMS_FROM 0x555555554000ULL
#define PROGRAMS_TO (PROGRAMS_FROM + (1ULL << 40))

/* "#!" of a script may name a script: BINPRM_MAX_RECURSION */
#define MAX_SCRIPTS 5

void exec_image_set(struct exec_image *image, struct path *program)
{
	exec_image_clear(image);
	image->program = path_get(program);
}

void exec_image_copy(struct exec_image *to, const struct exec_image *from)
{
	*to = *from;
	path_get(to->program);
	path_get(to->file.path);
	path_get(to->linker.path);
}

void exec_image_clear(struct exec_image *image)
{
	path_put(image->program);
	path_put(image->file.path);
	path_put(image->linker.path);
	*image = (struct exec_image){ 0 };
}

/* ---- files ---- */

/* The path that "#!" names. False when it is no script. */
static bool script_names(int fd, char name[4096])
{
	char line[4096];
	ssize_t n = pread(fd, line, sizeof(line) - 1, 0);
	size_t skip, len;

	if (n < 3 || line[0] != '#' || line[1] != '!')
		return false;
	line[n] = '\0';
	skip = 2 + strspn(line + 2, " \t");
	len = strcspn(line + skip, " \t\n");
	if (line[skip] != '/')
		return false;
	memcpy(name, line + skip, len);
	name[len] = '\0';
	return true;
}

static bool add_load(struct exec_file *file, const Elf64_Phdr *segment)
{
	if (segment->p_align > file->align)
		file->align = segment->p_align;
	if (!segment->p_filesz)
		return true;
	if (file->n_loads == EXEC_IMAGE_LOADS)
		return false;
	file->loads[file->n_loads].address = segment->p_vaddr;
	file->loads[file->n_loads].offset = segment->p_offset;
	file->loads[file->n_loads++].bytes = segment->p_filesz;
	return true;
}

/* linker: gets the path of the dynamic linker, "" when there is none. */
static bool read_elf(int fd, struct exec_file *file, char linker[4096])
{
	Elf64_Ehdr head;
	Elf64_Phdr segment;

	if (pread(fd, &head, sizeof(head), 0) != sizeof(head) ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG) || head.e_ident[EI_CLASS] != ELFCLASS64 ||
	    head.e_phentsize != sizeof(segment))
		return false;
	file->moves = head.e_type == ET_DYN;
	file->entry = head.e_entry;
	file->headers = head.e_phoff;
	file->headers_len = (uint64_t)head.e_phnum * sizeof(segment);
	file->align = PAGE;
	for (unsigned i = 0; i < head.e_phnum; i++) {
		if (pread(fd, &segment, sizeof(segment), head.e_phoff + i * sizeof(segment)) !=
		    sizeof(segment))
			return false;
		if (segment.p_type == PT_LOAD && !add_load(file, &segment))
			return false;
		if (segment.p_type == PT_INTERP && segment.p_filesz < 4096 &&
		    pread(fd, linker, segment.p_filesz, segment.p_offset) ==
			    (ssize_t)segment.p_filesz)
			linker[segment.p_filesz] = '\0';
	}
	return file->n_loads;
}

/* A program, or (name then changes) the one that its script names. */
static bool read_program(const struct procfs *proc, char name[4096], struct exec_file *file,
			 char linker[4096])
{
	struct procfs_file found;
	bool ok = false;
	int fd = -1;

	linker[0] = '\0';
	for (int i = 0; i < MAX_SCRIPTS; i++) {
		fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
		if (fd < 0)
			return false;
		if (!script_names(fd, name))
			break;
		close(fd);
		fd = -1;
	}
	if (fd < 0)
		return false;
	ok = read_elf(fd, file, linker);
	close(fd);
	if (!ok || !procfs_path(proc, getpid(), false, name, &found))
		return false;
	file->ino = found.ino;
	file->dev = found.dev;
	file->wanted = found.scope != SCOPE_OUT;
	file->path = procfs_name(&found, PATH_PROC);
	return file->path;
}

static void read_image(struct exec_image *image, const struct procfs *proc)
{
	char name[4096], linker[4096], none[4096];

	image->state = EXEC_IMAGE_UNKNOWN;
	if (!image->program || !(image->program->flags & PATH_FULL) ||
	    image->program->raw_len >= sizeof(name))
		return;
	memcpy(name, image->program->raw, image->program->raw_len + 1);
	if (!read_program(proc, name, &image->file, linker))
		return;
	image->has_linker = linker[0];
	if (image->has_linker && !read_program(proc, linker, &image->linker, none))
		return;
	image->state = EXEC_IMAGE_READ;
}

/* ---- places ---- */

/* What calls mapped there meanwhile stays. */
static void place(struct exec_file *file, struct mappings *maps, uint64_t base)
{
	file->placed = true;
	for (unsigned i = 0; i < file->n_loads && file->wanted; i++) {
		struct mapping part = {
			.start = base + file->loads[i].address,
			.offset = file->loads[i].offset,
			.ino = file->ino,
			.dev = file->dev,
			.path = file->path,
		};

		part.end = part.start + file->loads[i].bytes;
		if (!mappings_find(maps, part.start, part.end))
			mappings_add(maps, &part);
	}
}

/* The first instruction is the linker's, or where there is none, the program's. */
static void place_by_entry(struct exec_image *image, struct exec_file *first, struct mappings *maps,
			   uint64_t address)
{
	if ((address - first->entry) % PAGE)
		image->state = EXEC_IMAGE_UNKNOWN; /* that one was not seen */
	else
		place(first, maps, address - first->entry);
}

/* The first that the linker touches of a program are the headers that say what is where. */
static void place_by_headers(struct exec_image *image, struct mappings *maps, uint64_t address)
{
	uint64_t at = address % PAGE, base = address - at;
	const struct exec_file *file = &image->file;

	if (!exec_image_may_hold(image, address))
		return;
	if (at >= file->headers && at < file->headers + file->headers_len &&
	    base % file->align == 0)
		place(&image->file, maps, base);
	else
		image->state = EXEC_IMAGE_UNKNOWN;
}

void exec_image_fault(struct exec_image *image, const struct procfs *proc, struct mappings *maps,
		      uint64_t address, bool fetch)
{
	struct exec_file *first = image->has_linker ? &image->linker : &image->file;

	if (image->state == EXEC_IMAGE_UNREAD) {
		read_image(image, proc);
		first = image->has_linker ? &image->linker : &image->file;
		if (image->state == EXEC_IMAGE_READ && !image->file.moves)
			place(&image->file, maps, 0);
	}
	if (image->state != EXEC_IMAGE_READ)
		return;
	if (!first->placed && fetch)
		place_by_entry(image, first, maps, address);
	else if (first->placed && !image->file.placed)
		place_by_headers(image, maps, address);
}

bool exec_image_may_hold(const struct exec_image *image, uint64_t address)
{
	if (image->state != EXEC_IMAGE_READ || (image->has_linker && !image->linker.placed))
		return true;
	return !image->file.placed &&
	       (!image->has_linker || (address >= PROGRAMS_FROM && address < PROGRAMS_TO));
}
