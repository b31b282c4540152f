/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processors and memory. */
#include "snapshot/spec_cpu.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_text.h"
#include "compat/sys/root.h"
#include "snapshot/spec.h"

#define MAX_CORES 8192

/* ---- /proc/cpuinfo ---- */

struct cpuinfo {
	char brand[128];
	char vendor[64];
	char implementer[16];
	char part[16];
	unsigned n;
	unsigned n_mhz;
	double mhz; /* sum */
};

/* Main ID register of the processors that servers have (ARM's technical reference manuals). */
static const struct arm_part {
	const char *implementer, *part, *name;
} arm_parts[] = {
	{ "0x41", "0xd03", "ARM Cortex-A53" },        { "0x41", "0xd05", "ARM Cortex-A55" },
	{ "0x41", "0xd07", "ARM Cortex-A57" },        { "0x41", "0xd08", "ARM Cortex-A72" },
	{ "0x41", "0xd0b", "ARM Cortex-A76" },        { "0x41", "0xd0c", "ARM Neoverse-N1" },
	{ "0x41", "0xd40", "ARM Neoverse-V1" },       { "0x41", "0xd49", "ARM Neoverse-N2" },
	{ "0x41", "0xd4f", "ARM Neoverse-V2" },       { "0xc0", "0xac3", "Ampere-1" },
	{ "0x48", "0xd01", "HiSilicon Kunpeng-920" },
};

/* Of the first processor; a key may come again, also under another name. */
static void take(char *out, size_t size, const char *text)
{
	if (!out[0])
		snprintf(out, size, "%s", text);
}

static void take_line(struct cpuinfo *info, const char *line)
{
	const char *rest;

	if (spec_key(line, "processor", &rest) && isdigit((unsigned char)rest[0])) {
		info->n++;
	} else if (spec_key(line, "model name", &rest) || spec_key(line, "Processor", &rest)) {
		take(info->brand, sizeof(info->brand), rest);
	} else if (spec_key(line, "cpu", &rest)) {
		take(info->brand, sizeof(info->brand), rest); /* POWER */
	} else if (spec_key(line, "vendor_id", &rest)) {
		take(info->vendor, sizeof(info->vendor), rest);
	} else if (spec_key(line, "cpu MHz", &rest) || spec_key(line, "clock", &rest)) {
		info->mhz += strtod(rest, NULL);
		info->n_mhz++;
	} else if (spec_key(line, "CPU implementer", &rest)) {
		take(info->implementer, sizeof(info->implementer), rest);
	} else if (spec_key(line, "CPU part", &rest)) {
		take(info->part, sizeof(info->part), rest);
	}
}

static void name_arm(struct cpuinfo *info)
{
	if (info->brand[0] || !info->part[0])
		return;
	for (size_t i = 0; i < sizeof(arm_parts) / sizeof(arm_parts[0]); i++)
		if (!strcmp(arm_parts[i].implementer, info->implementer) &&
		    !strcmp(arm_parts[i].part, info->part))
			snprintf(info->brand, sizeof(info->brand), "%s", arm_parts[i].name);
	if (!info->brand[0])
		snprintf(info->brand, sizeof(info->brand), "ARM implementer %s part %s",
			 info->implementer, info->part);
}

static void read_cpuinfo(const struct spec *spec, struct cpuinfo *info)
{
	size_t size;
	char *text = root_read(spec->root, "proc/cpuinfo", &size), *rest = text, *line;

	memset(info, 0, sizeof(*info));
	while ((line = spec_next_line(&rest)))
		take_line(info, line);
	free(text);
	name_arm(info);
}

/* ---- /sys/devices/system/cpu ---- */

/* Numbers in a list like "0-3,8" */
static unsigned count_list(const char *list)
{
	unsigned n = 0;

	while (isdigit((unsigned char)*list)) {
		char *end;
		unsigned long first = strtoul(list, &end, 10), last = first;

		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		n += last >= first ? (unsigned)(last - first + 1) : 0;
		list = end + (*end == ',');
	}
	return n;
}

struct cores {
	const struct spec *spec;
	unsigned n;
	struct {
		long long package, core;
	} seen[MAX_CORES];
};

static void add_core(void *arg, const char *name)
{
	struct cores *cores = arg;
	long long package, core;

	if (strncmp(name, "cpu", 3) || !isdigit((unsigned char)name[3]) || cores->n == MAX_CORES ||
	    !spec_value(cores->spec, &package,
			"sys/devices/system/cpu/%s/topology/physical_package_id", name) ||
	    !spec_value(cores->spec, &core, "sys/devices/system/cpu/%s/topology/core_id", name))
		return;
	/* the threads of a core have its number; each package counts its cores from the start */
	for (unsigned i = 0; i < cores->n; i++)
		if (cores->seen[i].package == package && cores->seen[i].core == core)
			return;
	cores->seen[cores->n].package = package;
	cores->seen[cores->n++].core = core;
}

static unsigned count_cores(const struct spec *spec)
{
	struct cores *cores = calloc(1, sizeof(*cores));
	unsigned n = 0;

	if (cores) {
		cores->spec = spec;
		spec_each(spec, "sys/devices/system/cpu", add_core, cores);
		n = cores->n;
	}
	free(cores);
	return n;
}

