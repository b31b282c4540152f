/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options that choose rows of a directory, the same in all commands that read one. */
#pragma once

#include "analysis/common/row_filter.h"
#include "cmd/option.h"

/* target: struct row_filter */
/* To uint64_t *, ns, not 0. */
bool option_interval(const struct option_row *row, const char *arg, void *target);
bool option_filter_pids(const struct option_row *row, const char *arg, void *target);
bool option_filter_commands(const struct option_row *row, const char *arg, void *target);
bool option_filter_containers(const struct option_row *row, const char *arg, void *target);
