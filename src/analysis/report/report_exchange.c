/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns which answer was late for a delayed acknowledgment. */
#include "analysis/report/report_exchange.h"

#include "base/clock.h"

/* TCP_DELACK_MIN of Linux is 40 ms, which a timer of 100 Hz makes up to 10 ms longer. */
enum { FROM_MS = 38, TO_MS = 55 };

void report_exchange_sent(struct report_exchange *x, uint64_t bytes, uint64_t end_ns)
{
	x->sent++;
	x->large += bytes >= REPORT_TINY;
	x->sent_ns = end_ns;
}

void report_exchange_received(struct report_exchange *x, uint64_t end_ns)
{
	uint64_t ns = end_ns > x->sent_ns ? end_ns - x->sent_ns : 0;
	/* a piece alone is sent at once */
	bool in_pieces = x->sent >= 2 && !x->large;

	x->sent = x->large = 0;
	if (!in_pieces)
		return;
	x->answers++;
	if (ns >= FROM_MS * (NS_PER_S / 1000) && ns < TO_MS * (NS_PER_S / 1000)) {
		x->late++;
		x->late_ns += ns;
	}
}

void report_exchange_join(struct report_exchange *x, const struct report_exchange *other)
{
	x->answers += other->answers;
	x->late += other->late;
	x->late_ns += other->late_ns;
}
