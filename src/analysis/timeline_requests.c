/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the requests in flight; those that ended are used again. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "analysis/timeline_requests.h"

#include <stdlib.h>

#include "analysis/hash.h"

static unsigned bucket_of(uint64_t ring, uint64_t id)
{
	return (unsigned)hash_mix(ring, id) & (TIMELINE_BUCKETS - 1);
}

struct timeline_request *timeline_requests_add(struct timeline_requests *r, uint64_t ring,
					       uint64_t id)
{
	struct timeline_request *request = r->spare, **bucket;

	if (!r->buckets)
		r->buckets = calloc(TIMELINE_BUCKETS, sizeof(struct timeline_request *));
	if (!r->buckets)
		return NULL;
	if (request)
		r->spare = request->next;
	else
		request = malloc(sizeof(*request));
	if (!request)
		return NULL;
	bucket = &r->buckets[bucket_of(ring, id)];
	*request = (struct timeline_request){ .ring = ring, .id = id, .next = *bucket };
	*bucket = request;
	return request;
}

struct timeline_request *timeline_requests_find(const struct timeline_requests *r, uint64_t ring,
						uint64_t id)
{
	struct timeline_request *request = r->buckets ? r->buckets[bucket_of(ring, id)] : NULL;

	while (request && (request->ring != ring || request->id != id))
		request = request->next;
	return request;
}

void timeline_requests_remove(struct timeline_requests *r, struct timeline_request *request)
{
	struct timeline_request **at = &r->buckets[bucket_of(request->ring, request->id)];

	while (*at != request)
		at = &(*at)->next;
	*at = request->next;
	request->next = r->spare;
	r->spare = request;
}

struct timeline_request *timeline_requests_any(const struct timeline_requests *r, unsigned *bucket)
{
	while (r->buckets && *bucket < TIMELINE_BUCKETS) {
		if (r->buckets[*bucket])
			return r->buckets[*bucket];
		++*bucket;
	}
	return NULL;
}

static void free_list(struct timeline_request *request)
{
	while (request) {
		struct timeline_request *next = request->next;

		free(request);
		request = next;
	}
}

void timeline_requests_free(struct timeline_requests *r)
{
	for (unsigned i = 0; r->buckets && i < TIMELINE_BUCKETS; i++)
		free_list(r->buckets[i]);
	free_list(r->spare);
	free(r->buckets);
	*r = (struct timeline_requests){ 0 };
}
