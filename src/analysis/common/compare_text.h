/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The order of two texts that are not NUL-terminated: that of their bytes, a beginning before what goes on. */
#pragma once

#include <stddef.h>
#include <string.h>

/* As memcmp; NULL of length 0 is an empty text. */
static inline int compare_text(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t len = a_len < b_len ? a_len : b_len;
	int order = len ? memcmp(a, b, len) : 0;

	return order ? order : (a_len > b_len) - (a_len < b_len);
}
