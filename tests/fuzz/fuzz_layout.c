/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "compat/layout/layout.h"

static char *put(const struct layout *layout, void (*fn)(const struct layout *, FILE *))
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fn(layout, out);
	fclose(out);
	return text;
}

/* What was read is written, and that is read as the same. */
void fuzz_layout(const uint8_t *data, size_t size)
{
	static struct layout layout, again;
	char *text = fuzz_text(data, size), *written, *twice;
	unsigned line;

	if (!layout_read(&layout, text, &line)) {
		written = put(&layout, layout_write);
		FUZZ_CLAIM(!layout_read(&again, written, &line));
		twice = put(&again, layout_write);
		FUZZ_CLAIM(!strcmp(written, twice));
		free(twice);
		free(written);
		free(put(&layout, layout_put_source));
	}
	free(text);
}
