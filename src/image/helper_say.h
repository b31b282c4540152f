/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the compile helper says to who started it. */
#ifndef IOT_HELPER_SAY_H
#define IOT_HELPER_SAY_H

void helper_say(const char *what, const char *why);

#endif
