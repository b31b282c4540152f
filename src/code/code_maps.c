/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the processes and files that are known: a bounded number of each. Where there are too many
 * processes all are forgotten, and read again as they come.
 */
#include "code/code_maps.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/search.h"
#include "code/perf_map.h"
#include "code/unwind.h"

/* Of ABOVE places the later one takes the place of the other. KEPT_FILES cost a descriptor each until the end. */
enum {
	BUCKETS = 1024,
	PROCESSES_MAX = 2048,
	FILES_MAX = 8192,
	REGIONS_MAX = 4096,
	ABOVE = 1024,
	KEPT_FILES = 256
};

/* Whatever addresses come, a process is not asked again before the first time; when it said nothing new, twice that … */
#define ASK_FIRST_NS (100 * (NS_PER_S / 1000))
#define ASK_LAST_NS (10 * NS_PER_S)

struct region {
	uint64_t start, end, offset;
	const struct code_file *file; /* NULL: none */
	bool kernels;
};

/* What was asked of a place in a file: few functions make system calls. */
struct above_sp {
	const struct code_file *file;
	uint64_t offset;
	uint32_t bytes;
};

struct asked {
	uint64_t ns; /* when it was last */
	uint64_t wait_ns;
};

struct process {
	struct process *next;
	uint32_t tgid;
	uint32_t version;
	struct region *regions; /* by address */
	uint32_t n;
	struct asked asked, asked_names;
	struct perf_map made;
};

struct code_maps {
	const struct procfs *proc;
	struct process *buckets[BUCKETS];
	uint32_t n_processes;
	uint32_t versions;
	struct code_file *files[FILES_MAX]; /* open addressing, by dev and ino */
	uint32_t n_files;
	struct above_sp above[ABOVE];
};

/* ---- files ---- */

/*
 * From the mapping itself, which is the file that runs, whatever became of its name. Not where that may hang. A
 * descriptor, or -1.
 */
static int open_mapping(const struct code_maps *maps, uint32_t dev, uint32_t tgid,
			const struct region *region)
{
	const struct mount_point *mount = mounts_of_dev(maps->proc->mounts, dev);
	char link[300];
	int fd;

	if (!mount || mount->waits || mount->pseudo)
		return -1;
	snprintf(link, sizeof(link), "%s/%u/map_files/%" PRIx64 "-%" PRIx64, maps->proc->root, tgid,
		 region->start, region->end);
	fd = file_open_regular(link);
	return fd < 0 ? -1 : fd;
}

/* Names of functions are looked up when the recording ends, in the file itself: so it is kept open. */
static void read_build_id(const struct code_maps *maps, struct code_file *file, uint32_t tgid,
			  const struct region *region)
{
	int fd = open_mapping(maps, file->dev, tgid, region);

	file->fd = -1;
	if (fd < 0)
		return;
	build_id_read(fd, file->build_id);
	if (maps->n_files < KEPT_FILES)
		file->fd = fd;
	else
		close(fd);
}

/* NULL without memory, or when there are too many. */
static const struct code_file *file_of(struct code_maps *maps, const struct code_file *of,
				       const char *path, uint32_t tgid, const struct region *region)
{
	uint64_t at = (of->ino * 0x9e3779b97f4a7c15ULL ^ of->dev) >> 13;
	struct code_file *file;

	for (at &= FILES_MAX - 1; (file = maps->files[at]); at = (at + 1) & (FILES_MAX - 1))
		if (file->ino == of->ino && file->dev == of->dev && !strcmp(file->path->raw, path))
			return file;
	/* half full at most, so that a search ends soon */
	if (maps->n_files >= FILES_MAX / 2)
		return NULL;
	file = calloc(1, sizeof(*file));
	if (!file)
		return NULL;
	*file = *of;
	file->path = path_new(path, strlen(path), PATH_PROC);
	if (!file->path) {
		free(file);
		return NULL;
	}
	read_build_id(maps, file, tgid, region);
	maps->files[at] = file;
	maps->n_files++;
	return file;
}

/* ---- processes ---- */

