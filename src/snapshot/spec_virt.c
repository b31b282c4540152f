/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the host itself runs in: a hypervisor, a container; and which runtimes of containers it has. */
#include "snapshot/spec_virt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_text.h"
#include "compat/sys/root.h"
#include "snapshot/spec.h"

/* ---- virtual machines ---- */

/* As the firmware names them; what comes first counts. */
static const struct dmi_word {
	const char *file;
	const char *word;
	const char *name;
} dmi_words[] = {
	{ "product_name", "KVM", "kvm" },
	{ "product_name", "OpenStack", "kvm" },
	{ "sys_vendor", "Amazon EC2", "amazon" },
	{ "sys_vendor", "Google", "google" },
	{ "product_name", "Google Compute Engine", "google" },
	{ "sys_vendor", "QEMU", "qemu" },
	{ "sys_vendor", "Red Hat", "kvm" },
	{ "sys_vendor", "VMware", "vmware" },
	{ "product_name", "VMware", "vmware" },
	{ "product_name", "VirtualBox", "virtualbox" },
	{ "sys_vendor", "innotek GmbH", "virtualbox" },
	{ "sys_vendor", "Xen", "xen" },
	{ "bios_vendor", "Xen", "xen" },
	{ "product_name", "Virtual Machine", "hyper-v" },
	{ "sys_vendor", "Parallels", "parallels" },
	{ "bios_vendor", "BHYVE", "bhyve" },
	{ "sys_vendor", "Alibaba Cloud", "alibaba" },
	{ "bios_vendor", "Amazon EC2", "amazon" },
};

static bool by_firmware(const struct spec *spec, char *out, size_t size)
{
	char line[256], product[256];

	/* machines of EC2 that are nobody's guest */
	spec_line(spec, product, sizeof(product), "sys/class/dmi/id/product_name");
	if (strstr(product, ".metal"))
		return false;
	for (size_t i = 0; i < sizeof(dmi_words) / sizeof(dmi_words[0]); i++) {
		const struct dmi_word *w = &dmi_words[i];

		if (spec_line(spec, line, sizeof(line), "sys/class/dmi/id/%s", w->file) &&
		    !strncmp(line, w->word, strlen(w->word))) {
			snprintf(out, size, "%s", w->name);
			return true;
		}
	}
	return false;
}

/* The processor tells its guests that they are such. */
static bool has_hypervisor_flag(const struct spec *spec)
{
	size_t size;
	char *text = root_read(spec->root, "proc/cpuinfo", &size), *rest = text, *line;
	const char *flags;
	bool found = false;

	while (!found && (line = spec_next_line(&rest)))
		found = spec_key(line, "flags", &flags) && strstr(flags, " hypervisor");
	free(text);
	return found;
}

static void find_hypervisor(const struct spec *spec, char *out, size_t size)
{
	if (spec_line(spec, out, size, "sys/hypervisor/type"))
		return;
	if (by_firmware(spec, out, size))
		return;
	if (spec_line(spec, out, size, "proc/device-tree/hypervisor/compatible"))
		return;
	snprintf(out, size, "%s", has_hypervisor_flag(spec) ? "unknown" : "none");
}

/* ---- containers ---- */

/* "container=docker" in the environment of the first process; root alone may read it. */
static bool by_environment(const struct spec *spec, char *out, size_t size)
{
	static const char key[] = "container=";
	size_t length = 0;
	char *text = root_read(spec->root, "proc/1/environ", &length);
	bool found = false;

	for (size_t at = 0; text && at < length && !found; at += strlen(text + at) + 1) {
		found = !strncmp(text + at, key, sizeof(key) - 1);
		if (found)
			snprintf(out, size, "%s", text + at + sizeof(key) - 1);
	}
	free(text);
	return found;
}

static bool by_cgroup(const struct spec *spec, char *out, size_t size)
{
	static const char *const words[] = { "kubepods", "docker",     "libpod",
					     "crio",     "containerd", "lxc" };
	size_t length;
	char *text = root_read(spec->root, "proc/1/cgroup", &length);
	bool found = false;

	for (size_t i = 0; text && i < sizeof(words) / sizeof(words[0]) && !found; i++) {
		found = strstr(text, words[i]);
		if (found)
			snprintf(out, size, "%s", words[i]);
	}
	free(text);
	return found;
}

static void find_container(const struct spec *spec, char *out, size_t size)
{
	out[0] = '\0';
	if (spec_line(spec, out, size, "run/systemd/container"))
		return;
	if (root_exists(spec->root, ".dockerenv"))
		snprintf(out, size, "docker");
	else if (root_exists(spec->root, "run/.containerenv"))
		snprintf(out, size, "podman");
	else if (!by_environment(spec, out, size))
		by_cgroup(spec, out, size);
}

/* What they listen on while they run, and their programs. */
static json_t *runtimes_json(const struct spec *spec)
{
	static const struct runtime {
		const char *name;
		const char *paths[4];
	} runtimes[] = {
		{ "docker", { "run/docker.sock", "var/run/docker.sock", "usr/bin/dockerd" } },
		{ "containerd",
		  { "run/containerd/containerd.sock", "usr/bin/containerd",
		    "usr/local/bin/containerd" } },
		{ "cri-o", { "run/crio/crio.sock", "usr/bin/crio", "usr/local/bin/crio" } },
		{ "podman", { "run/podman/podman.sock", "usr/bin/podman" } },
		{ "lxc", { "usr/bin/lxc-start", "var/lib/lxd", "var/snap/lxd" } },
		{ "systemd-nspawn", { "usr/bin/systemd-nspawn" } },
	};
	json_t *list = json_array();

	for (size_t i = 0; i < sizeof(runtimes) / sizeof(runtimes[0]); i++)
		for (int k = 0; k < 4 && runtimes[i].paths[k]; k++)
			if (root_exists(spec->root, "%s", runtimes[i].paths[k])) {
				json_array_append_new(list, json_string(runtimes[i].name));
				break;
			}
	return list;
}

void spec_add_surroundings(const struct spec *spec, json_t *os)
{
	char text[128];

	find_hypervisor(spec, text, sizeof(text));
	json_object_set_new(os, "virtualization", json_text(text));
	json_object_set_new(os, "hardware",
			    json_pack("{s:o, s:o}", "vendor",
				      spec_line_json(spec, "sys/class/dmi/id/sys_vendor"),
				      "product",
				      spec_line_json(spec, "sys/class/dmi/id/product_name")));
	find_container(spec, text, sizeof(text));
	json_object_set_new(os, "container", json_text(text));
	json_object_set_new(os, "container_runtimes", runtimes_json(spec));
}
