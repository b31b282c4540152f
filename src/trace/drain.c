/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the rings and their order by time. A record is its head to it; the rest are bytes. */
#include "trace/drain.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "compat/sys/bpf.h"
#include "compat/sys/sys.h"

/* A tail is published at least this often, so that the kernel gets room back. */
#define PUBLISH_BYTES 65536

/* A larger ring wakes the reader no later: what it finds should still be in a cache. */
#define WAKE_BYTES (1u << 20)

/* struct perf_event_header and the u32 size of a raw sample */
#define SAMPLE_HEADER (sizeof(struct perf_event_header) + sizeof(uint32_t))

struct drain {
	struct drain_ring *rings; /* one per possible CPU; fd -1 when not open */
	struct drain_ring **heap; /* rings with a record at hand, earliest first */
	struct pollfd *polls;
	bool *online;
	int n_cpus;
	int n_heap;
	int map_fd;
	unsigned pages;
	uint64_t last_ts;
	struct drain_totals totals;
	uint64_t record[DRAIN_RECORD_MAX / sizeof(uint64_t)];
};

/* ---- one ring ---- */

/* Copies bytes out of the ring, over its edge if need be. */
static void ring_copy(const struct drain_ring *ring, uint64_t at, void *out, size_t len)
{
	uint64_t start = at & (ring->size - 1);
	size_t first = ring->size - start < len ? ring->size - start : len;

	memcpy(out, ring->data + start, first);
	memcpy((char *)out + first, ring->data, len - first);
}

static void ring_lost(struct drain_ring *ring, struct drain_totals *totals)
{
	struct {
		struct perf_event_header header;
		uint64_t id, lost;
	} lost;

	ring_copy(ring, ring->tail, &lost, sizeof(lost));
	totals->kernel_lost += lost.lost;
}

bool drain_ring_peek(struct drain_ring *ring, struct drain_totals *totals)
{
	struct perf_event_header header;
	uint32_t size;

	while (!ring->have && ring->tail < ring->head) {
		ring_copy(ring, ring->tail, &header, sizeof(header));
		if (header.size < sizeof(header) || header.size > ring->head - ring->tail) {
			/* not a ring any more: nothing in it can be trusted */
			totals->bad++;
			ring->tail = ring->head;
			break;
		}
		ring->step = header.size;
		if (header.type == PERF_RECORD_SAMPLE && header.size >= SAMPLE_HEADER + 8) {
			ring_copy(ring, ring->tail + sizeof(header), &size, sizeof(size));
			ring_copy(ring, ring->tail + SAMPLE_HEADER, &ring->ts, sizeof(ring->ts));
			ring->len = size;
			if (size >= 8 && size <= header.size - SAMPLE_HEADER &&
			    size <= DRAIN_RECORD_MAX) {
				ring->have = true;
				break;
			}
			totals->bad++;
		} else if (header.type == PERF_RECORD_LOST && header.size >= 24) {
			ring_lost(ring, totals);
		} else if (header.type == PERF_RECORD_SAMPLE) {
			totals->bad++;
		}
		ring->tail += header.size;
	}
	return ring->have;
}

void drain_ring_take(struct drain_ring *ring, void *record)
{
	ring_copy(ring, ring->tail + SAMPLE_HEADER, record, ring->len);
	ring->tail += ring->step;
	ring->have = false;
}

static void ring_publish(struct drain_ring *ring)
{
	struct perf_event_mmap_page *meta = (struct perf_event_mmap_page *)ring->meta;

	if (meta && ring->published != ring->tail)
		__atomic_store_n(&meta->data_tail, ring->tail, __ATOMIC_RELEASE);
	ring->published = ring->tail;
}

static void ring_update(struct drain_ring *ring)
{
	struct perf_event_mmap_page *meta = (struct perf_event_mmap_page *)ring->meta;

	ring->head = __atomic_load_n(&meta->data_head, __ATOMIC_ACQUIRE);
}

