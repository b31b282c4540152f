/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "analysis/report/report_slowest.h"

#include <string.h>

static void copy_text(char *to, size_t size, const struct field *field)
{
	size_t n = field->len < size - 1 ? field->len : size - 1;

	memcpy(to, field->text, n);
	to[n] = '\0';
}

void report_note_slowest(struct report_tally *tally, enum stream_id stream, const struct field *f,
			 const struct field *operation, uint64_t latency_ns, bool with_path)
{
	struct report_slowest *s = &tally->streams[stream].slowest;
	const struct field *path = &f[REPORT_PATH];

	if (latency_ns < s->latency_ns ||
	    (latency_ns == s->latency_ns && f[REPORT_MONO].u >= s->mono_ns))
		return;
	s->latency_ns = latency_ns;
	s->mono_ns = f[REPORT_MONO].u;
	s->pid = f[REPORT_PID].u;
	copy_text(s->operation, sizeof(s->operation), operation);
	copy_text(s->command, sizeof(s->command), &f[REPORT_COMMAND]);
	s->path_len = with_path && path->len < sizeof(s->path) ? path->len : 0;
	copy_text(s->path, sizeof(s->path), path);
	if (with_path && path->len >= sizeof(s->path))
		s->path_len = (uint32_t)strlen(s->path);
}