/* Without /sys as many as cpuinfo has, which leaves out those that are off. */
static unsigned count_online(const struct spec *spec, const struct cpuinfo *info)
{
	char list[1024];

	if (spec_line(spec, list, sizeof(list), "sys/devices/system/cpu/online"))
		return count_list(list);
	return info->n;
}

static void count_node(void *arg, const char *name)
{
	unsigned *n = arg;

	*n += !strncmp(name, "node", 4) && isdigit((unsigned char)name[4]);
}

static json_t *mhz_json(const struct spec *spec, const char *file)
{
	long long khz;

	if (!spec_value(spec, &khz, "sys/devices/system/cpu/cpu0/cpufreq/%s", file))
		return json_null();
	return json_real((double)khz / 1000);
}

static json_t *frequency_json(const struct spec *spec, const struct cpuinfo *info)
{
	return info->n_mhz ? json_real(info->mhz / info->n_mhz) :
			     mhz_json(spec, "scaling_cur_freq");
}

struct list_of {
	const struct spec *spec;
	json_t *list;
};

static void add_cache(void *arg, const char *name)
{
	static const char dir[] = "sys/devices/system/cpu/cpu0/cache";
	struct list_of *caches = arg;
	long long level;

	if (!spec_value(caches->spec, &level, "%s/%s/level", dir, name))
		return;
	json_array_append_new(caches->list,
			      json_pack("{s:I, s:o, s:o}", "level", (json_int_t)level, "type",
					spec_line_json(caches->spec, "%s/%s/type", dir, name),
					"size",
					spec_line_json(caches->spec, "%s/%s/size", dir, name)));
}

json_t *spec_cpu(const struct spec *spec)
{
	struct list_of caches = { spec, json_array() };
	unsigned n_logical, n_physical = count_cores(spec), n_nodes = 0;
	struct cpuinfo info;

	read_cpuinfo(spec, &info);
	n_logical = count_online(spec, &info);
	spec_each(spec, "sys/devices/system/node", count_node, &n_nodes);
	spec_each(spec, "sys/devices/system/cpu/cpu0/cache", add_cache, &caches);
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "brand",
			 json_text(info.brand), "vendor", json_text(info.vendor), "cores_logical",
			 spec_number(n_logical, n_logical), "cores_physical",
			 spec_number(n_physical, n_physical), "frequency_mhz",
			 frequency_json(spec, &info), "frequency_min_mhz",
			 mhz_json(spec, "cpuinfo_min_freq"), "frequency_max_mhz",
			 mhz_json(spec, "cpuinfo_max_freq"), "governor",
			 spec_line_json(spec,
					"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
			 "numa_nodes", spec_number(n_nodes, n_nodes), "caches", caches.list);
}

/* ---- memory ---- */

struct meminfo {
	const char *name;
	bool known;
	long long bytes;
};

enum { TOTAL, AVAILABLE, FREE, SWAP_TOTAL, SWAP_FREE, N_FIELDS };

static void read_meminfo(const struct spec *spec, struct meminfo *fields)
{
	size_t size;
	char *text = root_read(spec->root, "proc/meminfo", &size), *rest = text, *line;
	const char *value;

	while ((line = spec_next_line(&rest)))
		for (int i = 0; i < N_FIELDS; i++)
			if (spec_key(line, fields[i].name, &value)) {
				fields[i].known = true;
				fields[i].bytes = strtoll(value, NULL, 10) * 1024;
			}
	free(text);
}

static json_t *bytes_json(const struct meminfo *field)
{
	return spec_number(field->known, field->bytes);
}

/* GiB with two decimals */
static json_t *gib_json(const struct meminfo *field)
{
	long long hundredths = (field->bytes * 100 + (1LL << 29)) >> 30;

	return field->known ? json_real((double)hundredths / 100) : json_null();
}

json_t *spec_memory(const struct spec *spec)
{
	struct meminfo f[N_FIELDS] = {
		[TOTAL] = { .name = "MemTotal" },     [AVAILABLE] = { .name = "MemAvailable" },
		[FREE] = { .name = "MemFree" },       [SWAP_TOTAL] = { .name = "SwapTotal" },
		[SWAP_FREE] = { .name = "SwapFree" },
	};
	bool used, swap;

	read_meminfo(spec, f);
	used = f[TOTAL].known && f[AVAILABLE].known && f[TOTAL].bytes > 0;
	swap = f[SWAP_TOTAL].known && f[SWAP_FREE].known;
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "total_bytes",
			 bytes_json(&f[TOTAL]), "available_bytes", bytes_json(&f[AVAILABLE]),
			 "used_bytes", spec_number(used, f[TOTAL].bytes - f[AVAILABLE].bytes),
			 "percent_used",
			 used ? json_real((double)(f[TOTAL].bytes - f[AVAILABLE].bytes) * 100 /
					  (double)f[TOTAL].bytes) :
				json_null(),
			 "total_gb", gib_json(&f[TOTAL]), "available_gb", gib_json(&f[AVAILABLE]),
			 "swap_total_bytes", bytes_json(&f[SWAP_TOTAL]), "swap_used_bytes",
			 spec_number(swap, f[SWAP_TOTAL].bytes - f[SWAP_FREE].bytes),
			 "swap_free_bytes", bytes_json(&f[SWAP_FREE]));
}
