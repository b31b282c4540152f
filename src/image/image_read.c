/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An ELF object to an image. The bytes may come from a damaged cache file or
 * from another machine: every number in them is checked before it is used, and
 * whatever is not as image_write.c lays it out is refused.
 */
#include "image/image_read.h"

#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "image/image_layout.h"

struct bytes {
	char *data;
	size_t size;
};

struct reader {
	struct image *image;
	Elf *elf;
	const char *why; /* what is wrong, for the message */
	size_t shstrndx;
	size_t n_sections;
	Elf_Data *symbols;
	size_t strtab_ndx;
	size_t maps_ndx;
	Elf_Data *maps;
	uint32_t *prog_of; /* section number to program index + 1 */
	bool has_note;
	uint32_t checksum;
};

static int bad(struct reader *r, const char *why)
{
	if (!r->why)
		r->why = why;
	return -EBADMSG;
}

static int read_all(int fd, struct bytes *out)
{
	size_t room = 65536;

	out->data = malloc(room);
	while (out->data) {
		ssize_t n = read(fd, out->data + out->size, room - out->size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : 0;
		out->size += (size_t)n;
		if (out->size > IMAGE_MAX_BYTES)
			return -EFBIG;
		if (out->size == room) {
			char *grown = realloc(out->data, room *= 2);

			if (!grown)
				return -ENOMEM;
			out->data = grown;
		}
	}
	return -ENOMEM;
}

/* libelf clips nothing for us: sections must lie inside the file and be of the size they say. */
static Elf_Data *section_data(Elf_Scn *scn, const GElf_Shdr *shdr, size_t entsize)
{
	Elf_Data *data = elf_getdata(scn, NULL);

	if (!data || data->d_size != shdr->sh_size || (data->d_size && !data->d_buf))
		return NULL;
	return data->d_size % entsize == 0 ? data : NULL;
}

/* A NUL-terminated string inside a section's data, or NULL. */
static const char *data_string(const Elf_Data *data, size_t at)
{
	const char *s = data->d_buf;

	if (at >= data->d_size || !memchr(s + at, 0, data->d_size - at))
		return NULL;
	return s + at;
}

static int key_line(struct reader *r, char *line)
{
	char *value = strchr(line, '=');
	char *end;

	if (!value)
		return bad(r, "the key is damaged");
	*value++ = '\0';
	if (strcmp(line, "format") == 0)
		return strcmp(value, IMAGE_FORMAT) == 0 ? 0 : bad(r, "different format version");
	if (strcmp(line, "checksum") == 0) {
		r->checksum = (uint32_t)strtoul(value, &end, 16);
		return *end || end == value ? bad(r, "the key is damaged") : 0;
	}
	return image_key_set(&r->image->key, line, value) ? bad(r, "the key is damaged") : 0;
}

static int read_key(struct reader *r, const char *text, size_t size)
{
	char *copy = malloc(size + 1);
	char *next = copy;
	int err = copy ? 0 : -ENOMEM;

	if (!copy)
		return err;
	memcpy(copy, text, size);
	copy[size] = '\0';
	if (strlen(copy) != size || size == 0 || copy[size - 1] != '\n')
		err = bad(r, "the key is damaged");
	while (!err && *next) {
		char *line = strsep(&next, "\n");

		err = key_line(r, line);
	}
	free(copy);
	return err;
}

static int read_note(struct reader *r, Elf_Scn *scn, const GElf_Shdr *shdr)
{
	Elf_Data *data = section_data(scn, shdr, 1);
	/* the fields of a note begin at multiples of four bytes */
	const size_t name_size = (sizeof(IMAGE_NOTE_NAME) + 3) & ~3u;
	Elf64_Nhdr head;

	if (!data || data->d_size < sizeof(head) + name_size || r->has_note)
		return bad(r, "the key is damaged");
	memcpy(&head, data->d_buf, sizeof(head));
	if (head.n_type != IMAGE_NOTE_TYPE || head.n_namesz != sizeof(IMAGE_NOTE_NAME) ||
	    memcmp((char *)data->d_buf + sizeof(head), IMAGE_NOTE_NAME, head.n_namesz) != 0 ||
	    head.n_descsz > data->d_size - sizeof(head) - name_size)
		return bad(r, "the key is damaged");
	r->has_note = true;
	return read_key(r, (char *)data->d_buf + sizeof(head) + name_size, head.n_descsz);
}

static int read_prog(struct reader *r, Elf_Scn *scn, const GElf_Shdr *shdr, const char *name)
{
	Elf_Data *data = section_data(scn, shdr, sizeof(struct bpf_insn));
	struct image_prog *prog;

	if (!data || data->d_size == 0 || !image_name_ok(name) ||
	    data->d_size / sizeof(struct bpf_insn) > IMAGE_MAX_INSNS ||
	    r->image->n_progs >= IMAGE_MAX_PROGS || image_find_prog(r->image, name))
		return bad(r, "a program section is damaged");
	prog = &r->image->progs[r->image->n_progs];
	prog->insns = malloc(data->d_size);
	if (!prog->insns)
		return -ENOMEM;
	memcpy(prog->insns, data->d_buf, data->d_size);
	prog->n_insns = (uint32_t)(data->d_size / sizeof(struct bpf_insn));
	strcpy(prog->name, name);
	r->prog_of[elf_ndxscn(scn)] = ++r->image->n_progs;
	return 0;
}

static int read_symtab(struct reader *r, Elf_Scn *scn, const GElf_Shdr *shdr)
{
	r->symbols = section_data(scn, shdr, sizeof(Elf64_Sym));
	r->strtab_ndx = shdr->sh_link;
	return r->symbols ? 0 : bad(r, "the symbol table is damaged");
}

/* Lines of text; what they say is for plan_text.c to judge. */
static int read_plan(struct reader *r, Elf_Scn *scn, const GElf_Shdr *shdr)
{
	Elf_Data *data = section_data(scn, shdr, 1);
	const char *text = data ? data->d_buf : NULL;

	if (!data || !data->d_size || memchr(text, 0, data->d_size) ||
	    text[data->d_size - 1] != '\n' || r->image->plan)
		return bad(r, "plan damaged");
	r->image->plan = strndup(text, data->d_size);
	return r->image->plan ? 0 : -ENOMEM;
}

static int read_section(struct reader *r, Elf_Scn *scn)
{
	GElf_Shdr shdr;
	const char *name = NULL;

	if (gelf_getshdr(scn, &shdr))
		name = elf_strptr(r->elf, r->shstrndx, shdr.sh_name);
	if (!name)
		return bad(r, "a section header is damaged");
	if (shdr.sh_type == SHT_SYMTAB)
		return read_symtab(r, scn, &shdr);
	if (strcmp(name, IMAGE_NOTE_SECTION) == 0)
		return read_note(r, scn, &shdr);
	if (strcmp(name, IMAGE_PLAN_SECTION) == 0)
		return read_plan(r, scn, &shdr);
	if (strcmp(name, IMAGE_MAPS_SECTION) == 0) {
		r->maps_ndx = elf_ndxscn(scn);
		r->maps = section_data(scn, &shdr, sizeof(struct image_map_def));
		return r->maps ? 0 : bad(r, "the map definitions are damaged");
	}
	if (shdr.sh_type == SHT_PROGBITS &&
	    strncmp(name, IMAGE_PROG_PREFIX, strlen(IMAGE_PROG_PREFIX)) == 0)
		return read_prog(r, scn, &shdr, name + strlen(IMAGE_PROG_PREFIX));
	return 0;
}

static int for_each_section(struct reader *r, int (*fn)(struct reader *, Elf_Scn *))
{
	Elf_Scn *scn = NULL;
	int err = 0;

	while (!err && (scn = elf_nextscn(r->elf, scn)))
		err = fn(r, scn);
	return err;
}

/* Symbol i + 1 names map i: the writer puts them first, in order. */
static int read_map(struct reader *r, uint32_t i, const Elf_Data *strings)
{
	struct image_map_def def;
	Elf64_Sym sym;
	const char *name;
	struct image_map *map = &r->image->maps[i];

	if ((i + 2) * sizeof(sym) > r->symbols->d_size)
		return bad(r, "a map has no symbol");
	memcpy(&sym, (char *)r->symbols->d_buf + (i + 1) * sizeof(sym), sizeof(sym));
	name = data_string(strings, sym.st_name);
	if (!name || !image_name_ok(name) || sym.st_shndx != r->maps_ndx ||
	    sym.st_value != i * sizeof(def) || image_find_map(r->image, name) >= 0)
		return bad(r, "a map has no symbol");
	memcpy(&def, (char *)r->maps->d_buf + i * sizeof(def), sizeof(def));
	strcpy(map->name, name);
	map->type = def.type;
	map->key_size = def.key_size;
	map->value_size = def.value_size;
	map->max_entries = def.max_entries;
	map->flags = def.flags;
	return 0;
}

static int read_maps(struct reader *r)
{
	Elf_Scn *scn = elf_getscn(r->elf, r->strtab_ndx);
	GElf_Shdr shdr;
	Elf_Data *strings = NULL;
	size_t n = r->maps->d_size / sizeof(struct image_map_def);

	if (scn && gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_STRTAB)
		strings = section_data(scn, &shdr, 1);
	if (!strings || n > IMAGE_MAX_MAPS)
		return bad(r, "the map definitions are damaged");
	r->image->maps = calloc(n + 1, sizeof(*r->image->maps));
	if (!r->image->maps)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++) {
		int err = read_map(r, i, strings);

		if (err)
			return err;
		/* one by one: read_map() looks for its name among those before */
		r->image->n_maps++;
	}
	return 0;
}

