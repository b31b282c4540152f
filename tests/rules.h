/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What Linux 4.14's verifier would say of compiled programs, as far as their
 * instructions alone tell: no 4.14 is needed to keep to it.
 */
#ifndef IO_TEST_RULES_H
#define IO_TEST_RULES_H

#include <stdbool.h>
#include <stddef.h>

#include "image.h"

struct rules_counts {
	unsigned n_progs;
	unsigned n_insns;
	unsigned max_insns;
	const char *longest;  /* program with max_insns */
	unsigned max_stack;   /* bytes, of any program */
};

/*
 * Returns the number of violations; the first ones are named in why, one a
 * line. split_reads: the text was compiled for a kernel with
 * bpf_probe_read_kernel and _user (5.5), which are then allowed.
 */
unsigned rules_check(const struct image *image, bool split_reads, char *why, size_t why_size,
		     struct rules_counts *counts);

#endif
