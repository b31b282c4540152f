/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fuzz/fuzz.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image/image.h"
#include "image/image_read.h"
#include "image/image_write.h"
#include "image/plan_text.h"
#include "plan/plan.h"

static void read_plan(const char *text)
{
	static struct plan plan;
	static struct host host;
	char *again;

	if (plan_from_text(&plan, &host, text))
		return;
	again = plan_to_text(&plan);
	FUZZ_CLAIM(again && !plan_from_text(&plan, &host, again));
	free(again);
}

/* The first line is of this build's records: it is not a part of what is stored. */
static void read_lines(const uint8_t *lines, size_t size)
{
	static const struct plan none;
	char *text = plan_to_text(&none), *all;
	size_t first = (size_t)(strchr(text, '\n') - text) + 1;

	all = malloc(first + size + 1);
	memcpy(all, text, first);
	memcpy(all + first, lines, size);
	all[first + size] = '\0';
	read_plan(all);
	free(all);
	free(text);
}

/* What is accepted can be written, and is the same then. */
static void write_again(const struct image *image)
{
	struct image again;
	int fd = fuzz_file(NULL, 0);
	const char *why;

	FUZZ_CLAIM(!image_write(image, fd));
	lseek(fd, 0, SEEK_SET);
	FUZZ_CLAIM(!image_read_why(&again, fd, &why));
	FUZZ_CLAIM(image_checksum(image) == image_checksum(&again));
	image_free(&again);
	close(fd);
}

/* A file that begins with "plan " has a plan alone. */
void fuzz_image(const uint8_t *data, size_t size)
{
	struct image image;
	const char *why = NULL;
	int fd;

	if (size > 5 && !memcmp(data, "plan ", 5)) {
		read_lines(data + 5, size - 5);
		return;
	}
	fd = fuzz_file(data, size);
	if (!image_read_why(&image, fd, &why)) {
		if (image.plan)
			read_plan(image.plan);
		write_again(&image);
		image_free(&image);
	} else {
		FUZZ_CLAIM(why);
	}
	if (!image_peek(&image, fd))
		image_free(&image);
	close(fd);
}
