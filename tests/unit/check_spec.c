/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a host is made of, from hosts that were made up, saved ones, and this one. */
#include "snapshot/spec.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "fixture/fixture_snap.h"
#include "fixture/host_fixture.h"
#include "fixture/session.h"
#include "row/anon.h"
#include "row/anon_key.h"
#include "snapshot/snap_frame.h"
#include "snapshot/spec_cpu.h"
#include "snapshot/spec_disk.h"
#include "snapshot/spec_net.h"
#include "snapshot/spec_os.h"

static char *dir;
static struct spec spec;

static void setup(void)
{
	dir = fixture_make();
	spec = (struct spec){ .root = dir };
}

static void teardown(void)
{
	fixture_remove(dir);
}

static void put(const char *path, const char *text)
{
	fixture_write(dir, path, text);
}

/* "a.b.0.c" in an object */
static json_t *at(json_t *json, const char *path)
{
	char part[128];

	while (json && *path) {
		size_t n = strcspn(path, ".");

		snprintf(part, sizeof(part), "%.*s", (int)n, path);
		json = json_is_array(json) ? json_array_get(json, (size_t)atoi(part)) :
					     json_object_get(json, part);
		path += n + (path[n] == '.');
	}
	return json;
}

static void is_text(json_t *json, const char *path, const char *text)
{
	const char *value = json_string_value(at(json, path));

	ck_assert_msg(value && !strcmp(value, text), "%s: '%s' is not '%s'", path,
		      value ? value : "(no text)", text);
}

static void is_number(json_t *json, const char *path, double number)
{
	ck_assert_msg(json_is_number(at(json, path)), "%s is no number", path);
	ck_assert_msg(json_number_value(at(json, path)) > number - 0.01 &&
			      json_number_value(at(json, path)) < number + 0.01,
		      "%s: %f is not %f", path, json_number_value(at(json, path)), number);
}

static void is_null(json_t *json, const char *path)
{
	ck_assert_msg(json_is_null(at(json, path)), "%s is not null", path);
}

/* ---- nothing at all ---- */

START_TEST(a_host_without_files_is_all_null)
{
	json_t *cpu = spec_cpu(&spec), *memory = spec_memory(&spec), *disk = spec_disk(&spec);
	json_t *network = spec_network(&spec), *os = spec_os(&spec);

	is_null(cpu, "brand");
	is_null(cpu, "cores_logical");
	is_null(cpu, "cores_physical");
	is_null(cpu, "frequency_mhz");
	is_null(memory, "total_bytes");
	is_null(memory, "percent_used");
	ck_assert_uint_eq(json_array_size(at(disk, "block_devices")), 0);
	ck_assert_uint_eq(json_array_size(at(disk, "gpus")), 0);
	ck_assert_uint_eq(json_object_size(at(network, "interfaces")), 0);
	is_null(network, "hostname");
	is_null(os, "system");
	is_null(os, "machine");
	is_text(os, "country", "Unknown");
	is_null(os, "distribution.name");
	is_text(os, "virtualization", "none");
	is_null(os, "container");
	json_decref(cpu);
	json_decref(memory);
	json_decref(disk);
	json_decref(network);
	json_decref(os);
}
END_TEST

/* ---- processors, memory ---- */

static void put_cpu(int cpu, int package, int core)
{
	char name[128], text[16];

	snprintf(name, sizeof(name), "sys/devices/system/cpu/cpu%d/topology/physical_package_id",
		 cpu);
	snprintf(text, sizeof(text), "%d\n", package);
	put(name, text);
	snprintf(name, sizeof(name), "sys/devices/system/cpu/cpu%d/topology/core_id", cpu);
	snprintf(text, sizeof(text), "%d\n", core);
	put(name, text);
}

