/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the order of wakers: the longest waits first. Those that find no place lose their names, not their time. */
#include "analysis/common/why_wakers.h"

void why_wakers_add(struct why_wakers *wakers, const char *name, uint64_t ns)
{
	struct why_waker *w = wakers->list;
	unsigned i = 0;

	while (i < wakers->n && w[i].name != name)
		i++;
	if (i == WHY_WAKERS) {
		wakers->others += ns;
		return;
	}
	if (i == wakers->n)
		w[wakers->n++] = (struct why_waker){ name, 0 };
	w[i].ns += ns;
	for (; i > 0 && w[i].ns > w[i - 1].ns; i--) {
		struct why_waker other = w[i];

		w[i] = w[i - 1];
		w[i - 1] = other;
	}
}

void why_wakers_join(struct why_wakers *wakers, const struct why_wakers *more)
{
	for (unsigned i = 0; i < more->n; i++)
		why_wakers_add(wakers, more->list[i].name, more->list[i].ns);
	wakers->others += more->others;
}
