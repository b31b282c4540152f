/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls by what records say of them: probes/schema/fs_calls.def in the reader. */
#pragma once

#include "row/records.h"

enum { CALLS_MAX_NUMBER = 640, CALL_WORD_MAX = 32 };

/* The calls that the numbers of this machine's tables mean; 0: none that is listed. */
struct calls {
	u16 native[CALLS_MAX_NUMBER];
	u16 compat[CALLS_MAX_NUMBER]; /* of 32-bit callers */
};

/* Both tables for the machine of this build. */
void calls_read(struct calls *calls);

/* The number of IOT_CALL_* on this machine; -1: it has no such call. */
int calls_number(u16 call);

/*
 * The number of the call whose events in tracefs are sys_enter_EVENT and sys_exit_EVENT; -1:
 * likewise.
 */
int calls_event_number(const char *event);

/*
 * The word for iot_fs.call, "" for nobody's. One of a number that is not listed is made in text
 * (CALL_WORD_MAX bytes).
 */
const char *calls_word(const struct calls *calls, u16 call, char *text);
