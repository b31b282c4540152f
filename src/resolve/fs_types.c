/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the rules and how a type is compared with them. */
#include "resolve/fs_types.h"

#include <stdio.h>
#include <string.h>

#include "row/records.h"

static const struct fs_type_rule *find_rule(const struct fs_types *types, const char *type)
{
	for (unsigned i = 0; i < types->n_rules; i++)
		if (!strcmp(types->rules[i].type, type))
			return &types->rules[i];
	return NULL;
}

bool fs_types_add(struct fs_types *types, const char *type, uint8_t rule)
{
	struct fs_type_rule *known = (struct fs_type_rule *)find_rule(types, type);

	if (!known) {
		if (types->n_rules == FS_TYPES_MAX || strlen(type) >= FS_TYPE_SIZE)
			return false;
		known = &types->rules[types->n_rules++];
		*known = (struct fs_type_rule){ .rule = rule };
		memcpy(known->type, type, strlen(type));
	}
	if (rule == IOT_FS_EXCLUDE)
		known->rule = rule;
	types->kinds |= rule;
	return true;
}

bool fs_types_any(const struct fs_types *types)
{
	for (unsigned i = 0; i < types->n_rules; i++)
		if (types->rules[i].rule == IOT_FS_INCLUDE)
			return true;
	return !(types->kinds & IOT_FS_INCLUDE);
}

bool fs_types_wants(const struct fs_types *types, const char *type, bool by_default)
{
	const struct fs_type_rule *rule = find_rule(types, type);

	if (rule)
		return rule->rule == IOT_FS_INCLUDE;
	return !(types->kinds & IOT_FS_INCLUDE) && by_default;
}

/* A line is "nodev" or nothing, a tab, and the type. */
bool fs_types_known(const char *proc, const char *type, char *known, size_t size)
{
	char path[4200], line[128], *name;
	bool found = false;
	size_t n = 0;
	FILE *in;

	known[0] = '\0';
	snprintf(path, sizeof(path), "%s/filesystems", proc);
	in = fopen(path, "re");
	if (!in)
		return true; /* nothing to compare it with */
	while (!found && fgets(line, sizeof(line), in)) {
		line[strcspn(line, "\n")] = '\0';
		name = strchr(line, '\t');
		if (!name)
			continue;
		found = !strcmp(++name, type);
		if (n < size)
			n += snprintf(known + n, size - n, "%s%s", n ? ", " : "", name);
	}
	fclose(in);
	return found;
}
