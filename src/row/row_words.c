/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the order of the words, which is that of the enums. */
#include "row/row_words.h"

#include "row/records.h"

#define OP_WORD(name, flags, traits) [IOT_##name] = #name,
const char *const fs_operations[IOT_N_OPS + 1] = { "", IOT_FS_OPS(OP_WORD) };

/* In the order of their enums. */
const char *const ds_operations[] = { "", "read", "write", "zone_append", "flush", NULL };
const char *const ds_causes[] = { "",         "read",     "direct", "writeback", "sync", "journal",
				  "metadata", "lazyinit", "swap",   "device",    "loop", NULL };
const char *const nw_directions[] = { "", "send", "receive", NULL };
const char *const drop_events[] = { "", "TCP_RETRANSMIT", NULL };
const char *const exec_events[] = { "", "FORK", "EXIT", "EXEC", "GROUP", NULL };
const char *const cache_events[] = { "",      "HIT",        "MISS", "DIRTY", "WRITEBACK_END",
				     "EVICT", "INVALIDATE", "DROP", NULL };
const char *const fault_severities[] = { "", "MINOR", "MAJOR", NULL };
const char *const uring_events[] = { "",         "ENTER",    "CREATE",
				     "REGISTER", "SUBMIT",   "QUEUE_ASYNC",
				     "POLL_ARM", "COMPLETE", "CQE_OVERFLOW",
				     NULL };
const char *const layers_layers[] = { "", "SYSCALL", "VFS", "BLOCK", NULL };
const char *const layers_operations[] = { "", "READ", "WRITE", "SYNC", NULL };

unsigned row_word(const char *const *words, const struct field *field)
{
	for (unsigned i = 1; words[i]; i++)
		if (field_is(field, words[i]))
			return i;
	return 0;
}
