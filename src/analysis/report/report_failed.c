/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns what tells one failure from another. A trace may have millions of paths that are not there, so
 * there is a bound on how many stand by themselves.
 */
#include "analysis/report/report_failed.h"

#include <string.h>

#include "row/format.h"

enum { PART = 64, PATH = 4096, NAME_SIZE = 3 * (PART + 1) + PATH };

static char *put_part(char *p, const char *text, size_t len, size_t most)
{
	len = len < most ? len : most;
	memcpy(p, text, len);
	return p + len;
}

static char *put_field_part(char *p, const struct field *field)
{
	if (field && field->len)
		p = put_part(p, field->text, field->len, PART);
	*p++ = '\0';
	return p;
}

static struct report_item *item_of(struct report_tally *tally, const struct report_key *key,
				   size_t path_len)
{
	struct report_key without = *key;
	struct report_item *item;

	if (tally->n_failed >= REPORT_MOST_FAILED && !report_find(tally, key)) {
		without.number = 0;
		without.len -= path_len;
		return report_item(tally, &without);
	}
	item = report_item(tally, key);
	if (item && !item->values[REPORT_COUNT])
		tally->n_failed++;
	return item;
}

void report_failed(struct report_tally *tally, enum stream_id stream, const struct field *f,
		   const struct field *operation, const struct field *call, int error,
		   const struct field *error_name)
{
	const struct field *path = &f[REPORT_PATH], *pid = &f[REPORT_PID];
	char name[NAME_SIZE], *p = put_field_part(name, operation);
	struct report_key key = { REPORT_FAILED, pid->u, stream, name, 0 };
	struct report_item *item;
	const char *before;

	p = put_field_part(p, call);
	if (error) {
		p = put_err(p, error);
		*p++ = '\0';
	} else {
		p = put_field_part(p, error_name);
	}
	before = p;
	if (path->len)
		p = put_part(p, path->text, path->len, PATH);
	key.len = (size_t)(p - name);
	item = item_of(tally, &key, (size_t)(p - before));
	if (!item)
		return;
	item->values[REPORT_COUNT]++;
	if (!item->first_ns || f[REPORT_MONO].u < item->first_ns)
		item->first_ns = f[REPORT_MONO].u;
	report_item_label(tally, item, f[REPORT_COMMAND].text, f[REPORT_COMMAND].len,
			  f[REPORT_MONO].u);
	/* nobody's has no label, and is the last one all the same */
	if (f[REPORT_MONO].u > item->label_ns)
		item->label_ns = f[REPORT_MONO].u;
}
