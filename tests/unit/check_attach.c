/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Probes go live and away again. That needs root and tracefs (77 without), kprobes where the
 * kernel has them: what it lacks is said at the end.
 */
#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/log.h"
#include "compat/sys/bpf.h"
#include "compat/sys/sys.h"
#include "fixture/counter.h"
#include "trace/attach.h"
#include "trace/kprobe_events.h"
#include "trace/load.h"

enum { SKIP = 77, N_CALLS = 1009 };

/* A function behind a system call that nothing else on the machine makes so often. */
#define KPROBE_SYMBOL "vfs_fallocate"

static const char *tracefs_path(void)
{
	if (access("/sys/kernel/tracing/events", F_OK) == 0)
		return "/sys/kernel/tracing";
	if (access("/sys/kernel/debug/tracing/events", F_OK) == 0)
		return "/sys/kernel/debug/tracing";
	return NULL;
}

static bool have_kprobe_events(void)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/kprobe_events", tracefs_path() ? tracefs_path() : "");
	return access(path, W_OK) == 0;
}

static const char *contents(const char *root, const char *name)
{
	static char text[65536];
	char path[160];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	file = fopen(path, "r");
	ck_assert(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	return text;
}

static struct image image;
static struct host host;
static struct plan *plan;
static struct loaded loaded;
static struct attached attached;

static void setup(void)
{
	counter_image(&image);
	plan = counter_plan(&host);
	snprintf(host.tracefs, sizeof(host.tracefs), "%s", tracefs_path());
	memset(&loaded, 0, sizeof(loaded));
	memset(&attached, 0, sizeof(attached));
}

static void teardown(void)
{
	attach_close(&attached);
	attach_close(&attached);
	load_close(&loaded);
	image_free(&image);
	if (have_kprobe_events())
		ck_assert(!strstr(contents(tracefs_path(), "kprobe_events"), "iotracer_"));
}

static int go(unsigned maxactive)
{
	ck_assert_int_eq(load_image(&loaded, &image, plan, NULL), 0);
	return attach_all(&attached, plan, &loaded, maxactive);
}

static uint64_t count(uint32_t slot)
{
	uint64_t value = 0;

	ck_assert_int_eq(bpf_map_get(load_map(&loaded, "counts"), &slot, &value), 0);
	return value;
}

static void make_calls(void)
{
	char name[] = "/tmp/check_attach_file.XXXXXX";
	int fd = mkstemp(name);

	ck_assert_int_ge(fd, 0);
	unlink(name);
	/* refused (EINVAL or EOPNOTSUPP), but only inside the function */
	for (int i = 0; i < N_CALLS; i++)
		ck_assert_int_ne(fallocate(fd, 0, 0, -1), 0);
	close(fd);
}

START_TEST(a_tracepoint_fires_once_per_call)
{
	counter_add(&image, "iot_x_tp", 1);
	counter_probe(plan, PROBE_TRACEPOINT, "syscalls:sys_enter_fallocate", "iot_x_tp");
	ck_assert_int_eq(go(0), 0);
	ck_assert_uint_eq(attached.n_attached, 1);
	make_calls();
	ck_assert_uint_eq(count(1), N_CALLS);
	attach_close(&attached);
	make_calls();
	ck_assert_uint_eq(count(1), N_CALLS);
}
END_TEST

/* So that a program need not wait for its event, which takes long to close. From 5.15 on; before, the event holds it. */
START_TEST(a_program_goes_before_its_event)
{
	counter_add(&image, "iot_x_tp", 1);
	counter_probe(plan, PROBE_TRACEPOINT, "syscalls:sys_enter_fallocate", "iot_x_tp");
	ck_assert_int_eq(go(0), 0);
	if (attached.links[0].prog_link < 0) {
		puts("this kernel has no links of perf events");
		return;
	}
	close(attached.links[0].prog_link);
	attached.links[0].prog_link = -1;
	make_calls();
	ck_assert_uint_eq(count(1), 0);
	ck_assert_int_ge(fcntl(attached.links[0].perf_fd, F_GETFD), 0);
}
END_TEST

START_TEST(one_bad_probe_does_not_stop_the_others)
{
	static const struct candidate chosen = { .name = "X" };

	counter_add(&image, "iot_x_tp", 0);
	counter_add_bad(&image, "iot_bad_tp");
	counter_probe(plan, PROBE_TRACEPOINT, "syscalls:no_such_event", "iot_x_tp");
	counter_probe(plan, PROBE_TRACEPOINT, "syscalls:sys_enter_fallocate", "iot_x_tp");
	counter_probe(plan, PROBE_TRACEPOINT, "syscalls:sys_exit_fallocate", "iot_bad_tp");
	for (unsigned i = 0; i < 3; i++) {
		plan->choices[i].chosen = &chosen;
		plan->choices[i].probes[0] = (uint16_t)i;
		plan->choices[i].n_probes = 1;
	}
	plan->n_choices = 4;
	ck_assert_int_eq(go(0), 0);
	ck_assert_uint_eq(attached.n_attached, 1);
	ck_assert_uint_eq(attached.n_links, 3);
	ck_assert(strstr(attached.links[0].why, "no such tracepoint"));
	ck_assert_str_eq(attached.links[1].why, "");
	ck_assert(strstr(attached.links[2].why, "not loaded"));
	ck_assert(!attach_complete(&attached, 0));
	ck_assert(attach_complete(&attached, 1));
	ck_assert(!attach_complete(&attached, 2));
	ck_assert(!attach_complete(&attached, 3));
	ck_assert(!attach_complete(&attached, 4));
}
END_TEST

START_TEST(an_optional_probe_may_be_missing)
{
	static const struct candidate chosen = { .name = "X" };

	counter_add(&image, "iot_x_tp", 0);
	counter_probe(plan, PROBE_TRACEPOINT, "syscalls:no_such_event", "iot_x_tp");
	counter_probe(plan, PROBE_TRACEPOINT, "syscalls:sys_enter_fallocate", "iot_x_tp");
	plan->probes[0].optional = true;
	plan->choices[0].chosen = &chosen;
	plan->choices[0].probes[1] = 1;
	plan->choices[0].n_probes = 2;
	plan->n_choices = 1;
	ck_assert_int_eq(go(0), 0);
	ck_assert(attach_complete(&attached, 0));
}
END_TEST

START_TEST(nothing_attached_is_an_error)
{
	counter_add(&image, "iot_x_tp", 0);
	counter_probe(plan, PROBE_TRACEPOINT, "syscalls:no_such_event", "iot_x_tp");
	ck_assert_int_eq(go(0), -ENOENT);
}
END_TEST

/* The program reads an argument of its raw tracepoint first. */
static void read_argument(const char *name, int n)
{
	struct image_prog *prog = (struct image_prog *)image_find_prog(&image, name);

	prog->insns = realloc(prog->insns, (prog->n_insns + 1) * sizeof(*prog->insns));
	memmove(prog->insns + 1, prog->insns, prog->n_insns++ * sizeof(*prog->insns));
	prog->insns[0] = (struct bpf_insn){ .code = BPF_LDX | BPF_MEM | BPF_DW,
					    .dst_reg = 0,
					    .src_reg = 1,
					    .off = (int16_t)(8 * n) };
	for (uint32_t i = 0; i < prog->n_relocs; i++)
		prog->relocs[i].insn++;
}

/*
 * sys_exit has two arguments. A form that reads a third one is refused, as that
 * for (queue, request) is where block_rq_issue has the request alone (el8.10).
 */
START_TEST(the_kernel_tells_which_form_of_the_arguments_it_has)
{
	bool older = _i;

	counter_add(&image, "iot_raw_x", 1);
	counter_add(&image, "iot_raw_x_q", 2);
	read_argument("iot_raw_x", 0);
	read_argument("iot_raw_x_q", older ? 1 : 2);
	counter_probe(plan, PROBE_RAW, "raw_syscalls:sys_exit", "iot_raw_x");
	ck_assert_int_eq(go(0), 0);
	ck_assert_uint_eq(attached.n_attached, 1);
	make_calls();
	ck_assert_int_eq(count(older ? 2 : 1) >= N_CALLS, 1);
	ck_assert_uint_eq(count(older ? 1 : 2), 0);
}
END_TEST

START_TEST(a_context_access_past_the_record_is_explained)
{
	static const struct bpf_insn insns[] = {
		{ .code = BPF_LDX | BPF_MEM | BPF_DW, .dst_reg = 0, .src_reg = 1, .off = 1024 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};

	counter_add_bad(&image, "iot_far_tp");
	free(image.progs[0].insns);
	image.progs[0].insns = malloc(sizeof(insns));
	memcpy(image.progs[0].insns, insns, sizeof(insns));
	image.progs[0].n_insns = 3;
	counter_probe(plan, PROBE_TRACEPOINT, "syscalls:sys_enter_fallocate", "iot_far_tp");
	ck_assert_int_eq(go(0), -ERANGE);
	ck_assert(strstr(attached.links[0].why, "beyond the tracepoint"));
}
END_TEST

static void kprobe_and_kretprobe(unsigned maxactive)
{
	counter_add(&image, "iot_enter_kp", 0);
	counter_add(&image, "iot_exit_kp", 1);
	counter_probe(plan, PROBE_KPROBE, KPROBE_SYMBOL, "iot_enter_kp");
	counter_probe(plan, PROBE_KRETPROBE, KPROBE_SYMBOL, "iot_exit_kp");
	ck_assert_int_eq(go(maxactive), 0);
	ck_assert_uint_eq(attached.n_attached, 2);
	if (maxactive)
		ck_assert(attached.links[1].event[0]);
	make_calls();
	ck_assert_uint_eq(count(0), N_CALLS);
	ck_assert_uint_eq(count(1), N_CALLS);
	ck_assert_uint_eq(attach_missed(&attached, NULL, NULL), 0);
	attach_close(&attached);
	make_calls();
	ck_assert_uint_eq(count(1), N_CALLS);
}

START_TEST(kprobes_fire_through_whatever_the_kernel_prefers)
{
	kprobe_and_kretprobe(0);
}
END_TEST

START_TEST(kretprobes_with_maxactive_go_through_tracefs)
{
	kprobe_and_kretprobe(64);
}
END_TEST

START_TEST(a_function_that_is_not_there_is_explained)
{
	counter_add(&image, "iot_x_kp", 0);
	counter_probe(plan, PROBE_KPROBE, "no_such_function_at_all", "iot_x_kp");
	counter_probe(plan, PROBE_KRETPROBE, "no_such_function_at_all", "iot_x_kp");
	ck_assert_int_lt(go(64), 0);
	for (int i = 0; i < 2; i++)
		ck_assert_msg(strstr(attached.links[i].why, "no such function") != NULL, "%s",
			      attached.links[i].why);
}
END_TEST

START_TEST(what_a_killed_run_left_is_removed)
{
	pid_t pid = fork();

	if (pid == 0) {
		counter_add(&image, "iot_x_kp", 0);
		counter_probe(plan, PROBE_KRETPROBE, KPROBE_SYMBOL, "iot_x_kp");
		_exit(go(64) ? 1 : raise(SIGKILL));
	}
	waitpid(pid, NULL, 0);
	ck_assert(strstr(contents(tracefs_path(), "kprobe_events"), "iotracer_"));
	ck_assert_int_eq(attach_clean_stale(&host), 1);
	ck_assert_int_eq(attach_clean_stale(&host), 0);
}
END_TEST

static bool privileged(void)
{
	int fd;

	if (geteuid() != 0 || !tracefs_path())
		return false;
	memlock_raise();
	fd = bpf_map_create_fd(BPF_MAP_TYPE_HASH, "probe", 4, 4, 1, 0);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static char expedited(void)
{
	int fd = open("/sys/kernel/rcu_expedited", O_RDONLY);
	char byte = '?';

	/* whoever else closes at this moment holds the lock */
	if (fd >= 0 && (flock(fd, LOCK_SH) || read(fd, &byte, 1) != 1))
		byte = '?';
	if (fd >= 0)
		close(fd);
	return byte;
}

START_TEST(many_are_closed_by_a_process_that_leaves_the_kernel_as_it_was)
{
	static const char *const events[] = {
		"syscalls:sys_enter_fallocate", "syscalls:sys_exit_fallocate",
		"syscalls:sys_enter_swapon",    "syscalls:sys_exit_swapon",
		"syscalls:sys_enter_swapoff",   "syscalls:sys_exit_swapoff",
		"syscalls:sys_enter_acct",      "syscalls:sys_exit_acct",
		"syscalls:sys_enter_vhangup",   "syscalls:sys_exit_vhangup",
	};
	char before = expedited();

	/* they come to be ours when those who started them have ended */
	ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	counter_add(&image, "iot_x_tp", 1);
	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++)
		counter_probe(plan, PROBE_TRACEPOINT, events[i], "iot_x_tp");
	ck_assert_int_eq(go(0), 0);
	ck_assert_uint_ge(attached.n_attached, 9);
	attach_close(&attached);
	while (waitpid(-1, NULL, 0) > 0)
		;
	ck_assert_int_eq(expedited(), before);
}
END_TEST

static void add_tracepoints(Suite *s)
{
	TCase *tc = tcase_create("tracepoints");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, a_tracepoint_fires_once_per_call);
	tcase_add_test(tc, a_program_goes_before_its_event);
	tcase_add_test(tc, one_bad_probe_does_not_stop_the_others);
	tcase_add_test(tc, an_optional_probe_may_be_missing);
	tcase_add_test(tc, nothing_attached_is_an_error);
	tcase_add_loop_test(tc, the_kernel_tells_which_form_of_the_arguments_it_has, 0, 2);
	tcase_add_test(tc, a_context_access_past_the_record_is_explained);
	tcase_add_test(tc, many_are_closed_by_a_process_that_leaves_the_kernel_as_it_was);
	suite_add_tcase(s, tc);
}

static void add_kprobes(Suite *s)
{
	TCase *tc = tcase_create("kprobes");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 120);
	tcase_add_test(tc, kprobes_fire_through_whatever_the_kernel_prefers);
	tcase_add_test(tc, kretprobes_with_maxactive_go_through_tracefs);
	tcase_add_test(tc, a_function_that_is_not_there_is_explained);
	tcase_add_test(tc, what_a_killed_run_left_is_removed);
	suite_add_tcase(s, tc);
}

int main(void)
{
	Suite *s = suite_create("attach");
	bool root = privileged(), kprobes = root && have_kprobe_events();
	SRunner *runner;
	int n_failed;

	if (root)
		add_tracepoints(s);
	if (kprobes)
		add_kprobes(s);
	runner = srunner_create(s);
	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	if (!kprobes)
		printf("attach: skipped: %s\n", root ? "kprobes, this kernel has none" :
						       "tracepoints and kprobes, need root");
	if (n_failed)
		return EXIT_FAILURE;
	return root ? EXIT_SUCCESS : SKIP;
}
