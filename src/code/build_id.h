/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The build id of a program or library: what tells two builds of one name apart, on any machine. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { BUILD_ID_HEX = 2 * 32 + 1 };

/* As hexadecimal digits; "" when the file is no ELF file or has none. The file may be anything. */
void build_id_read(int fd, char hex[BUILD_ID_HEX]);

/* The same in a note segment, for tests: false when there is none. */
bool build_id_in_notes(const unsigned char *notes, size_t len, char hex[BUILD_ID_HEX]);
