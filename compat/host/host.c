/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens a host: finds its files and reads once what it says of itself, then
 * judges what can be used there, and why not.
 */
#include "compat/host/host.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "compat/host/facts.h"
#include "compat/host/layout_host.h"
#include "compat/host/live.h"
#include "compat/host/saved.h"
#include "compat/host/tracefs.h"
#include "compat/sys/root.h"
#include "compat/sys/untar.h"

/* A saved host says its machine since 6.1, before that its config does. */
static void read_machine(struct host *host)
{
	static const struct {
		const char *config, *machine;
	} machines[] = {
		{ "X86_64", "x86_64" }, { "ARM64", "aarch64" }, { "S390", "s390x" },
		{ "PPC64", "ppc64le" }, { "RISCV", "riscv64" }, { "LOONGARCH", "loongarch64" },
	};

	root_read_line(host->root, "proc/sys/kernel/arch", host->machine, sizeof(host->machine));
	for (unsigned i = 0; !host->machine[0] && i < sizeof(machines) / sizeof(machines[0]); i++)
		if (host->config && !host_config_off(host, machines[i].config))
			strcpy(host->machine, machines[i].machine);
}

/* Only arm64 has a choice. */
static void read_page_shift(struct host *host)
{
	const char *is_64k = host_config(host, "ARM64_64K_PAGES");
	const char *is_16k = host_config(host, "ARM64_16K_PAGES");

	host->page_shift = 12;
	if (host->live)
		host->page_shift = (unsigned)__builtin_ctzl((unsigned long)sysconf(_SC_PAGESIZE));
	else if (is_64k && !strcmp(is_64k, "y"))
		host->page_shift = 16;
	else if (is_16k && !strcmp(is_16k, "y"))
		host->page_shift = 14;
}

static void read_lockdown(struct host *host)
{
	char line[80];

	if (host_config_off(host, "SECURITY_LOCKDOWN_LSM") &&
	    host_config_off(host, "LOCK_DOWN_KERNEL"))
		host->lockdown = LOCKDOWN_NONE;
	if (root_read_line(host->root, "sys/kernel/security/lockdown", line, sizeof(line)))
		return;
	if (strstr(line, "[confidentiality]"))
		host->lockdown = LOCKDOWN_CONFIDENTIALITY;
	else if (strstr(line, "[integrity]"))
		host->lockdown = LOCKDOWN_INTEGRITY;
	else if (strstr(line, "[none]"))
		host->lockdown = LOCKDOWN_NONE;
}

static void hex(char *out, const unsigned char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		sprintf(out + 2 * i, "%02x", bytes[i]);
}

/* The GNU build id among the notes that the linker left. */
static void read_build_id(struct host *host)
{
	size_t size, at = 0;
	char *notes = root_read(host->root, "sys/kernel/notes", &size);
	Elf64_Nhdr note;

	while (notes && size - at >= sizeof(note)) {
		size_t name, desc;

		memcpy(&note, notes + at, sizeof(note));
		name = at + sizeof(note);
		if (note.n_namesz > size || note.n_descsz > size)
			break;
		desc = name + ((note.n_namesz + 3u) & ~3u);
		at = desc + ((note.n_descsz + 3u) & ~3u);
		if (at > size)
			break;
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 ||
		    memcmp(notes + name, "GNU", 4))
			continue;
		hex(host->build_id, (unsigned char *)notes + desc,
		    note.n_descsz > 20 ? 20 : note.n_descsz);
		break;
	}
	free(notes);
}

static void read_identity(struct host *host)
{
	if (host->live) {
		live_identity(host);
		live_limits(host);
	} else {
		root_read_line(host->root, "proc/sys/kernel/osrelease", host->release,
			       sizeof(host->release));
		root_read_line(host->root, "proc/sys/kernel/version", host->version,
			       sizeof(host->version));
	}
	if (!host->release[0] || strchr(host->release, '/'))
		strcpy(host->release, "unknown");
}

static void find_tracefs(struct host *host)
{
	static const char *const places[] = { "sys/kernel/tracing", "sys/kernel/debug/tracing" };

	for (unsigned i = 0; i < 2; i++)
		if (root_is_dir(host->root, "%s/events", places[i]) &&
		    !root_resolve(host->root, places[i], host->tracefs))
			return;
	host->tracefs[0] = '\0';
	if (host_config_off(host, "TRACING"))
		host_set_why(host->tracefs_why,
			     "this kernel is built without tracing (CONFIG_TRACING)");
	else if (!host->live)
		host_set_why(host->tracefs_why, "the saved host has no tracefs");
	else if (geteuid())
		host_set_why(host->tracefs_why, "tracefs cannot be read: run as root");
	else
		host_set_why(host->tracefs_why, "tracefs is not mounted: "
						"mount -t tracefs nodev /sys/kernel/tracing");
}

static void judge_bpf(struct host *host)
{
	static const char *const needed[] = { "BPF_SYSCALL", "PERF_EVENTS", "BPF_EVENTS" };

	for (unsigned i = 0; i < 3 && !host->bpf_why[0]; i++)
		if (host_config_off(host, needed[i]))
			host_set_why(host->bpf_why, "this kernel is built without CONFIG_%s",
				     needed[i]);
	if (!host->bpf_why[0] && host->lockdown == LOCKDOWN_CONFIDENTIALITY)
		host_set_why(host->bpf_why, "kernel lockdown is at confidentiality: "
					    "boot with lockdown=integrity or none");
	if (!host->bpf_why[0] && host->live)
		live_judge_bpf(host);
}

