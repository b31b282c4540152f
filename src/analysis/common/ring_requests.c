/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the requests in flight; those that ended are used again. */
#include "analysis/common/ring_requests.h"

#include <stdlib.h>

#include "analysis/common/hash.h"

static unsigned bucket_of(uint64_t ring, uint64_t id)
{
	return (unsigned)hash_mix(ring, id) & (RING_BUCKETS - 1);
}

struct ring_request *ring_requests_add(struct ring_requests *r, uint64_t ring, uint64_t id)
{
	struct ring_request *request = r->spare, **bucket;

	if (!r->buckets)
		r->buckets = calloc(RING_BUCKETS, sizeof(struct ring_request *));
	if (!r->buckets)
		return NULL;
	if (request)
		r->spare = request->next;
	else
		request = malloc(sizeof(*request));
	if (!request)
		return NULL;
	bucket = &r->buckets[bucket_of(ring, id)];
	*request = (struct ring_request){ .ring = ring, .id = id, .next = *bucket };
	*bucket = request;
	return request;
}

struct ring_request *ring_requests_find(const struct ring_requests *r, uint64_t ring, uint64_t id)
{
	struct ring_request *request = r->buckets ? r->buckets[bucket_of(ring, id)] : NULL;

	while (request && (request->ring != ring || request->id != id))
		request = request->next;
	return request;
}

void ring_requests_remove(struct ring_requests *r, struct ring_request *request)
{
	struct ring_request **at = &r->buckets[bucket_of(request->ring, request->id)];

	while (*at != request)
		at = &(*at)->next;
	*at = request->next;
	request->next = r->spare;
	r->spare = request;
}

struct ring_request *ring_requests_any(const struct ring_requests *r, unsigned *bucket)
{
	while (r->buckets && *bucket < RING_BUCKETS) {
		if (r->buckets[*bucket])
			return r->buckets[*bucket];
		++*bucket;
	}
	return NULL;
}

static void free_list(struct ring_request *request)
{
	while (request) {
		struct ring_request *next = request->next;

		free(request);
		request = next;
	}
}

void ring_requests_free(struct ring_requests *r)
{
	for (unsigned i = 0; r->buckets && i < RING_BUCKETS; i++)
		free_list(r->buckets[i]);
	free_list(r->spare);
	free(r->buckets);
	*r = (struct ring_requests){ 0 };
}
