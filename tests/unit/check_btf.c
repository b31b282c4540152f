/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BTF as a table of types: a small one made here by hand, that of the running
 * kernel where it has one, and both damaged.
 */
#include "compat/layout/btf.h"

#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compat/layout/btf_declare.h"
#include "compat/sys/root.h"

#define INFO(kind, vlen, flag) ((uint32_t)(flag) << 31 | (uint32_t)(kind) << 24 | (vlen))

/* Words of the type section and the names that they refer to. */
struct blob {
	uint32_t words[256];
	unsigned n;
	char names[1024];
	uint32_t names_len;
	uint32_t names_base; /* offset of the first: the length of the base's */
	uint32_t next_id;
};

static uint32_t name(struct blob *b, const char *text)
{
	uint32_t at = b->names_len;

	if (!text[0])
		return 0;
	strcpy(b->names + at, text);
	b->names_len += strlen(text) + 1;
	return b->names_base + at;
}

static void put(struct blob *b, uint32_t word)
{
	ck_assert_uint_lt(b->n, 256);
	b->words[b->n++] = word;
}

static uint32_t type(struct blob *b, const char *text, uint32_t info, uint32_t size_or_type)
{
	put(b, name(b, text));
	put(b, info);
	put(b, size_or_type);
	return b->next_id++;
}

static uint32_t integer(struct blob *b, const char *text, uint32_t size, bool is_signed)
{
	uint32_t id = type(b, text, INFO(BTF_INT, 0, 0), size);

	put(b, (uint32_t)is_signed << 24 | size * 8);
	return id;
}

static void member(struct blob *b, const char *text, uint32_t id, uint32_t offset)
{
	put(b, name(b, text));
	put(b, id);
	put(b, offset);
}

static size_t finish(const struct blob *b, char *out)
{
	uint32_t head[6] = { 0x1eb9f, 24, 0, b->n * 4, b->n * 4, b->names_len };

	memcpy(out, head, sizeof(head));
	memcpy(out + 24, b->words, b->n * 4);
	memcpy(out + 24 + b->n * 4, b->names, b->names_len);
	return 24 + b->n * 4 + b->names_len;
}

enum { ID_INT = 1, ID_ULONG, ID_CHAR, ID_INODE, ID_INODE_PTR, ID_INNER, ID_FILE };

/*
 * struct inode { unsigned long i_ino; };
 * struct file { union { int a; struct inode *f_inode; }; char name[7]; int low:3, high:5; struct inode own; };
 */
static size_t sample(char *out)
{
	static struct blob b;

	b = (struct blob){ .names_len = 1, .next_id = 1 };
	ck_assert_uint_eq(integer(&b, "int", 4, true), ID_INT);
	integer(&b, "long unsigned int", 8, false);
	integer(&b, "char", 1, true);
	type(&b, "inode", INFO(BTF_STRUCT, 1, 0), 8);
	member(&b, "i_ino", ID_ULONG, 0);
	type(&b, "", INFO(BTF_PTR, 0, 0), ID_INODE);
	type(&b, "", INFO(BTF_UNION, 2, 0), 8);
	member(&b, "a", ID_INT, 0);
	member(&b, "f_inode", ID_INODE_PTR, 0);
	type(&b, "file", INFO(BTF_STRUCT, 5, 1), 40);
	member(&b, "", ID_INNER, 64);
	member(&b, "name", 8, 128);
	member(&b, "low", ID_INT, 3u << 24 | 192);
	member(&b, "high", ID_INT, 5u << 24 | 195);
	member(&b, "own", ID_INODE, 224);
	/* 8: char[7], 9: mode_t, 10: const mode_t, 11: enum, 12: enum64, 13, 14: a function */
	type(&b, "", INFO(BTF_ARRAY, 0, 0), 0);
	put(&b, ID_CHAR);
	put(&b, ID_INT);
	put(&b, 7);
	type(&b, "mode_t", INFO(BTF_TYPEDEF, 0, 0), ID_INT);
	type(&b, "", INFO(BTF_CONST, 0, 0), 9);
	type(&b, "colour", INFO(BTF_ENUM, 2, 1), 4);
	put(&b, name(&b, "RED"));
	put(&b, (uint32_t)-1);
	put(&b, name(&b, "GREEN"));
	put(&b, 7);
	type(&b, "wide", INFO(BTF_ENUM64, 1, 0), 8);
	put(&b, name(&b, "FAR"));
	put(&b, 5);
	put(&b, 1);
	type(&b, "", INFO(BTF_FUNC_PROTO, 3, 0), 9);
	put(&b, 0);
	put(&b, ID_INODE_PTR);
	put(&b, 0);
	put(&b, 10);
	put(&b, 0);
	put(&b, 0);
	type(&b, "vfs_look", INFO(BTF_FUNC, 1, 0), 13);
	type(&b, "", INFO(BTF_PTR, 0, 0), 13); /* 15 */
	return finish(&b, out);
}

