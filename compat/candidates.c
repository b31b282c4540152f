/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one table of kernel variation: for every capability the probes that can
 * serve it, best first, with what each needs. Adding a kernel is a row here
 * and, at most, a program in probes/. Sources are named where a choice is not
 * obvious; "seen" means attached and hit on a booted kernel.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "candidates.h"

#define ENTRY(symbol, program) { PROBE_KPROBE, 0, symbol, program }
#define RETURN(symbol, program) { PROBE_KRETPROBE, 0, symbol, program }
#define ENTRY_S(symbol, program) { PROBE_KPROBE, PROBE_SUFFIXES, symbol, program }
#define RETURN_S(symbol, program) { PROBE_KRETPROBE, PROBE_SUFFIXES, symbol, program }
#define TP(event, program) { PROBE_TRACEPOINT, 0, event, program }
#define TP_IF(event, program) { PROBE_TRACEPOINT, PROBE_OPTIONAL, event, program }
#define RAW(event, program) { PROBE_RAW, 0, event, program }
#define CALL(name, program) TP("syscalls:sys_enter_" name, program), \
	TP("syscalls:sys_exit_" name, "io_sc_exit")
#define CALL_IF(name, program) TP_IF("syscalls:sys_enter_" name, program), \
	TP_IF("syscalls:sys_exit_" name, "io_sc_exit")
#define PAIR_CALL(name, program) TP_IF("syscalls:sys_enter_" name, program), \
	TP_IF("syscalls:sys_exit_" name, "io_sc_pair_exit")
#define OPEN_CALL(name, program) TP("syscalls:sys_enter_" name, program), \
	TP("syscalls:sys_exit_" name, "io_sc_open_exit")
#define OPEN_CALL_IF(name, program) TP_IF("syscalls:sys_enter_" name, program), \
	TP_IF("syscalls:sys_exit_" name, "io_sc_open_exit")

#define OP_CALL(name, program) TP("syscalls:sys_enter_" name, program), \
	TP("syscalls:sys_exit_" name, "io_op_exit")
#define OP_CALL_IF(name, program) TP_IF("syscalls:sys_enter_" name, program), \
	TP_IF("syscalls:sys_exit_" name, "io_op_exit")

/* x86 and arm64 skip syscall tracepoints for 32-bit tasks (kernel/trace/trace_syscalls.c, 4.14–7.3). */
#define NOT_32 "32-bit programs are invisible to system-call tracepoints"

static const struct candidate read_plain[] = {
	{ .name = "VFS_READ", .tiers = TIER_A,
	  .probes = { ENTRY("vfs_read", "io_vfs_read"), RETURN("vfs_read", "io_call_ret") } },
	{ .name = "SC_READ", .tiers = TIER_B | TIER_C, .limits = NOT_32,
	  .probes = { CALL("read", "io_sc_read"), CALL_IF("pread64", "io_sc_pread") } },
	{ 0 },
};

static const struct candidate write_plain[] = {
	{ .name = "VFS_WRITE", .tiers = TIER_A,
	  .probes = { ENTRY("vfs_write", "io_vfs_write"), RETURN("vfs_write", "io_call_ret") } },
	{ .name = "SC_WRITE", .tiers = TIER_B | TIER_C, .limits = NOT_32,
	  .probes = { CALL("write", "io_sc_write"), CALL_IF("pwrite64", "io_sc_pwrite") } },
	{ 0 },
};

/* vfs_readv/vfs_writev are static from 5.10 on and still seen on all nine kernels tried. */
static const struct candidate read_vectored[] = {
	{ .name = "VFS_READV", .tiers = TIER_A,
	  .probes = { ENTRY("vfs_readv", "io_vfs_readv"), RETURN("vfs_readv", "io_call_ret") } },
	{ .name = "SC_READV", .tiers = TIER_B | TIER_C, .limits = NOT_32,
	  .probes = { CALL("readv", "io_sc_readv"), CALL_IF("preadv", "io_sc_preadv"),
		      CALL_IF("preadv2", "io_sc_preadv2") } },
	{ 0 },
};

static const struct candidate write_vectored[] = {
	{ .name = "VFS_WRITEV", .tiers = TIER_A,
	  .probes = { ENTRY("vfs_writev", "io_vfs_writev"), RETURN("vfs_writev", "io_call_ret") } },
	{ .name = "SC_WRITEV", .tiers = TIER_B | TIER_C, .limits = NOT_32,
	  .probes = { CALL("writev", "io_sc_writev"), CALL_IF("pwritev", "io_sc_pwritev"),
		      CALL_IF("pwritev2", "io_sc_pwritev2") } },
	{ 0 },
};

/*
 * The kiocb joins start and end. Completion by aio_complete_rw from 4.18 on;
 * before, aio_complete took the kiocb itself.
 */
#define AIO_STARTS \
	ENTRY_S("aio_read", "io_aio_read"), RETURN_S("aio_read", "io_aio_ret"), \
	ENTRY_S("aio_write", "io_aio_write"), RETURN_S("aio_write", "io_aio_ret")
