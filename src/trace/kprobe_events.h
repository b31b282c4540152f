/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kprobe events in tracefs: the file kprobe_events, our groups in it, and what
 * the kernel counted. Used by attach.c and attach_event.c alone; takes the
 * tracefs path, so that tests can bring their own.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* The group of this process. */
void kprobe_events_group(char *out, size_t size);

/* "p3_vfs_read_1234": unique in the group and, since kprobe_profile names no group, outside. */
void kprobe_events_name(char *out, size_t size, bool is_return, unsigned i, const char *symbol);

/* Adds the event to our group; maxactive 0 lets the kernel choose. 0 or -errno. */
int kprobe_events_add(const char *tracefs, bool is_return, unsigned maxactive, const char *event,
		      const char *symbol);
int kprobe_events_remove(const char *tracefs, const char *group, const char *event);

/* Removes the groups of processes for which alive() is false; how many events went, or -errno. */
typedef bool kprobe_events_alive_fn(pid_t pid);
int kprobe_events_clean(const char *tracefs, kprobe_events_alive_fn *alive);

/*
 * True while another process exists under that number and runs the same program
 * as this one: a number in use again by others counts as gone, and what bears
 * this process's own before it attached anything is of an earlier one.
 */
bool kprobe_events_alive(pid_t pid);

/* What kprobe_profile says was missed, by event name. */
typedef void kprobe_events_missed_fn(void *arg, const char *event, uint64_t missed);
int kprobe_events_profile(const char *tracefs, kprobe_events_missed_fn *fn, void *arg);
