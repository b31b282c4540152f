/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text that need not be UTF-8, which JSON must be. */
#pragma once

#include <jansson.h>

/*
 * A string; where the text is not UTF-8 each byte above 0x7f becomes '?'. null
 * for none or an empty one, NULL when there is no memory.
 */
json_t *json_text(const char *text);
