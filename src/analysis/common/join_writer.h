/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The end of a thread that writes to somebody who may never read it. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Waits until the thread has ended. False: SIGINT or SIGTERM came, which are blocked, or,
 * interrupted by one before, it made no progress for two seconds. The thread then is where it
 * was, and ends with the process.
 */
bool join_writer(pthread_t thread, const uint64_t *progress, bool interrupted);
