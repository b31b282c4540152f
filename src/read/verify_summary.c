/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Owns the check of the tables that a recording with --summary leaves beside the segments. */
#include "read/verify_summary.h"

#include <string.h>
#include <unistd.h>

#include "base/sha256.h"
#include "read/members.h"
#include "read/segments.h"

static void check_table(struct verify *v, const json_t *entry)
{
	const char *file = member_text(entry, "file"), *sum = member_text(entry, "sha256");
	char found[SHA256_HEX_SIZE];
	int fd, err;

	if (!file || !sum || !segment_is_below(file)) {
		verify_damage(v, "manifest.json: an entry of summary is not valid");
		return;
	}
	fd = segment_open(v->dir_fd, file);
	if (fd < 0) {
		verify_damage(v, "%s: %s", file, segment_why(fd));
		return;
	}
	err = sha256_file(fd, found);
	close(fd);
	if (err)
		verify_damage(v, "%s: %s", file, strerror(-err));
	else if (v->counted && strcmp(found, sum)) /* else it may be newer than the manifest */
		verify_damage(v, "%s: the checksum is not that of the manifest", file);
}

void verify_summary(struct verify *v)
{
	const json_t *entry, *files;
	size_t i;

	files = json_object_get(json_object_get(v->manifest, "summary"), "files");
	json_array_foreach(files, i, entry) check_table(v, entry);
}
