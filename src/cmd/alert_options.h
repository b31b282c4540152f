/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `--alert`: a condition on what a storage system does. */
#pragma once

#include "cmd/option.h"

/* target: struct amp_alert_options */
bool option_alert(const struct option_row *row, const char *arg, void *target);
