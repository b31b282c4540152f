/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the cases of operations on names share: words of rows, and numbers that older headers lack. */
#pragma once

#include <fcntl.h>
#include <stdio.h>
#include <sys/syscall.h>

#include "conform/conform.h"

#ifndef SYS_statx
#ifdef __x86_64__
#define SYS_statx 332
#else
#define SYS_statx 291
#endif
#endif
#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif
#ifndef SYS_newfstatat
#define SYS_newfstatat SYS_fstatat64
#endif
#ifndef RENAME_NOREPLACE
enum { RENAME_NOREPLACE = 1, RENAME_EXCHANGE = 2, RENAME_WHITEOUT = 4 };
#endif

#define NOFOLLOW AT_SYMLINK_NOFOLLOW
#define TIMES "ATTR_ATIME|ATTR_MTIME"
