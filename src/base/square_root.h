/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Newton's, so that no program of ours needs the library of mathematics for one function. */
#pragma once

/* Of a number that is not negative. */
static inline double square_root(double square)
{
	double root = square > 1 ? square : 1, next = (root + square / root) / 2;

	while (next < root) {
		root = next;
		next = (root + square / root) / 2;
	}
	return root;
}
