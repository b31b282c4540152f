/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one table of kernel variation: for every capability the probes that can
 * serve it, best first, with what each needs. Adding a kernel is a row in one of the
 * .def files and, at most, a program in probes/. Sources are named where a choice is not
 * obvious; "seen" means attached and hit on a booted kernel.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "compat/candidates.h"

/* clang-format off */
#define ENTRY(symbol, program) { PROBE_KPROBE, 0, symbol, program }
#define RETURN(symbol, program) { PROBE_KRETPROBE, 0, symbol, program }
#define ENTRY_S(symbol, program) { PROBE_KPROBE, PROBE_SUFFIXES, symbol, program }
#define RETURN_S(symbol, program) { PROBE_KRETPROBE, PROBE_SUFFIXES, symbol, program }
#define TP(event, program) { PROBE_TRACEPOINT, 0, event, program }
#define TP_IF(event, program) { PROBE_TRACEPOINT, PROBE_OPTIONAL, event, program }
#define ENTRY_IRQ(symbol, program) { PROBE_KPROBE, PROBE_INTERRUPTS, symbol, program }
#define ENTRY_SHOWS(symbol, program) { PROBE_KPROBE, PROBE_SKIP_SHOWS, symbol, program }
#define TP_IRQ(event, program) { PROBE_TRACEPOINT, PROBE_INTERRUPTS, event, program }
#define TP_SHOWS(event, program) { PROBE_TRACEPOINT, PROBE_SKIP_SHOWS, event, program }
#define RAW_IRQ(event, program) { PROBE_RAW, PROBE_INTERRUPTS, event, program }
#define RAW(event, program) { PROBE_RAW, PROBE_SKIP_SHOWS, event, program }
/* Their end is found by the next beginning, or by what the beginning left. */
#define TP_EXIT(call, program) { PROBE_TRACEPOINT, PROBE_SKIP_SHOWS, "syscalls:sys_exit_" call, program }
#define TP_EXIT_IF(call, program) \
	{ PROBE_TRACEPOINT, PROBE_OPTIONAL | PROBE_SKIP_SHOWS, "syscalls:sys_exit_" call, program }
#define NEEDS_FACT(name) { .kind = NEED_FACT, .fact = FACT_##name }
/* clang-format on */
/*
 * The kernel skips a program that interrupts another one, but for raw ones. What these send must
 * not get into what the interrupted one is sending.
 */
#define RAW_SENDS NEEDS_FACT(RAW_TRACEPOINT), NEEDS_FACT(RAW_NESTS)

/* What is not always there where the layout was learned */
#define READS_SOCKETS                                                                                                \
	{                                                                                                            \
		.kind = NEED_MEMBERS,                                                                                \
		.what = "file.private_data socket.type socket.sk sock.sk_socket sock.sk_err sock_common.skc_family " \
			"sock_common.skc_state sock_common.skc_num sock_common.skc_dport sock_common.skc_daddr "     \
			"sock_common.skc_rcv_saddr sock_common.skc_prot proto.name inet_sock.inet_sport"             \
	}
#define READS_PACKETS                                                                                                    \
	{                                                                                                                \
		.kind = NEED_MEMBERS,                                                                                    \
		.what = "sk_buff.head sk_buff.data sk_buff.len sk_buff.data_len sk_buff.network_header sk_buff.protocol" \
	}
#define READS_PAGES                                                                                \
	{                                                                                          \
		.kind = NEED_MEMBERS,                                                              \
		.what = "address_space.host page.flags page.mapping page.compound_head"            \
	}
#define READS_BIOS                                                                                 \
	{                                                                                          \
		.kind = NEED_MEMBERS,                                                              \
		.what = "request.bio request.biotail bio.bi_iter bio.bi_io_vec bio.bi_private "    \
			"bio_vec.bv_page page.flags page.mapping "                                 \
			"address_space.host inode.i_mapping"                                       \
	}

