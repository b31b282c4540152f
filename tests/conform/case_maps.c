/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cases of mappings: rows of mmap itself, and of what is done to addresses,
 * which must find the file that is mapped there. Anonymous memory leaves none.
 */
#include "conform/conform.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif

#define RW (PROT_READ | PROT_WRITE)

static struct file f, g;
static size_t page;

/* ---- rows ---- */

static const char *address_text(const void *address, const void *to)
{
	static char text[64];
	size_t n = snprintf(text, sizeof(text), "0x%lx", (unsigned long)address);

	if (to)
		snprintf(text + n, sizeof(text) - n, " -> 0x%lx", (unsigned long)to);
	return text;
}

static const char *prot_names(int prot)
{
	static char text[64];

	if (!prot)
		return "PROT_NONE";
	snprintf(text, sizeof(text), "%s%s%s", prot & PROT_READ ? "|PROT_READ" : "",
		 prot & PROT_WRITE ? "|PROT_WRITE" : "", prot & PROT_EXEC ? "|PROT_EXEC" : "");
	return text + 1;
}

/* The C library refuses some offsets itself. */
static void *raw_mmap(void *where, size_t n, int prot, int flags, int fd, uint64_t offset)
{
#if defined(__LP64__) && defined(SYS_mmap)
	return (void *)syscall(SYS_mmap, where, n, prot, flags, fd, offset);
#else
	return mmap(where, n, prot, flags, fd, offset);
#endif
}

static void *map_at(void *where, const struct file *file, size_t n, int prot, int flags,
		    uint64_t offset, const char *names)
{
	void *p = raw_mmap(where, n, prot, flags, file->fd, offset);
	struct row row = {
		.op = "MMAP",
		.file = file,
		.size = n,
		.offset = offset,
		.prot = prot_names(prot),
		.map_flags = names,
		.address = p == MAP_FAILED ? NULL : address_text(p, NULL),
		.rc = (long)p,
	};

	expect_row(&row);
	return p;
}

static void *map_file(const struct file *file, size_t n, int prot, int flags, uint64_t offset)
{
	void *p = map_at(NULL, file, n, prot, flags, offset,
			 flags == MAP_SHARED ? "MAP_SHARED" : "MAP_PRIVATE");

	must(p != MAP_FAILED, "mmap");
	return p;
}

/* The mapping outlives the descriptor that made it: none is told. */
static void on_memory(const char *op, const struct file *file, const char *address, uint64_t size,
		      int64_t offset, const char *flags, long rc)
{
	static struct file mapped;
	struct row row = {
		.op = op,
		.file = &mapped,
		.size = size,
		.offset = offset,
		.flags = flags,
		.address = address,
		.rc = rc,
	};

	mapped = *file;
	mapped.fd = -1;
	expect_row(&row);
}

static void unmap(const struct file *file, void *p, size_t n)
{
	on_memory("MUNMAP", file, address_text(p, NULL), n, NO_OFFSET, NULL, munmap(p, n));
}

static void sync_memory(const struct file *file, void *p, size_t n, int flags, const char *names,
			int64_t offset)
{
	on_memory("MSYNC", file, address_text(p, NULL), n, offset, names, msync(p, n, flags));
}

static void advise(const struct file *file, void *p, size_t n, int advice, const char *name,
		   int64_t offset)
{
	on_memory("MADVISE", file, address_text(p, NULL), n, offset, name, madvise(p, n, advice));
}

static void *remap(const struct file *file, void *p, size_t n, size_t wanted, int flags,
		   void *where, const char *names)
{
	void *to = mremap(p, n, wanted, flags, where);
	bool failed = to == MAP_FAILED;

	on_memory("MREMAP", file, address_text(p, failed ? NULL : to), wanted, NO_OFFSET, names,
		  (long)to);
	return failed ? NULL : to;
}

/* ---- what cases start with ---- */

