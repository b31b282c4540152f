/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Owns finding a kernel build tree (whole, or split as Debian and SUSE do),
 * refusing one that belongs to another kernel, and searching header text for
 * words and members. Does not parse C: a struct is what stands between its
 * opening brace and the matching one.
 */
#include "compat/host/headers.h"

#include <ctype.h>
#include <errno.h>
#include <libgen.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compat/sys/root.h"

/*
 * Below which root the trees lie, where their links and absolute names lead: a
 * tree given by hand is a path of this machine, all others are the host's.
 */
struct search {
	const char *root;
	bool by_hand;
};

static void set_why(struct host *host, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void set_why(struct host *host, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(host->headers_why, sizeof(host->headers_why), fmt, ap);
	va_end(ap);
	host->headers[0] = host->headers_source[0] = '\0';
}

/* The value of ID or ID_LIKE in os-release, quotes removed. */
static void os_release(const struct host *host, const char *key, char *out, size_t size)
{
	size_t len, n;
	char *text = root_read(host->root, "etc/os-release", &n), *line, *next = text;

	out[0] = '\0';
	len = strlen(key);
	while (text && (line = strsep(&next, "\n"))) {
		if (strncmp(line, key, len) || line[len] != '=')
			continue;
		line += len + 1;
		line += strspn(line, "\"'");
		line[strcspn(line, "\"'\r")] = '\0';
		snprintf(out, size, "%s", line);
	}
	free(text);
}

static bool has_id(const char *ids, const char *id)
{
	size_t len = strlen(id);

	for (const char *at = ids; (at = strstr(at, id)); at += len)
		if ((at == ids || at[-1] == ' ') && (!at[len] || at[len] == ' '))
			return true;
	return false;
}

/* %s is the release. */
static const struct {
	const char *id;
	const char *install;
} packages[] = {
	{ "ubuntu", "apt-get install linux-headers-%s" },
	{ "debian", "apt-get install linux-headers-%s" },
	{ "sles", "zypper install kernel-default-devel for %s" },
	{ "suse", "zypper install kernel-default-devel for %s" },
	{ "opensuse", "zypper install kernel-default-devel for %s" },
	{ "opensuse-leap", "zypper install kernel-default-devel for %s" },
	{ "opensuse-tumbleweed", "zypper install kernel-default-devel for %s" },
	{ "ol", "yum install kernel-devel-%s (kernel-uek-devel-… for UEK)" },
	{ "amzn", "yum install kernel-devel-%s" },
	{ "rhel", "yum install kernel-devel-%s" },
	{ "centos", "yum install kernel-devel-%s" },
	{ "rocky", "yum install kernel-devel-%s" },
	{ "almalinux", "yum install kernel-devel-%s" },
	{ "fedora", "dnf install kernel-devel-%s" },
	{ "arch", "pacman -S linux-headers (of %s)" },
	{ "alpine", "apk add linux-lts-dev (of %s)" },
};

static void name_package(const struct host *host, char *out, size_t size)
{
	static const char *const keys[] = { "ID", "ID_LIKE" };
	char ids[128];

	for (unsigned k = 0; k < 2; k++) {
		os_release(host, keys[k], ids, sizeof(ids));
		for (unsigned i = 0; i < sizeof(packages) / sizeof(packages[0]); i++) {
			if (!has_id(ids, packages[i].id))
				continue;
			snprintf(out, size, packages[i].install, host->release);
			return;
		}
	}
	snprintf(out, size, "install the package that provides /lib/modules/%s/build",
		 host->release);
}

static void set_missing(struct host *host)
{
	char package[200];

	name_package(host, package, sizeof(package));
	set_why(host, "no kernel headers for %s: %s", host->release, package);
}

/* dir begins with the root. */
static const char *below(const struct search *s, const char *dir)
{
	return dir + strlen(s->root);
}

static bool has_file(const struct search *s, const char *dir, const char *file)
{
	return root_exists(s->root, "%s/%s", below(s, dir), file);
}

static char *read_file(const struct search *s, const char *dir, const char *file)
{
	char path[PATH_MAX];
	size_t size;

	if (snprintf(path, sizeof(path), "%s/%s", below(s, dir), file) >= PATH_MAX)
		return NULL;
	return root_read(s->root, path, &size);
}

static bool is_source(const struct search *s, const char *dir)
{
	return has_file(s, dir, "include/linux/kconfig.h");
}

/* "#define KEY "text"" in a generated header; empty when it is not there. */
static void read_define(const struct search *s, const char *dir, const char *file, const char *key,
			char *out, size_t size)
{
	char *text = read_file(s, dir, file), *line, *next = text, *quote;
	size_t len = strlen(key);

	out[0] = '\0';
	while (text && (line = strsep(&next, "\n"))) {
		if (strncmp(line, "#define ", 8) || strncmp(line + 8, key, len) ||
		    !strchr(" \t", line[8 + len]) || !(quote = strchr(line, '"')))
			continue;
		quote[1 + strcspn(quote + 1, "\"")] = '\0';
		snprintf(out, size, "%s", quote + 1);
		break;
	}
	free(text);
}

/* Says why and returns true when the tree at dir was made for another kernel. */
static bool is_foreign(struct host *host, const struct search *s, const char *dir)
{
	char release[128], version[256];

	read_define(s, dir, "include/generated/utsrelease.h", "UTS_RELEASE", release,
		    sizeof(release));
	if (release[0] && host->release[0] && strcmp(release, host->release)) {
		set_why(host, "headers at %.60s are for %.60s, this kernel is %.60s", dir, release,
			host->release);
		return true;
	}
	read_define(s, dir, "include/generated/utsversion.h", "UTS_VERSION", version,
		    sizeof(version));
	if (!version[0])
		read_define(s, dir, "include/generated/compile.h", "UTS_VERSION", version,
			    sizeof(version));
	if (version[0] && host->version[0] && strcmp(version, host->version)) {
		set_why(host, "headers at %.48s are for build \"%.70s\", this kernel is \"%.70s\"",
			dir, version, host->version);
		return true;
	}
	return false;
}

/* A path found inside a tree, seen from the host it came from; true when it is a source tree. */
static bool take_source(const struct search *s, const char *path, char *out)
{
	return !root_resolve(s->root, path, out) && is_source(s, out);
}

/* Beside dir, under the last component of path: packages unpacked by hand. */
static bool take_sibling(const struct search *s, const char *dir, const char *path, char *out)
{
	const char *base = strrchr(path, '/');
	char copy[PATH_MAX];

	snprintf(copy, sizeof(copy), "%s", dir);
	return snprintf(out, PATH_MAX, "%s/%s", dirname(copy), base ? base + 1 : path) < PATH_MAX &&
	       is_source(s, out);
}

/* "include DIR/Makefile", or "-C DIR" in the Makefiles that kbuild wrote before 5.x */
static bool makefile_names(char *line, char *out)
{
	char *start = NULL, *end = NULL;

	if (!strncmp(line, "include ", 8)) {
		start = line + 8;
		end = strstr(start, "/Makefile");
	} else if ((start = strstr(line, "-C "))) {
		start += 3;
		end = start + strcspn(start, " \t");
	}
	if (!start || !end || end == start || end - start >= PATH_MAX / 2)
		return false;
	memcpy(out, start, (size_t)(end - start));
	out[end - start] = '\0';
	return true;
}

static bool source_from_makefile(const struct search *s, const char *dir, char *out)
{
	char path[PATH_MAX], name[PATH_MAX];
	char *text = read_file(s, dir, "Makefile"), *line, *next = text;
	bool found = false;

	while (text && !found && (line = strsep(&next, "\n"))) {
		if (!makefile_names(line, name))
			continue;
		found = s->by_hand && take_sibling(s, dir, name, out);
		if (!found && name[0] == '/')
			found = take_source(s, name, out);
		else if (!found && snprintf(path, sizeof(path), "%.2000s/%.2000s", below(s, dir),
					    name) < PATH_MAX)
			found = take_source(s, path, out);
	}
	free(text);
	return found;
}

/* linux-headers-X-amd64 → linux-headers-X-common, linux-X-obj/x86_64/default → linux-X */
static bool source_from_name(const struct search *s, const char *dir, char *out)
{
	char stem[PATH_MAX], *dash, *obj;

	snprintf(stem, sizeof(stem), "%s", dir);
	obj = strstr(stem, "-obj/");
	if (obj) {
		*obj = '\0';
		snprintf(out, PATH_MAX, "%s", stem);
		return is_source(s, out);
	}
	while ((dash = strrchr(stem, '-')) && dash > strrchr(stem, '/')) {
		*dash = '\0';
		if (snprintf(out, PATH_MAX, "%.4080s-common", stem) < PATH_MAX && is_source(s, out))
			return true;
	}
	return false;
}

/* The tree with include/linux that belongs to the generated headers in dir. */
static bool find_source(const struct search *s, const char *release, const char *dir, char *out)
{
	char path[PATH_MAX];

	if (is_source(s, dir)) {
		snprintf(out, PATH_MAX, "%s", dir);
		return true;
	}
	if (!s->by_hand)
		for (unsigned i = 0; i < 2; i++) {
			snprintf(path, sizeof(path), "%slib/modules/%s/source", i ? "usr/" : "",
				 release);
			if (take_source(s, path, out))
				return true;
		}
	if (snprintf(path, sizeof(path), "%.4080s/source", below(s, dir)) < PATH_MAX &&
	    take_source(s, path, out))
		return true;
	return source_from_makefile(s, dir, out) || source_from_name(s, dir, out);
}

static bool is_on(const struct host *host, const char *option)
{
	const char *value = host_config(host, option);

	return value && strcmp(value, "n");
}

static bool is_shuffled(const struct host *host)
{
	return is_on(host, "GCC_PLUGIN_RANDSTRUCT") || is_on(host, "RANDSTRUCT_FULL") ||
	       is_on(host, "RANDSTRUCT_PERFORMANCE");
}

/* Takes dir as the host's headers if it is complete and its own. */
static bool take_tree(struct host *host, const struct search *s, const char *dir)
{
	if (!has_file(s, dir, "include/generated/autoconf.h") &&
	    !has_file(s, dir, "include/generated/utsrelease.h")) {
		set_why(host, "headers at %.150s lack include/generated: not a prepared build tree",
			dir);
		return false;
	}
	if (is_foreign(host, s, dir))
		return false;
	if (!find_source(s, host->release, dir, host->headers_source)) {
		set_why(host,
			"headers at %.120s lack include/linux/kconfig.h: "
			"the common part of the package is missing",
			dir);
		return false;
	}
	if (is_shuffled(host)) {
		set_why(host, "this kernel shuffles its structures (CONFIG_RANDSTRUCT): "
			      "headers do not show where members are");
		return false;
	}
	snprintf(host->headers, sizeof(host->headers), "%s", dir);
	host->headers_why[0] = '\0';
	return true;
}

static bool take_installed(struct host *host)
{
	const struct search s = { .root = host->root };
	char path[PATH_MAX], dir[PATH_MAX];

	for (unsigned i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%slib/modules/%s/build", i ? "usr/" : "",
			 host->release);
		if (!root_resolve(host->root, path, dir) && take_tree(host, &s, dir))
			return true;
		if (host->headers_why[0]) /* there is one, and it is no good */
			return false;
	}
	set_missing(host);
	return false;
}