/* x86 and arm64 skip syscall tracepoints for 32-bit tasks (kernel/trace/trace_syscalls.c, 4.14–7.3). */
#define NOT_32 "32-bit programs are invisible to system-call tracepoints"

#include "compat/candidates_uring.def"
#include "compat/candidates_fs.def"
#include "compat/candidates_tasks.def"
#include "compat/candidates_block.def"
#include "compat/candidates_pages.def"
#include "compat/candidates_net.def"
#include "compat/candidates_sched.def"

/* clang-format off */
#define CAPABILITY(stream, uses, option, operation, path, doc, candidates) \
	{ stream, operation, path, doc, candidates, uses, option }
#define ROWS(stream, ...) CAPABILITY(STREAM_##stream, 0, 0, __VA_ARGS__)
/* only where another candidate uses them; only with an option */
#define ROWS_WITH(stream, uses, ...) CAPABILITY(STREAM_##stream, uses, 0, __VA_ARGS__)
#define ROWS_IF(stream, option, ...) CAPABILITY(STREAM_##stream, 0, option, __VA_ARGS__)
/* no rows, but what candidates use */
#define SERVES(uses, ...) CAPABILITY(STREAM_INTERNAL, uses, 0, __VA_ARGS__)
#define EVERYONE 0
/* clang-format on */

