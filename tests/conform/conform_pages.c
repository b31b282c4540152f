/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conform_pages SCENARIO FILE [ARG...]: does one thing to a file's cached
 * pages or to a mapping of it, and prints what the kernel's own counters say
 * of that, one "key value" a line: getrusage, /proc/PID/stat, mincore and
 * smaps. Knows nothing of tracing. Preparations and looks are scenarios of
 * their own, so that what is done by one process is one thing.
 *
 * All counts are in pages. A file's last page may be a part of one. A look at
 * what is cached goes by mincore, and neither reads pages in nor marks them.
 */
#include "conform/conform_pages.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PIECE (64 * 1024)
#define MAX_PIECE (2 * 1024 * 1024) /* 32 pages of 64 KiB */
#define MAX_WORDS 8                 /* of a step */

uint64_t page_size;

void must(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "conform_pages: %s: %s\n", what, strerror(errno));
	exit(1);
}

uint64_t number(const char *text)
{
	char *end;
	uint64_t n = strtoull(text, &end, 10);

	errno = EINVAL;
	must(*text && !*end, text);
	return n;
}

void put(const char *key, uint64_t value)
{
	printf("%s %" PRIu64 "\n", key, value);
}

struct file open_file(const char *path, int flags)
{
	struct file file = { .path = path, .fd = open(path, flags | O_CLOEXEC, 0644) };
	struct stat st;

	must(file.fd >= 0 && !fstat(file.fd, &st), path);
	file.size = st.st_size;
	file.pages = (file.size + page_size - 1) / page_size;
	put("pid", getpid());
	put("inode", st.st_ino);
	put("pages", file.pages);
	return file;
}

char *map(const struct file *file, uint64_t n, int protection, int flags)
{
	char *at = mmap(NULL, n * page_size, protection, flags, file->fd, 0);

	must(at != MAP_FAILED, "mmap");
	return at;
}

/* Aligned for direct writes; full of something. */
static char *buffer(void)
{
	static char space[2 * MAX_PIECE];
	char *at = space + MAX_PIECE - (uintptr_t)space % MAX_PIECE;

	memset(at, 'p', MAX_PIECE);
	return at;
}

/* ---- looks ---- */

/*
 * A byte for each of the first pages: cached or not. The end of the file does
 * not matter: what belongs to a large folio that reaches over it may stay.
 */
static unsigned char *cached(const struct file *file, uint64_t n)
{
	unsigned char *pages = malloc(n + 1);
	char *at;

	must(pages, "malloc");
	if (!n)
		return pages;
	at = map(file, n, PROT_READ, MAP_SHARED);
	must(!mincore(at, n * page_size, pages), "mincore");
	must(!munmap(at, n * page_size), "munmap");
	return pages;
}

static uint64_t n_cached(const struct file *file, uint64_t n)
{
	unsigned char *pages = cached(file, n);
	uint64_t total = 0;

	for (uint64_t i = 0; i < n; i++)
		total += pages[i] & 1;
	free(pages);
	return total;
}

/* FILE [PAGES]: as many, whatever the size is now */
static void look(char **args)
{
	struct file file = open_file(args[0], O_RDONLY);

	put("cached", n_cached(&file, args[1] ? number(args[1]) : file.pages));
}

/* kB of the mapping that begins at the address: smaps counts a mapped page as dirty by its own flag, too. */
static uint64_t dirty_kb(const char *at)
{
	FILE *smaps = fopen("/proc/self/smaps", "re");
	uint64_t total = 0, kb;
	uintptr_t begin;
	bool ours = false;
	char line[512];

	must(smaps, "smaps");
	while (fgets(line, sizeof(line), smaps)) {
		if (sscanf(line, "%" SCNxPTR "-%*x %*s", &begin) == 1 &&
		    strchr(line, '-') < strchr(line, ' '))
			ours = begin == (uintptr_t)at;
		else if (ours && (sscanf(line, "Shared_Dirty: %" SCNu64, &kb) == 1 ||
				  sscanf(line, "Private_Dirty: %" SCNu64, &kb) == 1))
			total += kb;
	}
	fclose(smaps);
	return total;
}

/* FILE: of the cached pages */
static void look_dirty(char **args)
{
	struct file file = open_file(args[0], O_RDONLY);
	unsigned char *pages = cached(&file, file.pages);
	volatile char *at;

	if (!file.pages) {
		put("dirty", 0);
		return;
	}
	at = map(&file, file.pages, PROT_READ, MAP_SHARED);
	for (uint64_t i = 0; i < file.pages; i++)
		if (pages[i] & 1)
			(void)at[i * page_size];
	put("dirty", dirty_kb((char *)at) * 1024 / page_size);
	free(pages);
}