/*
 * Room for 64, then double whenever n is a power of two. Where there are too many, or no memory, the others
 * are left out, and what is there is not known.
 */
static void add_region(struct process *p, const struct region *region)
{
	uint32_t room = p->n ? p->n * 2 : 64;
	void *more;

	if (p->n == REGIONS_MAX)
		return;
	if (!p->n || (p->n >= 64 && !(p->n & (p->n - 1)))) {
		more = realloc(p->regions, room * sizeof(*p->regions));
		if (!more)
			return;
		p->regions = more;
	}
	p->regions[p->n++] = *region;
}

/* "start-end r-xp offset major:minor inode   path": of what is executable */
static void read_line(struct code_maps *maps, struct process *p, char *line)
{
	struct code_file file = { 0 };
	struct region region;
	unsigned int major, minor;
	char *mark;
	char x;
	int at = 0;

	memset(&region, 0, sizeof(region)); /* they are compared byte by byte */
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*c%*c%c%*c %" SCNx64 " %x:%x %" SCNu64 "%n",
		   &region.start, &region.end, &x, &region.offset, &major, &minor, &file.ino,
		   &at) < 7 ||
	    x != 'x' || region.start >= region.end)
		return;
	line += at + strspn(line + at, " ");
	/* [vdso], [vsyscall] */
	region.kernels = !strncmp(line, "[v", 2);
	/* as rows and the kernel have it (MKDEV) */
	file.dev = major << 20 | minor;
	if (file.ino && line[0] == '/') {
		mark = path_deleted_mark(line);
		if (mark)
			*mark = '\0';
		region.file = file_of(maps, &file, line, p->tgid, &region);
	}
	add_region(p, &region);
}

static bool is_due(const struct asked *asked)
{
	return mono_ns() - asked->ns >= asked->wait_ns;
}

static void note_asked(struct asked *asked, bool news)
{
	asked->ns = mono_ns();
	asked->wait_ns = news || !asked->wait_ns ? ASK_FIRST_NS : asked->wait_ns * 2;
	if (asked->wait_ns > ASK_LAST_NS)
		asked->wait_ns = ASK_LAST_NS;
}

static bool same_regions(const struct process *a, const struct process *b)
{
	return a->n == b->n &&
	       (!a->n || !memcmp(a->regions, b->regions, a->n * sizeof(*a->regions)));
}

/* What it has now, if it lives: else what was known stays. */
static void read_regions(struct code_maps *maps, struct process *p)
{
	struct process now = { .tgid = p->tgid };
	char name[300], *line = NULL;
	size_t room = 0;
	bool news = false;
	FILE *in;

	/* by a thread that lives: of a first thread that ended the text is empty */
	snprintf(name, sizeof(name), "%s/%u/maps", maps->proc->root,
		 procfs_living(maps->proc, p->tgid));
	in = fopen(name, "re");
	while (in && getline(&line, &room, in) > 0) {
		line[strcspn(line, "\n")] = '\0';
		read_line(maps, &now, line);
	}
	free(line);
	if (in)
		fclose(in);
	if (now.n && !same_regions(&now, p)) {
		news = true;
		free(p->regions);
		p->regions = now.regions;
		p->n = now.n;
		p->version = ++maps->versions;
	} else {
		free(now.regions);
	}
	note_asked(&p->asked, news);
}

static void process_free(struct process *p)
{
	free(p->regions);
	perf_map_free(&p->made);
	free(p);
}

static struct process **place_of(struct code_maps *maps, uint32_t tgid)
{
	struct process **at = &maps->buckets[tgid & (BUCKETS - 1)];

	while (*at && (*at)->tgid != tgid)
		at = &(*at)->next;
	return at;
}

void code_maps_forget(struct code_maps *maps, uint32_t tgid)
{
	struct process **at = place_of(maps, tgid), *p = *at;

	if (!p)
		return;
	*at = p->next;
	maps->n_processes--;
	process_free(p);
}

static void forget_all(struct code_maps *maps)
{
	for (int i = 0; i < BUCKETS; i++)
		while (maps->buckets[i])
			code_maps_forget(maps, maps->buckets[i]->tgid);
}

