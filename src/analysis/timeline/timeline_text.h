/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of a timeline, which may be any bytes, as text that every reader takes. */
#pragma once

#include <stddef.h>

/*
 * Valid UTF-8 without a NUL, which ends texts in some readers: what is none becomes U+FFFD. It is
 * cut at a character when it does not fit. Returns how many of size bytes are used.
 */
size_t timeline_utf8(char *to, size_t size, const char *text, size_t len);
