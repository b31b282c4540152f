/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options that several commands have: rows for a command that fills `type`. */
#pragma once

#include "cmd/record_values.h"
#include "row/fs_ops.h"

/* clang-format off */

#define OPTIONS_HELP_ROW \
	{ .name = "help", .letter = 'h', .argument = "[=all]", .common = true, \
	  .section = OPTIONS_MESSAGES, .help = "this text; --help=all lists every option" }

#define OPTIONS_QUIET_ROW \
	{ .name = "quiet", .letter = 'q', .common = true, .section = OPTIONS_MESSAGES, \
	  .parse = option_quiet, .help = "errors only" }

#define OPTIONS_LOG_ROWS \
	OPTIONS_QUIET_ROW, \
	{ .name = "verbose", .letter = 'v', .common = true, .section = OPTIONS_MESSAGES, \
	  .parse = option_verbose, .help = "details" }

/* type has a struct host_options host, `at` as below */
#define OPTIONS_HOST_ROWS(type, at) \
	{ .name = "headers", .argument = "DIR", .section = OPTIONS_KERNEL, \
	  OPTION_TO(text, type, at host.headers), \
	  .help = "kernel headers to compile with", \
	  .more = "Default: /lib/modules/<release>/build and the places where distributions install them." }, \
	{ .name = "no-kprobes", .section = OPTIONS_KERNEL, OPTION_TO(flag, type, at host.no_kprobes), \
	  .help = "tracepoints only (tier b)" }, \
	{ .name = "no-syscall-events", .section = OPTIONS_KERNEL, \
	  OPTION_TO(flag, type, at host.no_syscall_events), \
	  .help = "no system call tracepoints", \
	  .more = "As on a kernel built without CONFIG_FTRACE_SYSCALLS: where kprobes and headers are " \
		  "available, kprobes on the functions of the calls (tier a) take over." }, \
	{ .name = "layout", .argument = "SOURCE", .section = OPTIONS_KERNEL, \
	  OPTION_TO(layout, type, at host.layout), \
	  .help = "from headers, kheaders, btf, learned, or none", \
	  .more = "The layout of the kernel's structures, which tiers a and b need. Default: the kernel " \
		  "headers if installed, otherwise those that the kernel carries (`/sys/kernel/kheaders.tar.xz`, " \
		  "CONFIG_IKHEADERS), otherwise BTF (`/sys/kernel/btf/vmlinux`) if the kernel has it, otherwise what " \
		  "the first start learns from objects of its own (tier b; `doctor` shows what that leaves out)." }, \
	{ .name = "no-headers", .section = OPTIONS_KERNEL, OPTION_TO(no_layout, type, at host.layout), \
	  .help = "the same as --layout none" }

/* type has a struct write_options write */
#define OPTIONS_GROUP_ROW(type) \
	{ .name = "group", .argument = "NAME", .section = OPTIONS_DIRECTORY, \
	  OPTION_TO(group, type, write), .help = "let this group read it (default: nobody else)", \
	  .more = "Directories are 0700 and files 0600, because everybody's paths, arguments and peers are in " \
		  "them; with a group (name or number) 02750 and 0640." }

#define OPTIONS_EVENTS_TEXT \
	.name = "events", .letter = 'e', .argument = "LIST", .common = true, \
	.section = OPTIONS_ROWS, .help = "streams to record; !NAME omits, +NAME adds one", \
	.more = "@STREAMS@: see `iotracer-streams`(5). `why` is short for `fs,ds,sched`, which `iotracer why` needs. A list that begins with `!`NAME or `+`NAME changes " \
		"the default. Default: all that this host supports except `sched`, " \
		"`netfs` and `layers`, which are recorded only when named."

/*
 * What to record; type has a struct recording_options at such a place: `at` is empty,
 * or "recording." with its dot.
 */
