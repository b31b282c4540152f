/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Images survive the trip through a file, ordinary ELF tools understand them,
 * and no damaged file does harm.
 */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "image/image.h"
#include "image/image_layout.h"
#include "image/image_read.h"
#include "image/image_write.h"

enum { N_ROUNDS = 20000 };

static const struct bpf_insn load_map[] = {
	{ .code = BPF_LD | BPF_DW | BPF_IMM, .dst_reg = 1, .src_reg = BPF_PSEUDO_MAP_FD },
	{ .code = 0 },
};
static const struct bpf_insn ret_0[] = {
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0 },
	{ .code = BPF_JMP | BPF_EXIT },
};

static void add_prog(struct image *image, const char *name, unsigned n_loads)
{
	struct image_prog *prog = &image->progs[image->n_progs++];

	strcpy(prog->name, name);
	prog->insns = calloc(2 * n_loads + 2, sizeof(struct bpf_insn));
	prog->relocs = calloc(n_loads + 1, sizeof(struct image_reloc));
	for (unsigned i = 0; i < n_loads; i++) {
		memcpy(&prog->insns[2 * i], load_map, sizeof(load_map));
		prog->relocs[i] = (struct image_reloc){ 2 * i, i % image->n_maps };
	}
	memcpy(&prog->insns[2 * n_loads], ret_0, sizeof(ret_0));
	prog->n_insns = 2 * n_loads + 2;
	prog->n_relocs = n_loads;
}

static void make(struct image *image)
{
	memset(image, 0, sizeof(*image));
	image->maps = calloc(3, sizeof(*image->maps));
	image->progs = calloc(3, sizeof(*image->progs));
	image->maps[0] = (struct image_map){ "ring", BPF_MAP_TYPE_PERF_EVENT_ARRAY, 4, 4, 0, 0 };
	image->maps[1] = (struct image_map){ "starts", BPF_MAP_TYPE_HASH, 8, 40, 10240, 1 };
	image->maps[2] = (struct image_map){ "tails", BPF_MAP_TYPE_PROG_ARRAY, 4, 4, 8, 0 };
	image->n_maps = 3;
	add_prog(image, "iot_read_enter_tp", 4);
	add_prog(image, "iot_read_exit_kp", 1);
	add_prog(image, "iot_nothing", 0);
	image_key_set(&image->key, "tool", "0.1");
	image_key_set(&image->key, "release", "4.14.5");
	image_key_set(&image->key, "version", "#1 SMP Debian = 5 (x)");
	image_key_set(&image->key, "text", "abc");
	image->plan = strdup("headers 1\nprobe 3 0 0 a:b iot_x\n");
}

