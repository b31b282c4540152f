/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which source tells a host's layout, and what the facts of kernel.def are by it. */
#include "compat/host/layout_host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "compat/host/headers.h"
#include "compat/host/kheaders.h"
#include "compat/host/layout_cache.h"
#include "compat/host/layout_source.h"
#include "compat/host/tracefs.h"
#include "compat/learn/learn.h"
#include "compat/sys/root.h"

#define BTF_FILE "sys/kernel/btf/vmlinux"

bool host_has_layout(const struct host *host)
{
	return host->headers[0] || host->layout;
}

bool host_has_prototypes(const struct host *host)
{
	return host->headers[0] || (host->layout && !host->layout->is_partial);
}

/* Without these there is no file, task or name to be found. */
static bool is_enough(const struct layout *layout)
{
	static const enum layout_member_id needed[] = {
		LAYOUT_file_f_inode,    LAYOUT_file_f_path,      LAYOUT_inode_i_ino,
		LAYOUT_inode_i_mode,    LAYOUT_inode_i_sb,       LAYOUT_super_block_s_dev,
		LAYOUT_dentry_d_parent, LAYOUT_dentry_d_name,    LAYOUT_task_struct_files,
		LAYOUT_fdtable_fd,      LAYOUT_files_struct_fdt,
	};

	for (size_t i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
		if (!layout->members[needed[i]].known)
			return false;
	return true;
}

/*
 * What the programs of tier b read of every file, process and task: a layout
 * that was learned must have all of it. What else it lacks costs single
 * candidates (NEED_MEMBERS), or is empty in rows.
 */
static const enum layout_member_id to_be_learned[] = {
	LAYOUT_dentry_d_hash,       LAYOUT_dentry_d_inode,        LAYOUT_vfsmount_mnt_root,
	LAYOUT_super_block_s_magic, LAYOUT_super_block_s_type,    LAYOUT_file_system_type_name,
	LAYOUT_inode_i_size,        LAYOUT_file_f_flags,          LAYOUT_file_f_mode,
	LAYOUT_file_f_pos,          LAYOUT_fdtable_max_fds,       LAYOUT_files_struct_fdtab,
	LAYOUT_fs_struct_root,      LAYOUT_fs_struct_pwd,         LAYOUT_ns_common_inum,
	LAYOUT_nsproxy_mnt_ns,      LAYOUT_mm_struct_arg_start,   LAYOUT_mm_struct_arg_end,
	LAYOUT_task_struct_flags,   LAYOUT_task_struct_mm,        LAYOUT_task_struct_fs,
	LAYOUT_task_struct_nsproxy, LAYOUT_task_struct_exit_code,
};

/* The first member that is missing, or NULL. */
static const char *lacks(const struct host *host, const struct layout *layout)
{
	for (size_t i = 0; i < sizeof(to_be_learned) / sizeof(to_be_learned[0]); i++)
		if (!layout->members[to_be_learned[i]].known)
			return layout_member_name(to_be_learned[i]);
	/* the end of a process is told by the event, or by how many threads live */
	if (!layout->members[LAYOUT_signal_struct_live].known &&
	    !host_tp_has_field(host, "sched:sched_process_exit", "group_dead"))
		return layout_member_name(LAYOUT_signal_struct_live);
	return is_enough(layout) ? NULL : "a member that every probe reads";
}

/*
 * What was learned, held against objects of our own that are made for it at every
 * start: what one of them denies is not used. NULL when too little is left.
 */
static struct layout *agreed(struct host *host, struct layout *layout, bool is_new)
{
	const char *denied = NULL, *missing;
	char why[200];
	int n = learn_check(layout, host->tracefs, &denied, why, sizeof(why));

	if (n > 0)
		log_warn("the self-test found that %s is not where it was %s: %s", denied,
			 is_new ? "learned" : "at an earlier start",
			 is_new ? "not used" : "learning it again");
	missing = n < 0 ? why : lacks(host, layout);
	if (!missing && (is_new || !n))
		return layout;
	if (n < 0)
		host_set_why(host->layout_why, "the learned layouts cannot be checked: %s", why);
	else if (missing)
		host_set_why(host->layout_why, "%s was not found in this kernel's memory", missing);
	free(layout);
	return NULL;
}

static struct layout *learn(struct host *host)
{
	struct layout *layout;
	char why[200];

	if (host->bpf_why[0] || !host->tracefs[0]) {
		host_set_why(host->layout_why, "%s",
			     host->bpf_why[0] ? host->bpf_why : host->tracefs_why);
		return NULL;
	}
	layout = calloc(1, sizeof(*layout));
	if (!layout || learn_layout(layout, host->tracefs, why, sizeof(why))) {
		host_set_why(host->layout_why, "layouts cannot be learned: %s",
			     layout ? why : "no memory");
		free(layout);
		return NULL;
	}
	return agreed(host, layout, true);
}

static struct layout *read_btf(struct host *host)
{
	struct layout *layout = NULL;
	struct btf *btf;
	size_t size;
	char why[128];
	char *data = root_read(host->root, BTF_FILE, &size);

	if (!data || !size) { /* a saved host only says that there is one */
		free(data);
		host_set_why(host->layout_why, data ? "the saved host does not include its BTF" :
						      "this kernel has no BTF");
		return NULL;
	}
	btf = btf_open(data, size, NULL, why, sizeof(why));
	free(data);
	if (btf)
		layout = calloc(1, sizeof(*layout));
	if (layout)
		layout_from_btf(layout, btf);
	else
		host_set_why(host->layout_why, "/" BTF_FILE ": %s", btf ? "no memory" : why);
	btf_close(btf);
	return layout;
}

static struct layout *read_saved(struct host *host)
{
	size_t size;
	char *text = root_read(host->root, LAYOUT_SAVED, &size);
	struct layout *layout = text ? calloc(1, sizeof(*layout)) : NULL;
	unsigned line;

	if (layout && layout_read(layout, text, &line)) {
		host_set_why(host->layout_why, "the saved host's layout is damaged in line %u",
			     line);
		free(layout);
		layout = NULL;
	}
	free(text);
	return layout;
}

static struct layout *from_source(struct host *host, enum layout_source source)
{
	struct layout *layout = source == LAYOUT_LEARNED ? learn(host) : read_btf(host);

	if (!layout || is_enough(layout))
		return layout;
	host_set_why(host->layout_why, "this kernel's BTF lacks structures that the probes read");
	free(layout);
	return NULL;
}

/* From the running kernel, or as it was found at an earlier start of it. */
static void take_live(struct host *host, enum layout_source source, const char *cache)
{
	host->layout = layout_cache_get(host, cache, source);
	if (host->layout && source == LAYOUT_LEARNED)
		host->layout = agreed(host, host->layout, false);
	if (!host->layout) {
		host->layout = from_source(host, source);
		if (host->layout)
			layout_cache_put(host, cache, source, host->layout);
	}
	if (host->layout)
		host->layout_source = source;
}

/* A saved host has one layout, and says by it where that came from. */
static void take_saved(struct host *host, enum layout_source only)
{
	struct layout *layout = read_saved(host);
	enum layout_source source;

	if (!layout && only != LAYOUT_LEARNED)
		layout = read_btf(host);
	if (!layout)
		return;
	source = layout->is_partial ? LAYOUT_LEARNED : LAYOUT_BTF;
	if ((only != LAYOUT_ANY && only != source) || !is_enough(layout)) {
		host_set_why(host->layout_why, "the saved host's layout is %s",
			     is_enough(layout) ? "from another source" : "incomplete");
		free(layout);
		return;
	}
	host->layout = layout;
	host->layout_source = source;
}

/* Says why no layout is known: the missing headers, which a user can install, come first. */
static void explain(struct host *host, enum layout_source only)
{
	char tried[sizeof(host->layout_why)];

	snprintf(tried, sizeof(tried), "%s", host->layout_why);
	if (!host->headers_why[0] || (only != LAYOUT_ANY && tried[0]))
		return;
	if (host->live && tried[0])
		host_set_why(host->layout_why, "%s; %s", host->headers_why, tried);
	else
		host_set_why(host->layout_why, "%s", host->headers_why);
}

/* What is there and no good is said even when another source tells. */
static void take_kheaders(struct host *host, enum layout_source only, const char *cache)
{
	char why[HOST_WHY_SIZE];

	if (kheaders_find(host, cache, why)) {
		host->layout_source = LAYOUT_KHEADERS;
		return;
	}
	if (why[0])
		log_warn("the kernel's own headers (/sys/kernel/kheaders.tar.xz) are not used: %s",
			 why);
	if (only == LAYOUT_KHEADERS)
		host_set_why(
			host->layout_why, "%s",
			why[0] ?
				why :
				"this kernel has no /sys/kernel/kheaders.tar.xz (CONFIG_IKHEADERS)");
}

static bool may_try(const struct host *host, enum layout_source only, enum layout_source source)
{
	return !host_has_layout(host) && (only == LAYOUT_ANY || only == source);
}

static void try_live(struct host *host, const struct host_options *options)
{
	enum layout_source only = options->layout;

	if (may_try(host, only, LAYOUT_KHEADERS) && !options->is_collected)
		take_kheaders(host, only, options->layout_cache);
	if (may_try(host, only, LAYOUT_BTF))
		take_live(host, LAYOUT_BTF, options->layout_cache);
	if (may_try(host, only, LAYOUT_LEARNED))
		take_live(host, LAYOUT_LEARNED, options->layout_cache);
}

void layout_find(struct host *host, const struct host_options *options)
{
	enum layout_source only = options->layout;

	if (host->live)
		kheaders_clean(host, options->layout_cache);
	if (only == LAYOUT_ANY || only == LAYOUT_HEADERS)
		headers_find(host, options->headers);
	else
		host_set_why(host->headers_why, "not used because of --layout %s",
			     layout_source_name(only));
	host->layout_source = LAYOUT_NONE;
	if (host->headers[0])
		host->layout_source = LAYOUT_HEADERS;
	else if (host->live)
		try_live(host, options);
	else if (only != LAYOUT_NONE && only != LAYOUT_HEADERS)
		take_saved(host, only);
	if (host_has_layout(host))
		host->layout_why[0] = '\0';
	else
		explain(host, only);
}

/* A header that is asked for as a whole is so for this structure. */
static bool has_header(const struct layout *layout, const char *name)
{
	return !strcmp(name, "linux/blk-mq.h") && layout_has_type(layout, "request");
}

/* "linux/x.h", "linux/x.h:struct.member", "linux/x.h:word" or "generated/autoconf.h:CONFIG_X" */
bool layout_fact_holds(const struct host *host, const char *arg)
{
	const char *what = strchr(arg, ':'), *dot;
	char tag[64];

	if (!what)
		return has_header(host->layout, arg);
	what++;
	if (!strncmp(what, "CONFIG_", 7)) {
		const char *value = host_config(host, what + 7);

		return value && value[0] != 'n';
	}
	dot = strchr(what, '.');
	if (!dot)
		return layout_has_word(host->layout, what);
	snprintf(tag, sizeof(tag), "%.*s", (int)(dot - what), what);
	return layout_has_member(host->layout, tag, dot + 1);
}

char *layout_text(const struct host *host, size_t *size)
{
	char *text = NULL;
	FILE *out = host->layout ? open_memstream(&text, size) : NULL;

	if (!out)
		return NULL;
	layout_write(host->layout, out);
	if (fclose(out)) {
		free(text);
		return NULL;
	}
	return text;
}
