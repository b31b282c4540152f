/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What checks find wrong: the rules, and the list that each finding goes to. */
#pragma once

#include "analysis/report/report_limits.h"
#include "analysis/report/report_sections.h"

enum finding_severity { FINDING_LOW, FINDING_MEDIUM, FINDING_HIGH, N_FINDING_SEVERITIES };
extern const char *const finding_severities[N_FINDING_SEVERITIES + 1]; /* up to NULL */

#define FINDING_NUMBER(number, id, needs, least, most, condition, cost, advice) FINDING_##number,
enum finding_id { REPORT_FINDINGS(FINDING_NUMBER) N_FINDINGS };
#undef FINDING_NUMBER

struct finding_rule {
	const char *id;
	const char *streams; /* that it needs, with blanks between */
	enum finding_severity least, most;
	const char *condition, *cost, *advice;
};
extern const struct finding_rule finding_rules[N_FINDINGS];

/*
 * Whether what there is of the stream is enough to judge by: where --budget left rows out, it stands for all but a
 * hundredth of what happened, by one of 64 at least and, of files, to 5 points.
 */
bool report_judges(const struct report *report, enum stream_id stream);

struct found {
	enum finding_id id;
	enum finding_severity severity;
	double share;
	struct table_value subject, text, evidence, command;
};

struct findings {
	struct report_answer *answer;
	struct found *list;
	uint64_t n, max;
};
typedef void finding_check(struct findings *findings);

/* One that was found; texts are copied. */
struct finding {
	enum finding_id id;
	double share;                   /* of the time or the bytes, cut at 1 */
	enum finding_severity at_least; /* whatever its share is */
	bool harmless;                  /* low, whatever its share is */
	const char *subject;
	size_t subject_len; /* 0: up to its NUL */
	const char *evidence;
	const char *command; /* behind "iotracer COMMAND DIR" */
	const char *reader;  /* COMMAND */
};

enum { FINDING_NAME_SIZE = 256 };

/* The name of a file for a sentence: of a long one the end, behind "...". */
const char *finding_name(char text[FINDING_NAME_SIZE], const char *name, size_t len);

__attribute__((format(printf, 3, 4))) void report_found(struct findings *findings,
							const struct finding *finding,
							const char *format, ...);
/* "dd (4711)"; the command is not NUL-terminated, and cut. */
enum { FINDING_PROCESS = 96 };
void report_name_process(char name[FINDING_PROCESS], const char *command, size_t len, uint64_t pid);
/* Of the trace, in ns: not 0. */
double report_span(const struct findings *findings);
struct report *report_of(const struct findings *findings);
struct report_answer *report_answer_of(const struct findings *findings);
double report_limit(const struct findings *findings, enum report_limit limit);
