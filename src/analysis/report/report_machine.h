/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The section about the machine, from the snapshot of the system. */
#pragma once

#include "analysis/report/report_sections.h"

/* The snapshot says that the disk of this device (also of a partition) rotates. */
bool report_device_rotates(struct report_answer *answer, uint32_t device);
/* Adds its sections. */
void report_add_machine(struct report_answer *answer);
