/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sections in words: the trace, what it lacks, what was found in it. */
#pragma once

#include "analysis/report/report_sections.h"

/* Each adds its sections. */
void report_add_trace(struct report_answer *answer);
void report_add_missing(struct report_answer *answer);
/* A row of it, which is known later; count may be NULL. */
void report_lack(struct report_answer *answer, const char *stream, const char *kind,
		 const uint64_t *count, const char *text);
void report_add_words(struct report_answer *answer);
