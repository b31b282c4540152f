/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a group says: how many times as much one layer did as the one above it. */
#include "analysis/amp/amp_factors.h"

static bool ratio_of(uint64_t part, uint64_t whole, uint64_t *ratio)
{
	if (!whole)
		return false;
	*ratio = (uint64_t)((long double)part * 1000000 / (long double)whole + 0.5L);
	return true;
}

bool amp_by_count(const struct amp_group *group, enum amp_direction d, uint64_t *ratio)
{
	const struct amp_sums *s = &group->sums;

	return group->vfs && ratio_of(s->sides[AMP_VFS][d].count + s->sides[AMP_BLK][d].count,
				      s->sides[AMP_SYS][d].count, ratio);
}

bool amp_by_bytes(const struct amp_group *group, enum amp_direction d, uint64_t *ratio)
{
	const struct amp_sums *s = &group->sums;

	return ratio_of(s->sides[AMP_BLK][d].bytes, s->sides[AMP_SYS][d].bytes, ratio);
}

bool amp_waits(const struct amp_group *group, enum amp_direction d)
{
	return d == AMP_WRITE && group->sums.unwritten &&
	       group->sums.unwritten >= group->sums.sides[AMP_SYS][d].bytes / 10;
}

bool amp_by_net(const struct amp_group *group, uint64_t *ratio)
{
	return ratio_of(group->sums.net[AMP_WRITE], group->sums.net[AMP_READ], ratio);
}

bool amp_percentile(const struct amp_group *group, enum amp_layer layer,
		    enum amp_direction direction, unsigned per_mille, uint64_t *ns)
{
	const struct amp_sums *s = &group->sums;
	struct latencies times;

	/* sums of counters have no single times */
	if (!s->sides[layer][direction].timed || s->sides[layer][direction].summed ||
	    (layer == AMP_VFS && !group->vfs))
		return false;
	latency_set_take(&s->times, amp_kind(layer, direction), s->sides[layer][direction].max_ns,
			 &times);
	*ns = latencies_percentile(&times, per_mille);
	return true;
}

const char *amp_band(uint64_t ratio)
{
	return ratio <= 1000000  ? "perfect" :
	       ratio <= 3000000  ? "good" :
	       ratio <= 10000000 ? "moderate" :
				   "high";
}
