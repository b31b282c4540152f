/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns how the tables are read: the sorted list of .eh_frame_hdr, the entry of the function and its common part
 * (LSB Core 10.6), and those instructions (DWARF 6.4) that move the frame. Anything else means that it
 * is not known. The file is a traced process's, which may have made it up: every size has a bound.
 */
#include "code/unwind.h"

#include <elf.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

enum { SEGMENTS_MAX = 64, ENTRY_MAX = 4096, TABLE_MAX = 1 << 24, STEPS_MAX = 1024, SAVED_MAX = 8 };
/* psABI of x86-64, numbers of registers for DWARF */
enum { RSP = 7 };
/* DW_EH_PE_*, as linkers of x86-64 choose them: any other encoding means that nothing is known */
enum { PCREL_S4 = 0x1b, DATAREL_S4 = 0x3b, UDATA4 = 0x03 };

struct object {
	int fd;
	Elf64_Phdr loads[SEGMENTS_MAX], table;
	unsigned n;
};

/* All of it or nothing. A place beyond off_t would be a negative one. */
static bool read_at(int fd, void *to, size_t len, uint64_t at)
{
	return at < 1ULL << 62 && pread(fd, to, len, (off_t)at) == (ssize_t)len;
}

static bool read_object(struct object *o, int fd)
{
	Elf64_Ehdr head;
	Elf64_Phdr p;
	bool found = false;

	*o = (struct object){ .fd = fd };
	if (!read_at(fd, &head, sizeof(head), 0) || memcmp(head.e_ident, ELFMAG, SELFMAG) ||
	    head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_machine != EM_X86_64 ||
	    head.e_phentsize != sizeof(p))
		return false;
	for (unsigned i = 0; i < head.e_phnum && i < SEGMENTS_MAX; i++) {
		if (!read_at(fd, &p, sizeof(p), head.e_phoff + i * sizeof(p)))
			return false;
		if (p.p_type == PT_LOAD)
			o->loads[o->n++] = p;
		if (p.p_type == PT_GNU_EH_FRAME) {
			o->table = p;
			found = true;
		}
	}
	return found;
}

/* From a place in the file to the address that it was linked to, and back: segments that are loaded have both. */
static bool address_of(const struct object *o, uint64_t offset, uint64_t *address)
{
	for (unsigned i = 0; i < o->n; i++)
		if (offset >= o->loads[i].p_offset &&
		    offset - o->loads[i].p_offset < o->loads[i].p_filesz) {
			*address = o->loads[i].p_vaddr + (offset - o->loads[i].p_offset);
			return true;
		}
	return false;
}

static bool offset_of(const struct object *o, uint64_t address, uint64_t *offset)
{
	for (unsigned i = 0; i < o->n; i++)
		if (address >= o->loads[i].p_vaddr &&
		    address - o->loads[i].p_vaddr < o->loads[i].p_filesz) {
			*offset = o->loads[i].p_offset + (address - o->loads[i].p_vaddr);
			return true;
		}
	return false;
}

/* ---- the sorted list ---- */

struct pair {
	int32_t start, entry; /* from the start of the list's section */
};

