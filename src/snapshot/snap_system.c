/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns the files of a system snapshot: which part goes into which, and the text
 * for people that is made of them.
 */
#include "snapshot/snap_system.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/below.h"
#include "base/file.h"
#include "snapshot/snap.h"
#include "snapshot/snap_fail.h"
#include "snapshot/spec.h"
#include "snapshot/spec_cpu.h"
#include "snapshot/spec_disk.h"
#include "snapshot/spec_net.h"
#include "snapshot/spec_os.h"

#define DIR_NAME "system_spec"
#define TEXT_NAME "device_spec.txt"

enum part { PART_CPU, PART_MEMORY, PART_DISK, PART_NETWORK, PART_OS, N_PARTS };

static const struct {
	const char *file;
	json_t *(*make)(const struct spec *spec);
} parts[N_PARTS] = {
	[PART_CPU] = { "cpu_info.json", spec_cpu },
	[PART_MEMORY] = { "memory_info.json", spec_memory },
	[PART_DISK] = { "disk_info.json", spec_disk },
	[PART_NETWORK] = { "network_info.json", spec_network },
	[PART_OS] = { "os_info.json", spec_os },
};

static int write_file(struct snap_job *job, int dir_fd, const char *name, const char *text,
		      size_t len)
{
	int err = text ? file_replace(dir_fd, name, text, len) : -ENOMEM;

	if (err)
		return snap_fail(job, err, DIR_NAME "/%s: %s", name, strerror(-err));
	job->done.newest_bytes += len;
	return 0;
}

static int write_json(struct snap_job *job, int dir_fd, const char *name, const json_t *json)
{
	char *text = json ? json_dumps(json, JSON_INDENT(2) | JSON_PRESERVE_ORDER |
						     JSON_REAL_PRECISION(10)) :
			    NULL;
	size_t len = text ? strlen(text) : 0;
	int err;

	if (text)
		text[len++] = '\n'; /* in place of the NUL */
	err = write_file(job, dir_fd, name, text, len);
	free(text);
	return err;
}

/* ---- device_spec.txt ---- */

static void put_value(FILE *out, const char *label, const json_t *value, const char *unit)
{
	fprintf(out, "%s: ", label);
	if (json_is_string(value))
		fprintf(out, "%s%s\n", json_string_value(value), unit);
	else if (json_is_integer(value))
		fprintf(out, "%lld%s\n", (long long)json_integer_value(value), unit);
	else if (json_is_real(value))
		fprintf(out, "%.2f%s\n", json_real_value(value), unit);
	else
		fprintf(out, "Unknown\n");
}

static void put_from(FILE *out, const char *label, const json_t *part, const char *key,
		     const char *unit)
{
	put_value(out, label, json_object_get(part, key), unit);
}

static void put_gpus(FILE *out, const json_t *names)
{
	json_t *name;
	size_t i;

	fprintf(out, "GPUs: %s", json_array_size(names) ? "" : "None detected");
	json_array_foreach(names, i, name)
		fprintf(out, "%s%s", i ? ", " : "",
			json_is_string(name) ? json_string_value(name) : "Unknown");
	fprintf(out, "\n");
}

static void put_disks(FILE *out, const json_t *lines)
{
	json_t *line;
	size_t i;

	fprintf(out, "Storages:\n");
	json_array_foreach(lines, i, line) fprintf(out, "%s\n", json_string_value(line));
	if (!json_array_size(lines))
		fprintf(out, "Could not detect\n");
}

static void put_all(FILE *out, json_t *const spec[N_PARTS])
{
	put_from(out, "System", spec[PART_OS], "system", "");
	put_from(out, "Release", spec[PART_OS], "release", "");
	put_from(out, "Version", spec[PART_OS], "version", "");
	put_from(out, "Machine", spec[PART_OS], "machine", "");
	put_from(out, "Country", spec[PART_OS], "country", "");
	fprintf(out, "\n");
	put_from(out, "CPU Brand", spec[PART_CPU], "brand", "");
	put_from(out, "CPU Cores (logical)", spec[PART_CPU], "cores_logical", "");
	put_from(out, "CPU Cores (physical)", spec[PART_CPU], "cores_physical", "");
	put_from(out, "CPU Frequency", spec[PART_CPU], "frequency_mhz", " MHz");
	fprintf(out, "\n");
	put_from(out, "Total Memory", spec[PART_MEMORY], "total_gb", " GB");
	put_from(out, "Available Memory", spec[PART_MEMORY], "available_gb", " GB");
	fprintf(out, "\n");
	put_gpus(out, json_object_get(spec[PART_DISK], "gpus"));
	put_disks(out, json_object_get(spec[PART_DISK], "storage_devices"));
}

static int write_text(struct snap_job *job, int dir_fd, json_t *const spec[N_PARTS])
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);
	int err;

	if (!out)
		return snap_fail(job, -ENOMEM, "no memory");
	put_all(out, spec);
	fclose(out);
	err = write_file(job, dir_fd, TEXT_NAME, text, len);
	free(text);
	return err;
}

/* ---- all of it ---- */

/* It is taken once in a session: what is there is of this one, which is not whole. */
static void forget(struct snap_job *job, int dir_fd)
{
	for (int i = 0; i < N_PARTS; i++)
		unlinkat(dir_fd, parts[i].file, 0);
	unlinkat(dir_fd, TEXT_NAME, 0);
	unlinkat(job->dir_fd, DIR_NAME, AT_REMOVEDIR);
}

int snap_system(struct snap_job *job)
{
	struct spec spec = { .root = job->host_root };
	json_t *made[N_PARTS] = { NULL };
	int dir_fd, err = 0;

	dir_fd = below_folder(job->dir_fd, DIR_NAME);
	if (dir_fd < 0)
		return snap_fail(job, dir_fd, DIR_NAME ": %s", strerror(-dir_fd));
	for (int i = 0; i < N_PARTS && !err; i++) {
		if (!job->may_continue(job->arg)) {
			err = snap_fail(job, -ECANCELED, "the trace ended");
			break;
		}
		made[i] = parts[i].make(&spec);
		err = write_json(job, dir_fd, parts[i].file, made[i]);
	}
	if (!err)
		err = write_text(job, dir_fd, made);
	if (err)
		forget(job, dir_fd);
	for (int i = 0; i < N_PARTS; i++)
		json_decref(made[i]);
	close(dir_fd);
	return err;
}
