/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns what a report tells of the machine: from the snapshot of the system, if the directory has one. */
#include "analysis/report/report_machine.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "analysis/common/units.h"
#include "read/members.h"

enum { MAX_LISTED = 16 };

/* What is not there, or is no JSON, is none: what a report lacks by it is empty. */
static json_t *load(struct report_answer *answer, const char *name)
{
	char path[PATH_MAX];
	json_error_t error;

	if (snprintf(path, sizeof(path), "%s/system_spec/%s.json", answer->report->session.dir,
		     name) >= (int)sizeof(path))
		return NULL;
	return json_load_file(path, 0, &error);
}

static const char *text_of(const json_t *object, const char *name)
{
	const char *text = member_text(object, name);

	return text ? text : "?";
}

static void add_system(struct report_answer *answer, const json_t *os)
{
	const json_t *distribution = json_object_get(os, "distribution");

	if (!os)
		return;
	report_say(answer, "system", "%s, %s %s (%s)", text_of(distribution, "name"),
		   text_of(os, "system"), text_of(os, "release"), text_of(os, "machine"));
	report_say(answer, "kernel_command_line", "%s", text_of(os, "cmdline"));
}

static void add_processors(struct report_answer *answer, const json_t *cpu)
{
	uint64_t logical, physical, nodes;

	if (!cpu || !member_number(cpu, "cores_logical", &logical))
		return;
	member_number(cpu, "cores_physical", &physical);
	member_number(cpu, "numa_nodes", &nodes);
	report_say(answer, "processors", "%s: %llu, of %llu cores, NUMA nodes: %llu",
		   text_of(cpu, "brand"), (unsigned long long)logical, (unsigned long long)physical,
		   (unsigned long long)nodes);
}

static void add_memory(struct report_answer *answer, const json_t *memory)
{
	char total[UNITS_SIZE], available[UNITS_SIZE], swap[UNITS_SIZE];
	uint64_t n[3];

	if (!memory || !member_number(memory, "total_bytes", &n[0]))
		return;
	member_number(memory, "available_bytes", &n[1]);
	member_number(memory, "swap_total_bytes", &n[2]);
	report_say(answer, "memory", "%s, %s of it available at the start; swap: %s",
		   units_bytes(total, n[0]), units_bytes(available, n[1]), units_bytes(swap, n[2]));
}

static void add_disks(struct report_answer *answer, const json_t *disks)
{
	const json_t *item;
	char size[UNITS_SIZE];
	uint64_t n;
	size_t i;

	json_array_foreach(json_object_get(disks, "block_devices"), i, item)
	{
		if (i >= MAX_LISTED || !member_number(item, "size_bytes", &n) || !n)
			continue;
		report_say(answer, "disk",
			   "%s (%s): %s, %s, scheduler %s, write cache: %s, driver %s",
			   text_of(item, "name"), text_of(item, "major_minor"),
			   units_bytes(size, n),
			   json_is_true(json_object_get(item, "rotational")) ? "rotating" :
									       "not rotating",
			   text_of(item, "scheduler"), text_of(item, "write_cache"),
			   text_of(item, "driver"));
	}
	json_array_foreach(json_object_get(disks, "partitions"), i, item)
	{
		const char *device = member_text(item, "device");

		/* those that are on a disk */
		if (i < MAX_LISTED && device && device[0] == '/')
			report_say(answer, "file_system", "%s: %s on %s, %s",
				   text_of(item, "mountpoint"), text_of(item, "fstype"), device,
				   text_of(item, "opts"));
	}
}

static void add_interfaces(struct report_answer *answer, json_t *network)
{
	json_t *item, *list = json_object_get(network, "interfaces");
	const char *name;
	unsigned n = 0;

	json_object_foreach(list, name, item)
	{
		uint64_t mtu;

		if (!json_is_true(json_object_get(item, "is_up")) || n++ >= MAX_LISTED)
			continue;
		member_number(item, "mtu", &mtu);
		report_say(answer, "interface", "%s: MTU %llu, driver %s", name,
			   (unsigned long long)mtu, text_of(item, "driver"));
	}
}

void report_add_machine(struct report_answer *answer)
{
	json_t *os = load(answer, "os_info"), *cpu = load(answer, "cpu_info"),
	       *memory = load(answer, "memory_info"), *disks = load(answer, "disk_info"),
	       *network = load(answer, "network_info");

	report_pairs_add(answer, "machine", "the machine, as the snapshot has it", "value");
	add_system(answer, os);
	add_processors(answer, cpu);
	add_memory(answer, memory);
	add_disks(answer, disks);
	add_interfaces(answer, network);
	json_decref(os);
	json_decref(cpu);
	json_decref(memory);
	answer->disks = disks;
	json_decref(network);
}

static bool is_device(const json_t *item, const char *number)
{
	const char *its = member_text(item, "major_minor");

	return its && !strcmp(its, number);
}

bool report_device_rotates(struct report_answer *answer, uint32_t device)
{
	const json_t *disk, *part, *parts;
	char number[TABLE_NUMBER_SIZE];
	size_t i, j;

	table_exact(number, TABLE_DEVICE, device);
	json_array_foreach(json_object_get(answer->disks, "block_devices"), i, disk)
	{
		bool its = is_device(disk, number);

		parts = json_object_get(disk, "partitions");
		json_array_foreach(parts, j, part) its = its || is_device(part, number);
		if (its)
			return json_is_true(json_object_get(disk, "rotational"));
	}
	return false;
}