bool headers_take(struct host *host, const char *dir)
{
	const struct search s = { .root = "", .by_hand = true };

	host->headers_by_hand = true;
	return take_tree(host, &s, dir);
}

static bool try_given_headers(struct host *host, const char *by_hand)
{
	char path[PATH_MAX];

	if (!realpath(by_hand, path)) {
		set_why(host, "headers at %.150s: %s", by_hand, strerror(errno));
		return false;
	}
	return headers_take(host, path);
}

void headers_find(struct host *host, const char *by_hand)
{
	if (by_hand)
		try_given_headers(host, by_hand);
	else
		take_installed(host);
}

static char *read_header(const struct host *host, const char *name)
{
	const struct search s = { .root = host->headers_by_hand ? "" : host->root };
	char path[256], *text;

	if (!host->headers[0] ||
	    snprintf(path, sizeof(path), "include/%s", name) >= (int)sizeof(path))
		return NULL;
	text = read_file(&s, host->headers_source, path);
	return text ? text : read_file(&s, host->headers, path);
}

bool headers_have(const struct host *host, const char *name)
{
	char *text = read_header(host, name);

	free(text);
	return text != NULL;
}

/* Comments become blanks: a member that is only written about is not there. */
static void blank_comments(char *text)
{
	char *at = text, *end;

	while ((at = strchr(at, '/'))) {
		if (at[1] == '*')
			end = strstr(at + 2, "*/");
		else if (at[1] == '/')
			end = strchr(at, '\n');
		else {
			at++;
			continue;
		}
		if (!end)
			end = at + strlen(at);
		else if (*end == '*')
			end += 2;
		memset(at, ' ', (size_t)(end - at));
		at = end;
	}
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The next whole word at or after text, before end (NULL: to the end of the string). */
static const char *find_word(const char *text, const char *end, const char *word)
{
	size_t len = strlen(word);
	const char *at = text;

	while (len && (at = strstr(at, word)) && (!end || at < end)) {
		if ((at == text || !is_word(at[-1])) && !is_word(at[len]))
			return at;
		at += len;
	}
	return NULL;
}

bool headers_have_word(const struct host *host, const char *name, const char *word)
{
	char *text = read_header(host, name);
	bool found = false;

	if (text) {
		blank_comments(text);
		found = find_word(text, NULL, word) != NULL;
	}
	free(text);
	return found;
}

static const char *matching_brace(const char *open)
{
	int depth = 0;

	for (const char *c = open; *c; c++) {
		depth += (*c == '{') - (*c == '}');
		if (!depth)
			return c;
	}
	return open + strlen(open);
}

/* The brace that opens "struct type {", or NULL. */
static const char *find_struct(const char *text, const char *type)
{
	const char *at = text, *brace;

	while ((at = find_word(at, NULL, type))) {
		const char *before = at;

		while (before > text && isspace((unsigned char)before[-1]))
			before--;
		at += strlen(type);
		brace = at + strspn(at, " \t\r\n");
		if (*brace == '{' && ((before - text >= 6 && !strncmp(before - 6, "struct", 6)) ||
				      (before - text >= 5 && !strncmp(before - 5, "union", 5))))
			return brace;
	}
	return NULL;
}

bool headers_have_member(const struct host *host, const char *name, const char *type,
			 const char *member)
{
	char *text = read_header(host, name);
	const char *open = NULL;
	bool found = false;

	if (text) {
		blank_comments(text);
		open = find_struct(text, type);
	}
	if (open)
		found = find_word(open, matching_brace(open), member) != NULL;
	free(text);
	return found;
}
