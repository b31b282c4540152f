/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the order of the parts of the text, and every define. Does not compile it. */
#include "image/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "compat/host/facts.h"
#include "compat/host/tracefs.h"
#include "compat/layout/layout.h"
#include "image/machine.h"
#include "image/probes_text.h"
#include "plan/plan_probes.h"
#include "row/schema.h"

#define MAX_FIELDS 48

/* Kernel headers that the programs of tiers a and b use. */
static const char kernel_includes[] =
	"#include <uapi/linux/ptrace.h>\n"
	"#include <linux/sched.h>\n"
	"#include <linux/sched/signal.h>\n"
	"#include <linux/fs.h>\n"
	"#include <linux/fs_struct.h>\n"
	"#include <linux/fdtable.h>\n"
	"#include <linux/dcache.h>\n"
	"#include <linux/mount.h>\n"
	"#include <linux/mm.h>\n"
	"#include <linux/pagemap.h>\n"
	"#include <linux/nsproxy.h>\n"
	"#include <linux/ns_common.h>\n"
	"#include <linux/fcntl.h>\n"
	"#if defined(IOT_USE_BLOCK_RAW) || defined(IOT_USE_BIO_PAGES)\n"
	"#include <linux/blk-mq.h>\n" /* struct request, or what has it (linux/blkdev.h up to 5.15) */
	"#endif\n"
	"#if defined(IOT_USE_BIO_PAGES) && defined(IOT_HAS_INODE_WB)\n"
	"#include <linux/backing-dev-defs.h>\n"
	"#include <linux/cgroup-defs.h>\n"
	"#include <linux/kernfs.h>\n"
	"#endif\n";

/* Sockets; these headers are large, and only some streams need them. */
static const char socket_includes[] = "#include <linux/net.h>\n"
				      "#include <linux/socket.h>\n"
				      "#include <linux/skbuff.h>\n"
				      "#include <net/sock.h>\n"
				      "#include <net/inet_sock.h>\n";

/*
 * System calls: from byte 16 on the layout is the same in 4.14–7.3, 8 bytes an
 * argument. Before it lies the call's number, at 8, or at 12 where records begin
 * with common_preempt_lazy_count (el9).
 */
static const char syscall_structs[] =
	"struct iot_sys_enter { char common[%u]; s32 number; %su64 args[6]; };\n"
	"struct iot_sys_exit { u64 common[2]; s64 ret; };\n";

/* The same programs on the functions behind the calls: see probes/bpf/prelude.bpf.c */
static const char syscall_functions[] = "#define IOT_SYSCALL_FUNCTIONS 1\n"
					"#define iot_sys_enter pt_regs\n"
					"#define iot_sys_exit pt_regs\n";

/* The same programs, called by the number of the call */
static const char syscall_numbers[] = "#define iot_sys_enter iot_raw\n"
				      "#define iot_sys_exit iot_raw\n";

/* Whether programs of system calls are of a type of their own. */
static bool has_calls(const struct plan *plan)
{
	for (unsigned i = 0; i < plan->n_probes; i++) {
		const struct plan_probe *probe = &plan->probes[i];

		if (probe->kind == PROBE_NUMBER || probe_is_syscall(probe->kind, probe->target))
			return true;
	}
	return false;
}

/* What is attached, each program once: others would be compiled for nothing. */
static void put_programs(FILE *out, const struct plan *plan)
{
	for (unsigned i = 0; i < plan->n_probes; i++) {
		unsigned k = 0;

		while (strcmp(plan->probes[k].program, plan->probes[i].program) != 0)
			k++;
		if (k == i)
			fprintf(out, "#define IOT_PROGRAM_%s 1\n", plan->probes[i].program);
	}
	/* programs that call another one must be of its type */
	if (plan_has_kind(plan, PROBE_KPROBE, PROBE_KRETPROBE))
		fprintf(out, "#define IOT_KPROBES 1\n");
	if (has_calls(plan))
		fprintf(out, "#define IOT_CALLS 1\n");
}

static void put_defines(FILE *out, const struct plan *plan)
{
	if (plan->headers)
		fprintf(out, "#define IOT_HEADERS 1\n");
	if (plan->given)
		fprintf(out, "#define IOT_GIVEN 1\n");
	for (int i = 0; i < N_FACTS; i++)
		if (plan->host->fact[i])
			fprintf(out, "#define IOT_HAS_%s 1\n", fact_name(i));
	for (unsigned i = 0; i < plan->n_choices; i++) {
		const struct plan_choice *c = &plan->choices[i];

		if (capability_is_internal(c->capability)) {
			if (c->chosen)
				fprintf(out, "#define IOT_USE_%s 1\n", c->chosen->name);
			continue;
		}
		fprintf(out, "#define IOT_VIA_%s %u\n", c->capability->id, i + 1);
		if (!c->chosen)
			continue;
		fprintf(out, "#define IOT_USE_%s 1\n#define IOT_STREAM_%s 1\n", c->chosen->name,
			capability_stream(c->capability));
	}
	if (plan_has_trait(plan, NEEDS_FILE_TEXTS))
		fprintf(out, "#define IOT_FILE_TEXTS 1\n");
	put_programs(out, plan);
}

