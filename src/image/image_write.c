/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An image to an ELF object, laid out by libelf in an anonymous file, since it
 * needs to seek and the reader may be at the end of a pipe. Section order: the
 * fixed ones first, then each program with its relocations.
 */
#include "image/image_write.h"

#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "base/log.h"
#include "image/image_layout.h"

struct text {
	char *bytes;
	size_t size;
	size_t room;
};

struct object {
	const struct image *image;
	Elf *elf;
	struct text shstr;
	struct text str;
	struct text note;
	Elf64_Sym *syms; /* null, maps, programs */
	struct image_map_def *defs;
	Elf64_Rel **rels; /* per program */
	Elf64_Word maps_ndx;
	Elf64_Word symtab_ndx;
};

/* Offset of the copied bytes, or -ENOMEM. */
static ssize_t text_add(struct text *text, const void *bytes, size_t size)
{
	size_t at = text->size;

	if (at + size > text->room) {
		size_t room = (at + size) * 2;
		char *grown = realloc(text->bytes, room);

		if (!grown)
			return -ENOMEM;
		text->bytes = grown;
		text->room = room;
	}
	memcpy(text->bytes + at, bytes, size);
	text->size += size;
	return (ssize_t)at;
}

static ssize_t text_string(struct text *text, const char *string)
{
	return text_add(text, string, strlen(string) + 1);
}

/* One section over bytes that outlive the elf handle; its index or -errno. */
static int add_section(struct object *obj, const char *name, const Elf64_Shdr *like, void *bytes,
		       size_t size, Elf_Type type)
{
	Elf_Scn *scn = elf_newscn(obj->elf);
	Elf64_Shdr *shdr = scn ? elf64_getshdr(scn) : NULL;
	Elf_Data *data = scn ? elf_newdata(scn) : NULL;
	ssize_t at = text_string(&obj->shstr, name);

	if (!shdr || !data || at < 0)
		return -ENOMEM;
	*shdr = *like;
	shdr->sh_name = (Elf64_Word)at;
	data->d_buf = bytes;
	data->d_size = size;
	data->d_type = type;
	data->d_version = EV_CURRENT;
	data->d_align = like->sh_addralign;
	return (int)elf_ndxscn(scn);
}

