/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cache returns what was stored, to its owner alone, and forgets the oldest. */
#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "image/image_cache.h"

static char top[] = "/tmp/check_cache.XXXXXX";
static char dir[64];

static void setup(void)
{
	strcpy(top, "/tmp/check_cache.XXXXXX");
	ck_assert(mkdtemp(top));
	snprintf(dir, sizeof(dir), "%s/cache", top);
}

static void teardown(void)
{
	char cmd[96];

	snprintf(cmd, sizeof(cmd), "rm -rf %s", top);
	ck_assert_int_eq(system(cmd), 0);
}

static void make(struct image *image, const char *text)
{
	static const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K },
		{ .code = BPF_JMP | BPF_EXIT },
	};

	memset(image, 0, sizeof(*image));
	image->progs = calloc(1, sizeof(*image->progs));
	image->progs[0].insns = malloc(sizeof(insns));
	memcpy(image->progs[0].insns, insns, sizeof(insns));
	image->progs[0].n_insns = 2;
	image->n_progs = 1;
	strcpy(image->progs[0].name, "iot_x_tp");
	strcpy(image->key.release, "6.1");
	ck_assert_int_eq(image_key_set(&image->key, "text", text), 0);
}

static void put(int fd, const char *text)
{
	struct image image;

	make(&image, text);
	ck_assert_int_eq(cache_put(fd, &image), 0);
	image_free(&image);
}

static int get(int fd, const char *text)
{
	struct image image, found;
	int err;

	make(&image, text);
	err = cache_get(fd, &image.key, &found);
	if (!err) {
		ck_assert(image_find_prog(&found, "iot_x_tp"));
		image_free(&found);
	}
	image_free(&image);
	return err;
}

static int count(void)
{
	DIR *d = opendir(dir);
	struct dirent *entry;
	int n = 0;

	while ((entry = readdir(d)))
		n += entry->d_name[0] != '.';
	closedir(d);
	return n;
}

/* The path of the only entry */
static void only_entry(char *path, size_t size)
{
	DIR *d = opendir(dir);
	struct dirent *entry;

	path[0] = '\0';
	while ((entry = readdir(d))) {
		if (entry->d_name[0] != '.')
			snprintf(path, size, "%s/%s", dir, entry->d_name);
	}
	closedir(d);
	ck_assert(path[0]);
}

START_TEST(the_directory_is_made_private)
{
	struct stat st;
	int fd = cache_open(dir);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(stat(dir, &st), 0);
	ck_assert_int_eq((int)(st.st_mode & 07777), 0700);
	close(fd);
}
END_TEST

START_TEST(what_was_stored_is_found_by_its_key_only)
{
	int fd = cache_open(dir);

	ck_assert_int_eq(get(fd, "one"), -ENOENT);
	put(fd, "one");
	ck_assert_int_eq(get(fd, "one"), 0);
	ck_assert_int_eq(get(fd, "two"), -ENOENT);
	put(fd, "one");
	ck_assert_int_eq(count(), 1);
	close(fd);
}
END_TEST

START_TEST(the_library_version_does_not_matter)
{
	struct image image, found;
	int fd = cache_open(dir);

	put(fd, "one");
	make(&image, "one");
	strcpy(image.key.libbcc, "0.18");
	ck_assert_int_eq(cache_get(fd, &image.key, &found), 0);
	image_free(&found);
	image_free(&image);
	close(fd);
}
END_TEST

START_TEST(a_directory_open_to_others_is_refused)
{
	ck_assert_int_eq(mkdir(dir, 0700), 0);
	ck_assert_int_eq(chmod(dir, 0755), 0);
	ck_assert_int_eq(cache_open(dir), -EPERM);
}
END_TEST

START_TEST(a_link_is_refused)
{
	char other[96];

	snprintf(other, sizeof(other), "%s/other", top);
	ck_assert_int_eq(mkdir(other, 0700), 0);
	ck_assert_int_eq(symlink(other, dir), 0);
	ck_assert_int_eq(cache_open(dir), -EPERM);
}
END_TEST

