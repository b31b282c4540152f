/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The records of the ring as the reader's C sees them: probes/record.h with its types. */
#ifndef IO_RECORDS_H
#define IO_RECORDS_H

#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef int64_t s64;

#include "record.h"
#include "record_net.h"

_Static_assert(sizeof(struct io_head) == 40, "io_head has padding");
_Static_assert(sizeof(struct io_fs) == 40 + 56 + 16 + 8, "io_fs has padding");
_Static_assert(sizeof(struct io_more) == sizeof(struct io_fs) + 48 + 16, "io_more has padding");
_Static_assert(sizeof(struct io_text) == IO_TEXT_HEAD + IO_TEXT_SLOTS, "io_text has padding");
_Static_assert(sizeof(struct io_task) == 40 + 32 + 8, "io_task has padding");
_Static_assert(sizeof(struct io_cache) == 40 + 32 + 16, "io_cache has padding");
_Static_assert(sizeof(struct io_fault) == 40 + 40 + 8, "io_fault has padding");
_Static_assert(sizeof(struct io_rq) == 24 + 16 + 16 + 24 + 16 + 16, "io_rq has padding");
_Static_assert(sizeof(struct io_ends) == 8 + 32 + 12 + 4, "io_ends has padding");
_Static_assert(sizeof(struct io_net) == 40 + 56 + 24 + 16, "io_net has padding");
_Static_assert(sizeof(struct io_conn) == 40 + 56 + 24 + 16, "io_conn has padding");
_Static_assert(sizeof(struct io_poll) == 40 + 24 + 24, "io_poll has padding");
_Static_assert(sizeof(struct io_opt) == 40 + 16 + 16 + 32 + 8, "io_opt has padding");
_Static_assert(sizeof(struct io_drop) == 40 + 56 + 24, "io_drop has padding");
_Static_assert(sizeof(struct io_ring) == 40 + 72 + 24, "io_ring has padding");
_Static_assert(sizeof(struct io_ds) == 40 + 32 + 24 + 16, "io_ds has padding");

#endif