/* One member at its offset; what C would align otherwise becomes bytes. */
static void put_field(FILE *out, const struct tp_field *f)
{
	const char *sign = f->is_signed ? "s" : "u";

	if (f->is_data_loc)
		fprintf(out, "\tu32 %s;\n", f->name);
	else if (!f->is_array && (f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8) &&
		 f->offset % f->size == 0)
		fprintf(out, "\t%s%u %s;\n", sign, f->size * 8, f->name);
	else
		fprintf(out, "\tchar %s[%u];\n", f->name, f->size);
}

static int put_tracepoint(FILE *out, const struct host *host, const char *target)
{
	struct tp_field fields[MAX_FIELDS];
	int n = host_tp_fields(host, target, fields, MAX_FIELDS);
	uint32_t at = 0;
	char name[128];

	if (n < 0) {
		log_error("%s: its format cannot be read: %s", target, strerror(-n));
		return n;
	}
	snprintf(name, sizeof(name), "%s", target);
	*strchr(name, ':') = '_';
	/* of a probe that may be absent its program is so, too */
	fprintf(out, "#define IOT_TP_%s 1\nstruct iot_tp_%s {\n", name, name);
	for (int i = 0; i < n; i++) {
		if (fields[i].offset < at)
			continue; /* 6.19 repeats argument texts behind the record */
		if (fields[i].offset > at)
			fprintf(out, "\tchar pad_%u[%u];\n", at, fields[i].offset - at);
		put_field(out, &fields[i]);
		at = fields[i].offset + fields[i].size;
	}
	fprintf(out, "} __attribute__((packed, aligned(8)));\n");
	return 0;
}

/* Where the events of system calls have the number; all have it at the same place. */
static unsigned number_offset(const struct plan *plan)
{
	struct tp_field fields[MAX_FIELDS];

	for (unsigned i = 0; i < plan->n_probes; i++) {
		int n = probe_is_syscall(plan->probes[i].kind, plan->probes[i].target) ?
				host_tp_fields(plan->host, plan->probes[i].target, fields,
					       MAX_FIELDS) :
				0;

		for (int k = 0; k < n; k++)
			if (!strcmp(fields[k].name, "__syscall_nr") && fields[k].offset == 12)
				return 12;
		if (n > 0)
			break;
	}
	return 8;
}

static void put_syscall_structs(FILE *out, const struct plan *plan)
{
	unsigned at = number_offset(plan);

	if (plan->syscall_functions)
		fputs(syscall_functions, out);
	else if (plan_has_kind(plan, PROBE_NUMBER, PROBE_NUMBER))
		fputs(syscall_numbers, out);
	else
		fprintf(out, syscall_structs, at, at == 8 ? "u32 pad; " : "");
}

static int put_tracepoints(FILE *out, const struct plan *plan)
{
	int err;

	put_syscall_structs(out, plan);
	for (unsigned i = 0; i < plan->n_probes; i++) {
		const struct plan_probe *p = &plan->probes[i];

		if (p->kind != PROBE_TRACEPOINT || probe_is_syscall(p->kind, p->target))
			continue;
		err = put_tracepoint(out, plan->host, p->target);
		if (err)
			return err;
	}
	return 0;
}

static void put_includes(const struct plan *plan, FILE *out)
{
	fputs(kernel_includes, out);
	if (plan->host->fact[FACT_URING_KIOCB] && plan_has_trait(plan, NEEDS_URING))
		fputs("#include <linux/io_uring_types.h>\n", out);
	if (plan_has_trait(plan, NEEDS_SOCKET_HEADERS))
		fputs(socket_includes, out);
}

char *source_make(const struct plan *plan)
{
	const struct machine *machine = machine_of(plan->host->machine);
	char *text = NULL;
	size_t size;
	FILE *out = machine ? open_memstream(&text, &size) : NULL;
	int err;

	if (!machine)
		return NULL;
	if (!out) {
		log_error("no memory for the BPF text");
		return NULL;
	}
	put_defines(out, plan);
	if (plan->host->layout) {
		fprintf(out, "#define IOT_PAGE_SHIFT %u\n", plan->host->page_shift);
		fputs(probes_layout_text, out);
		layout_put_source(plan->host->layout, out);
	} else if (plan->headers) {
		put_includes(plan, out);
	}
	fputs(machine->table, out);
	fputs(probes_record_text, out);
	err = put_tracepoints(out, plan);
	for (const char *const *part = probes_texts; *part; part++)
		fputs(*part == probes_machine_text ? machine->code : *part, out);
	if (ferror(out))
		err = -1;
	if (fclose(out) || err) {
		free(text);
		return NULL;
	}
	return text;
}
