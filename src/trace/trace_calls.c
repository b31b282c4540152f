/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table in which the programs of system calls find what a call is by its number: made of
 * fs_calls.def and net_calls.def, for the calls of this machine and this plan.
 */
#include "trace/trace_calls.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "compat/candidates/call_groups.h"
#include "compat/sys/bpf.h"
#include "row/calls.h"
#include "row/records.h"
#include "trace/load.h"
#include "trace/trace_set.h"

/* ---- what the words of the lists mean ---- */

/* struct iot_call_row.to: the member of struct iot_call that argument n is */
#define PUT(n, member) .to[n] = offsetof(struct iot_call, member)
#define TEXT(n) PUT(n, text)
#define TEXT2(n) PUT(n, text2)
#define SIZE(n) PUT(n, more.fs.size)
#define OFFSET(n) PUT(n, more.fs.offset)
#define ADDRESS(n) PUT(n, more.address)
#define OLD_SIZE(n) PUT(n, more.old_size)
#define OFFSET_AT(n) PUT(n, offp)
#define OFFSET2_AT(n) PUT(n, offp2)
#define DIRFD(n) PUT(n, more.IOT_GIVEN_FD)
#define DIRFD2(n) PUT(n, more.IOT_GIVEN_FD2)
#define FD(n) DIRFD(n)
#define FD2(n) DIRFD2(n)
#define FLAGS(n) PUT(n, more.IOT_GIVEN_FLAGS)
#define PROT(n) PUT(n, more.IOT_GIVEN_PROT)
#define MODE(n) FLAGS(n), .no_flags = ~07777u
/* user and group; both times */
#define OWNER(n) FLAGS(n), PROT((n) + 1), .rules = IOT_RULE_OWNER
#define TIMES(n) FLAGS(n), .rules = IOT_RULE_TIMES
/* what the program reads itself */
#define AT_FLAGS(n) .at = n
#define REMOVEDIR(n) .at = n, .rules = IOT_RULE_REMOVEDIR
#define EMPTY_PATH(n) .at = n, .rules = IOT_RULE_EMPTY
#define AT_SHOWN(n) .at = n, .rules = IOT_RULE_AT_SHOWN
#define SELF .rules = IOT_RULE_SELF
#define IOVEC(n) .at = 0
#define NONE .at = 0
/* the column flags of SETATTR, whatever the arguments */
#define SETS(what) .flags = SETS_##what
enum { SETS_MODE = 1, SETS_TIMES = 16 | 32 };

#define NO_TIMEOUT .timeout = IOT_NO_TIMEOUT
#define TIMEOUT_MS(n) .timeout = IOT_TIMEOUT_MS, .timeout_at = n
#define TIMESPEC(n) .timeout = IOT_TIMESPEC, .timeout_at = n
#define TIMEVAL(n) .timeout = IOT_TIMEVAL, .timeout_at = n

#define GIVEN_NOTHING offsetof(struct iot_call, more.IOT_GIVEN_NOTHING)

static const struct known {
	enum call_group group;
	struct iot_call_row row;
} known[] = {
#define FS_CALL(call_, event, numbers, presence, group_, op_, begin_, ...)                         \
	{ .group = CALLS_##group_,                                                                 \
	  .row = { .op = IOT_##op_,                                                                \
		   .call = IOT_CALL_##call_,                                                       \
		   .begin = IOT_BEGIN_##begin_,                                                    \
		   __VA_ARGS__ } },
#define NAMED_CALL(call, word, numbers)
#define NET_CALL(call_, event, numbers, presence, group_, stream, op_, capability, ...)            \
	{ .group = CALLS_##group_,                                                                 \
	  .row = { .call = IOT_CALL_##call_,                                                       \
		   .sock_class = IOT_SEQ_##stream,                                                 \
		   .sock_op = IOT_##op_,                                                           \
		   .sock_via = CAP_##capability + 1,                                               \
		   __VA_ARGS__ } },
	IOT_FS_CALLS(FS_CALL, NAMED_CALL) IOT_NET_CALLS(NET_CALL)
};

#define N_KNOWN (sizeof(known) / sizeof(known[0]))

/* Of records, from 1; 0: of no capability */
enum { CAP_NONE = -1 };
#define VIA(name, capability) [CALLS_##name] = CAP_##capability + 1,
static const uint16_t via[N_CALL_GROUPS] = { CALL_GROUPS(VIA) };

_Static_assert(sizeof(struct iot_call_rows) == IOT_CALL_ROWS * sizeof(struct iot_call_row),
	       "the table is not what is put there");
_Static_assert(offsetof(struct iot_call, offp2) <= UINT8_MAX, "iot_call_row.to has no room");
_Static_assert(sizeof(union iot_pending) >= UINT8_MAX + sizeof(uint64_t),
	       "the verifier cannot know that an argument stays in its entry");

/* Each argument goes somewhere. */
static void place_all(struct iot_call_row *row)
{
	for (uint8_t i = 0; i < 6; i++) {
		if (row->to[i])
			row->placed = i + 1;
		else
			row->to[i] = GIVEN_NOTHING;
	}
}

/* What of a call is wanted: its own rows, and that it makes a descriptor which is no file's. */
static void fill(struct iot_call_row *row, const struct known *call, call_set wanted,
		 call_set followed)
{
	const call_set group = (call_set)1 << call->group;

	if (!((wanted | followed) & group))
		return;
	*row = call->row;
	if (row->sock_class != IOT_SEQ_fs) {
		row->begin = followed & group ? IOT_BEGIN_NEWFD : IOT_BEGIN_NONE;
		if (!(wanted & group))
			row->sock_class = 0;
		return;
	}
	row->via = row->op < IOT_N_OPS ? via[call->group] : 0;
	if (call->group == CALLS_FCNTL)
		row->rules = (wanted & CALLS(LOCK) ? IOT_RULE_LOCKS : 0) |
			     (wanted & CALLS(FOLLOW) ? IOT_RULE_FOLLOWED : 0);
	place_all(row);
}

void trace_call_rows(const struct plan *plan, struct iot_call_row *rows)
{
	call_set wanted = 0, followed = 0;

	memset(rows, 0, IOT_CALL_ROWS * sizeof(*rows));
	for (unsigned i = 0; i < plan->n_choices; i++) {
		const struct plan_choice *choice = &plan->choices[i];

		if (choice->wanted && choice->chosen) {
			wanted |= choice->chosen->calls | choice->chosen->rows_of;
			followed |= choice->chosen->follows;
		}
	}
	for (size_t i = 0; i < N_KNOWN; i++) {
		int number = calls_number(known[i].row.call);

		if (number >= 0 && number < IOT_CALL_ROWS)
			fill(&rows[number], &known[i], wanted, followed);
	}
}

int trace_fill_calls(struct trace *trace)
{
	int map = load_map(&trace->loaded, "iot_calls"), err;
	struct iot_call_row *rows;
	uint32_t zero = 0;

	if (map < 0)
		return 0;
	rows = calloc(IOT_CALL_ROWS, sizeof(*rows));
	if (rows)
		trace_call_rows(trace->plan, rows);
	err = rows ? bpf_map_put(map, &zero, rows) : -ENOMEM;
	free(rows);
	if (err)
		log_error("cannot fill the table of system calls: %s", strerror(-err));
	return err;
}
