/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What stands in the BPF texts for numbers that each kernel has of its own, and that are
 * put there when a program is loaded (compat/layout/cast.h).
 */
#ifndef IOT_CAST_NUMBERS_H
#define IOT_CAST_NUMBERS_H

enum {
	IOT_CAST_CALL = 0x69620001,  /* in place of a helper's number */
	IOT_CAST_WORDS = 0x69620002, /* its second argument */
	IOT_CAST_MAX = 128,          /* bytes behind the address that may be loaded */
};

#endif
