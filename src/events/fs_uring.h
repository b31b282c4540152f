/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes rows of stream fs of completed requests of io_uring. */
#pragma once

struct events;
struct iot_ring;
struct path;

/* A completed request of io_uring; path: of its file, or NULL. */
void fs_request(struct events *ev, const struct iot_ring *request, const struct path *path);