#define OPTIONS_PROCESS_ROWS(type, at) \
	{ .name = "pid", .letter = 'p', .argument = "PID|NAME", .common = true, .section = OPTIONS_PROCESSES, \
	  OPTION_TO(pids, type, at trace), .help = "only these processes and their children (list)", \
	  .more = "Comma-separated. A name (as ps -o comm shows it) means all processes that have it at the " \
		  "start. Recording ends with the last of them and of the children that they start from now on." }, \
	{ .name = "comm", .letter = 'c', .argument = "NAME", .common = true, .section = OPTIONS_PROCESSES, \
	  OPTION_TO(comms, type, at trace), .help = "only threads with these names (list)", \
	  .more = "The first 15 bytes are compared, as the kernel keeps them." }, \
	{ .name = "not-comm", .argument = "NAME", .section = OPTIONS_PROCESSES, \
	  OPTION_TO(not_comms, type, at trace), .help = "no threads with these names (list)" }, \
	{ .name = "uid", .letter = 'u', .argument = "USER", .common = true, .section = OPTIONS_PROCESSES, \
	  OPTION_TO(user, type, at trace), .help = "only processes of this user (name or number)", \
	  .more = "The real user id counts. Combined with a command, `-p` or `--cgroup`: those of its " \
		  "processes that run as this user, from the moment they do." }, \
	{ .name = "cgroup", .argument = "PATH", .section = OPTIONS_PROCESSES, \
	  OPTION_TO(cgroup, type, at trace.cgroup), .help = "only processes in this control group or below", \
	  .more = "A container or a service has one: a directory below /sys/fs/cgroup, or what " \
		  "/proc/PID/cgroup shows after the colons. With version 2 the kernel decides who is in it. " \
		  "With version 1 these are the processes found there at the start and their children; " \
		  "others that enter are found within a second, and those that leave are still traced." }, \
	{ .name = "container", .argument = "NAME", .common = true, .section = OPTIONS_PROCESSES, \
	  OPTION_TO(container, type, at trace.cgroup), .help = "only processes in this container, which runs", \
	  .more = "Of Docker, containerd, CRI-O, podman, LXC or systemd-nspawn: its name, at least 12 digits of its id, of Kubernetes " \
		  "`namespace/pod/name`, `namespace/pod` or the name alone. It is found by the files that runtimes keep below " \
		  "/var/lib and /run, and its control group is then traced as by `--cgroup`, which it excludes. One that is " \
		  "started again has another group." }

