/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The words of rows that readers tell apart, as numbers: a column with such a list (struct
 * read_column) has the word's place as its number. Place 0 is no word: the field is empty. Other
 * words have the length of the list.
 */
#pragma once

#include "row/parse.h"

enum ds_operation { DS_OP_READ = 1, DS_OP_WRITE, DS_OP_ZONE_APPEND, DS_OP_FLUSH };
enum ds_cause {
	CAUSE_READ = 1,
	CAUSE_DIRECT,
	CAUSE_WRITEBACK,
	CAUSE_SYNC,
	CAUSE_JOURNAL,
	CAUSE_METADATA,
	CAUSE_LAZYINIT,
	CAUSE_SWAP,
	CAUSE_DEVICE,
	CAUSE_LOOP,
	N_DS_CAUSES
};
enum nw_direction { NW_SENDS = 1, NW_RECEIVES };
enum drop_event { DROP_RETRANSMIT = 1 };
enum exec_event { EXEC_FORK = 1, EXEC_EXIT, EXEC_EXEC, EXEC_GROUP };
enum cache_event {
	CACHE_HIT = 1,
	CACHE_MISS,
	CACHE_DIRTY,
	CACHE_WRITTEN,
	CACHE_EVICT,
	CACHE_INVALIDATE,
	CACHE_DROP,
	N_CACHE_WORDS
};
enum fault_severity { FAULT_MINOR = 1, FAULT_MAJOR };
enum uring_event {
	URING_ENTER = 1,
	URING_CREATE,
	URING_REGISTER,
	URING_SUBMIT,
	URING_QUEUE_ASYNC,
	URING_POLL_ARM,
	URING_COMPLETE,
	URING_CQE_OVERFLOW
};
enum layers_layer { LAYERS_SYSCALL = 1, LAYERS_VFS, LAYERS_BLOCK };
enum layers_operation { LAYERS_READ = 1, LAYERS_WRITE, LAYERS_SYNC };

/* Each up to NULL; fs_operations by enum iot_op. */
extern const char *const fs_operations[],
	*const ds_operations[],
		*const ds_causes[],
			*const nw_directions[],
				*const drop_events[],
					*const exec_events[],
						*const cache_events[],
							*const fault_severities[],
								*const uring_events[],
									*const layers_layers[],
										*const layers_operations
											[];

/* For a field that was parsed without the list; 0 for other words, too. */
unsigned row_word(const char *const *words, const struct field *field);
