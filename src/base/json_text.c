/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns what becomes of text that JSON cannot hold: names of files, devices and saved hosts. */
#include "base/json_text.h"

#include <stdlib.h>
#include <string.h>

json_t *json_text(const char *text)
{
	json_t *json = text && text[0] ? json_string(text) : json_null();
	/* json_string() has refused it, or there is no memory: then the next one fails as well */
	char *ascii = json ? NULL : strdup(text);

	if (!ascii)
		return json;
	for (char *c = ascii; *c; c++)
		if ((unsigned char)*c >= 0x80)
			*c = '?';
	json = json_string(ascii);
	free(ascii);
	return json;
}
