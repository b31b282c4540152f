/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One line for what holds of all, for each probe, for each wanted capability:
 *
 *   layout SHA-256 of the records that the programs send
 *   headers 0|1
 *   layouts SOURCE of what is known of structures
 *   syscall_functions 0|1
 *   given 0|1
 *   probe KIND OPTIONAL CHOICE TARGET PROGRAM
 *   choice INDEX STREAM OPERATION PATH CANDIDATE NAME TIER PROBE...
 *   off INDEX STREAM OPERATION PATH ABSENT WHY...
 *
 * INDEX counts the table of capabilities and CANDIDATE those of one; the names
 * beside them tell another table. An empty PATH is "-".
 */
#include "image/plan_text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sha256.h"
#include "compat/candidates/calls.h"
#include "compat/host/layout_source.h"
#include "image/probes_text.h"

/* ---- to text ---- */

static void put_name(FILE *out, const char *kind, const struct plan *plan, unsigned i)
{
	const struct capability *c = plan->choices[i].capability;

	fprintf(out, "%s %u %s %s %s", kind, i, capability_stream(c), c->operation,
		c->path[0] ? c->path : "-");
}

/* How many candidates come before this one */
static unsigned place_of(const struct candidate *candidate, const struct capability *capability)
{
	unsigned place = 0;

	for (const struct candidate *c = capability->candidates; c != candidate;
	     c = candidate_next(c))
		place++;
	return place;
}

static void put_choice(FILE *out, const struct plan *plan, unsigned i)
{
	const struct plan_choice *c = &plan->choices[i];

	if (!c->chosen) {
		put_name(out, "off", plan, i);
		fprintf(out, " %d %s\n", c->absent, c->why);
		return;
	}
	put_name(out, "choice", plan, i);
	fprintf(out, " %u %s %c", place_of(c->chosen, c->capability), c->chosen->name,
		tier_letter(c->tier));
	for (unsigned k = 0; k < c->n_probes; k++)
		fprintf(out, " %u", c->probes[k]);
	putc('\n', out);
}

static int layout(char hex[SHA256_HEX_SIZE])
{
	return sha256_text(probes_record_text, strlen(probes_record_text), hex);
}

char *plan_to_text(const struct plan *plan)
{
	char *text = NULL, hex[SHA256_HEX_SIZE];
	size_t size;
	FILE *out = layout(hex) ? NULL : open_memstream(&text, &size);
	bool failed;

	if (!out)
		return NULL;
	fprintf(out, "layout %s\nheaders %d\nlayouts %s\nsyscall_functions %d\ngiven %d\n", hex,
		plan->headers, layout_source_name(plan->layouts), plan->syscall_functions,
		plan->given);
	for (unsigned i = 0; i < plan->n_probes; i++) {
		const struct plan_probe *p = &plan->probes[i];

		fprintf(out, "probe %d %d %u %s %s\n", p->kind, p->optional, p->choice, p->target,
			p->program);
	}
	for (unsigned i = 0; i < plan->n_choices; i++)
		if (plan->choices[i].wanted)
			put_choice(out, plan, i);
	failed = ferror(out);
	if (!fclose(out) && !failed)
		return text;
	free(text);
	return NULL;
}

/* ---- and back ---- */

/* The next word, or NULL behind the last one. */
static char *word(char **rest)
{
	return *rest ? strsep(rest, " ") : NULL;
}

static bool number(char **rest, unsigned limit, unsigned *out)
{
	const char *text = word(rest);
	char *end;
	unsigned long n;

	if (!text || text[0] < '0' || text[0] > '9')
		return false;
	n = strtoul(text, &end, 10);
	*out = (unsigned)n;
	return !*end && n < limit;
}

static bool same(char **rest, const char *expected)
{
	const char *text = word(rest);

	return text && !strcmp(text, expected);
}

/* INDEX STREAM OPERATION PATH: the choice, or NULL with what is wrong in *err. */
static struct plan_choice *named_choice(struct plan *plan, char **rest, int *err)
{
	const struct capability *c;
	unsigned i;

	*err = -EBADMSG;
	if (!number(rest, UINT16_MAX, &i))
		return NULL;
	*err = -ESTALE;
	if (i >= plan->n_choices)
		return NULL;
	c = plan->choices[i].capability;
	if (!same(rest, capability_stream(c)) || !same(rest, c->operation) ||
	    !same(rest, c->path[0] ? c->path : "-"))
		return NULL;
	*err = 0;
	return &plan->choices[i];
}

static const struct candidate *named_candidate(const struct capability *capability, char **rest)
{
	const struct candidate *c = capability->candidates;
	unsigned i;

	if (!c || !number(rest, UINT16_MAX, &i))
		return NULL;
	for (; i && c; i--)
		c = candidate_next(c);
	return c && same(rest, c->name) ? c : NULL;
}

static bool find_probe(const struct candidate *candidate, const char *program, struct probe *probe)
{
	for (unsigned i = 0; candidate_probe(candidate, i, probe); i++)
		if (!strcmp(probe->program, program))
			return true;
	return false;
}

/* Of all candidates: which of them asks for the probe is only known from its choice, later on. */
static const char *known_program(const struct capability *capability, const char *name)
{
	struct probe probe;

	for (const struct candidate *c = capability->candidates; c; c = candidate_next(c))
		if (find_probe(c, name, &probe))
			return probe.program;
	return NULL;
}

