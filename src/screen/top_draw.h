/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What stands where on the screen of `iotracer top`. */
#pragma once

#include "screen/top_screen_state.h"

/* An interval that has come, or keys that change what is shown of it: arg is the screen. */
void top_draw(void *arg, const struct top_round *round);
