/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the grammar of a condition: a column of `amp --csv`, what it is compared with, and for how long. */
#include "cmd/alert_options.h"

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "analysis/amp/amp_alert.h"
#include "analysis/amp/amp_print.h"
#include "base/clock.h"
#include "base/log.h"
#include "cmd/option_values.h"

enum { WORD = 48, RATIO_DIGITS = 6 };

static const char *skip_blanks(const char *at)
{
	while (*at == ' ' || *at == '\t')
		at++;
	return at;
}

/* Letters, digits, points and underscores; false: there is none, or it is too long. */
static bool take_word(const char **at, char word[WORD])
{
	size_t n = 0;

	*at = skip_blanks(*at);
	while (n + 1 < WORD && (isalnum((unsigned char)**at) || **at == '_' || **at == '.'))
		word[n++] = *(*at)++;
	word[n] = '\0';
	return n;
}

static bool take_op(const char **at, enum amp_alert_op *op)
{
	*at = skip_blanks(*at);
	if (**at != '>' && **at != '<')
		return false;
	*op = **at == '>' ? AMP_ABOVE : AMP_BELOW;
	if (*++*at == '=') {
		*op = *op == AMP_ABOVE ? AMP_AT_LEAST : AMP_AT_MOST;
		++*at;
	}
	return true;
}

/* "2.5": millionths. */
static bool parse_ratio(const char *text, uint64_t *millionths)
{
	char whole[WORD];
	const char *point = strchr(text, '.');
	size_t n = point ? (size_t)(point - text) : strlen(text),
	       digits = point ? strlen(point + 1) : 0;
	uint64_t part = 0;

	snprintf(whole, sizeof(whole), "%.*s", (int)n, text);
	if (!parse_number(whole, UINT32_MAX, millionths) || digits > RATIO_DIGITS ||
	    (point && !digits) || (digits && !parse_number(point + 1, 999999, &part)))
		return false;
	for (; digits && digits < RATIO_DIGITS; digits++)
		part *= 10;
	*millionths = *millionths * 1000000 + part;
	return true;
}

static bool ends_with(const char *text, const char *end)
{
	size_t n = strlen(text), m = strlen(end);

	return n >= m && !strcmp(text + n - m, end);
}

static bool parse_limit(const char *metric, enum table_type type, const char *text, uint64_t *limit)
{
	if (type == TABLE_RATIO)
		return parse_ratio(text, limit);
	if (ends_with(metric, "_ns"))
		return parse_time(text, 1, limit);
	return ends_with(metric, "_bytes") ? parse_size(text, limit) :
					     parse_number(text, UINT64_MAX, limit);
}

/* What is wrong; NULL: nothing. */
static const char *parse(const char *at, struct amp_alert *alert)
{
	char metric[WORD], word[WORD];
	uint64_t ns;

	if (!take_word(&at, metric))
		return "it does not begin with a column of amp --csv";
	alert->metric = amp_metric_find(metric);
	if (alert->metric < 0)
		return "its first word is not a numeric column of amp --csv";
	if (!take_op(&at, &alert->op))
		return "after the column it needs >, >=, < or <=";
	if (!take_word(&at, word) ||
	    !parse_limit(metric, amp_metric_type(alert->metric), word, &alert->limit))
		return "it needs a number of the column's kind: 2.5, 64M or 10ms";
	alert->for_s = 1;
	if (!*skip_blanks(at))
		return NULL;
	if (!take_word(&at, word) || strcmp(word, "for") != 0)
		return "after the number only 'for 10s' may follow";
	if (!take_word(&at, word) || !parse_time(word, NS_PER_S, &ns) || !ns || ns % NS_PER_S ||
	    ns / NS_PER_S > INT_MAX || *skip_blanks(at))
		return "its duration needs whole seconds: 'for 10s'";
	alert->for_s = (unsigned)(ns / NS_PER_S);
	return NULL;
}

bool option_alert(const struct option_row *row, const char *arg, void *target)
{
	struct amp_alert_options *alerts = target;
	struct amp_alert alert;
	const char *wrong = strlen(arg) < sizeof(alert.text) ? parse(arg, &alert) :
							       "it is too long";

	if (!wrong && alerts->n == AMP_MAX_ALERTS)
		wrong = "at most eight conditions";
	if (wrong) {
		log_error("--%s: invalid condition '%s': %s", row->name, arg, wrong);
		return false;
	}
	snprintf(alert.text, sizeof(alert.text), "%s", arg);
	alerts->list[alerts->n++] = alert;
	return true;
}
