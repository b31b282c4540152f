/* SPDX-License-Identifier: GPL-2.0-or-later */
/* See links.h. The table has each name at one of four places; what was asked for longest ago gives way there. */
#include "resolve/links.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"

#define SLOTS 8192
#define WAYS                                                                                       \
	4 /* with one, each fiftieth of some hundred names took the place of one that is needed */
#define VALID_NS NS_PER_S /* others change links, too */
#define MAX_HOPS 40       /* as many as the kernel follows */
/* Directories are few, files may be many: for the last parts of names no more is asked than takes two fifths of the time. */
#define LAST_ASKS 20000
#define LAST_NS (NS_PER_S / 10)
#define TEXT_MAX 8192 /* what is left of a text, and what links put before it */

/* IS_NONE: no link, or nobody can say. IS_HIDDEN: there is nowhere to look (any more). IS_UNASKED: it would take too long. */
enum kind { IS_NONE, IS_LINK, IS_GONE, IS_HIDDEN, IS_UNASKED };

struct entry {
	struct path *name;   /* NULL: no entry; of a path without links in it */
	struct path *target; /* of a link */
	enum kind kind;
	uint64_t asked; /* when it was so; CLOCK_MONOTONIC ns */
	uint32_t mntns;
	uint32_t generation; /* another than that of the table: forgotten */
	bool passed;         /* names below it may be in the table */
};

struct links {
	struct entry entries[SLOTS];
	uint32_t generation;
	uint32_t asked_last; /* since then, for last parts */
	uint64_t since;      /* CLOCK_MONOTONIC ns */
};

struct walk {
	struct links *links;
	struct links_from *from;
	unsigned how;
	unsigned hops;
	bool gone;    /* a part is not there any more, or was not asked for */
	bool unasked; /* the latter */
	bool stopped; /* nothing more can be asked */
	size_t root_len, len;
	char name[PATH_TEXT_MAX + 8]; /* without links; "" at the root */
	char text[2][TEXT_MAX];       /* what links made of the rest, by turns */
};

struct links *links_open(void)
{
	return calloc(1, sizeof(struct links));
}

static void clear(struct entry *e)
{
	path_put(e->name);
	path_put(e->target);
	*e = (struct entry){ .name = NULL };
}

void links_close(struct links *links)
{
	for (size_t i = 0; links && i < SLOTS; i++)
		clear(&links->entries[i]);
	free(links);
}

void links_forget(struct links *links)
{
	links->generation++;
}

/* ---- the table ---- */

/* The first of the places that a name can have. */
static struct entry *set_of(struct links *links, uint32_t mntns, const char *name, size_t len)
{
	uint64_t hash = len ^ (uint64_t)mntns << 32, word;

	for (; len >= sizeof(word); name += sizeof(word), len -= sizeof(word)) {
		memcpy(&word, name, sizeof(word));
		hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
		hash ^= hash >> 29;
	}
	word = 0;
	memcpy(&word, name, len);
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
	return &links->entries[(hash >> 40) % (SLOTS / WAYS) * WAYS];
}

static struct entry *find(struct links *links, uint32_t mntns, const char *name, size_t len)
{
	struct entry *e = set_of(links, mntns, name, len);

	for (int i = 0; i < WAYS; i++, e++)
		if (e->name && e->generation == links->generation && e->mntns == mntns &&
		    e->name->raw_len == len && !memcmp(e->name->raw, name, len))
			return e;
	return NULL;
}

/* Where a name goes that is not there. */
static struct entry *place_for(struct links *links, uint32_t mntns, const struct path *name)
{
	struct entry *set = set_of(links, mntns, name->raw, name->raw_len), *oldest = set;

	for (struct entry *e = set; e < set + WAYS; e++) {
		if (!e->name || e->generation != links->generation)
			return e;
		if (e->asked < oldest->asked)
			oldest = e;
	}
	return oldest;
}

/* Takes over the references. */
static void put(struct links *links, uint32_t mntns, struct path *name, enum kind kind,
		struct path *target, uint64_t ts)
{
	struct entry *e = name ? find(links, mntns, name->raw, name->raw_len) : NULL;
	struct entry new = { .name = name,
			     .target = target,
			     .kind = kind,
			     .asked = ts,
			     .mntns = mntns,
			     .generation = links->generation,
			     .passed = e && e->passed };

