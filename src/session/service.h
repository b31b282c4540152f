/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a service manager hears (sd_notify(3)): that recording has begun, that it goes on, that it ends. Without one
 * that asked for it (NOTIFY_SOCKET) nothing happens.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct service {
	bool managed;      /* there is one */
	uint64_t every_ns; /* that it goes on; 0: nobody asked */
	uint64_t next_ns;
	pid_t predecessor; /* that this recording is to replace; 0: none */
	pid_t successor;   /* that is to replace this one; 0: none */
	bool replaced;     /* it does */
};

/* Zeroed. Whether there is a manager, and what it asked for. */
void service_open(struct service *service);
/* Everything is attached: for the manager, or for the predecessor, which then ends. */
void service_ready(struct service *service);
/* Each turn: the watchdog. */
void service_goes_on(struct service *service, uint64_t now_ns);
/* It ends. */
void service_stopping(struct service *service);

/*
 * Reload: starts the program as it is installed by now, with argv, which reads its options as they are then. This recording goes
 * on until the other one has begun, so that no event is between them.
 */
void service_reload(struct service *service, char **argv);
/* A signal to stop came from pid: whether the successor sent it, which has begun. */
bool service_taken_over(struct service *service, pid_t pid);
/* Once a second: a successor that ended instead, having said why. True: there was one. */
bool service_kept(struct service *service);