static char data[4096];
static char why[128];
static struct btf *btf;

static void open_sample(void)
{
	btf = btf_open(data, sample(data), NULL, why, sizeof(why));
	ck_assert_msg(btf != NULL, "%s", why);
}

static void close_sample(void)
{
	btf_close(btf);
	btf = NULL;
}

START_TEST(types_are_found_by_kind_and_name)
{
	ck_assert_uint_eq(btf_find(btf, BTF_STRUCT, "file"), ID_FILE);
	ck_assert_uint_eq(btf_find(btf, BTF_STRUCT, "mode_t"), 0);
	ck_assert_uint_eq(btf_find(btf, BTF_TYPEDEF, "mode_t"), 9);
	ck_assert_uint_eq(btf_find(btf, BTF_STRUCT, "fil"), 0);
	ck_assert_int_eq(btf_size(btf, ID_FILE), 40);
	ck_assert_int_eq(btf_size(btf, 8), 7);
	ck_assert_int_eq(btf_size(btf, 10), 4);
	ck_assert_int_eq(btf_size(btf, 14), -1);
	ck_assert(btf_is_signed(btf, 10) && !btf_is_signed(btf, ID_ULONG));
}
END_TEST

START_TEST(members_are_found_through_unnamed_and_embedded_ones)
{
	struct btf_place place;

	ck_assert(btf_member(btf, ID_FILE, "f_inode", &place));
	ck_assert_uint_eq(place.bit, 64);
	ck_assert_uint_eq(place.type, ID_INODE_PTR);
	ck_assert(btf_member(btf, ID_FILE, "own.i_ino", &place));
	ck_assert_uint_eq(place.bit, 224);
	ck_assert_uint_eq(place.bits, 0);
	ck_assert(btf_member(btf, ID_FILE, "high", &place));
	ck_assert_uint_eq(place.bit, 195);
	ck_assert_uint_eq(place.bits, 5);
	ck_assert(!btf_member(btf, ID_FILE, "own.nothing", &place));
	ck_assert(!btf_member(btf, ID_FILE, "name.x", &place));
	ck_assert(!btf_member(btf, ID_INT, "x", &place));
	ck_assert(!btf_member(btf, 9999, "x", &place));
}
END_TEST

START_TEST(enumerators_have_their_sign_and_width)
{
	int64_t value;

	ck_assert(btf_enumerator(btf, 0, "RED", &value));
	ck_assert_int_eq(value, -1);
	ck_assert(btf_enumerator(btf, 11, "GREEN", &value));
	ck_assert_int_eq(value, 7);
	ck_assert(btf_enumerator(btf, 0, "FAR", &value));
	ck_assert_int_eq(value, 0x100000005);
	ck_assert(!btf_enumerator(btf, 11, "FAR", &value));
}
END_TEST

static void declares(uint32_t id, const char *text)
{
	char out[200];

	ck_assert_int_eq(btf_declare(btf, id, "x", out, sizeof(out)), 0);
	ck_assert_str_eq(out, text);
}

START_TEST(types_are_written_as_c_has_them)
{
	declares(ID_INODE_PTR, "struct inode *x");
	declares(8, "char x[7]");
	declares(10, "int x");
	declares(11, "enum colour x");
	declares(14, "int x(struct inode *, int, ...)");
	declares(15, "int (*x)(struct inode *, int, ...)");
	declares(ID_ULONG, "unsigned long x");
	ck_assert_int_eq(btf_declare(btf, 14, "x", why, 10), -E2BIG);
}
END_TEST

enum { ID_OF_MODULE = 16 };

/* What a module has beyond the sample. */
static size_t module_sample(char *more)
{
	static struct blob b;
	uint32_t base_names;

	memcpy(&base_names, data + 20, 4);
	b = (struct blob){ .names_base = base_names, .next_id = ID_OF_MODULE };
	type(&b, "of_module", INFO(BTF_STRUCT, 1, 0), 8);
	member(&b, "file", ID_INODE_PTR, 0);
	return finish(&b, more);
}

START_TEST(a_module_continues_the_kernels_numbers)
{
	char more[512];
	struct btf *module;
	struct btf_place place;
	uint32_t id = ID_OF_MODULE;

	module = btf_open(more, module_sample(more), btf, why, sizeof(why));
	ck_assert_msg(module != NULL, "%s", why);
	ck_assert_uint_eq(btf_find(module, BTF_STRUCT, "of_module"), id);
	ck_assert_uint_eq(btf_find(module, BTF_STRUCT, "inode"), ID_INODE);
	ck_assert(btf_member(module, id, "file", &place));
	ck_assert_str_eq(btf_name(module, btf_target(module, place.type)), "inode");
	btf_close(module);
}
END_TEST

