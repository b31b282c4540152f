/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stream layers: requests of devices. What is only known where file systems are, whether a hurried
 * write is one of a journal, is left to the reader, with the device that decides it.
 */
#ifdef IOT_BLOCK
#ifdef IOT_STREAM_layers

/* rq: of which bytes have completed, or all; NULL: it began unseen. True: no record is wanted. */
static __always_inline int iot_count_request(struct iot_rq *rq, const char *rwbs, u32 dev, u64 sector, u32 bytes,
					     s32 error)
{
	struct iot_count_key key = {};
	u64 comm[2] = {}, ns = 0;
	u32 zero = 0;
	struct iot_config *cfg = iot_cfg.lookup(&zero);

	if (!cfg || !cfg->count)
		return 0;
	if (rq && rq->issue_ts)
		ns = bpf_ktime_get_ns() - rq->issue_ts;
	key.share = bpf_get_smp_processor_id() & (IOT_COUNT_SHARES - 1);
	if (iot_count_key_of(&key, comm, rq, rwbs, dev, sector))
		iot_count(&key, comm, error ? -1 : (s64)bytes, ns);
	return cfg->count & IOT_COUNTS_NO_DS;
}

/* One that was not seen to end: its time is not known */
static __always_inline int iot_count_unseen(struct iot_rq *rq)
{
	u64 issued = rq->issue_ts;
	int counted;

	rq->issue_ts = 0;
	counted = iot_count_request(rq, rq->rwbs, rq->dev, rq->sector, rq->sectors << 9, 0);
	rq->issue_ts = issued;
	return counted;
}

/* Left out to keep to the budget, with all its pieces; rq NULL: it began unseen. */
static __always_inline int iot_rq_thinned(struct iot_rq *rq)
{
	u32 zero = 0;
	struct iot_config *cfg = iot_cfg.lookup(&zero);

	if (!cfg || !cfg->thin[IOT_SEQ_ds])
		return 0;
	return iot_thin(cfg, IOT_SEQ_ds,
			rq && rq->issue_ts ? iot_thin_hash(cfg, rq->issue_ts, rq->dev) : bpf_get_prandom_u32());
}
#else
static __always_inline int iot_rq_thinned(struct iot_rq *rq)
{
	return 0;
}

static __always_inline int iot_count_unseen(struct iot_rq *rq)
{
	return 0;
}

static __always_inline int iot_count_request(struct iot_rq *rq, const char *rwbs, u32 dev, u64 sector, u32 bytes,
					     s32 error)
{
	return 0;
}
#endif
#endif
