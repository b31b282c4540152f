/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads session directories for the tests, independent of the tracer's code.
 *
 *   conform_diff cut SESSION STREAM COLUMN[,COLUMN...]
 *       the cells of all rows, in the order of the segments, apart by tabs
 *   conform_diff diff SESSION EXPECTED DIR
 *       compares the fs rows below DIR, and those without a full path, with
 *       what the conformance program expected; PASS, FAIL or SKIP for each case
 */
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { MAX_CELLS = 64, LINE_MAX_BYTES = 1 << 20 };

static void die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fputs("conform_diff: ", stderr);
	vfprintf(stderr, fmt, ap);
	fputc('\n', stderr);
	va_end(ap);
	exit(3);
}

/* ---- CSV ---- */

/* Splits a line in place (RFC 4180; no cell holds a line break in this format). */
static int split(char *line, char *cells[MAX_CELLS])
{
	char *in = line, *out;
	int n = 0;

	for (;;) {
		if (n == MAX_CELLS)
			die("too many cells");
		cells[n++] = out = in;
		if (*in == '"') {
			for (in++; *in && (*in != '"' || *++in == '"');)
				*out++ = *in++;
		} else {
			in += strcspn(in, ",\n");
			out = in;
		}
		if (*in != ',' && *in != '\n')
			die("line without an end or with a bad quote: %.80s", line);
		if (*in == '\n') {
			*out = '\0';
			return n;
		}
		in++;
		*out = '\0';
	}
}

typedef void row_fn(void *arg, char **cells);

struct columns {
	const char *names[MAX_CELLS];
	int n;
};

static void find_columns(const struct columns *want, char **header, int n, int places[MAX_CELLS])
{
	for (int i = 0; i < want->n; i++) {
		places[i] = -1;
		for (int k = 0; k < n; k++)
			if (!strcmp(header[k], want->names[i]))
				places[i] = k;
		if (places[i] < 0)
			die("there is no column %s", want->names[i]);
	}
}

/* zlib reads plain files, too. For others, the program of that name: nothing here is the tracer's. */
static gzFile open_segment(const char *path, FILE **packed)
{
	char command[8300];

	*packed = NULL;
	if (!strstr(path, ".zst"))
		return gzopen(path, "rb");
	snprintf(command, sizeof(command), "exec zstd -dcq -- '%s'", path);
	*packed = popen(command, "r");
	return *packed ? gzdopen(dup(fileno(*packed)), "rb") : NULL;
}

static void read_segment(const char *path, const struct columns *want, row_fn *fn, void *arg)
{
	static char line[LINE_MAX_BYTES];
	char *cells[MAX_CELLS], *chosen[MAX_CELLS];
	int places[MAX_CELLS], n_header = 0, n;
	FILE *packed;
	gzFile file = open_segment(path, &packed);

	if (!file)
		die("%s: %s", path, strerror(errno));
	while (gzgets(file, line, sizeof(line))) {
		/* what a killed tracer left may end anywhere */
		if (!strchr(line, '\n') && gzeof(file))
			break;
		n = split(line, cells);
		if (!n_header) {
			n_header = n;
			find_columns(want, cells, n, places);
			continue;
		}
		if (n != n_header)
			die("%s: a row of %d cells under a header of %d", path, n, n_header);
		for (int i = 0; i < want->n; i++)
			chosen[i] = cells[places[i]];
		fn(arg, chosen);
	}
	gzclose(file);
	if (packed)
		pclose(packed);
}

static int segment(const struct dirent *entry)
{
	return strstr(entry->d_name, ".csv") != NULL;
}

/* Segments of one stream, oldest first; the open one of a killed tracer (.part) included. */
static void read_stream(const char *session, const char *stream, const struct columns *want,
			row_fn *fn, void *arg)
{
	struct dirent **entries;
	char dir[4096], path[8192];
	int n;

	snprintf(dir, sizeof(dir), "%s/%s", session, stream);
	n = scandir(dir, &entries, segment, alphasort);
	if (n < 0)
		die("%s: %s", dir, strerror(errno));
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, entries[i]->d_name);
		read_segment(path, want, fn, arg);
		free(entries[i]);
	}
	free(entries);
}

/* ---- cut ---- */