/* With its second half: a load that is cut off at the end would be read beyond it. */
static bool is_map_load(const struct image_prog *prog, uint32_t at)
{
	const struct bpf_insn *insn = &prog->insns[at];

	return at + 1 < prog->n_insns && insn->code == (BPF_LD | BPF_DW | BPF_IMM) &&
	       insn->src_reg == BPF_PSEUDO_MAP_FD;
}

static int read_reloc(struct reader *r, struct image_prog *prog, const Elf64_Rel *rel)
{
	uint64_t at = rel->r_offset / sizeof(struct bpf_insn);
	/* symbol 0 becomes a number that no map has */
	uint64_t map = ELF64_R_SYM(rel->r_info) - 1;
	struct image_reloc *last = prog->n_relocs ? &prog->relocs[prog->n_relocs - 1] : NULL;

	if (ELF64_R_TYPE(rel->r_info) != IMAGE_R_BPF_64_64 || map >= r->image->n_maps ||
	    rel->r_offset % sizeof(struct bpf_insn) || at >= prog->n_insns ||
	    !is_map_load(prog, (uint32_t)at) || (last && last->insn >= at))
		return bad(r, "a relocation is damaged");
	prog->relocs[prog->n_relocs++] = (struct image_reloc){ (uint32_t)at, (uint32_t)map };
	return 0;
}