/* What the text does not say of the probes, the candidates do. */
static void add_flags(struct plan *plan)
{
	for (unsigned i = 0; i < plan->n_probes; i++) {
		struct plan_probe *p = &plan->probes[i];
		const struct candidate *chosen = plan->choices[p->choice].chosen;
		struct probe probe;

		p->flags = chosen && find_probe(chosen, p->program, &probe) ? probe.flags : 0;
	}
}

static int read_probe(struct plan *plan, char *rest)
{
	struct plan_probe *p = &plan->probes[plan->n_probes];
	unsigned kind, optional;
	const char *target, *program;

	if (plan->n_probes == PLAN_MAX_PROBES || !number(&rest, N_PROBE_KINDS, &kind) ||
	    kind == PROBE_END || !number(&rest, 2, &optional) ||
	    !number(&rest, plan->n_choices, &p->choice))
		return -EBADMSG;
	target = word(&rest);
	program = word(&rest);
	if (!program || rest || !target[0] || strlen(target) >= sizeof(p->target))
		return -EBADMSG;
	/* attaching goes by the event behind the colon */
	if ((kind == PROBE_TRACEPOINT || kind == PROBE_RAW || kind == PROBE_NUMBER) &&
	    !strchr(target, ':'))
		return -EBADMSG;
	p->kind = kind;
	p->optional = optional;
	strcpy(p->target, target);
	p->program = known_program(plan->choices[p->choice].capability, program);
	if (!p->program)
		return -ESTALE;
	plan->n_probes++;
	return 0;
}

/* Tiers are bits: twice one is the next. */
static bool read_tier(char **rest, enum tier *tier)
{
	const char *letter = word(rest);

	for (*tier = TIER_A; letter && *tier <= TIER_C; *tier *= 2)
		if (letter[0] == tier_letter(*tier) && !letter[1])
			return true;
	return false;
}

static int read_choice(struct plan *plan, char *rest)
{
	int err;
	struct plan_choice *c = named_choice(plan, &rest, &err);
	unsigned probe;

	if (!c)
		return err;
	if (c->wanted)
		return -EBADMSG;
	c->wanted = true;
	c->chosen = named_candidate(c->capability, &rest);
	if (!c->chosen)
		return -ESTALE;
	if (!read_tier(&rest, &c->tier))
		return -EBADMSG;
	while (rest) {
		if (c->n_probes == PLAN_MAX_CHOICE_PROBES || !number(&rest, plan->n_probes, &probe))
			return -EBADMSG;
		c->probes[c->n_probes++] = (uint16_t)probe;
	}
	return c->n_probes ? 0 : -EBADMSG;
}

static int read_off(struct plan *plan, char *rest)
{
	int err;
	struct plan_choice *c = named_choice(plan, &rest, &err);
	unsigned absent;

	if (!c)
		return err;
	if (c->wanted || !number(&rest, 2, &absent) || !rest)
		return -EBADMSG;
	c->wanted = true;
	c->absent = absent;
	snprintf(c->why, sizeof(c->why), "%s", rest);
	return 0;
}

static int read_flag(bool *flag, char *rest)
{
	unsigned n;

	if (!number(&rest, 2, &n) || rest)
		return -EBADMSG;
	*flag = n;
	return 0;
}

static int read_layouts(enum layout_source *source, const char *rest)
{
	*source = layout_source_of(rest ? rest : "");
	return *source == LAYOUT_ANY ? -EBADMSG : 0;
}

static int read_layout(const char *rest)
{
	char hex[SHA256_HEX_SIZE];

	if (layout(hex))
		return -ENOMEM;
	return rest && !strcmp(rest, hex) ? 0 : -ESTALE;
}

static int read_line(struct plan *plan, char *line)
{
	char *rest = line;
	const char *kind = word(&rest);

	if (!strcmp(kind, "headers"))
		return read_flag(&plan->headers, rest);
	if (!strcmp(kind, "layouts"))
		return read_layouts(&plan->layouts, rest);
	if (!strcmp(kind, "syscall_functions"))
		return read_flag(&plan->syscall_functions, rest);
	if (!strcmp(kind, "given"))
		return read_flag(&plan->given, rest);
	if (!strcmp(kind, "probe"))
		return read_probe(plan, rest);
	if (!strcmp(kind, "choice"))
		return read_choice(plan, rest);
	return strcmp(kind, "off") ? -ESTALE : read_off(plan, rest);
}

static void begin(struct plan *plan, const struct host *host)
{
	memset(plan, 0, sizeof(*plan));
	plan->host = host;
	plan->n_choices = N_CAPABILITIES;
	for (unsigned i = 0; i < plan->n_choices; i++) {
		plan->choices[i].capability = &capabilities[i];
		snprintf(plan->choices[i].why, sizeof(plan->choices[i].why), "not in the image");
	}
}

int plan_from_text(struct plan *plan, const struct host *host, const char *text)
{
	char *copy = strdup(text), *next = copy, *line;
	int err = copy ? 0 : -ENOMEM;

	begin(plan, host);
	line = copy ? strsep(&next, "\n") : NULL;
	if (line)
		err = strncmp(line, "layout ", 7) ? -EBADMSG : read_layout(line + 7);
	while (!err && next && *next)
		err = read_line(plan, strsep(&next, "\n"));
	/* the last line has its end, too, or it was cut */
	if (!err && (!next || !plan->n_probes))
		err = -EBADMSG;
	if (!err)
		add_flags(plan);
	free(copy);
	return err;
}
