/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Images become maps and programs of this kernel. Needs root or the like: ends
 * with 77 when this process may not even create a map.
 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "compat/layout/btf.h"
#include "compat/layout/cast.h"
#include "compat/layout/kernel_ids.h"
#include "compat/sys/root.h"
#include "compat/sys/bpf.h"
#include "compat/sys/sys.h"
#include "compat/sys/trampoline.h"
#include "fixture/counter.h"
#include "probes/schema/cast_numbers.h"
#include "trace/load.h"
#include "trace/load_pad.h"
#include "trace/load_version.h"

enum { SKIP = 77 };

static struct image image;
static struct host host;
static struct plan *plan;
static struct loaded loaded;

static void setup(void)
{
	counter_image(&image);
	plan = counter_plan(&host);
	memset(&loaded, 0, sizeof(loaded));
}

static void teardown(void)
{
	load_close(&loaded);
	load_close(&loaded);
	image_free(&image);
}

static int count_fds(void)
{
	int n = 0;

	for (int fd = 0; fd < 1024; fd++)
		n += lseek(fd, 0, SEEK_CUR) >= 0 || errno != EBADF;
	return n;
}

START_TEST(programs_of_the_plan_load_and_others_are_skipped)
{
	counter_add(&image, "iot_wanted", 0);
	counter_add(&image, "iot_unwanted", 0);
	counter_add(&image, "iot_tail_sc", 0);
	counter_probe(plan, PROBE_TRACEPOINT, "sched:sched_switch", "iot_wanted");
	ck_assert_int_eq(load_image(&loaded, &image, plan, NULL), 0);
	ck_assert_int_ge(load_prog(&loaded, "iot_wanted"), 0);
	ck_assert_int_ge(load_prog(&loaded, "iot_tail_sc"), 0);
	ck_assert_int_eq(load_prog(&loaded, "iot_unwanted"), -ENOENT);
	ck_assert_int_eq(load_prog(&loaded, "iot_absent"), -ENOENT);
	ck_assert_uint_eq(loaded.n_rejected, 0);
}
END_TEST

/* The maps of an image for more streams, grown by one of the given type; its last program uses it. */
static void give_own_map(const char *name, uint32_t type)
{
	image.maps = realloc(image.maps, (image.n_maps + 1) * sizeof(*image.maps));
	image.maps[image.n_maps] = (struct image_map){
		.type = type, .key_size = 4, .value_size = 4, .max_entries = 1
	};
	strcpy(image.maps[image.n_maps].name, name);
	image.progs[image.n_progs - 1].relocs[0].map = image.n_maps++;
}

START_TEST(what_only_other_streams_use_is_not_made)
{
	counter_add(&image, "iot_wanted", 0);
	counter_add(&image, "iot_unwanted", 0);
	give_own_map("iot_to_walker_sc", BPF_MAP_TYPE_PROG_ARRAY);
	counter_add(&image, "iot_walker_sc", 0);
	give_own_map("others", BPF_MAP_TYPE_ARRAY);
	counter_probe(plan, PROBE_TRACEPOINT, "sched:sched_switch", "iot_wanted");
	ck_assert_int_eq(load_image(&loaded, &image, plan, NULL), 0);
	ck_assert_int_ge(load_prog(&loaded, "iot_wanted"), 0);
	ck_assert_int_eq(load_prog(&loaded, "iot_walker_sc"), -ENOENT);
	ck_assert_int_ge(load_map(&loaded, "counts"), 0);
	ck_assert_int_ge(load_map(&loaded, "ring"), 0); /* of no program: for the reader */
	ck_assert_int_eq(load_map(&loaded, "iot_to_walker_sc"), -ENOENT);
	ck_assert_int_eq(load_map(&loaded, "others"), -ENOENT);
}
END_TEST

