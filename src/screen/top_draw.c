/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns where everything stands on the screen of `iotracer top`. */
#include "screen/top_draw.h"

#ifdef HAVE_NCURSESW

#include <string.h>

#include "analysis/common/hash.h"
#include "screen/screen_text.h"

enum { WIDE = 104 }; /* cells; below, columns that others imply are left out */

static void mark(const struct top_screen *s, int pair, bool on)
{
	attr_t attributes = pair == COLOUR_ERROR ? A_NORMAL : A_BOLD;

	if (s->colour && has_colors())
		attributes |= (attr_t)COLOR_PAIR(pair);
	if (on)
		attron(attributes);
	else
		attroff(attributes);
}

static void put(int y, int x, const char *text, size_t len)
{
	wchar_t wide[SCREEN_TEXT_MAX];
	int room = COLS - x;

	if (y < 0 || y >= LINES || room <= 0)
		return;
	screen_text(wide, text, len, (unsigned)room);
	mvaddwstr(y, x, wide);
}

/* Our own words: of those the beginning. */
static void put_word(int y, int x, const char *word)
{
	if (y < LINES && x < COLS)
		mvaddnstr(y, x, word, COLS - x);
}

static bool matches(const struct top_screen *s, const struct top_row *row)
{
	return !s->filter_len || memmem(row->key, row->key_len, s->filter, s->filter_len);
}

static void draw_status(const struct top_screen *s, const struct top_round *r)
{
	char line[256], when[16];
	struct tm tm;
	bool lost = r->sums.lost;

	localtime_r(&r->wall, &tm);
	strftime(when, sizeof(when), "%H:%M:%S", &tm);
	snprintf(line, sizeof(line), "iotracer top  %s  operations/s: %llu  own CPU: %.1f%%", when,
		 (unsigned long long)top_per_second(r->sums.ops, r->ns), r->own_cpu);
	put_word(0, 0, line);
	snprintf(line, sizeof(line), "lost: %llu", (unsigned long long)r->sums.lost);
	if (lost)
		mark(s, COLOUR_ERROR, true);
	put_word(1, 0, line);
	if (lost)
		mark(s, COLOUR_ERROR, false);
	snprintf(line, sizeof(line), "  by %s%s%s%.*s%s", top_sort_names[r->sort],
		 r->frozen ? "  FROZEN" : "", s->filter_len || s->typing ? "  filter: " : "",
		 (int)s->filter_len, s->filter, s->typing ? "_" : "");
	put_word(1, getcurx(stdscr), line);
	if (!r->file)
		return;
	put_word(1, getcurx(stdscr), r->file->threads ? "  threads of " : "  processes of ");
	put(1, getcurx(stdscr), r->file->path, r->file->len);
}

static void draw_views(const struct top_screen *s, enum top_view view)
{
	char word[32];
	int x = 0;

	for (int i = 0; i < N_TOP_VIEWS; i++) {
		snprintf(word, sizeof(word), "%d %s", i + 1, top_view_names[i]);
		if (i == (int)view) {
			mark(s, COLOUR_MARK, true);
			attron(A_REVERSE);
		}
		put_word(2, x, word);
		attroff(A_REVERSE);
		mark(s, COLOUR_MARK, false);
		x += (int)strlen(word) + 2;
	}
}

struct grid {
	const struct table_column *columns;
	unsigned n;
	bool shown[TABLE_MAX_COLUMNS];
	int widths[TABLE_MAX_COLUMNS];
};

static void cell(const struct top_screen *s, const struct table_column *column,
		 const struct table_value *value, char text[TABLE_NUMBER_SIZE])
{
	if (!value->known)
		strcpy(text, "-");
	else if (s->exact)
		table_exact(text, column->type, value->u);
	else
		table_for_people(text, column->type, value->u);
}

/* Wide enough for what is in them now; a narrow terminal has no columns that others imply. */
static void measure(const struct top_screen *s, const struct top_round *r, struct grid *grid)
{
	struct table_value values[TABLE_MAX_COLUMNS];
	char text[TABLE_NUMBER_SIZE];
	/* of those that match, as many as the screen has lines */
	unsigned skip = s->first;
	int rows = LINES;

	grid->n = top_columns(r->view, &grid->columns);
	for (unsigned c = 0; c < grid->n; c++) {
		const char *name = grid->columns[c].name;

		grid->shown[c] = COLS >= WIDE ||
				 (strcmp(name, "reads/s") && strcmp(name, "writes/s"));
		grid->widths[c] = (int)strlen(name) > 6 ? (int)strlen(name) : 6;
	}
	for (unsigned i = 0; i < r->n && rows; i++) {
		if (!matches(s, &r->rows[i]))
			continue;
		if (skip) {
			skip--;
			continue;
		}
		rows--;
		top_values(r, &r->rows[i], values);
		for (unsigned c = 0; c + 1 < grid->n; c++) {
			cell(s, &grid->columns[c], &values[c], text);
			if ((int)strlen(text) > grid->widths[c])
				grid->widths[c] = (int)strlen(text);
		}
	}
}

