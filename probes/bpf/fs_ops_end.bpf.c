/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one exit that serves all system calls of struct iot_call: what the call moved or made, its
 * names as the caller's strings, and its record.
 */
#ifdef IOT_FILE_TEXTS

/* ---- the end of all ---- */

#ifdef IOT_HEADERS
/* The working directory after chdir, by its real name. */
static __always_inline void iot_exit_cwd(struct iot_call *c, struct iot_file *f)
{
	struct iot_own own;

	iot_own_read(&own);
	if (!iot_start_dir(f, &own, AT_FDCWD, 0) || !iot_dentry_read(f, f->dentry, f->mnt))
		return;
	iot_file_name(f);
	c->more.fs.ino = f->ino;
	c->more.fs.dev = f->dev;
	c->more.fs.name = f->id;
	c->more.fs.status = IOT_ST_PATH | f->status;
}

/* Where a name starts, 0 when that is not known; its own name is still to be sent where f->walk says so. */
static __always_inline u64 iot_exit_start(struct iot_file *f, u64 text, s32 dirfd)
{
	struct iot_own own;
	char first = 0;

	if (!text || IOT_READ_U(&first, 1, (void *)text) < 0)
		return 0;
	iot_own_read(&own);
	if (!iot_start_dir(f, &own, dirfd, first == '/'))
		return 0;
	iot_file_name(f);
	return f->id;
}

/* Its second text is no path, but the name of an attribute. */
static __always_inline int iot_is_attribute(u16 op)
{
	return op == IOT_GETXATTR || op == IOT_SETXATTR || op == IOT_REMOVEXATTR;
}

/* The second file of a copy or clone, or of sendfile, if it is one; or where a relative second path starts. */
static __always_inline void iot_exit_second(struct iot_call *c, struct iot_file *f)
{
	u32 zero = 0;
	struct iot_config *cfg = iot_cfg.lookup(&zero);
	struct file *file;

	if (c->op == IOT_COPY_FILE_RANGE || c->op == IOT_CLONE || c->op == IOT_SENDFILE) {
		file = iot_fd_file(c->more.fd2);
		if (!file || !cfg || !iot_file_read(f, file, cfg))
			return;
		iot_file_name(f);
		c->more.name2 = f->id;
		c->more.ino2 = f->ino;
		c->more.status2 = IOT_ST_FILE | (f->status & IOT_ST_DELETED);
		return;
	}
	if (c->text2 && !(c->more.status2 & IOT_ST_FILE) && !iot_is_attribute(c->op))
		c->more.dir2 = iot_exit_start(f, c->text2, c->more.fd2);
}

/* A first name that was not there when the call began. One walk can be sent: then the second is not known. */
static __always_inline void iot_exit_first(struct iot_call *c, struct iot_file *f)
{
	c->more.fs.dir = iot_exit_start(f, c->text, c->more.fs.dirfd);
	if (f->walk && !iot_is_attribute(c->op))
		c->text2 = 0;
}
#endif

static __always_inline s64 iot_start_offset(u64 user, s64 ret)
{
	s64 end = -1;

	if (IOT_READ_U(&end, sizeof(end), (void *)user) < 0)
		return -1;
	return ret > 0 ? end - ret : end;
}

static __always_inline void iot_call_texts(void *ctx, struct iot_call *c)
{
	u64 text = c->text;

	if (text && !(c->more.fs.status & IOT_ST_FILE)) {
		c->more.fs.name = iot_send_string(ctx, text);
		if (!c->more.fs.name)
			c->more.fs.status |= IOT_ST_NO_TEXT;
	} else if (c->send == IOT_SEND_ROW) {
		iot_send_given(ctx, text, IOT_TEXT_GIVEN);
	}
	text = c->text2;
	if (text && !(c->more.status2 & IOT_ST_FILE)) {
		c->more.name2 = iot_send_string(ctx, text);
		if (!c->more.name2)
			c->more.status2 |= IOT_ST_NO_TEXT;
	} else if (c->send == IOT_SEND_ROW) {
		iot_send_given(ctx, text, IOT_TEXT_GIVEN2);
	}
}