START_TEST(a_file_in_its_place_is_refused)
{
	close(open(dir, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	ck_assert_int_eq(cache_open(dir), -EPERM);
}
END_TEST

START_TEST(anothers_directory_is_refused)
{
	if (geteuid() != 0)
		return;
	ck_assert_int_eq(mkdir(dir, 0700), 0);
	ck_assert_int_eq(chown(dir, 1, 1), 0);
	ck_assert_int_eq(cache_open(dir), -EPERM);
}
END_TEST

START_TEST(a_place_that_is_not_there_is_an_error)
{
	ck_assert_int_eq(cache_open("/nonexistent/iotracer"), -ENOENT);
}
END_TEST

START_TEST(entries_of_others_or_open_to_them_are_absent)
{
	char path[512];
	int fd = cache_open(dir);

	put(fd, "one");
	only_entry(path, sizeof(path));
	ck_assert_int_eq(chmod(path, 0644), 0);
	ck_assert_int_eq(get(fd, "one"), -ENOENT);
	ck_assert_int_eq(chmod(path, 0600), 0);
	ck_assert_int_eq(get(fd, "one"), 0);
	if (geteuid() == 0) {
		ck_assert_int_eq(chown(path, 1, 1), 0);
		ck_assert_int_eq(get(fd, "one"), -ENOENT);
	}
	close(fd);
}
END_TEST

START_TEST(links_fifos_and_directories_as_entries_are_absent)
{
	char path[512];
	int fd = cache_open(dir);

	put(fd, "one");
	only_entry(path, sizeof(path));
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(symlink("/etc/passwd", path), 0);
	ck_assert_int_eq(get(fd, "one"), -ENOENT);
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert_int_eq(get(fd, "one"), -ENOENT);
	put(fd, "one");
	ck_assert_int_eq(get(fd, "one"), 0);
	close(fd);
}
END_TEST

START_TEST(a_damaged_entry_is_absent_and_replaced)
{
	char path[512];
	int fd = cache_open(dir);

	put(fd, "one");
	only_entry(path, sizeof(path));
	ck_assert_int_eq(truncate(path, 300), 0);
	ck_assert_int_eq(get(fd, "one"), -ENOENT);
	ck_assert_int_eq(truncate(path, 0), 0);
	ck_assert_int_eq(get(fd, "one"), -ENOENT);
	put(fd, "one");
	ck_assert_int_eq(get(fd, "one"), 0);
	close(fd);
}
END_TEST

START_TEST(an_entry_under_anothers_name_is_absent)
{
	char one[512], cmd[1200];
	int fd = cache_open(dir);

	put(fd, "two");
	only_entry(one, sizeof(one));
	snprintf(cmd, sizeof(cmd), "mv %s %s/kept", one, top);
	ck_assert_int_eq(system(cmd), 0);
	put(fd, "one");
	only_entry(one, sizeof(one));
	snprintf(cmd, sizeof(cmd), "mv %s/kept %s", top, one);
	ck_assert_int_eq(system(cmd), 0);
	ck_assert_int_eq(get(fd, "one"), -ENOENT);
	close(fd);
}
END_TEST

/* As if last used that many minutes after the epoch. */
static void age(const char *path, int minutes)
{
	struct timespec times[2] = { { .tv_sec = 60 * minutes }, { .tv_sec = 60 * minutes } };

	ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* The entry that has not been aged yet; returns its bytes. */
static uint64_t age_new(int minutes)
{
	char path[512];
	DIR *d = opendir(dir);
	struct dirent *entry;
	uint64_t bytes = 0;
	struct stat st;

	while ((entry = readdir(d))) {
		snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
		if (entry->d_name[0] == '.' || stat(path, &st) || st.st_mtime < 1000000)
			continue;
		age(path, minutes);
		bytes = (uint64_t)st.st_size;
	}
	closedir(d);
	return bytes;
}

/* Images "0" to n - 1, each used a minute after the one before it; returns the bytes of the last. */
static uint64_t put_some(int fd, int n)
{
	uint64_t bytes = 0;
	char text[16];

	for (int i = 0; i < n; i++) {
		snprintf(text, sizeof(text), "%d", i);
		put(fd, text);
		bytes = age_new(i + 1);
	}
	return bytes;
}

START_TEST(those_not_used_for_longest_go_beyond_so_many_bytes)
{
	int fd = cache_open(dir);
	uint64_t each = put_some(fd, 40);

	cache_prune(fd, 40 * each);
	ck_assert_int_eq(count(), 40);
	cache_prune(fd, 40 * each - 1);
	ck_assert_int_eq(count(), 39);
	ck_assert_int_eq(get(fd, "0"), -ENOENT);
	cache_prune(fd, 3 * each);
	ck_assert_int_eq(count(), 3);
	ck_assert_int_eq(get(fd, "36"), -ENOENT);
	ck_assert_int_eq(get(fd, "37"), 0);
	close(fd);
}
END_TEST

START_TEST(use_keeps_an_entry_young)
{
	int fd = cache_open(dir);
	uint64_t each = put_some(fd, 20);

	ck_assert_int_eq(get(fd, "0"), 0);
	cache_prune(fd, 2 * each);
	ck_assert_int_eq(get(fd, "0"), 0);
	ck_assert_int_eq(get(fd, "19"), 0);
	ck_assert_int_eq(get(fd, "18"), -ENOENT);
	close(fd);
}
END_TEST

START_TEST(many_small_images_are_kept)
{
	int fd = cache_open(dir);

	put_some(fd, 100);
	put(fd, "one more");
	ck_assert_int_eq(count(), 101);
	close(fd);
}
END_TEST

START_TEST(a_killed_writers_file_goes_in_time)
{
	char temp[128];
	int fd = cache_open(dir);

	snprintf(temp, sizeof(temp), "%s/.new-1", dir);
	close(open(temp, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	put(fd, "one");
	ck_assert_int_eq(access(temp, F_OK), 0);
	age(temp, 1);
	put(fd, "one");
	ck_assert_int_eq(access(temp, F_OK), -1);
	close(fd);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("cache");
	TCase *tc = tcase_create("cache");
	SRunner *runner = srunner_create(s);
	int n_failed;

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, the_directory_is_made_private);
	tcase_add_test(tc, what_was_stored_is_found_by_its_key_only);
	tcase_add_test(tc, the_library_version_does_not_matter);
	tcase_add_test(tc, a_directory_open_to_others_is_refused);
	tcase_add_test(tc, a_link_is_refused);
	tcase_add_test(tc, a_file_in_its_place_is_refused);
	tcase_add_test(tc, anothers_directory_is_refused);
	tcase_add_test(tc, a_place_that_is_not_there_is_an_error);
	tcase_add_test(tc, entries_of_others_or_open_to_them_are_absent);
	tcase_add_test(tc, links_fifos_and_directories_as_entries_are_absent);
	tcase_add_test(tc, a_damaged_entry_is_absent_and_replaced);
	tcase_add_test(tc, an_entry_under_anothers_name_is_absent);
	tcase_add_test(tc, those_not_used_for_longest_go_beyond_so_many_bytes);
	tcase_add_test(tc, many_small_images_are_kept);
	tcase_add_test(tc, use_keeps_an_entry_young);
	tcase_add_test(tc, a_killed_writers_file_goes_in_time);
	suite_add_tcase(s, tc);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
