/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the form of these rows. Where the values came from, it does not know. */
#include "snapshot/snap_rows.h"

#include <stdbool.h>
#include <string.h>

#include "probes/schema/filesystem_snapshot.def"
#include "probes/schema/process.def"
#include "row/anon.h"
#include "row/anon_key.h"

/* The name of a process or of a container */
static char *put_name(char *p, const char *name)
{
	size_t len = strlen(name);
	bool escaped;

	if (len && anon_on()) {
		anon_token(p, name, len);
		return p + ANON_TOKEN;
	}
	return p + format_quote(p, name, len, &escaped);
}

/* Hundredths of a per cent; negative: not known */
static char *put_percent(char *p, s32 v)
{
	if (v < 0)
		return p;
	p = put_u(p, v / 100);
	*p++ = '.';
	return put_bytes(p, format_digits + v % 100 * 2, 2);
}

static char *put_mode(char *p, u32 mode)
{
	for (int shift = 9; shift >= 0; shift -= 3)
		*p++ = '0' + (mode >> shift & 7);
	return p;
}

FORMAT_ROW(process)
FORMAT_ROW(filesystem_snapshot)
