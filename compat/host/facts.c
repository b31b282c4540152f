/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Answers the table of facts, kernel.def, for one host: each kind of question
 * goes to the source that can tell, layouts before header text.
 */
#include "compat/host/facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compat/host/headers.h"
#include "compat/host/layout_host.h"
#include "compat/host/tracefs.h"
#include "compat/layout/cast.h"
#include "compat/layout/kernel_ids.h"
#include "compat/sys/bpf_knows.h"
#include "compat/sys/trampoline.h"

enum fact_kind {
	KIND_HEADER,
	KIND_MEMBER,
	KIND_WORD,
	KIND_SYMBOL,
	KIND_TRACEPOINT,
	KIND_FIELD,
	KIND_CONFIG,
	KIND_HELPER,
	KIND_PROGRAM,
	KIND_KFUNC,
	KIND_TRAMPOLINE
};

static const struct {
	const char *name;
	enum fact_kind kind;
	const char *arg;
	const char *since;
} facts[] = {
#define FACT(name, kind, arg, since) { #name, KIND_##kind, arg, since },
#include "compat/host/kernel.def"
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
	return !host_config_off(host, arg);
}

enum { NUMBER_CAST, NUMBER_WORDS, NUMBER_TRIED, N_NUMBERS };

/* What facts ask of the running kernel's BTF: found in one pass, of 9 ms, when the first one asks. */
struct numbers {
	struct kernel_id ids[N_NUMBERS];
	bool looked;
};

static uint32_t number_of(struct numbers *numbers, int which)
{
	if (!numbers->looked)
		kernel_ids_find(numbers->ids, N_NUMBERS);
	numbers->looked = true;
	return numbers->ids[which].id;
}

/* Of all functions of the kernel only the one of cast.h is asked for. */
static bool kfunc_holds(const struct host *host, const char *name, struct numbers *numbers)
{
	struct cast_ids ids;

	if (!host_has_layout(host))
		return false;
	/* the function is there in a kernel without BTF, too, but no program can name it */
	if (!host->live || host->bpf_why[0])
		return host->has_btf && host_has_symbol(host, name);
	ids.function = number_of(numbers, NUMBER_CAST);
	ids.words = number_of(numbers, NUMBER_WORDS);
	return ids.function && ids.words && cast_works(&ids);
}

/* symbol: what makes functions call programs */
static bool trampoline_holds(const struct host *host, const char *symbol, struct numbers *numbers)
{
	if (!host_has_layout(host) || host->kprobes_why[0] || !host->has_btf ||
	    !host_has_symbol(host, symbol))
		return false;
	return host->live && !host->bpf_why[0] ?
		       trampoline_works(number_of(numbers, NUMBER_TRIED)) :
		       !strcmp(host->machine, "x86_64");
}

/* arg is one alternative, cut in pieces here: "a", "a:b", "a:b.c" or "a:b:c". */
static bool fact_holds(const struct host *host, enum fact_kind kind, char *arg,
		       struct numbers *numbers)
{
	char *colon = strchr(arg, ':'), *last = strrchr(arg, ':'), *dot;

	if (host->layout && (kind == KIND_HEADER || kind == KIND_MEMBER || kind == KIND_WORD))
		return layout_fact_holds(host, arg);
	switch (kind) {
	case KIND_HEADER:
		return headers_have(host, arg);
	case KIND_SYMBOL:
		/* asked for what kprobes read; kallsyms, which takes long to read, is not worth it without them */
		return !host->kprobes_why[0] && host_has_symbol(host, arg);
	case KIND_TRACEPOINT:
		return host_has_tracepoint(host, arg);
	case KIND_KFUNC:
		return kfunc_holds(host, arg, numbers);
	case KIND_TRAMPOLINE:
		return trampoline_holds(host, arg, numbers);
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
			       bpf_knows(kind == KIND_HELPER, (uint32_t)atoi(arg)) :
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

static bool any_holds(const struct host *host, enum fact_kind kind, const char *args,
		      struct numbers *numbers)
{
	char copy[256], *one, *next = copy;

	if (snprintf(copy, sizeof(copy), "%s", args) >= (int)sizeof(copy))
		return false;
	while ((one = strsep(&next, " ")))
		if (*one && fact_holds(host, kind, one, numbers))
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

void facts_read(struct host *host)
{
	struct numbers numbers = { .ids = { CAST_IDS, { BTF_FUNC, "vfs_read", 0 } } };

	for (unsigned i = 0; i < N_FACTS; i++)
		host->fact[i] = any_holds(host, facts[i].kind, facts[i].arg, &numbers);
	host->casts.function = numbers.ids[NUMBER_CAST].id;
	host->casts.words = numbers.ids[NUMBER_WORDS].id;
}