static void print_cells(void *arg, char **cells)
{
	const struct columns *want = arg;

	for (int i = 0; i < want->n; i++)
		printf("%s%c", cells[i], i + 1 < want->n ? '\t' : '\n');
}

static int cut(const char *session, const char *stream, char *list)
{
	struct columns want = { .n = 0 };

	for (char *name = strtok(list, ","); name; name = strtok(NULL, ","))
		want.names[want.n++] = name;
	read_stream(session, stream, &want, print_cells, &want);
	return 0;
}

/* ---- diff ---- */

struct lines {
	char **text;
	size_t n;
};

static void add_line(struct lines *lines, const char *text)
{
	if (!(lines->n & (lines->n + 1)))
		lines->text = realloc(lines->text, (2 * lines->n + 2) * sizeof(char *));
	if (!lines->text || !(lines->text[lines->n++] = strdup(text)))
		die("no memory");
}

enum {
	OP,
	PID,
	TID,
	NAME,
	SIZE,
	FLAGS,
	OFFSET,
	PROT,
	MAP_FLAGS,
	ADDRESS,
	RET,
	FD,
	STATUS,
	INODE,
	N_CELLS
};
static const struct columns row_columns = {
	{ "operation", "pid", "tid", "filename", "size", "flags", "offset", "mmap_prot",
	  "mmap_flags", "address", "return_value", "fd", "path_status", "inode" },
	N_CELLS
};

/* Takes |word out of flags: a bit that the kernel adds, or that is the descriptor's alone. */
static void without(char *flags, const char *word)
{
	char *found = strstr(flags, word);

	if (found)
		memmove(found, found + strlen(word), strlen(found + strlen(word)) + 1);
}

struct actual {
	struct lines lines;
	const char *dir;
	bool began;
};

/* Files of others: the loader's and the C library's, which only ever succeed or are below these. */
static bool strange(const char *dir, char **cells)
{
	static const char *const system_dirs[] = { "/etc/", "/lib", "/usr/" };

	/* not only at the start: a symbolic link's row begins with its target */
	if (!strchr(cells[STATUS], 'f') || strstr(cells[NAME], dir))
		return false;
	/* files of memory are in no directory; the C library has none */
	if (!strncmp(cells[NAME], "/memfd:", 7))
		return false;
	for (size_t i = 0; i < sizeof(system_dirs) / sizeof(system_dirs[0]); i++)
		if (!strncmp(cells[NAME], system_dirs[i], strlen(system_dirs[i])))
			return true;
	return cells[RET][0] != '-';
}

static void take_row(void *arg, char **cells)
{
	static char text[LINE_MAX_BYTES];
	struct actual *a = arg;
	size_t n = 0;
	char *m = strchr(cells[STATUS], 'm');

	if (!strncmp(cells[NAME], "/conform/", 9)) {
		a->began = true;
		snprintf(text, sizeof(text), "CASE\t%s", cells[NAME] + 9);
		add_line(&a->lines, text);
		return;
	}
	if (!a->began)
		return;
	if (strange(a->dir, cells))
		return;
	if (m)
		memmove(m, m + 1, strlen(m));
	without(cells[FLAGS], "|O_LARGEFILE");
	if (strcmp(cells[OP], "OPEN"))
		without(cells[FLAGS], "|O_CLOEXEC");
	for (int i = 0; i < N_CELLS; i++)
		n += snprintf(text + n, sizeof(text) - n, "%s%s", i ? "\t" : "", cells[i]);
	add_line(&a->lines, text);
}

static void read_expected(const char *path, struct lines *lines)
{
	static char line[LINE_MAX_BYTES];
	FILE *file = fopen(path, "r");

	if (!file)
		die("%s: %s", path, strerror(errno));
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		add_line(lines, line);
	}
	fclose(file);
	add_line(lines, "CASE\tend");
}

/* In what was expected a star fits everything, and ?text the text or nothing. */
static bool cell_fits(const char *want, size_t w, const char *have, size_t h)
{
	if (w == 1 && *want == '*')
		return true;
	if (w && *want == '?')
		return !h || (w - 1 == h && !memcmp(want + 1, have, h));
	return w == h && !memcmp(want, have, w);
}

