/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a host that is open tells when asked: its config, its symbols, where a
 * kprobe can sit. Where the files lie is known to root.c, what kallsyms means
 * to symbols.c; host.c opens it and facts.c answers the table of facts.
 */
#include "compat/host/kernel.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compat/host/symbols.h"
#include "compat/sys/root.h"

void host_set_why(char why[HOST_WHY_SIZE], const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, HOST_WHY_SIZE, fmt, ap);
	va_end(ap);
}

/* Keeps the "NAME=value" lines of a kernel config. */
static void keep_config(struct host *host, char *text)
{
	char *line, *next = text, *out = text;

	while ((line = strsep(&next, "\n"))) {
		size_t len;

		if (strncmp(line, "CONFIG_", 7) || !strchr(line, '='))
			continue;
		len = strlen(line + 7) + 1;
		memmove(out, line + 7, len);
		out += len;
	}
	if (out == text) { /* whatever it is, it proves nothing */
		free(text);
		return;
	}
	host->config = text;
	host->config_size = (size_t)(out - text);
}

char *host_config_text(const struct host *host, size_t *size)
{
	static const char *const places[] = {
		"boot/config-%s",
		"lib/modules/%s/config",
		"usr/lib/modules/%s/config",
		"lib/modules/%s/build/.config",
	};
	char path[256], *text;

	text = root_read(host->root, "proc/config.gz", size);
	for (unsigned i = 0; !text && i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, sizeof(path), places[i], host->release);
		text = root_read(host->root, path, size);
	}
	return text;
}

const char *host_config(const struct host *host, const char *name)
{
	const char *line = host->config, *end = line + host->config_size;
	size_t len = strlen(name);

	if (!host->config)
		return NULL;
	for (; line < end; line += strlen(line) + 1)
		if (!strncmp(line, name, len) && line[len] == '=')
			return line + len + 1;
	return "n";
}

void host_config_read(struct host *host)
{
	size_t size;
	char *text = host_config_text(host, &size);

	if (text)
		keep_config(host, text);
}

bool host_config_off(const struct host *host, const char *name)
{
	const char *value = host_config(host, name);

	return value && !strcmp(value, "n");
}

const char *host_uring_why(const struct host *host)
{
	if (host->io_uring_disabled == 2)
		return "disabled: kernel.io_uring_disabled is 2, no process can create a ring";
	if (host->io_uring_disabled == 1)
		return "restricted: kernel.io_uring_disabled is 1, only kernel.io_uring_group and CAP_SYS_ADMIN can create a ring";
	return "";
}

static struct symbols *symbols_of(const struct host *host)
{
	struct host *mine = (struct host *)host; /* a cache: what is said does not change */

	if (!mine->symbols)
		mine->symbols = symbols_load(host->root, host->tracefs);
	return mine->symbols;
}

void host_forget_symbols(struct host *host)
{
	symbols_free(host->symbols);
	host->symbols = NULL;
}

bool host_has_symbols(const struct host *host)
{
	const struct symbols *symbols = symbols_of(host);

	return symbols && symbols_total(symbols);
}

bool host_has_symbol(const struct host *host, const char *name)
{
	const struct symbols *symbols = symbols_of(host);

	return symbols && symbols_find(symbols, name) != SYMBOL_MISSING;
}

bool host_place(const struct host *host, uint64_t address, char *out, size_t size)
{
	return symbols_place(host->root, address, out, size);
}

const char *host_kprobe_target(const struct host *host, const char *name, bool suffixes, char *why,
			       size_t why_size)
{
	const struct symbols *symbols = symbols_of(host);
	enum symbol_state state;
	const char *found[2] = { name, NULL };
	unsigned n = 0;

	if (!symbols) {
		snprintf(why, why_size, "no memory for the symbol table");
		return NULL;
	}
	state = symbols_find(symbols, name);
	if (state == SYMBOL_MISSING && suffixes)
		n = symbols_variants(symbols, name, VARIANT_COPY, found, 2);
	if (n > 1) {
		snprintf(why, why_size,
			 "%s has several copies, none of which is reached by all calls", name);
		return NULL;
	}
	if (n)
		state = symbols_find(symbols, found[0]);
	if (state == SYMBOL_OK)
		return found[0];
	snprintf(why, why_size, "%s %s", found[0], symbol_state_text(state));
	return NULL;
}

const char *host_kprobe_part(const struct host *host, const char *name, unsigned i)
{
	const struct symbols *symbols = symbols_of(host);
	const char *parts[16];
	unsigned n;

	if (!symbols)
		return NULL;
	n = symbols_variants(symbols, name, VARIANT_PART, parts, 16);
	for (unsigned k = 0; k < n && k < 16; k++)
		if (symbols_find(symbols, parts[k]) == SYMBOL_OK && !i--)
			return parts[k];
	return NULL;
}
