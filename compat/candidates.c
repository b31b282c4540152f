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
#define RAW(event, program) { PROBE_RAW, 0, event, program }
/* clang-format on */
/*
 * The kernel skips a program that interrupts another one, but for raw ones. What these send must
 * not get into what the interrupted one is sending.
 */
#define RAW_SENDS .needs = { { NEED_FACT, "RAW_TRACEPOINT" }, { NEED_FACT, "RAW_NESTS" } }

/* x86 and arm64 skip syscall tracepoints for 32-bit tasks (kernel/trace/trace_syscalls.c, 4.14–7.3). */
#define NOT_32 "32-bit programs are invisible to system-call tracepoints"

#include "compat/candidates_uring.def"
#include "compat/candidates_fs.def"
#include "compat/candidates_tasks.def"
#include "compat/candidates_block.def"
#include "compat/candidates_pages.def"
#include "compat/candidates_net.def"

#define WITH_HEADERS                                                                               \
	"VFS_READ VFS_WRITE FPUT DO_SYS_OPENAT2 DO_SYS_OPEN SC_READ SC_WRITE SC_OPEN SC_CLOSE HANDLE_MM_FAULT"
/* streams that name files by what others did with them */
#define WITH_PAGES                                                                                 \
	"RING_COMPLETE RING_COMPLETE_FN SC_SEND CACHE_ADD CACHE_ADD_RAW MARK_ACCESSED PAGE_FAULT_USER HANDLE_MM_FAULT"

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
	{ "cache", "WRITEBACK_END", "", NULL, "pages whose write-back has finished",
	  cache_writeback },
	{ "cache", "EVICT", "", NULL, "pages that leave the cache", cache_deletes },
	{ "cache", "INVALIDATE", "", NULL, "ranges truncated or invalidated", cache_ranges },
	{ "cache", "DROP", "", "CACHE_DELETE CACHE_DELETE_RAW", "pages removed by drop_caches",
	  cache_drops },
	{ "cache", "READAHEAD", "", NULL, "pages requested ahead", cache_readahead },
	{ "cache", "RECLAIM", "", NULL, "passes over the inactive file pages", cache_reclaim },
	{ "pagefault", "MINOR", "", NULL, "faults served from memory", faults },
	{ "pagefault", "MAJOR", "", NULL, "faults that had to wait for the disk", faults },
	{ "nw", "SEND", "", NULL, "bytes sent over TCP and UDP", net_sends },
	{ "nw", "RECEIVE", "", NULL, "bytes received over TCP and UDP", net_receives },
	{ "nw_conn", "SOCKET_CREATE", "", NULL, "socket", socket_calls },
	{ "nw_conn", "BIND", "", NULL, "bind", bind_calls },
	{ "nw_conn", "LISTEN", "", NULL, "listen", listen_calls },
	{ "nw_conn", "ACCEPT", "", NULL, "accept, accept4", accept_calls },
	{ "nw_conn", "CONNECT", "", NULL, "connect", connect_calls },
	{ "nw_conn", "SHUTDOWN", "", NULL, "shutdown", shutdown_calls },
	{ "nw_epoll", "EPOLL_CREATE", "", NULL, "epoll_create, epoll_create1", epoll_creates },
	{ "nw_epoll", "EPOLL_CTL", "", NULL, "epoll_ctl", epoll_ctls },
	{ "nw_epoll", "EPOLL_WAIT", "", NULL, "epoll_wait, epoll_pwait, epoll_pwait2",
	  epoll_waits },
	{ "nw_epoll", "POLL", "", NULL, "poll, ppoll", polls },
	{ "nw_epoll", "SELECT", "", NULL, "select, pselect6", selects },
	{ "nw_sockopt", "SET", "", NULL, "setsockopt", opt_sets },
	{ "nw_sockopt", "GET", "", NULL, "getsockopt", opt_gets },
	{ "nw_drop", "TCP_RETRANSMIT", "", NULL, "segments sent again", retransmits },
	{ "nw_drop", "PACKET_DROP", "", "--drops", "packets thrown away", packet_drops },
	{ "iouring", "ENTER", "", NULL, "io_uring_enter", ring_enters },
	{ "iouring", "CREATE", "", NULL, "new rings", ring_creates },
	{ "iouring", "REGISTER", "", NULL, "io_uring_register", ring_registers },
	{ "iouring", "SUBMIT", "", NULL, "requests submitted", ring_submits },
	{ "iouring", "QUEUE_ASYNC", "", NULL, "requests handed to a worker", ring_queues },
	{ "iouring", "POLL_ARM", "", NULL, "requests that wait for their file", ring_polls },
	{ "iouring", "COMPLETE", "", NULL, "requests completed", ring_completes },
	{ "exec", "FORK", "", NULL, "new processes", fork_events },
	{ "exec", "EXEC", "", NULL, "new programs", exec_events },
	{ "exec", "EXIT", "", NULL, "ended processes", exit_events },
	{ "-", "REQUEST", "files", "RING_COMPLETE", "descriptors of requests", ring_files },
	{ "-", "REQUEST", "refused", "RING_COMPLETE", "requests that are wrong in themselves",
	  ring_refused },
	{ "-", "REQUEST", "issued", "RING_COMPLETE_FN", "files of requests", ring_issues },
	{ "-", "SOCKETS", "state", "SC_CONNECT", "ends of a connection, and what became of it",
	  socket_states },
	{ "-", "SOCKETS", "closed", "SC_SOCKET SC_ACCEPT SC_CONNECT SC_SEND",
	  "addresses of sockets", socket_closes },
	{ "-", "SOCKETS", "made", "SC_SEND", "addresses of sockets", socket_calls },
	{ "-", "SOCKETS", "bound", "SC_SEND", "addresses of sockets", bind_calls },
	{ "-", "SOCKETS", "listening", "SC_SEND", "addresses of sockets", listen_calls },
	{ "-", "SOCKETS", "connected", "SC_SEND", "addresses of sockets", connect_calls },
	{ "-", "SOCKETS", "accepted", "SC_SEND", "addresses of sockets", accept_calls },
	{ "-", "SOCKETS", "read", "SC_SEND", "read of sockets", read_plain },
	{ "-", "SOCKETS", "readv", "SC_SEND", "readv of sockets", read_vectored },
	{ "-", "SOCKETS", "write", "SC_SEND", "write to sockets", write_plain },
	{ "-", "SOCKETS", "writev", "SC_SEND", "writev to sockets", write_vectored },
	{ "-", "SOCKETS", "sendfile", "SC_SEND", "sendfile to sockets", sendfile_calls },
	{ "-", "SOCKETS", "splice", "SC_SEND", "splice from and to sockets", splice_calls },
	{ "-", "SOURCE", "", "SOCK_FUNCTIONS", "peers of sockets that are not connected",
	  udp_sources },
	{ "-", "SIZES", "",
	  "VFS_READV VFS_WRITEV AIO_RW AIO_COMPLETE URING_REQ URING_DATA URING_KIOCB",
	  "bytes and position of vectored and asynchronous calls", verify_area },
	{ "-", "NAMES", "", "SC_UNLINK SC_RENAME SC_MKDIR SC_GETATTR SC_SETATTR SC_TRUNCATE",
	  "inode and real path of what a call names", named_files },
	{ "-", "FILES", "open", WITH_PAGES, "names of files for cache and pagefault", open_calls },
	{ "-", "FILES", "close", WITH_PAGES, "names of files for cache and pagefault",
	  close_calls },
	{ "-", "MAPPINGS", "new", "PAGE_FAULT_USER", "files at addresses", mmap_calls },
	{ "-", "MAPPINGS", "moved", "PAGE_FAULT_USER", "files at addresses", mremap_calls },
	{ "-", "MAPPINGS", "gone", "PAGE_FAULT_USER", "files at addresses", munmap_calls },
	{ "-", "DESCRIPTORS", "", "SC_CLOSE", "what follows descriptors from system calls",
	  follow_descriptors },
	{ "-", "DESCRIPTORS", "other", "SC_CLOSE", "descriptors of what is no file",
	  other_descriptors },
	{ "-", "DIRECTORIES", "", WITH_HEADERS, "names below a renamed directory",
	  moved_directories },
	{ "-", "MOUNTS", "", WITH_HEADERS, "names below a changed mount", moved_mounts },
	{ "-", "PROCESSES", "new", NULL, "children of traced processes", fork_events },
	{ "-", "PROCESSES", "program", "SC_CLOSE", "descriptors closed by exec", exec_events },
	{ "-", "PROCESSES", "end", NULL, "descriptors closed by exit", exit_events },
	{ "-", "STATUS", "", "EXIT", "exit status", exit_status },
	{ "-", "MERGES", "", "BLOCK BLOCK_RAW", "requests merged into others", request_merges },
};
const size_t n_capabilities = sizeof(capabilities) / sizeof(capabilities[0]);