#define OPTION_GROUP_HELP(word, operations) "`" word "` for " operations "; "
#define OPTIONS_FILTER_ROWS(type, at) \
	{ .name = "path", .argument = "GLOB", .common = true, .section = OPTIONS_ROWS, \
	  OPTION_TO(glob, type, at trace.rows), .help = "only files such as '/var/log/*', '*.db', /srv", \
	  .more = "Matched as find -path does: a star matches any text, slashes included. A pattern without a " \
		  "slash is compared with the last component; a name without wildcards means the directory and " \
		  "everything below. Either name of RENAME and LINK may match; rows without a name do not. May " \
		  "be given several times. A name that leads through a symbolic link, is relative or has dots in it " \
		  "also means what it leads to; a message says so." }, \
	{ .name = "operation", .argument = "LIST", .common = true, .section = OPTIONS_ROWS, \
	  OPTION_TO(operations, type, at trace.rows), .help = "only operations such as OPEN,FSYNC,CONNECT", \
	  .more = "The words of the columns `operation` and `event_type` in any stream, in upper or lower case; " \
		  "SEND and RECEIVE for `nw`, MINOR and MAJOR for `pagefault`. Some words stand for several: " \
		  FS_GROUPS(OPTION_GROUP_HELP) "and they go with others. May be given several times." }, \
	{ .name = "errors", .common = true, .section = OPTIONS_ROWS, \
	  OPTION_TO(flag, type, at trace.rows.errors), .help = "only failed operations", \
	  .more = "A recording has all rows of `exec` besides, which name processes." }, \
	{ .name = "min-latency", .argument = "TIME", .common = true, .section = OPTIONS_ROWS, \
	  OPTION_TO(min_latency, type, at trace.rows.min_latency), .help = "only operations that took at least TIME (10ms)", \
	  .more = "For example 500us or 1s. For `ds` this is `latency_ms`, from issue to completion. Rows with an unknown latency are left out." }, \
	{ .name = "all-fs", .section = OPTIONS_ROWS, \
	  OPTION_TO(flag, type, at trace.all_fs), .help = "include pseudo file systems (proc, sysfs, ...)" }, \
	{ .name = "fs-type", .argument = "TYPE", .section = OPTIONS_ROWS, \
	  OPTION_TO(fs_types, type, at trace.fs_types), .help = "only file systems of these types (list)", \
	  .more = "Pseudo file systems that are named are included. Types are those of /proc/filesystems: all FUSE " \
		  "file systems without a block device are `fuse`, and block devices are files of `devtmpfs`. " \
		  "In tier c, a file of a process that ended before /proc could be read is judged by its path, and " \
		  "one without a path is a row." }, \
	{ .name = "exclude-fs-type", .argument = "TYPE", .section = OPTIONS_ROWS, \
	  OPTION_TO(not_fs_types, type, at trace.fs_types), .help = "no file systems of these types (list)", \
	  .more = "Wins over `--fs-type`." }, \
	{ .name = "dev", .argument = "disk|partition", .section = OPTIONS_ROWS, \
	  OPTION_TO(dev, type, at partitions), .help = "what column dev of stream ds shows (disk)", \
	  .more = "The kernel reports the whole disk. A partition is found by the first sector, which stays that " \
		  "of the whole disk; a request without a sector is the disk's. Names, numbers and extents of all " \
		  "devices are in the manifest, as `devices`." }, \
	{ .name = "cache-sample-rate", .argument = "N", .section = OPTIONS_ROWS, \
	  OPTION_TO(sample_rate, type, at trace.cache_sample_rate), .help = "keep about one of N events of stream cache", \
	  .more = "Chosen at random before anything else is checked. INVALIDATE, READAHEAD and RECLAIM are always " \
		  "kept, and WRITEBACK_END whenever its WRITEBACK_START is. The manifest (`sampling`) has the rate " \
		  "and how many events were left out, and so do rows of stream `lost` with the reason `sampled`; " \
		  "they do not count as losses." }, \
	{ .name = "uring-sample-rate", .argument = "N", .section = OPTIONS_ROWS, \
	  OPTION_TO(sample_rate, type, at trace.uring_sample_rate), .help = "keep about one of N requests of stream iouring", \
	  .more = "Chosen at random when a request is submitted: all of its rows are kept, or none, and a chain of linked " \
		  "requests is kept as a whole. ENTER, CREATE, REGISTER, and rows whose request the kernel " \
		  "does not report, are always kept; requests that were submitted before the trace " \
		  "began are not. From 5.5 to 5.13, where the kernel does not report chains, all requests of one call are kept, or none. " \
		  "Manifest and stream `lost` as for `--cache-sample-rate`." }, \
	{ .name = "stacks", .argument = "[=WHAT]", .section = OPTIONS_ROWS, \
	  OPTION_TO(stacks, type, at trace.stacks), .help = "stacks of slow, sync, or one in N operations", \
	  .more = "Rows of stream `stacks` with the stack of the program and, of operations that slept, that of the kernel " \
		  "where they slept longest. A list: `slow` (the default) means what took at least `--min-latency`, or 1ms if " \
		  "that is not given; `sync` FSYNC, FDATASYNC, SYNC, SYNC_FILE_RANGE and MSYNC; a number N about one of N " \
		  "operations, 1 all of them. Programs must be built with frame pointers: see `iotracer-streams`(5). " \
		  "An image needs `build -e +stacks` for it." }, \
	{ .name = "sockopt-levels", .argument = "LEVEL", .section = OPTIONS_ROWS, \
	  OPTION_TO(levels, type, at trace), .help = "socket options to record, by level (list)", \
	  .more = "At most 8 names as in the rows of `nw_sockopt` (SOL_SOCKET, IPPROTO_TCP, IPPROTO_IP, " \
		  "IPPROTO_IPV6, IPPROTO_UDP, SOL_TLS, SOL_MPTCP) or numbers, or all. Default: " \
		  "SOL_SOCKET,IPPROTO_TCP." }, \
	{ .name = "extra-ops", .section = OPTIONS_ROWS, \
	  OPTION_TO(flag, type, at extra_ops), .help = "include rarely needed operations (fs, iouring)", \
	  .more = "copy_file_range, tee, sync_file_range, posix_fadvise and readahead; FILE_GET." }, \
	{ .name = "given", .section = OPTIONS_ROWS, \
	  OPTION_TO(flag, type, at given), .help = "include names as programs gave them (fs)", \
	  .more = "Fills column `given` of stream `fs`: a relative name, one with `..` in it, one through a symbolic link. In " \
		  "tiers a and b each call on a name then copies it, when the call ends. An image needs `build --given` " \
		  "for it." }, \
	{ .name = "drops", .section = OPTIONS_ROWS, \
	  OPTION_TO(flag, type, at drops), .help = "include dropped IP packets (nw_drop)", \
	  .more = "Rows PACKET_DROP. An image needs `build --drops` for it." }, \
	{ .name = "all-drops", .section = OPTIONS_ROWS, \
	  OPTION_TO(flag, type, at trace.all_drops), .help = "like --drops, and packets that are not IP", \
	  .more = "They have no addresses." }

