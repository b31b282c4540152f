/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tasks: directories, namespaces, memory and flags of our own, and what is left
 * of a process that has exited.
 */
#include "compat/learn/learn_task.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compat/learn/learn_fds.h"
#include "compat/learn/learn_fits.h"

enum {
	TASK_SIZE = 4096,
	FS_SIZE = 128,
	MM_SIZE = 1024,
	NSPROXY_SIZE = 64,
	NAMESPACE_SIZE = 160,
	DENTRY_SIZE = 192,
	PATH_SIZE = 16
};

/* Numbers of a line of /proc/PID/stat, as proc(5) counts them. */
enum { STAT_FLAGS = 9, STAT_ARG_START = 48, STAT_ARG_END = 49 };

bool learn_stat(uint64_t numbers[LEARN_STAT_MAX + 1], const char *path)
{
	FILE *in = fopen(path, "re");
	char line[1024], *at;
	bool ok = in && fgets(line, sizeof(line), in);

	if (in)
		fclose(in);
	memset(numbers, 0, (LEARN_STAT_MAX + 1) * sizeof(*numbers));
	/* the name before it may have blanks and brackets itself */
	at = ok ? strrchr(line, ')') : NULL;
	if (!at)
		return false;
	numbers[3] = (unsigned char)at[2];
	at += 3;
	for (unsigned i = 4; i <= LEARN_STAT_MAX && *at; i++)
		numbers[i] = strtoull(at, &at, 10);
	return true;
}

bool learn_read_task(struct learn *learn, struct learn_object *task)
{
	return learn->task && learn_read(learn, task, learn->task, LEARN_OBJECT_SIZE);
}

/* ---- directories ---- */

static bool path_of(struct learn *learn, const char *name, unsigned char path[PATH_SIZE])
{
	int fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	uint64_t file = fd < 0 ? 0 : learn_file(learn, fd);
	int32_t at = learn_offset(learn, LAYOUT_file_f_path);
	bool ok = file && at >= 0 &&
		  peek_read(learn->peek, file + at, path, PATH_SIZE) == PATH_SIZE;

	if (fd >= 0)
		close(fd);
	return ok;
}

static bool has_bytes(const struct learn_object *object, const void *bytes, size_t size)
{
	for (size_t at = 0; at + size <= object->size; at += 8)
		if (!memcmp(object->bytes + at, bytes, size))
			return true;
	return false;
}

/* The same pointer at both places, each of which may lie outside. */
static bool is_same(const struct learn_object *task, uint32_t one, uint32_t other)
{
	return learn_word(task, one) && learn_word(task, one) == learn_word(task, other);
}

/*
 * Two neighbours of one value for every process: real_fs and fs (7.3), of which
 * the second is meant.
 */
static unsigned second_of_two(const struct learn_object *task, uint32_t *fits, unsigned n)
{
	if (n == 2 && fits[1] == fits[0] + 8) {
		fits[0] = fits[1];
		return 1;
	}
	return n == 1 && is_same(task, fits[0], fits[0] + 8) ? 0 : n;
}

/*
 * The root of the last round differs, too. Its path is taken where the task is by then:
 * a directory of 4.14's /proc gets another dentry when nobody has it open.
 */
static void learn_fs(struct learn *learn, unsigned round)
{
	static const char *const directories[LEARN_ROUNDS] = { "/proc/sys", "/proc/fs", "/sys/fs" };
	static const char *const roots[LEARN_ROUNDS] = { "/", "/sys", "/proc" };
	unsigned char root[PATH_SIZE], pwd[PATH_SIZE];
	struct learn_object task, fs;
	uint32_t fits[LEARN_MAX_FITS];
	unsigned n = 0;

	round %= LEARN_ROUNDS;
	if (chdir(directories[round]) || chroot(roots[round]) || !path_of(learn, ".", pwd) ||
	    !path_of(learn, "/", root) || !learn_read_task(learn, &task))
		return;
	for (uint32_t at = 0; at < task.size && n < LEARN_MAX_FITS; at += 8) {
		uint64_t pointer = learn_lead(learn, LAYOUT_task_struct_fs, &task, at);

		if (pointer && learn_read(learn, &fs, pointer, FS_SIZE) &&
		    has_bytes(&fs, pwd, PATH_SIZE) && has_bytes(&fs, root, PATH_SIZE))
			fits[n++] = at;
	}
	learn_fits(learn, LAYOUT_task_struct_fs, fits, second_of_two(&task, fits, n));
	if (!learn_read(learn, &fs, learn_follow(learn, LAYOUT_task_struct_fs, learn->task),
			FS_SIZE))
		return;
	learn_value(learn, LAYOUT_fs_struct_root, &fs, 0, FS_SIZE, root, PATH_SIZE);
	learn_value(learn, LAYOUT_fs_struct_pwd, &fs, 0, FS_SIZE, pwd, PATH_SIZE);
}

/* ---- namespaces ---- */