static int memory_file(const void *bytes, size_t size)
{
	int fd = memfd_create("check", MFD_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq((int)pwrite(fd, bytes, size, 0), (int)size);
	return fd;
}

static int written(void)
{
	struct image image;
	int fd = memfd_create("check", MFD_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	make(&image);
	ck_assert_int_eq(image_write(&image, fd), 0);
	image_free(&image);
	lseek(fd, 0, SEEK_SET);
	return fd;
}

static size_t slurp(int fd, char **bytes)
{
	struct stat st;

	ck_assert_int_eq(fstat(fd, &st), 0);
	*bytes = malloc((size_t)st.st_size);
	ck_assert_int_eq((int)pread(fd, *bytes, (size_t)st.st_size, 0), (int)st.st_size);
	return (size_t)st.st_size;
}

static void assert_same_prog(const struct image_prog *a, const struct image_prog *b)
{
	ck_assert_str_eq(a->name, b->name);
	ck_assert_uint_eq(a->n_insns, b->n_insns);
	ck_assert_uint_eq(a->n_relocs, b->n_relocs);
	ck_assert_int_eq(memcmp(a->insns, b->insns, a->n_insns * sizeof(*a->insns)), 0);
	if (a->n_relocs)
		ck_assert_int_eq(memcmp(a->relocs, b->relocs, a->n_relocs * sizeof(*a->relocs)), 0);
}

START_TEST(what_is_written_is_read_back)
{
	struct image a, b;
	int fd = written();

	make(&a);
	ck_assert_int_eq(image_read(&b, fd, "written"), 0);
	ck_assert_ptr_eq((void *)image_key_differs(&a.key, &b.key), NULL);
	ck_assert_str_eq(b.plan, a.plan);
	ck_assert_uint_eq(b.n_maps, 3);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_int_eq(memcmp(&a.maps[i], &b.maps[i], sizeof(a.maps[i])), 0);
	ck_assert_uint_eq(b.n_progs, 3);
	for (unsigned i = 0; i < 3; i++)
		assert_same_prog(&a.progs[i], &b.progs[i]);
	image_free(&a);
	image_free(&b);
	image_free(&b);
	close(fd);
}
END_TEST

START_TEST(an_image_without_maps_or_programs_is_possible)
{
	struct image a = { .key = { .tool = "1" } }, b;
	int fd = memfd_create("check", MFD_CLOEXEC);

	ck_assert_int_eq(image_write(&a, fd), 0);
	lseek(fd, 0, SEEK_SET);
	ck_assert_int_eq(image_read(&b, fd, "empty"), 0);
	ck_assert_uint_eq(b.n_maps + b.n_progs, 0);
	image_free(&b);
	close(fd);
}
END_TEST

START_TEST(the_reader_may_be_at_the_end_of_a_pipe)
{
	struct image a, b;
	int ends[2];

	make(&a);
	ck_assert_int_eq(pipe(ends), 0);
	ck_assert_int_eq(image_write(&a, ends[1]), 0);
	close(ends[1]);
	ck_assert_int_eq(image_read(&b, ends[0], "pipe"), 0);
	ck_assert_uint_eq(b.n_progs, 3);
	image_free(&a);
	image_free(&b);
	close(ends[0]);
}
END_TEST

START_TEST(names_that_are_not_identifiers_are_refused)
{
	struct image a;
	int fd = memfd_create("check", MFD_CLOEXEC);

	make(&a);
	strcpy(a.progs[0].name, "no/slash");
	ck_assert_int_eq(image_write(&a, fd), -EINVAL);
	strcpy(a.progs[0].name, "ok");
	memset(a.maps[0].name, 'a', IMAGE_NAME_SIZE);
	ck_assert_int_eq(image_write(&a, fd), -EINVAL);
	image_free(&a);
	close(fd);
}
END_TEST

START_TEST(a_full_device_is_an_error)
{
	struct image a;
	int fd = open("/dev/full", O_WRONLY);

	make(&a);
	ck_assert_int_eq(image_write(&a, fd), -ENOSPC);
	image_free(&a);
	close(fd);
}
END_TEST

START_TEST(programs_and_maps_are_found_by_name)
{
	struct image a;

	make(&a);
	ck_assert_ptr_eq((void *)image_find_prog(&a, "iot_nothing"), &a.progs[2]);
	ck_assert_ptr_eq((void *)image_find_prog(&a, "iot_noth"), NULL);
	ck_assert_int_eq(image_find_map(&a, "tails"), 2);
	ck_assert_int_eq(image_find_map(&a, "tail"), -1);
	image_free(&a);
}
END_TEST

START_TEST(keys_differ_in_every_member_but_the_library)
{
	struct image_key a = { .tool = "1" }, b = { .tool = "1", .libbcc = "0.26" };
	const char *name, *value;

	ck_assert_ptr_eq((void *)image_key_differs(&a, &b), NULL);
	for (size_t i = 0; (value = image_key_get(&a, i, &name)); i++) {
		b = a;
		ck_assert_int_eq(image_key_set(&b, name, "other"), 0);
		if (strcmp(name, "libbcc") != 0)
			ck_assert_str_eq(image_key_differs(&a, &b), name);
	}
	ck_assert_int_eq(image_key_set(&b, "machine", "a\nb"), -1);
	ck_assert_int_eq(image_key_set(&b, "build_id", "12345678901234567890123456789012345678901"),
			 -1);
	ck_assert_int_eq(image_key_set(&b, "nonsense", ""), -1);
}
END_TEST

/* What a caller relies on once image_read has said yes. */
static void assert_bounds(const struct image *image)
{
	for (uint32_t i = 0; i < image->n_maps; i++)
		ck_assert(image_name_ok(image->maps[i].name));
	for (uint32_t i = 0; i < image->n_progs; i++) {
		const struct image_prog *prog = &image->progs[i];

		ck_assert(image_name_ok(prog->name));
		ck_assert_uint_gt(prog->n_insns, 0);
		for (uint32_t r = 0; r < prog->n_relocs; r++) {
			ck_assert_uint_lt(prog->relocs[r].insn + 1, prog->n_insns);
			ck_assert_uint_lt(prog->relocs[r].map, image->n_maps);
		}
	}
}

static bool read_damaged(const char *bytes, size_t size)
{
	struct image image;
	const char *why;
	int fd = memory_file(bytes, size);
	int err;

	err = image_read_why(&image, fd, &why);
	close(fd);
	if (err) {
		ck_assert_int_eq(err, -EBADMSG);
		ck_assert_uint_gt(strlen(why), 0);
	} else {
		assert_bounds(&image);
	}
	image_free(&image);
	return err == 0;
}

START_TEST(every_truncation_is_refused)
{
	char *bytes;
	int fd = written();
	size_t size = slurp(fd, &bytes);

	close(fd);
	for (size_t n = 0; n < size; n++)
		ck_assert(!read_damaged(bytes, n));
	free(bytes);
}
END_TEST

START_TEST(random_damage_does_no_harm)
{
	char *bytes, *copy;
	int fd = written();
	size_t size = slurp(fd, &bytes);
	unsigned seed = 20261120;

	close(fd);
	copy = malloc(size);
	for (int round = 0; round < N_ROUNDS; round++) {
		memcpy(copy, bytes, size);
		for (int n = rand_r(&seed) % 4; n >= 0; n--)
			copy[(size_t)rand_r(&seed) % size] = (char)rand_r(&seed);
		read_damaged(copy, size);
	}
	free(copy);
	free(bytes);
}
END_TEST

START_TEST(every_single_bit_of_header_and_tables_may_flip)
{
	char *bytes;
	int fd = written();
	size_t size = slurp(fd, &bytes);

	close(fd);
	for (size_t bit = 0; bit < 8 * size; bit++) {
		bytes[bit / 8] ^= (char)(1 << bit % 8);
		read_damaged(bytes, size);
		bytes[bit / 8] ^= (char)(1 << bit % 8);
	}
	free(bytes);
}
END_TEST

START_TEST(a_changed_instruction_is_noticed)
{
	char *bytes, *at;
	int fd = written();
	size_t size = slurp(fd, &bytes);

	close(fd);
	at = memmem(bytes, size, ret_0, sizeof(ret_0));
	ck_assert(at);
	at[4] ^= 1;
	ck_assert(!read_damaged(bytes, size));
	free(bytes);
}
END_TEST

static void save(const char *path)
{
	char *bytes;
	int fd = written();
	size_t size = slurp(fd, &bytes);
	int out = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	ck_assert_int_ge(out, 0);
	ck_assert_int_eq((int)write(out, bytes, size), (int)size);
	close(out);
	close(fd);
	free(bytes);
}

/* Runs a command over the file and says whether its output has the text. */
static bool shows(const char *command, const char *path, const char *text)
{
	char line[512], cmd[512];
	bool found = false;
	FILE *pipe;

	snprintf(cmd, sizeof(cmd), "%s %s 2>&1", command, path);
	pipe = popen(cmd, "r");
	ck_assert(pipe);
	while (fgets(line, sizeof(line), pipe)) {
		ck_assert_msg(!strstr(line, "arning") && !strstr(line, "rror"), "%s: %s", cmd,
			      line);
		found |= strstr(line, text) != NULL;
	}
	ck_assert_int_eq(pclose(pipe), 0);
	return found;
}

static bool have(const char *tool)
{
	char cmd[128];

	snprintf(cmd, sizeof(cmd), "command -v %s >/dev/null", tool);
	return system(cmd) == 0;
}

START_TEST(elf_tools_understand_it)
{
	char path[] = "/tmp/check_image.XXXXXX";
	int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	close(fd);
	save(path);
	if (have("readelf")) {
		ck_assert(shows("readelf -aW", path, ".relprog/iot_read_enter_tp"));
		ck_assert(shows("readelf -sW", path, "FUNC    GLOBAL DEFAULT"));
		ck_assert(shows("readelf -W -p .note.iotracer", path, "release=4.14.5"));
	}
	if (have("llvm-objdump")) {
		ck_assert(shows("llvm-objdump -d", path, "<iot_read_exit_kp>:"));
		ck_assert(shows("llvm-objdump -dr", path, "R_BPF_64_64\tring"));
		ck_assert(shows("llvm-objdump -d", path, "r0 = 0"));
	}
	unlink(path);
}
END_TEST

int main(void)
{
	Suite *s = suite_create("image");
	TCase *trip = tcase_create("trip");
	TCase *damage = tcase_create("damage");
	SRunner *runner = srunner_create(s);
	int n_failed;

	tcase_add_test(trip, what_is_written_is_read_back);
	tcase_add_test(trip, an_image_without_maps_or_programs_is_possible);
	tcase_add_test(trip, the_reader_may_be_at_the_end_of_a_pipe);
	tcase_add_test(trip, names_that_are_not_identifiers_are_refused);
	tcase_add_test(trip, a_full_device_is_an_error);
	tcase_add_test(trip, programs_and_maps_are_found_by_name);
	tcase_add_test(trip, keys_differ_in_every_member_but_the_library);
	tcase_add_test(trip, elf_tools_understand_it);
	tcase_add_test(damage, every_truncation_is_refused);
	tcase_add_test(damage, random_damage_does_no_harm);
	tcase_add_test(damage, every_single_bit_of_header_and_tables_may_flip);
	tcase_add_test(damage, a_changed_instruction_is_noticed);
	tcase_set_timeout(trip, 60);
	tcase_set_timeout(damage, 300);
	suite_add_tcase(s, trip);
	suite_add_tcase(s, damage);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