	if (!name) {
		path_put(target);
		return;
	}
	/* names below what is no directory any more */
	if (new.passed && kind != IS_NONE)
		new.generation = ++links->generation;
	if (!e)
		e = place_for(links, mntns, name);
	clear(e);
	*e = new;
}

/* The directories that a name is in have names below them. */
static void mark_directories(struct links *links, uint32_t mntns, const struct path *name)
{
	for (size_t len = 1; len < name->raw_len; len++) {
		struct entry *e = name->raw[len] == '/' ? find(links, mntns, name->raw, len) : NULL;

		if (e)
			e->passed = true;
	}
}

void links_made(struct links *links, uint32_t mntns, const struct path *name,
		const struct path *target, uint64_t ts)
{
	if (!name || !(name->flags & PATH_FULL) || (name->flags & PATH_CUT))
		return;
	mark_directories(links, mntns, name);
	put(links, mntns, path_get((struct path *)name), target ? IS_LINK : IS_NONE,
	    path_get((struct path *)target), ts);
}

/* The same part of a name below another directory */
static struct path *name_below(const struct path *to, const char *rest)
{
	char name[PATH_TEXT_MAX + 8];
	int n = snprintf(name, sizeof(name), "%s%s", to->raw, rest);

	return n < PATH_TEXT_MAX ? path_new(name, (size_t)n, PATH_FULL) : NULL;
}

/* Names below a directory are below another one from now on, or (to: NULL) gone. Directories move seldom. */
static void move_below(struct links *links, uint32_t mntns, const struct path *name,
		       const struct path *to)
{
	for (size_t i = 0; i < SLOTS; i++) {
		struct entry *e = &links->entries[i], was = *e;

		if (!e->name || e->generation != links->generation || e->mntns != mntns ||
		    e->name->raw_len <= name->raw_len || e->name->raw[name->raw_len] != '/' ||
		    memcmp(e->name->raw, name->raw, name->raw_len))
			continue;
		*e = (struct entry){ .name = NULL };
		if (to && was.kind != IS_GONE)
			put(links, mntns, name_below(to, was.name->raw + name->raw_len), was.kind,
			    path_get(was.target), was.asked);
		clear(&was);
	}
}

void links_removed(struct links *links, uint32_t mntns, const struct path *name)
{
	struct entry *e = name ? find(links, mntns, name->raw, name->raw_len) : NULL;

	if (!e)
		return;
	if (e->passed)
		move_below(links, mntns, name, NULL);
	clear(e);
}

void links_renamed(struct links *links, uint32_t mntns, const struct path *name,
		   const struct path *to, bool stays)
{
	struct entry *e = name ? find(links, mntns, name->raw, name->raw_len) : NULL,
		     was = { .name = NULL };

	if (!to || (name && !strcmp(name->raw, to->raw)))
		return;
	links_removed(links, mntns, to);
	if (!e)
		return;
	was = *e;
	if (stays) {
		links_made(links, mntns, to, was.target, was.asked);
		return;
	}
	*e = (struct entry){ .name = NULL };
	if (was.kind != IS_GONE)
		links_made(links, mntns, to, was.target, was.asked);
	e = find(links, mntns, to->raw, to->raw_len);
	if (e)
		e->passed = was.passed;
	if (was.passed)
		move_below(links, mntns, name, to);
	clear(&was);
}

void links_exchanged(struct links *links, uint32_t mntns, const struct path *one,
		     const struct path *other)
{
	struct path *aside = path_new("?", 1, PATH_FULL);

	links_renamed(links, mntns, one, aside, false);
	links_renamed(links, mntns, other, one, false);
	links_renamed(links, mntns, aside, other, false);
	path_put(aside);
}

/* ---- asking ---- */