#ifdef IOT_OP_EXIT
#if defined(IOT_UNBEGUN) && defined(IOT_PROGRAM_iot_sc_path)
/* A call on a path of which only the end is seen: of those on descriptors nobody knows whether they were of files. */
static __always_inline struct iot_call *iot_call_unbegun(struct iot_sys_exit *ended)
{
	struct iot_config *cfg = 0;
	struct iot_call_row *row = iot_unbegun(ended, &cfg);
	struct iot_call *c;
	u16 op, via;

	if (!row || (row->begin != IOT_BEGIN_AT && row->begin != IOT_BEGIN_PATH))
		return 0;
	op = row->op;
	via = row->via;
	if (row->rules & IOT_RULE_REMOVEDIR && iot_call_at(ended, row) & IOT_AT_REMOVEDIR) {
		op = IOT_RMDIR;
		via = IOT_VIA_FS_RMDIR;
	}
	c = iot_call_begin(cfg, op, via, row->call);
	if (!c)
		return 0;
	c->more.fs.dirfd = iot_call_take(ended, row, c, AT_FDCWD, AT_FDCWD);
	c->more.fs.status = IOT_ST_PATH | IOT_ST_UNBEGUN;
	if (!c->text2)
		c->more.fd2 = -1;
	if (op != IOT_SYMLINK)
		c->more.fs.dir = IOT_DIR_LATER;
	return c;
}
#endif

int iot_op_exit(struct iot_sys_exit *ctx)
{
	struct iot_call *c = iot_pending_active(IOT_KIND_CALL);
	s64 ret = IOT_SYS_RET(ctx);
#ifdef IOT_HEADERS
	struct iot_file f = {};
#endif
#if defined(IOT_UNBEGUN) && defined(IOT_PROGRAM_iot_sc_path)
	struct iot_sys_exit ended = iot_sys_exit_copy(ctx);
#endif

#ifdef IOT_USE_SC_SEND
	/* sendfile and splice may be on a socket alone, or on both: it comes back here */
	if ((!c || c->op == IOT_SENDFILE || c->op == IOT_SPLICE) && iot_net_pending(IOT_NET_SENDFILE))
		iot_to_net_end_sc.call(ctx, 0);
#endif
#if defined(IOT_UNBEGUN) && defined(IOT_PROGRAM_iot_sc_path)
	if (!c)
		c = iot_call_unbegun(&ended);
#endif
	if (!c)
		return 0;
	c->more.fs.ret = ret;
#ifdef IOT_HEADERS
	/* before a rename makes all names be sent again; after chdir they start elsewhere */
	if (c->more.fs.dir == IOT_DIR_LATER) {
		c->more.fs.dir = 0;
		if (c->op != IOT_CHDIR || IOT_AGAIN(c->more.fs.ret) != 0)
			iot_exit_first(c, &f);
	}
#endif
#if defined(IOT_HEADERS) && !defined(IOT_USE_D_MOVE)
	/* what was renamed may be a directory: every name below it changed */
	if (c->op == IOT_RENAME && IOT_AGAIN(c->more.fs.ret) == 0) {
		u32 zero = 0;
		u64 *epoch = iot_epoch.lookup(&zero);

		if (epoch)
			__sync_fetch_and_add(epoch, 1);
	}
#endif
	if (!iot_call_ended(c, IOT_AGAIN(c->more.fs.ret), 1))
		return 0;
	if (c->offp)
		c->more.fs.offset = iot_start_offset(c->offp, IOT_AGAIN(c->more.fs.ret));
	if (c->offp2)
		c->more.offset2 = iot_start_offset(c->offp2, IOT_AGAIN(c->more.fs.ret));
#ifdef IOT_HEADERS
	if (c->op == IOT_CHDIR && IOT_AGAIN(c->more.fs.ret) == 0)
		iot_exit_cwd(c, &f);
	else if (!f.walk)
		iot_exit_second(c, &f);
#endif
	iot_call_texts(ctx, c);
#ifdef IOT_HEADERS
	if (f.walk)
		iot_send_name(ctx, &f, IOT_SYS_KPROBE);
#endif
	iot_call_send(ctx, c);
	return 0;
}

#ifdef IOT_USE_MMAP_FUNCTION
int iot_mmap_end(struct pt_regs *ctx)
{
	struct iot_call *c = iot_pending_active(IOT_KIND_CALL);

	if (c && iot_call_ended(c, PT_REGS_RC(ctx), 1))
		iot_call_send(ctx, c);
	return 0;
}
#endif
#endif

#endif /* IOT_FILE_TEXTS */