const struct capability capabilities[] = {
	ROWS(fs, "READ", "", "read, pread", read_plain),
	ROWS(fs, "READ", "vectored", "readv, preadv, preadv2", read_vectored),
	ROWS(fs, "READ", "aio", "io_submit", aio),
	ROWS(fs, "READ", "io_uring", "io_uring reads", uring),
	ROWS(fs, "WRITE", "", "write, pwrite", write_plain),
	ROWS(fs, "WRITE", "vectored", "writev, pwritev, pwritev2", write_vectored),
	ROWS(fs, "WRITE", "aio", "io_submit", aio),
	ROWS(fs, "WRITE", "io_uring", "io_uring writes", uring),
	ROWS(fs, "OPEN", "", "open, openat, openat2, creat", open_calls),
	ROWS(fs, "CLOSE", "", "release of open files", close_calls),
	ROWS(fs, "FSYNC", "", "fsync", fsync_calls),
	ROWS(fs, "FDATASYNC", "", "fdatasync", fdatasync_calls),
	ROWS(fs, "MMAP", "", "mmap of files", mmap_calls),
	ROWS(fs, "MUNMAP", "", "munmap of files", munmap_calls),
	ROWS(fs, "MREMAP", "", "mremap of mapped files", mremap_calls),
	ROWS(fs, "MSYNC", "", "msync", msync_calls),
	ROWS(fs, "MADVISE", "", "madvise on mapped files", madvise_calls),
	ROWS(fs, "GETATTR", "", "stat, lstat, fstat, fstatat, statx", getattr_calls),
	ROWS(fs, "SETATTR", "", "chmod, chown, utimes and their variants", setattr_calls),
	ROWS(fs, "CHDIR", "", "chdir, fchdir", chdir_calls),
	ROWS(fs, "READDIR", "", "getdents, getdents64", readdir_calls),
	ROWS(fs, "UNLINK", "", "unlink, unlinkat", unlink_calls),
	ROWS(fs, "TRUNCATE", "", "truncate, ftruncate", truncate_calls),
	ROWS(fs, "SYNC", "", "sync, syncfs", sync_calls),
	ROWS(fs, "RENAME", "", "rename, renameat, renameat2", rename_calls),
	ROWS(fs, "MKDIR", "", "mkdir, mkdirat", mkdir_calls),
	ROWS(fs, "RMDIR", "", "rmdir, unlinkat", rmdir_calls),
	ROWS(fs, "LINK", "", "link, linkat", link_calls),
	ROWS(fs, "SYMLINK", "", "symlink, symlinkat", symlink_calls),
	ROWS(fs, "FALLOCATE", "", "fallocate", fallocate_calls),
	ROWS(fs, "SENDFILE", "", "sendfile", sendfile_calls),
	ROWS(fs, "SPLICE", "", "splice from and to files", splice_calls),
	ROWS(fs, "VMSPLICE", "", "vmsplice", vmsplice_calls),
	ROWS(fs, "COPY_FILE_RANGE", "", "copy_file_range (--extra-ops)", copy_calls),
	ROWS(fs, "TEE", "", "tee (--extra-ops)", tee_calls),
	ROWS(fs, "SYNC_FILE_RANGE", "", "sync_file_range (--extra-ops)", sync_range_calls),
	ROWS(fs, "FADVISE", "", "posix_fadvise (--extra-ops)", fadvise_calls),
	ROWS(fs, "READAHEAD", "", "readahead (--extra-ops)", readahead_calls),
	ROWS(ds, "REQUEST", "", "block requests from queue to completion", requests),
	ROWS(layers, "READ", "", "read, pread", counted_reads),
	ROWS(layers, "READ", "vectored", "readv, preadv, preadv2", counted_vectored_reads),
	ROWS(layers, "READ", "aio", "io_submit", aio),
	ROWS(layers, "READ", "io_uring", "io_uring reads", uring),
	ROWS(layers, "READ", "sendfile", "sendfile", sendfile_calls),
	ROWS(layers, "READ", "splice", "splice from files", splice_calls),
	ROWS(layers, "READ", "copy", "copy_file_range", copy_calls),
	ROWS(layers, "READ", "inner", "reads of one file system by another", inner_reads),
	ROWS(layers, "WRITE", "", "write, pwrite", counted_writes),
	ROWS(layers, "WRITE", "vectored", "writev, pwritev, pwritev2", counted_vectored_writes),
	ROWS(layers, "WRITE", "aio", "io_submit", aio),
	ROWS(layers, "WRITE", "io_uring", "io_uring writes", uring),
	ROWS(layers, "WRITE", "splice", "splice to files", splice_calls),
	ROWS(layers, "WRITE", "copy", "copy_file_range", copy_calls),
	ROWS(layers, "WRITE", "inner", "writes of one file system by another", inner_writes),
	ROWS(layers, "SYNC", "", "fsync", counted_fsyncs),
	ROWS(layers, "SYNC", "data", "fdatasync", counted_fdatasyncs),
	ROWS(layers, "REQUEST", "", "block requests", requests),
	ROWS(cache, "HIT", "", "pages found in the cache", cache_hits),
	ROWS(cache, "MISS", "", "pages added to the cache", cache_adds),
	ROWS(cache, "DIRTY", "", "clean pages that become dirty", cache_dirtied),
	ROWS(cache, "WRITEBACK_START", "", "pages whose writeback begins", cache_writeback),
	ROWS(cache, "WRITEBACK_END", "", "pages whose writeback completed", cache_writeback),
	ROWS(cache, "EVICT", "", "pages that leave the cache", cache_deletes),
	ROWS(cache, "INVALIDATE", "", "invalidated or truncated ranges", cache_ranges),
	ROWS_WITH(cache, USES_DROP_MARKS, "DROP", "", "pages removed by drop_caches", cache_drops),
	ROWS(cache, "READAHEAD", "", "readahead requests", cache_readahead),
	ROWS(cache, "RECLAIM", "", "passes over the inactive file pages", cache_reclaim),
	ROWS(pagefault, "MINOR", "", "faults served from memory", faults),
	ROWS(pagefault, "MAJOR", "", "faults that waited for the disk", faults),
	ROWS(nw, "SEND", "", "bytes sent over TCP and UDP", net_sends),
	ROWS(nw, "RECEIVE", "", "bytes received over TCP and UDP", net_receives),
	ROWS(nw_conn, "SOCKET_CREATE", "", "socket", socket_calls),
	ROWS(nw_conn, "BIND", "", "bind", bind_calls),
	ROWS(nw_conn, "LISTEN", "", "listen", listen_calls),
	ROWS(nw_conn, "ACCEPT", "", "accept, accept4", accept_calls),
	ROWS(nw_conn, "CONNECT", "", "connect", connect_calls),
	ROWS(nw_conn, "SHUTDOWN", "", "shutdown", shutdown_calls),
	ROWS(nw_epoll, "EPOLL_CREATE", "", "epoll_create, epoll_create1", epoll_creates),
	ROWS(nw_epoll, "EPOLL_CTL", "", "epoll_ctl", epoll_ctls),
	ROWS(nw_epoll, "EPOLL_WAIT", "", "epoll_wait, epoll_pwait, epoll_pwait2", epoll_waits),
	ROWS(nw_epoll, "POLL", "", "poll, ppoll", polls),
	ROWS(nw_epoll, "SELECT", "", "select, pselect6", selects),
	ROWS(nw_sockopt, "SET", "", "setsockopt", opt_sets),
	ROWS(nw_sockopt, "GET", "", "getsockopt", opt_gets),
	ROWS(nw_drop, "TCP_RETRANSMIT", "", "retransmitted segments", retransmits),
	ROWS_IF(nw_drop, OPTION_DROPS, "PACKET_DROP", "", "dropped packets", packet_drops),
	ROWS(iouring, "ENTER", "", "io_uring_enter", ring_enters),
	ROWS(iouring, "CREATE", "", "new rings", ring_creates),
	ROWS(iouring, "REGISTER", "", "io_uring_register", ring_registers),
	ROWS(iouring, "SUBMIT", "", "requests submitted", ring_submits),
	ROWS(iouring, "QUEUE_ASYNC", "", "requests handed to a worker", ring_queues),
	ROWS(iouring, "POLL_ARM", "", "requests that wait for their file", ring_polls),
	ROWS(iouring, "COMPLETE", "", "requests completed", ring_completes),
	ROWS(iouring, "DEFER", "", "requests that wait for those before them", ring_defers),
	ROWS(iouring, "LINK", "", "requests that join a chain", ring_links),
	ROWS(iouring, "FAIL_LINK", "", "requests cancelled with their chain", ring_fails),
	ROWS(iouring, "CQE_OVERFLOW", "", "completions that found no room", ring_overflows),
	ROWS(iouring, "SHORT_WRITE", "", "writes that got only so far", ring_shorts),
	ROWS(iouring, "FILE_GET", "", "descriptors looked up (--extra-ops)", ring_file_rows),
	ROWS(iouring, "CQRING_WAIT", "", "waits for completions", ring_waits),
	ROWS(iouring, "TASK_WORK", "", "work done by the thread of a request", ring_task_work),
	ROWS(iouring, "LOCAL_WORK", "", "work done by the thread of a ring", ring_local_work),
	ROWS(sched, "RUN", "", "threads that leave a CPU", switches),
	ROWS(exec, "FORK", "", "new processes", fork_events),
	ROWS(exec, "EXEC", "", "new programs", exec_events),
	ROWS(exec, "EXIT", "", "exiting processes", exit_events),
	SERVES(USES_REQUEST_EVENTS, "REQUEST", "files", "descriptors of requests", ring_files),
	SERVES(USES_REQUEST_EVENTS, "REQUEST", "refused", "invalid requests", ring_refused),
	SERVES(USES_REQUEST_EVENTS, "REQUEST", "run", "threads of io-wq that run requests",
	       ring_runs),
	SERVES(USES_REQUEST_ISSUES, "REQUEST", "issued", "files of requests", ring_issues),
	SERVES(USES_SOCKET_STATES, "SOCKETS", "state", "addresses and outcome of connections",
	       socket_states),
	SERVES(USES_SOCKET_CLOSES, "SOCKETS", "closed", "addresses of sockets", socket_closes),
	SERVES(USES_SOCKETS, "SOCKETS", "made", "addresses of sockets", socket_calls),
	SERVES(USES_SOCKETS, "SOCKETS", "bound", "addresses of sockets", bind_calls),
	SERVES(USES_SOCKETS, "SOCKETS", "listening", "addresses of sockets", listen_calls),
	SERVES(USES_SOCKETS, "SOCKETS", "connected", "addresses of sockets", connect_calls),
	SERVES(USES_SOCKETS, "SOCKETS", "accepted", "addresses of sockets", accept_calls),
	SERVES(USES_SOCKETS, "SOCKETS", "read", "read of sockets", read_plain),
	SERVES(USES_SOCKETS, "SOCKETS", "readv", "readv of sockets", read_vectored),
	SERVES(USES_SOCKETS, "SOCKETS", "write", "write to sockets", write_plain),
	SERVES(USES_SOCKETS, "SOCKETS", "writev", "writev to sockets", write_vectored),
	SERVES(USES_SOCKETS, "SOCKETS", "sendfile", "sendfile to sockets", sendfile_calls),
	SERVES(USES_SOCKETS, "SOCKETS", "splice", "splice from and to sockets", splice_calls),
	SERVES(USES_UDP_SOURCES, "SOURCE", "", "peers of sockets that are not connected",
	       udp_sources),
	SERVES(USES_SIZES, "SIZES", "", "bytes and position of vectored and asynchronous calls",
	       verify_area),
	SERVES(USES_NAMED_FILES, "NAMES", "", "inode and resolved path of the file a call names",
	       named_files),
	SERVES(USES_FILE_NAMES, "FILES", "open", "names of files for cache and pagefault",
	       open_calls),
	SERVES(USES_FILE_NAMES, "FILES", "close", "names of files for cache and pagefault",
	       close_calls),
	SERVES(USES_SUBMITTED_FILES, "SUBMITTED", "flushed",
	       "files of requests that write the cache", flushed_files),
	SERVES(USES_SUBMITTED_FILES, "SUBMITTED", "read",
	       "files of requests that read into the cache", read_files),
	SERVES(USES_MAPPINGS, "MAPPINGS", "new", "files at addresses", mmap_calls),
	SERVES(USES_MAPPINGS, "MAPPINGS", "moved", "files at addresses", mremap_calls),
	SERVES(USES_MAPPINGS, "MAPPINGS", "gone", "files at addresses", munmap_calls),
	SERVES(USES_DESCRIPTORS, "DESCRIPTORS", "", "descriptor tracking from system calls",
	       follow_descriptors),
	SERVES(USES_DESCRIPTORS, "DESCRIPTORS", "other", "descriptors that are not files",
	       other_descriptors),
	SERVES(USES_PATHS, "DIRECTORIES", "", "names below a renamed directory", moved_directories),
	SERVES(USES_PATHS | USES_MOUNTS, "MOUNTS", "", "names below a changed mount", moved_mounts),
	SERVES(EVERYONE, "PROCESSES", "new", "children of traced processes", fork_events),
	SERVES(USES_DESCRIPTORS, "PROCESSES", "program", "descriptors closed by exec", exec_events),
	SERVES(EVERYONE, "PROCESSES", "end", "descriptors closed by exit", exit_events),
	SERVES(USES_EXIT_STATUS, "STATUS", "", "exit status", exit_status),
	SERVES(USES_JOURNALS, "JOURNALS", "", "processes that a journal of ext4 commits for",
	       journals),
	SERVES(USES_JOURNALS, "JOURNALS", "xfs", "processes that the log of XFS is written for",
	       xfs_logs),
	SERVES(USES_MERGES, "MERGES", "", "requests merged into others", request_merges),
};
const size_t n_capabilities = sizeof(capabilities) / sizeof(capabilities[0]);

const char *capability_stream(const struct capability *capability)
{
#define STREAM_NAME(name, traits, doc) [STREAM_##name] = #name,
	static const char *const names[] = { IOT_STREAMS(STREAM_NAME) };

	return capability_is_internal(capability) ? "-" : names[capability->stream];
}

const char *capability_option(const struct capability *capability)
{
	return capability->option & OPTION_DROPS ? "--drops" : NULL;
}
