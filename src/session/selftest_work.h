/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the self-test does to a file of its own, so that each probe has something to see. */
#pragma once

#include <linux/aio_abi.h>
#include <stdbool.h>

/* The file; a child performs the operations. */
struct scratch {
	int fd;
	char *block;     /* aligned, for direct I/O */
	char name[4200]; /* empty: memory only */
	aio_context_t
		aio; /* 0: none yet; the child's end destroys it, which takes the kernel 30 ms */
};

/*
 * dir: where it is made, and removed by scratch_close(); NULL: memory only. Returns 0 or -errno. To
 * be closed in any case.
 */
int scratch_open(struct scratch *s, const char *dir);
void scratch_close(struct scratch *s);

/* Each returns true when the kernel performed it. */
bool scratch_write(struct scratch *s);
bool scratch_read(struct scratch *s);
bool scratch_fsync(struct scratch *s);
bool scratch_fdatasync(struct scratch *s);
bool scratch_writev(struct scratch *s);
bool scratch_readv(struct scratch *s);
bool scratch_reopen(struct scratch *s);
bool scratch_aio_write(struct scratch *s);
bool scratch_aio_read(struct scratch *s);
bool scratch_uring_write(struct scratch *s);
bool scratch_uring_read(struct scratch *s);
bool scratch_request(struct scratch *s);
bool scratch_page(struct scratch *s);
bool scratch_page_read(struct scratch *s);
bool scratch_page_cut(struct scratch *s);
bool scratch_read_ahead(struct scratch *s);
bool scratch_fault(struct scratch *s);
bool scratch_sleep(struct scratch *s);
