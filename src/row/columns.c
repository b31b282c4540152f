/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the choice of columns. */
#include "row/columns.h"

#include <string.h>

/*
 * --columns minimal: what files, amp and why (without CPU times) compute with. Streams that are not
 * here keep all columns.
 */
static const char *const minimal[N_STREAMS] = {
	[STREAM_fs] =
		"pid,tid,command,filename,size,inode,offset,latency_ns,return_value,device,path_status,ofd",
	[STREAM_cache] = "pid,command,inode,index,count,filename,device",
};

/* Without them rows have no time and no meaning. */
static const char always[] = "timestamp,operation,event_type,direction,fault_type,mono_ns";

static bool is_in(const char *list, const char *name)
{
	size_t n = strlen(name);

	for (const char *at = list; at; at = strchr(at, ',')) {
		at += *at == ',';
		if (!strncmp(at, name, n) && (!at[n] || at[n] == ','))
			return true;
	}
	return false;
}

static bool keeps_all(enum stream_id stream)
{
	return stream >= N_EVENT_STREAMS || stream == STREAM_exec ||
	       schema_has(stream, ALWAYS_RECORDED);
}

/* 0 where the list names none of its columns. */
static uint64_t omitted_by(enum stream_id stream, const char *list)
{
	uint64_t omitted = 0;
	bool found = false;

	for (unsigned i = 0; i < streams[stream].n_columns; i++) {
		const char *name = streams[stream].columns[i].name;
		bool is_named = is_in(list, name);

		found = found || is_named;
		if (!is_named && !is_in(always, name))
			omitted |= 1ull << i;
	}
	return found ? omitted : 0;
}

static bool is_column(const char *name, size_t len)
{
	for (int i = 0; i < N_EVENT_STREAMS; i++)
		for (unsigned k = 0; k < streams[i].n_columns; k++)
			if (!strncmp(streams[i].columns[k].name, name, len) &&
			    !streams[i].columns[k].name[len])
				return true;
	return false;
}

bool columns_choose(struct schema_omitted *omitted, const char *list, const char **bad, size_t *len)
{
	bool is_minimal = !strcmp(list, "minimal");

	*omitted = (struct schema_omitted){ { 0 } };
	for (*bad = list; !is_minimal; *bad += *len + 1) {
		*len = strcspn(*bad, ",");
		if (!is_column(*bad, *len))
			return false;
		if (!(*bad)[*len])
			break;
	}
	for (int i = 0; i < N_EVENT_STREAMS; i++) {
		const char *names = is_minimal ? minimal[i] : list;

		if (names && !keeps_all((enum stream_id)i))
			omitted->columns[i] = omitted_by((enum stream_id)i, names);
	}
	return true;
}

bool columns_are_omitted(const struct schema_omitted *omitted)
{
	for (int i = 0; i < N_STREAMS; i++)
		if (omitted->columns[i])
			return true;
	return false;
}

json_t *columns_json(enum stream_id stream, uint64_t omitted)
{
	json_t *names = json_array();

	for (unsigned i = 0; i < streams[stream].n_columns; i++)
		if (!(omitted >> i & 1))
			json_array_append_new(names, json_string(streams[stream].columns[i].name));
	return names;
}

uint64_t columns_omitted(enum stream_id stream, const json_t *names)
{
	uint64_t omitted = 0;

	for (unsigned i = 0; i < streams[stream].n_columns && json_array_size(names); i++) {
		const json_t *name;
		bool found = false;
		size_t k;

		json_array_foreach(names, k, name)
			found = found ||
				(json_is_string(name) &&
				 !strcmp(json_string_value(name), streams[stream].columns[i].name));
		if (!found)
			omitted |= 1ull << i;
	}
	return omitted;
}
