/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See trace_stacks.h. */
#include "trace/trace_stacks.h"

#include <string.h>

#include "compat/sys/bpf.h"
#include "row/records.h"
#include "trace/load.h"
#include "trace/trace_set.h"

/* Below 0: an image that was built without stacks has neither. */
static int map_of(const struct trace *trace, bool kernel)
{
	return load_map(&trace->loaded, kernel ? "iot_kernel_stacks" : "iot_user_stacks");
}

unsigned trace_stack_read(const struct trace *trace, bool kernel, int32_t id, uint64_t *frames)
{
	int map = map_of(trace, kernel);
	unsigned n = 0;

	memset(frames, 0, IOT_STACK_FRAMES * sizeof(*frames));
	if (map < 0 || bpf_map_get(map, &id, frames))
		return 0;
	/* the kernel fills the rest with zeros: kernel/bpf/stackmap.c */
	while (n < IOT_STACK_FRAMES && frames[n])
		n++;
	return n;
}

void trace_stack_remove(const struct trace *trace, bool kernel, int32_t id)
{
	int map = map_of(trace, kernel);

	if (map >= 0)
		bpf_map_remove(map, &id);
}
