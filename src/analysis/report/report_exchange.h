/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Answers that came late because TCP held a small piece of the request back: it waits for the
 * acknowledgment of the piece before (Nagle), and the other end sends that after 40 ms (delayed acknowledgment).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Bytes: what is sent with less is a tiny one. */
enum { REPORT_TINY = 100 };

struct report_exchange {
	uint64_t answers;     /* to requests of several pieces, each a tiny one */
	uint64_t late;        /* of these, after the time of a delayed acknowledgment */
	uint64_t late_ns;     /* these, all together */
	uint64_t sent_ns;     /* when the last piece was; in the order of a segment */
	uint64_t sent, large; /* pieces since the last answer, and those that are not tiny */
};

void report_exchange_sent(struct report_exchange *exchange, uint64_t bytes, uint64_t end_ns);
void report_exchange_received(struct report_exchange *exchange, uint64_t end_ns);
void report_exchange_join(struct report_exchange *exchange, const struct report_exchange *other);