static void open_pages(struct file *file, const char *name, size_t n)
{
	page = sysconf(_SC_PAGESIZE);
	open_file(file, name, O_RDWR | O_CREAT);
	set_size(file, n * page);
}

/* Addresses that nothing else takes: files are mapped over them. */
static char *reserve(size_t n)
{
	void *p = mmap(NULL, n * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	must(p != MAP_FAILED, "mmap");
	return p;
}

static char *map_over(const struct file *file, char *where, size_t n, uint64_t offset)
{
	void *p = map_at(where, file, n * page, RW, MAP_SHARED | MAP_FIXED, offset * page,
			 "MAP_SHARED|MAP_FIXED");

	must(p == where, "mmap");
	return p;
}

/* ---- MMAP and MUNMAP ---- */

/*
 * Gives up the descriptor and then the mapping. A function of the kernel sees
 * the file's end, which is that of its mapping; system calls that of the last
 * descriptor.
 */
static void close_and_unmap(struct file *file, void *p, size_t n)
{
	if (tier != TIER_A) {
		close_file(file);
		unmap(file, p, n);
		return;
	}
	must(!close(file->fd), "close");
	unmap(file, p, n);
	expect("CLOSE", file, 0, NO_OFFSET, 0);
}

static void mapping(void)
{
	void *p;

	open_pages(&f, "file", 8);
	p = map_file(&f, 8 * page, RW, MAP_SHARED, 0);
	unmap(&f, p, 8 * page);
	p = map_file(&f, 3 * page, PROT_READ, MAP_PRIVATE, 2 * page);
	unmap(&f, p, 3 * page);
	p = map_file(&f, 100, PROT_READ | PROT_EXEC, MAP_PRIVATE, 0);
	unmap(&f, p, 100);
	p = map_at(NULL, &f, page, PROT_NONE, MAP_PRIVATE | MAP_NORESERVE | MAP_POPULATE, 0,
		   "MAP_PRIVATE|MAP_NORESERVE|MAP_POPULATE");
	unmap(&f, p, page);
	/* beyond the file, and beyond 32 bits */
	p = map_file(&f, page, PROT_READ, MAP_SHARED, 0x180000000);
	close_and_unmap(&f, p, page);
	/* a second time there is nothing there */
	must(!munmap(p, page), "munmap");
}

static void failing_maps(void)
{
	struct file bad = { .fd = 999, .status = "n" };
	char *p;

	open_pages(&f, "file", 4);
	map_at(NULL, &bad, page, PROT_READ, MAP_PRIVATE, 0, "MAP_PRIVATE");
	map_at(NULL, &f, page, PROT_READ, MAP_PRIVATE, 100, "MAP_PRIVATE");
	map_at(NULL, &f, 0, PROT_READ, MAP_SHARED, 0, "MAP_SHARED");
	map_at(NULL, &f, page, PROT_READ, 0, 0, "NO_MAP");
	open_file(&g, "file", O_RDONLY);
	map_at(NULL, &g, page, RW, MAP_SHARED, 0, "MAP_SHARED");
	close_file(&g);
	p = map_file(&f, 4 * page, PROT_READ, MAP_SHARED, 0);
	unmap(&f, p + 100, page);
	unmap(&f, p, 0);
	sync_memory(&f, p + 1, page, MS_SYNC, "MS_SYNC", ANY_OFFSET);
	unmap(&f, p, 4 * page);
	close_file(&f);
}

/* No file, no row. */
static void anonymous(void)
{
	char *p;

	page = sysconf(_SC_PAGESIZE);
	p = reserve(8);
	must(!madvise(p, 4 * page, MADV_DONTNEED), "madvise");
	must(!msync(p, 4 * page, MS_ASYNC), "msync");
	p = mremap(p, 8 * page, 32 * page, MREMAP_MAYMOVE);
	must(p != MAP_FAILED, "mremap");
	must(!munmap(p, 32 * page), "munmap");
	p = mmap(NULL, page, RW, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	must(p != MAP_FAILED && !munmap(p, page), "shared memory");
}

static void pieces(void)
{
	char *p;

	open_pages(&f, "file", 10);
	p = map_file(&f, 10 * page, RW, MAP_SHARED, 0);
	unmap(&f, p + 4 * page, 2 * page);
	/* the hole has no file; what is behind it kept its place in the file */
	must(!munmap(p + 4 * page, page), "munmap");
	sync_memory(&f, p + 7 * page, page, MS_ASYNC, "MS_ASYNC", 7 * page);
	sync_memory(&f, p, page, MS_ASYNC, "MS_ASYNC", 0);
	unmap(&f, p, page);
	sync_memory(&f, p + page, 3 * page, MS_SYNC, "MS_SYNC", page);
	unmap(&f, p + 9 * page, page);
	/* over the hole: one row, and it ends both pieces */
	unmap(&f, p + page, 8 * page);
	must(!munmap(p, 10 * page), "munmap");
	close_file(&f);
}

static void two_files(void)
{
	char *p;

	open_pages(&f, "one", 4);
	open_pages(&g, "two", 4);
	p = reserve(10);
	map_over(&f, p + 2 * page, 2, 0);
	map_over(&g, p + 4 * page, 2, 1);
	/* the first file in it, which begins behind the start of the range */
	advise(&f, p, 10 * page, MADV_NORMAL, "MADV_NORMAL", 0);
	advise(&g, p + 5 * page, page, MADV_NORMAL, "MADV_NORMAL", 2 * page);
	/* another file over the end of one and the beginning of the other */
	map_over(&g, p + 3 * page, 2, 2);
	sync_memory(&g, p + 3 * page, page, MS_ASYNC, "MS_ASYNC", 2 * page);
	sync_memory(&f, p + 2 * page, 4 * page, MS_ASYNC, "MS_ASYNC", 0);
	sync_memory(&g, p + 5 * page, page, MS_ASYNC, "MS_ASYNC", 2 * page);
	/* anonymous memory over a file: gone */
	must(mmap(p + 2 * page, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
		     p + 2 * page,
	     "mmap");
	must(!madvise(p + 2 * page, page, MADV_NORMAL), "madvise");
	unmap(&g, p, 10 * page);
	close_file(&g);
	close_file(&f);
}

/* ---- MREMAP ---- */

static void remapping(void)
{
	char *p, *free_place;

	open_pages(&f, "file", 16);
	p = reserve(20);
	map_over(&f, p, 4, 2);
	/* smaller, then bigger again; what is there keeps it from growing in its place */
	must(remap(&f, p, 4 * page, 2 * page, 0, NULL, "NO_FLAGS") == p, "mremap");
	must(!munmap(p + 2 * page, 2 * page), "munmap");
	must(remap(&f, p, 2 * page, 4 * page, 0, NULL, "NO_FLAGS") == p, "mremap");
	sync_memory(&f, p + 3 * page, page, MS_ASYNC, "MS_ASYNC", 5 * page);
	must(!remap(&f, p, 4 * page, 8 * page, 0, NULL, "NO_FLAGS"), "mremap");
	/* elsewhere: the old addresses have no file any more, the new ones do */
	free_place = p + 8 * page;
	must(remap(&f, p, 4 * page, 6 * page, MREMAP_MAYMOVE | MREMAP_FIXED, free_place,
		   "MREMAP_MAYMOVE|MREMAP_FIXED") == free_place,
	     "mremap");
	must(!munmap(p, 4 * page), "munmap");
	sync_memory(&f, free_place + 5 * page, page, MS_ASYNC, "MS_ASYNC", 7 * page);
	/* wherever the kernel likes */
	free_place = remap(&f, free_place, 6 * page, 12 * page, MREMAP_MAYMOVE, NULL,
			   "MREMAP_MAYMOVE");
	must(free_place, "mremap");
	unmap(&f, free_place, 12 * page);
	must(!munmap(p, 20 * page), "munmap");
	close_file(&f);
}

static void remapping_twice(void)
{
	char *p, *to;

	open_pages(&f, "file", 4);
	p = map_file(&f, 4 * page, RW, MAP_PRIVATE, 0);
	/* from the middle of a mapping */
	to = remap(&f, p + page, page, page, MREMAP_MAYMOVE | MREMAP_FIXED, reserve(1),
		   "MREMAP_MAYMOVE|MREMAP_FIXED");
	must(to, "mremap");
	advise(&f, to, page, MADV_NORMAL, "MADV_NORMAL", page);
	unmap(&f, to, page);
	must(!munmap(p + page, page), "munmap");
	/* files only since 5.13; the old place keeps its file */
	to = remap(&f, p, page, page, MREMAP_MAYMOVE | MREMAP_DONTUNMAP, NULL,
		   "MREMAP_MAYMOVE|MREMAP_DONTUNMAP");
	if (to)
		unmap(&f, to, page);
	unmap(&f, p, 4 * page);
	close_file(&f);
}

/* ---- MSYNC and MADVISE ---- */

static void memory_syncs(void)
{
	char *p;

	open_pages(&f, "file", 4);
	p = map_file(&f, 2 * page, RW, MAP_SHARED, 2 * page);
	memset(p, 'x', 2 * page);
	sync_memory(&f, p, 2 * page, MS_SYNC, "MS_SYNC", 2 * page);
	sync_memory(&f, p + page, page, MS_ASYNC, "MS_ASYNC", 3 * page);
	sync_memory(&f, p, page, MS_SYNC | MS_INVALIDATE, "MS_INVALIDATE|MS_SYNC", 2 * page);
	sync_memory(&f, p, page, 0, "NO_FLAGS", 2 * page);
	sync_memory(&f, p, page, MS_SYNC | MS_ASYNC, "MS_ASYNC|MS_SYNC", 2 * page);
	sync_memory(&f, p, page, 0x10, "0x10", 2 * page);
	unmap(&f, p, 2 * page);
	close_file(&f);
}

static void advice(void)
{
	static const struct {
		int value;
		const char *name;
	} list[] = {
		{ 0, "MADV_NORMAL" },          { 1, "MADV_RANDOM" },
		{ 2, "MADV_SEQUENTIAL" },      { 3, "MADV_WILLNEED" },
		{ 4, "MADV_DONTNEED" },        { 8, "MADV_FREE" },
		{ 9, "MADV_REMOVE" },          { 10, "MADV_DONTFORK" },
		{ 11, "MADV_DOFORK" },         { 12, "MADV_MERGEABLE" },
		{ 13, "MADV_UNMERGEABLE" },    { 14, "MADV_HUGEPAGE" },
		{ 15, "MADV_NOHUGEPAGE" },     { 16, "MADV_DONTDUMP" },
		{ 17, "MADV_DODUMP" },         { 20, "MADV_COLD" },
		{ 21, "MADV_PAGEOUT" },        { 22, "MADV_POPULATE_READ" },
		{ 23, "MADV_POPULATE_WRITE" }, { 77, "UNKNOWN_BEHAVIOR(77)" },
	};
	char *p;

	open_pages(&f, "file", 4);
	p = map_file(&f, 4 * page, RW, MAP_SHARED, 0);
	/* those that this kernel or this mapping does not take are rows as well */
	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		advise(&f, p + page, page, list[i].value, list[i].name, page);
	unmap(&f, p, 4 * page);
	close_file(&f);
}

/* ---- processes and names ---- */

static char *inherited;

static void unmap_inherited(void *arg)
{
	(void)arg;
	if (munmap(inherited, page))
		_exit(1);
}

static void forked(void)
{
	pid_t pid;

	open_pages(&f, "file", 4);
	inherited = map_file(&f, 4 * page, RW, MAP_SHARED, 0);
	pid = in_child(unmap_inherited, NULL);
	expect_as(pid, 0);
	on_memory("MUNMAP", &f, address_text(inherited, NULL), page, NO_OFFSET, NULL, 0);
	expect_as(0, 0);
	/* what the child gave up is still the parent's */
	unmap(&f, inherited, 4 * page);
	close_file(&f);
}

static void *unmap_in_thread(void *arg)
{
	pid_t *tid = arg;

	*tid = syscall(SYS_gettid);
	if (munmap(inherited, page))
		*tid = 0;
	return NULL;
}

static void threaded(void)
{
	pthread_t thread;
	pid_t tid = 0;

	open_pages(&f, "file", 4);
	inherited = map_file(&f, 4 * page, RW, MAP_SHARED, 0);
	must(!pthread_create(&thread, NULL, unmap_in_thread, &tid), "thread");
	pthread_join(thread, NULL);
	must(tid != 0, "munmap");
	expect_as(getpid(), tid);
	on_memory("MUNMAP", &f, address_text(inherited, NULL), page, NO_OFFSET, NULL, 0);
	expect_as(0, 0);
	/* the thread's page is gone for all */
	must(!munmap(inherited, page), "munmap");
	unmap(&f, inherited, 4 * page);
	close_file(&f);
}

/* A mapping is told by the name that its file had when it was mapped. */
static void unlinked(void)
{
	char *p;

	open_pages(&f, "line\nbreak (deleted)", 2);
	p = map_file(&f, 2 * page, RW, MAP_SHARED, 0);
	advise(&f, p, page, MADV_NORMAL, "MADV_NORMAL", 0);
	settle();
	remove_file(f.path);
	/* whether it is known to be gone is left open */
	f.status = NULL;
	close_and_unmap(&f, p, 2 * page);
}

/*
 * A file of memory is one of tmpfs, though of a mount that nobody sees: it has
 * rows. Its name is the one that the kernel shows for it, below no directory.
 * The call that makes it opens nothing; after it tier c asks what the new
 * descriptor is.
 */
static bool make_memory(struct file *file, const char *name, unsigned flags)
{
	struct stat st;

	*file = (struct file){ .fd = syscall(SYS_memfd_create, name, flags), .flags = "O_RDWR" };
	if (file->fd < 0) {
		must(errno == ENOSYS, "memfd_create");
		skip("no memfd_create here");
		return false;
	}
	must(!fstat(file->fd, &st), "fstat");
	snprintf(file->path, sizeof(file->path), "/memfd:%s", name);
	file->status = "fd";
	file->ino = st.st_ino;
	expect_fd("GETATTR", file, 0, NO_OFFSET, NULL, 0);
	settle();
	return true;
}

static void of_memory(void)
{
	void *p;

	page = sysconf(_SC_PAGESIZE);
	if (!make_memory(&f, "ring, one", 1 /* MFD_CLOEXEC */))
		return;
	expect("WRITE", &f, 100, 0, write(f.fd, buf, 100));
	set_size(&f, 4 * page);
	p = map_file(&f, 2 * page, RW, MAP_SHARED, 2 * page);
	memset(p, 'x', 2 * page);
	advise(&f, (char *)p + page, page, MADV_NORMAL, "MADV_NORMAL", 3 * page);
	sync_memory(&f, p, page, MS_SYNC, "MS_SYNC", 2 * page);
	expect("READ", &f, 50, 2 * page, pread(f.fd, buf, 50, 2 * page));
	must(!close(dup(f.fd)), "close"); /* not the last */
	close_and_unmap(&f, p, 2 * page);
}

const struct conform_case map_cases[] = {
	{ "mapping", mapping },
	{ "failing_maps", failing_maps },
	{ "anonymous", anonymous },
	{ "pieces", pieces },
	{ "mapped_two_files", two_files },
	{ "remapping", remapping },
	{ "remapping_twice", remapping_twice },
	{ "memory_syncs", memory_syncs },
	{ "advice", advice },
	{ "mapped_forked", forked },
	{ "mapped_threaded", threaded },
	{ "mapped_unlinked", unlinked },
	{ "of_memory", of_memory },
	{ 0 },
};
