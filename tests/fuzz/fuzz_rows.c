/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz/fuzz.h"

#include <string.h>
#include <unistd.h>

#include "read/rows_file.h"
#include "read/scan.h"
#include "row/schema.h"

/* The first byte names the stream and, with its two highest bits, how the rest is compressed. */
void fuzz_rows(const uint8_t *data, size_t size)
{
	static struct read_column columns[LAYOUT_MAX_COLUMNS];
	static struct rows_file rows;
	enum stream_id stream;
	struct scan_options options = { .header = NULL };
	struct scan scan;
	unsigned n;
	int fd, result;

	if (!size)
		return;
	stream = (data[0] & 0x3f) % N_STREAMS;
	options.packing = (data[0] >> 6) % N_PACKINGS;
	if (!packings[options.packing].is_built_in)
		return;
	n = layout_columns(stream, NULL, columns);
	fd = fuzz_file(data + 1, size - 1);
	FUZZ_CLAIM(!rows_file_open(&rows, fd, options.packing, columns, n, NULL));
	result = rows_file_header(&rows);
	while (result > 0 && (result = rows_file_next(&rows)) > 0) {
		FUZZ_CLAIM((result == ROWS_BAD) <= (rows.why[0] != '\0'));
		for (unsigned i = 0; i < n && result == ROWS_ROW; i++)
			FUZZ_CLAIM(rows.fields[i].len <= size * 1100 ||
				   rows.fields[i].len <= 1 << 20);
	}
	FUZZ_CLAIM(result == ROWS_END && rows.state != ROWS_GOING);
	rows_file_close(&rows);
	options.columns = columns;
	options.n_columns = n;
	lseek(fd, 0, SEEK_SET);
	FUZZ_CLAIM(!scan_file(fd, &options, &scan));
	FUZZ_CLAIM((scan.trouble != SCAN_OK) == (scan.why[0] != '\0'));
	FUZZ_CLAIM(scan.good_bytes <= scan.csv_bytes);
	close(fd);
}
