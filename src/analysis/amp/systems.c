/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the text of the rules: what a line may be, and what a pattern is compared with. */
#include "analysis/amp/systems.h"

#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/common/conf_file.h"
#include "analysis/common/grow.h"

enum {
	MAX_LINE = 1024,
	MAX_NAME = 32,
	MAX_RULES = 4096,
	MAX_STARS = 6, /* the time that fnmatch() takes grows with each by a factor */
	COMM_LEN = 15, /* TASK_COMM_LEN - 1: the kernel cuts longer names */
};

static const char blanks[] = " \t";

static const char *check_pattern(const char *pattern)
{
	unsigned stars = 0;

	for (const char *at = pattern; *at; at++)
		stars += *at == '*';
	if (stars > MAX_STARS)
		return "more than 6 '*' in a pattern";
	if (pattern[strspn(pattern, "*")] == '\0')
		return "a pattern of '*' alone would match every process";
	return NULL;
}

/* NULL, or what is wrong with it. */
static const char *add_rule(struct systems *s, const char *system, const char *pattern)
{
	const char *why = check_pattern(pattern);

	if (why)
		return why;
	if (s->n == MAX_RULES)
		return "more than 4096 patterns";
	if (!grow(&s->rules, &s->max, s->n + 1, 64, sizeof(*s->rules)))
		return "out of memory";
	pattern = pool_text(&s->pool, pattern, strlen(pattern));
	if (!pattern)
		return "out of memory";
	s->rules[s->n++] = (struct systems_rule){ system, pattern,
						  !pattern[strcspn(pattern, "*?[\\")] };
	return NULL;
}

static const char *check_text(const char *line, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (((unsigned char)line[i] < ' ' && line[i] != '\t') || line[i] == 0x7f)
			return "control character";
	return NULL;
}

/* "system pattern pattern…"; NULL, or what is wrong with the line. */
static const char *add_line(void *systems, char *line, size_t len)
{
	struct systems *s = systems;
	const char *why = NULL, *system;
	char *word, *rest;

	while (len && (line[len - 1] == '\n' || line[len - 1] == '\r'))
		line[--len] = '\0';
	if (len > MAX_LINE)
		return "line longer than 1024 bytes";
	why = check_text(line, len);
	if (why)
		return why;
	word = strtok_r(line, blanks, &rest);
	if (!word || word[0] == '#')
		return NULL;
	if (strlen(word) > MAX_NAME)
		return "name of a system longer than 32 bytes";
	system = pool_text(&s->pool, word, strlen(word));
	if (!system)
		return "out of memory";
	word = strtok_r(NULL, blanks, &rest);
	if (!word || word[0] == '#')
		return "a system needs a pattern, as in 'etcd  etcd */etcd'";
	for (; word && word[0] != '#' && !why; word = strtok_r(NULL, blanks, &rest))
		why = add_rule(s, system, word);
	return why;
}

int systems_parse(struct systems *systems, FILE *in, const char *name)
{
	return conf_parse(in, name, add_line, systems);
}

int systems_read(struct systems *systems, const char *file)
{
	return conf_read(file, add_line, systems);
}

static bool is_comm(const struct systems_rule *rule, const char *comm)
{
	if (!rule->plain)
		return !fnmatch(rule->pattern, comm, 0);
	/* the kernel has cut the name: then the pattern's beginning has to do */
	return !strcmp(rule->pattern, comm) ||
	       (strlen(comm) == COMM_LEN && !strncmp(rule->pattern, comm, COMM_LEN));
}

int systems_read_all(struct systems *systems, const char *file)
{
	const char *installed = getenv("IOTRACER_SYSTEMS");
	char own[PATH_MAX];
	int err = file ? systems_read(systems, file) : 0;

	if (!err && conf_own(own, "systems.conf"))
		err = systems_read(systems, own);
	return err ? err : systems_read(systems, installed ? installed : IOT_SYSTEMS_FILE);
}

const char *systems_find(const struct systems *systems, const char *comm, const char *program)
{
	const char *slash = program ? strrchr(program, '/') : NULL;
	const char *last = slash ? slash + 1 : program;

	for (unsigned i = 0; i < systems->n; i++) {
		const struct systems_rule *rule = &systems->rules[i];

		if (strchr(rule->pattern, '/')) {
			if (program && !fnmatch(rule->pattern, program, 0))
				return rule->system;
		} else if ((last && !fnmatch(rule->pattern, last, 0)) ||
			   (comm && is_comm(rule, comm))) {
			return rule->system;
		}
	}
	return NULL;
}

bool systems_is_kernel(const char *comm, const char *program)
{
	static const char *const names[] = { "kworker/", "jbd2/",   "kswapd",  "xfsaild/",
					     "xfs",      "btrfs-",  "loop",    "md",
					     "dm",       "swapper", "kthread", "ksoftirqd/" };

	if (program)
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(comm, names[i], strlen(names[i])))
			return true;
	return false;
}

void systems_free(struct systems *systems)
{
	free(systems->rules);
	pool_free(&systems->pool);
	*systems = (struct systems){ .n = 0 };
}