static const struct candidate aio[] = {
	{ .name = "AIO_RW", .tiers = TIER_A,
	  .probes = { AIO_STARTS, ENTRY("aio_complete_rw", "io_aio_complete") } },
	{ .name = "AIO_COMPLETE", .tiers = TIER_A, .needs = { { NEED_NO_SYMBOL, "aio_complete_rw" } },
	  .probes = { AIO_STARTS, ENTRY("aio_complete", "io_aio_complete") } },
	{ 0 },
};

/*
 * A completion names its request from 5.18 on; 5.14–5.17 (and late 5.10.y)
 * name it at submission only; 5.1–5.4 have no tracepoints, but there every
 * read or write ends in io_complete_rw, called through ki_complete.
 */
#define URING_STARTS \
	ENTRY("io_read", "io_uring_read"), RETURN("io_read", "io_uring_ret"), \
	ENTRY("io_write", "io_uring_write"), RETURN("io_write", "io_uring_ret")
static const struct candidate uring[] = {
	{ .name = "URING_REQ", .tiers = TIER_A,
	  .needs = { { NEED_FIELD, "io_uring:io_uring_complete:req" } },
	  .probes = { URING_STARTS, TP("io_uring:io_uring_complete", "io_uring_done") } },
	{ .name = "URING_DATA", .tiers = TIER_A,
	  .limits = "completions are matched by user_data: requests that share one are joined to the last",
	  .needs = { { NEED_FIELD, "io_uring:io_uring_submit_sqe:req" } },
	  .probes = { URING_STARTS, TP("io_uring:io_uring_submit_sqe", "io_uring_submit"),
		      TP("io_uring:io_uring_complete", "io_uring_done") } },
	{ .name = "URING_KIOCB", .tiers = TIER_A,
	  .needs = { { NEED_NO_TRACEPOINT, "io_uring:io_uring_complete" } },
	  .probes = { URING_STARTS, ENTRY("io_complete_rw", "io_uring_kiocb_done") } },
	{ 0 },
};

/* The funnel of all reads and writes, out of line on all nine kernels tried (4.14–7.2). */
static const struct candidate verify_area[] = {
	{ .name = "VERIFY_AREA", .tiers = TIER_A,
	  .probes = { ENTRY("rw_verify_area", "io_verify_area") } },
	{ 0 },
};

/*
 * do_sys_openat2 is behind open, openat, openat2, creat and their 32-bit forms
 * from 5.6 on, do_sys_open before; both return the descriptor or the error.
 */
static const struct candidate open_calls[] = {
	{ .name = "DO_SYS_OPENAT2", .tiers = TIER_A,
	  .probes = { ENTRY("do_sys_openat2", "io_do_sys_openat2"),
		      RETURN("do_sys_openat2", "io_open_ret") } },
	{ .name = "DO_SYS_OPEN", .tiers = TIER_A, .needs = { { NEED_NO_SYMBOL, "do_sys_openat2" } },
	  .probes = { ENTRY("do_sys_open", "io_do_sys_open"), RETURN("do_sys_open", "io_open_ret") } },
	{ .name = "SC_OPEN", .tiers = TIER_B | TIER_C, .limits = NOT_32,
	  .probes = { OPEN_CALL("openat", "io_sc_openat"), OPEN_CALL_IF("open", "io_sc_open"),
		      OPEN_CALL_IF("creat", "io_sc_creat"), OPEN_CALL_IF("openat2", "io_sc_openat2") } },
	{ 0 },
};

/*
 * One CLOSE per open file description: __fput runs when the last reference
 * goes (seen on all nine kernels). From system calls user space counts them.
 */
static const struct candidate close_calls[] = {
	{ .name = "FPUT", .tiers = TIER_A,
	  .probes = { ENTRY("__fput", "io_fput"), RETURN("__fput", "io_fput_ret") } },
	{ .name = "SC_CLOSE", .tiers = TIER_B | TIER_C,
	  .limits = NOT_32 "; a descriptor sent over a socket counts as its sender's only",
	  .probes = { CALL("close", "io_sc_close"), CALL_IF("close_range", "io_sc_close_range") } },
	{ 0 },
};

/*
 * do_fsync is a symbol on 6.12 and later builds and inlined before; vfs_fsync
 * is never reached from the system calls, vfs_fsync_range on some kernels.
 */
#define DO_FSYNC_PROBES { ENTRY("do_fsync", "io_do_fsync"), RETURN("do_fsync", "io_call_ret") }
#define FSYNC_RANGE_PROBES { ENTRY("vfs_fsync_range", "io_vfs_fsync_range"), \
			     RETURN("vfs_fsync_range", "io_call_ret") }
static const struct candidate fsync_calls[] = {
	{ .name = "DO_FSYNC", .tiers = TIER_A, .probes = DO_FSYNC_PROBES },
	{ .name = "SC_FSYNC", .tiers = TIER_A | TIER_B | TIER_C, .limits = NOT_32,
	  .probes = { CALL("fsync", "io_sc_fsync") } },
	{ .name = "VFS_FSYNC_RANGE", .tiers = TIER_A,
	  .limits = "also shows msync and O_SYNC writes; misses fsync where the kernel inlined it",
	  .probes = FSYNC_RANGE_PROBES },
	{ 0 },
};

