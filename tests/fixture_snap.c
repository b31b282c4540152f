/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "fixture_snap.h"

#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct zone zone;

static bool go_on(void *arg)
{
	struct snap_told *told = arg;

	if (told->go_on_for > 0)
		told->go_on_for--;
	else
		return told->go_on_for < 0;
	return true;
}

static void tell(void *arg, uint32_t kind, const void *head, size_t head_len, const void *body, size_t body_len)
{
	struct snap_told *told = arg;

	if (kind == SNAP_MESSAGE_SEGMENT) {
		ck_assert_uint_eq(head_len, sizeof(told->segments[0]));
		ck_assert_uint_lt(told->n_segments, SNAP_TOLD_MAX);
		memcpy(&told->segments[told->n_segments++], head, head_len);
	} else if (kind == SNAP_MESSAGE_NAME) {
		ck_assert_uint_eq(head_len, sizeof(struct snap_name));
		told->n_names++;
		snprintf(told->last_name, sizeof(told->last_name), "%.*s", (int)body_len, (const char *)body);
	} else {
		ck_assert_uint_eq(kind, SNAP_MESSAGE_DONE);
		memcpy(&told->done, head, head_len);
		told->n_done++;
	}
}

void snap_job_open(struct snap_job *job, struct snap_told *told, const char *dir)
{
	static char out[4096];

	if (!zone.n)
		zone_make(&zone);
	memset(told, 0, sizeof(*told));
	told->go_on_for = -1;
	snprintf(out, sizeof(out), "%.4000s/out", dir);
	mkdir(out, 0755);
	*job = (struct snap_job){
		.options = snap_defaults, .host_root = "", .proc = "/proc", .dir = out,
		.dir_fd = open(out, O_RDONLY | O_DIRECTORY | O_CLOEXEC), .zone = &zone, .go_on = go_on,
		.tell = tell, .arg = told,
	};
	ck_assert_int_ge(job->dir_fd, 0);
}

void snap_job_close(struct snap_job *job)
{
	close(job->dir_fd);
}