START_TEST(kprobe_programs_pass_the_verifier)
{
	counter_add(&image, "iot_x_kp", 0);
	counter_add(&image, "iot_y", 0);
	counter_probe(plan, PROBE_KRETPROBE, "vfs_read", "iot_y");
	ck_assert_int_eq(load_image(&loaded, &image, plan, NULL), 0);
	ck_assert_int_ge(load_prog(&loaded, "iot_x_kp"), 0);
	ck_assert_int_ge(load_prog(&loaded, "iot_y"), 0);
}
END_TEST

START_TEST(maps_have_the_sizes_asked_for)
{
	const struct load_map_size sizes[] = { { "counts", 3 }, { NULL, 0 } };
	uint32_t key = 2;
	uint64_t value = 7;
	int fd;

	counter_add(&image, "iot_x_sc", 0);
	ck_assert_int_eq(load_image(&loaded, &image, plan, sizes), 0);
	fd = load_map(&loaded, "counts");
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(bpf_map_put(fd, &key, &value), 0);
	value = 0;
	ck_assert_int_eq(bpf_map_get(fd, &key, &value), 0);
	ck_assert_uint_eq(value, 7);
	key = 3;
	ck_assert_int_eq(bpf_map_put(fd, &key, &value), -E2BIG);
	ck_assert_int_eq(load_map(&loaded, "absent"), -ENOENT);
}
END_TEST

START_TEST(a_perf_array_gets_a_slot_per_possible_cpu)
{
	uint32_t key = (uint32_t)cpus_possible() - 1;
	int fd;

	counter_add(&image, "iot_x_sc", 0);
	ck_assert_int_eq(load_image(&loaded, &image, plan, NULL), 0);
	fd = load_map(&loaded, "ring");
	/* the slot is there, but empty; one above is not */
	ck_assert_int_eq(bpf_map_remove(fd, &key), -ENOENT);
	key++;
	ck_assert_int_eq(bpf_map_remove(fd, &key), -E2BIG);
}
END_TEST

START_TEST(map_calls_walk_and_remove)
{
	int fd = bpf_map_create_fd(BPF_MAP_TYPE_HASH, "walk", 4, 8, 16, 0);
	uint32_t key, next;
	uint64_t value = 1;
	int n = 0;

	ck_assert_int_ge(fd, 0);
	for (key = 0; key < 10; key++)
		ck_assert_int_eq(bpf_map_put(fd, &key, &value), 0);
	for (int err = bpf_map_next(fd, NULL, &next); !err; err = bpf_map_next(fd, &key, &next)) {
		key = next;
		n++;
	}
	ck_assert_int_eq(n, 10);
	ck_assert_int_eq(bpf_map_remove(fd, &key), 0);
	ck_assert_int_eq(bpf_map_remove(fd, &key), -ENOENT);
	ck_assert_int_eq(bpf_map_get(fd, &key, &value), -ENOENT);
	close(fd);
}
END_TEST

START_TEST(long_names_are_cut_for_the_kernel)
{
	strcpy(image.maps[0].name, "a_map_with_a_rather_long_name");
	counter_add(&image, "iot_a_program_with_a_rather_long_name_sc", 0);
	ck_assert_int_eq(load_image(&loaded, &image, plan, NULL), 0);
	ck_assert_int_ge(load_map(&loaded, "a_map_with_a_rather_long_name"), 0);
}
END_TEST

START_TEST(a_rejected_program_costs_itself_only)
{
	counter_add(&image, "iot_good_sc", 0);
	counter_add_bad(&image, "iot_bad_sc");
	ck_assert_int_eq(load_image(&loaded, &image, plan, NULL), 0);
	ck_assert_uint_eq(loaded.n_rejected, 1);
	ck_assert_int_ge(load_prog(&loaded, "iot_good_sc"), 0);
	ck_assert_int_eq(load_prog(&loaded, "iot_bad_sc"), -ENOENT);
}
END_TEST

