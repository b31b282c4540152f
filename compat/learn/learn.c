/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns how a layout is learned: the processes that make objects and look at
 * them, what fits all objects, and what is known in the end. Which objects tell
 * of which member is up to learn_files.c, learn_task.c and learn_net.c.
 */
#include "compat/learn/learn.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compat/learn/learn_fds.h"
#include "compat/learn/learn_files.h"
#include "compat/learn/learn_net.h"
#include "compat/learn/learn_object.h"
#include "compat/learn/learn_task.h"
#include "compat/learn/learn_threads.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* ---- processes ---- */

/* Descriptors that nobody here needs would make a new process's table larger than it begins. */
static void close_others(int but)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;
	int fds[4096], n = 0;

	while (dir && n < (int)ARRAY_SIZE(fds) && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			fds[n++] = atoi(entry->d_name);
	if (dir)
		closedir(dir);
	for (int i = 0; i < n; i++)
		if (fds[i] > 2 && fds[i] != but)
			close(fds[i]);
}

static void __attribute__((noreturn)) look_at_own(struct learn *learn, unsigned round)
{
	alarm(LEARN_SECONDS);
	if (learn_descriptors(learn, round)) {
		learn_files(learn, round);
		learn_sockets(learn, round);
		learn_namespaces(learn, round); /* and mounts of its own */
		learn_directories(learn, round);
		learn_task(learn, round);
		learn->rounds++;
	}
	_exit(LEARN_EXIT_CODE + LEARN_EXIT_STEP * (int)round);
}

/* Whether all that has one answer has it from enough objects: an early doubt leaves some behind. */
static bool is_settled(const struct learn *learn)
{
	for (unsigned i = 0; i < LAYOUT_N_MEMBERS; i++) {
		const struct learn_guess *guess = &learn->guesses[i];

		if (guess->n == 1 && !guess->failed && guess->objects < LEARN_ENOUGH)
			return false;
	}
	return true;
}

/* One process after the other: each round has a task, files and namespaces of its own. */
static void look(struct learn *learn)
{
	for (unsigned round = 0; round < LEARN_MAX_ROUNDS; round++) {
		siginfo_t info;
		pid_t pid = fork();

		if (pid == 0)
			look_at_own(learn, round);
		if (pid < 0 || waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) ||
		    !learn_end(learn, round, pid) || learn->rounds != round + 1)
			return;
		learn_threads(learn, round);
		if (learn->is_check || (round + 1 >= LEARN_ROUNDS && is_settled(learn)))
			return;
	}
}

struct report {
	int err;
	char why[256];
};

/* The process that everything else is a child of; its own end may take longer than anybody waits. */
static void __attribute__((noreturn))
run(struct learn *learn, const char *tracefs, struct report *report, int done)
{
	static const char end = 'e';

	alarm(LEARN_SECONDS);
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	close_others(done);
	learn->peek = peek_open(tracefs, report->why, sizeof(report->why));
	if (!learn->peek)
		report->err = -EPERM;
	else
		look(learn);
	_exit(write(done, &end, 1) == 1 ? 0 : 1);
}

/*
 * Through a child that ends at once, so that nobody has to wait for the one that
 * detaches the program, and none is left unwaited for.
 */
static int start(struct learn *learn, const char *tracefs, struct report *report)
{
	int gate[2], status;
	char end;
	pid_t pid;

	if (pipe(gate))
		return -errno;
	pid = fork();
	if (pid == 0) {
		close(gate[0]);
		if (fork() == 0)
			run(learn, tracefs, report, gate[1]);
		_exit(0);
	}
	close(gate[1]);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		report->err = -EAGAIN;
	else if (read(gate[0], &end, 1) != 1)
		report->err = -EIO;
	close(gate[0]);
	return report->err;
}

/* ---- what is known in the end ---- */

