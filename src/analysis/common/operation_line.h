/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An operation as a line: in columns for people, as a JSON object for programs. */
#pragma once

#include "analysis/common/operation.h"

/* Room for any line: a row, each byte of it as \xHH, and what stands around it. */
enum { OPERATION_LINE_MAX = 4 * 161 * 1024 };

/* Above the lines. */
extern const char operation_line_header[];

/*
 * With its line end; returns its length. width: of the terminal, which the line is cut to (0:
 * none); red: a failed one, on a terminal that has colours.
 */
size_t operation_line_text(char *out, const struct operation *op, unsigned width, bool red);
size_t operation_line_json(char *out, const struct operation *op);

/* What it was done to: "TCP 10.0.0.1:80 -> 10.0.0.2:4711", "vda /srv/db". Returns its length. */
size_t operation_line_object(char *out, const struct operation *op);
