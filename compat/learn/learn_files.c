/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Open files, inodes, super blocks, names and mounts: files in memory with
 * distinctive positions, sizes, modes and names, and directories of /proc and
 * /sys, which are there already.
 */
#include "compat/learn/learn_files.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "compat/learn/learn_fds.h"
#include "compat/learn/learn_fits.h"

enum {
	N_FILES = 3,
	FILE_SIZE = 320,
	INODE_SIZE = 1024,
	SUPER_SIZE = 2048,
	DENTRY_SIZE = 192,
	MOUNT_SIZE = 64,
	TYPE_SIZE = 128,
	MAPPING_SIZE = 256,
	PAGE = 4096
};

/* One open file of ours. */
struct subject {
	int fd;
	char name[64]; /* of its dentry */
	struct stat st;
	struct statfs fs;
	struct learn_object file, inode, dentry;
	uint64_t mount;
};

/* The kernel's dev_t of a user's. */
static uint32_t kernel_dev(dev_t dev)
{
	return major(dev) << 20 | minor(dev);
}

/* Whether the object has the word, at any place; and where. */
static int32_t find_word(const struct learn_object *object, uint64_t word)
{
	for (size_t at = 0; at + 8 <= object->size; at += 8)
		if (learn_word(object, at) == word)
			return (int32_t)at;
	return -1;
}

/* ---- inode and super block ---- */

static void learn_inode_place(struct learn *learn, struct subject *s)
{
	uint32_t fits[FILE_SIZE / 8];
	unsigned n = 0;

	for (uint32_t at = 0; at < FILE_SIZE; at += 8) {
		uint64_t lead = learn_lead(learn, LAYOUT_file_f_inode, &s->file, at);
		struct learn_object inode;

		if (lead && learn_read(learn, &inode, lead, INODE_SIZE) &&
		    find_word(&inode, s->st.st_ino) >= 0 &&
		    find_word(&inode, (uint64_t)s->st.st_size) >= 0)
			fits[n++] = at;
	}
	learn_fits(learn, LAYOUT_file_f_inode, fits, n);
}

static bool read_inode(struct learn *learn, struct subject *s)
{
	int32_t at = learn_offset(learn, LAYOUT_file_f_inode);

	return at >= 0 && learn_read(learn, &s->inode, learn_word(&s->file, at), INODE_SIZE);
}

static bool has_number(const struct learn_object *object, uint32_t number)
{
	for (size_t at = 0; at + 4 <= object->size; at += 4)
		if (!memcmp(object->bytes + at, &number, 4))
			return true;
	return false;
}

/* The super block has its device and its magic number, and its inodes lead to it. */
static void learn_super_place(struct learn *learn, const struct subject *s)
{
	uint32_t fits[INODE_SIZE / 8];
	unsigned n = 0;

	for (uint32_t at = 0; at < INODE_SIZE; at += 8) {
		uint64_t lead = learn_lead(learn, LAYOUT_inode_i_sb, &s->inode, at);
		struct learn_object super;

		if (lead && learn_read(learn, &super, lead, SUPER_SIZE) &&
		    find_word(&super, (uint64_t)s->fs.f_type) >= 0 &&
		    has_number(&super, kernel_dev(s->st.st_dev)))
			fits[n++] = at;
	}
	learn_fits(learn, LAYOUT_inode_i_sb, fits, n);
}

