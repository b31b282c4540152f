/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Locks of files: flock, and fcntl, whose other commands change what is followed of descriptors. What a
 * call waited for its lock is its latency.
 */
#if defined(IOT_FILE_TEXTS) && defined(IOT_PROGRAM_iot_sc_lock)
BPF_TABLE("prog", u32, u32, iot_to_lock_sc, 1);

int iot_sc_lock(struct iot_sys_enter *ctx)
{
	if (iot_tracked())
		iot_to_lock_sc.call(ctx, 0);
	return 0;
}

/* struct flock of 64-bit programs */
struct iot_flock {
	s16 type;
	s16 whence;
	u32 pad;
	s64 start;
	s64 length;
};

/* Which of the commands that lock it is, from 1; 0: none. F_GETLK 5 to F_SETLKW 7, F_OFD_GETLK 36 to F_OFD_SETLKW 38 */
static __always_inline u32 iot_lock_command(u32 cmd)
{
	if (cmd >= 36 && cmd <= 38)
		return cmd - 32;
	return cmd >= 5 && cmd <= 7 ? cmd - 4 : 0;
}

/* Words of a lock of fcntl; its range, of which a length below zero means what is before the start. */
static __always_inline u32 iot_lock_asked(u32 command, u64 from, u64 *size, s64 *pos)
{
	struct iot_flock lock = {};
	u32 words = command * IOT_LOCK_COMMAND;

	if (IOT_READ_U(&lock, sizeof(lock), (void *)from) < 0)
		return words;
	if (lock.length < 0) {
		lock.start += lock.length;
		lock.length = -lock.length;
	}
	*size = lock.length;
	if (lock.start >= 0)
		*pos = lock.start;
	if ((u16)lock.type < 3)
		words += ((u32)(u16)lock.type + 1) * IOT_LOCK_TYPE;
	return words + ((u32)lock.whence & 3) * IOT_LOCK_WHENCE;
}

int iot_lock_sc(struct iot_sys_enter *ctx)
{
	u32 zero = 0, cmd = IOT_SYS_ARG(ctx, 1), flags = 0, words = 0, command;
	u64 arg = IOT_SYS_ARG(ctx, 2), size = 0;
	struct iot_config *cfg = iot_cfg.lookup(&zero);
	struct iot_call_row *row = iot_row_of(ctx);
	s64 pos = IOT_OWN_POSITION;
	s32 fd = IOT_SYS_ARG(ctx, 0);
	struct iot_slot *s;
	u16 op, via;

	if (!cfg || !row)
		return 0;
	op = row->op;
	via = row->via;
	command = iot_lock_command(cmd);
	if (row->begin == IOT_BEGIN_FLOCK) {
		words = cmd & 0xff;
	} else if (command) {
		if (!(row->rules & IOT_RULE_LOCKS))
			return 0;
		op = IOT_LOCK;
		via = IOT_VIA_FS_LOCK;
		words = iot_lock_asked(command, arg, &size, &pos);
	} else {
		/* F_DUPFD 0, F_SETFD 2, F_SETFL 4, F_DUPFD_CLOEXEC 1030 */
		if (!(row->rules & IOT_RULE_FOLLOWED) || (cmd != 0 && cmd != 2 && cmd != 4 && cmd != 1030))
			return 0;
		if (cmd == 2 || cmd == 4)
			op = cmd == 2 ? IOT_CLOEXEC : IOT_SETFL;
		flags = cmd == 1030 ? 02000000 : cmd ? (u32)arg : 0;
	}
	s = iot_sc_begin(ctx, cfg, op, via, row->call, fd, size, pos, words);
	if (s)
		s->fs.flags = flags;
	return 0;
}
#endif