/* ---- preparations ---- */

static void write_all(const struct file *file, uint64_t at, uint64_t end)
{
	char *buf = buffer();

	while (at < end) {
		ssize_t n = pwrite(file->fd, buf, end - at < PIECE ? end - at : PIECE, at);

		must(n > 0, "pwrite");
		at += n;
	}
}

/* Pages of a journal's transaction stay until it is done, and then go. */
static void evict(const struct file *file)
{
	for (int i = 0; i < 50; i++) {
		must(!fsync(file->fd), "fsync");
		must(!posix_fadvise(file->fd, 0, 0, POSIX_FADV_DONTNEED), "fadvise");
		if (!n_cached(file, file->pages))
			return;
		sync();
		usleep(20000);
	}
	fprintf(stderr, "conform_pages: %s: its pages stay in the cache\n", file->path);
	exit(1);
}

/* FILE BYTES: on disk, and not in the cache */
static void make(char **args)
{
	struct file file = open_file(args[0], O_RDWR | O_CREAT | O_TRUNC);

	file.size = number(args[1]);
	file.pages = (file.size + page_size - 1) / page_size;
	write_all(&file, 0, file.size);
	evict(&file);
}

static void make_cold(char **args)
{
	struct file file = open_file(args[0], O_RDONLY);

	evict(&file);
}

/* ---- reads ---- */

static void read_at(const struct file *file, char *buf, uint64_t at, uint64_t piece)
{
	uint64_t want = file->size - at < piece ? file->size - at : piece;

	must(pread(file->fd, buf, want, at) == (ssize_t)want, "pread");
}

/* FILE PIECE: front to back, and no read behind the last byte */
static void read_all(char **args)
{
	struct file file = open_file(args[0], O_RDONLY);
	uint64_t piece = number(args[1]), n = 0;
	char *buf = buffer();

	errno = EINVAL;
	must(piece && piece <= MAX_PIECE, args[1]);
	for (uint64_t at = 0; at < file.size; at += piece, n++)
		read_at(&file, buf, at, piece);
	put("reads", n);
}

static uint64_t common_divisor(uint64_t a, uint64_t b)
{
	return b ? common_divisor(b, a % b) : a;
}

/*
 * FILE COUNT [ROUNDS [cold]]: in each round so many pages, a page at a time,
 * none twice and none beside the one before; no readahead. cold: what the
 * round before brought is given back first, but for pages that stay.
 */
static void read_random(char **args)
{
	struct file file = open_file(args[0], O_RDONLY);
	uint64_t count = number(args[1]), step = file.pages * 5 / 8;
	uint64_t rounds = args[2] ? number(args[2]) : 1, stayed = 0;
	char *buf = buffer();

	errno = EINVAL;
	must(count && count <= file.pages, args[1]);
	while (common_divisor(file.pages, step) != 1)
		step++;
	must(!posix_fadvise(file.fd, 0, 0, POSIX_FADV_RANDOM), "fadvise");
	for (uint64_t round = 0; round < rounds; round++) {
		if (round && args[3]) {
			must(!posix_fadvise(file.fd, 0, 0, POSIX_FADV_DONTNEED), "fadvise");
			stayed += n_cached(&file, file.pages);
		}
		for (uint64_t i = 0; i < count; i++)
			read_at(&file, buf, i * step % file.pages * page_size, page_size);
	}
	put("reads", rounds * count);
	put("stayed", stayed);
}

/* ---- pages that go ---- */

/* FILE FIRST COUNT */
static void punch(char **args)
{
	struct file file = open_file(args[0], O_RDWR);

	must(!fallocate(file.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			number(args[1]) * page_size, number(args[2]) * page_size),
	     "fallocate");
}

/* FILE BYTES */
static void cut(char **args)
{
	struct file file = open_file(args[0], O_RDWR);

	must(!ftruncate(file.fd, number(args[1])), "ftruncate");
}

/* FILE FIRST COUNT */
static void dont_need(char **args)
{
	struct file file = open_file(args[0], O_RDONLY);

	must(!posix_fadvise(file.fd, number(args[1]) * page_size, number(args[2]) * page_size,
			    POSIX_FADV_DONTNEED),
	     "fadvise");
}

/* FILE FIRST COUNT: past the cache, one write */
static void write_direct(char **args)
{
	struct file file = open_file(args[0], O_WRONLY | O_DIRECT);
	uint64_t bytes = number(args[2]) * page_size;

	errno = EINVAL;
	must(bytes <= MAX_PIECE, args[2]);
	must(pwrite(file.fd, buffer(), bytes, number(args[1]) * page_size) == (ssize_t)bytes,
	     "pwrite");
}