static void refused(size_t at, char value, const char *part)
{
	size_t size = sample(data);
	struct btf *opened;

	data[at] = value;
	opened = btf_open(data, size, NULL, why, sizeof(why));
	ck_assert_msg(!opened, "byte %zu", at);
	ck_assert_msg(strstr(why, part) != NULL, "\"%s\" does not say \"%s\"", why, part);
}

START_TEST(damage_is_said)
{
	size_t size = sample(data);

	refused(0, 0, "not BTF");
	refused(2, 9, "not BTF");
	refused(5, 99, "invalid header length");
	refused(11, 99, "beyond the end");
	refused(24 + 7, 31, "unknown kind");
	refused(size - 1, 'x', "not terminated");
	ck_assert(!btf_open(data, 3, NULL, why, sizeof(why)));
	ck_assert(!btf_open(data, 24 + 4 + 12, NULL, why, sizeof(why)));
}
END_TEST

/* A small generator of its own: the same numbers everywhere. */
static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

static void ask_everything(const struct btf *damaged, uint32_t n)
{
	struct btf_place place;
	char out[256];
	int64_t value;

	for (uint32_t id = 0; id < n; id++) {
		btf_size(damaged, id);
		btf_is_signed(damaged, id);
		btf_name(damaged, btf_target(damaged, id));
		btf_member(damaged, id, "f_inode", &place);
		btf_member(damaged, id, "own.i_ino", &place);
		btf_declare(damaged, id, "x", out, sizeof(out));
	}
	btf_enumerator(damaged, 0, "none", &value);
}

START_TEST(flipped_bytes_and_cut_ends_do_no_harm)
{
	uint32_t state = 12345;
	unsigned opened = 0;

	for (int i = 0; i < 20000; i++) {
		size_t size = sample(data), len = size;
		struct btf *damaged;

		for (uint32_t k = next_random(&state) % 4 + 1; k > 0; k--)
			data[next_random(&state) % size] = next_random(&state);
		if (i % 4 == 0)
			len = next_random(&state) % size;
		damaged = btf_open(data, len, NULL, why, sizeof(why));
		if (damaged) {
			ask_everything(damaged, 20);
			opened++;
		}
		btf_close(damaged);
	}
	ck_assert_uint_gt(opened, 1000);
}
END_TEST

/* Of a module, or of the kernel below it. */
START_TEST(damage_of_a_module_or_below_it_does_no_harm)
{
	uint32_t state = 54321;
	unsigned opened = 0;

	for (int i = 0; i < 20000; i++) {
		size_t size = sample(data), more_size;
		struct btf *base, *module = NULL;
		char more[512], *hit;

		more_size = module_sample(more);
		hit = i % 3 ? more : data;
		for (uint32_t k = next_random(&state) % 4 + 1; k > 0; k--)
			hit[next_random(&state) % (i % 3 ? more_size : size)] = next_random(&state);
		base = btf_open(data, size, NULL, why, sizeof(why));
		if (base)
			module = btf_open(more, more_size, base, why, sizeof(why));
		if (module) {
			ask_everything(module, 24);
			opened++;
		}
		btf_close(module);
		btf_close(base);
	}
	ck_assert_uint_gt(opened, 1000);
}
END_TEST

/* A struct that contains itself without a name, many times: an answer comes all the same. */
START_TEST(structs_without_end_end)
{
	static struct blob b;
	struct btf_place place;
	struct btf *opened;

	b = (struct blob){ .names_len = 1, .next_id = 1 };
	type(&b, "loop", INFO(BTF_STRUCT, 40, 0), 8);
	for (int i = 0; i < 40; i++)
		member(&b, "", 1, 0);
	opened = btf_open(data, finish(&b, data), NULL, why, sizeof(why));
	ck_assert(opened != NULL);
	ck_assert(!btf_member(opened, 1, "x", &place));
	btf_close(opened);
}
END_TEST

/* Arrays of arrays whose sizes multiply to more than any number holds */
START_TEST(sizes_that_do_not_fit_are_none)
{
	static const uint32_t counts[][2] = {
		{ UINT32_MAX, UINT32_MAX }, { 0x10000, 0x10000 }, { UINT32_MAX, 0 }, { 3, 5 }
	};
	static const int64_t sizes[] = { -1, -1, 0, 15 };
	static struct blob b;

	for (unsigned i = 0; i < 4; i++) {
		struct btf *opened;

		b = (struct blob){ .names_len = 1, .next_id = 1 };
		integer(&b, "char", 1, true);
		for (unsigned j = 0; j < 2; j++) {
			type(&b, "", INFO(BTF_ARRAY, 0, 0), 0);
			put(&b, 1 + j);
			put(&b, 1);
			put(&b, counts[i][j]);
		}
		opened = btf_open(data, finish(&b, data), NULL, why, sizeof(why));
		ck_assert(opened != NULL);
		ck_assert_int_eq(btf_size(opened, 3), sizes[i]);
		btf_close(opened);
	}
}
END_TEST

