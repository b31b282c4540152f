/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns a host: opens it, reads what it says of itself, and answers the table of
 * facts. Where the files lie is known to root.c, what single sources mean to
 * symbols.c, tracefs.c, headers.c and live.c.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "compat/kernel.h"

#include <elf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "compat/headers.h"
#include "compat/layout_host.h"
#include "compat/live.h"
#include "compat/root.h"
#include "compat/saved.h"
#include "compat/symbols.h"
#include "compat/untar.h"

void host_set_why(char why[HOST_WHY_SIZE], const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, HOST_WHY_SIZE, fmt, ap);
	va_end(ap);
}

/* Keeps the "NAME=value" lines of a kernel config. */
static void keep_config(struct host *host, char *text)
{
	char *line, *next = text, *out = text;

	while ((line = strsep(&next, "\n"))) {
		size_t len;

		if (strncmp(line, "CONFIG_", 7) || !strchr(line, '='))
			continue;
		len = strlen(line + 7) + 1;
		memmove(out, line + 7, len);
		out += len;
	}
	if (out == text) { /* whatever it is, it proves nothing */
		free(text);
		return;
	}
	host->config = text;
	host->config_size = (size_t)(out - text);
}

char *host_config_text(const struct host *host, size_t *size)
{
	static const char *const places[] = {
		"boot/config-%s",
		"lib/modules/%s/config",
		"usr/lib/modules/%s/config",
		"lib/modules/%s/build/.config",
	};
	char path[256], *text;

	text = root_read(host->root, "proc/config.gz", size);
	for (unsigned i = 0; !text && i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, sizeof(path), places[i], host->release);
		text = root_read(host->root, path, size);
	}
	return text;
}

const char *host_config(const struct host *host, const char *name)
{
	const char *line = host->config, *end = line + host->config_size;
	size_t len = strlen(name);

	if (!host->config)
		return NULL;
	for (; line < end; line += strlen(line) + 1)
		if (!strncmp(line, name, len) && line[len] == '=')
			return line + len + 1;
	return "n";
}

static bool is_off(const struct host *host, const char *name)
{
	const char *value = host_config(host, name);

	return value && !strcmp(value, "n");
}

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
		if (host->config && !is_off(host, machines[i].config))
			strcpy(host->machine, machines[i].machine);
}

static void read_lockdown(struct host *host)
{
	char line[80];

	if (is_off(host, "SECURITY_LOCKDOWN_LSM") && is_off(host, "LOCK_DOWN_KERNEL"))
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
	if (is_off(host, "TRACING"))
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
		if (is_off(host, needed[i]))
			host_set_why(host->bpf_why, "this kernel is built without CONFIG_%s",
				     needed[i]);
	if (!host->bpf_why[0] && host->lockdown == LOCKDOWN_CONFIDENTIALITY)
		host_set_why(host->bpf_why, "kernel lockdown is at confidentiality: "
					    "boot with lockdown=integrity or none");
	if (!host->bpf_why[0] && host->live)
		live_judge_bpf(host);
}

static struct symbols *symbols_of(const struct host *host)
{
	struct host *mine = (struct host *)host; /* a cache: what is said does not change */

	if (!mine->symbols)
		mine->symbols = symbols_load(host->root, host->tracefs);
	return mine->symbols;
}

static bool kprobes_switched_off(const struct host *host)
{
	char line[8];

	return !root_read_line(host->root, "sys/kernel/debug/kprobes/enabled", line,
			       sizeof(line)) &&
	       line[0] == '0';
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
	struct symbols *symbols;

	if (no_kprobes)
		host_set_why(why, "kprobes are disabled by --no-kprobes");
	else if (is_off(host, "KPROBES"))
		host_set_why(why, "this kernel is built without CONFIG_KPROBES");
	else if (is_off(host, "KPROBE_EVENTS"))
		host_set_why(why, "this kernel is built without CONFIG_KPROBE_EVENTS");
	else if (host->lockdown == LOCKDOWN_CONFIDENTIALITY)
		host_set_why(why, "kernel lockdown forbids kprobes");
	else if (has_no_kprobe_interface(host))
		host_set_why(why, "tracefs has no kprobe_events and there is no kprobe PMU");
	else if (kprobes_switched_off(host))
		host_set_why(why,
			     "kprobes are disabled: echo 1 > /sys/kernel/debug/kprobes/enabled");
	if (why[0])
		return;
	symbols = symbols_of(host);
	if (!symbols || !symbols_total(symbols))
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
	else if (is_off(host, "FTRACE_SYSCALLS"))
		host_set_why(host->syscalls_why,
			     "this kernel is built without CONFIG_FTRACE_SYSCALLS");
	else
		host_set_why(host->syscalls_why, "tracefs has no syscall events");
}

enum fact_kind {
	KIND_HEADER,
	KIND_MEMBER,
	KIND_WORD,
	KIND_SYMBOL,
	KIND_TRACEPOINT,
	KIND_FIELD,
	KIND_CONFIG,
	KIND_HELPER,
	KIND_PROGRAM
};

static const struct {
	const char *name;
	enum fact_kind kind;
	const char *arg;
	const char *since;
} facts[] = {
#define FACT(name, kind, arg, since) { #name, KIND_##kind, arg, since },
#include "compat/kernel.def"
#undef FACT
};

/* "NAME:struct.member": the config is not everywhere to be read, where layouts may tell as well. */
static bool config_holds(const struct host *host, char *arg)
{
	char *member = strchr(arg, ':');

	if (!host->config)
		return member && host->layout && layout_fact_holds(host, arg);
	if (member)
		*member = '\0';
	return !is_off(host, arg);
}