static void learn_super(struct learn *learn, const struct subject *s, const char *type)
{
	uint32_t dev = kernel_dev(s->st.st_dev), fits[SUPER_SIZE / 8];
	uint64_t magic = (uint64_t)s->fs.f_type;
	struct learn_object super, fstype;
	unsigned n = 0;

	if (!learn_read(learn, &super, learn_follow(learn, LAYOUT_inode_i_sb, s->inode.at),
			SUPER_SIZE))
		return;
	learn_value(learn, LAYOUT_super_block_s_dev, &super, 0, SUPER_SIZE, &dev, 4);
	learn_value(learn, LAYOUT_super_block_s_magic, &super, 0, SUPER_SIZE, &magic, 8);
	/* in the kernel's image or a module's: no object of the kind that is_object knows */
	for (uint32_t at = 0; at < SUPER_SIZE; at += 8) {
		uint64_t pointer = learn_word(&super, at);

		if ((int64_t)pointer < -4096 && pointer % 8 == 0 &&
		    learn_may_be(learn, LAYOUT_super_block_s_type, at) &&
		    learn_string_is(learn, learn_pointer(learn, pointer), type))
			fits[n++] = at;
	}
	learn_fits(learn, LAYOUT_super_block_s_type, fits, n);
	if (!learn_read(learn, &fstype, learn_follow(learn, LAYOUT_super_block_s_type, super.at),
			TYPE_SIZE))
		return;
	n = 0;
	for (uint32_t at = 0; at < TYPE_SIZE; at += 8)
		if (learn_string_is(learn, learn_word(&fstype, at), type))
			fits[n++] = at;
	learn_fits(learn, LAYOUT_file_system_type_name, fits, n);
}

/* ---- names ---- */

/* A name is hash and length in one word, and a pointer to the text. */
static unsigned find_name(struct learn *learn, const struct learn_object *dentry, const char *name,
			  uint32_t *fits)
{
	unsigned n = 0;

	for (uint32_t at = 8; at < DENTRY_SIZE; at += 8)
		if (learn_word(dentry, at - 8) >> 32 == strlen(name) &&
		    learn_string_is(learn, learn_word(dentry, at), name))
			fits[n++] = at - 8;
	return n;
}

/* Mount and dentry of a file lie beside each other; the dentry is the one with name and inode. */
static void learn_path_place(struct learn *learn, const struct subject *s)
{
	uint32_t fits[FILE_SIZE / 8], names[DENTRY_SIZE / 8];
	unsigned n = 0;

	for (uint32_t at = 0; at < FILE_SIZE; at += 8) {
		uint64_t mount = learn_lead(learn, LAYOUT_file_f_path, &s->file, at);
		uint64_t second = learn_word(&s->file, at + 8);
		struct learn_object dentry;

		if (mount && second && peek_is_object(learn->peek, second) &&
		    learn_read(learn, &dentry, second, DENTRY_SIZE) &&
		    find_word(&dentry, s->inode.at) >= 0 &&
		    find_name(learn, &dentry, s->name, names))
			fits[n++] = at;
	}
	learn_fits(learn, LAYOUT_file_f_path, fits, n);
}

static bool read_path(struct learn *learn, struct subject *s)
{
	int32_t at = learn_offset(learn, LAYOUT_file_f_path);

	s->mount = at < 0 ? 0 : learn_word(&s->file, at);
	return at >= 0 && learn_read(learn, &s->dentry, learn_word(&s->file, at + 8), DENTRY_SIZE);
}

static void learn_name(struct learn *learn, const struct subject *s)
{
	uint32_t fits[DENTRY_SIZE / 8];
	uint64_t inode = s->inode.at;

	learn_fits(learn, LAYOUT_dentry_d_name, fits, find_name(learn, &s->dentry, s->name, fits));
	learn_value(learn, LAYOUT_dentry_d_inode, &s->dentry, 0, DENTRY_SIZE, &inode, 8);
}

/* ---- files in memory ---- */

static bool make_file(struct subject *s, unsigned round, unsigned i)
{
	static const char padding[] = "a-name-that-does-not-fit-into-a-dentry";
	static const char page[PAGE];
	static const int flags[N_FILES] = { O_APPEND, O_NONBLOCK, O_APPEND | O_NONBLOCK };
	unsigned key = round * N_FILES + i;
	char name[56];

	snprintf(name, sizeof(name), "iotracer-%u-%.*s", key, (int)(key * 4), padding);
	snprintf(s->name, sizeof(s->name), "memfd:%s", name);
	s->fd = syscall(__NR_memfd_create, name, 0);
	if (s->fd < 0)
		return false;
	/* from here on each number is one that nothing else has */
	for (unsigned k = 0; k < key + 2; k++)
		if (pwrite(s->fd, page, 1, (off_t)k * PAGE) != 1)
			return false;
	return !ftruncate(s->fd, 0x4d3210 + 0x1357 * (off_t)key) &&
	       !fchmod(s->fd, 0641 + 0111 * (i + 1) + 01000 * round) &&
	       lseek(s->fd, 0x123400560078 + 0x1000100010 * (off_t)key, SEEK_SET) > 0 &&
	       !fcntl(s->fd, F_SETFL, flags[i] | (round ? O_NOATIME : 0)) &&
	       !fstat(s->fd, &s->st) && !fstatfs(s->fd, &s->fs);
}