/* Integers: as all kernels from 4.14 to 7.3 have them. */
static const struct {
	enum layout_member_id id;
	uint8_t size;
	bool is_signed;
} integers[] = {
	{ LAYOUT_super_block_s_dev, 4, false },
	{ LAYOUT_super_block_s_magic, 8, false },
	{ LAYOUT_inode_i_mode, 2, false },
	{ LAYOUT_inode_i_ino, 8, false },
	{ LAYOUT_inode_i_size, 8, true },
	{ LAYOUT_file_f_flags, 4, false },
	{ LAYOUT_file_f_mode, 4, false },
	{ LAYOUT_file_f_pos, 8, true },
	{ LAYOUT_fdtable_max_fds, 4, false },
	{ LAYOUT_ns_common_inum, 4, false },
	{ LAYOUT_signal_struct_live, 4, false },
	{ LAYOUT_mm_struct_arg_start, 8, false },
	{ LAYOUT_mm_struct_arg_end, 8, false },
	{ LAYOUT_task_struct_flags, 4, false },
	{ LAYOUT_task_struct_exit_code, 4, true },
	{ LAYOUT_address_space_nrpages, 8, false },
	{ LAYOUT_sock_common_skc_daddr, 4, false },
	{ LAYOUT_sock_common_skc_rcv_saddr, 4, false },
	{ LAYOUT_sock_common_skc_dport, 2, false },
	{ LAYOUT_sock_common_skc_num, 2, false },
	{ LAYOUT_sock_common_skc_family, 2, false },
	{ LAYOUT_sock_common_skc_state, 1, false },
	{ LAYOUT_sock_sk_err, 4, true },
	{ LAYOUT_inet_sock_inet_sport, 2, false },
	{ LAYOUT_socket_type, 2, true },
};

/* What is no pointer and no integer. */
static const struct {
	enum layout_member_id id;
	uint32_t size;
} others[] = {
	{ LAYOUT_dentry_d_hash, 16 },
	{ LAYOUT_dentry_d_name, 16 },
	{ LAYOUT_file_f_path, 16 },
	{ LAYOUT_fs_struct_root, 16 },
	{ LAYOUT_fs_struct_pwd, 16 },
	{ LAYOUT_proto_name, 32 },
	{ LAYOUT_sock_common_skc_v6_daddr, 16 },
	{ LAYOUT_sock_common_skc_v6_rcv_saddr, 16 },
	/* the sizes of the structures in them do not matter */
	{ LAYOUT_files_struct_fdtab, 64 },
	{ LAYOUT_sock___sk_common, 136 },
};

static void set_size(struct layout_member *member, enum layout_member_id id)
{
	member->size = sizeof(void *);
	for (size_t i = 0; i < ARRAY_SIZE(integers); i++)
		if (integers[i].id == id) {
			member->size = integers[i].size;
			member->is_signed = integers[i].is_signed;
		}
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		if (others[i].id == id)
			member->size = others[i].size;
}

static bool is_known(const struct learn_guess *guess)
{
	return guess->n == 1 && !guess->failed && guess->objects >= LEARN_ENOUGH;
}

static void set_known(struct layout *layout, enum layout_member_id id, uint32_t offset,
		      uint32_t type_size)
{
	struct layout_member *member = &layout->members[id];

	*member = (struct layout_member){ .known = true, .offset = offset };
	set_size(member, id);
	layout->types[layout_type_of(id)] = (struct layout_type){ .known = true,
								  .size = type_size };
}

/* Structures that lie in others, by what was looked for there. */
static void take_nested(struct layout *layout)
{
	if (layout->members[LAYOUT_dentry_d_hash].known)
		set_known(layout, LAYOUT_hlist_bl_node_pprev, 8, 16);
	if (layout->members[LAYOUT_dentry_d_name].known)
		set_known(layout, LAYOUT_qstr_name, 8, 16);
	if (layout->members[LAYOUT_file_f_path].known) {
		set_known(layout, LAYOUT_path_mnt, 0, 16);
		set_known(layout, LAYOUT_path_dentry, 8, 16);
	}
	if (layout->members[LAYOUT_sock_common_skc_family].known)
		set_known(layout, LAYOUT_sock___sk_common, 0, layout->types[LAYOUT_TYPE_sock].size);
}