static const struct candidate fdatasync_calls[] = {
	{ .name = "DO_FSYNC", .tiers = TIER_A, .probes = DO_FSYNC_PROBES },
	{ .name = "SC_FDATASYNC", .tiers = TIER_A | TIER_B | TIER_C, .limits = NOT_32,
	  .probes = { CALL("fdatasync", "io_sc_fdatasync") } },
	{ .name = "VFS_FSYNC_RANGE", .tiers = TIER_A,
	  .limits = "misses fdatasync where the kernel inlined it", .probes = FSYNC_RANGE_PROBES },
	{ 0 },
};

/*
 * All other operations begin and end with their system call, in every tier: so
 * each call is one row, failed ones included, whatever way the kernel takes.
 * On a kernel without system-call tracepoints the planner takes the functions
 * behind the calls instead, which are never inlined (the call table names
 * them), unlike do_mmap, do_sendfile or vfs_fallocate on one build or another.
 * What the kernel found under a name is filled in by NAMED. The *at forms are
 * there on every architecture, the others on some.
 */
#define OP_CANDIDATE_WITH(limits_, variable, use, ...) \
	static const struct candidate variable[] = { \
		{ .name = use, .tiers = TIER_A | TIER_B | TIER_C, .limits = limits_, \
		  .probes = { __VA_ARGS__ } }, \
		{ 0 }, \
	}
#define OP_CANDIDATE(...) \
	OP_CANDIDATE_WITH(NOT_32 "; requests of io_uring are not seen", __VA_ARGS__)
/* where NAMED is chosen, it begins what no system call began */
#define NAME_CANDIDATE(...) \
	OP_CANDIDATE_WITH("32-bit programs and io_uring are seen only with kprobes", __VA_ARGS__)

NAME_CANDIDATE(unlink_calls, "SC_UNLINK",
	OP_CALL("unlinkat", "io_sc_unlinkat"), OP_CALL_IF("unlink", "io_sc_unlink"));
NAME_CANDIDATE(rmdir_calls, "SC_RMDIR",
	OP_CALL("unlinkat", "io_sc_unlinkat"), OP_CALL_IF("rmdir", "io_sc_rmdir"));
NAME_CANDIDATE(mkdir_calls, "SC_MKDIR",
	OP_CALL("mkdirat", "io_sc_mkdirat"), OP_CALL_IF("mkdir", "io_sc_mkdir"));
NAME_CANDIDATE(symlink_calls, "SC_SYMLINK",
	OP_CALL("symlinkat", "io_sc_symlinkat"), OP_CALL_IF("symlink", "io_sc_symlink"));
NAME_CANDIDATE(link_calls, "SC_LINK",
	OP_CALL("linkat", "io_sc_linkat"), OP_CALL_IF("link", "io_sc_link"));
NAME_CANDIDATE(rename_calls, "SC_RENAME",
	OP_CALL("renameat2", "io_sc_renameat2"), OP_CALL_IF("renameat", "io_sc_renameat"),
	OP_CALL_IF("rename", "io_sc_rename"));
NAME_CANDIDATE(truncate_calls, "SC_TRUNCATE",
	OP_CALL("ftruncate", "io_sc_ftruncate"), OP_CALL_IF("truncate", "io_sc_truncate"));
OP_CANDIDATE(chdir_calls, "SC_CHDIR",
	OP_CALL("chdir", "io_sc_chdir"), OP_CALL("fchdir", "io_sc_fchdir"));
NAME_CANDIDATE(getattr_calls, "SC_GETATTR",
	OP_CALL("newfstatat", "io_sc_fstatat"), OP_CALL("newfstat", "io_sc_fstat"),
	OP_CALL_IF("statx", "io_sc_statx"), OP_CALL_IF("newstat", "io_sc_stat"),
	OP_CALL_IF("newlstat", "io_sc_stat"));
NAME_CANDIDATE(setattr_calls, "SC_SETATTR",
	OP_CALL("fchmodat", "io_sc_fchmodat"), OP_CALL("fchmod", "io_sc_fchmod"),
	OP_CALL("fchownat", "io_sc_fchownat"), OP_CALL("fchown", "io_sc_fchown"),
	OP_CALL("utimensat", "io_sc_utimensat"), OP_CALL_IF("fchmodat2", "io_sc_fchmodat2"),
	OP_CALL_IF("chmod", "io_sc_chmod"), OP_CALL_IF("chown", "io_sc_chown"),
	OP_CALL_IF("lchown", "io_sc_chown"), OP_CALL_IF("utime", "io_sc_utime"),
	OP_CALL_IF("utimes", "io_sc_utime"), OP_CALL_IF("futimesat", "io_sc_futimesat"));
OP_CANDIDATE(readdir_calls, "SC_READDIR",
	OP_CALL("getdents64", "io_sc_getdents"), OP_CALL_IF("getdents", "io_sc_getdents"));
OP_CANDIDATE(fallocate_calls, "SC_FALLOCATE", OP_CALL("fallocate", "io_sc_fallocate"));
OP_CANDIDATE(sync_calls, "SC_SYNC",
	{ PROBE_TRACEPOINT, PROBE_NO_ARGS, "syscalls:sys_enter_sync", "io_sc_sync" },
	{ PROBE_TRACEPOINT, PROBE_NO_ARGS, "syscalls:sys_exit_sync", "io_op_exit" },
	OP_CALL("syncfs", "io_sc_syncfs"));
