/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the compile helper says to who started it. */
#pragma once

void helper_say(const char *what, const char *why);