static int read_relocs(struct reader *r, Elf_Scn *scn)
{
	GElf_Shdr shdr;
	Elf_Data *data;
	struct image_prog *prog;
	size_t n;

	if (!gelf_getshdr(scn, &shdr))
		return bad(r, "a section header is damaged");
	if (shdr.sh_type != SHT_REL)
		return 0;
	data = section_data(scn, &shdr, sizeof(Elf64_Rel));
	if (!data || shdr.sh_info >= r->n_sections || !r->prog_of[shdr.sh_info])
		return bad(r, "a relocation section is damaged");
	prog = &r->image->progs[r->prog_of[shdr.sh_info] - 1];
	n = data->d_size / sizeof(Elf64_Rel);
	if (prog->relocs || n > prog->n_insns)
		return bad(r, "a relocation section is damaged");
	prog->relocs = calloc(n + 1, sizeof(*prog->relocs));
	if (!prog->relocs)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		Elf64_Rel rel;
		int err;

		memcpy(&rel, (char *)data->d_buf + i * sizeof(rel), sizeof(rel));
		err = read_reloc(r, prog, &rel);
		if (err)
			return err;
	}
	return 0;
}

/* A map load without its relocation would reach the kernel with file descriptor 0. */
static int check_loads(struct reader *r, const struct image_prog *prog)
{
	uint32_t n_loads = 0;

	for (uint32_t i = 0; i < prog->n_insns; i++) {
		if (prog->insns[i].code != (BPF_LD | BPF_DW | BPF_IMM))
			continue;
		if (prog->insns[i].src_reg == BPF_PSEUDO_MAP_FD)
			n_loads++;
		else if (prog->insns[i].src_reg)
			return bad(r, "a program refers to something that is not a map");
		/* its second half, which has no code of its own */
		i++;
	}
	return n_loads == prog->n_relocs ? 0 : bad(r, "a map reference has no relocation");
}

