/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the list of devices of a manifest. */
#include "analysis/common/devices.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "row/parse.h"

static bool number_of(const json_t *entry, const char *member, uint64_t *number)
{
	const char *text = json_string_value(json_object_get(entry, member));
	struct field field = { .text = text, .len = text ? (uint32_t)strlen(text) : 0 };
	struct parse_clock clock = { .seconds = 0 };

	if (!field.len || !parse_field(PARSE_DEV, &clock, &field))
		return false;
	*number = field.u;
	return true;
}

static int compare(const void *a, const void *b)
{
	const struct device *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

int devices_read(struct devices *devices, const struct read_session *session)
{
	const json_t *list = json_object_get(session->manifest, "devices"), *entry;
	size_t i;

	devices->list = calloc(json_array_size(list) + 1, sizeof(*devices->list));
	if (!devices->list)
		return -ENOMEM;
	json_array_foreach(list, i, entry)
	{
		struct device *device = &devices->list[devices->n];

		device->name = json_string_value(json_object_get(entry, "name"));
		if (!device->name || !number_of(entry, "device", &device->number))
			continue;
		if (!number_of(entry, "disk", &device->disk))
			device->disk = device->number;
		devices->n++;
	}
	qsort(devices->list, devices->n, sizeof(*devices->list), compare);
	return 0;
}

const struct device *devices_find(const struct devices *devices, uint64_t number)
{
	const struct device wanted = { .number = number };

	return devices->n ? bsearch(&wanted, devices->list, devices->n, sizeof(wanted), compare) :
			    NULL;
}

void devices_free(struct devices *devices)
{
	free(devices->list);
	memset(devices, 0, sizeof(*devices));
}
