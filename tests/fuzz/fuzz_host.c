/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz/fuzz.h"

#include "compat/host/host.h"
#include "compat/host/tracefs.h"
#include "plan/plan.h"

static void see(void *arg, uint64_t value, const char *word)
{
	*(uint64_t *)arg += value + (uint64_t)word[0];
}

void fuzz_host(const uint8_t *data, size_t size)
{
	const struct host_options options = { .root = fuzz_tree(data, size) };
	static const struct plan_request request;
	static struct plan plan;
	struct tp_field fields[64];
	char text[300];
	struct host *host = host_open(&options);
	uint64_t sum = 0;
	int n;

	if (!host)
		return;
	if (fuzz_turn(size, 16, 0))
		plan_make(&plan, host, &request);
	n = host_tp_fields(host, "skb:kfree_skb", fields, 64);
	FUZZ_CLAIM(n <= 64);
	host_tp_words(host, "skb:kfree_skb", "reason", see, &sum);
	host_place(host, 0xffffffff81000010, text, sizeof(text));
	host_kprobe_target(host, "vfs_read", true, text, sizeof(text));
	host_kprobe_part(host, "vfs_read", 0);
	host_config(host, "IKHEADERS");
	host_close(host);
}
