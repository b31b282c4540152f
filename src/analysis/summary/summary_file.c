/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the name of the part and the moment at which it becomes the file. */
#include "analysis/summary/summary_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/below.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/sha256.h"

enum { NAME_SIZE = 96 };

/* Printed, durable and closed. */
static int write_part(int dir_fd, const char *part, const struct summary_kind *kind, void *self,
		      unsigned table, struct stat *st, char sha256[SHA256_HEX_SIZE])
{
	int fd = below_create(dir_fd, part, O_RDWR);
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
	int err;

	if (!out) {
		err = fd < 0 ? fd : -errno;
		if (fd >= 0)
			close(fd);
		return err;
	}
	errno = 0;
	err = kind->print(self, table, out);
	if (!err && (fflush(out) || ferror(out)))
		err = errno ? -errno : -EIO;
	if (!err && (fdatasync(fd) || fstat(fd, st)))
		err = -errno;
	if (!err)
		err = sha256_file(fd, sha256);
	if (fclose(out) && !err)
		err = -errno;
	return err;
}

static json_t *entry(const char *file, const struct summary_kind *kind, unsigned table,
		     uint64_t bytes, const char *sha256)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return json_pack("{s:s, s:s, s:s, s:I, s:s, s:I, s:o}", "name", kind->tables[table].name,
			 "description", kind->tables[table].doc, "file", file, "bytes",
			 (json_int_t)bytes, "sha256", sha256, "written_ns",
			 (json_int_t)((uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec),
			 "schema", kind->schema(table));
}

int summary_file_write(const char *dir, int dir_fd, const struct summary_kind *kind, void *self,
		       unsigned table, json_t *files, uint64_t *bytes)
{
	char file[NAME_SIZE], part[NAME_SIZE], sha256[SHA256_HEX_SIZE];
	struct stat st;
	int folder, err;

	snprintf(file, sizeof(file), SUMMARY_FOLDER "/%s.csv", kind->tables[table].name);
	snprintf(part, sizeof(part), SUMMARY_FOLDER "/.%s.csv.part", kind->tables[table].name);
	folder = below_folder(dir_fd, SUMMARY_FOLDER);
	err = folder < 0 ? folder : 0;
	if (!err)
		close(folder);
	if (!err)
		err = write_part(dir_fd, part, kind, self, table, &st, sha256);
	if (!err)
		err = below_rename(dir_fd, part, file);
	if (err) {
		below_unlink(dir_fd, part);
		log_error("%s/%s: cannot write: %s; the previous one stays", dir, file,
			  strerror(-err));
		return err;
	}
	file_sync_dir(dir_fd, SUMMARY_FOLDER);
	*bytes += (uint64_t)st.st_size;
	json_array_append_new(files, entry(file, kind, table, (uint64_t)st.st_size, sha256));
	return 0;
}
