/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * files_store.h of a program that is built without sqlite: no store can be opened, so all files stay
 * in memory. There is nothing to walk through, and no other call is made.
 */
#include "analysis/files/files_store.h"

#include <errno.h>

int files_store_open(struct files_store **shelf, int dir_fd, const char *folder)
{
	(void)dir_fd;
	(void)folder;
	*shelf = NULL;
	return -ENOTSUP;
}

void files_store_close(struct files_store *shelf)
{
	(void)shelf;
}

int files_store_begin(struct files_store *shelf)
{
	(void)shelf;
	return -ENOTSUP;
}

int files_store_put(struct files_store *shelf, const struct files_store_record *record, bool ranked,
		    uint64_t rank)
{
	(void)shelf;
	(void)record;
	(void)ranked;
	(void)rank;
	return -ENOTSUP;
}

int files_store_commit(struct files_store *shelf)
{
	(void)shelf;
	return -ENOTSUP;
}

void files_store_rollback(struct files_store *shelf)
{
	(void)shelf;
}

int files_store_find(struct files_store *shelf, struct files_store_record *record)
{
	(void)shelf;
	(void)record;
	return -ENOTSUP;
}

int files_store_has_below(struct files_store *shelf, const struct files_store_record *record)
{
	(void)shelf;
	(void)record;
	return -ENOTSUP;
}

void files_store_rewind(struct files_store *shelf)
{
	(void)shelf;
}

int files_store_next(struct files_store *shelf, struct files_store_record *record)
{
	(void)shelf;
	(void)record;
	return 0;
}

uint64_t files_store_bytes(struct files_store *shelf)
{
	(void)shelf;
	return 0;
}