/* The entry of the function that begins last before the address */
static bool find_entry(const struct object *o, uint64_t address, uint64_t *entry)
{
	struct {
		uint8_t version, pointer, count, table;
		int32_t frames;
		uint32_t n;
	} head;
	const uint64_t base = o->table.p_vaddr, at = o->table.p_offset;
	struct pair pair;
	uint32_t low = 0, high;

	if (!read_at(o->fd, &head, sizeof(head), at) || head.version != 1 ||
	    head.pointer != PCREL_S4 || head.count != UDATA4 || head.table != DATAREL_S4 ||
	    head.n > TABLE_MAX)
		return false;
	for (high = head.n; low < high;) {
		uint32_t middle = low + (high - low) / 2;

		if (!read_at(o->fd, &pair, sizeof(pair),
			     at + sizeof(head) + (uint64_t)middle * sizeof(pair)))
			return false;
		if (base + (uint64_t)(int64_t)pair.start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || !read_at(o->fd, &pair, sizeof(pair),
			     at + sizeof(head) + (uint64_t)(low - 1) * sizeof(pair)))
		return false;
	*entry = base + (uint64_t)(int64_t)pair.entry;
	return true;
}

/* ---- bytes ---- */

struct bytes {
	const uint8_t *p, *end;
	bool bad;
};

/* Behind the end all is 0, and bad stays set: who takes several values looks at it once. */
static uint64_t take(struct bytes *b, unsigned n)
{
	uint64_t value = 0;

	if ((size_t)(b->end - b->p) < n) {
		b->bad = true;
		return 0;
	}
	memcpy(&value, b->p, n); /* little endian, as this machine is */
	b->p += n;
	return value;
}

/* DWARF 7.6; ten bytes hold 64 bits, and no more are taken. */
static uint64_t take_leb(struct bytes *b, bool sign)
{
	uint64_t value = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = (uint8_t)take(b, 1);
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80 && !b->bad && shift < 70);
	if (sign && shift < 64 && byte & 0x40)
		value |= ~0ULL << shift;
	return value;
}

static void skip(struct bytes *b, uint64_t n)
{
	if (n > (size_t)(b->end - b->p))
		b->bad = true;
	else
		b->p += n;
}

/* ---- entries ---- */

/* What an entry has behind its length; false: it is too long, or the end of them. */
static bool read_entry(const struct object *o, uint64_t address, uint8_t text[ENTRY_MAX],
		       struct bytes *b)
{
	uint64_t offset;
	uint32_t len;

	if (!offset_of(o, address, &offset) || !read_at(o->fd, &len, sizeof(len), offset) || !len ||
	    len > ENTRY_MAX || !read_at(o->fd, text, len, offset + sizeof(len)))
		return false;
	*b = (struct bytes){ .p = text, .end = text + len };
	return true;
}

/* What functions share; align: the unit of advance_loc */
struct common {
	uint64_t align;
	struct bytes instructions;
};

/* The common part: "zR", "zPLR" … ; frames of signals are another matter. */
static bool parse_common(struct bytes *b, struct common *c)
{
	const uint8_t *letters, *data_end;
	bool pointers = false;
	uint64_t len;

	/* 0, by which it differs from a function's entry, and the version that compilers write */
	if (take(b, 4) || take(b, 1) != 1)
		return false;
	letters = b->p;
	while (take(b, 1) && !b->bad)
		;
	/* of code, of data, and the register of the return address, which is one for all of x86-64 */
	c->align = take_leb(b, false);
	take_leb(b, true);
	take(b, 1);
	if (b->bad || letters[0] != 'z')
		return false;
	len = take_leb(b, false);
	if (b->bad || len > (size_t)(b->end - b->p))
		return false;
	data_end = b->p + len;
	for (letters++; *letters; letters++) {
		uint8_t form = *letters == 'S' ? 0 : (uint8_t)take(b, 1);

		if (*letters == 'R')
			pointers = form == PCREL_S4;
		else if (*letters == 'P')
			skip(b, (form & 7) == 3                ? 4 :
				(form & 7) == 4 || !(form & 7) ? 8 :
								 UINT64_MAX);
		else if (*letters != 'L')
			return false;
	}
	b->p = data_end;
	c->instructions = *b;
	return pointers && !b->bad;
}

/* ---- instructions ---- */

struct rule {
	uint64_t reg, offset;
};

struct machine {
	uint64_t at, target, align;
	struct rule cfa, saved[SAVED_MAX];
	unsigned n_saved;
	bool bad, there; /* there: what follows is of later places */
};

static void advance(struct machine *m, uint64_t by)
{
	m->at += by * m->align;
	m->there = m->at > m->target;
}

