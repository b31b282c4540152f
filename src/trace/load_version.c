/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the version of the running kernel that kprobe programs must name before 5.0. */
#include "trace/load_version.h"

#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/utsname.h>

#if __SIZEOF_POINTER__ == 8
typedef Elf64_Ehdr vdso_ehdr;
typedef Elf64_Phdr vdso_phdr;
#else
typedef Elf32_Ehdr vdso_ehdr;
typedef Elf32_Phdr vdso_phdr;
#endif

/* The version in a block of notes: owner "Linux", type 0, or 0. */
static uint32_t note_version(const char *at, size_t size)
{
	Elf64_Nhdr head; /* the same in both classes */
	uint32_t version;

	while (size >= sizeof(head)) {
		size_t name, desc;

		memcpy(&head, at, sizeof(head));
		name = (head.n_namesz + 3ul) & ~3ul;
		desc = (head.n_descsz + 3ul) & ~3ul;
		if (name > size - sizeof(head) || desc > size - sizeof(head) - name)
			return 0;
		if (head.n_type == 0 && head.n_namesz == sizeof("Linux") &&
		    head.n_descsz == sizeof(version) &&
		    memcmp(at + sizeof(head), "Linux", sizeof("Linux")) == 0) {
			memcpy(&version, at + sizeof(head) + name, sizeof(version));
			return version;
		}
		at += sizeof(head) + name + desc;
		size -= sizeof(head) + name + desc;
	}
	return 0;
}

static uint32_t vdso_version(void)
{
	const char *base = (const char *)getauxval(AT_SYSINFO_EHDR);
	const vdso_ehdr *ehdr = (const vdso_ehdr *)base;
	const vdso_phdr *phdr;
	uint32_t version = 0;

	if (!base)
		return 0;
	phdr = (const vdso_phdr *)(base + ehdr->e_phoff);
	for (unsigned i = 0; i < ehdr->e_phnum && !version; i++) {
		if (phdr[i].p_type == PT_NOTE)
			version = note_version(base + phdr[i].p_offset, phdr[i].p_filesz);
	}
	return version;
}

static uint32_t uname_version(void)
{
	struct utsname uts;
	unsigned a = 0, b = 0, c = 0;

	if (uname(&uts) || sscanf(uts.release, "%u.%u.%u", &a, &b, &c) < 2)
		return 0;
	return (a << 16) + (b << 8) + (c > 255 ? 255 : c);
}

/*
 * Distributions say one thing in uname and compile in another (Debian's 5.10.0
 * is 5.10.x, Ubuntu's 4.15.0 is 4.15.18): the vDSO has what was compiled in,
 * and that is what kprobe programs are compared with before 5.0.
 */
uint32_t load_kern_version(void)
{
	uint32_t version = vdso_version();

	return version ? version : uname_version();
}
