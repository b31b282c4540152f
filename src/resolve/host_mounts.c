/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns how a mount of theirs is found among ours. */
#include "resolve/host_mounts.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "resolve/other_mounts.h"

/* Each has up to HOST_MOUNTS_MOST; of further ones no file is found on the host. */
enum { NAMESPACES_MOST = 512 };

/* The part of a path below a directory, with its first slash; NULL: it is not below. */
static const char *below(const char *path, const char *dir)
{
	size_t n = strcmp(dir, "/") ? strlen(dir) : 0;

	return strncmp(path, dir, n) || (path[n] && path[n] != '/') ? NULL : path + n;
}

static void join(char *out, size_t size, const char *dir, const char *rest)
{
	if (!strcmp(rest, "/"))
		rest = "";
	snprintf(out, size, "%s%s", !strcmp(dir, "/") && rest[0] ? "" : dir, rest);
}

/* Where what is written in an overlay lies. A relative one, or one behind another option's name, is none. */
static bool find_upper(const struct mount_point *m, char *out, size_t size)
{
	const char *at = strstr(m->options, "upperdir=/");
	char upper[PATH_MAX];

	if (strcmp(m->type, "overlay") || !at || (at > m->options && at[-1] != ','))
		return false;
	at += strlen("upperdir=");
	snprintf(upper, sizeof(upper), "%.*s", (int)strcspn(at, ","), at);
	mountinfo_undo_escapes(upper);
	join(out, size, upper, m->root);
	return true;
}

/* Of our mounts that have it, the one that begins the closest above. */
static bool find_bound(const struct mountinfo *ours, const struct mount_point *m, char *out,
		       size_t size)
{
	const struct mount_point *best = NULL;

	for (size_t i = 0; i < ours->n; i++) {
		const struct mount_point *o = &ours->points[i];

		if (o->dev == m->dev && below(m->root, o->root) &&
		    (!best || strlen(o->root) > strlen(best->root)))
			best = o;
	}
	if (best)
		join(out, size, best->path, below(m->root, best->root));
	return best;
}

static void add(const struct mountinfo *ours, struct host_namespace *ns,
		const struct mount_point *m)
{
	char host[PATH_MAX] = "";
	struct host_mount *to = &ns->list[ns->n];

	if (ns->n == HOST_MOUNTS_MOST)
		return;
	if (!find_upper(m, host, sizeof(host)) && !find_bound(ours, m, host, sizeof(host)))
		host[0] = '\0';
	/* below another root, a mount at the same place is told, too */
	if (!strcmp(host, m->path) && !ns->n)
		return;
	to->inside = strdup(m->path);
	to->host = strdup(host);
	if (to->inside && to->host) {
		ns->n++;
		return;
	}
	free(to->inside);
	free(to->host);
}

static void empty(struct host_namespace *ns)
{
	for (unsigned i = 0; i < ns->n; i++) {
		free(ns->list[i].inside);
		free(ns->list[i].host);
	}
	ns->n = 0;
}

static void learn(struct host_mounts *host, struct host_namespace *ns, uint32_t tgid)
{
	struct mountinfo theirs;

	/* it has ended: the next process of this namespace is asked */
	if (mountinfo_of_process(&theirs, host->mounts->proc, tgid))
		return;
	ns->looks++;
	host->news++;
	empty(ns);
	for (size_t i = 0; i < theirs.n; i++)
		add(&host->mounts->table, ns, &theirs.points[i]);
	mountinfo_free(&theirs);
}

/* Each by itself on the heap: who has a pointer keeps it while the list grows. */
static struct host_namespace *namespace_of(struct host_mounts *host, uint32_t mntns)
{
	struct host_namespace **more;

	for (unsigned i = 0; i < host->n; i++)
		if (host->list[i]->mntns == mntns)
			return host->list[i];
	if (host->n == NAMESPACES_MOST)
		return NULL;
	more = realloc(host->list, (host->n + 1) * sizeof(*more));
	if (!more)
		return NULL;
	host->list = more;
	more[host->n] = calloc(1, sizeof(**more));
	if (!more[host->n])
		return NULL;
	more[host->n]->mntns = mntns;
	return more[host->n++];
}

void host_mounts_see(struct host_mounts *host, uint32_t tgid, uint32_t mntns, bool begins)
{
	struct host_namespace *ns;

	/* a process is asked once: one that has ended has no answer for any of its rows */
	if (!mntns || (!begins && (mntns == host->last || tgid == host->tried)))
		return;
	ns = namespace_of(host, mntns);
	/* a runtime enters a namespace before it has made it what the container sees */
	if (ns && ns->looks < (begins ? 2 : 1))
		learn(host, ns, tgid);
	host->tried = tgid;
	host->last = ns && ns->looks ? mntns : host->last;
}

void host_mounts_close(struct host_mounts *host)
{
	for (unsigned i = 0; i < host->n; i++) {
		empty(host->list[i]);
		free(host->list[i]);
	}
	free(host->list);
	host->list = NULL;
	host->n = 0;
}