/* FILE: the clean pages of the machine, and this file's among them */
static void drop(char **args)
{
	struct file file = open_file(args[0], O_RDONLY);
	int fd = open("/proc/sys/vm/drop_caches", O_WRONLY | O_CLOEXEC);

	must(file.fd >= 0 && fd >= 0 && write(fd, "1", 1) == 1, "drop_caches");
}

static void unlink_last(char **args)
{
	struct file file = open_file(args[0], O_RDONLY);

	must(!unlink(args[0]) && !close(file.fd), "unlink");
}

/* ---- pages that change ---- */

/* FILE FIRST COUNT */
static void write_pages(char **args)
{
	struct file file = open_file(args[0], O_RDWR);
	uint64_t first = number(args[1]);

	write_all(&file, first * page_size, (first + number(args[2])) * page_size);
}

/* FILE FIRST COUNT: a byte of each page, through a mapping */
static void write_mapped(char **args)
{
	struct file file = open_file(args[0], O_RDWR);
	uint64_t first = number(args[1]), count = number(args[2]);
	volatile char *at = map(&file, file.pages, PROT_READ | PROT_WRITE, MAP_SHARED);

	errno = EINVAL;
	must(first + count <= file.pages, args[2]);
	for (uint64_t i = first; i < first + count; i++)
		at[i * page_size] = 'm';
	must(!munmap((void *)at, file.pages * page_size), "munmap");
}

static void flush_all(char **args)
{
	open_file(args[0], O_RDONLY);
	sync();
}

static void flush(char **args)
{
	struct file file = open_file(args[0], O_RDWR);

	must(!fsync(file.fd), "fsync");
}

/* ---- all of them ---- */

static const struct scenario {
	const char *name;
	int min_args;
	int max_args;
	void (*run)(char **args);
} scenarios[] = {
	{ "make", 2, 2, make },
	{ "cold", 1, 1, make_cold },
	{ "look", 1, 2, look },
	{ "look-dirty", 1, 1, look_dirty },
	{ "read", 2, 2, read_all },
	{ "random", 2, 4, read_random },
	{ "punch", 3, 3, punch },
	{ "truncate", 2, 2, cut },
	{ "dontneed", 3, 3, dont_need },
	{ "direct", 3, 3, write_direct },
	{ "unlink", 1, 1, unlink_last },
	{ "write", 3, 3, write_pages },
	{ "write-mapped", 3, 3, write_mapped },
	{ "fsync", 1, 1, flush },
	{ "sync", 1, 1, flush_all },
	{ "drop", 1, 1, drop },
	{ "fault", 3, 4, fault },
};

static int run(int argc, char **argv)
{
	for (size_t i = 0; argc > 1 && i < sizeof(scenarios) / sizeof(*scenarios); i++) {
		const struct scenario *s = &scenarios[i];

		if (strcmp(s->name, argv[0]) || argc - 1 < s->min_args || argc - 1 > s->max_args)
			continue;
		s->run(argv + 1);
		return fflush(stdout) != 0;
	}
	fprintf(stderr,
		"usage: conform_pages SCENARIO FILE [ARG...]\n"
		"       conform_pages steps DIR    (lines NAME SCENARIO FILE [ARG...] from stdin)\n");
	return 2;
}

/* Each in a process of its own, but without the many pages that a new program touches. */
static int run_step(const char *dir, char *line)
{
	char *words[MAX_WORDS + 1] = { 0 }, path[PATH_MAX], *rest = NULL;
	int n = 0, status;
	pid_t pid;

	for (char *word = strtok_r(line, " \n", &rest); word && n < MAX_WORDS;
	     word = strtok_r(NULL, " \n", &rest))
		words[n++] = word;
	if (n < 2)
		return 0;
	snprintf(path, sizeof(path), "%s/%s", dir, words[0]);
	pid = fork();
	must(pid >= 0, "fork");
	if (!pid) {
		must(freopen(path, "we", stdout), path);
		exit(run(n - 1, words + 1));
	}
	must(waitpid(pid, &status, 0) == pid, "waitpid");
	if (status)
		fprintf(stderr, "conform_pages: step %s failed\n", words[0]);
	return status != 0;
}

static int run_steps(const char *dir)
{
	char line[4 * PATH_MAX];
	int failed = 0;

	while (fgets(line, sizeof(line), stdin))
		failed |= run_step(dir, line);
	return failed;
}

int main(int argc, char **argv)
{
	page_size = sysconf(_SC_PAGESIZE);
	if (argc == 3 && !strcmp(argv[1], "steps"))
		return run_steps(argv[2]);
	return run(argc - 1, argv + 1);
}