static bool has_number(const struct learn_object *object, uint32_t number)
{
	for (size_t at = 0; at + 4 <= object->size; at += 4)
		if (!memcmp(object->bytes + at, &number, 4))
			return true;
	return false;
}

/*
 * mnt_namespace began with a count of 32 bits until 5.10, its ns_common is behind
 * it: one or two here, where what is first in an ns_common is a pointer, the
 * type, or (7.3) a count with the type behind it, which fills a cache line where
 * there are several CPUs. What lies behind the count is not set on 4.14.
 */
static bool has_count(const struct learn_object *space, uint32_t inum)
{
	uint64_t first = learn_word(space, 0);
	uint32_t count = (uint32_t)first;

	return count && count < 64 && first >> 32 != CLONE_NEWNS &&
	       (uint32_t)learn_word(space, 24) == inum;
}

static void learn_inum(struct learn *learn, const struct learn_object *space, uint32_t inum)
{
	struct learn_object common = *space;

	if (has_count(space, inum)) {
		common.size -= 8;
		memmove(common.bytes, common.bytes + 8, common.size);
	}
	learn_value(learn, LAYOUT_ns_common_inum, &common, 0, NAMESPACE_SIZE, &inum, 4);
}

static void learn_nsproxy(struct learn *learn, const struct learn_object *nsproxy, uint32_t inum)
{
	struct learn_object space;
	uint32_t fits[NSPROXY_SIZE / 8];
	unsigned n = 0;

	for (uint32_t at = 0; at < NSPROXY_SIZE; at += 8) {
		uint64_t pointer = learn_lead(learn, LAYOUT_nsproxy_mnt_ns, nsproxy, at);

		if (pointer && learn_read(learn, &space, pointer, NAMESPACE_SIZE) &&
		    has_number(&space, inum))
			fits[n++] = at;
	}
	learn_fits(learn, LAYOUT_nsproxy_mnt_ns, fits, n);
	if (learn_read(learn, &space, learn_follow(learn, LAYOUT_nsproxy_mnt_ns, nsproxy->at),
		       NAMESPACE_SIZE))
		learn_inum(learn, &space, inum);
}

static bool leads_to_namespace(struct learn *learn, const struct learn_object *nsproxy,
			       uint32_t inum)
{
	struct learn_object space;

	for (uint32_t at = 0; at < NSPROXY_SIZE; at += 8) {
		uint64_t pointer = learn_word(nsproxy, at);

		if (pointer && peek_is_object(learn->peek, pointer) &&
		    learn_read(learn, &space, pointer, NAMESPACE_SIZE) && has_number(&space, inum))
			return true;
	}
	return false;
}

/* With a namespace of mounts of its own, a task has another nsproxy than before. */
void learn_namespaces(struct learn *learn, unsigned round)
{
	struct learn_object before, after, nsproxy;
	uint32_t fits[LEARN_MAX_FITS], inum;
	struct stat st;
	unsigned n = 0;

	(void)round;
	if (!learn_read_task(learn, &before) || unshare(CLONE_NEWNS) ||
	    !learn_read_task(learn, &after) || stat("/proc/self/ns/mnt", &st))
		return;
	inum = (uint32_t)st.st_ino;
	for (uint32_t at = 0; at < after.size && n < LEARN_MAX_FITS; at += 8) {
		uint64_t pointer = learn_lead(learn, LAYOUT_task_struct_nsproxy, &after, at);

		if (pointer && pointer != learn_word(&before, at) &&
		    learn_read(learn, &nsproxy, pointer, NSPROXY_SIZE) &&
		    leads_to_namespace(learn, &nsproxy, inum))
			fits[n++] = at;
	}
	learn_fits(learn, LAYOUT_task_struct_nsproxy, fits, n);
	if (learn_read(learn, &nsproxy,
		       learn_follow(learn, LAYOUT_task_struct_nsproxy, learn->task), NSPROXY_SIZE))
		learn_nsproxy(learn, &nsproxy, inum);
}

/* ---- memory and flags ---- */

static unsigned find_word(const struct learn_object *object, uint64_t word, uint32_t *fits)
{
	unsigned n = 0;

	for (size_t at = 0; at + 8 <= object->size && n < LEARN_MAX_FITS; at += 8)
		if (learn_word(object, at) == word)
			fits[n++] = (uint32_t)at;
	return n;
}

/*
 * Two neighbours of one value: mm and active_mm, which are the same for every
 * process, and the ends of the arguments and the beginning of the environment.
 * The first is meant, since long before 4.14. A register that a task of arm64 had
 * when it last slept may have that value, too: its place has no such neighbour.
 */
static unsigned first_of_two(uint32_t *fits, unsigned n)
{
	unsigned pairs = 0, first = 0;

	for (unsigned i = 0; i + 1 < n; i++)
		if (fits[i + 1] == fits[i] + 8) {
			pairs++;
			first = fits[i];
		}
	if (pairs != 1)
		return n;
	fits[0] = first;
	return 1;
}

