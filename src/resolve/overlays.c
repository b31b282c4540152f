/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the layers of each overlay that was seen. */
#include "resolve/overlays.h"

#include <limits.h>
#include <string.h>

enum { NESTED_MOST = 3 }; /* overlays whose layers are on one; the kernel takes two */

/* A layer of a list, up to its colon, which a backslash makes a part of the name. Returns its length. */
static size_t layer_length(const char *list, size_t len)
{
	size_t n = 0;

	while (n < len && list[n] != ':')
		n += list[n] == '\\' && n + 1 < len ? 2 : 1;
	return n < len ? n : len;
}

/* Adds a layer to what is known: *dev 0: nothing yet. False: it is elsewhere. */
static bool add_layer(const struct mountinfo *t, const char *name, size_t len, uint32_t *dev)
{
	const struct mount_point *m;
	char path[PATH_MAX];

	if (len >= sizeof(path))
		return false;
	memcpy(path, name, len);
	path[len] = '\0';
	mountinfo_undo_escapes(path);
	m = mountinfo_of_path(t, path);
	if (!m || (*dev && *dev != m->dev))
		return false;
	*dev = m->dev;
	return true;
}

/* An option "NAME=LAYER:LAYER::DATA" or "NAME+=LAYER". */
static bool add_option(const struct mountinfo *t, const char *option, size_t len, uint32_t *dev)
{
	static const char *const names[] = { "lowerdir", "upperdir", "datadir" };
	size_t at = 0, n;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) && !at; i++)
		if (len > strlen(names[i]) && !memcmp(option, names[i], strlen(names[i])))
			at = strlen(names[i]);
	at += at && option[at] == '+';
	if (!at || at == len || option[at] != '=')
		return true;
	for (at++; at < len; at += n + 1) {
		n = layer_length(option + at, len - at);
		if (n && !add_layer(t, option + at, n, dev))
			return false;
	}
	return true;
}

static uint32_t layers_dev(const struct mountinfo *t, const struct mount_point *m)
{
	uint32_t dev = 0;
	size_t n;

	for (const char *at = m->options; *at; at += n + (at[n] == ',')) {
		n = strcspn(at, ",");
		if (!add_option(t, at, n, &dev))
			return m->dev;
	}
	return dev ? dev : m->dev;
}

uint32_t overlays_host_dev(const struct mountinfo *t, uint32_t dev)
{
	for (unsigned i = 0; i < NESTED_MOST; i++) {
		const struct mount_point *m = mountinfo_of_dev(t, dev);
		uint32_t host = m && !strcmp(m->type, "overlay") ? layers_dev(t, m) : dev;

		if (host == dev)
			break;
		dev = host;
	}
	return dev;
}
