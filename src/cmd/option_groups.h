/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The options that several commands have: rows for a command that fills `type`. */
#ifndef IOT_OPTION_GROUPS_H
#define IOT_OPTION_GROUPS_H

#include "cmd/option_values.h"

/* clang-format off */

#define OPTIONS_HELP_ROW \
	{ .name = "help", .letter = 'h', .common = true, .section = OPTIONS_MESSAGES, \
	  .help = "this text" }

#define OPTIONS_LOG_ROWS \
	{ .name = "quiet", .letter = 'q', .common = true, .section = OPTIONS_MESSAGES, \
	  .parse = option_quiet, .help = "errors only" }, \
	{ .name = "verbose", .letter = 'v', .common = true, .section = OPTIONS_MESSAGES, \
	  .parse = option_verbose, .help = "details" }

/* type has a struct host_options host */
#define OPTIONS_HOST_ROWS(type) \
	{ .name = "headers", .argument = "DIR", .section = OPTIONS_KERNEL, \
	  OPTION_TO(text, type, host.headers), \
	  .help = "kernel headers to compile with", \
	  .more = "Default: /lib/modules/<release>/build and the places where distributions install them." }, \
	{ .name = "no-kprobes", .section = OPTIONS_KERNEL, OPTION_TO(flag, type, host.no_kprobes), \
	  .help = "tracepoints only (tier b)" }, \
	{ .name = "no-syscall-events", .section = OPTIONS_KERNEL, \
	  OPTION_TO(flag, type, host.no_syscall_events), \
	  .help = "no system call tracepoints", \
	  .more = "As on a kernel built without CONFIG_FTRACE_SYSCALLS: where kprobes and headers are " \
		  "available, kprobes on the functions of the calls (tier a) take over." }, \
	{ .name = "layout", .argument = "SOURCE", .section = OPTIONS_KERNEL, \
	  OPTION_TO(layout, type, host.layout), \
	  .help = "from headers, kheaders, btf, learned, or none", \
	  .more = "The layout of the kernel's structures, which tiers a and b need. Default: the kernel " \
		  "headers if installed, otherwise those that the kernel carries (`/sys/kernel/kheaders.tar.xz`, " \
		  "CONFIG_IKHEADERS), otherwise BTF (`/sys/kernel/btf/vmlinux`) if the kernel has it, otherwise what " \
		  "is learned at the first start from objects of our own (tier b; `doctor` shows what that leaves out)." }, \
	{ .name = "no-headers", .section = OPTIONS_KERNEL, OPTION_TO(no_layout, type, host.layout), \
	  .help = "the same as --layout none" }

#define OPTIONS_EVENTS_TEXT \
	.name = "events", .letter = 'e', .argument = "LIST", .common = true, \
	.section = OPTIONS_ROWS, .help = "list of streams; !NAME without, +NAME with it", \
	.more = "@STREAMS@: see `iotracer-streams`(5). A list that begins with `!`NAME or `+`NAME means " \
		"the default without or with these. Default: all that this host supports but `sched`, which is " \
		"recorded only when it is named."

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
#define OPTIONS_ANON_ROWS(type) \
	{ .name = "anonymize", .letter = 'a', .common = true, .section = OPTIONS_ANON, \
	  OPTION_TO(flag, type, anon.on), \
	  .help = "replace file, host and socket names by tokens", \
	  .more = "Arguments of programs, too: see `ANONYMISED MODE`. The other `--anon` options imply it." }, \
	{ .name = "anonimize", .section = OPTIONS_ANON, OPTION_TO(flag, type, anon.on) }, \
	{ .name = "anon-keep-ext", .section = OPTIONS_ANON, OPTION_TO(flag, type, anon.keep_ext), \
	  .help = "keep extensions such as .csv", \
	  .more = "Up to 8 letters and digits, in names of directories (conf.d) as well." }, \
	{ .name = "anon-comm", .section = OPTIONS_ANON, OPTION_TO(flag, type, anon.comm), \
	  .help = "replace thread names, too" }, \
	{ .name = "anon-ip", .section = OPTIONS_ANON, OPTION_TO(flag, type, anon.ip), \
	  .help = "replace IP addresses, keeping prefixes", \
	  .more = "Two addresses of one network stay in one network. 127.0.0.0/8, ::1, 0.0.0.0 and :: " \
		  "are not replaced." }, \
	{ .name = "anon-key", .argument = "FILE", .section = OPTIONS_ANON, \
	  OPTION_TO(text, type, anon.key_file), \
	  .help = "use the key in FILE, created if missing", \
	  .more = "16 bytes or more, readable by its owner alone." }

/* clang-format on */

#endif
