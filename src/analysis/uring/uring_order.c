/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the order in which groups are told: whole ones by a column, and behind each its opcodes. */
#include "analysis/uring/uring_order.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/uring/uring_print.h"

/* Numbers from the highest, names from the lowest; what is not known comes last. */
static int compare_keys(const struct uring_key *x, const struct uring_key *y)
{
	if (x->known != y->known)
		return x->known ? -1 : 1;
	if (x->text && y->text)
		return strcmp(x->text, y->text);
	return x->u == y->u ? 0 : x->u > y->u ? -1 : 1;
}

static int compare(const void *a, const void *b)
{
	const struct uring_group *x = a, *y = b;
	int order = compare_keys(&x->of_whole, &y->of_whole);

	if (!order && x->host != y->host)
		order = strcmp(x->host, y->host);
	if (order)
		return order;
	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	if (x->whole != y->whole)
		return x->whole ? -1 : 1;
	order = compare_keys(&x->own, &y->own);
	return order || !x->opcode || !y->opcode ? order : strcmp(x->opcode, y->opcode);
}

static int compare_in_hosts(const void *a, const void *b)
{
	const struct uring_group *x = a, *y = b;
	int order = strcmp(x->host, y->host);

	return order ? order : compare(a, b);
}

/* Of groups that none of the rows counted for in the end, nothing is told. */
static bool is_used(const struct uring_group *g)
{
	return g->requests || g->completions || g->calls || g->entries || g->cq_fill.n;
}

void uring_sort(struct uring *u, const char *column)
{
	unsigned n = 0;

	for (unsigned i = 0; i < u->n_groups; i++)
		u->groups[i].own = uring_key_of(u, &u->groups[i], column ? column : "requests");
	/* before any of them moves: first is a place in the list as it was made */
	for (unsigned i = 0; i < u->n_groups; i++)
		u->groups[i].of_whole = u->groups[u->groups[i].first].own;
	for (unsigned i = 0; i < u->n_groups; i++)
		if (is_used(&u->groups[i]))
			u->groups[n++] = u->groups[i];
		else
			latency_set_free(&u->groups[i].latencies);
	u->n_groups = n;
	qsort(u->groups, u->n_groups, sizeof(*u->groups), column ? compare : compare_in_hosts);
}