/* 64-bit sendfile is traced under the name sendfile64 (seen on all nine kernels). */
OP_CANDIDATE(sendfile_calls, "SC_SENDFILE", OP_CALL("sendfile64", "io_sc_sendfile"));
OP_CANDIDATE(splice_calls, "SC_SPLICE", OP_CALL("splice", "io_sc_splice"));
OP_CANDIDATE(vmsplice_calls, "SC_VMSPLICE", OP_CALL("vmsplice", "io_sc_vmsplice"));
OP_CANDIDATE(tee_calls, "SC_TEE", OP_CALL("tee", "io_sc_tee"));
OP_CANDIDATE(copy_calls, "SC_COPY_FILE_RANGE",
	OP_CALL("copy_file_range", "io_sc_copy_file_range"));
OP_CANDIDATE(sync_range_calls, "SC_SYNC_FILE_RANGE",
	OP_CALL("sync_file_range", "io_sc_sync_file_range"));
OP_CANDIDATE(fadvise_calls, "SC_FADVISE", OP_CALL("fadvise64", "io_sc_fadvise"));
OP_CANDIDATE(readahead_calls, "SC_READAHEAD", OP_CALL("readahead", "io_sc_readahead"));
OP_CANDIDATE(mmap_calls, "SC_MMAP", OP_CALL("mmap", "io_sc_mmap"));
OP_CANDIDATE(munmap_calls, "SC_MUNMAP", OP_CALL("munmap", "io_sc_munmap"));
OP_CANDIDATE(mremap_calls, "SC_MREMAP", OP_CALL("mremap", "io_sc_mremap"));
OP_CANDIDATE(msync_calls, "SC_MSYNC", OP_CALL("msync", "io_sc_msync"));
OP_CANDIDATE(madvise_calls, "SC_MADVISE", OP_CALL("madvise", "io_sc_madvise"));

/*
 * Functions between the call and the file system, all called from another
 * file or seen on all nine kernels. rmdir(2) enters vfs_rmdir.part.N where the
 * compiler split it (4.14 to Debian's 5.10).
 */
#define NAMED(symbol, program, flags) \
	{ PROBE_KPROBE, PROBE_OPTIONAL | (flags), symbol, program }, \
	{ PROBE_KRETPROBE, PROBE_OPTIONAL | (flags), symbol, program "_ret" }
static const struct candidate named_files[] = {
	{ .name = "NAMED", .tiers = TIER_A,
	  .probes = { ENTRY("mnt_want_write", "io_mnt_want_write"),
		      NAMED("vfs_unlink", "io_vfs_unlink", 0), NAMED("vfs_rmdir", "io_vfs_rmdir", PROBE_PARTS),
		      NAMED("vfs_mkdir", "io_vfs_mkdir", 0), NAMED("vfs_symlink", "io_vfs_symlink", 0),
		      NAMED("vfs_link", "io_vfs_link", 0), NAMED("vfs_rename", "io_vfs_rename", 0),
		      NAMED("vfs_getattr_nosec", "io_vfs_getattr", 0),
		      NAMED("vfs_truncate", "io_vfs_truncate", 0),
		      NAMED("notify_change", "io_notify_change", 0) } },
	{ 0 },
};

static const struct candidate follow_descriptors[] = {
	{ .name = "SC_FOLLOW", .tiers = TIER_B | TIER_C,
	  .probes = { CALL("lseek", "io_sc_lseek"), CALL("dup", "io_sc_dup"),
		      CALL_IF("dup2", "io_sc_dup"), CALL_IF("dup3", "io_sc_dup3"),
		      CALL("fcntl", "io_sc_fcntl"), CALL_IF("memfd_create", "io_sc_memfd") } },
	{ 0 },
};

/* Descriptors of what is no file, so that reads and writes of them are known to be out of scope. */
static const struct candidate other_descriptors[] = {
	{ .name = "SC_NEWFD", .tiers = TIER_C,
	  .probes = { CALL_IF("socket", "io_sc_newfd"), CALL_IF("accept", "io_sc_newfd"),
		      CALL_IF("accept4", "io_sc_newfd"), CALL_IF("eventfd2", "io_sc_newfd"),
		      CALL_IF("epoll_create1", "io_sc_newfd"), CALL_IF("timerfd_create", "io_sc_newfd"),
		      CALL_IF("signalfd4", "io_sc_newfd"), CALL_IF("inotify_init1", "io_sc_newfd"),
		      CALL_IF("pidfd_open", "io_sc_newfd"), CALL_IF("io_uring_setup", "io_sc_newfd"),
		      CALL_IF("bpf", "io_sc_newfd"), CALL_IF("perf_event_open", "io_sc_newfd"),
		      PAIR_CALL("pipe", "io_sc_pipe"), PAIR_CALL("pipe2", "io_sc_pipe"),
		      PAIR_CALL("socketpair", "io_sc_socketpair") } },
	{ 0 },
};

/*
 * Where these are no symbols, and in tier b, the exit of a rename does their
 * work (io_op_exit). d_move and d_exchange are called from another file (fs/namei.c), so never inlined. */