static int key_text(struct text *out, const struct image *image)
{
	char line[512];
	const char *name, *value;

	snprintf(line, sizeof(line), "format=" IMAGE_FORMAT "\nchecksum=%08x\n",
		 image_checksum(image));
	if (text_add(out, line, strlen(line)) < 0)
		return -ENOMEM;
	for (size_t i = 0; (value = image_key_get(&image->key, i, &name)); i++) {
		snprintf(line, sizeof(line), "%s=%s\n", name, value);
		if (text_add(out, line, strlen(line)) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int make_note(struct text *note, const struct image *image)
{
	static const char padding[4];
	struct text key = { 0 };
	Elf64_Nhdr head = { .n_namesz = sizeof(IMAGE_NOTE_NAME), .n_type = IMAGE_NOTE_TYPE };
	int err = key_text(&key, image);

	head.n_descsz = (Elf64_Word)key.size;
	if (err || text_add(note, &head, sizeof(head)) < 0 ||
	    text_string(note, IMAGE_NOTE_NAME) < 0 ||
	    text_add(note, padding, -note->size & 3) < 0 ||
	    text_add(note, key.bytes, key.size) < 0 || text_add(note, padding, -note->size & 3) < 0)
		err = -ENOMEM;
	free(key.bytes);
	return err;
}

/* The names of maps and programs; symbol 0 is nobody's, as ELF wants it. */
static int add_symbol(struct object *obj, uint32_t i, const char *name, unsigned type, int section,
		      size_t value, size_t size)
{
	ssize_t at = text_string(&obj->str, name);

	if (at < 0)
		return -ENOMEM;
	obj->syms[i] = (Elf64_Sym){
		.st_name = (Elf64_Word)at,
		.st_info = ELF64_ST_INFO(STB_GLOBAL, type),
		.st_shndx = (Elf64_Section)section,
		.st_value = value,
		.st_size = size,
	};
	return 0;
}

static int add_maps(struct object *obj)
{
	const struct image *image = obj->image;
	const Elf64_Shdr like = { .sh_type = SHT_PROGBITS,
				  .sh_flags = SHF_ALLOC | SHF_WRITE,
				  .sh_addralign = 4 };
	size_t size = sizeof(struct image_map_def);
	int ndx = add_section(obj, IMAGE_MAPS_SECTION, &like, obj->defs, image->n_maps * size,
			      ELF_T_BYTE);

	if (ndx < 0)
		return ndx;
	for (uint32_t i = 0; i < image->n_maps; i++) {
		const struct image_map *map = &image->maps[i];

		obj->defs[i] = (struct image_map_def){ map->type, map->key_size, map->value_size,
						       map->max_entries, map->flags };
		if (add_symbol(obj, i + 1, map->name, STT_OBJECT, ndx, i * size, size))
			return -ENOMEM;
	}
	return 0;
}

static int add_prog(struct object *obj, uint32_t i)
{
	const struct image_prog *prog = &obj->image->progs[i];
	const Elf64_Shdr like = { .sh_type = SHT_PROGBITS,
				  .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
				  .sh_addralign = 8 };
	size_t size = prog->n_insns * sizeof(*prog->insns);
	char name[sizeof(IMAGE_PROG_PREFIX) + IMAGE_NAME_SIZE];
	int ndx;

	snprintf(name, sizeof(name), IMAGE_PROG_PREFIX "%s", prog->name);
	ndx = add_section(obj, name, &like, prog->insns, size, ELF_T_BYTE);
	if (ndx < 0)
		return ndx;
	return add_symbol(obj, 1 + obj->image->n_maps + i, prog->name, STT_FUNC, ndx, 0, size) ?
		       -ENOMEM :
		       ndx;
}

static int add_relocs(struct object *obj, uint32_t i, int prog_ndx)
{
	const struct image_prog *prog = &obj->image->progs[i];
	const Elf64_Shdr like = { .sh_type = SHT_REL,
				  .sh_flags = SHF_INFO_LINK,
				  .sh_addralign = 8,
				  .sh_entsize = sizeof(Elf64_Rel),
				  .sh_link = obj->symtab_ndx,
				  .sh_info = (Elf64_Word)prog_ndx };
	char name[sizeof(".rel" IMAGE_PROG_PREFIX) + IMAGE_NAME_SIZE];

	if (prog->n_relocs == 0)
		return 0;
	obj->rels[i] = calloc(prog->n_relocs, sizeof(Elf64_Rel));
	if (!obj->rels[i])
		return -ENOMEM;
	for (uint32_t r = 0; r < prog->n_relocs; r++) {
		obj->rels[i][r].r_offset = prog->relocs[r].insn * sizeof(struct bpf_insn);
		obj->rels[i][r].r_info = ELF64_R_INFO((Elf64_Xword)prog->relocs[r].map + 1,
						      IMAGE_R_BPF_64_64);
	}
	snprintf(name, sizeof(name), ".rel" IMAGE_PROG_PREFIX "%s", prog->name);
	return add_section(obj, name, &like, obj->rels[i], prog->n_relocs * sizeof(Elf64_Rel),
			   ELF_T_REL);
}

/*
 * The string tables grow until the last section is added, so their sections
 * get their bytes at the end; only their numbers are needed before.
 */
static void set_bytes(struct object *obj, int ndx, const struct text *text)
{
	Elf_Data *data = elf_getdata(elf_getscn(obj->elf, (size_t)ndx), NULL);

	data->d_buf = text->bytes;
	data->d_size = text->size;
}

static int add_sections(struct object *obj)
{
	/*
	 * for readers of objects; the kernel gets it with each program that is loaded
	 * (compat/sys/sys.c)
	 */
	static char license[] = "GPL";
	const struct image *image = obj->image;
	uint32_t n_syms = 1 + image->n_maps + image->n_progs;
	const Elf64_Shdr strings = { .sh_type = SHT_STRTAB, .sh_addralign = 1 };
	const Elf64_Shdr bits = { .sh_type = SHT_PROGBITS,
				  .sh_flags = SHF_ALLOC | SHF_WRITE,
				  .sh_addralign = 1 };
	const Elf64_Shdr text = { .sh_type = SHT_PROGBITS, .sh_addralign = 1 };
	const Elf64_Shdr note = { .sh_type = SHT_NOTE, .sh_addralign = 4 };
	int shstr = add_section(obj, ".shstrtab", &strings, NULL, 0, ELF_T_BYTE);
	int str = add_section(obj, ".strtab", &strings, NULL, 0, ELF_T_BYTE);
	const Elf64_Shdr symtab = { .sh_type = SHT_SYMTAB,
				    .sh_addralign = 8,
				    .sh_info = 1,
				    .sh_link = (Elf64_Word)str,
				    .sh_entsize = sizeof(Elf64_Sym) };
	int sym = add_section(obj, ".symtab", &symtab, obj->syms, n_syms * sizeof(*obj->syms),
			      ELF_T_SYM);

	if (image->plan && add_section(obj, IMAGE_PLAN_SECTION, &text, image->plan,
				       strlen(image->plan), ELF_T_BYTE) < 0)
		return -ENOMEM;
	if (shstr < 0 || str < 0 || sym < 0 ||
	    add_section(obj, IMAGE_LICENSE_SECTION, &bits, license, sizeof(license), ELF_T_BYTE) <
		    0 ||
	    add_section(obj, IMAGE_NOTE_SECTION, &note, obj->note.bytes, obj->note.size,
			ELF_T_BYTE) < 0 ||
	    add_maps(obj) < 0)
		return -ENOMEM;
	obj->symtab_ndx = (Elf64_Word)sym;
	elf64_getehdr(obj->elf)->e_shstrndx = (Elf64_Half)shstr;
	for (uint32_t i = 0; i < image->n_progs; i++) {
		int ndx = add_prog(obj, i);

		if (ndx < 0 || add_relocs(obj, i, ndx) < 0)
			return -ENOMEM;
	}
	set_bytes(obj, shstr, &obj->shstr);
	set_bytes(obj, str, &obj->str);
	return 0;
}

static int object_fill(struct object *obj, int fd)
{
	Elf64_Ehdr *ehdr;

	if (elf_version(EV_CURRENT) == EV_NONE)
		return -ENOSYS;
	obj->elf = elf_begin(fd, ELF_C_WRITE, NULL);
	ehdr = obj->elf ? elf64_newehdr(obj->elf) : NULL;
	if (!ehdr)
		return -ENOMEM;
	ehdr->e_ident[EI_DATA] = IMAGE_DATA;
	ehdr->e_type = ET_REL;
	ehdr->e_machine = EM_BPF;
	ehdr->e_version = EV_CURRENT;
	if (text_string(&obj->shstr, "") < 0 || text_string(&obj->str, "") < 0 ||
	    make_note(&obj->note, obj->image) || add_sections(obj))
		return -ENOMEM;
	return elf_update(obj->elf, ELF_C_WRITE) < 0 ? -EIO : 0;
}

static void object_free(struct object *obj)
{
	if (obj->elf)
		elf_end(obj->elf);
	for (uint32_t i = 0; obj->rels && i < obj->image->n_progs; i++)
		free(obj->rels[i]);
	free(obj->rels);
	free(obj->defs);
	free(obj->syms);
	free(obj->note.bytes);
	free(obj->str.bytes);
	free(obj->shstr.bytes);
}

static int object_make(const struct image *image, int fd)
{
	struct object obj = { .image = image };
	int err = -ENOMEM;

	obj.syms = calloc(1 + image->n_maps + image->n_progs, sizeof(*obj.syms));
	obj.defs = calloc(image->n_maps + 1, sizeof(*obj.defs));
	obj.rels = calloc(image->n_progs + 1, sizeof(*obj.rels));
	if (obj.syms && obj.defs && obj.rels)
		err = object_fill(&obj, fd);
	object_free(&obj);
	return err;
}

static int check_names(const struct image *image)
{
	for (uint32_t i = 0; i < image->n_maps; i++) {
		if (!image_name_ok(image->maps[i].name))
			return -EINVAL;
	}
	for (uint32_t i = 0; i < image->n_progs; i++) {
		if (!image_name_ok(image->progs[i].name) || image->progs[i].n_insns == 0)
			return -EINVAL;
	}
	return 0;
}

static int copy_file(int from, int to)
{
	char buf[65536];
	off_t at = 0;
	ssize_t n;

	while ((n = pread(from, buf, sizeof(buf), at)) > 0) {
		int err = file_write_all(to, buf, (size_t)n, NULL);

		if (err)
			return err;
		at += n;
	}
	return n < 0 ? -errno : 0;
}

int image_write(const struct image *image, int fd)
{
	int mem = memfd_create("iotracer-image", MFD_CLOEXEC);
	int err = mem < 0 ? -errno : check_names(image);

	if (!err)
		err = object_make(image, mem);
	if (!err)
		err = copy_file(mem, fd);
	if (err)
		log_error("cannot write the image: %s", strerror(-err));
	if (mem >= 0)
		close(mem);
	return err;
}
