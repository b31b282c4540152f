/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns where the text is cut. Knows no program but by its first and last line. */
#include "image/groups.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/plan_probes.h"

#define PROGRAM_START "int iot_"

enum {
	/* reading the declarations takes as long as three programs: so many keep that below a tenth */
	PROGRAMS_A_GROUP = 32,
	MB_A_HELPER = 300,
};

/* ---- which programs ---- */

static bool ends_with(const char *name, size_t len, const char *end)
{
	size_t n = strlen(end);

	return len >= n && !strncmp(name + len - n, end, n);
}

/* Programs that only others call are for those of their kind: see load_programs.c */
static bool is_needed(const struct plan *plan, const char *name, size_t len)
{
	size_t plain = ends_with(name, len, "_q") ? len - 2 : len;

	if (!plan)
		return true;
	for (unsigned i = 0; i < plan->n_probes; i++) {
		const char *program = plan->probes[i].program;

		if ((!strncmp(program, name, len) && !program[len]) ||
		    (!strncmp(program, name, plain) && !program[plain]))
			return true;
	}
	/* where they are not, so is what attaches to calls, and the text says so itself */
	if (ends_with(name, len, "_sc"))
		return true;
	if (ends_with(name, len, "_tp"))
		return plan_has_kind(plan, PROBE_TRACEPOINT, PROBE_TRACEPOINT);
	if (ends_with(name, len, "_rt"))
		return plan_has_kind(plan, PROBE_RAW, PROBE_RAW);
	return ends_with(name, len, "_kp") && plan_has_kind(plan, PROBE_KPROBE, PROBE_KRETPROBE);
}

/* The line behind this one, or the end of the text. */
static const char *next_line(const char *line)
{
	const char *end = strchr(line, '\n');

	return end ? end + 1 : line + strlen(line);
}

struct program {
	const char *name; /* in the text */
	size_t name_len;
	const char *start, *end;
};

/* The first program from a line on. */
static bool find_program(const char *line, struct program *p)
{
	for (; *line; line = next_line(line)) {
		if (strncmp(line, PROGRAM_START, strlen(PROGRAM_START)) != 0)
			continue;
		p->start = line;
		p->name = line + strlen("int ");
		p->name_len = strcspn(p->name, "( \n");
		do
			line = next_line(line);
		while (*line && *line != '}');
		p->end = next_line(line);
		return true;
	}
	return false;
}

unsigned groups_programs(const char *text, const struct plan *plan)
{
	struct program p = { .end = text };
	unsigned n = 0;

	while (find_program(p.end, &p))
		n += is_needed(plan, p.name, p.name_len);
	return n;
}

/* Lines of messages stay what they are. */
static void blank(char *text, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (text[i] != '\n')
			text[i] = ' ';
}

/* Neighbours are alike, so they go into different parts. */
char *groups_text(const char *text, const struct plan *plan, unsigned i, unsigned n)
{
	char *part = strdup(text);
	struct program p = { .end = text };
	unsigned at = 0;

	while (part && find_program(p.end, &p))
		if (!is_needed(plan, p.name, p.name_len) || at++ % n != i)
			blank(part, (size_t)(p.start - text), (size_t)(p.end - text));
	return part;
}

/* ---- how many parts ---- */

/* CPUs that we may use, without those that others do at this moment. */
static int free_cpus(void)
{
	FILE *in = fopen("/proc/loadavg", "re");
	int running = 1, cpus;
	cpu_set_t set;

	cpus = sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);
	if (in) {
		if (fscanf(in, "%*s %*s %*s %d/", &running) != 1)
			running = 1;
		fclose(in);
	}
	return cpus - (running - 1); /* one of them is this */
}

static int room_for(void)
{
	FILE *in = fopen("/proc/meminfo", "re");
	unsigned long kb = 0;
	char line[128];

	while (in && fgets(line, sizeof(line), in))
		if (sscanf(line, "MemAvailable: %lu", &kb) == 1)
			break;
	if (in)
		fclose(in);
	return (int)(kb / 1024 / MB_A_HELPER);
}

unsigned groups_wanted(unsigned n_programs)
{
	int n = 1 + (int)(n_programs / PROGRAMS_A_GROUP), cpus, room;

	if (n > GROUPS_MAX)
		n = GROUPS_MAX;
	if (n < 2)
		return 1;
	cpus = free_cpus();
	room = room_for();
	if (n > cpus)
		n = cpus;
	if (n > room)
		n = room;
	return n < 1 ? 1 : (unsigned)n;
}

/* ---- and back ---- */

static bool same_maps(const struct image *a, const struct image *b)
{
	if (a->n_maps != b->n_maps)
		return false;
	for (uint32_t i = 0; i < a->n_maps; i++) {
		const struct image_map *x = &a->maps[i], *y = &b->maps[i];

		if (strcmp(x->name, y->name) || x->type != y->type || x->key_size != y->key_size ||
		    x->value_size != y->value_size || x->max_entries != y->max_entries ||
		    x->flags != y->flags)
			return false;
	}
	return true;
}

int groups_merge(struct image *image, struct image *part)
{
	struct image_prog *grown;

	if (!same_maps(image, part))
		return -EBADMSG;
	grown = realloc(image->progs, (image->n_progs + part->n_progs + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	image->progs = grown;
	for (uint32_t i = 0; i < part->n_progs; i++) {
		struct image_prog *prog = &part->progs[i];

		if (image_find_prog(image, prog->name))
			continue; /* in every part: freed with this one */
		image->progs[image->n_progs++] = *prog;
		prog->insns = NULL;
		prog->relocs = NULL;
	}
	return 0;
}