static const struct candidate moved_directories[] = {
	{ .name = "D_MOVE", .tiers = TIER_A,
	  .probes = { ENTRY("d_move", "io_d_move"), RETURN("d_move", "io_d_move_ret"),
		      ENTRY("d_exchange", "io_d_move"), RETURN("d_exchange", "io_d_move_ret") } },
	{ .name = "RENAME_EXIT", .tiers = TIER_B,
	  .probes = { TP("syscalls:sys_exit_renameat2", "io_op_exit") } },
	{ 0 },
};

static const struct candidate moved_mounts[] = {
	{ .name = "SC_MOUNT", .tiers = TIER_A | TIER_B,
	  .probes = { TP("syscalls:sys_exit_mount", "io_names_moved"),
		      TP("syscalls:sys_exit_umount", "io_names_moved"),
		      TP_IF("syscalls:sys_exit_pivot_root", "io_names_moved"),
		      TP_IF("syscalls:sys_exit_move_mount", "io_names_moved") } },
	{ 0 },
};

/* task_newtask carries the clone flags, which tell a thread from a process; sched_process_fork does not. */
static const struct candidate fork_events[] = {
	{ .name = "NEWTASK", .tiers = TIER_B | TIER_C,
	  .probes = { TP("task:task_newtask", "io_newtask") } },
	{ 0 },
};

static const struct candidate exec_events[] = {
	{ .name = "EXEC", .tiers = TIER_B, .limits = "failed exec calls are not shown",
	  .probes = { TP("sched:sched_process_exec", "io_exec") } },
	{ .name = "SC_EXECVE", .tiers = TIER_C,
	  .limits = "at most 24 arguments, and none of an exec by a 32-bit program",
	  .probes = { TP("sched:sched_process_exec", "io_exec"),
		      TP("syscalls:sys_enter_execve", "io_sc_execve"),
		      TP("syscalls:sys_exit_execve", "io_sc_execve_exit"),
		      TP_IF("syscalls:sys_enter_execveat", "io_sc_execveat"),
		      TP_IF("syscalls:sys_exit_execveat", "io_sc_execve_exit") } },
	/* 4.14 has no tracepoints for execve */
	{ .name = "EXEC", .tiers = TIER_C, .limits = "command lines and failed exec calls are not shown",
	  .probes = { TP("sched:sched_process_exec", "io_exec") } },
	{ 0 },
};

static const struct candidate exit_events[] = {
	{ .name = "EXIT", .tiers = TIER_B | TIER_C,
	  .probes = { TP("sched:sched_process_exit", "io_exit"),
		      TP("sched:sched_process_free", "io_free") } },
	{ 0 },
};

/* Without headers the exit status is the argument of exit_group; a signal's is not known. */
static const struct candidate exit_status[] = {
	{ .name = "SC_EXIT", .tiers = TIER_C,
	  .probes = { TP("syscalls:sys_enter_exit_group", "io_sc_exit_group") } },
	{ 0 },
};

/*
 * Fields dev, sector, nr_sector, bytes, rwbs, error have kept their names from
 * 4.14 to 7.3; offsets and the length of rwbs moved, so the format decides.
 * Completions interrupt other programs, and would be skipped: from 4.17 (and in
 * el8) on they are seen as raw tracepoints, which also
 * name the request. The order counts: a raw program joins what the one before
 * it on the same event has read.
 */
#define BLOCK_PROBES \
	TP("block:block_rq_issue", "io_rq_issue"), \
	TP("block:block_rq_insert", "io_rq_insert"), TP("block:block_rq_requeue", "io_rq_requeue"), \
	TP("block:block_bio_queue", "io_bio_queue"), \
	TP("block:block_bio_backmerge", "io_bio_backmerge"), \
	TP("block:block_bio_frontmerge", "io_bio_frontmerge"), TP("block:block_split", "io_bio_split")
static const struct candidate requests[] = {
	{ .name = "BLOCK_RAW", .tiers = TIER_B | TIER_C, .needs = { { NEED_FACT, "RAW_TRACEPOINT" } },
	  .probes = { BLOCK_PROBES, RAW("block:block_rq_issue", "io_raw_issue"),
		      RAW("block:block_rq_complete", "io_raw_complete") } },
	{ .name = "BLOCK", .tiers = TIER_B | TIER_C,
	  .limits = "a completion that interrupts another probe is lost, and counted as a request that did not complete",
	  .probes = { BLOCK_PROBES, TP("block:block_rq_complete", "io_rq_complete") } },
	{ 0 },
};

/* 5.9 and el8.5 (f3bdc62fd82e); before, an entry of a merged request ages out. */
static const struct candidate request_merges[] = {
	{ .name = "BLOCK_MERGE", .tiers = TIER_B | TIER_C,
	  .probes = { TP("block:block_rq_merge", "io_rq_merge") } },
	{ 0 },
};

/*
 * The page cache. The tracepoints of adding and deleting stand in the one
 * function that every path uses (truncation deletes in batches since 4.15,
 * past the functions for single pages). As raw ones they bring the page or folio, of
 * which headers tell the rest: whether it is a regular file's, and its size.
 * Functions of folios come before those of pages of the same work, which are
 * wrappers of them from 5.16 on: exactly one of them is chosen.
 */
