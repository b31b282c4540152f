/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Texts: each is built in a buffer of its CPU, and sent under an id by which records refer to it.
 */
/*
 * A unique id for a text: the clock of this CPU and the CPU itself. A counter
 * would need an atomic read-back that 4.14 does not have.
 */
static __always_inline u64 iot_new_id(void)
{
	return bpf_ktime_get_ns() << 10 | (bpf_get_smp_processor_id() & 1023);
}

/* How a record that waits for the end of a walk is sent; 0: none waits */
enum { IOT_SEND_ROW = 1, IOT_SEND_QUIET };

/*
 * Texts are built in a per-CPU buffer. Programs do not nest on a CPU, but from
 * 7.2 on syscall tracepoints are preemptible: the owner's mark, and of a walk, which
 * goes on in another program, its thread, tell whether another task wrote here
 * meanwhile, and then the text is counted, not sent. (The helper that sends lets
 * nobody else run.)
 */
struct iot_scratch {
	u64 mark;
	/* state of a walk towards the root of the mount tree, and whose it is */
	u64 owner;
	u64 dentry;
	u64 mnt;
	u64 top;           /* the last mount, a struct mount; 0: the walk has not come to one, or ended elsewhere */
	u64 send;          /* IOT_SEND_*: event below is sent after the text */
	u64 kept[7];       /* struct iot_name_key and struct iot_name of the walk */
	struct iot_fs event;
	struct iot_text text;
	char tail[4096]; /* the verifier's bound of a send is a mask, 8 KiB */
};
BPF_TABLE("percpu_array", u32, struct iot_scratch, iot_scratch, 1);

static __always_inline struct iot_scratch *iot_scratch_get(void)
{
	u32 zero = 0;

	return iot_scratch.lookup(&zero);
}

/* Sends the scratch text with its real length; 0, or negative when the kernel says it was lost. */
static __always_inline int iot_send_text(void *ctx, struct iot_scratch *s, u64 mark)
{
	u32 len;

	if (s->mark != mark) {
		iot_miss(IOT_SEQ_STATE, IOT_MISS_SCRATCH);
		return -1;
	}
	iot_current(&s->text.head);
	iot_stamp(&s->text.head, IOT_SEQ_STATE, IOT_REC_TEXT, 0);
	/* 4.14 wants proof that the size is bounded and above zero. */
	len = (s->text.len & 0x1fff) + IOT_TEXT_HEAD;
	return iot_events.perf_submit(ctx, &s->text, len);
}

/* Sends a string (n as the reading helper returned it) that stands in the scratch buffer; 0 when it was not read. */
static __always_inline u64 iot_send_scratch(void *ctx, struct iot_scratch *s, u64 id, u16 kind, int n)
{
	if (n < 0)
		return 0;
	s->text.id = id;
	s->text.kind = kind;
	s->text.flags = n == IOT_TEXT_MAX ? IOT_TEXT_CUT : 0;
	/* an empty string counts 1 with its NUL, or (5.10 to 6.12, seen) 0 */
	s->text.len = n > 0 ? n - 1 : 0;
	iot_send_text(ctx, s, id);
	return id;
}

static __always_inline u64 iot_send_user_string(void *ctx, u64 user, u16 kind)
{
	struct iot_scratch *s = iot_scratch_get();
	u64 id = iot_new_id();

	if (!s || !user)
		return 0;
	s->mark = id;
	return iot_send_scratch(ctx, s, id, kind, IOT_READ_STR_U(s->text.data, IOT_TEXT_MAX, (void *)user));
}

/* Sends the caller's path string under a new id; 0 when it cannot be read. */
static __always_inline u64 iot_send_string(void *ctx, u64 user)
{
	return iot_send_user_string(ctx, user, IOT_TEXT_STRING);
}

/* With --given, of a call whose file the kernel told: the string as well, for the record that is sent next. */
static __always_inline void iot_send_given(void *ctx, u64 user, u16 kind)
{
#ifdef IOT_GIVEN
	iot_send_user_string(ctx, user, kind);
#endif
}

/* Sends a string in the kernel under a new id; 0 when it cannot be read. */
static __always_inline u64 iot_send_kernel_string(void *ctx, u64 text)
{
	struct iot_scratch *s = iot_scratch_get();
	u64 id = iot_new_id();

	if (!s || !text)
		return 0;
	s->mark = id;
	return iot_send_scratch(ctx, s, id, IOT_TEXT_STRING, IOT_READ_STR_K(s->text.data, IOT_TEXT_MAX, (void *)text));
}
