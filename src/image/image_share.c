/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An image for more streams serves a recording of fewer: of a cached image the
 * plan tells what it was made for. It must be what this program would compile
 * for that plan here and now (texts, facts, layouts and formats of events are
 * in the hash of the text), so nothing else needs to be compared.
 *
 * Programs of one stream know which others there are, in the texts by
 * IOT_STREAM_ and IOT_USE_. Where that is only more records, which the reader
 * drops, an image for more is good enough; where it changes what a stream tells,
 * it is not: see share_covers().
 */
#include "image/image_share.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "image/image_cache.h"
#include "image/plan_text.h"
#include "image/source.h"
#include "row/schema.h"

static const struct plan_probe *find_probe(const struct plan *plan, const struct plan_probe *like)
{
	for (unsigned i = 0; i < plan->n_probes; i++) {
		const struct plan_probe *p = &plan->probes[i];

		if (p->kind == like->kind && !strcmp(p->target, like->target) &&
		    !strcmp(p->program, like->program))
			return p;
	}
	return NULL;
}

static bool has_all(const struct plan *wide, const struct plan *plan)
{
	for (unsigned i = 0; i < plan->n_choices; i++)
		if (plan->choices[i].chosen &&
		    (wide->choices[i].chosen != plan->choices[i].chosen ||
		     wide->choices[i].tier != plan->choices[i].tier))
			return false;
	for (unsigned i = 0; i < plan->n_probes; i++)
		if (!find_probe(wide, &plan->probes[i]))
			return false;
	return true;
}

static bool follows_tasks(const struct plan *plan)
{
	for (unsigned i = 0; i < plan->n_choices; i++)
		if (plan->choices[i].chosen && plan->choices[i].chosen->follows_tasks)
			return true;
	return false;
}

/* Any stream of the trait is recorded in both, or in neither. */
static bool agree(const struct plan *wide, const struct plan *plan, enum stream_trait trait)
{
	return plan_has_trait(wide, trait) == plan_has_trait(plan, trait);
}

/* Each stream of the trait is. */
static bool agree_on_each(const struct plan *wide, const struct plan *plan, enum stream_trait trait)
{
	for (int i = 0; i < N_EVENT_STREAMS; i++)
		if (schema_has(i, trait) && plan_has_stream(wide, i) != plan_has_stream(plan, i))
			return false;
	return true;
}

static bool has_option(const struct plan *plan)
{
	for (unsigned i = 0; i < plan->n_choices; i++)
		if (plan->choices[i].wanted && plan->choices[i].capability->option)
			return true;
	return false;
}

bool share_covers(const struct plan *wide, const struct plan *plan,
		  const struct compile_options *options)
{
	if (wide->headers != plan->headers || wide->layouts != plan->layouts ||
	    wide->syscall_functions != plan->syscall_functions || wide->given != plan->given ||
	    wide->n_choices != plan->n_choices)
		return false;
	if (!agree_on_each(wide, plan, CHANGES_OTHERS) || !agree(wide, plan, NEEDS_FILE_TEXTS) ||
	    has_option(wide) != has_option(plan))
		return false;
	/* the name is looked at twice where tasks are followed */
	if (options->by_name && follows_tasks(wide) != follows_tasks(plan))
		return false;
	if (plan_has_trait(plan, TELLS_CALLS) && !agree(wide, plan, ROW_PER_CALL))
		return false;
	if (options->all_fs && !agree(wide, plan, HAS_SOCKET_CALLS))
		return false;
	return has_all(wide, plan);
}

static bool accept_wide(void *arg, const struct image_key *key, const char *text)
{
	const struct compile_options *options = arg;
	const struct plan *plan = options->plan;
	struct plan *wide = malloc(sizeof(*wide));
	struct image_key own = { .text = "" };
	char *source = NULL;

	/* of another build, or damaged: no word of it, since another image may do */
	if (wide && !plan_from_text(wide, plan->host, text) && share_covers(wide, plan, options))
		source = source_make(wide);
	if (source && compile_key(&own, plan->host, source, options))
		own.text[0] = '\0';
	free(source);
	free(wide);
	return own.text[0] && !image_key_differs(&own, key);
}

int share_find(int cache, const struct image_key *key, const struct compile_options *options,
	       struct image *image)
{
	struct compile_options copy = *options;
	int err = cache_find(cache, key, accept_wide, &copy, image);

	if (!err)
		log_detail("these programs were compiled for more streams");
	return err;
}