static const struct candidate cache_hits[] = {
	{ .name = "MARK_ACCESSED", .tiers = TIER_A,
	  .limits = "reads of the same page in a row are one hit; also of pages just written",
	  .probes = { ENTRY("folio_mark_accessed", "io_cache_hit") } },
	{ .name = "MARK_ACCESSED", .tiers = TIER_A, .needs = { { NEED_NO_SYMBOL, "folio_mark_accessed" } },
	  .limits = "reads of the same page in a row are one hit; also of pages just written",
	  .probes = { ENTRY("mark_page_accessed", "io_cache_hit") } },
	/* seen in 6.12, not in 6.1 */
	{ .name = "FILEMAP_GET", .tiers = TIER_B | TIER_C,
	  .limits = "pages that a read asked for, beyond the end of the file, too; a read that ends "
		    "where the one before did, and starts behind it, is taken for the rest of that one",
	  .probes = { TP("filemap:mm_filemap_get_pages", "io_cache_lookup") } },
	{ 0 },
};

#define BY_MAPPING .needs = { { NEED_FACT, "RAW_TRACEPOINT" } }
static const struct candidate cache_adds[] = {
	{ .name = "CACHE_ADD_RAW", .tiers = TIER_B, BY_MAPPING,
	  .probes = { RAW("filemap:mm_filemap_add_to_page_cache", "io_cache_add_raw") } },
	{ .name = "CACHE_ADD", .tiers = TIER_B | TIER_C, .limits = "without the size of the file",
	  .probes = { TP("filemap:mm_filemap_add_to_page_cache", "io_cache_add") } },
	{ 0 },
};

#define DELETE_RAW RAW("filemap:mm_filemap_delete_from_page_cache", "io_cache_delete_raw")
#define DELETE_TP TP("filemap:mm_filemap_delete_from_page_cache", "io_cache_delete")
static const struct candidate cache_deletes[] = {
	{ .name = "CACHE_DELETE_RAW", .tiers = TIER_B, BY_MAPPING, .probes = { DELETE_RAW } },
	{ .name = "CACHE_DELETE", .tiers = TIER_B | TIER_C, .limits = "without the size of the file",
	  .probes = { DELETE_TP } },
	{ 0 },
};

/* drop_pagecache_sb is called by pointer, once for each file system: never inlined. */
static const struct candidate cache_drops[] = {
	{ .name = "DROP", .tiers = TIER_A,
	  .probes = { ENTRY("drop_pagecache_sb", "io_drop"), RETURN("drop_pagecache_sb", "io_drop_ret") } },
	{ 0 },
};

/*
 * Stands at the top of account_page_dirtied and of what became of it: a clean
 * page has become a dirty one.
 */
static const struct candidate cache_dirtied[] = {
	{ .name = "DIRTY_RAW", .tiers = TIER_B, BY_MAPPING,
	  .probes = { RAW("writeback:writeback_dirty_folio", "io_cache_dirty_raw") } },
	{ .name = "DIRTY_RAW", .tiers = TIER_B, BY_MAPPING,
	  .probes = { RAW("writeback:writeback_dirty_page", "io_cache_dirty_raw") } },
	{ .name = "ACCOUNT_DIRTIED", .tiers = TIER_A,
	  .probes = { ENTRY("account_page_dirtied", "io_account_dirtied") } },
#define OF_A_DISK "a folio counts as one page; the device is known where the file system has a disk of its own"
	{ .name = "DIRTY_FOLIO", .tiers = TIER_B | TIER_C, .limits = OF_A_DISK,
	  .probes = { TP("writeback:writeback_dirty_folio", "io_cache_dirty") } },
	{ .name = "DIRTY_PAGE", .tiers = TIER_B | TIER_C, .limits = OF_A_DISK,
	  .probes = { TP("writeback:writeback_dirty_page", "io_cache_dirty") } },
	{ 0 },
};

/*
 * PG_writeback set and cleared, in one function each, so both always pair:
 * clear_page_dirty_for_io comes earlier, and not always before a write.
 */
static const struct candidate cache_writeback[] = {
	{ .name = "WRITEBACK", .tiers = TIER_A,
	  .probes = { ENTRY("__folio_start_writeback", "io_writeback_start"),
		      ENTRY("__folio_end_writeback", "io_writeback_end") } },
	{ .name = "WRITEBACK", .tiers = TIER_A,
	  .probes = { ENTRY("__test_set_page_writeback", "io_writeback_start"),
		      ENTRY("test_clear_page_writeback", "io_writeback_end") } },
	{ 0 },
};

/*
 * The functions that take ranges away; some call each other on one kernel or
 * another, and only the outermost counts.
 */
#define RANGE_FUNCTION(symbol, program, flags) \
	{ PROBE_KPROBE, flags, symbol, program }, { PROBE_KRETPROBE, flags, symbol, "io_range_ret" }
#define RANGE_IF(symbol) RANGE_FUNCTION(symbol, "io_invalidate_range", PROBE_OPTIONAL)
static const struct candidate cache_ranges[] = {
	{ .name = "INVALIDATE", .tiers = TIER_A,
	  .probes = { RANGE_FUNCTION("truncate_inode_pages_range", "io_truncate_range", 0),
		      RANGE_IF("invalidate_inode_pages2_range"), RANGE_IF("invalidate_mapping_pages"),
		      RANGE_IF("invalidate_mapping_pagevec"), RANGE_IF("mapping_try_invalidate") } },
	{ 0 },
};

