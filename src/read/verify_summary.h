/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef IOT_VERIFY_SUMMARY_H
#define IOT_VERIFY_SUMMARY_H

#include "read/verify_context.h"

/* The tables in summary/ are those that the manifest tells of. */
void verify_summary(struct verify *v);

#endif
