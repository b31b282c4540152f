/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the helper iotracer-bcc and src/image/compile.c agree on, and the helper's
 * preparation of a kernel tree.
 */
#pragma once

enum helper_exit {
	HELPER_OK,
	HELPER_TEXT,   /* the text does not compile, or the library ended the process */
	HELPER_USE,    /* wrong options */
	HELPER_SYSTEM, /* work directory, kernel tree, memory, result */
};

/* Printed to stderr between attempts: only what comes after the last one counts. */
#define HELPER_RETRY_LINE "iotracer-bcc: another attempt follows"