/* Of what is remembered the rule of the frame is enough: no other register is looked for. */
static void remember(struct machine *m)
{
	if (m->n_saved == SAVED_MAX)
		m->bad = true;
	else
		m->saved[m->n_saved++] = m->cfa;
}

static void restore(struct machine *m)
{
	if (!m->n_saved)
		m->bad = true;
	else
		m->cfa = m->saved[--m->n_saved];
}

static void step_extended(struct machine *m, struct bytes *b, uint8_t op)
{
	switch (op) {
	case 0x00: /* nop */
		break;
	case 0x02: /* advance_loc1, 2, 4 */
	case 0x03:
	case 0x04:
		advance(m, take(b, 1u << (op - 2)));
		break;
	case 0x05: /* offset_extended, register */
	case 0x09:
	case 0x11:
	case 0x14:
		take_leb(b, false);
		take_leb(b, false);
		break;
	case 0x06: /* restore_extended, undefined, same_value, GNU_args_size */
	case 0x07:
	case 0x08:
	case 0x2e:
		take_leb(b, false);
		break;
	case 0x0a:
		remember(m);
		break;
	case 0x0b:
		restore(m);
		break;
	case 0x0c: /* def_cfa */
		m->cfa.reg = take_leb(b, false);
		m->cfa.offset = take_leb(b, false);
		break;
	case 0x0d:
		m->cfa.reg = take_leb(b, false);
		break;
	case 0x0e:
		m->cfa.offset = take_leb(b, false);
		break;
	case 0x10: /* expression, val_expression: of a register */
	case 0x16:
		take_leb(b, false);
		skip(b, take_leb(b, false));
		break;
	default:
		/* such as an expression for the frame (PLT), which would have to be evaluated */
		m->bad = true;
	}
}

static void execute(struct machine *m, struct bytes b)
{
	for (unsigned i = 0; b.p < b.end && !m->there && !m->bad && !b.bad; i++) {
		uint8_t op = (uint8_t)take(&b, 1);

		/* the two highest bits: advance_loc, offset of a register, restore without an operand, or all others */
		if (i == STEPS_MAX)
			m->bad = true;
		else if (op >> 6 == 1)
			advance(m, op & 0x3f);
		else if (op >> 6 == 2)
			take_leb(&b, false);
		else if (op >> 6 == 0)
			step_extended(m, &b, op);
	}
	m->bad = m->bad || b.bad;
}

uint32_t unwind_above_sp(int fd, uint64_t offset)
{
	uint8_t text[ENTRY_MAX], common_text[ENTRY_MAX];
	struct machine m = { .n_saved = 0 };
	struct bytes b, common_bytes;
	uint64_t target, entry, back, begins, len;
	struct common common = { 0 };
	struct object o;

	if (!read_object(&o, fd) || !address_of(&o, offset, &target) ||
	    !find_entry(&o, target, &entry) || !read_entry(&o, entry, text, &b))
		return 0;
	/* how far before this field the common part begins */
	back = take(&b, 4);
	if (b.bad || !back || !read_entry(&o, entry + 4 - back, common_text, &common_bytes) ||
	    !parse_common(&common_bytes, &common))
		return 0;
	/* from where this field is */
	begins = entry + 8 + (uint64_t)(int64_t)(int32_t)take(&b, 4);
	len = take(&b, 4);
	if (b.bad || target < begins || target - begins >= len)
		return 0;
	/* what the letters of the common part announce, as for exceptions */
	skip(&b, take_leb(&b, false));
	m.align = common.align;
	m.at = begins;
	m.target = target;
	execute(&m, common.instructions);
	execute(&m, b);
	/* the return address is the last eight bytes below what the rule gives */
	return m.bad || m.cfa.reg != RSP || m.cfa.offset < 8 || m.cfa.offset > 1 << 20 ?
		       0 :
		       (uint32_t)m.cfa.offset;
}