static int ring_open(struct drain *drain, int cpu)
{
	struct drain_ring *ring = &drain->rings[cpu];
	size_t page = sysconf(_SC_PAGESIZE);
	size_t size = page * drain->pages;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_BPF_OUTPUT,
		.sample_type = PERF_SAMPLE_RAW,
		.sample_period = 1,
		.watermark = 1,
		.wakeup_watermark = size / 4 < WAKE_BYTES ? size / 4 : WAKE_BYTES,
	};
	void *mem;
	int fd = sys_perf_event_open(&attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return fd;
	mem = mmap(NULL, page + size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (mem == MAP_FAILED || ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) ||
	    bpf_map_put(drain->map_fd, &cpu, &fd)) {
		int err = -errno;

		if (mem != MAP_FAILED)
			munmap(mem, page + size);
		close(fd);
		return err ? err : -EIO;
	}
	*ring = (struct drain_ring){
		.meta = mem,
		.data = (char *)mem + page,
		.size = size,
		.cpu = cpu,
		.fd = fd,
	};
	return 0;
}

static void ring_close(struct drain *drain, struct drain_ring *ring)
{
	if (ring->fd < 0)
		return;
	munmap((void *)ring->meta, sysconf(_SC_PAGESIZE) + ring->size);
	bpf_map_remove(drain->map_fd, &ring->cpu);
	close(ring->fd);
	ring->fd = -1;
}

/* ---- all rings ---- */

struct drain *drain_open(int events_map_fd, unsigned pages)
{
	struct drain *drain = calloc(1, sizeof(*drain));
	int n = cpus_possible(), opened = 0, err = 0;

	if (!drain || n <= 0)
		goto no_memory;
	drain->n_cpus = n;
	drain->map_fd = events_map_fd;
	drain->pages = pages;
	drain->rings = calloc(n, sizeof(*drain->rings));
	drain->heap = calloc(n, sizeof(*drain->heap));
	drain->polls = calloc(n + 1, sizeof(*drain->polls));
	drain->online = calloc(n, sizeof(*drain->online));
	if (!drain->rings || !drain->heap || !drain->polls || !drain->online)
		goto no_memory;
	for (int cpu = 0; cpu < n; cpu++)
		drain->rings[cpu].fd = -1;
	for (int cpu = 0; cpu < n; cpu++) {
		int ret = ring_open(drain, cpu);

		if (!ret)
			opened++;
		else if (ret != -ENODEV) /* a possible CPU that is not online */
			err = ret;
	}
	if (err || !opened) {
		log_error("cannot create per-CPU rings of %u pages: %s; try a smaller -m, or raise "
			  "kernel.perf_event_mlock_kb",
			  pages, strerror(err ? -err : ENODEV));
		drain_close(drain);
		return NULL;
	}
	return drain;

no_memory:
	log_error("no memory for the ring readers");
	drain_close(drain);
	return NULL;
}

/*
 * A CPU that goes takes its event along without a word (no hang-up is seen on
 * 5.10 or 6.1): what the ring holds is read, then it is closed, and a CPU that
 * comes back gets a new one.
 */
void drain_check_cpus(struct drain *drain)
{
	if (!cpus_online(drain->online, drain->n_cpus))
		return;
	for (int cpu = 0; cpu < drain->n_cpus; cpu++) {
		struct drain_ring *ring = &drain->rings[cpu];

		if (ring->fd >= 0 && !drain->online[cpu] && !ring->hung_up) {
			ring->hung_up = true;
			log_detail("cpu %d is offline", cpu);
		}
		if (ring->fd >= 0 && ring->hung_up && !ring->have && ring->tail == ring->head)
			ring_close(drain, ring);
		if (ring->fd < 0 && drain->online[cpu] && !ring_open(drain, cpu))
			log_detail("cpu %d is online now", cpu);
	}
}