/*
 * page_cache_ra_order (5.18 on) goes on in page_cache_ra_unbounded (5.10 on)
 * where there are no large folios. do_page_cache_ra is inlined on some builds.
 */
static const struct candidate cache_readahead[] = {
	{ .name = "RA_CONTROL", .tiers = TIER_A,
	  .probes = { ENTRY("page_cache_ra_unbounded", "io_ra_unbounded"),
		      { PROBE_KPROBE, PROBE_OPTIONAL, "page_cache_ra_order", "io_ra_order" },
		      { PROBE_KRETPROBE, PROBE_OPTIONAL, "page_cache_ra_order", "io_ra_order_ret" } } },
	/* 5.8, 5.9 */
	{ .name = "RA_PAGES", .tiers = TIER_A,
	  .probes = { ENTRY("page_cache_readahead_unbounded", "io_ra_pages") } },
	{ .name = "RA_PAGES", .tiers = TIER_A, .needs = { { NEED_NO_SYMBOL, "page_cache_ra_unbounded" } },
	  .probes = { ENTRY("__do_page_cache_readahead", "io_ra_pages") } },
	/* seen in 6.18, not in 6.12 */
	{ .name = "RA_EVENTS", .tiers = TIER_B | TIER_C, .limits = "requests may reach beyond the end of the file",
	  .probes = { TP("readahead:page_cache_ra_unbounded", "io_ra_unbounded_event"),
		      TP("readahead:page_cache_ra_order", "io_ra_order_event") } },
	{ 0 },
};

/* shrink_page_list returns anonymous pages, too; the event tells which list it was. */
static const struct candidate cache_reclaim[] = {
	{ .name = "SHRINK_INACTIVE", .tiers = TIER_B | TIER_C,
	  .limits = "some kernels with multi-generational LRU switched on do not tell",
	  .probes = { TP("vmscan:mm_vmscan_lru_shrink_inactive", "io_shrink_inactive") } },
	{ 0 },
};

/*
 * handle_mm_fault sees every fault with its result; filemap_fault would miss
 * those that map cached pages around (filemap_map_pages). x86 tells of faults by an event.
 */
static const struct candidate faults[] = {
	{ .name = "HANDLE_MM_FAULT", .tiers = TIER_A,
	  .probes = { ENTRY("handle_mm_fault", "io_mm_fault"), RETURN("handle_mm_fault", "io_mm_fault_ret") } },
	{ .name = "PAGE_FAULT_USER", .tiers = TIER_B | TIER_C,
	  .limits = "major and minor are not told apart; the file is looked up afterwards",
	  .probes = { TP("exceptions:page_fault_user", "io_fault_user"),
		      TP("exceptions:page_fault_kernel", "io_fault_kernel") } },
	{ 0 },
};

#define WITH_HEADERS "VFS_READ VFS_WRITE FPUT DO_SYS_OPENAT2 DO_SYS_OPEN SC_READ SC_WRITE SC_OPEN SC_CLOSE HANDLE_MM_FAULT"
/* streams that name files by what others did with them */
#define WITH_PAGES "CACHE_ADD CACHE_ADD_RAW MARK_ACCESSED PAGE_FAULT_USER HANDLE_MM_FAULT"

