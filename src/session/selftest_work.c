/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the scratch file of the self-test and what is done to it. */
#include "session/selftest_work.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>

#include "session/uring_transfer.h"

#define BLOCK 4096

/* ---- the operations; each returns true when the kernel performed it ---- */

bool scratch_write(struct scratch *s)
{
	return pwrite(s->fd, s->block, 7, 0) == 7;
}
bool scratch_read(struct scratch *s)
{
	return pread(s->fd, s->block, 7, 0) == 7;
}
bool scratch_fsync(struct scratch *s)
{
	return fsync(s->fd) == 0;
}
bool scratch_fdatasync(struct scratch *s)
{
	return fdatasync(s->fd) == 0;
}

bool scratch_writev(struct scratch *s)
{
	struct iovec iov = { s->block, 7 };

	return pwritev(s->fd, &iov, 1, 0) == 7;
}

bool scratch_readv(struct scratch *s)
{
	struct iovec iov = { s->block, 7 };

	return preadv(s->fd, &iov, 1, 0) == 7;
}

/* A file in memory is opened again by its link; the new description is closed. */
bool scratch_reopen(struct scratch *s)
{
	char link[64];
	int fd;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", s->fd);
	fd = open(s->name[0] ? s->name : link, O_RDWR | O_CLOEXEC);
	return fd >= 0 && close(fd) == 0;
}

static bool do_aio(struct scratch *s, uint16_t opcode)
{
	struct iocb cb = { .aio_lio_opcode = opcode,
			   .aio_fildes = s->fd,
			   .aio_nbytes = 7,
			   .aio_buf = (uintptr_t)s->block };
	struct iocb *list[] = { &cb };
	struct io_event event;

	if (!s->aio && syscall(__NR_io_setup, 1, &s->aio))
		return false;
	return syscall(__NR_io_submit, s->aio, 1, list) == 1 &&
	       syscall(__NR_io_getevents, s->aio, 1, 1, &event, NULL) == 1 && event.res == 7;
}

bool scratch_aio_write(struct scratch *s)
{
	return do_aio(s, IOCB_CMD_PWRITE);
}
bool scratch_aio_read(struct scratch *s)
{
	return do_aio(s, IOCB_CMD_PREAD);
}
bool scratch_uring_write(struct scratch *s)
{
	return uring_transfer(s->fd, s->block, 7, true) == 7;
}
bool scratch_uring_read(struct scratch *s)
{
	return uring_transfer(s->fd, s->block, 7, false) == 7;
}

/* On a device: the files of tmpfs and overlay have a number that is made up (major 0). */
static bool on_disk(struct scratch *s)
{
	struct stat st;

	return s->name[0] && !fstat(s->fd, &st) && major(st.st_dev) != 0;
}

/* A direct write reaches the device at once; tmpfs and overlay take direct writes without one. */
bool scratch_request(struct scratch *s)
{
	bool done;
	int fd;

	if (!on_disk(s))
		return false;
	fd = open(s->name, O_WRONLY | O_DIRECT | O_CLOEXEC);
	if (fd < 0)
		return false;
	done = pwrite(fd, s->block, BLOCK, 0) == BLOCK;
	close(fd);
	return done;
}

/* The scratch file with one page, which is clean and in the cache. */
static bool make_page(struct scratch *s)
{
	return on_disk(s) && pwrite(s->fd, s->block, BLOCK, 0) == BLOCK && fsync(s->fd) == 0;
}

/* A page is added, dirtied and written. */
bool scratch_page(struct scratch *s)
{
	return make_page(s) && ftruncate(s->fd, 0) == 0 && make_page(s);
}
bool scratch_page_read(struct scratch *s)
{
	return make_page(s) && pread(s->fd, s->block, 7, 0) == 7;
}
bool scratch_page_cut(struct scratch *s)
{
	return make_page(s) && ftruncate(s->fd, 0) == 0;
}

bool scratch_read_ahead(struct scratch *s)
{
	return make_page(s) && posix_fadvise(s->fd, 0, 0, POSIX_FADV_DONTNEED) == 0 &&
	       pread(s->fd, s->block, 7, 0) == 7;
}

bool scratch_fault(struct scratch *s)
{
	volatile char *page;
	char touched;

	if (!make_page(s))
		return false;
	page = mmap(NULL, BLOCK, PROT_READ, MAP_SHARED, s->fd, 0);
	if (page == MAP_FAILED)
		return false;
	touched = *page;
	return munmap((void *)page, BLOCK) == 0 && touched == 0;
}

bool scratch_sleep(struct scratch *s)
{
	(void)s;
	return usleep(1000) == 0;
}

int scratch_open(struct scratch *s, const char *dir)
{
	if (posix_memalign((void **)&s->block, BLOCK, BLOCK))
		return -ENOMEM;
	memset(s->block, 0, BLOCK);
	if (!dir) {
		s->fd = syscall(__NR_memfd_create, "iotracer-self-test", 1 /* MFD_CLOEXEC */);
	} else {
		snprintf(s->name, sizeof(s->name), "%s/iotracer-self-test-XXXXXX", dir);
		s->fd = mkostemp(s->name, O_CLOEXEC);
	}
	return s->fd < 0 ? -errno : 0;
}

void scratch_close(struct scratch *s)
{
	if (s->fd >= 0)
		close(s->fd);
	if (s->name[0])
		unlink(s->name);
	free(s->block);
}
