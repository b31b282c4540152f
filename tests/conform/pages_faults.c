/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Faults of conform_pages: a child touches the pages of a mapping, and its parent
 * reads what the kernel counts of it meanwhile.
 */
#include "conform/conform_pages.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

struct faults {
	uint64_t minor;
	uint64_t major;
};

/* How a mapping is made and touched. */
struct way {
	const char *name;
	int protection;
	int flags;
	void (*touch)(volatile char *page);
	bool read_first; /* every page, before what is counted */
};

static int zero_fd;

static void touch_read(volatile char *page)
{
	(void)*page;
}

static void touch_write(volatile char *page)
{
	*page = 'f';
}

/* The kernel's own access to the program's page, on its behalf. */
static void touch_in_kernel(volatile char *page)
{
	if (read(zero_fd, (char *)page, 1) != 1)
		_exit(1);
}

/*
 * A read fault maps what is cached around it, too: up to 16 pages, aligned in
 * memory to as many (fault_around_bytes), whatever madvise says. So a warm
 * file that is read with stride 1 has a fault for about each 16th page, and
 * one for each page that is touched with stride 16. Kernels with large folios
 * may map more. Write faults map one page. MADV_RANDOM is about readahead:
 * each page that is not cached is read alone.
 */
static const struct way ways[] = {
	{ "read", PROT_READ, MAP_SHARED, touch_read, false },
	{ "read-private", PROT_READ, MAP_PRIVATE, touch_read, false },
	{ "write", PROT_READ | PROT_WRITE, MAP_SHARED, touch_write, false },
	{ "write-private", PROT_READ | PROT_WRITE, MAP_PRIVATE, touch_write, false },
	{ "rewrite", PROT_READ | PROT_WRITE, MAP_SHARED, touch_write, true },
	{ "rewrite-private", PROT_READ | PROT_WRITE, MAP_PRIVATE, touch_write, true },
	{ "kernel", PROT_READ | PROT_WRITE, MAP_SHARED, touch_in_kernel, false },
};

static const struct way *find_way(const char *name)
{
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (!strcmp(ways[i].name, name))
			return &ways[i];
	errno = EINVAL;
	must(false, name);
	return NULL;
}

static struct faults own_faults(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_SELF, &usage))
		_exit(1);
	return (struct faults){ usage.ru_minflt, usage.ru_majflt };
}

/* proc(5): the 10th and 12th field, behind a name that may hold anything */
static struct faults faults_of(pid_t pid)
{
	struct faults faults = { 0 };
	char path[64], text[1024], *end;
	FILE *stat;
	size_t n;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	stat = fopen(path, "re");
	must(stat, path);
	n = fread(text, 1, sizeof(text) - 1, stat);
	fclose(stat);
	text[n] = 0;
	end = strrchr(text, ')');
	must(end && sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %*u %" SCNu64 " %*u %" SCNu64,
			   &faults.minor, &faults.major) == 2,
	     path);
	return faults;
}

/* proc(5), smaps: pages of the file in the mapping at that address, without copies of the process's own. */
static uint64_t mapped_pages(pid_t pid, uint64_t at)
{
	uint64_t from, to, kb, pages = 0;
	char path[64], line[512];
	bool here = false;
	FILE *smaps;

	snprintf(path, sizeof(path), "/proc/%d/smaps", (int)pid);
	smaps = fopen(path, "re");
	must(smaps, path);
	while (fgets(line, sizeof(line), smaps)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " ", &from, &to) == 2)
			here = from <= at && at < to;
		else if (here && sscanf(line, "Rss: %" SCNu64, &kb) == 1)
			pages += kb * 1024 / page_size;
		else if (here && sscanf(line, "Anonymous: %" SCNu64, &kb) == 1)
			pages -= kb * 1024 / page_size;
	}
	fclose(smaps);
	return pages;
}

/* Shared by the child that touches and the parent that looks at it. */
struct talk {
	int ready[2];
	int go[2];
	struct faults faults; /* by getrusage */
	uint64_t touched;
	uint64_t at; /* the mapping */
};

static void say(int fd)
{
	if (write(fd, "", 1) != 1)
		_exit(1);
}

static void hear(int fd)
{
	char byte;

	if (read(fd, &byte, 1) != 1)
		_exit(1);
}

static void touch_pages(const struct file *file, const struct way *way, uint64_t stride,
			volatile char *at, struct talk *talk)
{
	struct faults before, after;

	before = own_faults();
	for (uint64_t i = 0; i < file->pages; i += stride, talk->touched++)
		way->touch(at + i * page_size);
	after = own_faults();
	talk->faults.minor = after.minor - before.minor;
	talk->faults.major = after.major - before.major;
}

/* All that it has is mapped and its own before it begins, so that it faults on the file alone. */
static void touch_as_child(const struct file *file, const struct way *way, uint64_t stride,
			   int advice, struct talk *talk)
{
	volatile char *at;

	own_faults();
	must(!mlockall(MCL_CURRENT), "mlockall");
	at = map(file, file->pages, way->protection, way->flags);
	must(!madvise((void *)at, file->pages * page_size, advice), "madvise");
	for (uint64_t i = 0; way->read_first && i < file->pages; i++)
		touch_read(at + i * page_size);
	talk->at = (uintptr_t)at;
	say(talk->ready[1]);
	hear(talk->go[0]);
	touch_pages(file, way, stride, at, talk);
	say(talk->ready[1]);
	hear(talk->go[0]);
	_exit(0);
}

static void watch(pid_t pid, struct talk *talk)
{
	struct faults before, after;
	uint64_t mapped;
	int status;

	close(talk->ready[1]);
	hear(talk->ready[0]);
	before = faults_of(pid);
	mapped = mapped_pages(pid, talk->at);
	say(talk->go[1]);
	hear(talk->ready[0]);
	after = faults_of(pid);
	mapped = mapped_pages(pid, talk->at) - mapped;
	say(talk->go[1]);
	must(waitpid(pid, &status, 0) == pid && !status, "child");
	put("child", pid);
	put("touched", talk->touched);
	put("mapped", mapped);
	put("minor", talk->faults.minor);
	put("major", talk->faults.major);
	put("stat_minor", after.minor - before.minor);
	put("stat_major", after.major - before.major);
}

void fault(char **args)
{
	const struct way *way = find_way(args[1]);
	struct file file = open_file(args[0], O_RDWR);
	uint64_t stride = number(args[2]);
	struct talk *talk = mmap(NULL, sizeof(*talk), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid;

	errno = EINVAL;
	must(stride, args[2]);
	put("stride", stride);
	zero_fd = open("/dev/zero", O_RDONLY | O_CLOEXEC);
	must(talk != MAP_FAILED && !pipe(talk->ready) && !pipe(talk->go) && zero_fd >= 0, "pipe");
	fflush(stdout);
	pid = fork();
	must(pid >= 0, "fork");
	if (!pid)
		touch_as_child(&file, way, stride, args[3] ? MADV_NORMAL : MADV_RANDOM, talk);
	watch(pid, talk);
}
