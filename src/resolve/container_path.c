/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns how runtimes and systemd name control groups. Reads no file. */
#include "resolve/container_path.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A directory of the path */
struct part {
	const char *text;
	size_t len; /* without the suffix of systemd's units */
};

/* How systemd's units are named; the driver cgroupfs has the id alone. */
static const struct {
	const char *prefix;
	enum container_kind kind;
} runtimes[] = {
	{ "docker-", CONTAINER_DOCKER },      { "cri-containerd-", CONTAINER_CONTAINERD },
	{ "nerdctl-", CONTAINER_CONTAINERD }, { "crio-", CONTAINER_CRIO },
	{ "libpod-", CONTAINER_PODMAN },      { "", CONTAINER_ANY },
};

static bool is(const struct part *part, const char *text)
{
	return strlen(text) == part->len && !memcmp(part->text, text, part->len);
}

/* What comes after the prefix, in a part that has more. */
static bool after(const struct part *part, const char *prefix, struct part *rest)
{
	size_t n = strlen(prefix);

	if (part->len <= n || memcmp(part->text, prefix, n) != 0)
		return false;
	*rest = (struct part){ part->text + n, part->len - n };
	return true;
}

static bool is_id(const struct part *part)
{
	for (size_t i = 0; i < part->len; i++)
		if (!(part->text[i] >= '0' && part->text[i] <= '9') &&
		    !(part->text[i] >= 'a' && part->text[i] <= 'f'))
			return false;
	return part->len == CONTAINER_ID_DIGITS;
}

static void cut_suffix(struct part *part)
{
	static const char *const suffixes[] = { ".scope", ".service", ".slice" };

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		size_t n = strlen(suffixes[i]);

		if (part->len > n && !memcmp(part->text + part->len - n, suffixes[i], n)) {
			part->len -= n;
			return;
		}
	}
}

/* systemd has "\x2d" for a dash in the name of a unit. */
static void copy_unescaped(char *out, size_t size, const struct part *part)
{
	size_t n = 0;

	for (size_t i = 0; i < part->len && n + 1 < size; i++) {
		const char *at = part->text + i;
		char digits[3] = "";

		if (part->len - i >= 4 && at[0] == '\\' && at[1] == 'x' &&
		    isxdigit((unsigned char)at[2]) && isxdigit((unsigned char)at[3])) {
			digits[0] = at[2];
			digits[1] = at[3];
		}
		out[n] = (char)(digits[0] ? strtol(digits, NULL, 16) : *at);
		i += digits[0] ? 3 : 0;
		n += out[n] != '\0';
	}
	out[n] = '\0';
}

/* Kubernetes: "pod<uid>", "kubepods-burstable-pod<uid with _ for ->"; podman: "libpod_pod_<id>". */
static bool take_pod(struct container_path *out, const struct part *part, bool in_podman)
{
	struct part rest = *part;
	const char *at;

	if (after(part, "machine-libpod_pod_", &rest) || after(part, "libpod_pod_", &rest)) {
		if (!is_id(&rest))
			return false;
	} else if (after(part, "kubepods-", &rest) || after(part, "kubelet-kubepods-", &rest)) {
		/* the class of service may come before it */
		at = memmem(rest.text, rest.len, "pod", 3);
		if (!at)
			return false;
		rest = (struct part){ at + 3, rest.len - (size_t)(at + 3 - rest.text) };
	} else if (!(in_podman && is_id(part)) &&
		   !(after(part, "pod", &rest) && rest.len >= 32 && rest.len <= 36)) {
		return false;
	}
	snprintf(out->pod, sizeof(out->pod), "%.*s", (int)rest.len, rest.text);
	for (char *c = out->pod; *c; c++)
		*c = *c == '_' ? '-' : *c;
	return out->pod[0];
}

static bool take_id(struct container_path *out, const struct part *part, const struct part *above)
{
	struct part rest = *part;

	for (size_t i = 0; i < sizeof(runtimes) / sizeof(runtimes[0]); i++) {
		if (runtimes[i].prefix[0] && !after(part, runtimes[i].prefix, &rest))
			continue;
		if (!runtimes[i].prefix[0])
			rest = *part;
		if (!is_id(&rest))
			continue;
		/* the driver cgroupfs: /docker/ID */
		out->kind = above->len && is(above, "docker") ? CONTAINER_DOCKER : runtimes[i].kind;
		snprintf(out->name, sizeof(out->name), "%.*s", (int)rest.len, rest.text);
		return true;
	}
	return false;
}

/* What LXC, LXD and systemd-machined name after the container. */
static bool take_name(struct container_path *out, const struct part *part, const struct part *above,
		      bool is_scope)
{
	struct part rest = *part;
	bool named = after(part, "lxc.payload.", &rest) || after(part, "systemd-nspawn@", &rest);

	/* a virtual machine of libvirt is none */
	if (!named && is_scope && after(part, "machine-", &rest))
		named = !(rest.len > 4 && !memcmp(rest.text, "qemu", 4) && rest.text[4] == '\\');
	if (!named && above->len && (is(above, "lxc.payload") || is(above, "lxc"))) {
		rest = *part;
		named = part->len;
	}
	if (!named)
		return false;
	copy_unescaped(out->name, sizeof(out->name), &rest);
	out->kind = CONTAINER_NAMED;
	return true;
}

/* "user@1000.service": what is below it belongs to the user's own runtime. */
static void take_user(struct container_path *out, const struct part *part)
{
	struct part rest;

	if (after(part, "user@", &rest) && isdigit((unsigned char)rest.text[0]))
		out->uid = (uint32_t)strtoul(rest.text, NULL, 10);
}

/*
 * From the outside inwards, each one in the place of the one above it: a container within a container is
 * the inner one.
 */
void container_path_parse(const char *cgroup, struct container_path *out)
{
	struct part above = { "", 0 };
	bool in_podman = false;

	*out = (struct container_path){ .kind = CONTAINER_NONE };
	for (const char *at = cgroup; *at;) {
		struct part part = { at + strspn(at, "/"), 0 };
		bool is_scope;

		part.len = strcspn(part.text, "/");
		at = part.text + part.len;
		is_scope = part.len > 6 && !memcmp(at - 6, ".scope", 6);
		cut_suffix(&part);
		take_user(out, &part);
		if (take_pod(out, &part, in_podman)) {
			out->pod_own = (size_t)(at - cgroup);
		} else if (take_id(out, &part, &above) || take_name(out, &part, &above, is_scope)) {
			out->own = (size_t)(at - cgroup);
		}
		in_podman = is(&part, "libpod_parent");
		above = part;
	}
	/* a group of the pod alone is of no container of it */
	if (out->kind == CONTAINER_NONE || out->pod_own > out->own)
		out->pod[0] = '\0';
}
