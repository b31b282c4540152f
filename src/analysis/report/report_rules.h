/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rules of findings and their limits as a page that people read. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* As text for a terminal, or as doc/FINDINGS.md. */
void report_rules_print(FILE *out, bool markdown);