void drain_wait(struct drain *drain, int extra_fd, int timeout_ms)
{
	int n = 0, ready;

	for (int cpu = 0; cpu < drain->n_cpus; cpu++) {
		struct drain_ring *ring = &drain->rings[cpu];

		if (ring->fd >= 0 && !ring->hung_up)
			drain->polls[n++] = (struct pollfd){ .fd = ring->fd, .events = POLLIN };
	}
	if (extra_fd >= 0)
		drain->polls[n++] = (struct pollfd){ .fd = extra_fd, .events = POLLIN };
	ready = poll(drain->polls, n, timeout_ms);
	if (ready <= 0)
		return;
	for (int i = 0; i < n; i++) {
		if (!drain->polls[i].revents)
			continue;
		if (drain->polls[i].fd != extra_fd)
			drain->totals.wakeups++;
		for (int cpu = 0; cpu < drain->n_cpus; cpu++)
			if ((drain->polls[i].revents & (POLLHUP | POLLERR)) &&
			    drain->rings[cpu].fd == drain->polls[i].fd)
				drain->rings[cpu].hung_up = true;
	}
}

static void heap_down(struct drain *drain, int i)
{
	struct drain_ring **h = drain->heap, *moving = h[i];

	for (;;) {
		int child = 2 * i + 1;

		if (child >= drain->n_heap)
			break;
		if (child + 1 < drain->n_heap && h[child + 1]->ts < h[child]->ts)
			child++;
		if (h[child]->ts >= moving->ts)
			break;
		h[i] = h[child];
		i = child;
	}
	h[i] = moving;
}

static void deliver(struct drain *drain, struct drain_ring *ring, drain_fn *fn, void *arg)
{
	uint32_t len = ring->len;

	if (ring->ts < drain->last_ts)
		drain->totals.late++;
	else
		drain->last_ts = ring->ts;
	drain_ring_take(ring, drain->record);
	drain->totals.records++;
	fn(arg, drain->record, len, ring->cpu);
	if (ring->tail - ring->published >= PUBLISH_BYTES ||
	    ring->tail - ring->published >= ring->size / 4)
		ring_publish(ring);
}

/*
 * Rings are read up to where they stood at the start of the turn: a flood
 * cannot keep a turn from ending. A record sent before `limit` is in its ring
 * by now, so nothing older can turn up on another CPU.
 */
void drain_run(struct drain *drain, bool all, drain_fn *fn, void *arg)
{
	uint64_t limit = all ? UINT64_MAX : mono_ns() - DRAIN_SLACK_NS;

	drain->n_heap = 0;
	for (int cpu = 0; cpu < drain->n_cpus; cpu++) {
		struct drain_ring *ring = &drain->rings[cpu];

		if (ring->fd < 0)
			continue;
		ring_update(ring);
		if (drain_ring_peek(ring, &drain->totals) && ring->ts <= limit)
			drain->heap[drain->n_heap++] = ring;
	}
	for (int i = drain->n_heap / 2 - 1; i >= 0; i--)
		heap_down(drain, i);
	while (drain->n_heap) {
		struct drain_ring *ring = drain->heap[0];

		deliver(drain, ring, fn, arg);
		if (!drain_ring_peek(ring, &drain->totals) || ring->ts > limit)
			drain->heap[0] = drain->heap[--drain->n_heap];
		if (drain->n_heap)
			heap_down(drain, 0);
	}
	for (int cpu = 0; cpu < drain->n_cpus; cpu++)
		if (drain->rings[cpu].fd >= 0)
			ring_publish(&drain->rings[cpu]);
}

const struct drain_totals *drain_totals(const struct drain *drain)
{
	return &drain->totals;
}

void drain_close(struct drain *drain)
{
	if (!drain)
		return;
	for (int cpu = 0; drain->rings && cpu < drain->n_cpus; cpu++)
		ring_close(drain, &drain->rings[cpu]);
	free(drain->rings);
	free(drain->heap);
	free(drain->polls);
	free(drain->online);
	free(drain);
}