static int read_sections(struct reader *r)
{
	const GElf_Ehdr *ehdr = elf64_getehdr(r->elf);
	int err;

	if (!ehdr || ehdr->e_ident[EI_DATA] != IMAGE_DATA || ehdr->e_machine != EM_BPF ||
	    ehdr->e_type != ET_REL)
		return bad(r, "not a BPF object of this byte order");
	if (elf_getshdrnum(r->elf, &r->n_sections) || elf_getshdrstrndx(r->elf, &r->shstrndx) ||
	    r->n_sections > 2 * IMAGE_MAX_PROGS + 16)
		return bad(r, "section table damaged");
	r->prog_of = calloc(r->n_sections + 1, sizeof(*r->prog_of));
	r->image->progs = calloc(r->n_sections + 1, sizeof(*r->image->progs));
	if (!r->prog_of || !r->image->progs)
		return -ENOMEM;
	err = for_each_section(r, read_section);
	if (err)
		return err;
	if (!r->has_note || !r->symbols || !r->maps)
		return bad(r, "no key or no map definitions");
	err = read_maps(r);
	if (!err)
		err = for_each_section(r, read_relocs);
	for (uint32_t i = 0; !err && i < r->image->n_progs; i++)
		err = check_loads(r, &r->image->progs[i]);
	if (!err && image_checksum(r->image) != r->checksum)
		err = bad(r, "checksum mismatch");
	return err;
}

static int parse(struct reader *r, struct bytes *file)
{
	int err;

	if (file->size < EI_NIDENT || memcmp(file->data, ELFMAG, SELFMAG) != 0 ||
	    file->data[EI_CLASS] != ELFCLASS64)
		return bad(r, "not an ELF object");
	if (elf_version(EV_CURRENT) == EV_NONE)
		return bad(r, "libelf is too old");
	r->elf = elf_memory(file->data, file->size);
	if (!r->elf || elf_kind(r->elf) != ELF_K_ELF)
		err = bad(r, "not an ELF object");
	else
		err = read_sections(r);
	if (r->elf)
		elf_end(r->elf);
	free(r->prog_of);
	return err;
}

int image_read_why(struct image *image, int fd, const char **why)
{
	struct bytes file = { 0 };
	struct reader r = { .image = image };
	int err;

	memset(image, 0, sizeof(*image));
	err = read_all(fd, &file);
	if (!err)
		err = parse(&r, &file);
	free(file.data);
	if (err)
		image_free(image);
	*why = r.why ? r.why : strerror(-err);
	return err;
}

static int read_about(struct reader *r, Elf_Scn *scn)
{
	GElf_Shdr shdr;
	const char *name = NULL;

	if (gelf_getshdr(scn, &shdr))
		name = elf_strptr(r->elf, r->shstrndx, shdr.sh_name);
	if (name && !strcmp(name, IMAGE_NOTE_SECTION))
		return read_note(r, scn, &shdr);
	if (name && !strcmp(name, IMAGE_PLAN_SECTION))
		return read_plan(r, scn, &shdr);
	return name ? 0 : -EBADMSG;
}

int image_peek(struct image *image, int fd)
{
	struct reader r = { .image = image };
	int err = -EBADMSG;

	memset(image, 0, sizeof(*image));
	if (elf_version(EV_CURRENT) == EV_NONE)
		return err;
	r.elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (r.elf && elf_kind(r.elf) == ELF_K_ELF && elf64_getehdr(r.elf) &&
	    !elf_getshdrstrndx(r.elf, &r.shstrndx))
		err = for_each_section(&r, read_about);
	if (!err && !r.has_note)
		err = -EBADMSG;
	if (r.elf)
		elf_end(r.elf);
	if (err)
		image_free(image);
	return err;
}

int image_read(struct image *image, int fd, const char *name_for_messages)
{
	const char *why;
	int err = image_read_why(image, fd, &why);

	if (err)
		log_error("cannot use image %s: %s", name_for_messages, why);
	return err;
}
