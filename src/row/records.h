/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The records of the ring as the reader's C sees them: probes/schema/record.h with its types. */
#pragma once

#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef int64_t s64;

#include "probes/schema/fs_calls.def"
#include "probes/schema/fs_ops.def"
#include "probes/schema/net_calls.def"
#include "probes/schema/streams.def"

#include "probes/schema/record.h"

#include "probes/schema/call_row.h"
#include "probes/schema/control.h"
#include "probes/schema/counts.h"
#include "probes/schema/pending.h"
#include "probes/schema/record_net.h"

_Static_assert(IOT_N_SEQ_STREAMS <= IOT_SEQ_STATE, "a stream has the number of the state");
_Static_assert(IOT_N_OPS <= 64 && (int)IOT_N_OPS <= IOT_LSEEK,
	       "masks have a bit for each operation");
_Static_assert(sizeof(struct iot_head) == 40, "iot_head has padding");
_Static_assert(sizeof(struct iot_fs) == 40 + 56 + 24 + 8, "iot_fs has padding");
_Static_assert(sizeof(struct iot_more) == sizeof(struct iot_fs) + 48 + 16, "iot_more has padding");
_Static_assert(sizeof(struct iot_text) == IOT_TEXT_HEAD + IOT_TEXT_SLOTS, "iot_text has padding");
_Static_assert(sizeof(struct iot_task) == 40 + 32 + 8, "iot_task has padding");
_Static_assert(sizeof(struct iot_cache) == 40 + 32 + 16, "iot_cache has padding");
_Static_assert(sizeof(struct iot_fault) == 40 + 40 + 16, "iot_fault has padding");
_Static_assert(sizeof(struct iot_call_row) == 8 + 6 + 2 + 8 + 4 + 4, "iot_call_row has padding");
_Static_assert(sizeof(struct iot_count_key) == 12, "iot_count_key has padding");
_Static_assert(sizeof(struct iot_count) == 72, "iot_count has padding");
_Static_assert(sizeof(struct iot_run) == 40 + 24 + 16 + 12 + 4, "iot_run has padding");
_Static_assert(sizeof(struct iot_stack) == 40 + 8 + 8 + 64, "iot_stack has padding");
_Static_assert(sizeof(struct iot_netfs) == 40 + 64 + 16 + 8 + 40, "iot_netfs has padding");
_Static_assert(sizeof(struct iot_owner) == 24 + 4 * 3 + 2 * 4 + 4, "iot_owner has padding");
_Static_assert(sizeof(struct iot_rq) == 32 + 16 + 16 + 24 + 16 + 16 + sizeof(struct iot_owner),
	       "iot_rq has padding");
_Static_assert(sizeof(struct iot_ends) == 8 + 32 + 12 + 4, "iot_ends has padding");
_Static_assert(sizeof(struct iot_net) == 40 + 56 + 24 + 16, "iot_net has padding");
_Static_assert(sizeof(struct iot_conn) == 40 + 56 + 24 + 16, "iot_conn has padding");
_Static_assert(sizeof(struct iot_poll) == 40 + 24 + 24, "iot_poll has padding");
_Static_assert(sizeof(struct iot_opt) == 40 + 16 + 16 + 32 + 8, "iot_opt has padding");
_Static_assert(sizeof(struct iot_drop) == 40 + 56 + 32, "iot_drop has padding");
_Static_assert(sizeof(struct iot_ring) == 40 + 72 + 32 + 8, "iot_ring has padding");
_Static_assert(sizeof(struct iot_ds) == 40 + 40 + 24 + 16 + 8 + sizeof(struct iot_owner),
	       "iot_ds has padding");