START_TEST(the_verifiers_last_lines_are_shown_with_v)
{
	char heard[4096];
	int saved = dup(STDERR_FILENO);
	FILE *file = tmpfile();

	counter_add(&image, "iot_good_sc", 0);
	counter_add_bad(&image, "iot_bad_sc");
	log_set_level(LOG_VERBOSE);
	dup2(fileno(file), STDERR_FILENO);
	load_image(&loaded, &image, plan, NULL);
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	log_set_level(LOG_NORMAL);
	rewind(file);
	heard[fread(heard, 1, sizeof(heard) - 1, file)] = '\0';
	ck_assert_msg(strstr(heard, "R0 !read_ok") != NULL, "%s", heard);
	fclose(file);
	close(saved);
}
END_TEST

START_TEST(without_any_good_program_it_fails_and_leaves_nothing)
{
	int before = count_fds();

	counter_add_bad(&image, "iot_bad_sc");
	ck_assert_int_lt(load_image(&loaded, &image, plan, NULL), 0);
	ck_assert_int_eq(count_fds(), before);
	image_free(&image);
	counter_image(&image);
	ck_assert_int_eq(load_image(&loaded, &image, plan, NULL), -ENOENT);
	ck_assert_int_eq(count_fds(), before);
}
END_TEST

START_TEST(an_impossible_map_is_an_error)
{
	image.maps[0].key_size = 5; /* arrays are indexed by four bytes */
	counter_add(&image, "iot_x_sc", 0);
	ck_assert_int_eq(load_image(&loaded, &image, plan, NULL), -EINVAL);
	ck_assert_ptr_eq((void *)loaded.image, NULL);
}
END_TEST

START_TEST(closing_gives_back_every_descriptor)
{
	int before = count_fds();

	counter_add(&image, "iot_x_sc", 0);
	ck_assert_int_eq(load_image(&loaded, &image, plan, NULL), 0);
	ck_assert_int_eq(count_fds(), before + 3);
	load_close(&loaded);
	ck_assert_int_eq(count_fds(), before);
}
END_TEST

