/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The questions as text, as CSV and as a page of doc/. */
#include "cmd/questions.h"

#include <string.h>

#include "analysis/common/table.h"

#define QUESTION(t, n, q, r, a, l, s)                                                              \
	{ .topic = t, .name = n, .question = q, .record = r, .answer = a, .look = l, .shown = s },
const struct question questions[] = {
#include "cmd/questions.def"
	{ 0 },
};
#undef QUESTION

static bool has_word(const struct question *q, const char *word)
{
	return strcasestr(q->topic, word) || strcasestr(q->name, word) ||
	       strcasestr(q->question, word) || strcasestr(q->record, word) ||
	       strcasestr(q->answer, word) || strcasestr(q->look, word);
}

static bool has_words(const struct question *q, char *const *words, int n_words)
{
	for (int i = 0; i < n_words; i++)
		if (!has_word(q, words[i]))
			return false;
	return true;
}

/* Lines with that before each of them. */
static void put_lines(FILE *out, const char *before, const char *lines)
{
	for (size_t len; *lines; lines += len) {
		len = strcspn(lines, "\n") + 1;
		fprintf(out, "%s%.*s", before, (int)len, lines);
	}
}

static void put_text(FILE *out, const struct question *q, bool shown)
{
	fprintf(out, "  %s\n", q->question);
	if (q->record[0])
		fprintf(out, "      %s\n", q->record);
	fprintf(out, "      %s\n", q->answer);
	put_lines(out, "          ", shown ? q->shown : "");
	fprintf(out, "      Look at: %s\n\n", q->look);
}

/* Root's prompt is # */
static void put_markdown(FILE *out, const struct question *q)
{
	const char *prompt = !q->record[0] && strcmp(q->name, "doctor") ? "#" : "$";

	fprintf(out, "### %s\n\n```\n", q->question);
	if (q->record[0])
		fprintf(out, "# %s\n", q->record);
	fprintf(out, "%s %s\n%s```\n\nLook at: %s.\n\n", prompt, q->answer, q->shown, q->look);
}

static void put_head(FILE *out)
{
	fputs("<!-- SPDX-License-Identifier: GPL-2.0-or-later -->\n"
	      "<!-- Written by `make update-pages` from src/cmd/questions.def. -->\n"
	      "# Questions, and the commands that answer them\n\n"
	      "The first line of each records, here for five minutes the whole machine. `-p 4711` records one process\n"
	      "and its children instead, and `-- COMMAND` a program from its start. A recording with more streams answers\n"
	      "as well; without `-e` it has all of them but sched, netfs and layers. DIR is any directory that does not exist\n"
	      "yet, and /srv/app stands for your files.\n\n"
	      "The answers are real ones, cut short: some columns and lines are left out. `iotracer help questions WORD` shows\n"
	      "those questions that have a word.\n\n",
	      out);
}

static void put_csv(FILE *out, char *const *words, int n_words)
{
	static const struct table_column columns[] = {
		{ "topic", TABLE_NAME },  { "name", TABLE_NAME },   { "question", TABLE_NAME },
		{ "record", TABLE_NAME }, { "answer", TABLE_NAME }, { "look", TABLE_NAME },
		{ "shown", TABLE_NAME }
	};
	struct table table;

	table_begin(&table, out, TABLE_CSV, columns, sizeof(columns) / sizeof(columns[0]));
	for (const struct question *q = questions; q->name; q++)
		if (has_words(q, words, n_words))
			table_row(&table, (struct table_value[]){
						  table_text(q->topic), table_text(q->name),
						  table_text(q->question), table_text(q->record),
						  table_text(q->answer), table_text(q->look),
						  table_text(q->shown) });
	table_end(&table);
}

unsigned questions_print(FILE *out, enum questions_format format, char *const *words, int n_words)
{
	const char *topic = NULL;
	unsigned n = 0;

	for (const struct question *q = questions; q->name; q++)
		n += has_words(q, words, n_words);
	if (format == QUESTIONS_CSV)
		put_csv(out, words, n_words);
	if (format == QUESTIONS_MARKDOWN)
		put_head(out);
	for (const struct question *q = questions; format != QUESTIONS_CSV && q->name; q++) {
		if (!has_words(q, words, n_words))
			continue;
		if (!topic || strcmp(topic, q->topic))
			fprintf(out, format == QUESTIONS_TEXT ? "%s\n\n" : "## %s\n\n", q->topic);
		topic = q->topic;
		if (format == QUESTIONS_TEXT)
			put_text(out, q, n_words > 0);
		else
			put_markdown(out, q);
	}
	return n;
}
