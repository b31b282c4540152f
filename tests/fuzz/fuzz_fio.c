/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz/fuzz.h"

#include <string.h>

#include "analysis/common/replayed.h"
#include "analysis/fio/fio_result.h"

static void result(const uint8_t *data, size_t size)
{
	static const char *const paths[] = { "/tmp/job.0.0", "/tmp/a", "b", "" };
	struct fio_result r = { .n = 0 };

	if (!fio_result_parse(&r, (const char *)data, size)) {
		FUZZ_CLAIM(r.n > 0);
		for (uint64_t i = 0; i < r.n; i++)
			FUZZ_CLAIM(r.jobs[i].name);
		for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
			FUZZ_CLAIM(fio_result_job_of(&r, paths[i], strlen(paths[i])) <
				   (int64_t)r.n);
	}
	fio_result_free(&r);
}

static void names(const uint8_t *data, size_t size)
{
	struct replayed r = { .n = 0 };

	if (!replayed_read(&r, fuzz_tree(data, size))) {
		FUZZ_CLAIM(r.n > 0);
		/* each is found under both of its names */
		for (uint64_t i = 0; i < r.n; i++)
			for (unsigned side = 0; side < N_REPLAYED_SIDES; side++)
				FUZZ_CLAIM(replayed_find(&r, (enum replayed_side)side,
							 r.list[i].names[side],
							 r.list[i].len[side]) == (int64_t)i);
	}
	replayed_free(&r);
}

void fuzz_fio(const uint8_t *data, size_t size)
{
	result(data, size);
	names(data, size);
}