static struct btf *open_file(const char *name, const struct btf *base)
{
	char path[300];
	struct btf *opened;
	size_t size;
	char *all;

	snprintf(path, sizeof(path), "sys/kernel/btf/%.255s", name);
	all = root_read("", path, &size);
	if (!all)
		return NULL;
	opened = btf_open(all, size, base, why, sizeof(why));
	ck_assert_msg(opened != NULL, "%s: %s", name, why);
	free(all);
	return opened;
}

START_TEST(the_running_kernels_can_be_read)
{
	struct btf *kernel = open_file("vmlinux", NULL);
	struct btf_place place;
	uint32_t id;

	if (!kernel) {
		fprintf(stderr, "this kernel has no BTF\n");
		return;
	}
	id = btf_find(kernel, BTF_STRUCT, "task_struct");
	ck_assert(btf_member(kernel, id, "comm", &place));
	ck_assert_int_eq(btf_size(kernel, place.type), 16);
	id = btf_find(kernel, BTF_STRUCT, "list_head");
	ck_assert_int_eq(btf_size(kernel, id), 16);
	btf_close(kernel);
}
END_TEST

/* One structure of a module that embeds one of the kernel, where that module is loaded. */
static void check_module(const char *name, const struct btf *module, const struct btf *kernel)
{
	static const struct {
		const char *module, *tag, *member, *embedded;
	} known[] = {
		{ "xfs", "xfs_inode", "i_vnode", "inode" },
		{ "overlay", "ovl_inode", "vfs_inode", "inode" },
		{ "nfs", "nfs_inode", "vfs_inode", "inode" },
		{ "ext4", "ext4_inode_info", "vfs_inode", "inode" },
	};
	struct btf_place place;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strcmp(name, known[i].module) != 0)
			continue;
		ck_assert_msg(btf_member(module, btf_find(module, BTF_STRUCT, known[i].tag),
					 known[i].member, &place),
			      "%s: %s", name, known[i].tag);
		ck_assert_str_eq(btf_name(module, place.type), known[i].embedded);
		ck_assert_int_eq(btf_size(module, place.type),
				 btf_size(kernel, btf_find(kernel, BTF_STRUCT, known[i].embedded)));
		printf("%s: %s.%s\n", name, known[i].tag, known[i].member);
	}
}

START_TEST(those_of_its_modules_can_be_read)
{
	struct btf *kernel = open_file("vmlinux", NULL);
	DIR *dir = kernel ? opendir("/sys/kernel/btf") : NULL;
	struct dirent *entry;
	unsigned n = 0;

	while (dir && (entry = readdir(dir))) {
		struct btf *module;

		if (entry->d_name[0] == '.' || !strcmp(entry->d_name, "vmlinux"))
			continue;
		module = open_file(entry->d_name, kernel);
		ck_assert_msg(module != NULL, "%s", entry->d_name);
		check_module(entry->d_name, module, kernel);
		btf_close(module);
		n++;
	}
	printf("%u modules\n", n);
	if (dir)
		closedir(dir);
	btf_close(kernel);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("btf");
	TCase *small = tcase_create("small");
	TCase *broken = tcase_create("damaged");
	TCase *kernel = tcase_create("kernel");
	SRunner *runner;
	int failed;

	tcase_add_checked_fixture(small, open_sample, close_sample);
	tcase_add_test(small, types_are_found_by_kind_and_name);
	tcase_add_test(small, members_are_found_through_unnamed_and_embedded_ones);
	tcase_add_test(small, enumerators_have_their_sign_and_width);
	tcase_add_test(small, types_are_written_as_c_has_them);
	tcase_add_test(small, a_module_continues_the_kernels_numbers);
	suite_add_tcase(suite, small);
	tcase_add_test(broken, damage_is_said);
	tcase_add_test(broken, flipped_bytes_and_cut_ends_do_no_harm);
	tcase_add_test(broken, damage_of_a_module_or_below_it_does_no_harm);
	tcase_add_test(broken, structs_without_end_end);
	tcase_add_test(broken, sizes_that_do_not_fit_are_none);
	tcase_set_timeout(broken, 60);
	suite_add_tcase(suite, broken);
	tcase_set_timeout(kernel, 60);
	tcase_add_test(kernel, the_running_kernels_can_be_read);
	tcase_add_test(kernel, those_of_its_modules_can_be_read);
	suite_add_tcase(suite, kernel);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