const struct capability capabilities[] = {
	{ "fs", "READ", "", NULL, "read, pread", read_plain },
	{ "fs", "READ", "vectored", NULL, "readv, preadv, preadv2", read_vectored },
	{ "fs", "READ", "aio", NULL, "io_submit", aio },
	{ "fs", "READ", "io_uring", NULL, "io_uring reads", uring },
	{ "fs", "WRITE", "", NULL, "write, pwrite", write_plain },
	{ "fs", "WRITE", "vectored", NULL, "writev, pwritev, pwritev2", write_vectored },
	{ "fs", "WRITE", "aio", NULL, "io_submit", aio },
	{ "fs", "WRITE", "io_uring", NULL, "io_uring writes", uring },
	{ "fs", "OPEN", "", NULL, "open, openat, openat2, creat", open_calls },
	{ "fs", "CLOSE", "", NULL, "the last reference to an open file goes", close_calls },
	{ "fs", "FSYNC", "", NULL, "fsync", fsync_calls },
	{ "fs", "FDATASYNC", "", NULL, "fdatasync", fdatasync_calls },
	{ "fs", "MMAP", "", NULL, "mmap of files", mmap_calls },
	{ "fs", "MUNMAP", "", NULL, "munmap of files", munmap_calls },
	{ "fs", "MREMAP", "", NULL, "mremap of mapped files", mremap_calls },
	{ "fs", "MSYNC", "", NULL, "msync", msync_calls },
	{ "fs", "MADVISE", "", NULL, "madvise on mapped files", madvise_calls },
	{ "fs", "GETATTR", "", NULL, "stat, lstat, fstat, fstatat, statx", getattr_calls },
	{ "fs", "SETATTR", "", NULL, "chmod, chown, utimes and their kin", setattr_calls },
	{ "fs", "CHDIR", "", NULL, "chdir, fchdir", chdir_calls },
	{ "fs", "READDIR", "", NULL, "getdents, getdents64", readdir_calls },
	{ "fs", "UNLINK", "", NULL, "unlink, unlinkat", unlink_calls },
	{ "fs", "TRUNCATE", "", NULL, "truncate, ftruncate", truncate_calls },
	{ "fs", "SYNC", "", NULL, "sync, syncfs", sync_calls },
	{ "fs", "RENAME", "", NULL, "rename, renameat, renameat2", rename_calls },
	{ "fs", "MKDIR", "", NULL, "mkdir, mkdirat", mkdir_calls },
	{ "fs", "RMDIR", "", NULL, "rmdir, unlinkat", rmdir_calls },
	{ "fs", "LINK", "", NULL, "link, linkat", link_calls },
	{ "fs", "SYMLINK", "", NULL, "symlink, symlinkat", symlink_calls },
	{ "fs", "FALLOCATE", "", NULL, "fallocate", fallocate_calls },
	{ "fs", "SENDFILE", "", NULL, "sendfile", sendfile_calls },
	{ "fs", "SPLICE", "", NULL, "splice from and to files", splice_calls },
	{ "fs", "VMSPLICE", "", NULL, "vmsplice", vmsplice_calls },
	{ "fs", "COPY_FILE_RANGE", "", NULL, "copy_file_range (--extra-ops)", copy_calls },
	{ "fs", "TEE", "", NULL, "tee (--extra-ops)", tee_calls },
	{ "fs", "SYNC_FILE_RANGE", "", NULL, "sync_file_range (--extra-ops)", sync_range_calls },
	{ "fs", "FADVISE", "", NULL, "posix_fadvise (--extra-ops)", fadvise_calls },
	{ "fs", "READAHEAD", "", NULL, "readahead (--extra-ops)", readahead_calls },
	{ "ds", "REQUEST", "", NULL, "block requests from queue to completion", requests },
	{ "cache", "HIT", "", NULL, "pages found in the cache", cache_hits },
	{ "cache", "MISS", "", NULL, "pages added to the cache", cache_adds },
	{ "cache", "DIRTY", "", NULL, "clean pages that become dirty", cache_dirtied },
	{ "cache", "WRITEBACK_START", "", NULL, "pages taken for write-back", cache_writeback },
	{ "cache", "WRITEBACK_END", "", NULL, "pages whose write-back has finished", cache_writeback },
	{ "cache", "EVICT", "", NULL, "pages that leave the cache", cache_deletes },
	{ "cache", "INVALIDATE", "", NULL, "ranges truncated or invalidated", cache_ranges },
	{ "cache", "DROP", "", "CACHE_DELETE CACHE_DELETE_RAW", "pages removed by drop_caches", cache_drops },
	{ "cache", "READAHEAD", "", NULL, "pages requested ahead", cache_readahead },
	{ "cache", "RECLAIM", "", NULL, "passes over the inactive file pages", cache_reclaim },
	{ "pagefault", "MINOR", "", NULL, "faults served from memory", faults },
	{ "pagefault", "MAJOR", "", NULL, "faults that had to wait for the disk", faults },
	{ "exec", "FORK", "", NULL, "new processes", fork_events },
	{ "exec", "EXEC", "", NULL, "new programs", exec_events },
	{ "exec", "EXIT", "", NULL, "ended processes", exit_events },
	{ "-", "SIZES", "", "VFS_READV VFS_WRITEV AIO_RW AIO_COMPLETE URING_REQ URING_DATA URING_KIOCB",
	  "bytes and position of vectored and asynchronous calls", verify_area },
	{ "-", "NAMES", "", "SC_UNLINK SC_RENAME SC_MKDIR SC_GETATTR SC_SETATTR SC_TRUNCATE",
	  "inode and real path of what a call names", named_files },
	{ "-", "FILES", "open", WITH_PAGES, "names of files for cache and pagefault", open_calls },
	{ "-", "FILES", "close", WITH_PAGES, "names of files for cache and pagefault", close_calls },
	{ "-", "MAPPINGS", "new", "PAGE_FAULT_USER", "files at addresses", mmap_calls },
	{ "-", "MAPPINGS", "moved", "PAGE_FAULT_USER", "files at addresses", mremap_calls },
	{ "-", "MAPPINGS", "gone", "PAGE_FAULT_USER", "files at addresses", munmap_calls },
	{ "-", "DESCRIPTORS", "", "SC_CLOSE", "what follows descriptors from system calls",
	  follow_descriptors },
	{ "-", "DESCRIPTORS", "other", "SC_CLOSE", "descriptors of what is no file", other_descriptors },
	{ "-", "DIRECTORIES", "", WITH_HEADERS, "names below a renamed directory", moved_directories },
	{ "-", "MOUNTS", "", WITH_HEADERS, "names below a changed mount", moved_mounts },
	{ "-", "PROCESSES", "new", NULL, "children of traced processes", fork_events },
	{ "-", "PROCESSES", "program", "SC_CLOSE", "descriptors closed by exec", exec_events },
	{ "-", "PROCESSES", "end", NULL, "descriptors closed by exit", exit_events },
	{ "-", "STATUS", "", "EXIT", "exit status", exit_status },
	{ "-", "MERGES", "", "BLOCK BLOCK_RAW", "requests merged into others", request_merges },
};
const size_t n_capabilities = sizeof(capabilities) / sizeof(capabilities[0]);
