/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Facts about one host, read from a root directory: the running one ("/") or a
 * saved copy of another. Facts, never versions: RHEL 8 calls itself 4.18 and
 * has parts of 5.x, and stable series change layouts.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compat/layout/cast.h"

/* FACT(name, kind, arg, since); kernel.def explains the kinds */
enum fact {
#define FACT(name, kind, arg, since) FACT_##name,
#include "compat/host/kernel.def"
#undef FACT
	N_FACTS
};

/* The sources of layouts, best first. */
enum layout_source {
	LAYOUT_ANY,
	LAYOUT_HEADERS,
	LAYOUT_KHEADERS,
	LAYOUT_BTF,
	LAYOUT_LEARNED,
	LAYOUT_NONE,
	N_LAYOUT_SOURCES
};

enum lockdown { LOCKDOWN_UNKNOWN, LOCKDOWN_NONE, LOCKDOWN_INTEGRITY, LOCKDOWN_CONFIDENTIALITY };

struct host_options {
	const char *root;    /* NULL or "/": the running host; else a directory or collected file */
	const char *headers; /* kernel build tree given by hand, or NULL to look for it */
	enum layout_source layout; /* this source or none */
	bool is_collected;         /* facts for a desk, where the kernel's own headers are not */
	const char *layout_cache;  /* directory in which layouts are kept, or NULL */
	bool no_kprobes;
	bool no_syscall_events; /* behave as if there were no system-call tracepoints */
};

struct symbols;
struct layout;

enum { HOST_WHY_SIZE = 256 };

struct host {
	char root[PATH_MAX];    /* "" for the running host */
	bool live;              /* the running host: privileges and limits count too */
	char release[128];      /* uname -r */
	char version[256];      /* uname -v; empty when a saved host lacks it */
	char machine[65];       /* uname -m */
	unsigned page_shift;    /* a page has so many bits */
	char build_id[41];      /* hex of the GNU build id in /sys/kernel/notes, or empty */
	char tracefs[PATH_MAX]; /* with root; empty when there is none to read */
	char tracefs_why[HOST_WHY_SIZE]; /* why tracefs was not found, and what to mount */
	char headers[PATH_MAX]; /* build tree (generated headers), with root; empty when none */
	char headers_source[PATH_MAX];    /* common tree of a split package, else same as headers */
	char headers_why[HOST_WHY_SIZE];  /* why there are none, and which package brings them */
	char kprobes_why[HOST_WHY_SIZE];  /* empty when kprobes can be used, else why not */
	char syscalls_why[HOST_WHY_SIZE]; /* empty when syscall tracepoints exist, else why not */
	char bpf_why
		[HOST_WHY_SIZE]; /* empty when bpf(2) and perf can be used at all, else why not */
	enum lockdown lockdown;
	bool has_btf;
	enum layout_source layout_source; /* LAYOUT_NONE: they are unknown */
	struct layout *layout;            /* unless it comes from header text; NULL */
	char layout_why[HOST_WHY_SIZE];   /* why no other source was used; empty when one was */
	bool fact[N_FACTS];
	struct cast_ids casts; /* of the running kernel, where a fact asked for them */

	/* The running host only; -1 when it does not say. */
	int perf_event_paranoid;
	int unprivileged_bpf_disabled;
	int io_uring_disabled; /* 1: for all but io_uring_group and the privileged; 2: for all */
	long long memlock;     /* bytes that may be locked, LLONG_MAX: no limit */

	/* Private to compat/. */
	struct symbols *symbols; /* read when first asked for */
	struct formats
		*formats; /* likewise, of a saved host that keeps those of a category in one file */
	char *config;     /* "NAME=value" strings, config_size bytes */
	size_t config_size;
	bool headers_by_hand;
	struct saved_dir *unpacked; /* root is in there: our temporary directory; NULL */
};

/*
 * Why no process, or not every one, can make a ring of io_uring; "" when the kernel forbids none.
 */
const char *host_uring_why(const struct host *host);

/* Whether the members of the kernel's structures are known, from whatever source. */
bool host_has_layout(const struct host *host);

/* Whether arguments of kernel functions are known, too: by prototypes, which nobody can learn. */
bool host_has_prototypes(const struct host *host);

/* For compat/: the reason in one of the why members of struct host */
void host_set_why(char why[HOST_WHY_SIZE], const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Gives back the memory of the symbol table (5 MB), which the next question reads again. */
void host_forget_symbols(struct host *host);

/* Whether kallsyms can be read and has any symbol. */
bool host_has_symbols(const struct host *host);

/* True when kallsyms has the text symbol (types t, T, w, W). */
bool host_has_symbol(const struct host *host, const char *name);

/*
 * The attachable kallsyms name for a function: itself, else NAME.isra.N or
 * NAME.constprop.N when suffixes is set. NULL with the reason in why (size
 * why_size) when absent, not traceable (available_filter_functions),
 * blacklisted or ambiguous (occurs twice).
 */
const char *host_kprobe_target(const struct host *host, const char *name, bool suffixes, char *why,
			       size_t why_size);

/* The i-th attachable NAME.part.N, or NULL when there are no more. */
const char *host_kprobe_part(const struct host *host, const char *name, unsigned i);

struct tp_field {
	char name[48];
	char type[80]; /* as declared, without the array part */
	uint32_t offset;
	uint32_t size; /* whole field, bytes */
	bool is_signed;
	bool is_array;    /* "char rwbs[8]": type is char, size 8 */
	bool is_data_loc; /* __data_loc: u32 of (length << 16 | offset) */
};

/*
 * The words by which the event's print format shows the numbers of a field
 * (__print_symbolic). Returns how many there are, or -ENOENT without the event.
 */
typedef void host_word_fn(void *arg, uint64_t value, const char *word);

/*
 * "function+0xoffset" of an address in the running kernel's text, module or not;
 * false when kallsyms does not tell. One pass over it: 50 ms.
 */
bool host_place(const struct host *host, uint64_t address, char *out, size_t size);

/* CONFIG_NAME's value ("y", "m", "\"text\""), "n" when unset, NULL when no config is readable. */
const char *host_config(const struct host *host, const char *name);

/* For host_open: reads the config. */
void host_config_read(struct host *host);

/* Whether the config says that NAME is off; false when no config is readable. */
bool host_config_off(const struct host *host, const char *name);

/* The whole kernel config as text, to be freed, or NULL. */
char *host_config_text(const struct host *host, size_t *size);