/* arg is one alternative, cut in pieces here: "a", "a:b", "a:b.c" or "a:b:c". */
static bool fact_holds(const struct host *host, enum fact_kind kind, char *arg)
{
	char *colon = strchr(arg, ':'), *last = strrchr(arg, ':'), *dot;

	if (host->layout && (kind == KIND_HEADER || kind == KIND_MEMBER || kind == KIND_WORD))
		return layout_fact_holds(host, arg);
	switch (kind) {
	case KIND_HEADER:
		return headers_have(host, arg);
	case KIND_SYMBOL:
		return host_has_symbol(host, arg);
	case KIND_TRACEPOINT:
		return host_has_tracepoint(host, arg);
	case KIND_CONFIG:
		return config_holds(host, arg);
	default:
		break;
	}
	if (!colon)
		return false;
	*last = '\0';
	if (kind == KIND_HELPER || kind == KIND_PROGRAM)
		return host->live && !host->bpf_why[0] ?
			       live_bpf_has(kind == KIND_HELPER, (uint32_t)atoi(arg)) :
			       host_has_symbol(host, last + 1);
	if (kind == KIND_FIELD)
		return host_tp_has_field(host, arg, last + 1);
	if (kind == KIND_WORD)
		return headers_have_word(host, arg, last + 1);
	dot = strchr(last + 1, '.');
	if (!dot)
		return false;
	*dot = '\0';
	return headers_have_member(host, arg, last + 1, dot + 1);
}

static bool any_holds(const struct host *host, enum fact_kind kind, const char *args)
{
	char copy[256], *one, *next = copy;

	if (snprintf(copy, sizeof(copy), "%s", args) >= (int)sizeof(copy))
		return false;
	while ((one = strsep(&next, " ")))
		if (*one && fact_holds(host, kind, one))
			return true;
	return false;
}

const char *fact_name(enum fact fact)
{
	return facts[fact].name;
}

const char *fact_since(enum fact fact)
{
	return facts[fact].since;
}

/* root: a directory, a file of `doctor --collect`, or nothing for the running host. */
static int open_root(struct host *host, const char *root)
{
	struct stat st;

	host->live = !root || !strcmp(root, "/");
	if (host->live)
		return 0;
	if (stat(root, &st)) {
		int err = -errno;

		log_error("host %s: %s", root, strerror(-err));
		return err;
	}
	if (S_ISREG(st.st_mode)) {
		host->unpacked = true;
		return saved_unpack(root, host->root);
	}
	if (!S_ISDIR(st.st_mode) || !realpath(root, host->root)) {
		log_error("host %s is not a directory", root);
		return -ENOTDIR;
	}
	return 0;
}

static void read_facts(struct host *host, const struct host_options *options)
{
	char *config;
	size_t size;

	read_identity(host);
	config = host_config_text(host, &size);
	if (config)
		keep_config(host, config);
	if (!host->machine[0])
		read_machine(host);
	read_build_id(host);
	read_lockdown(host);
	host->has_btf = root_exists(host->root, "sys/kernel/btf/vmlinux");
	find_tracefs(host);
	judge_bpf(host);
	judge_kprobes(host, options->no_kprobes);
	judge_syscalls(host, options->no_syscall_events);
	layout_find(host, options);
	for (unsigned i = 0; i < N_FACTS; i++)
		host->fact[i] = any_holds(host, facts[i].kind, facts[i].arg);
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
	free(host->config);
	free(host->layout);
	if (host->unpacked && host->root[0])
		untar_remove(host->root);
	free(host);
}

const char *host_uring_why(const struct host *host)
{
	if (host->io_uring_disabled == 2)
		return "disabled: kernel.io_uring_disabled is 2, no process can create a ring";
	if (host->io_uring_disabled == 1)
		return "restricted: kernel.io_uring_disabled is 1, only kernel.io_uring_group and CAP_SYS_ADMIN can create a ring";
	return "";
}

void host_forget_symbols(struct host *host)
{
	symbols_free(host->symbols);
	host->symbols = NULL;
}

bool host_has_symbol(const struct host *host, const char *name)
{
	const struct symbols *symbols = symbols_of(host);

	return symbols && symbols_find(symbols, name) != SYMBOL_MISSING;
}

bool host_place(const struct host *host, uint64_t address, char *out, size_t size)
{
	return symbols_place(host->root, address, out, size);
}

const char *host_kprobe_target(const struct host *host, const char *name, bool suffixes, char *why,
			       size_t why_size)
{
	const struct symbols *symbols = symbols_of(host);
	enum symbol_state state;
	const char *found[2] = { name, NULL };
	unsigned n = 0;

	if (!symbols) {
		snprintf(why, why_size, "no memory for the symbol table");
		return NULL;
	}
	state = symbols_find(symbols, name);
	if (state == SYMBOL_MISSING && suffixes)
		n = symbols_variants(symbols, name, VARIANT_COPY, found, 2);
	if (n > 1) {
		snprintf(why, why_size,
			 "%s has several copies, none of which is reached by all calls", name);
		return NULL;
	}
	if (n)
		state = symbols_find(symbols, found[0]);
	if (state == SYMBOL_OK)
		return found[0];
	snprintf(why, why_size, "%s %s", found[0], symbol_state_text(state));
	return NULL;
}

const char *host_kprobe_part(const struct host *host, const char *name, unsigned i)
{
	const struct symbols *symbols = symbols_of(host);
	const char *parts[16];
	unsigned n;

	if (!symbols)
		return NULL;
	n = symbols_variants(symbols, name, VARIANT_PART, parts, 16);
	for (unsigned k = 0; k < n && k < 16; k++)
		if (symbols_find(symbols, parts[k]) == SYMBOL_OK && !i--)
			return parts[k];
	return NULL;
}