static void learn_mm(struct learn *learn, const struct learn_object *task,
		     const uint64_t stat[LEARN_STAT_MAX + 1])
{
	uint64_t start = stat[STAT_ARG_START], end = stat[STAT_ARG_END];
	uint32_t fits[LEARN_MAX_FITS], found[LEARN_MAX_FITS];
	struct learn_object mm;
	unsigned n = 0;

	if (!start || end <= start)
		return;
	for (uint32_t at = 0; at < task->size && n < LEARN_MAX_FITS; at += 8) {
		uint64_t pointer = learn_lead(learn, LAYOUT_task_struct_mm, task, at);

		if (pointer && learn_read(learn, &mm, pointer, MM_SIZE) &&
		    find_word(&mm, start, found) && find_word(&mm, end, found))
			fits[n++] = at;
	}
	n = first_of_two(fits, n);
	if (n == 1 && is_same(task, fits[0] - 8, fits[0]))
		n = 0; /* the second, and where the first is was not looked at */
	learn_fits(learn, LAYOUT_task_struct_mm, fits, n);
	if (!learn_read(learn, &mm, learn_follow(learn, LAYOUT_task_struct_mm, learn->task),
			MM_SIZE))
		return;
	learn_fits(learn, LAYOUT_mm_struct_arg_start, fits, find_word(&mm, start, fits));
	n = find_word(&mm, end, fits);
	learn_fits(learn, LAYOUT_mm_struct_arg_end, fits, first_of_two(fits, n));
}

/* How a task wants to hear of broken memory are two of its flags, which nothing else changes. */
static void learn_flags(struct learn *learn, unsigned round)
{
	static const int policies[LEARN_ROUNDS] = { PR_MCE_KILL_EARLY, PR_MCE_KILL_LATE,
						    PR_MCE_KILL_DEFAULT };
	uint64_t stat[LEARN_STAT_MAX + 1];
	struct learn_object task;
	uint32_t flags;

	prctl(PR_MCE_KILL, PR_MCE_KILL_SET, policies[round % LEARN_ROUNDS], 0, 0);
	if (!learn_stat(stat, "/proc/self/stat") || !learn_read_task(learn, &task))
		return;
	flags = (uint32_t)stat[STAT_FLAGS];
	learn_value(learn, LAYOUT_task_struct_flags, &task, 0, TASK_SIZE, &flags, 4);
	learn_mm(learn, &task, stat);
}

void learn_task(struct learn *learn, unsigned round)
{
	learn_flags(learn, round);
	learn_fs(learn, round);
}

/* ---- ends ---- */

/*
 * A hashed name is in a list: its pprev leads to a pointer to it (bit 0 of the
 * head is a lock).
 */
static unsigned find_lists(struct learn *learn, const struct learn_object *dentry, uint32_t *fits)
{
	unsigned n = 0;

	for (uint32_t at = 8; at < DENTRY_SIZE; at += 8) {
		uint64_t pprev = learn_word(dentry, at);

		if ((int64_t)pprev < -4096 && pprev % 8 == 0 &&
		    (learn_pointer(learn, pprev) & ~1ull) == dentry->at + at - 8)
			fits[n++] = at - 8;
	}
	return n;
}

/* When the process is gone, its directory in /proc has no hash any more, but is in all other lists. */
static void learn_hash(struct learn *learn, const struct learn_object *after, uint32_t *fits,
		       unsigned n)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < n; i++)
		if (!learn_word(after, fits[i] + 8))
			fits[kept++] = fits[i];
	learn_fits(learn, LAYOUT_dentry_d_hash, fits, kept);
}

bool learn_end(struct learn *learn, unsigned round, int pid)
{
	uint32_t code = (LEARN_EXIT_CODE + LEARN_EXIT_STEP * round) << 8;
	struct learn_object task, before, after;
	uint32_t lists[DENTRY_SIZE / 8];
	unsigned n_lists = 0;
	unsigned char path[PATH_SIZE];
	uint64_t dentry = 0;
	char name[32];
	int fd;

	if (learn_read_task(learn, &task))
		learn_value(learn, LAYOUT_task_struct_exit_code, &task, 0, TASK_SIZE, &code, 4);
	learn->task = peek_task(learn->peek);
	snprintf(name, sizeof(name), "/proc/%d", pid);
	fd = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0 && path_of(learn, name, path))
		/* struct path is a mount and a name, each a pointer */
		memcpy(&dentry, path + 8, 8);
	if (dentry && learn_read(learn, &before, dentry, DENTRY_SIZE))
		n_lists = find_lists(learn, &before, lists);
	if (waitpid(pid, NULL, 0) != pid)
		return false;
	if (dentry && learn_read(learn, &after, dentry, DENTRY_SIZE))
		learn_hash(learn, &after, lists, n_lists);
	if (fd >= 0)
		close(fd);
	return true;
}
