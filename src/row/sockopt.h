/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Socket options: how their levels and numbers are called, and values that are no plain int. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SOCKOPT_NAME_MAX 32  /* any name made here, its NUL included */
#define SOCKOPT_VALUE_MAX 16 /* no text needs more bytes of a value */

/* A level by its name in the rows, or by its number. False when it is neither. */
bool sockopt_find_level(const char *text, int32_t *level);

/* Fields ready for the file, in buf only where there is no name: LEVEL(n), "OPT(level,number)". */
const char *sockopt_level(char *buf, size_t size, int level);
const char *sockopt_name(char *buf, size_t size, int level, int option);

/*
 * Whether the value holds an address, a key, a label or bytes of a packet, or is one of an option
 * that is not known here: nothing for an anonymised trace.
 */
bool sockopt_is_secret(int level, int option);

/*
 * Appends a value of len bytes at p as put_X does, quoted if need be: linger as
 * on,seconds, times as seconds with six decimals, names as text. Nothing for
 * other options and for values too short to be one.
 */
char *sockopt_text(char *p, int level, int option, const void *value, size_t len);
