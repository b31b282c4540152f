/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the heads of made-up records: one clock, one sequence per class, all from CPU 0. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "fixture_record.h"

#include <check.h>
#include <string.h>
#include <time.h>

uint64_t record_later(void)
{
	static uint64_t last;
	struct timespec ts;
	uint64_t now;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	now = ts.tv_sec * 1000000000ULL + ts.tv_nsec + 3600000000000ULL;
	last = now > last + 10000 ? now : last + 10000;
	return last;
}

static uint32_t seq[IO_N_SEQ];

void record_restart(void)
{
	memset(seq, 0, sizeof(seq));
}

static struct io_head head(uint32_t tgid, uint8_t type, uint8_t class)
{
	return (struct io_head){
		.ts = record_later(), .seq = ++seq[class], .type = type, .class = class, .via = 1,
		.tgid = tgid, .tid = tgid, .comm = "prog",
	};
}

struct io_fs record_fs(uint32_t tgid, uint16_t op, int fd, int64_t ret)
{
	return (struct io_fs){
		.head = head(tgid, IO_REC_FS, op >= IO_LSEEK ? IO_SEQ_STATE : IO_SEQ_FS), .op = op,
		.fd = fd, .ret = ret, .offset = -1, .dirfd = -1,
	};
}

struct io_more record_more(uint32_t tgid, uint16_t op, int fd, int64_t ret)
{
	struct io_more rec = {
		.fs = record_fs(tgid, op, fd, ret), .fd2 = -1, .length = UINT64_MAX,
	};

	rec.fs.head.type = IO_REC_MORE;
	rec.fs.latency = 700;
	rec.start = rec.fs.head.ts - rec.fs.latency;
	return rec;
}

struct io_task record_task(uint32_t tgid, uint16_t event, int64_t ret)
{
	return (struct io_task){ .head = head(tgid, IO_REC_TASK, IO_SEQ_EXEC),
				 .event = event,
				 .ret = ret };
}

struct io_ds record_ds(uint32_t tgid, const char *rwbs)
{
	struct io_ds rec = { .head = head(tgid, IO_REC_DS, IO_SEQ_DS) };

	memcpy(rec.rwbs, rwbs, strlen(rwbs) < IO_RWBS ? strlen(rwbs) : IO_RWBS);
	return rec;
}

struct io_cache record_cache(uint32_t tgid, uint16_t event)
{
	return (struct io_cache){
		.head = head(tgid, IO_REC_CACHE, IO_SEQ_CACHE), .event = event, .ino = 12,
		.dev = 8 << 20 | 2, .count = 1, .size = IO_CACHE_NO_SIZE, .flags = IO_CACHE_KNOWN,
	};
}

struct io_fault record_fault(uint32_t tgid, uint64_t address)
{
	return (struct io_fault){ .head = head(tgid, IO_REC_FAULT, IO_SEQ_PAGEFAULT),
				  .address = address };
}

struct io_net record_net(uint32_t tgid, uint16_t direction, int fd, int64_t ret)
{
	return (struct io_net){
		.head = head(tgid, IO_REC_NET, IO_SEQ_NW), .direction = direction, .fd = fd, .ret = ret,
		.latency = 700,
	};
}

struct io_conn record_conn(uint32_t tgid, uint16_t event, int fd, int64_t ret)
{
	return (struct io_conn){
		.head = head(tgid, IO_REC_CONN, IO_SEQ_NW_CONN), .event = event, .fd = fd, .ret = ret,
		.latency = 700,
	};
}

struct io_poll record_poll(uint32_t tgid, uint16_t event, int64_t ret)
{
	return (struct io_poll){
		.head = head(tgid, IO_REC_POLL, IO_SEQ_NW_EPOLL), .event = event, .ret = ret, .fd = -1,
		.target = -1, .latency = 700, .timeout = IO_POLL_NO_TIMEOUT,
	};
}

struct io_opt record_opt(uint32_t tgid, uint16_t event, int level, int name)
{
	return (struct io_opt){
		.head = head(tgid, IO_REC_OPT, IO_SEQ_NW_SOCKOPT), .event = event, .level = level,
		.name = name, .fd = 3, .latency = 700,
	};
}

struct io_drop record_drop(uint32_t tgid, uint16_t event)
{
	return (struct io_drop){ .head = head(tgid, IO_REC_DROP, IO_SEQ_NW_DROP), .event = event };
}

struct io_ring record_ring(uint32_t tgid, uint16_t event)
{
	return (struct io_ring){
		.head = head(tgid, IO_REC_RING, IO_SEQ_IOURING), .event = event, .fd = -1, .opcode = 0xffff,
	};
}

size_t record_text(struct io_text *rec, uint64_t id, uint16_t kind, const void *data, size_t len)
{
	ck_assert_uint_le(len, IO_TEXT_SLOTS);
	memset(rec, 0, IO_TEXT_HEAD);
	rec->head = head(1, IO_REC_TEXT, IO_SEQ_STATE);
	rec->id = id;
	rec->kind = kind;
	rec->len = len;
	memcpy(rec->data, data, len);
	return IO_TEXT_HEAD + len;
}