static void learn_flags(struct learn *learn, const struct subject *s)
{
	uint32_t flags = (uint32_t)fcntl(s->fd, F_GETFL);

	learn_value(learn, LAYOUT_file_f_flags, &s->file, 0, FILE_SIZE, &flags, 4);
}

/*
 * FMODE_READ 1, FMODE_WRITE 2, as it was opened; FMODE_LSEEK 4, FMODE_PREAD 8 and
 * FMODE_PWRITE 16, as files have them; not FMODE_EXEC 32. All since 4.14.
 */
static void learn_mode(struct learn *learn, const struct subject *s)
{
	unsigned access = (unsigned)(fcntl(s->fd, F_GETFL) & O_ACCMODE) + 1, n = 0;
	uint32_t fits[FILE_SIZE / 4];

	for (uint32_t at = 0; at < FILE_SIZE; at += 4) {
		uint32_t mode = (uint32_t)(learn_word(&s->file, at & ~7u) >> (at % 8 * 8));

		if ((mode & 63) == (access | 28))
			fits[n++] = at;
	}
	learn_fits(learn, LAYOUT_file_f_mode, fits, n);
}

/* Which of its files has the bit tells whether the kernel has it. */
static void count_opened(struct learn *learn, const struct subject *s)
{
	int32_t at = learn_offset(learn, LAYOUT_file_f_mode);
	uint32_t mode;

	if (at < 0)
		return;
	memcpy(&mode, s->file.bytes + at, 4);
	if (mode & 0x80000)
		learn->opened++;
	else
		learn->not_opened++;
}

/* Another open file of the same inode, to read or to write only. */
static void learn_other_modes(struct learn *learn, struct subject *s)
{
	static const int ways[] = { O_RDONLY, O_WRONLY };
	char link[40];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", s->fd);
	for (unsigned i = 0; i < 2; i++) {
		struct subject other = { .fd = open(link, ways[i]) };

		if (other.fd < 0)
			continue;
		if (learn_read(learn, &other.file, learn_file(learn, other.fd), FILE_SIZE)) {
			learn_mode(learn, &other);
			learn_flags(learn, &other);
			count_opened(learn, &other);
		}
		close(other.fd);
	}
}

/* The mapping of an inode lies in it, leads to it, and counts its pages. */
static void learn_mapping(struct learn *learn, const struct subject *s, uint64_t pages)
{
	struct learn_object mapping;
	uint64_t inode = s->inode.at;

	for (uint32_t at = 0; at < FILE_SIZE; at += 8) {
		uint64_t pointer = learn_word(&s->file, at);

		if (pointer <= inode || pointer - inode >= INODE_SIZE ||
		    !learn_read(learn, &mapping, pointer, MAPPING_SIZE))
			continue;
		learn_value(learn, LAYOUT_address_space_host, &mapping, 0, MAPPING_SIZE, &inode, 8);
		learn_value(learn, LAYOUT_address_space_nrpages, &mapping, 0, MAPPING_SIZE, &pages,
			    8);
		return;
	}
}