static bool is_zero(const struct host *host, const char *path)
{
	char line[8];

	return !root_read_line(host->root, path, line, sizeof(line)) && line[0] == '0';
}

/* Only the running kernel proves something by lacking a file. */
static bool has_no_kprobe_interface(const struct host *host)
{
	return host->live && !(host->tracefs[0] && root_exists(host->tracefs, "kprobe_events")) &&
	       !root_exists("", "sys/bus/event_source/devices/kprobe/type");
}

static void judge_kprobes(struct host *host, bool no_kprobes)
{
	char *why = host->kprobes_why;

	if (no_kprobes)
		host_set_why(why, "kprobes are disabled by --no-kprobes");
	else if (host_config_off(host, "KPROBES"))
		host_set_why(why, "this kernel is built without CONFIG_KPROBES");
	else if (host_config_off(host, "KPROBE_EVENTS"))
		host_set_why(why, "this kernel is built without CONFIG_KPROBE_EVENTS");
	else if (host->lockdown == LOCKDOWN_CONFIDENTIALITY)
		host_set_why(why, "kernel lockdown forbids kprobes");
	else if (has_no_kprobe_interface(host))
		host_set_why(why, "tracefs has no kprobe_events and there is no kprobe PMU");
	else if (is_zero(host, "sys/kernel/debug/kprobes/enabled"))
		host_set_why(why,
			     "kprobes are disabled: echo 1 > /sys/kernel/debug/kprobes/enabled");
	/* where a function calls ftrace first, its kprobe is called by that: it can be attached, and never fires */
	else if (is_zero(host, "proc/sys/kernel/ftrace_enabled") &&
		 !host_config_off(host, "KPROBES_ON_FTRACE"))
		host_set_why(why, "kprobes do not fire: sysctl kernel.ftrace_enabled=1");
	if (why[0])
		return;
	if (!host_has_symbols(host))
		host_set_why(why, "/proc/kallsyms cannot be read");
	else if (!host->config && !host_has_symbol(host, "register_kprobe"))
		host_set_why(why, "this kernel is built without CONFIG_KPROBES");
}

static void judge_syscalls(struct host *host, bool no_syscall_events)
{
	if (no_syscall_events)
		host_set_why(host->syscalls_why,
			     "system-call tracepoints are disabled by --no-syscall-events");
	else if (!host->tracefs[0])
		host_set_why(host->syscalls_why, "%s", host->tracefs_why);
	else if (root_is_dir(host->tracefs, "events/syscalls"))
		return;
	else if (host_config_off(host, "FTRACE_SYSCALLS"))
		host_set_why(host->syscalls_why,
			     "this kernel is built without CONFIG_FTRACE_SYSCALLS");
	else
		host_set_why(host->syscalls_why, "tracefs has no syscall events");
}

/* root: a directory, a file of `doctor --collect`, or nothing for the running host. */
static int open_root(struct host *host, const char *root)
{
	struct stat st;
	int err;

	host->live = !root || !strcmp(root, "/");
	if (host->live)
		return 0;
	if (stat(root, &st)) {
		err = -errno;
		log_error("host %s: %s", root, strerror(-err));
		return err;
	}
	if (S_ISREG(st.st_mode)) {
		host->unpacked = calloc(1, sizeof(*host->unpacked));
		if (!host->unpacked)
			return -ENOMEM;
		err = saved_unpack(root, host->unpacked);
		memcpy(host->root, host->unpacked->path, sizeof(host->root));
		return err;
	}
	if (!S_ISDIR(st.st_mode) || !realpath(root, host->root)) {
		log_error("host %s is not a directory", root);
		return -ENOTDIR;
	}
	return 0;
}

static void read_facts(struct host *host, const struct host_options *options)
{
	read_identity(host);
	host_config_read(host);
	if (!host->machine[0])
		read_machine(host);
	read_page_shift(host);
	read_build_id(host);
	read_lockdown(host);
	host->has_btf = root_exists(host->root, "sys/kernel/btf/vmlinux");
	find_tracefs(host);
	judge_bpf(host);
	judge_kprobes(host, options->no_kprobes);
	judge_syscalls(host, options->no_syscall_events);
	layout_find(host, options);
	facts_read(host);
}

struct host *host_open(const struct host_options *options)
{
	struct host *host = calloc(1, sizeof(*host));

	if (!host) {
		log_error("no memory for the facts of a host");
		return NULL;
	}
	host->perf_event_paranoid = host->unprivileged_bpf_disabled = host->io_uring_disabled = -1;
	if (open_root(host, options->root)) {
		host_close(host);
		return NULL;
	}
	read_facts(host, options);
	return host;
}

void host_close(struct host *host)
{
	if (!host)
		return;
	host_forget_symbols(host);
	host_forget_formats(host);
	free(host->config);
	free(host->layout);
	if (host->unpacked)
		saved_remove(host->unpacked);
	free(host->unpacked);
	free(host);
}
