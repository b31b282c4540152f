/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the choice, and says in the manifest which rows were not kept. */
#include "session/session_summaries.h"

#include <errno.h>

int digest_open(struct digest *digest, const struct summaries_options *options, bool no_rows,
		struct writer *writer, const char *dir)
{
	bool wanted = false;

	digest->writer = writer;
	digest->no_rows = no_rows;
	for (int i = 0; i < N_SUMMARY_KINDS; i++)
		wanted = wanted || options->wanted[i];
	if (!wanted)
		return 0;
	digest->summaries = summaries_open(options, dir, write_dir_fd(writer));
	return digest->summaries ? 0 : -ENOMEM;
}

void digest_row(struct digest *digest, enum stream_id stream, const char *row, size_t len,
		uint64_t real_ns)
{
	if (digest->summaries)
		summaries_row(digest->summaries, stream, row, len);
	if (digest->no_rows && !schema_has(stream, ALWAYS_RECORDED))
		digest->not_kept[stream]++;
	else
		write_row(digest->writer, stream, row, len, real_ns);
}

void digest_tick(struct digest *digest)
{
	if (!digest->summaries)
		return;
	summaries_tick(digest->summaries);
	write_beside(digest->writer, WRITE_SUMMARIES, summaries_bytes(digest->summaries));
}

static json_t *not_kept_json(const struct digest *digest)
{
	json_t *list = json_array();

	for (int i = 0; i < N_EVENT_STREAMS; i++)
		if (digest->not_kept[i])
			json_array_append_new(list,
					      json_pack("{s:s, s:I}", "stream", streams[i].name,
							"rows", (json_int_t)digest->not_kept[i]));
	return list;
}

void digest_add_news(struct digest *digest, json_t *members)
{
	json_t *news;

	if (digest->no_rows)
		json_object_set_new(members, "not_kept", not_kept_json(digest));
	if (!digest->summaries)
		return;
	news = summaries_news(digest->summaries);
	if (!news)
		return;
	json_object_set_new(members, "summary", news);
	write_beside(digest->writer, WRITE_SUMMARIES, summaries_bytes(digest->summaries));
}

void digest_hand_over(struct digest *digest, bool over)
{
	if (digest->summaries)
		summaries_hand_over(digest->summaries, over);
}

int digest_end(struct digest *digest)
{
	return digest->summaries ? summaries_end(digest->summaries) : 0;
}

void digest_close(struct digest *digest)
{
	summaries_free(digest->summaries);
	digest->summaries = NULL;
}
