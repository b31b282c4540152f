/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of flags and values of io_uring. */
#pragma once

#include "row/flags.h"

extern const struct flag_set flags_uring_op;       /* a value, without IORING_OP_ */
extern const struct flag_set flags_uring_register; /* a value, without IORING_ */
extern const struct flag_set flags_uring_setup;    /* without IORING_SETUP_ */
#define FLAGS_URING_AMBIGUOUS 0x100
extern const struct flag_set flags_uring_sqe;   /* without IOSQE_; and AMBIGUOUS */
extern const struct flag_set flags_uring_enter; /* without IORING_ENTER_ */
