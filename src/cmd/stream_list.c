/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the list of streams that -e takes: "fs,ds", "!exec" or "+sched". */
#include "cmd/stream_list.h"

#include <string.h>

#include "base/log.h"
#include "cmd/option_values.h"

/* What the commands that answer need, in a word. */
static const struct {
	const char *name;
	enum stream_id streams[4];
	unsigned n;
} sets[] = {
	{ "why", { STREAM_fs, STREAM_ds, STREAM_sched }, 3 },
};

static void list_streams(char *out, size_t size)
{
	size_t n = 0;

	out[0] = '\0';
	for (int i = 0; i < N_EVENT_STREAMS && n < size; i++)
		if (!schema_has(i, ALWAYS_RECORDED))
			n += snprintf(out + n, size - n, "%s%s", n ? ", " : "", streams[i].name);
	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]) && n < size; i++)
		n += snprintf(out + n, size - n, ", %s", sets[i].name);
}

static bool choose_set(const char *name, bool on, bool chosen[N_STREAMS])
{
	for (size_t i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		if (strcmp(sets[i].name, name))
			continue;
		for (unsigned k = 0; k < sets[i].n; k++)
			chosen[sets[i].streams[k]] = on;
		return true;
	}
	return false;
}

static bool choose_stream(const char *name, bool on, bool chosen[N_STREAMS])
{
	int id = schema_find(name);

	if (id < 0 || id >= N_EVENT_STREAMS || schema_has(id, ALWAYS_RECORDED))
		return false;
	chosen[id] = on;
	return true;
}

void options_default_streams(bool chosen[N_STREAMS])
{
	for (int i = 0; i < N_EVENT_STREAMS; i++)
		chosen[i] = !schema_has(i, OFF_BY_DEFAULT);
}

bool options_streams_of(const char *text, void (*set_default)(bool streams[N_STREAMS]),
			bool chosen[N_STREAMS])
{
	char known[256], word[OPTION_WORD];
	bool first = true;

	while (next_word(&text, word)) {
		bool without = word[0] == '!', changes = without || word[0] == '+';

		/* a list names what is wanted; one that begins with '!' or '+' changes the default */
		if (first && changes)
			set_default(chosen);
		else if (first)
			memset(chosen, 0, N_EVENT_STREAMS * sizeof(*chosen));
		if (!choose_stream(word + changes, !without, chosen) &&
		    !choose_set(word + changes, !without, chosen)) {
			list_streams(known, sizeof(known));
			log_error("--events: unknown stream '%s' (%s)", word + changes, known);
			return false;
		}
		first = false;
	}
	if (first)
		log_error("--events needs the name of a stream");
	for (int i = 0; i < N_EVENT_STREAMS; i++)
		chosen[i] = chosen[i] || schema_has(i, ALWAYS_RECORDED);
	return !first;
}

bool options_streams(const char *text, bool chosen[N_STREAMS])
{
	return options_streams_of(text, options_default_streams, chosen);
}

/* What a person can follow; the others have many times as many rows. */
void options_streams_shown(bool chosen[N_STREAMS])
{
	static const enum stream_id shown[] = { STREAM_fs,      STREAM_ds,   STREAM_nw,
						STREAM_nw_conn, STREAM_exec, STREAM_iouring };

	for (int i = 0; i < N_EVENT_STREAMS; i++)
		chosen[i] = schema_has((enum stream_id)i, ALWAYS_RECORDED);
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++)
		chosen[shown[i]] = true;
}