static void draw_header(const struct top_screen *s, const struct grid *grid)
{
	int x = 0;

	mark(s, COLOUR_HEAD, true);
	attron(A_REVERSE);
	mvhline(3, 0, ' ', COLS);
	for (unsigned c = 0; c < grid->n; c++) {
		char name[32];
		int len = 0;

		if (!grid->shown[c])
			continue;
		for (const char *p = grid->columns[c].name; *p && len < 31; p++)
			name[len++] = (char)(*p >= 'a' && *p <= 'z' ? *p - 32 : *p);
		name[len] = '\0';
		put_word(3, c + 1 < grid->n ? x + grid->widths[c] - len : x, name);
		x += grid->widths[c] + 1;
	}
	attroff(A_REVERSE);
	mark(s, COLOUR_HEAD, false);
}

static void draw_row(const struct top_screen *s, const struct top_round *r, const struct grid *grid,
		     const struct top_row *row, int y)
{
	struct table_value values[TABLE_MAX_COLUMNS];
	char text[TABLE_NUMBER_SIZE];
	int x = 0;

	top_values(r, row, values);
	if (row->errors)
		mark(s, COLOUR_ERROR, true);
	for (unsigned c = 0; c + 1 < grid->n; c++) {
		if (!grid->shown[c])
			continue;
		cell(s, &grid->columns[c], &values[c], text);
		put_word(y, x + grid->widths[c] - (int)strlen(text), text);
		x += grid->widths[c] + 1;
	}
	put(y, x, values[grid->n - 1].text, values[grid->n - 1].len);
	if (row->errors)
		mark(s, COLOUR_ERROR, false);
}

static uint64_t hash_of(const struct top_row *row)
{
	return hash_text(row->number, row->key, row->key_len);
}

/* Of n rows that match. One that was chosen is followed, unless it is gone. */
static void select_row(struct top_screen *s, const struct top_round *r, unsigned n, int room)
{
	for (unsigned i = 0, at = 0; s->follows && i < r->n; i++) {
		if (!matches(s, &r->rows[i]))
			continue;
		if (hash_of(&r->rows[i]) == s->follow)
			s->selected = at;
		at++;
	}
	if (s->selected >= n)
		s->selected = n ? n - 1 : 0;
	if (s->first > s->selected)
		s->first = s->selected;
	if (room > 0 && s->selected >= s->first + (unsigned)room)
		s->first = s->selected - (unsigned)room + 1;
	/* the first one is whichever is the first */
	s->follows = s->selected > 0;
	s->file.chosen = false;
}

static void note_selected(struct top_screen *s, const struct top_round *r,
			  const struct top_row *row)
{
	size_t len = row->key_len - row->name_at;

	s->follow = hash_of(row);
	/* for Enter, which asks who uses the file; r->file: that was asked already */
	if (r->view != TOP_FILES || r->file || len > sizeof(s->file.path))
		return;
	s->file.chosen = true;
	s->file.threads = false;
	s->file.mntns = row->number;
	s->file.len = (uint32_t)len;
	memcpy(s->file.path, row->key + row->name_at, len);
}

/* The last column, the name, takes what the others leave of a line. */
static void draw_rows(struct top_screen *s, const struct top_round *r)
{
	int y = HEAD_LINES, room = LINES - HEAD_LINES - FOOT_LINES;
	unsigned n = 0, i;
	struct grid grid;

	for (i = 0; i < r->n; i++)
		n += matches(s, &r->rows[i]);
	select_row(s, r, n, room);
	if (room < 1 || n <= (unsigned)room)
		s->first = 0;
	else if (s->first > n - (unsigned)room)
		s->first = n - (unsigned)room;
	measure(s, r, &grid);
	draw_header(s, &grid);
	for (i = n = 0; i < r->n && y < LINES - FOOT_LINES; i++)
		if (matches(s, &r->rows[i]) && n++ >= s->first) {
			bool selected = n == s->selected + 1;

			if (selected)
				note_selected(s, r, &r->rows[i]);
			draw_row(s, r, &grid, &r->rows[i], y);
			if (selected)
				mvchgat(y, 0, -1, A_REVERSE, 0, NULL);
			y++;
		}
}

static const char *const help_lines[] = {
	"1-8 Tab     the view: files, processes, devices and so on",
	"s           sort by bytes, ops, errors, time, max",
	"/           only names that contain a text (Enter keeps it, Esc: all names)",
	"Space       freeze or continue",
	"u           units: 4.0K and 1.25ms, or exact bytes and nanoseconds",
	"Up Down PgUp PgDn Home End: select a row, which stays selected",
	"Enter       of a file its processes, again: its threads (Esc: all files)",
	"Ctrl-L      redraw",
	"h           this help; any key leaves it",
	"q Ctrl-C    end",
	"",
	"lost: operations lost in the kernel.",
	"own CPU: what iotracer itself uses of one processor.",
	"devices: as iostat -x, of all there are; errors and max of those traced.",
	"layers: fs: file operations, ds: requests of devices, nw: data on connections.",
};

static void draw_help(void)
{
	int n = (int)(sizeof(help_lines) / sizeof(help_lines[0]));

	for (int i = 0; i < n; i++)
		put_word(HEAD_LINES + i, 1, help_lines[i]);
}

void top_draw(void *arg, const struct top_round *r)
{
	struct top_screen *s = arg;

	erase();
	draw_status(s, r);
	draw_views(s, r->view);
	if (s->help)
		draw_help();
	else
		draw_rows(s, r);
	attron(A_REVERSE);
	mvhline(LINES - 1, 0, ' ', COLS);
	put_word(LINES - 1, 0,
		 "1-8 view  s sort  / filter  Enter who  Space freeze  u units  h help  q quit");
	attroff(A_REVERSE);
	refresh();
}

#endif
