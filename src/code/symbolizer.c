/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * iotracer-symbols: names functions. The only program that is linked to libdw, which reads files that anybody may
 * have made: so it opens them, gives up what root may do, and reads them then. Questions come on
 * standard input, answers go to standard output, a line each:
 *   M PATH <tab> BUILD-ID          a file, for the lines that follow; "*" in place of an id: none is compared
 *   A OFFSET                       a place in it, hexadecimal: answered by the function, or an empty line
 */
#include <elfutils/libdwfl.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <grp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* All files are open at the same time: half of the 1,024 descriptors that a process has mostly */
enum { FILES_MAX = 512, ID_HEX = 65, SECONDS = 60, NOBODY = 65534, NAME_MAX_LEN = 1024 };

#if HAVE_CXA_DEMANGLE
/* <cxxabi.h> has it for C++ alone. */
char *__cxa_demangle(const char *mangled, char *buf, size_t *len, int *status);
#endif

struct line {
	char *text;
	int fd; /* of a file: open, or -1 */
};

static char *debug_path;

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = dwfl_standard_find_debuginfo,
	.section_address = dwfl_offline_section_address,
	.debuginfo_path = &debug_path,
};

static void limit(int what, rlim_t most)
{
	const struct rlimit lim = { most, most };

	setrlimit(what, &lim);
}

/* No network, whatever the environment says of debuginfod. */
static void be_nobody(void)
{
	unsetenv("DEBUGINFOD_URLS");
	/* what a file that somebody made up can cost: a minute, and this much memory */
	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_CPU, SECONDS);
	limit(RLIMIT_AS, (rlim_t)4 << 30);
	alarm(SECONDS);
	if (geteuid()) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		return;
	}
	/* groups first: without root they could not be changed */
	if (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
	    setresuid(NOBODY, NOBODY, NOBODY)) {
		fprintf(stderr, "iotracer-symbols: cannot give up root: %s\n", strerror(errno));
		exit(1);
	}
	/* behind the change of credentials, with which the kernel forgets it */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
}

/* ---- files ---- */

static int open_regular(const char *path)
{
	/* of a FIFO or a device nobody waits for anything */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* The file itself, or what a package of debug symbols installs for it */
static int open_file(const char *path, const char *id)
{
	char debug[128];
	int fd = open_regular(path);

	if (fd >= 0 || strlen(id) < 4)
		return fd;
	snprintf(debug, sizeof(debug), "/usr/lib/debug/.build-id/%.2s/%.64s.debug", id, id + 2);
	return open_regular(debug);
}

static void build_id(Dwfl_Module *module, char hex[ID_HEX])
{
	const unsigned char *bits;
	GElf_Addr at;
	int n = dwfl_module_build_id(module, &bits, &at);

	hex[0] = '\0';
	for (int i = 0; i < n && 2 * i + 3 <= ID_HEX; i++)
		sprintf(hex + 2 * i, "%02x", bits[i]);
}

/* From a place in the file to the address that libdwfl gave it; false: no segment has it. */
static bool address_of(Dwfl_Module *module, uint64_t offset, GElf_Addr *address)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(module, &bias);
	size_t n = 0;
	GElf_Phdr p;

	if (!elf || elf_getphdrnum(elf, &n))
		return false;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(elf, (int)i, &p) && p.p_type == PT_LOAD && offset >= p.p_offset &&
		    offset - p.p_offset < p.p_filesz) {
			*address = p.p_vaddr + (offset - p.p_offset) + bias;
			return true;
		}
	return false;
}

static const char *function_at(Dwfl_Module *module, uint64_t offset)
{
	GElf_Addr address;
	GElf_Off into;
	GElf_Sym symbol;

	/* of an address that a call returns to, the call is of before it: it may be the last of its function */
	if (!offset || !address_of(module, offset - 1, &address))
		return NULL;
	return dwfl_module_addrinfo(module, address, &into, &symbol, NULL, NULL, NULL);
}

/* A function of C++ or Rust as its source has it; one whose name is longer than a line has room for stays as it is. */
static void put_name(const char *name)
{
	char *source = NULL;

#if HAVE_CXA_DEMANGLE
	if (!strncmp(name, "_Z", 2) && strlen(name) <= NAME_MAX_LEN)
		source = __cxa_demangle(name, NULL, NULL, NULL);
#endif
	puts(source && strlen(source) <= NAME_MAX_LEN ? source : name);
	free(source);
}

/* ---- questions ---- */

struct lines {
	struct line *list;
	size_t n;
};

/* All of them before the first is answered: only to open files root is needed. */
static bool read_lines(struct lines *lines)
{
	char *text = NULL;
	size_t room = 0, max = 0;
	unsigned files = 0;

	while (getline(&text, &room, stdin) > 0) {
		struct line *line;

		if (lines->n == max) {
			void *more = realloc(lines->list,
					     (max = max ? 2 * max : 256) * sizeof(*lines->list));

			if (!more)
				return false;
			lines->list = more;
		}
		text[strcspn(text, "\n")] = '\0';
		line = &lines->list[lines->n++];
		*line = (struct line){ text, -1 };
		if (text[0] == 'M') {
			char *id = strchr(text, '\t');

			if (id)
				*id++ = '\0';
			if (id && files++ < FILES_MAX)
				line->fd = open_file(text + 2, id);
		}
		text = NULL;
		room = 0;
	}
	free(text);
	return true;
}

static Dwfl_Module *open_module(Dwfl *dwfl, const struct line *line)
{
	const char *path = line->text + 2, *id = path + strlen(path) + 1;
	Dwfl_Module *module;
	char found[ID_HEX];

	if (line->fd < 0)
		return NULL;
	dwfl_report_begin(dwfl);
	module = dwfl_report_offline(dwfl, path, path, line->fd);
	dwfl_report_end(dwfl, NULL, NULL);
	/* else the descriptor is the library's (libdwfl.h) */
	if (!module) {
		close(line->fd);
		return NULL;
	}
	build_id(module, found);
	return !strcmp(id, "*") || !strcmp(found, id) ? module : NULL;
}

int main(void)
{
	struct lines lines = { NULL, 0 };
	Dwfl_Module *module = NULL;
	const char *name;
	Dwfl *dwfl = NULL;

	if (!read_lines(&lines))
		return 1;
	be_nobody();
	for (size_t i = 0; i < lines.n; i++) {
		const struct line *line = &lines.list[i];

		if (line->text[0] == 'M') {
			/* one at a time: addresses of one file are no matter to another */
			dwfl_end(dwfl);
			dwfl = dwfl_begin(&callbacks);
			module = dwfl ? open_module(dwfl, line) : NULL;
		} else if (line->text[0] == 'A') {
			name = module ? function_at(module, strtoull(line->text + 1, NULL, 16)) :
					NULL;
			put_name(name ? name : "");
		}
	}
	return fflush(stdout) || ferror(stdout);
}
