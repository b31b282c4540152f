/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns which rows stay: most are quicker than the heap's first one, and cost a comparison. */
#include "analysis/report/report_slowest.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/common/grow.h"
#include "analysis/common/heap.h"

bool report_slow_before(const struct report_slow *a, const struct report_slow *b)
{
	if (a->latency_ns != b->latency_ns)
		return a->latency_ns > b->latency_ns;
	return a->mono_ns != b->mono_ns ? a->mono_ns < b->mono_ns : a->tid < b->tid;
}

/* The quickest is the heap's first. */
static bool is_quicker(const void *a, const void *b)
{
	return report_slow_before(b, a);
}

static bool is_among(const struct report_slowest *s, const struct report_slow *slow)
{
	return s->n < REPORT_MOST_SLOWEST || report_slow_before(slow, &s->list[0]);
}

/* slow has its path already, which is the heap's from now on. */
static bool add(struct report_slowest *s, const struct report_slow *slow)
{
	if (s->n == REPORT_MOST_SLOWEST) {
		free(s->list[0].path);
		s->list[0] = *slow;
		heap_sink(s->list, s->n, sizeof(*s->list), is_quicker);
		return true;
	}
	if (!grow(&s->list, &s->max, s->n + 1, 16, sizeof(*s->list))) {
		free(slow->path);
		return false;
	}
	s->list[s->n++] = *slow;
	heap_rise(s->list, s->n, sizeof(*s->list), is_quicker);
	return true;
}

static void copy_text(char *to, size_t size, const struct field *field)
{
	size_t n = field->len < size - 1 ? field->len : size - 1;

	memcpy(to, field->text, n);
	to[n] = '\0';
}

bool report_slowest_note(struct report_slowest *s, const struct report_slow *slow,
			 const struct field *operation, const struct field *command,
			 const struct field *path)
{
	struct report_slow own = *slow;

	if (!is_among(s, slow))
		return true;
	copy_text(own.operation, sizeof(own.operation), operation);
	copy_text(own.command, sizeof(own.command), command);
	own.path = NULL;
	own.path_len = 0;
	if (path && path->len) {
		own.path = strndup(path->text, path->len);
		own.path_len = (uint32_t)path->len;
		if (!own.path)
			return false;
	}
	return add(s, &own);
}

bool report_slowest_join(struct report_slowest *s, const struct report_slowest *other)
{
	for (uint64_t i = 0; i < other->n; i++) {
		struct report_slow own = other->list[i];

		if (!is_among(s, &own))
			continue;
		own.path = own.path ? strndup(own.path, own.path_len) : NULL;
		if ((other->list[i].path && !own.path) || !add(s, &own))
			return false;
	}
	return true;
}

const struct report_slow *report_slowest_first(const struct report_slowest *s)
{
	const struct report_slow *first = s->n ? &s->list[0] : NULL;

	for (uint64_t i = 1; i < s->n; i++)
		if (report_slow_before(&s->list[i], first))
			first = &s->list[i];
	return first;
}

void report_slowest_free(struct report_slowest *s)
{
	for (uint64_t i = 0; i < s->n; i++)
		free(s->list[i].path);
	free(s->list);
	memset(s, 0, sizeof(*s));
}
