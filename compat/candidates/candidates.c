/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one table of kernel variation: for every capability the probes that can
 * serve it, best first, with what each needs. Adding a kernel is a row in one of the
 * .def files and, at most, a program in probes/. Sources are named where a choice is not
 * obvious; "seen" means attached and hit on a booted kernel.
 */
#include "compat/candidates/candidates.h"

#include "compat/candidates/call_groups.h"

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
#define NOT_32                                                                                     \
	"32-bit programs and calls that seccomp refuses are invisible to system-call tracepoints"

#include "compat/candidates/candidates_uring.def"
#include "compat/candidates/candidates_fs.def"
#include "compat/candidates/candidates_tasks.def"
#include "compat/candidates/candidates_block.def"
#include "compat/candidates/candidates_pages.def"
#include "compat/candidates/candidates_net.def"
#include "compat/candidates/candidates_sched.def"
#include "compat/candidates/candidates_netfs.def"

const struct capability capabilities[N_CAPABILITIES] = {
#define CAPABILITY(id, stream, uses, option, operation, path, doc, candidates)                     \
	[CAP_##id] = { #id, stream, operation, path, doc, candidates, uses, option },
#include "compat/candidates/capabilities.def"
};

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