START_TEST(without_privilege_it_is_eperm)
{
	int status;
	pid_t pid;

	counter_add(&image, "iot_x_kp", 0);
	counter_probe(plan, PROBE_KPROBE, "vfs_read", "iot_x_kp");
	pid = fork();
	if (pid == 0) {
		if (geteuid() == 0 && (setgid(65534) || setuid(65534)))
			_exit(1);
		_exit(load_image(&loaded, &image, plan, NULL) == -EPERM ? 0 : 2);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}
END_TEST

START_TEST(the_kernel_version_agrees_with_uname)
{
	unsigned a = 0, b = 0;
	struct utsname uts;

	uname(&uts);
	ck_assert_int_eq(sscanf(uts.release, "%u.%u", &a, &b), 2);
	ck_assert_uint_eq(load_kern_version() >> 8, (a << 8) + b);
}
END_TEST

/* 0: if r1 == 0 goto 3; 1: call; 2: goto 1 (over 3); 3: r0 = 1; 4: exit */
#define MOVE_K(class, dst, value)                                                                  \
	{                                                                                          \
		.code = (class) | BPF_MOV | BPF_K, .dst_reg = (dst), .imm = (value)                \
	}
#define CALL_OF(src, value)                                                                        \
	{                                                                                          \
		.code = BPF_JMP | BPF_CALL, .src_reg = (src), .imm = (value)                       \
	}

START_TEST(only_casts_get_the_kernels_ids)
{
	const struct cast_ids ids = { .function = 1234, .words = 56 };
	struct bpf_insn insns[] = {
		MOVE_K(BPF_ALU64, 2, IOT_CAST_WORDS),
		MOVE_K(BPF_ALU, 2, IOT_CAST_WORDS),
		MOVE_K(BPF_ALU64, 2, 77),
		CALL_OF(0, IOT_CAST_CALL),
		CALL_OF(0, 14),
		CALL_OF(1, IOT_CAST_CALL),
	};

	ck_assert(cast_is_in(insns, 6));
	ck_assert(!cast_is_in(insns, 3));
	cast_patch(insns, 6, &ids);
	ck_assert_int_eq(insns[0].imm, 56);
	ck_assert_int_eq(insns[1].imm, 56);
	ck_assert_int_eq(insns[2].imm, 77);
	ck_assert_int_eq(insns[3].imm, 1234);
	ck_assert_int_eq(insns[3].src_reg, 2);
	ck_assert_int_eq(insns[4].imm, 14);
	ck_assert_int_eq(insns[5].imm, IOT_CAST_CALL); /* a function of the program itself */
	ck_assert(!cast_is_in(insns, 5));
}
END_TEST

/* Kernels from 6.2 on with BTF and a JIT. On others the answer is no, and never a crash. */
START_TEST(a_kernel_that_has_the_cast_takes_it)
{
	struct cast_ids ids, wrong;
	bool found = cast_find(&ids);

	ck_assert_int_eq(found, ids.function && ids.words);
	if (!found || !cast_works(&ids)) {
		printf("this kernel casts nothing\n");
		return;
	}
	wrong = (struct cast_ids){ .function = ids.words, .words = ids.words };
	ck_assert(!cast_works(&wrong));
}
END_TEST

START_TEST(the_kernels_numbers_are_those_of_its_types)
{
	struct kernel_id ids[] = {
		{ BTF_FUNC, "vfs_read", 0 },
		{ BTF_STRUCT, "vfs_read", 0 },
		{ BTF_FUNC, NULL, 0 },
		{ BTF_STRUCT, "task_struct", 0 },
	};
	size_t size;
	char why[160], *data = root_read("", "sys/kernel/btf/vmlinux", &size);
	struct btf *btf = data ? btf_open(data, size, NULL, why, sizeof(why)) : NULL;

	free(data);
	if (!btf) {
		ck_assert(!kernel_ids_find(ids, 1));
		return;
	}
	ck_assert(!kernel_ids_find(ids, 4)); /* there is no such structure */
	ck_assert_uint_eq(ids[0].id, btf_find(btf, BTF_FUNC, "vfs_read"));
	ck_assert_uint_ne(ids[0].id, 0);
	ck_assert_uint_eq(ids[1].id, 0);
	ck_assert_uint_eq(ids[2].id, 0);
	ck_assert_uint_eq(ids[3].id, btf_find(btf, BTF_STRUCT, "task_struct"));
	ck_assert(kernel_ids_find(&ids[2], 2));
	btf_close(btf);
}
END_TEST

/* Each function gets the program for itself; one that the kernel does not know costs its own alone. */
START_TEST(a_program_is_loaded_for_each_function_that_calls_it)
{
	struct kernel_id id = { BTF_FUNC, "vfs_read", 0 };

	counter_add(&image, "iot_begin", 0);
	counter_add(&image, "iot_end", 1);
	counter_add(&image, "iot_x_sc", 0);
	counter_probe(plan, PROBE_FENTRY, "vfs_read", "iot_begin");
	counter_probe(plan, PROBE_FEXIT, "vfs_read", "iot_end");
	counter_probe(plan, PROBE_FENTRY, "vfs_write", "iot_begin");
	counter_probe(plan, PROBE_FENTRY, "no_such_function", "iot_begin");
	ck_assert_int_eq(load_image(&loaded, &image, plan, NULL), 0);
	ck_assert_int_eq(load_prog(&loaded, "iot_begin"), -ENOENT);
	ck_assert_int_eq(load_probe(&loaded, plan, 3), -ENOENT);
	if (!kernel_ids_find(&id, 1) || !trampoline_works(id.id)) {
		printf("no function of this kernel calls programs\n");
		ck_assert_uint_eq(loaded.n_rejected, 4);
		return;
	}
	ck_assert_uint_eq(loaded.n_rejected, 1);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_int_ge(load_probe(&loaded, plan, i), 0);
	ck_assert_int_ne(load_probe(&loaded, plan, 0), load_probe(&loaded, plan, 2));
}
END_TEST

START_TEST(padding_leaves_each_jump_its_target)
{
	const struct bpf_insn prog[] = {
		{ .code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = 1, .off = 2 },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_ktime_get_ns },
		{ .code = BPF_JMP | BPF_JA, .off = 1 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = 1 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	uint32_t n = 5;
	struct bpf_insn *padded = load_pad(prog, &n, 0);

	ck_assert_uint_eq(n, 6);
	ck_assert_int_eq(padded[0].off, 3);
	ck_assert_int_eq(padded[2].code, BPF_ALU64 | BPF_MOV | BPF_K);
	ck_assert_int_eq(padded[2].dst_reg, 1);
	ck_assert_int_eq(padded[3].off, 1);
	ck_assert_int_eq(padded[4].imm, 1);
	free(padded);

	n = 5;
	padded = load_pad(prog, &n, 1); /* no second call */
	ck_assert_uint_eq(n, 5);
	ck_assert_int_eq(memcmp(padded, prog, sizeof(prog)), 0);
	free(padded);
}
END_TEST

/* Backwards, and with the target right behind the call: not onto what was put there. */
START_TEST(padding_is_never_jumped_to)
{
	const struct bpf_insn prog[] = {
		{ .code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = 1, .off = 1 },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_ktime_get_ns },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = 1 },
		{ .code = BPF_JMP | BPF_JEQ | BPF_K, .dst_reg = 1, .off = -4 },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	uint32_t n = 5;
	struct bpf_insn *padded = load_pad(prog, &n, 0);

	ck_assert_uint_eq(n, 6);
	ck_assert_int_eq(padded[0].off, 2);
	ck_assert_int_eq(padded[3].imm, 1);
	ck_assert_int_eq(padded[4].off, -5);
	free(padded);
}
END_TEST

static bool privileged(void)
{
	int fd;

	memlock_raise();
	fd = bpf_map_create_fd(BPF_MAP_TYPE_HASH, "probe", 4, 4, 1, 0);
	if (fd >= 0)
		close(fd);
	return fd >= 0 && geteuid() == 0;
}

int main(void)
{
	Suite *s = suite_create("load");
	TCase *tc = tcase_create("load");
	SRunner *runner;
	int n_failed;

	if (!privileged()) {
		printf("load: skipped: needs root and bpf(2)\n");
		return SKIP;
	}
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, programs_of_the_plan_load_and_others_are_skipped);
	tcase_add_test(tc, what_only_other_streams_use_is_not_made);
	tcase_add_test(tc, kprobe_programs_pass_the_verifier);
	tcase_add_test(tc, maps_have_the_sizes_asked_for);
	tcase_add_test(tc, a_perf_array_gets_a_slot_per_possible_cpu);
	tcase_add_test(tc, map_calls_walk_and_remove);
	tcase_add_test(tc, long_names_are_cut_for_the_kernel);
	tcase_add_test(tc, only_casts_get_the_kernels_ids);
	tcase_add_test(tc, a_kernel_that_has_the_cast_takes_it);
	tcase_add_test(tc, the_kernels_numbers_are_those_of_its_types);
	tcase_add_test(tc, a_program_is_loaded_for_each_function_that_calls_it);
	tcase_add_test(tc, padding_leaves_each_jump_its_target);
	tcase_add_test(tc, padding_is_never_jumped_to);
	tcase_add_test(tc, a_rejected_program_costs_itself_only);
	tcase_add_test(tc, the_verifiers_last_lines_are_shown_with_v);
	tcase_add_test(tc, without_any_good_program_it_fails_and_leaves_nothing);
	tcase_add_test(tc, an_impossible_map_is_an_error);
	tcase_add_test(tc, closing_gives_back_every_descriptor);
	tcase_add_test(tc, without_privilege_it_is_eperm);
	tcase_add_test(tc, the_kernel_version_agrees_with_uname);
	suite_add_tcase(s, tc);
	runner = srunner_create(s);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
