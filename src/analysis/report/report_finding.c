/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns what becomes of a finding: its severity by what it costs, its texts. What is one, checks decide. */
#include "analysis/report/report_finding.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/common/grow.h"
#include "base/clock.h"
#include "read/members.h"

const char *const finding_severities[N_FINDING_SEVERITIES + 1] = { "low", "medium", "high", NULL };

#define RULE(number, id, streams, least, most, condition, cost, advice)                            \
	{ id, streams, FINDING_##least, FINDING_##most, condition, cost, advice },
const struct finding_rule finding_rules[N_FINDINGS] = { REPORT_FINDINGS(RULE) };

struct report *report_of(const struct findings *f)
{
	return f->answer->report;
}

struct report_answer *report_answer_of(const struct findings *f)
{
	return f->answer;
}

void report_name_process(char name[FINDING_PROCESS], const char *command, size_t len, uint64_t pid)
{
	snprintf(name, FINDING_PROCESS, "%.*s (%" PRIu64 ")", len > 40 ? 40 : (int)len, command,
		 pid);
}

double report_limit(const struct findings *f, enum report_limit limit)
{
	return f->answer->report->limits.values[limit];
}

double report_span(const struct findings *f)
{
	return report_seconds(f->answer->report) * (double)NS_PER_S;
}

static enum finding_severity severity_of(const struct findings *f, const struct finding *finding)
{
	const struct finding_rule *rule = &finding_rules[finding->id];
	enum finding_severity severity = finding->share >= report_limit(f, LIMIT_HIGH) ?
						 FINDING_HIGH :
					 finding->share >= report_limit(f, LIMIT_MEDIUM) ?
						 FINDING_MEDIUM :
						 FINDING_LOW;

	if (finding->harmless)
		severity = FINDING_LOW;
	if (severity < finding->at_least)
		severity = finding->at_least;
	if (severity < rule->least)
		severity = rule->least;
	return severity > rule->most ? rule->most : severity;
}

/* As a shell takes it */
static void put_dir(FILE *out, const char *dir)
{
	bool plain = *dir;

	for (const char *p = dir; *p; p++)
		plain = plain && (isalnum((unsigned char)*p) || strchr("/._-+:@%,", *p));
	if (plain) {
		fputs(dir, out);
		return;
	}
	fputc('\'', out);
	for (const char *p = dir; *p; p++)
		fputs(*p == '\'' ? "'\\''" : (char[]){ *p, '\0' }, out);
	fputc('\'', out);
}

static struct table_value command_of(struct findings *f, const struct finding *finding)
{
	struct table_value value = { .known = false };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out) {
		f->answer->no_memory = true;
		return value;
	}
	fprintf(out, "iotracer %s ", finding->reader);
	put_dir(out, f->answer->report->session.dir);
	fprintf(out, "%s%s", *finding->command ? " " : "", finding->command);
	if (!fclose(out))
		value = report_copy(f->answer, text);
	free(text);
	return value;
}

const char *finding_name(char text[FINDING_NAME_SIZE], const char *name, size_t len)
{
	bool whole = len < FINDING_NAME_SIZE;

	snprintf(text, FINDING_NAME_SIZE, "%s%.*s", whole ? "" : "...",
		 (int)(whole ? len : FINDING_NAME_SIZE - 4),
		 whole ? name : name + len - (FINDING_NAME_SIZE - 4));
	return text;
}

static const json_t *thinned(const struct report *r, enum stream_id stream)
{
	const json_t *item,
		*list = json_object_get(json_object_get(r->session.manifest, "budget"), "left_out");
	size_t i;

	json_array_foreach((json_t *)list, i, item)
	{
		if (read_is_of(item, stream))
			return item;
	}
	return NULL;
}

bool report_judges(const struct report *r, enum stream_id stream)
{
	const json_t *item = thinned(r, stream);
	const struct gaps *gaps = &r->gaps[stream];
	uint64_t count = 0, unlike = 0, factor = 0;

	if (!item)
		return true;
	member_number(item, "count", &count);
	member_number(item, "not_represented", &unlike);
	member_number(item, "largest_factor", &factor);
	return unlike * 100 <= count + gaps->totals.rows && factor <= 64 &&
	       (stream != STREAM_fs || (gaps->error_known && gaps->share_error <= 5));
}

/* Of several streams each lacks what the other one has; an open and its close may be apart, one of them left out. */
static bool is_judged(const struct report *r, enum finding_id id)
{
	unsigned n = 0;

	for (int i = 0; i < N_EVENT_STREAMS; i++) {
		const char *at = strstr(finding_rules[id].streams, streams[i].name);
		size_t len = strlen(streams[i].name);

		/* a whole word */
		if (!at || (at[len] && at[len] != ' ') ||
		    (at > finding_rules[id].streams && at[-1] != ' ') ||
		    !thinned(r, (enum stream_id)i))
			continue;
		if (!report_judges(r, (enum stream_id)i) || id == FINDING_LEAKED)
			return false;
		n++;
	}
	return n < 2;
}

void report_found(struct findings *f, const struct finding *finding, const char *format, ...)
{
	char text[1024];
	struct found *found;
	const char *subject;
	size_t subject_len;
	int len;
	va_list ap;

	if (!is_judged(report_of(f), finding->id))
		return;
	/* what costs next to nothing; what costs no time is counted by itself */
	if (finding->share > 0 && finding->share < report_limit(f, LIMIT_LOW) &&
	    finding->at_least == FINDING_LOW && finding_rules[finding->id].least == FINDING_LOW)
		return;
	if (!grow(&f->list, &f->max, f->n + 1, 16, sizeof(*f->list))) {
		f->answer->no_memory = true;
		return;
	}
	va_start(ap, format);
	len = vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	if (len >= 0 && len < (int)sizeof(text))
		snprintf(text + len, sizeof(text) - (size_t)len, ". %s",
			 finding_rules[finding->id].advice);
	subject_len = finding->subject_len ? finding->subject_len : strlen(finding->subject);
	subject = pool_text(&f->answer->pool, finding->subject, subject_len);
	f->answer->no_memory = f->answer->no_memory || !subject;
	found = &f->list[f->n++];
	*found = (struct found){
		.id = finding->id,
		.severity = severity_of(f, finding),
		.share = finding->share < 1 ? finding->share : 1,
		.subject = table_bytes(subject ? subject : "", subject ? subject_len : 0),
		.text = report_copy(f->answer, text),
		.evidence = report_copy(f->answer, finding->evidence),
		.command = command_of(f, finding),
	};
}
