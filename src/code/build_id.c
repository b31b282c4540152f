/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns how the note is found. The file is a traced process's, which may have made it up: every size has a bound. */
#include "code/build_id.h"

#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Beyond what linkers make. Of a longer segment the beginning is looked through. */
enum { SEGMENTS_MAX = 64, NOTES_MAX = 16384 };

/* Name and id of a note are padded to four bytes, in files of 64 bits, too. */
static size_t padded(size_t n)
{
	return (n + 3) & ~(size_t)3;
}

bool build_id_in_notes(const unsigned char *notes, size_t len, char hex[BUILD_ID_HEX])
{
	Elf64_Nhdr note; /* that of 32 bits is the same */

	hex[0] = '\0';
	while (len >= sizeof(note)) {
		size_t name, id;

		memcpy(&note, notes, sizeof(note));
		notes += sizeof(note);
		len -= sizeof(note);
		name = padded(note.n_namesz);
		if (note.n_namesz > len || name > len || note.n_descsz > len - name)
			return false;
		id = note.n_descsz;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof("GNU") &&
		    !memcmp(notes, "GNU", sizeof("GNU")) && id && id * 2 < BUILD_ID_HEX) {
			for (size_t i = 0; i < id; i++)
				snprintf(hex + 2 * i, 3, "%02x", notes[name + i]);
			return true;
		}
		/* the padding of the last note may be missing, and is not needed for its id */
		if (padded(id) > len - name)
			return false;
		notes += name + padded(id);
		len -= name + padded(id);
	}
	return false;
}

static bool read_segment(int fd, uint64_t at, uint64_t len, char hex[BUILD_ID_HEX])
{
	unsigned char notes[NOTES_MAX];
	ssize_t n = pread(fd, notes, len < sizeof(notes) ? len : sizeof(notes), (off_t)at);

	return n > 0 && build_id_in_notes(notes, (size_t)n, hex);
}

/*
 * Twice the same, since the members of the two kinds of headers differ in size and place. In a file of the
 * other order of bytes e_phentsize is another number, and no id is found.
 */
static void read_64(int fd, char hex[BUILD_ID_HEX])
{
	Elf64_Ehdr head;
	Elf64_Phdr p;

	if (pread(fd, &head, sizeof(head), 0) != sizeof(head) || head.e_phentsize != sizeof(p))
		return;
	for (unsigned i = 0; i < head.e_phnum && i < SEGMENTS_MAX; i++)
		if (pread(fd, &p, sizeof(p), (off_t)(head.e_phoff + i * sizeof(p))) == sizeof(p) &&
		    p.p_type == PT_NOTE && read_segment(fd, p.p_offset, p.p_filesz, hex))
			return;
}

static void read_32(int fd, char hex[BUILD_ID_HEX])
{
	Elf32_Ehdr head;
	Elf32_Phdr p;

	if (pread(fd, &head, sizeof(head), 0) != sizeof(head) || head.e_phentsize != sizeof(p))
		return;
	for (unsigned i = 0; i < head.e_phnum && i < SEGMENTS_MAX; i++)
		if (pread(fd, &p, sizeof(p), (off_t)(head.e_phoff + i * sizeof(p))) == sizeof(p) &&
		    p.p_type == PT_NOTE && read_segment(fd, p.p_offset, p.p_filesz, hex))
			return;
}

void build_id_read(int fd, char hex[BUILD_ID_HEX])
{
	unsigned char ident[EI_NIDENT];

	hex[0] = '\0';
	if (pread(fd, ident, sizeof(ident), 0) != sizeof(ident) || memcmp(ident, ELFMAG, SELFMAG))
		return;
	if (ident[EI_CLASS] == ELFCLASS64)
		read_64(fd, hex);
	else if (ident[EI_CLASS] == ELFCLASS32)
		read_32(fd, hex);
}