static void learn_memory_file(struct learn *learn, struct subject *s, unsigned key)
{
	uint64_t number;
	uint16_t mode = s->st.st_mode;

	if (!learn_read(learn, &s->file, learn_file(learn, s->fd), FILE_SIZE))
		return;
	number = (uint64_t)lseek(s->fd, 0, SEEK_CUR);
	learn_value(learn, LAYOUT_file_f_pos, &s->file, 0, FILE_SIZE, &number, 8);
	learn_flags(learn, s);
	learn_mode(learn, s);
	learn_inode_place(learn, s);
	if (!read_inode(learn, s))
		return;
	number = s->st.st_ino;
	learn_value(learn, LAYOUT_inode_i_ino, &s->inode, 0, INODE_SIZE, &number, 8);
	number = (uint64_t)s->st.st_size;
	learn_value(learn, LAYOUT_inode_i_size, &s->inode, 0, INODE_SIZE, &number, 8);
	learn_value(learn, LAYOUT_inode_i_mode, &s->inode, 0, INODE_SIZE, &mode, 2);
	learn_super_place(learn, s);
	learn_path_place(learn, s);
	if (!read_path(learn, s))
		return;
	learn_name(learn, s);
	learn_super(learn, s, "tmpfs");
	learn_mapping(learn, s, key + 2);
}

void learn_files(struct learn *learn, unsigned round)
{
	for (unsigned i = 0; i < N_FILES; i++) {
		struct subject s = { .fd = -1 };

		if (!make_file(&s, round, i))
			continue;
		learn_memory_file(learn, &s, round * N_FILES + i);
		learn_other_modes(learn, &s);
		count_opened(learn, &s);
	}
}

/* ---- directories ---- */

static bool open_directory(struct learn *learn, struct subject *s, const char *path)
{
	const char *last = strrchr(path, '/');

	s->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	snprintf(s->name, sizeof(s->name), "%.63s", last[1] ? last + 1 : "/");
	return s->fd >= 0 && !fstat(s->fd, &s->st) && !fstatfs(s->fd, &s->fs) &&
	       learn_read(learn, &s->file, learn_file(learn, s->fd), FILE_SIZE) &&
	       read_inode(learn, s) && read_path(learn, s);
}

/* The first directory of a mount, and what the texts take for granted of struct mount (private). */
static void learn_mount(struct learn *learn, const struct subject *s, const struct subject *above)
{
	uint64_t root = s->dentry.at, parent, point;
	struct learn_object mount, dentry;
	uint32_t names[DENTRY_SIZE / 8];

	if (!learn_read(learn, &mount, s->mount, MOUNT_SIZE))
		return;
	learn_value(learn, LAYOUT_vfsmount_mnt_root, &mount, 0, MOUNT_SIZE, &root, 8);
	parent = learn_pointer(learn, s->mount - 16);
	point = learn_pointer(learn, s->mount - 8);
	if (parent + 32 == above->mount && learn_read(learn, &dentry, point, DENTRY_SIZE) &&
	    find_name(learn, &dentry, s->name, names))
		learn->walks++;
}

void learn_directories(struct learn *learn, unsigned round)
{
	static const struct {
		const char *mount, *type;
		const char *below[LEARN_ROUNDS];
	} trees[] = {
		{ "/proc", "proc", { "/proc/sys", "/proc/fs", "/proc/tty" } },
		{ "/sys", "sysfs", { "/sys/kernel", "/sys/fs", "/sys/module" } },
	};
	struct subject root = { .fd = -1 }, top, dir;

	if (!open_directory(learn, &root, "/"))
		return;
	for (size_t i = 0; i < sizeof(trees) / sizeof(trees[0]); i++) {
		uint64_t parent;

		if (!open_directory(learn, &top, trees[i].mount) ||
		    !open_directory(learn, &dir, trees[i].below[round % LEARN_ROUNDS]))
			continue;
		learn_super_place(learn, &top);
		learn_super(learn, &top, trees[i].type);
		learn_mount(learn, &top, &root);
		parent = top.dentry.at;
		if (dir.mount == top.mount) { /* something may be mounted there */
			learn_value(learn, LAYOUT_dentry_d_parent, &dir.dentry, 0, DENTRY_SIZE,
				    &parent, 8);
			learn_name(learn, &dir);
		}
		close(top.fd);
		close(dir.fd);
	}
	close(root.fd);
}
