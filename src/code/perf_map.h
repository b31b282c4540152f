/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of code that a program made while it ran: what Java (jcmd PID Compiler.perfmap), node
 * (--perf-basic-prof) and others write to /tmp/perf-PID.map, "START SIZE NAME" in a line.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct procfs;

/* All zero is empty. */
struct perf_map {
	struct perf_code {
		uint64_t start, size;
		uint32_t name; /* in text */
	} * list;              /* by start */
	uint32_t n, room;
	char *text;
};

enum { PERF_MAP_BYTES = 64 << 20 };

/* Takes over text, of len bytes and one more. Lines that are none are skipped. False without memory. */
bool perf_map_parse(struct perf_map *map, char *text, size_t len);

/* The file of a process that lives, as it sees /tmp; 0 or -errno. */
int perf_map_read(struct perf_map *map, const struct procfs *proc, uint32_t tgid);

/* NULL: nothing there. *offset: from its start. */
const char *perf_map_name(const struct perf_map *map, uint64_t address, uint64_t *offset);
void perf_map_free(struct perf_map *map);