static struct process *process_of(struct code_maps *maps, uint32_t tgid)
{
	struct process *p = *place_of(maps, tgid);

	if (p)
		return p;
	if (maps->n_processes >= PROCESSES_MAX)
		forget_all(maps);
	p = calloc(1, sizeof(*p));
	if (!p)
		return NULL;
	p->tgid = tgid;
	p->version = ++maps->versions;
	*place_of(maps, tgid) = p;
	maps->n_processes++;
	read_regions(maps, p);
	return p;
}

uint32_t code_maps_version(struct code_maps *maps, uint32_t tgid)
{
	const struct process *p = process_of(maps, tgid);

	return p ? p->version : 0;
}

/* ---- addresses ---- */

static bool ends_before(const void *list, uint64_t i, uint64_t key)
{
	return ((const struct region *)list)[i].end <= key;
}

/* The kernel writes them in the order of addresses, none within another. */
static const struct region *region_at(const struct process *p, uint64_t address)
{
	uint64_t at = search_first(p->regions, 0, p->n, ends_before, address);

	return at < p->n && p->regions[at].start <= address ? &p->regions[at] : NULL;
}

/* Programs append to the file while they run. */
static const char *made_name(struct code_maps *maps, struct process *p, struct code_place *place,
			     uint64_t address)
{
	const char *name = perf_map_name(&p->made, address, &place->offset);
	struct perf_map made;

	if (name || !is_due(&p->asked_names))
		return name;
	if (!perf_map_read(&made, maps->proc, p->tgid)) {
		perf_map_free(&p->made);
		p->made = made;
		name = perf_map_name(&p->made, address, &place->offset);
	}
	note_asked(&p->asked_names, name);
	return name;
}

struct code_place code_maps_find(struct code_maps *maps, uint32_t tgid, uint64_t address)
{
	struct process *p = process_of(maps, tgid);
	struct code_place place = { .kind = CODE_GONE };
	const struct region *region = p ? region_at(p, address) : NULL;

	/* a library that came later */
	if (p && !region && is_due(&p->asked)) {
		read_regions(maps, p);
		region = region_at(p, address);
	}
	if (!p || !p->n)
		return place;
	place.kind = CODE_UNKNOWN;
	if (!region)
		return place;
	if (region->file) {
		place.kind = CODE_FILE;
		place.file = region->file;
		place.offset = address - region->start + region->offset;
		return place;
	}
	place.kind = region->kernels ? CODE_KERNELS : CODE_MEMORY;
	place.name = region->kernels ? NULL : made_name(maps, p, &place, address);
	if (place.name)
		place.kind = CODE_MADE;
	return place;
}

uint32_t code_maps_above_sp(struct code_maps *maps, uint32_t tgid, uint64_t address)
{
	const struct process *p = process_of(maps, tgid);
	const struct region *region = p ? region_at(p, address) : NULL;
	struct above_sp *known;
	uint64_t offset;
	int fd;

	if (!region || !region->file)
		return 0;
	offset = address - region->start + region->offset;
	/* what is not known is remembered as 0, too; files stay, so that their addresses tell them apart */
	known = &maps->above[((uintptr_t)region->file >> 4 ^ offset) % ABOVE];
	if (known->file == region->file && known->offset == offset)
		return known->bytes;
	fd = open_mapping(maps, region->file->dev, tgid, region);
	if (fd < 0)
		return 0;
	*known = (struct above_sp){ region->file, offset, unwind_above_sp(fd, offset) };
	close(fd);
	return known->bytes;
}

/* ---- life ---- */

struct code_maps *code_maps_open(const struct procfs *proc)
{
	struct code_maps *maps = calloc(1, sizeof(*maps));

	if (maps)
		maps->proc = proc;
	return maps;
}

void code_maps_close(struct code_maps *maps)
{
	if (!maps)
		return;
	forget_all(maps);
	for (int i = 0; i < FILES_MAX; i++)
		if (maps->files[i]) {
			path_put(maps->files[i]->path);
			if (maps->files[i]->fd >= 0)
				close(maps->files[i]->fd);
			free(maps->files[i]);
		}
	free(maps);
}