static void take(struct layout *layout, const struct learn *learn)
{
	for (unsigned i = 0; i < LAYOUT_N_MEMBERS; i++) {
		const struct learn_guess *guess = &learn->guesses[i];
		struct layout_member *member = &layout->members[i];
		struct layout_type *type = &layout->types[layout_type_of(i)];

		if (!is_known(guess))
			continue;
		*member = (struct layout_member){ .known = true, .offset = guess->offsets[0] };
		set_size(member, i);
		type->known = true;
		if (type->size < member->offset + member->size)
			type->size = member->offset + member->size;
	}
	take_nested(layout);
	/* a bit of every open file, or of none: 4.19 and el8.1 brought it */
	if (learn->opened && !learn->not_opened)
		layout->words[LAYOUT_WORD_FMODE_OPENED] =
			(struct layout_word){ .known = true, .has_value = true, .value = 0x80000 };
}

struct shared {
	struct learn learn;
	struct report report;
};

static struct shared *share(char *why, size_t why_size)
{
	struct shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (shared != MAP_FAILED)
		return shared;
	snprintf(why, why_size, "no memory to learn the layout of the kernel's structures");
	return NULL;
}

static void explain(const struct shared *shared, char *why, size_t why_size)
{
	if (shared->report.why[0])
		snprintf(why, why_size, "%s", shared->report.why);
	else
		snprintf(why, why_size, "the open files of our own task were not found");
}

int learn_layout(struct layout *layout, const char *tracefs, char *why, size_t why_size)
{
	struct shared *shared = share(why, why_size);
	int err;

	memset(layout, 0, sizeof(*layout));
	layout->is_partial = true;
	if (!shared)
		return -ENOMEM;
	err = start(&shared->learn, tracefs, &shared->report);
	if (!err && (shared->learn.rounds < LEARN_ROUNDS || shared->learn.walks < LEARN_ENOUGH))
		err = -ENOENT;
	if (!err)
		take(layout, &shared->learn);
	else
		explain(shared, why, why_size);
	munmap(shared, sizeof(*shared));
	return err;
}

/* ---- what is known, once more ---- */

/* Each member may lie where it is said to, and nowhere else. */
static void expect(struct learn *learn, const struct layout *layout)
{
	learn->is_check = true;
	for (unsigned i = 0; i < LAYOUT_N_MEMBERS; i++)
		if (layout->members[i].known)
			learn->guesses[i] = (struct learn_guess){
				.offsets = { layout->members[i].offset },
				.n = 1,
				.objects = LEARN_ENOUGH,
			};
}

/* What no object tells of follows from what was learned: places in nested structures, and sizes. */
static bool follows(const struct layout *layout, const struct layout *derived, unsigned i)
{
	const struct layout_member *said = &layout->members[i], *is = &derived->members[i];

	return is->known && said->offset == is->offset && said->size == is->size &&
	       said->is_signed == is->is_signed;
}

static int switch_off(struct layout *layout, const struct learn *learn, const char **denied)
{
	struct layout *derived = calloc(1, sizeof(*derived));
	int n = 0;

	if (!derived)
		return -ENOMEM;
	take(derived, learn);
	for (unsigned i = 0; i < LAYOUT_N_MEMBERS; i++) {
		if (!layout->members[i].known || (learn->walks && follows(layout, derived, i)))
			continue;
		layout->members[i].known = false;
		*denied = layout_member_name(i);
		n++;
	}
	free(derived);
	return n;
}

int learn_check(struct layout *layout, const char *tracefs, const char **denied, char *why,
		size_t why_size)
{
	struct shared *shared = share(why, why_size);
	int err;

	if (!shared)
		return -ENOMEM;
	expect(&shared->learn, layout);
	err = start(&shared->learn, tracefs, &shared->report);
	if (err)
		explain(shared, why, why_size);
	else
		err = switch_off(layout, &shared->learn, denied);
	munmap(shared, sizeof(*shared));
	return err;
}
