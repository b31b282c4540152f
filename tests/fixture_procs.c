/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the processes that a test follows, and which of their descriptors were closed. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "fixture_procs.h"

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "fixture_proc.h"
#include "fixture_record.h"

struct procs *procs;
struct desc out;
struct closed closed[MAX_CLOSED];
unsigned n_closed;

static void on_close(void *arg, const struct procs_close *close)
{
	ck_assert_ptr_eq(arg, closed);
	ck_assert_uint_lt(n_closed, MAX_CLOSED);
	snprintf(closed[n_closed].path, sizeof(closed[0].path), "%s",
		 close->desc->path ? close->desc->path->raw : "");
	closed[n_closed++].fd = close->fd;
}

void fixture_procs_setup(void)
{
	fixture_proc_open();
	fixture_process(P, 77, "prog");
	n_closed = 0;
	procs = procs_open(true, on_close, closed);
	ck_assert(procs != NULL);
}

void fixture_procs_setup_unfollowed(void)
{
	fixture_procs_setup();
	procs_shut(procs);
	procs = procs_open(false, on_close, closed);
}

void fixture_procs_teardown(void)
{
	procs_shut(procs);
	fixture_proc_close();
}

/* ---- what programs do ---- */

const struct desc *open_path(uint32_t tgid, int fd, const char *name, uint32_t flags)
{
	struct io_fs rec = record_fs(tgid, IO_OPEN, -1, fd);
	struct path *text = path_new(name, strlen(name), 0), *path;
	const struct desc *desc;

	rec.flags = flags;
	path = procs_resolve(procs, tgid, AT_FDCWD, text);
	desc = procs_opened(procs, &rec, path);
	path_put(path);
	path_put(text);
	return desc;
}

const struct desc *open_file(uint32_t tgid, int fd, const char *name, uint32_t flags)
{
	procs_mntns(procs, tgid);
	fixture_fd(tgid, fd, fixture_file(name), 0, flags);
	return open_path(tgid, fd, fixture_file(name), flags);
}

void state(uint32_t tgid, uint16_t op, int fd, int64_t ret, uint32_t flags)
{
	struct io_fs rec = record_fs(tgid, op, fd, ret);

	rec.flags = flags;
	procs_state(procs, &rec, NULL);
}

bool close_fd(uint32_t tgid, int fd)
{
	struct io_fs rec = record_fs(tgid, IO_CLOSE, fd, 0);

	return procs_closed(procs, &rec, &out);
}

struct desc *desc_of(uint32_t tgid, int fd)
{
	return procs_desc(procs, tgid, fd, record_later());
}

int64_t move(uint32_t tgid, uint16_t op, int fd, int64_t ret)
{
	struct io_fs rec = record_fs(tgid, op, fd, ret);
	struct desc *desc = desc_of(tgid, fd);

	ck_assert(desc != NULL);
	return procs_move(desc, &rec);
}

/* ---- looking ---- */

void expect_path(const struct desc *desc, const char *name)
{
	ck_assert(desc != NULL && desc->path != NULL);
	ck_assert_str_eq(desc->path->raw, fixture_file(name));
}

void expect_closed(unsigned i, int fd, const char *name)
{
	ck_assert_uint_lt(i, n_closed);
	ck_assert_int_eq(closed[i].fd, fd);
	ck_assert_str_eq(closed[i].path, fixture_file(name));
}