#define OPTIONS_TRACE_ROWS(type, at) \
	{ .name = "image", .argument = "FILE", .section = OPTIONS_KERNEL, \
	  OPTION_TO(text, type, at trace.image), .help = "run an image made by `iotracer build`", \
	  .more = "It needs neither headers nor LLVM. The image carries its plan: tier and streams " \
		  "are those that it was built for, less what `-e` leaves out. A stream or an option that it was " \
		  "built without is an error." }, \
	{ .name = "no-cache", .section = OPTIONS_KERNEL, \
	  OPTION_TO(flag, type, at trace.no_cache), .help = "compile even if a cached image fits" }, \
	{ .name = "no-self-test", .section = OPTIONS_KERNEL, \
	  OPTION_TO(flag, type, at no_self_test), .help = "do not test the chosen probes first", \
	  .more = "The self-test performs each operation once on a file in memory. A probe that does not fire, like " \
		  "one that does not attach (also with this option), is replaced by the next candidate; an image has no " \
		  "other candidate, so a warning lists what will be missing. When no probe fires, nothing is recorded." }, \
	{ .name = "page-cnt", .letter = 'm', .argument = "N", .section = OPTIONS_KERNEL, \
	  OPTION_TO(pages, type, at trace.pages), .help = "ring pages per CPU, a power of two", \
	  .more = "Default: 8 MiB per CPU, at most 256 MiB in total." }

/* Of commands that record what they show, without a directory; type has a struct recording_options recording */
#define OPTIONS_SHOWN_ROWS(type) \
	{ .name = "duration", .letter = 'd', .argument = "TIME", .common = true, .section = OPTIONS_MAIN, \
	  OPTION_TO(duration, type, recording.duration_s), .help = "stop after this time: 90, 90s, 5m, 2h" }, \
	OPTIONS_PROCESS_ROWS(type, recording.), \
	{ .name = "events", .letter = 'e', .argument = "LIST", .common = true, .section = OPTIONS_ROWS, \
	  .parse = option_events_shown, .target = offsetof(type, recording), \
	  .help = "list of streams (fs,ds,nw,nw_conn,exec,iouring)", \
	  .more = "@STREAMS@; `!`NAME or `+`NAME changes the default." }, \
	OPTIONS_FILTER_ROWS(type, recording.), \
	OPTIONS_ANON_ROWS(type, recording.), \
	OPTIONS_HOST_ROWS(type, recording.), \
	OPTIONS_TRACE_ROWS(type, recording.)

/* type has a struct snap_options snapshots */
#define OPTIONS_SNAPSHOT_ROWS(type) \
	{ .name = "snapshot-root", .argument = "DIR", .section = OPTIONS_SNAPSHOTS, \
	  OPTION_TO(directory, type, snapshots.root), \
	  .help = "directory that file snapshots start at (/)" }, \
	{ .name = "snapshot-depth", .argument = "N", .section = OPTIONS_SNAPSHOTS, \
	  OPTION_TO(depth, type, snapshots.depth), \
	  .help = "levels below it (3; 0: unlimited)", \
	  .more = "Counted as in find -maxdepth; never more than 128." }, \
	{ .name = "snapshot-all-mounts", .section = OPTIONS_SNAPSHOTS, \
	  OPTION_TO(flag, type, snapshots.all_mounts), \
	  .help = "include file systems mounted below it", \
	  .more = "Pseudo file systems are never entered." }

/* type has a struct anon_options anon */
#define OPTIONS_ANON_ROWS(type, at) \
	{ .name = "anonymize", .letter = 'a', .common = true, .section = OPTIONS_ANON, \
	  OPTION_TO(flag, type, at anon.on), \
	  .help = "replace file, host and socket names by tokens", \
	  .more = "Arguments of programs, too: see `ANONYMISED MODE`. The other `--anon` options imply it." }, \
	{ .name = "anonimize", .section = OPTIONS_ANON, OPTION_TO(flag, type, at anon.on) }, \
	{ .name = "anon-keep-ext", .section = OPTIONS_ANON, OPTION_TO(flag, type, at anon.keep_ext), \
	  .help = "keep extensions such as .csv", \
	  .more = "Up to 8 letters and digits, in names of directories (conf.d) as well." }, \
	{ .name = "anon-comm", .section = OPTIONS_ANON, OPTION_TO(flag, type, at anon.comm), \
	  .help = "replace thread names, too" }, \
	{ .name = "anon-ip", .section = OPTIONS_ANON, OPTION_TO(flag, type, at anon.ip), \
	  .help = "replace IP addresses, keeping prefixes", \
	  .more = "Two addresses of one network stay in one network. 127.0.0.0/8, ::1, 0.0.0.0 and :: " \
		  "are not replaced." }, \
	{ .name = "anon-key", .argument = "FILE", .section = OPTIONS_ANON, \
	  OPTION_TO(text, type, at anon.key_file), \
	  .help = "use the key in FILE, created if missing", \
	  .more = "16 bytes or more, readable by its owner alone." }

/* clang-format on */
