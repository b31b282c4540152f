/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns how a call becomes two probes. Which calls there are, the lists say. */
#include "compat/candidates/calls.h"

#include "compat/candidates/call_groups.h"
#include "probes/schema/fs_calls.def"
#include "probes/schema/net_calls.def"

_Static_assert(N_CALL_GROUPS <= 8 * sizeof(call_set), "a set has a bit for each group");

/* Which programs take a call that begins so (IOT_BEGIN_*): at its beginning and at its end. */
#define PROGRAMS_RW "iot_sc_rw", "iot_sc_exit"
#define PROGRAMS_RW_AT "iot_sc_rw_at", "iot_sc_exit"
#define PROGRAMS_ON_FD "iot_sc_fd", "iot_sc_exit"
#define PROGRAMS_IOV "iot_sc_slot", "iot_sc_exit"
#define PROGRAMS_IOV_AT PROGRAMS_IOV
#define PROGRAMS_IOV_AT2 PROGRAMS_IOV
#define PROGRAMS_DUP3 PROGRAMS_IOV
#define PROGRAMS_CLOSE_RANGE PROGRAMS_IOV
#define PROGRAMS_MEMFD PROGRAMS_IOV
#define PROGRAMS_NEWFD PROGRAMS_IOV
#define PROGRAMS_PIPE "iot_sc_slot", "iot_sc_pair_exit"
#define PROGRAMS_SOCKETPAIR PROGRAMS_PIPE
#define PROGRAMS_FLOCK "iot_sc_lock", "iot_sc_exit"
#define PROGRAMS_FCNTL PROGRAMS_FLOCK
#define PROGRAMS_OPEN "iot_sc_open", "iot_sc_open_exit"
#define PROGRAMS_CREAT PROGRAMS_OPEN
#define PROGRAMS_OPENAT PROGRAMS_OPEN
#define PROGRAMS_OPENAT2 PROGRAMS_OPEN
#define PROGRAMS_OPEN_HANDLE PROGRAMS_OPEN
#define PROGRAMS_FD "iot_sc_on_fd", "iot_op_exit"
#define PROGRAMS_MMAP PROGRAMS_FD
#define PROGRAMS_SENDFILE "iot_sc_moves", "iot_op_exit"
#define PROGRAMS_SPLICE PROGRAMS_SENDFILE
#define PROGRAMS_COPY PROGRAMS_SENDFILE
#define PROGRAMS_CLONE PROGRAMS_SENDFILE
#define PROGRAMS_PATH "iot_sc_path", "iot_op_exit"
#define PROGRAMS_AT PROGRAMS_PATH
#define PROGRAMS_MOUNT "iot_sc_path", "iot_names_moved"
#define PROGRAMS_BARE "iot_sc_bare", "iot_op_exit"
#define PROGRAMS_VMSPLICE PROGRAMS_BARE
#define PROGRAMS_OF_SOCKETS "iot_so_call", "iot_so_exit"

enum {
	HAS = 0,
	HAS_NO_ARGS = PROBE_NO_ARGS,
	MAY = PROBE_OPTIONAL,
};

static const struct call {
	enum call_group group;
	unsigned flags;
	const char *enter, *exit;
	const char *program, *exit_program;
} calls[] = {
#define CALL_OF(group, flags, event, ...)                                                          \
	{ CALLS_##group, flags, "syscalls:sys_enter_" #event, "syscalls:sys_exit_" #event,         \
	  __VA_ARGS__ },
#define FS_CALL(call, event, numbers, presence, group, op, begin, ...)                             \
	CALL_OF(group, presence, event, PROGRAMS_##begin)
#define NAMED_CALL(call, word, numbers)
#define NET_CALL(call, event, numbers, presence, group, ...)                                       \
	CALL_OF(group, presence, event, PROGRAMS_OF_SOCKETS)
	IOT_FS_CALLS(FS_CALL, NAMED_CALL) IOT_NET_CALLS(NET_CALL)
};

#define N_CALLS (sizeof(calls) / sizeof(calls[0]))

/* Its end is found by the next beginning, or by what the beginning left. */
static struct probe end_of(const struct call *call, unsigned flags, bool end)
{
	if (end)
		return (struct probe){ PROBE_TRACEPOINT, flags | PROBE_SKIP_SHOWS, call->exit,
				       call->exit_program };
	return (struct probe){ PROBE_TRACEPOINT, flags, call->enter, call->program };
}

bool candidate_probe(const struct candidate *candidate, unsigned i, struct probe *probe)
{
	call_set groups = candidate->calls | candidate->follows;

	for (const struct probe *own = candidate->probes;
	     own < candidate->probes + MAX_PROBES && own->kind != PROBE_END; own++, i--)
		if (i == 0) {
			*probe = *own;
			return true;
		}
	for (size_t k = 0; k < N_CALLS; k++) {
		unsigned flags = calls[k].flags;

		if (!(groups >> calls[k].group & 1))
			continue;
		if (i < 2) {
			/* no rows depend on a call that is only followed */
			if (!(candidate->calls >> calls[k].group & 1))
				flags |= PROBE_OPTIONAL;
			*probe = end_of(&calls[k], flags, i == 1);
			return true;
		}
		i -= 2;
	}
	return false;
}
