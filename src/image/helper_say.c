/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the compile helper says to who started it. */
#include "image/helper_say.h"

#include <stdio.h>

void helper_say(const char *what, const char *why)
{
	fprintf(stderr, "iotracer-bcc: %s: %s\n", what, why);
}
