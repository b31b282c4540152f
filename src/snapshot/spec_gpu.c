/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Graphics processors: what PCI, the NVIDIA driver and the graphics subsystem say. */
#include "snapshot/spec_gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_text.h"
#include "compat/sys/root.h"
#include "snapshot/spec.h"

#define CLASS_DISPLAY 0x03    /* PCI Code and ID Assignment Specification */
#define CLASS_PROCESSING 0x12 /* accelerators */

struct gpus {
	const struct spec *spec;
	json_t *names;
	json_t *devices;
};

static const struct vendor {
	unsigned id;
	const char *name;
} vendors[] = {
	{ 0x1002, "AMD" },        { 0x1013, "Cirrus Logic" }, { 0x1022, "AMD" },
	{ 0x102b, "Matrox" },     { 0x10de, "NVIDIA" },       { 0x1234, "QEMU" },
	{ 0x1414, "Microsoft" },  { 0x15ad, "VMware" },       { 0x1a03, "ASPEED" },
	{ 0x1af4, "Red Hat" },    { 0x1b36, "Red Hat" },      { 0x1d0f, "Amazon" },
	{ 0x80ee, "VirtualBox" }, { 0x8086, "Intel" },
};

static const char *vendor_name(unsigned id)
{
	for (size_t i = 0; i < sizeof(vendors) / sizeof(vendors[0]); i++)
		if (vendors[i].id == id)
			return vendors[i].name;
	return "unknown vendor";
}

/* ---- names ---- */

/* The line of a device below the line of its vendor; both begin with four digits. */
static bool find_in_ids(char *text, unsigned vendor, unsigned device, char *out, size_t size)
{
	bool ours = false;
	char *line, *end;

	while ((line = spec_next_line(&text))) {
		if (line[0] == '#' || !line[0])
			continue;
		if (line[0] != '\t') {
			if (ours)
				return false;
			ours = strtoul(line, &end, 16) == vendor && end == line + 4;
		} else if (ours && line[1] != '\t' && strtoul(line + 1, &end, 16) == device &&
			   end == line + 5) {
			end += strspn(end, " ");
			snprintf(out, size, "%s %s", vendor_name(vendor), end);
			return true;
		}
	}
	return false;
}

static bool name_by_ids(const struct spec *spec, unsigned vendor, unsigned device, char *out,
			size_t size)
{
	static const char *const files[] = { "usr/share/hwdata/pci.ids", "usr/share/misc/pci.ids",
					     "usr/share/pci.ids" };
	bool found = false;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]) && !found; i++) {
		size_t length;
		char *text = root_read(spec->root, files[i], &length);

		found = text && find_in_ids(text, vendor, device, out, size);
		free(text);
	}
	return found;
}

/* The NVIDIA driver knows what it drives. */
static bool name_by_driver(const struct spec *spec, const char *slot, char *out, size_t size)
{
	char path[128], *text, *rest, *line;
	bool found = false;
	size_t length;

	snprintf(path, sizeof(path), "proc/driver/nvidia/gpus/%s/information", slot);
	text = rest = root_read(spec->root, path, &length);
	while (!found && (line = spec_next_line(&rest))) {
		const char *model;

		found = spec_key(line, "Model", &model);
		if (found)
			snprintf(out, size, "%s", model);
	}
	free(text);
	return found;
}

static void add(struct gpus *gpus, const char *name, json_t *device)
{
	json_object_set_new(device, "name", json_text(name));
	json_array_append_new(gpus->devices, device);
	json_array_append_new(gpus->names, json_text(name));
}

static void add_pci(void *arg, const char *slot)
{
	static const char dir[] = "sys/bus/pci/devices";
	struct gpus *gpus = arg;
	const struct spec *spec = gpus->spec;
	long long class, vendor, device;
	char name[200], driver[64];
	bool display;

	if (!spec_value(spec, &class, "%s/%s/class", dir, slot) ||
	    !spec_value(spec, &vendor, "%s/%s/vendor", dir, slot) ||
	    !spec_value(spec, &device, "%s/%s/device", dir, slot))
		return;
	/* the highest of three bytes; the others say which display, and its interface */
	display = class >> 16 == CLASS_DISPLAY;
	if (!display && class >> 16 != CLASS_PROCESSING)
		return;
	if (!name_by_driver(spec, slot, name, sizeof(name)) &&
	    !name_by_ids(spec, (unsigned)vendor, (unsigned)device, name, sizeof(name)))
		snprintf(name, sizeof(name), "%s %04llx:%04llx", vendor_name((unsigned)vendor),
			 vendor, device);
	spec_link(spec, driver, sizeof(driver), "%s/%s/driver", dir, slot);
	add(gpus, name,
	    json_pack("{s:s, s:o, s:I, s:I, s:o}", "kind", display ? "display" : "accelerator",
		      "slot", json_text(slot), "vendor_id", (json_int_t)vendor, "device_id",
		      (json_int_t)device, "driver", json_text(driver)));
}

/* Those that are part of a chip: they have no place on PCI. */
static void add_card(void *arg, const char *card)
{
	struct gpus *gpus = arg;
	char driver[64], name[128], path[128], *text, *rest, *line;
	size_t length;

	if (strncmp(card, "card", 4) || strchr(card, '-') ||
	    root_exists(gpus->spec->root, "sys/class/drm/%s/device/vendor", card))
		return;
	spec_link(gpus->spec, driver, sizeof(driver), "sys/class/drm/%s/device/driver", card);
	if (!driver[0])
		return;
	snprintf(name, sizeof(name), "%s", driver);
	snprintf(path, sizeof(path), "sys/class/drm/%.40s/device/uevent", card);
	text = rest = root_read(gpus->spec->root, path, &length);
	while ((line = spec_next_line(&rest)))
		if (!strncmp(line, "OF_COMPATIBLE_0=", 16))
			snprintf(name, sizeof(name), "%s", line + 16);
	free(text);
	add(gpus, name,
	    json_pack("{s:s, s:o, s:o}", "kind", "display", "slot", json_text(card), "driver",
		      json_text(driver)));
}

void spec_add_gpus(const struct spec *spec, json_t *disk)
{
	struct gpus gpus = { spec, json_array(), json_array() };

	spec_each(spec, "sys/bus/pci/devices", add_pci, &gpus);
	spec_each(spec, "sys/class/drm", add_card, &gpus);
	json_object_set_new(disk, "gpus", gpus.names);
	json_object_set_new(disk, "gpu_devices", gpus.devices);
	json_object_set_new(disk, "nvidia_driver",
			    spec_line_json(spec, "proc/driver/nvidia/version"));
}