START_TEST(two_sockets_with_threads)
{
	json_t *cpu;

	/* two packages of two cores of two threads; one thread is off */
	for (int i = 0; i < 8; i++)
		put_cpu(i, i / 2 % 2, i / 4);
	put("sys/devices/system/cpu/online", "0-5,7\n");
	put("sys/devices/system/cpu/cpufreq/policy0/x", "");
	put("sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_min_freq", "800000\n");
	put("sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "3900500\n");
	put("sys/devices/system/cpu/cpu0/cache/index0/level", "1\n");
	put("sys/devices/system/cpu/cpu0/cache/index0/type", "Data\n");
	put("sys/devices/system/cpu/cpu0/cache/index0/size", "48K\n");
	put("sys/devices/system/node/node0/x", "");
	put("sys/devices/system/node/node1/x", "");
	put("sys/devices/system/node/online", "0-1\n");
	put("proc/cpuinfo",
	    "processor\t: 0\nvendor_id\t: GenuineIntel\ncpu family\t: 6\n"
	    "model name\t: Intel(R) Xeon(R) Gold 6148 CPU @ 2.40GHz\ncpu MHz\t\t: 2000.000\n\n"
	    "processor\t: 1\nmodel name\t: Other\ncpu MHz\t\t: 3000.500\n\n");
	cpu = spec_cpu(&spec);
	is_text(cpu, "brand", "Intel(R) Xeon(R) Gold 6148 CPU @ 2.40GHz");
	is_text(cpu, "vendor", "GenuineIntel");
	is_number(cpu, "cores_logical", 7);
	is_number(cpu, "cores_physical", 4);
	is_number(cpu, "frequency_mhz", 2500.25);
	is_number(cpu, "frequency_min_mhz", 800);
	is_number(cpu, "frequency_max_mhz", 3900.5);
	is_number(cpu, "numa_nodes", 2);
	is_text(cpu, "caches.0.size", "48K");
	json_decref(cpu);
}
END_TEST

START_TEST(processors_that_have_no_name_get_one)
{
	json_t *cpu;

	put("proc/cpuinfo",
	    "processor\t: 0\nBogoMIPS\t: 243.75\nCPU implementer\t: 0x41\nCPU part\t: 0xd0c\n\n");
	cpu = spec_cpu(&spec);
	is_text(cpu, "brand", "ARM Neoverse-N1");
	is_number(cpu, "cores_logical", 1);
	json_decref(cpu);
	put("proc/cpuinfo", "processor\t: 0\nCPU implementer\t: 0x99\nCPU part\t: 0x123\n");
	cpu = spec_cpu(&spec);
	is_text(cpu, "brand", "ARM implementer 0x99 part 0x123");
	json_decref(cpu);
	put("proc/cpuinfo",
	    "processor\t: 0\ncpu\t\t: POWER9, altivec supported\nclock\t\t: 2500.000000MHz\n");
	cpu = spec_cpu(&spec);
	is_text(cpu, "brand", "POWER9, altivec supported");
	is_number(cpu, "frequency_mhz", 2500);
	json_decref(cpu);
}
END_TEST

START_TEST(memory_is_counted)
{
	json_t *memory;

	put("proc/meminfo",
	    "MemTotal:       16384000 kB\nMemFree:          100 kB\nMemAvailable:    4096000 kB\n"
	    "SwapTotal:       2048 kB\nSwapFree:        1024 kB\n");
	memory = spec_memory(&spec);
	is_number(memory, "total_bytes", 16384000.0 * 1024);
	is_number(memory, "used_bytes", 12288000.0 * 1024);
	is_number(memory, "percent_used", 75);
	is_number(memory, "total_gb", 15.63);
	is_number(memory, "swap_used_bytes", 1024 * 1024);
	json_decref(memory);
}
END_TEST

/* ---- disks ---- */

START_TEST(disks_have_models_schedulers_and_partitions)
{
	json_t *disk;

	put("sys/devices/sda/size", "2000\n");
	put("sys/devices/sda/dev", "8:0\n");
	put("sys/devices/sda/ro", "0\n");
	put("sys/devices/sda/removable", "1\n");
	put("sys/devices/sda/queue/rotational", "1\n");
	put("sys/devices/sda/queue/scheduler", "none mq-deadline [bfq] \n");
	put("sys/devices/sda/queue/nr_requests", "64\n");
	put("sys/devices/sda/device/vendor", "HGST    \n");
	put("sys/devices/sda/device/model", "HUS726T4TAL     \n");
	put("sys/devices/sda/sda1/start", "2\n");
	put("sys/devices/sda/sda1/size", "100\n");
	put("sys/devices/sda/sda1/dev", "8:1\n");
	fixture_link(dir, "sys/devices/sda/device/driver", "../../../bus/scsi/drivers/sd");
	fixture_link(dir, "sys/block/sda", "../devices/sda");
	put("sys/block/nvme0n1/size", "1953525168\n");
	put("sys/block/nvme0n1/queue/rotational", "0\n");
	put("sys/block/nvme0n1/queue/scheduler", "none\n");
	put("sys/block/nvme0n1/device/model", "Samsung SSD 980 PRO 1TB \n");
	put("sys/block/vdb/size", "8\n");
	put("sys/block/vdb/device/vendor", "0x1af4\n");
	put("sys/block/dm-0/size", "8\n");
	put("sys/block/dm-0/dm/name", "vg-root\n");
	put("sys/block/dm-0/slaves/sda1/x", "");
	put("sys/block/loop0/size", "0\n");
	disk = spec_disk(&spec);
	ck_assert_uint_eq(json_array_size(at(disk, "block_devices")), 4);
	is_text(disk, "block_devices.0.name", "dm-0");
	is_text(disk, "block_devices.0.model", "vg-root");
	is_text(disk, "block_devices.0.made_of.0", "sda1");
	is_null(disk, "block_devices.0.rotational");
	is_text(disk, "block_devices.1.model", "Samsung SSD 980 PRO 1TB");
	is_text(disk, "block_devices.1.scheduler", "none");
	ck_assert(json_is_false(at(disk, "block_devices.1.rotational")));
	is_text(disk, "block_devices.2.model", "HGST HUS726T4TAL");
	is_text(disk, "block_devices.2.scheduler", "bfq");
	is_text(disk, "block_devices.2.driver", "sd");
	is_number(disk, "block_devices.2.size_bytes", 1024000);
	is_number(disk, "block_devices.2.nr_requests", 64);
	ck_assert(json_is_true(at(disk, "block_devices.2.rotational")));
	ck_assert(json_is_true(at(disk, "block_devices.2.removable")));
	is_text(disk, "block_devices.2.partitions.0.name", "sda1");
	is_text(disk, "block_devices.2.partitions.0.major_minor", "8:1");
	is_number(disk, "block_devices.2.partitions.0.size_bytes", 51200);
	is_null(disk, "block_devices.3.model");
	is_text(disk, "storage_devices.1", "nvme0n1: Samsung SSD 980 PRO 1TB, 931.5 GiB");
	is_text(disk, "storage_devices.2", "sda: HGST HUS726T4TAL, 1000.0 KiB");
	json_decref(disk);
}
END_TEST

START_TEST(mounts_are_those_that_hold_files)
{
	json_t *disk;

	put("proc/self/mounts", "/dev/sda1 / ext4 rw,relatime 0 0\nproc /proc proc rw 0 0\n"
				"sysfs /sys sysfs rw 0 0\nsystemd-1 /misc autofs rw 0 0\n"
				"server:/x /mnt/with\\040blank nfs4 rw 0 0\nbroken\n");
	disk = spec_disk(&spec);
	ck_assert_uint_eq(json_array_size(at(disk, "partitions")), 2);
	is_text(disk, "partitions.0.mountpoint", "/");
	is_text(disk, "partitions.0.opts", "rw,relatime");
	is_text(disk, "partitions.1.mountpoint", "/mnt/with blank");
	is_text(disk, "partitions.1.fstype", "nfs4");
	/* nobody is asked how full the file systems of a saved host are */
	is_null(disk, "partitions.0.total_bytes");
	json_decref(disk);
}
END_TEST

static void put_pci(const char *slot, const char *class, const char *vendor, const char *device)
{
	char name[128];

	snprintf(name, sizeof(name), "sys/bus/pci/devices/%s/class", slot);
	put(name, class);
	snprintf(name, sizeof(name), "sys/bus/pci/devices/%s/vendor", slot);
	put(name, vendor);
	snprintf(name, sizeof(name), "sys/bus/pci/devices/%s/device", slot);
	put(name, device);
}

START_TEST(graphics_are_found_and_named)
{
	json_t *disk;

	put_pci("0000:00:00.0", "0x060000\n", "0x8086\n", "0x1237\n");
	put_pci("0000:00:02.0", "0x030000\n", "0x8086\n", "0x9a49\n");
	put_pci("0000:01:00.0", "0x030200\n", "0x10de\n", "0x20b0\n");
	put_pci("0000:02:00.0", "0x030000\n", "0x1002\n", "0x73bf\n");
	put_pci("0000:03:00.0", "0x120000\n", "0x1d0f\n", "0x0001\n");
	put("proc/driver/nvidia/gpus/0000:01:00.0/information",
	    "Model: \t\t NVIDIA A100-SXM4-40GB\nIRQ:   \t\t 30\n");
	put("proc/driver/nvidia/version",
	    "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.54.03\n");
	put("usr/share/misc/pci.ids",
	    "# a list\n1002  Advanced Micro Devices\n\t73be  Other\n"
	    "\t73bf  Navi 21 [Radeon RX 6800]\n\t\t1002 0e3a  A card\n8086  Intel Corporation\n"
	    "\t73bf  Not this one\n");
	fixture_link(dir, "sys/bus/pci/devices/0000:01:00.0/driver",
		     "../../../bus/pci/drivers/nvidia");
	put("sys/class/drm/card5/device/uevent",
	    "DRIVER=vc4-drm\nOF_COMPATIBLE_0=brcm,bcm2711-vc5\n");
	fixture_link(dir, "sys/class/drm/card5/device/driver", "../../../vc4-drm");
	put("sys/class/drm/card5-HDMI-A-1/status", "connected\n");
	disk = spec_disk(&spec);
	ck_assert_uint_eq(json_array_size(at(disk, "gpus")), 5);
	is_text(disk, "gpus.0", "Intel 8086:9a49");
	is_text(disk, "gpus.1", "NVIDIA A100-SXM4-40GB");
	is_text(disk, "gpus.2", "AMD Navi 21 [Radeon RX 6800]");
	is_text(disk, "gpus.3", "Amazon 1d0f:0001");
	is_text(disk, "gpus.4", "brcm,bcm2711-vc5");
	is_text(disk, "gpu_devices.1.driver", "nvidia");
	is_text(disk, "gpu_devices.3.kind", "accelerator");
	is_text(disk, "nvidia_driver", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.54.03");
	json_decref(disk);
}
END_TEST

/* ---- network ---- */

static void put_interface(const char *name, const char *flags, const char *address,
			  const char *speed)
{
	char path[128];

	snprintf(path, sizeof(path), "sys/class/net/%s/flags", name);
	put(path, flags);
	snprintf(path, sizeof(path), "sys/class/net/%s/address", name);
	put(path, address);
	snprintf(path, sizeof(path), "sys/class/net/%s/mtu", name);
	put(path, "1500\n");
	snprintf(path, sizeof(path), "sys/class/net/%s/speed", name);
	put(path, speed);
}

START_TEST(interfaces_have_their_addresses)
{
	json_t *net;
	/* the kernel prints these numbers in the machine's own order */
	const bool little = *(const char *)&(const int){ 1 };

	put_interface("eth0", "0x1003\n", "02:00:00:00:00:01\n", "10000\n");
	put_interface("eth1", "0x1002\n", "02:00:00:00:00:02\n", "-1\n");
	put_interface("lo", "0x9\n", "00:00:00:00:00:00\n", "");
	put("sys/class/net/bonding_masters", "\n");
	put("proc/sys/kernel/hostname", "box\n");
	put("proc/net/route",
	    little ?
		    "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"
		    "eth0\t00000000\t0100000A\t0003\t0\t0\t0\t00000000\t0\t0\t0\n"
		    "eth0\t0000000A\t00000000\t0001\t0\t0\t0\t000000FF\t0\t0\t0\n"
		    "eth1\t0005000A\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n" :
		    "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"
		    "eth0\t00000000\t0A000001\t0003\t0\t0\t0\t00000000\t0\t0\t0\n"
		    "eth0\t0A000000\t00000000\t0001\t0\t0\t0\tFF000000\t0\t0\t0\n"
		    "eth1\t0A000500\t00000000\t0001\t0\t0\t0\tFFFFFF00\t0\t0\t0\n");
	put("proc/net/fib_trie",
	    "Main:\n  +-- 0.0.0.0/0 3 0 5\n     |-- 0.0.0.0\n        /0 universe UNICAST\n"
	    "     |-- 10.0.0.0\n        /8 link UNICAST\n"
	    "     |-- 10.0.0.7\n        /32 host LOCAL\n     |-- 10.255.255.255\n        /32 link BROADCAST\n"
	    "     |-- 10.0.5.9\n        /32 host LOCAL\n     |-- 127.0.0.1\n        /32 host LOCAL\n"
	    "     |-- 192.0.2.1\n        /32 host LOCAL\n"
	    "Local:\n     |-- 10.0.0.7\n        /32 host LOCAL\n");
	put("proc/net/if_inet6", "20010db8000000000000000000000001 02 40 00 80     eth0\n"
				 "00000000000000000000000000000001 01 80 10 80       lo\n");
	net = spec_network(&spec);
	ck_assert_uint_eq(json_object_size(at(net, "interfaces")), 3);
	is_text(net, "hostname", "box");
	ck_assert(json_is_true(at(net, "interfaces.eth0.is_up")));
	ck_assert(json_is_false(at(net, "interfaces.eth1.is_up")));
	is_number(net, "interfaces.eth0.speed_mbps", 10000);
	is_null(net, "interfaces.eth1.speed_mbps");
	is_null(net, "interfaces.lo.speed_mbps");
	ck_assert_uint_eq(json_array_size(at(net, "interfaces.eth0.addresses")), 3);
	is_text(net, "interfaces.eth0.addresses.0.family", "AF_PACKET");
	is_text(net, "interfaces.eth0.addresses.0.address", "02:00:00:00:00:01");
	is_text(net, "interfaces.eth0.addresses.1.address", "10.0.0.7");
	is_text(net, "interfaces.eth0.addresses.1.netmask", "255.0.0.0");
	is_text(net, "interfaces.eth0.addresses.1.broadcast", "10.255.255.255");
	is_text(net, "interfaces.eth0.addresses.2.address", "2001:db8::1");
	is_text(net, "interfaces.eth0.addresses.2.netmask", "ffff:ffff:ffff:ffff::");
	is_text(net, "interfaces.eth1.addresses.1.address", "10.0.5.9");
	is_text(net, "interfaces.lo.addresses.1.address", "127.0.0.1");
	is_text(net, "other_addresses.0.address", "192.0.2.1");
	json_decref(net);
}
END_TEST

/* ---- operating system ---- */

START_TEST(the_system_is_named)
{
	json_t *os;

	put("proc/sys/kernel/ostype", "Linux\n");
	put("proc/sys/kernel/osrelease", "4.18.0-147.el8.x86_64\n");
	put("proc/sys/kernel/version", "#1 SMP\n");
	put("proc/sys/kernel/hostname", "box\n");
	put("proc/sys/kernel/random/boot_id", "12cd4a8e\n");
	put("proc/cmdline", "root=/dev/sda1 quiet\n");
	put("proc/stat", "cpu  1 2 3\nbtime 1795218101\nprocesses 5\n");
	put("etc/os-release", "NAME=\"Red Hat Enterprise Linux\"\nID=rhel\nVERSION_ID='8.1'\n"
			      "VERSION_CODENAME=\nOTHER_NAME=x\n");
	os = spec_os(&spec);
	is_text(os, "system", "Linux");
	is_text(os, "release", "4.18.0-147.el8.x86_64");
	is_text(os, "hostname", "box");
	is_text(os, "cmdline", "root=/dev/sda1 quiet");
	is_text(os, "distribution.name", "Red Hat Enterprise Linux");
	is_text(os, "distribution.id", "rhel");
	is_text(os, "distribution.version", "8.1");
	is_null(os, "distribution.codename");
	is_number(os, "boot_time", 1795218101);
	json_decref(os);
}
END_TEST

/* Which boot of which machine it was */
START_TEST(a_hidden_machine_has_no_boot)
{
	char key[4200];
	struct anon_options options = { .on = true, .key_file = key };
	json_t *os;

	snprintf(key, sizeof(key), "%s/key", dir);
	ck_assert_int_eq(anon_open(&options), 0);
	put("proc/sys/kernel/random/boot_id", "12cd4a8e\n");
	put("proc/stat", "cpu  1 2 3\nbtime 1795218101\nprocesses 5\n");
	os = spec_os(&spec);
	is_null(os, "boot_time");
	ck_assert_str_ne(json_string_value(at(os, "boot_id")), "12cd4a8e");
	ck_assert_uint_eq(json_string_length(at(os, "boot_id")), ANON_TOKEN);
	json_decref(os);
	anon_close();
}
END_TEST

START_TEST(the_country_is_that_of_the_time_zone)
{
	char link[4200];
	json_t *os;

	put("usr/share/zoneinfo/zone.tab",
	    "# comment\tx\tEurope/Berlin\nAT\t+4813+01620\tEurope/Vienna\n"
	    "DE\t+5230+01322\tEurope/Berlin\tmost of Germany\n");
	fixture_link(dir, "etc/localtime", "../usr/share/zoneinfo/Europe/Berlin");
	os = spec_os(&spec);
	is_text(os, "timezone", "Europe/Berlin");
	is_text(os, "country", "DE");
	json_decref(os);
	/* no link, but a name beside it */
	snprintf(link, sizeof(link), "%s/etc/localtime", dir);
	ck_assert_int_eq(unlink(link), 0);
	put("etc/localtime", "TZif2");
	put("etc/timezone", "Europe/Vienna\n");
	os = spec_os(&spec);
	is_text(os, "country", "AT");
	json_decref(os);
	put("etc/timezone", "Etc/UTC\n");
	os = spec_os(&spec);
	is_text(os, "country", "Unknown");
	json_decref(os);
}
END_TEST

static const struct {
	const char *file;
	const char *text;
	const char *virtualization;
} machines[] = {
	{ "sys/class/dmi/id/sys_vendor", "QEMU\n", "qemu" },
	{ "sys/class/dmi/id/product_name", "KVM\n", "kvm" },
	{ "sys/class/dmi/id/sys_vendor", "VMware, Inc.\n", "vmware" },
	{ "sys/class/dmi/id/product_name", "VirtualBox\n", "virtualbox" },
	{ "sys/class/dmi/id/product_name", "Virtual Machine\n", "hyper-v" },
	{ "sys/class/dmi/id/sys_vendor", "Amazon EC2\n", "amazon" },
	{ "sys/class/dmi/id/sys_vendor", "Dell Inc.\n", "none" },
	{ "sys/hypervisor/type", "xen\n", "xen" },
	{ "proc/cpuinfo", "flags\t\t: fpu vme hypervisor\n", "unknown" },
	{ "proc/cpuinfo", "flags\t\t: fpu vme\n", "none" },
};

START_TEST(a_guest_knows_whose)
{
	json_t *os;

	put(machines[_i].file, machines[_i].text);
	os = spec_os(&spec);
	is_text(os, "virtualization", machines[_i].virtualization);
	json_decref(os);
}
END_TEST

START_TEST(metal_of_a_cloud_is_no_guest)
{
	json_t *os;

	put("sys/class/dmi/id/sys_vendor", "Amazon EC2\n");
	put("sys/class/dmi/id/product_name", "m5.metal\n");
	os = spec_os(&spec);
	is_text(os, "virtualization", "none");
	is_text(os, "hardware.product", "m5.metal");
	json_decref(os);
}
END_TEST

static const struct {
	const char *file;
	const char *text;
	const char *container;
} containers[] = {
	{ ".dockerenv", "", "docker" },
	{ "run/.containerenv", "", "podman" },
	{ "run/systemd/container", "systemd-nspawn\n", "systemd-nspawn" },
	{ "proc/1/cgroup", "5:memory:/kubepods/burstable/x\n", "kubepods" },
};

START_TEST(a_container_knows_whose)
{
	static const char environment[] = "PATH=/bin\0container=lxc\0TERM=x";
	json_t *os;

	put(containers[_i].file, containers[_i].text);
	put("usr/bin/containerd", "");
	put("run/docker.sock", "");
	os = spec_os(&spec);
	is_text(os, "container", containers[_i].container);
	ck_assert_uint_eq(json_array_size(at(os, "container_runtimes")), 2);
	is_text(os, "container_runtimes.0", "docker");
	json_decref(os);
	fixture_write_bytes(dir, "proc/1/environ", environment, sizeof(environment));
	os = spec_os(&spec);
	is_text(os, "container", _i == 3 ? "lxc" : containers[_i].container);
	json_decref(os);
}
END_TEST

START_TEST(bytes_that_are_no_text_harm_nothing)
{
	json_t *os;
	char *text;

	put("proc/sys/kernel/hostname", "b\xffx\n");
	put("proc/cmdline", "a=\x80\x81\n");
	put("etc/os-release", "NAME=\"\xc3\x28\nID=\"unended\n");
	os = spec_os(&spec);
	is_text(os, "hostname", "b?x");
	is_text(os, "cmdline", "a=??");
	is_text(os, "distribution.id", "unended");
	text = json_dumps(os, 0);
	ck_assert(text != NULL);
	free(text);
	json_decref(os);
}
END_TEST

/* ---- the files ---- */

static const char *const files[] = { "system_spec/cpu_info.json", "system_spec/memory_info.json",
				     "system_spec/disk_info.json", "system_spec/network_info.json",
				     "system_spec/os_info.json" };

START_TEST(every_saved_host_has_its_files)
{
	struct snap_told told;
	struct snap_job job;
	char root[4200];
	json_t *os;

	snap_job_open(&job, &told, dir);
	snprintf(root, sizeof(root), "%s", fixture_saved(saved_hosts[_i]));
	job.host_root = root;
	ck_assert_msg(!snap_one(&job, SNAP_SYSTEM), "%s", job.done.why);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		json_decref(session_json(job.dir, files[i]));
	os = session_json(job.dir, "system_spec/os_info.json");
	ck_assert(json_is_string(json_object_get(os, "release")));
	/* nothing of this machine */
	is_null(os, "boot_id");
	is_text(os, "country", "Unknown");
	json_decref(os);
	ck_assert_uint_eq(session_count(job.dir, "system_spec", "", true), 0);
	ck_assert_uint_eq(session_count(job.dir, "system_spec", "", false), 6);
	snap_job_close(&job);
}
END_TEST

START_TEST(this_machine_is_described)
{
	struct snap_told told;
	struct snap_job job;
	struct utsname name;
	char *text, line[300];
	json_t *json;
	size_t size;

	snap_job_open(&job, &told, dir);
	ck_assert_int_eq(snap_one(&job, SNAP_SYSTEM), 0);
	uname(&name);
	json = session_json(job.dir, "system_spec/os_info.json");
	is_text(json, "release", name.release);
	is_text(json, "machine", name.machine);
	json_decref(json);
	json = session_json(job.dir, "system_spec/cpu_info.json");
	is_number(json, "cores_logical", (double)sysconf(_SC_NPROCESSORS_ONLN));
	json_decref(json);
	json = session_json(job.dir, "system_spec/memory_info.json");
	is_number(json, "total_bytes",
		  (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE));
	json_decref(json);
	text = session_read(job.dir, "system_spec/device_spec.txt", &size);
	snprintf(line, sizeof(line), "System: Linux\nRelease: %s\nVersion: ", name.release);
	ck_assert(!strncmp(text, line, strlen(line)));
	free(text);
	snap_job_close(&job);
}
END_TEST

START_TEST(one_file_that_cannot_be_written_leaves_none)
{
	struct snap_told told;
	struct snap_job job;

	snap_job_open(&job, &told, dir);
	mkdirat(job.dir_fd, "system_spec", 0755);
	mkdirat(job.dir_fd, "system_spec/os_info.json", 0755);
	ck_assert_int_lt(snap_one(&job, SNAP_SYSTEM), 0);
	ck_assert_uint_eq(session_count(job.dir, "system_spec", ".json", false), 1);
	ck_assert_uint_eq(session_count(job.dir, "system_spec", "", true), 0);
	snap_job_close(&job);
}
END_TEST

START_TEST(the_text_has_its_lines_in_order)
{
	static const char *const labels[] = { "System: ",
					      "Release: ",
					      "Version: ",
					      "Machine: ",
					      "Country: ",
					      "",
					      "CPU Brand: ",
					      "CPU Cores (logical): ",
					      "CPU Cores (physical): ",
					      "CPU Frequency: ",
					      "",
					      "Total Memory: ",
					      "Available Memory: ",
					      "",
					      "GPUs: None detected",
					      "Storages:",
					      "Could not detect" };
	struct snap_told told;
	struct snap_job job;
	char *text, *line, *rest;
	size_t size, i;

	snap_job_open(&job, &told, dir);
	job.host_root = dir;
	ck_assert_int_eq(snap_one(&job, SNAP_SYSTEM), 0);
	text = rest = session_read(job.dir, "system_spec/device_spec.txt", &size);
	for (i = 0; (line = spec_next_line(&rest)); i++) {
		ck_assert_uint_lt(i, sizeof(labels) / sizeof(labels[0]));
		ck_assert_msg(!strncmp(line, labels[i], strlen(labels[i])) &&
				      (labels[i][0] || !line[0]),
			      "%s", line);
	}
	ck_assert_uint_eq(i, sizeof(labels) / sizeof(labels[0]));
	free(text);
	snap_job_close(&job);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("spec");
	TCase *parts = tcase_create("parts"), *out = tcase_create("files");
	SRunner *runner = srunner_create(suite);
	int n_failed, n_hosts = 0;

	while (saved_hosts[n_hosts])
		n_hosts++;
	tcase_add_checked_fixture(parts, setup, teardown);
	tcase_add_test(parts, a_host_without_files_is_all_null);
	tcase_add_test(parts, two_sockets_with_threads);
	tcase_add_test(parts, processors_that_have_no_name_get_one);
	tcase_add_test(parts, memory_is_counted);
	tcase_add_test(parts, disks_have_models_schedulers_and_partitions);
	tcase_add_test(parts, mounts_are_those_that_hold_files);
	tcase_add_test(parts, graphics_are_found_and_named);
	tcase_add_test(parts, interfaces_have_their_addresses);
	tcase_add_test(parts, the_system_is_named);
	tcase_add_test(parts, the_country_is_that_of_the_time_zone);
	tcase_add_test(parts, a_hidden_machine_has_no_boot);
	tcase_add_loop_test(parts, a_guest_knows_whose, 0, sizeof(machines) / sizeof(machines[0]));
	tcase_add_test(parts, metal_of_a_cloud_is_no_guest);
	tcase_add_loop_test(parts, a_container_knows_whose, 0,
			    sizeof(containers) / sizeof(containers[0]));
	tcase_add_test(parts, bytes_that_are_no_text_harm_nothing);
	suite_add_tcase(suite, parts);
	tcase_add_checked_fixture(out, setup, teardown);
	tcase_add_loop_test(out, every_saved_host_has_its_files, 0, n_hosts);
	tcase_add_test(out, this_machine_is_described);
	tcase_add_test(out, the_text_has_its_lines_in_order);
	tcase_add_test(out, one_file_that_cannot_be_written_leaves_none);
	suite_add_tcase(suite, out);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
