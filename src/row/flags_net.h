/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of flags and values of the network: messages, families, states, epoll. */
#pragma once

#include <stdint.h>

#include "row/flags.h"

extern const struct flag_set flags_msg;       /* MSG_* */
extern const struct flag_set flags_af;        /* a value, and so all up to flags_shutdown */
extern const struct flag_set flags_sock_type; /* see flags_of_type */
extern const struct flag_set flags_ip_proto;  /* 0 is HOPOPT here; to socket() it is "any" */
extern const struct flag_set flags_tcp_state; /* without TCP_ */
extern const struct flag_set flags_shutdown;  /* SHUT_* */
extern const struct flag_set flags_epoll;     /* EPOLL*, of epoll_ctl */
extern const struct flag_set flags_epoll_op;  /* a value: EPOLL_CTL_* */

/* A type as given to socket(), without SOCK_NONBLOCK and SOCK_CLOEXEC. */
struct flags flags_of_type(uint32_t type);