/* Whether a link was made or put there since the call. */
static bool changed_since(const char *place, uint64_t ts)
{
	struct timespec now;
	struct stat st;
	uint64_t ago;

	clock_gettime(CLOCK_REALTIME, &now);
	ago = mono_ns() - ts;
	return lstat(place, &st) ||
	       (uint64_t)st.st_ctim.tv_sec * NS_PER_S + (uint64_t)st.st_ctim.tv_nsec + ago >
		       (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

/* What could not be read: the whole place may be gone, with the process that it was of. */
static enum kind kind_of_error(const struct walk *w, int err)
{
	if (err != ENOENT && err != ENOTDIR)
		return IS_NONE;
	return *w->from->below && access(w->from->below, F_OK) ? IS_HIDDEN : IS_GONE;
}

/* What the name is in one place. It goes to the table, unless that has to do with the time of the call. */
static enum kind ask_below(const struct walk *w)
{
	const struct mountinfo *mounts = w->from->mounts;
	uint64_t now = mono_ns();
	char place[PATH_TEXT_MAX + 512], target[PATH_TEXT_MAX];
	enum kind kind;
	ssize_t n;

	/* a server that does not answer would hold up all that is recorded */
	if (mounts && mountinfo_waits(mounts, w->name))
		return IS_UNASKED;
	snprintf(place, sizeof(place), "%s%s", w->from->below, w->name);
	n = readlink(place, target, sizeof(target));
	kind = n > 0 ? IS_LINK : kind_of_error(w, errno);
	if (kind == IS_LINK && changed_since(place, w->from->ts))
		return IS_GONE;
	if (kind != IS_HIDDEN && !(kind == IS_GONE && !(w->how & LINKS_FAILED)))
		put(w->links, w->from->mntns, path_new(w->name, w->len, PATH_FULL), kind,
		    kind == IS_LINK ? path_new(target, (size_t)n, 0) : NULL, now);
	return kind;
}

static enum kind ask(struct walk *w)
{
	struct links_from *from = w->from;
	enum kind kind = IS_HIDDEN;

	while (kind == IS_HIDDEN && (from->below || (from->look && from->look(from)))) {
		kind = ask_below(w);
		if (kind == IS_HIDDEN)
			from->below = NULL;
	}
	return kind;
}

/* As it was at the time of the call: of a call that found it, it cannot be what was not there before. */
static bool is_valid(const struct walk *w, const struct entry *e)
{
	return w->from->ts < e->asked + VALID_NS && (e->kind != IS_GONE || (w->how & LINKS_FAILED));
}

/* Whether one more last part may be asked for. */
static bool may_ask(struct links *links, uint64_t ts)
{
	if ((int64_t)(ts - links->since) >= (int64_t)LAST_NS) {
		links->since = ts;
		links->asked_last = 0;
	}
	return links->asked_last++ < LAST_ASKS;
}

/* What the last part of the walk's name is; target: where a link leads, as long as nothing is asked. */
static enum kind look(struct walk *w, bool is_last, const char **target)
{
	struct entry *e = find(w->links, w->from->mntns, w->name, w->len);
	enum kind kind;

	if (!e && is_last && (w->how & LINKS_KNOWN))
		return IS_NONE;
	if (!e || !is_valid(w, e)) {
		kind = !is_last || may_ask(w->links, w->from->ts) ? ask(w) : IS_UNASKED;
		/* removed since the call, or it is all that will be known */
		if ((kind == IS_GONE || kind == IS_UNASKED) && e && e->kind != IS_GONE)
			e->asked = w->from->ts;
		e = find(w->links, w->from->mntns, w->name, w->len);
		if (!e || !is_valid(w, e))
			return kind;
	}
	if (e->kind == IS_LINK && e->target)
		*target = e->target->raw;
	e->passed |= !is_last && e->kind == IS_NONE;
	return e->kind;
}

/* ---- walking ---- */

/* The parent of the name, which stays below the root. */
static void leave(struct walk *w)
{
	while (w->len > w->root_len && w->name[w->len - 1] != '/')
		w->len--;
	if (w->len > w->root_len)
		w->len--;
}

static bool append(struct walk *w, const char *part, size_t n)
{
	if (w->len + 1 + n >= PATH_TEXT_MAX)
		return false;
	w->name[w->len++] = '/';
	memcpy(w->name + w->len, part, n);
	w->len += n;
	w->name[w->len] = '\0';
	/* another one for each process, and for us */
	if (!strcmp(w->name, "/proc"))
		w->stopped = true;
	return true;
}

/* The text that is left when a link is followed, and the name from which; NULL: it is too long. */
static const char *follow(struct walk *w, const char *target, const char *rest)
{
	char *text = w->text[w->hops % 2];
	int n = snprintf(text, TEXT_MAX, "%s%s%s", target, *rest ? "/" : "", rest);

	if (n >= TEXT_MAX || ++w->hops > MAX_HOPS)
		return NULL;
	if (*text == '/')
		w->len = w->root_len;
	else
		leave(w);
	return text;
}

/* Nearly always the directory of a name was looked at before, as a whole: what is left of the text then. */
static const char *known_directory(struct walk *w, const char *text)
{
	const char *slash = strrchr(text, '/');
	size_t n = slash ? (size_t)(slash - text) : 0, len = w->len + 1 + n;
	struct entry *e;

	if (!n || len >= PATH_TEXT_MAX || !slash[1])
		return text;
	w->name[w->len] = '/';
	memcpy(w->name + w->len + 1, text, n);
	e = find(w->links, w->from->mntns, w->name, len);
	if (!e || e->kind != IS_NONE || !is_valid(w, e))
		return text;
	e->passed = true;
	w->len = len;
	return slash + 1;
}

static bool is_dots(const char *part, size_t n, size_t dots)
{
	return n == dots && !strncmp(part, "..", dots);
}

/* False: a ".." leaves what cannot be looked at, or it is too long. */
static bool walk(struct walk *w, const char *text)
{
	text += strspn(text, "/");
	if (!w->stopped)
		text = known_directory(w, text);
	while (*text) {
		size_t n = strcspn(text, "/");
		const char *next = text + n + strspn(text + n, "/"), *target = NULL;
		bool is_last = !*next;
		enum kind kind;

		if (is_dots(text, n, 2) && (w->gone || w->stopped))
			return false;
		if (is_dots(text, n, 2)) {
			leave(w);
		} else if (!is_dots(text, n, 1)) {
			if (!append(w, text, n))
				return false;
			kind = w->gone || w->stopped || (is_last && !(w->how & LINKS_LAST)) ?
				       IS_NONE :
				       look(w, is_last, &target);
			w->unasked |= kind == IS_UNASKED;
			w->gone |= kind == IS_GONE || kind == IS_UNASKED;
			w->stopped |= kind == IS_HIDDEN;
			if (target)
				next = follow(w, target, next);
			if (!next)
				return false;
			next += strspn(next, "/");
		}
		text = next;
	}
	return true;
}

/* All but the buffers, which are large. */
static void walk_begin(struct walk *w, struct links *links, struct links_from *from, unsigned how)
{
	w->links = links;
	w->from = from;
	w->how = how;
	w->hops = 0;
	w->gone = w->unasked = false;
	w->stopped = !from->below && !from->look;
	w->root_len = w->len = 0;
}

struct path *links_path(struct links *links, struct links_from *from, const char *text,
			unsigned how)
{
	const struct path *base = *text == '/' ? from->root : from->base;
	struct walk w;
	uint32_t flags = (base ? base->flags & PATH_PROC : 0) | (how & LINKS_CUT ? PATH_CUT : 0);

	if (!*text ||
	    (*text != '/' && (!base || !(base->flags & PATH_FULL) || (base->flags & PATH_CUT))))
		return path_join(base, text, strlen(text), how & LINKS_CUT);
	walk_begin(&w, links, from, how);
	if (from->root && from->root->raw[1])
		w.root_len = from->root->raw_len;
	if (base && base->raw_len > 1) {
		w.len = base->raw_len;
		memcpy(w.name, base->raw, w.len);
	}
	if (*text != '/' && w.root_len > w.len)
		w.root_len = 0;
	if (!walk(&w, text))
		return NULL;
	/* the call found what is not there any more: nobody knows where that led */
	flags |= w.unasked || (w.gone && !(how & LINKS_FAILED)) ? PATH_REST : PATH_FULL;
	return w.len ? path_new(w.name, w.len, flags) : path_new("/", 1, flags);
}
