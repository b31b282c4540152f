/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which files the pages of an inode are of: the number is free again when its file is gone. */
#pragma once

#include "analysis/report/report_tally.h"

/*
 * The pages that rows tell of an inode under one name, at a moment; of REPORT_CACHED and
 * REPORT_FAULTED. NULL without memory.
 */
struct report_item *report_pages_of(struct report_tally *tally, const struct report_key *key,
				    uint64_t mono_ns);
/* A file has another name from a moment on: "FIRST -> SECOND". */
void report_renamed(struct report_tally *tally, const char *both, size_t len, uint64_t mono_ns);
/*
 * When all rows are in. Of an inode with several names, or none, it is not known whose pages
 * are which: they are forgotten, for their rows are to come again, in order and with the calls that
 * moved them. False: there are none.
 */
bool report_forget_doubtful(struct report_tally *tally);
/* NULL: the inode is none of these. Its label is the name that it had last. */
struct report_item *report_doubtful(const struct report_tally *tally, uint64_t inode,
				    uint64_t device);
/* After these: what was renamed has its last name. */
void report_join_renamed(struct report_tally *tally);