static bool fits(const char *want, const char *have)
{
	for (;;) {
		size_t w = strcspn(want, "\t"), h = strcspn(have, "\t");

		if (!cell_fits(want, w, have, h))
			return false;
		if (want[w] != have[h])
			return false;
		if (!want[w])
			return true;
		want += w + 1;
		have += h + 1;
	}
}

static bool is_case(const char *line)
{
	return !strncmp(line, "CASE\t", 5);
}

static size_t case_end(const struct lines *lines, size_t from)
{
	while (from < lines->n && !is_case(lines->text[from]))
		from++;
	return from;
}

static void print_rows(const char *mark, const struct lines *lines, size_t from, size_t end)
{
	for (; from < end; from++)
		printf("  %s %.600s\n", mark, lines->text[from]);
}

/* Rows that begin with this may come in any order among each other. */
static const char *without_mark(const char *line)
{
	return line[0] == '~' ? line + 1 : line;
}

/* Brings the row that is wanted to place h, when it is among those that follow in any order. */
static void find_later(const struct lines *want, size_t w, const struct lines *have, size_t h,
		       size_t h_end)
{
	const char *line = want->text[w] + 1;

	for (size_t i = h; i < h_end && w < want->n && want->text[w][0] == '~'; i++, w++) {
		char *row = have->text[i];

		if (!fits(line, row))
			continue;
		have->text[i] = have->text[h];
		have->text[h] = row;
		return;
	}
}

/* In the line of the failure: of a guest's log, a gate shows no other. */
static void print_failure(const char *name, const struct lines *want, size_t w, size_t w_end,
			  const struct lines *have, size_t h, size_t h_end)
{
	printf("FAIL: conform: %s (wanted: %.300s; found: %.300s)\n", name,
	       w < w_end ? want->text[w] : "no more", h < h_end ? have->text[h] : "no more");
}

/* One case: rows in their order, without what is not a row. */
static bool same_case(const char *name, const struct lines *want, size_t w, size_t w_end,
		      const struct lines *have, size_t h, size_t h_end)
{
	for (; w < w_end; w++) {
		if (!strncmp(want->text[w], "SKIP\t", 5)) {
			const char *why = strchr(want->text[w] + 5, '\t');

			printf("SKIP: conform: %.*s: %s\n", (int)(why - want->text[w] - 5),
			       want->text[w] + 5, why + 1);
			continue;
		}
		if (want->text[w][0] == '~')
			find_later(want, w, have, h, h_end);
		if (h >= h_end || !fits(without_mark(want->text[w]), have->text[h])) {
			print_rows("-", want, w, w + 1);
			print_rows("+", have, h, h_end < h + 3 ? h_end : h + 3);
			print_failure(name, want, w, w_end, have, h, h_end);
			return false;
		}
		h++;
	}
	print_rows("+", have, h, h_end);
	if (h == h_end)
		printf("PASS: conform: %s\n", name);
	else
		print_failure(name, want, w_end, w_end, have, h, h_end);
	return h == h_end;
}

static size_t find_case(const struct lines *lines, const char *line)
{
	size_t i = 0;

	while (i < lines->n && strcmp(lines->text[i], line))
		i++;
	return i;
}

static int diff(const char *session, const char *expected, const char *dir)
{
	struct actual have = { .dir = dir };
	struct lines want = { 0 };
	int failed = 0;

	read_expected(expected, &want);
	read_stream(session, "fs", &row_columns, take_row, &have);
	for (size_t w = 0; w < want.n;) {
		const char *name = want.text[w];
		size_t end = case_end(&want, w + 1), h = find_case(&have.lines, name);
		bool same;

		if (h == have.lines.n) {
			printf("FAIL: conform: %s: its start is not in the trace\n", name + 5);
			failed = 1;
			w = end;
			continue;
		}
		if (end == want.n)
			break;
		same = same_case(name + 5, &want, w + 1, end, &have.lines, h + 1,
				 case_end(&have.lines, h + 1));
		failed |= !same;
		w = end;
	}
	return failed;
}

int main(int argc, char **argv)
{
	if (argc == 5 && !strcmp(argv[1], "cut"))
		return cut(argv[2], argv[3], argv[4]);
	if (argc == 5 && !strcmp(argv[1], "diff"))
		return diff(argv[2], argv[3], argv[4]);
	fprintf(stderr, "usage: conform_diff cut|diff SESSION ...\n");
	return 2;
}
