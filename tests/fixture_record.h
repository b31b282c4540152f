/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records as programs send them, with nothing known but what a test sets. */
#ifndef IO_TESTS_FIXTURE_RECORD_H
#define IO_TESTS_FIXTURE_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "records.h"

/* Sequence numbers begin anew. */
void record_restart(void);

/* Times after anything read from /proc so far: each call gives one that is 10 µs later, or more. */
uint64_t record_later(void);
/* Time 1: before anything was read. */
#define RECORD_STALE 1

/* An operation of stream fs, or (IO_LSEEK and above) a change of descriptors, at record_later(). */
struct io_fs record_fs(uint32_t tgid, uint16_t op, int fd, int64_t ret);
/* A call of struct io_more that took 700 ns, without a second file */
struct io_more record_more(uint32_t tgid, uint16_t op, int fd, int64_t ret);
struct io_task record_task(uint32_t tgid, uint16_t event, int64_t ret);
struct io_ds record_ds(uint32_t tgid, const char *rwbs);
/* One page of file 12 on 8:2, which the kernel looked at; its size is not known. */
struct io_cache record_cache(uint32_t tgid, uint16_t event);
/* Of an address, all the kernel told without kprobes */
struct io_fault record_fault(uint32_t tgid, uint64_t address);
/* Calls that took 700 ns, on sockets of which nothing is known */
struct io_net record_net(uint32_t tgid, uint16_t direction, int fd, int64_t ret);
struct io_conn record_conn(uint32_t tgid, uint16_t event, int fd, int64_t ret);
struct io_poll record_poll(uint32_t tgid, uint16_t event, int64_t ret);
struct io_opt record_opt(uint32_t tgid, uint16_t event, int level, int name);
struct io_drop record_drop(uint32_t tgid, uint16_t event);
/* Without descriptor and opcode */
struct io_ring record_ring(uint32_t tgid, uint16_t event);
/* Returns the bytes that count. */
size_t record_text(struct io_text *rec, uint64_t id, uint16_t kind, const void *data, size_t len);

#endif
