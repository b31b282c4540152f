/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The load as distributions: what fio then draws from, as often as one likes. */
#pragma once

#include <stdio.h>

#include "analysis/fio/fio_groups.h"
#include "analysis/fio/fio_plan.h"

/* Options of a job for an enum fio_class */
void fio_put_class(FILE *out, unsigned klass, unsigned depth);
/* The jobs of profile.fio, behind its head. */
void fio_profile_put(FILE *out, const struct fio_groups *groups, const struct fio_plan *plan);
