/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The planner: its rules on small tables, and the stored plan of every saved
 * host from the real table. UPDATE_PLANS=1 writes the stored plans anew; the
 * difference is for a person to judge.
 */
#include "plan/plan.h"

#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compat/candidates/calls.h"
#include "compat/host/host.h"
#include "compat/host/tracefs.h"
#include "compat/sys/root.h"
#include "fixture/host_fixture.h"
#include "row/schema.h"

static struct plan plan; /* 600 kB */
static char *dir;
static struct host *host;

static const char block_format[] =
	"name: block_rq_issue\nID: 1\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
	"\tfield:dev_t dev;\toffset:8;\tsize:4;\tsigned:0;\n\nprint fmt: \"\"\n";

static void write_host(void)
{
	fixture_write(dir, "proc/sys/kernel/osrelease", "5.0.0\n");
	fixture_write(dir, "proc/kallsyms",
		      "0 T vfs_read\n0 t vfs_rmdir\n0 t vfs_rmdir.part.0\n0 t vfs_rmdir.part.1\n"
		      "0 t aio_read.isra.0\n0 t twice\n0 t twice\n0 T register_kprobe\n"
		      "0 t two.isra.0\n0 t two.constprop.0\n0 T hidden\n");
	fixture_write(dir, "sys/kernel/tracing/available_filter_functions",
		      "vfs_read\nvfs_rmdir\nvfs_rmdir.part.0\nvfs_rmdir.part.1\naio_read.isra.0\n"
		      "twice\ntwo.isra.0\ntwo.constprop.0\n");
	fixture_write(dir, "sys/kernel/tracing/events/block/block_rq_issue/format", block_format);
	fixture_write(dir, "sys/kernel/tracing/events/syscalls/sys_enter_read/format",
		      block_format);
	fixture_write(dir, "etc/os-release", "ID=\"rhel\"\n");
	fixture_write(dir, "headers/include/generated/utsrelease.h",
		      "#define UTS_RELEASE \"5.0.0\"\n");
	fixture_write(dir, "headers/include/linux/kconfig.h", "");
}

static void open_host(bool headers, bool kprobes)
{
	char path[PATH_MAX];
	struct host_options options = {
		.root = dir,
		.headers = path,
		.layout = !headers ? LAYOUT_NONE : LAYOUT_ANY,
		.no_kprobes = !kprobes,
	};

	snprintf(path, sizeof(path), "%.4080s/headers", dir);
	host_close(host);
	host = host_open(&options);
	ck_assert(host != NULL);
}

static void setup(void)
{
	dir = fixture_make();
	host = NULL;
	write_host();
	open_host(true, true);
}

static void teardown(void)
{
	host_close(host);
	fixture_remove(dir);
}

/* clang-format off */
#define KP(target) { PROBE_KPROBE, 0, target, "kp" }
#define KP_F(target, flags) { PROBE_KPROBE, flags, target, "kp" }
#define TP(target) { PROBE_TRACEPOINT, 0, target, "tp" }
#define ROWS_OF(stream, operation, candidates) { "", STREAM_##stream, operation, "", "", candidates, 0, 0 }
/* clang-format on */

static const struct candidate reads[] = {
	{ .name = "KPROBE", .uses = USES_SIZES, .tiers = TIER_A, .probes = { KP("vfs_read") } },
	{ .name = "CALL",
	  .uses = USES_DESCRIPTORS,
	  .tiers = TIER_B | TIER_C,
	  .probes = { TP("syscalls:sys_enter_read") } },
	{ 0 },
};

static const struct plan_choice *make(const struct capability *table, size_t n, int expected)
{
	ck_assert_int_eq(plan_make_from(&plan, host, NULL, table, n), expected);
	return &plan.choices[0];
}

static const struct plan_choice *make_one(const struct candidate *candidates, int expected)
{
	const struct capability table[] = {
		ROWS_OF(fs, "READ", candidates),
	};
	static struct capability kept[1];

	kept[0] = table[0];
	return make(kept, 1, expected);
}

START_TEST(the_first_usable_candidate_wins)
{
	const struct plan_choice *choice = make_one(reads, 0);

	ck_assert(choice->chosen == &reads[0]);
	ck_assert_int_eq(choice->tier, TIER_A);
	ck_assert(choice->wanted);
	ck_assert_uint_eq(choice->n_passed, 0);
	ck_assert_uint_eq(plan.n_probes, 1);
	ck_assert_str_eq(plan.probes[0].target, "vfs_read");
	ck_assert_str_eq(plan.probes[0].program, "kp");
	ck_assert(plan.headers);
}
END_TEST

START_TEST(without_kprobes_a_tracepoint_with_headers_is_tier_b)
{
	const struct plan_choice *choice;

	open_host(true, false);
	choice = make_one(reads, 0);
	ck_assert(choice->chosen == &reads[1]);
	ck_assert_int_eq(choice->tier, TIER_B);
	ck_assert_uint_eq(choice->n_passed, 1);
	ck_assert(choice->passed[0].candidate == &reads[0]);
	ck_assert_str_eq(choice->passed[0].why, "needs kprobes");
}
END_TEST

START_TEST(without_headers_a_kprobe_is_no_use_and_a_tracepoint_is_tier_c)
{
	const struct plan_choice *choice;

	open_host(false, true);
	choice = make_one(reads, 0);
	ck_assert(choice->chosen == &reads[1]);
	ck_assert_int_eq(choice->tier, TIER_C);
	ck_assert_str_eq(choice->passed[0].why, "needs kernel headers or BTF");
	ck_assert(!plan.headers);
}
END_TEST

START_TEST(a_candidate_serves_only_its_tiers)
{
	static const struct candidate only_c[] = {
		{ .name = "C", .tiers = TIER_C, .probes = { TP("block:block_rq_issue") } },
		{ 0 },
	};
	static const struct candidate only_b[] = {
		{ .name = "B", .tiers = TIER_B, .probes = { TP("block:block_rq_issue") } },
		{ 0 },
	};

	ck_assert(make_one(only_c, -ENOENT)->chosen == NULL);
	ck_assert(make_one(only_b, 0)->chosen != NULL);
	open_host(false, true);
	ck_assert(make_one(only_c, 0)->chosen != NULL);
	ck_assert(make_one(only_b, -ENOENT)->chosen == NULL);
}
END_TEST

START_TEST(an_off_choice_says_what_to_install)
{
	static const struct candidate one[] = {
		{ .name = "K", .tiers = TIER_A, .probes = { KP("vfs_read") } },
		{ 0 },
	};
	char path[PATH_MAX];

	host_close(host);
	host = fixture_open(dir);
	snprintf(path, sizeof(path), "%s", make_one(one, -ENOENT)->why);
	ck_assert_str_eq(path, "K: needs kernel headers or BTF; no kernel headers for 5.0.0: "
			       "yum install kernel-devel-5.0.0");
}
END_TEST

START_TEST(long_reasons_leave_room_for_the_remedy)
{
	static const struct candidate many[] = {
#define LONG(n)                                                                                    \
	{                                                                                          \
		.name = "A_CANDIDATE_WITH_A_LONG_NAME_" #n, .tiers = TIER_A, .probes = {           \
			KP("a_function_that_no_kernel_ever_had_and_never_will_have_" #n)           \
		}                                                                                  \
	}
		LONG(1),
		LONG(2),
		LONG(3),
		LONG(4),
		LONG(5),
		LONG(6),
		LONG(7),
		LONG(8),
		LONG(9),
		{ .name = "K", .tiers = TIER_C, .probes = { TP("a:b") } },
		{ .name = "T", .tiers = TIER_A, .probes = { TP("a:b") } },
		{ 0 },
	};
	const struct plan_choice *choice;
	size_t len;

	open_host(false, true);
	choice = make_one(many, -ENOENT);
	len = strlen(choice->why);
	ck_assert_uint_lt(len, sizeof(choice->why));
	ck_assert_str_eq(choice->why + len - 13, "--layout none");
	ck_assert_uint_eq(choice->n_passed, PLAN_MAX_PASSED);
}
END_TEST

START_TEST(a_silent_candidate_is_passed_over)
{
	static const struct capability table[] = { ROWS_OF(fs, "READ", reads) };
	static struct plan_request request = { .silent = { &reads[0] }, .n_silent = 1 };

	ck_assert_int_eq(plan_make_from(&plan, host, &request, table, 1), 0);
	ck_assert(plan.choices[0].chosen == &reads[1]);
	ck_assert_int_eq(plan.choices[0].tier, TIER_B);
	ck_assert(strstr(plan.choices[0].passed[0].why, "never fired") != NULL);
}
END_TEST

START_TEST(a_candidate_that_did_not_attach_is_passed_over)
{
	static const struct capability table[] = { ROWS_OF(fs, "READ", reads) };
	static struct plan_request request = { .unattached = { &reads[0] } };

	ck_assert_int_eq(plan_make_from(&plan, host, &request, table, 1), 0);
	ck_assert(plan.choices[0].chosen == &reads[0]);
	ck_assert(plan_has_next(&plan, 0, &request));
	request.n_unattached = 1;
	ck_assert_int_eq(plan_make_from(&plan, host, &request, table, 1), 0);
	ck_assert(plan.choices[0].chosen == &reads[1]);
	ck_assert(strstr(plan.choices[0].passed[0].why, "did not attach") != NULL);
	while (plan_has_next(&plan, 0, &request)) {
		request.unattached[request.n_unattached++] = plan.choices[0].chosen;
		plan_make_from(&plan, host, &request, table, 1);
	}
	ck_assert(plan.choices[0].chosen != NULL); /* the last one stays, whatever is left of it */
}
END_TEST

START_TEST(optional_probes_may_be_missing)
{
	static const struct candidate mixed[] = {
		{ .name = "MIXED",
		  .tiers = TIER_A | TIER_B | TIER_C,
		  .probes = { TP("block:block_rq_issue"),
			      { PROBE_TRACEPOINT, PROBE_OPTIONAL, "block:absent", "tp" },
			      KP_F("vfs_read", PROBE_OPTIONAL),
			      KP_F("absent", PROBE_OPTIONAL) } },
		{ 0 },
	};

	ck_assert_int_eq(make_one(mixed, 0)->tier, TIER_A);
	ck_assert_uint_eq(plan.n_probes, 2);
	ck_assert(!plan.probes[0].optional);
	ck_assert(plan.probes[1].optional);
	open_host(true, false);
	ck_assert_int_eq(make_one(mixed, 0)->tier, TIER_B);
	ck_assert_uint_eq(plan.n_probes, 1);
	open_host(false, true);
	ck_assert_int_eq(make_one(mixed, 0)->tier, TIER_C);
}
END_TEST

START_TEST(nothing_but_missing_optional_probes_is_no_candidate)
{
	static const struct candidate hollow[] = {
		{ .name = "HOLLOW",
		  .tiers = TIER_A | TIER_B,
		  .probes = { KP_F("absent", PROBE_OPTIONAL) } },
		{ 0 },
	};

	ck_assert(make_one(hollow, -ENOENT)->chosen == NULL);
}
END_TEST

START_TEST(parts_and_suffixes_become_targets)
{
	static const struct candidate parts[] = {
		{ .name = "PARTS",
		  .tiers = TIER_A,
		  .probes = { KP_F("vfs_rmdir", PROBE_PARTS), KP_F("aio_read", PROBE_SUFFIXES) } },
		{ 0 },
	};

	make_one(parts, 0);
	ck_assert_uint_eq(plan.n_probes, 4);
	ck_assert_str_eq(plan.probes[0].target, "vfs_rmdir");
	ck_assert_str_eq(plan.probes[1].target, "vfs_rmdir.part.0");
	ck_assert_str_eq(plan.probes[2].target, "vfs_rmdir.part.1");
	ck_assert_str_eq(plan.probes[3].target, "aio_read.isra.0");
	ck_assert_uint_eq(plan.choices[0].n_probes, 4);
}
END_TEST

START_TEST(an_unusable_function_says_why)
{
	static const struct {
		const char *name, *why;
	} cases[] = {
		{ "twice", "twice is ambiguous (several functions share the name)" },
		{ "hidden", "hidden cannot be traced (notrace or inlined)" },
		{ "absent", "absent is not in this kernel (or inlined)" },
		{ "two", "two has several copies, none of which is reached by all calls" },
	};

	for (unsigned i = 0; i < 4; i++) {
		struct candidate one[] = {
			{ .name = "K",
			  .tiers = TIER_A,
			  .probes = { KP_F(cases[i].name, PROBE_SUFFIXES) } },
			{ 0 },
		};

		ck_assert_str_eq(make_one(one, -ENOENT)->passed[0].why, cases[i].why);
	}
}
END_TEST

START_TEST(needs_are_met_or_the_candidate_loses)
{
	static const struct {
		struct need need;
		bool met;
	} cases[] = {
		{ { .kind = NEED_SYMBOL, .what = "vfs_read" }, true },
		{ { .kind = NEED_SYMBOL, .what = "absent" }, false },
		{ { .kind = NEED_NO_SYMBOL, .what = "vfs_read" }, false },
		{ { .kind = NEED_NO_SYMBOL, .what = "absent" }, true },
		{ { .kind = NEED_TRACEPOINT, .what = "block:block_rq_issue" }, true },
		{ { .kind = NEED_NO_TRACEPOINT, .what = "block:block_rq_issue" }, false },
		{ { .kind = NEED_FIELD, .what = "block:block_rq_issue:dev" }, true },
		{ { .kind = NEED_FIELD, .what = "block:block_rq_issue:nope" }, false },
		{ { .kind = NEED_NO_FIELD, .what = "block:block_rq_issue:nope" }, true },
		{ { .kind = NEED_FACT, .fact = FACT_PROBE_READ_KERNEL }, false },
		{ { .kind = NEED_NO_FACT, .fact = FACT_PROBE_READ_KERNEL }, true },
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct candidate one[] = {
			{ .name = "K",
			  .tiers = TIER_A,
			  .probes = { KP("vfs_read") },
			  .needs = { cases[i].need } },
			{ 0 },
		};

		ck_assert_int_eq(make_one(one, cases[i].met ? 0 : -ENOENT)->chosen != NULL,
				 cases[i].met);
	}
}
END_TEST

START_TEST(an_internal_capability_is_wanted_with_what_it_serves)
{
	static const struct candidate chain[] = {
		{ .name = "T_CHAIN", .tiers = TIER_A, .probes = { KP("vfs_rmdir") } },
		{ 0 },
	};
	static const struct candidate sizes[] = {
		{ .name = "T_SIZES",
		  .uses = USES_MERGES,
		  .tiers = TIER_A,
		  .probes = { KP("vfs_rmdir") } },
		{ 0 },
	};
	static const struct capability table[] = {
		{ "", STREAM_INTERNAL, "CHAIN", "", "", chain, USES_MERGES, 0 },
		{ "", STREAM_INTERNAL, "SIZES", "", "", sizes, USES_SIZES, 0 },
		{ "", STREAM_INTERNAL, "CALLS", "", "", reads, USES_DESCRIPTORS, 0 },
		ROWS_OF(fs, "READ", reads),
	};

	make(table, 4, 0);
	ck_assert(plan.choices[0].wanted && plan.choices[0].chosen);
	ck_assert(plan.choices[1].wanted && plan.choices[1].chosen);
	ck_assert(!plan.choices[2].wanted && !plan.choices[2].chosen);
	ck_assert_str_eq(plan.choices[2].why, "only needed with CALL");
	ck_assert_uint_eq(plan.n_probes, 2);
}
END_TEST

START_TEST(what_an_option_turns_on_is_off_without_it)
{
	static const struct capability table[] = {
		ROWS_OF(nw_drop, "TCP_RETRANSMIT", reads),
		{ "", STREAM_nw_drop, "PACKET_DROP", "", "", reads, 0, OPTION_DROPS },
	};
	struct plan_request request = { .options = OPTION_DROPS };

	make(table, 2, 0);
	ck_assert(plan.choices[0].wanted);
	ck_assert(!plan.choices[1].wanted && !plan.choices[1].chosen);
	ck_assert_str_eq(plan.choices[1].why, "only needed with --drops");
	ck_assert_int_eq(plan_make_from(&plan, host, &request, table, 2), 0);
	ck_assert(plan.choices[1].wanted && plan.choices[1].chosen);
}
END_TEST

START_TEST(only_streams_asked_for_are_planned)
{
	static const struct candidate requests[] = {
		{ .name = "B", .tiers = TIER_B, .probes = { TP("block:block_rq_issue") } },
		{ 0 },
	};
	static const struct capability table[] = {
		ROWS_OF(fs, "READ", reads),
		ROWS_OF(ds, "REQUEST", requests),
		{ "", STREAM_INTERNAL, "SIZES", "", "", reads, USES_SIZES, 0 },
	};
	struct plan_request request = { .streams = STREAM_BIT(STREAM_ds) };

	ck_assert_int_eq(plan_make_from(&plan, host, &request, table, 3), 0);
	ck_assert(!plan_has_stream(&plan, STREAM_fs));
	ck_assert(plan_has_stream(&plan, STREAM_ds));
	ck_assert_str_eq(plan.choices[0].why, "stream not requested");
	ck_assert(!plan.choices[2].wanted);
	ck_assert_uint_eq(plan.n_probes, 1);
	/* of another table */
	ck_assert(plan_find(&plan, CAP_DS_REQUEST) == NULL);
}
END_TEST

START_TEST(a_candidate_that_loses_twice_for_the_same_reason_is_told_once)
{
	static const struct candidate same[] = {
		{ .name = "TWICE", .tiers = TIER_A, .probes = { KP("absent") } },
		{ .name = "TWICE", .tiers = TIER_A, .probes = { KP("absent") } },
		{ .name = "OTHER", .tiers = TIER_A, .probes = { KP("absent") } },
		{ 0 },
	};
	static const struct candidate different[] = {
		{ .name = "TWICE", .tiers = TIER_A, .probes = { KP("absent") } },
		{ .name = "TWICE", .tiers = TIER_A, .probes = { KP("hidden") } },
		{ 0 },
	};
	static const struct candidate then_found[] = {
		{ .name = "TWICE", .tiers = TIER_A, .probes = { KP("absent") } },
		{ .name = "TWICE", .tiers = TIER_A, .probes = { KP("absent") } },
		{ .name = "TWICE", .tiers = TIER_A, .probes = { KP("vfs_read") } },
		{ 0 },
	};
	const struct plan_choice *choice = make_one(same, -ENOENT);

	ck_assert_uint_eq(choice->n_passed, 2);
	ck_assert_str_eq(choice->passed[0].candidate->name, "TWICE");
	ck_assert_str_eq(choice->passed[1].candidate->name, "OTHER");
	ck_assert_str_eq(choice->why, "TWICE: absent is not in this kernel (or inlined); "
				      "OTHER: absent is not in this kernel (or inlined)");
	choice = make_one(different, -ENOENT);
	ck_assert_uint_eq(choice->n_passed, 2);
	ck_assert_str_ne(choice->passed[0].why, choice->passed[1].why);
	choice = make_one(then_found, 0);
	ck_assert(choice->chosen == &then_found[2]);
	ck_assert_uint_eq(choice->n_passed, 1);
}
END_TEST

START_TEST(a_plan_needs_what_the_chosen_and_wanted_use)
{
	static const struct candidate requests[] = {
		{ .name = "B",
		  .uses = USES_MERGES,
		  .tiers = TIER_B,
		  .probes = { TP("block:block_rq_issue") } },
		{ 0 },
	};
	static const struct capability table[] = {
		ROWS_OF(fs, "READ", reads),
		ROWS_OF(ds, "REQUEST", requests),
	};
	struct plan_request request = { .streams = STREAM_BIT(STREAM_ds) };

	ck_assert_int_eq(plan_make_from(&plan, host, &request, table, 2), 0);
	ck_assert(plan_needs(&plan, USES_MERGES));
	ck_assert(plan_needs(&plan, USES_MERGES | USES_SIZES)); /* any of it */
	ck_assert(!plan_needs(&plan, USES_SIZES)); /* of a stream that nobody asked for */
	ck_assert(!plan_needs(&plan, USES_DESCRIPTORS));
	make(table, 2, 0);
	ck_assert(plan_needs(&plan, USES_SIZES));
	ck_assert(!plan_needs(&plan, USES_DESCRIPTORS)); /* lost */
}
END_TEST

START_TEST(a_target_shared_by_two_choices_is_one_probe)
{
	static const struct candidate optional[] = {
		{ .name = "O", .tiers = TIER_A, .probes = { KP_F("vfs_read", PROBE_OPTIONAL) } },
		{ 0 },
	};
	static const struct capability table[] = {
		ROWS_OF(fs, "READ", optional),
		ROWS_OF(fs, "WRITE", reads),
	};

	make(table, 2, 0);
	ck_assert_uint_eq(plan.n_probes, 1);
	ck_assert_uint_eq(plan.n_conflicts, 0);
	ck_assert_uint_eq(plan.probes[0].choice, 0);
	ck_assert(!plan.probes[0].optional);
	ck_assert_uint_eq(plan.choices[1].probes[0], 0);
}
END_TEST

START_TEST(two_programs_on_one_target_are_a_conflict)
{
	static const struct candidate other[] = {
		{ .name = "X",
		  .tiers = TIER_A,
		  .probes = { { PROBE_KPROBE, 0, "vfs_read", "other" } } },
		{ 0 },
	};
	static const struct capability table[] = {
		ROWS_OF(fs, "READ", reads),
		ROWS_OF(fs, "WRITE", other),
	};

	make(table, 2, 0);
	ck_assert_uint_eq(plan.n_conflicts, 1);
}
END_TEST

START_TEST(a_host_without_bpf_plans_nothing)
{
	fixture_write(dir, "boot/config-5.0.0",
		      "CONFIG_KPROBES=y\nCONFIG_KPROBE_EVENTS=y\n"
		      "# CONFIG_BPF_SYSCALL is not set\n");
	open_host(true, true);
	ck_assert_str_eq(make_one(reads, -ENOENT)->why,
			 "this kernel is built without CONFIG_BPF_SYSCALL");
}
END_TEST

START_TEST(tiers_have_letters)
{
	ck_assert_int_eq(tier_letter(TIER_A), 'a');
	ck_assert_int_eq(tier_letter(TIER_B), 'b');
	ck_assert_int_eq(tier_letter(TIER_C), 'c');
	ck_assert_int_eq(tier_letter(TIER_NONE), '-');
}
END_TEST

static const struct feature boat = {
	.absent = "this kernel has no boat",
	.signs = { { .kind = NEED_TRACEPOINT, .what = "boat:sails" },
		   { .kind = NEED_SYMBOL, .what = "vfs_boat" },
		   { .kind = NEED_SYMBOL, .what = "vfs_read" } },
};
static const struct candidate boats[] = {
	{ .name = "ANY",
	  .feature = &boat,
	  .tiers = TIER_A | TIER_B | TIER_C,
	  .probes = { TP("block:block_rq_issue") } },
	{ 0 },
};

/* Of several signs one is enough; a function is one only where kprobes have kallsyms read anyway. */
START_TEST(a_feature_is_there_or_told_to_be_absent)
{
	const struct plan_choice *choice = make_one(boats, 0);

	ck_assert(choice->chosen == &boats[0]);
	ck_assert(!choice->absent);
	ck_assert(plan_stream_off(&plan, STREAM_fs) == NULL);
	ck_assert(plan_feature(choice) == &boat);
	open_host(true, false);
	choice = make_one(boats, -ENOENT);
	ck_assert(choice->chosen == NULL);
	ck_assert(choice->absent);
	ck_assert_uint_eq(choice->n_passed, 0);
	ck_assert_str_eq(choice->why, boat.absent);
	ck_assert_str_eq(plan_stream_off(&plan, STREAM_fs), boat.absent);
	ck_assert(plan_stream_off(&plan, STREAM_ds) == NULL);
}
END_TEST

static void write_choice(FILE *out, const struct plan_choice *choice)
{
	const struct capability *c = choice->capability;

	fprintf(out, "%s %s%s%s: ", capability_stream(c), c->operation, c->path[0] ? " " : "",
		c->path);
	if (choice->chosen)
		fprintf(out, "%c %s\n", tier_letter(choice->tier), choice->chosen->name);
	else
		fprintf(out, "%s: %s\n", choice->wanted ? "off" : "not wanted", choice->why);
	for (unsigned i = 0; i < choice->n_passed; i++)
		fprintf(out, "\tnot %s: %s\n", choice->passed[i].candidate->name,
			choice->passed[i].why);
}

static void write_plan(FILE *out, const char *title)
{
	static const char *const kinds[] = { "", "kprobe", "kretprobe", "tracepoint", "raw" };

	fprintf(out, "== %s\n", title);
	for (unsigned i = 0; i < plan.n_choices; i++)
		write_choice(out, &plan.choices[i]);
	for (unsigned i = 0; i < plan.n_probes; i++)
		fprintf(out, "%s %s: %s%s\n", kinds[plan.probes[i].kind], plan.probes[i].target,
			plan.probes[i].program, plan.probes[i].optional ? " (optional)" : "");
}

static const struct {
	const char *title;
	bool headers, kprobes, syscall_events;
} ways[] = {
	{ "kprobes and headers", true, true, true },
	{ "headers", true, false, true },
	{ "neither", false, false, true },
	{ "kprobes and headers, no system-call tracepoints", true, true, false },
};
#define N_WAYS (sizeof(ways) / sizeof(ways[0]))

static struct host *open_saved(const char *name, unsigned way)
{
	char path[PATH_MAX];
	struct host_options options = {
		.root = fixture_saved(name),
		.headers = path,
		.layout = !ways[way].headers ? LAYOUT_NONE : LAYOUT_ANY,
		.no_kprobes = !ways[way].kprobes,
		.no_syscall_events = !ways[way].syscall_events,
	};
	struct host *saved;

	snprintf(path, sizeof(path), "%.4080s/headers", dir);
	saved = host_open(&options);
	ck_assert(saved != NULL);
	ck_assert_int_eq(saved->headers[0] != '\0', ways[way].headers);
	return saved;
}

/* All plans of one host, one behind the other; also that tracepoints have one program each. */
static char *plans_of(const char *name)
{
	const struct plan_request everything = { .options = OPTION_DROPS };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	fixture_headers(dir, name);
	for (unsigned i = 0; i < N_WAYS; i++) {
		struct host *saved = open_saved(name, i);

		ck_assert_int_eq(plan_make(&plan, saved, &everything), 0);
		ck_assert_uint_eq(plan.n_conflicts, 0);
		ck_assert_uint_eq(plan.n_choices, N_CAPABILITIES);
		write_plan(out, ways[i].title);
		host_close(saved);
	}
	fclose(out);
	return text;
}

START_TEST(a_saved_host_is_planned_as_stored)
{
	const char *name = saved_hosts[_i];
	char *text = plans_of(name), *stored;
	size_t size;

	if (getenv("UPDATE_PLANS"))
		fixture_write(fixture_saved(name), "plan.txt", text);
	stored = root_read(fixture_saved(name), "plan.txt", &size);
	ck_assert_msg(stored && !strcmp(stored, text),
		      "plan of %s differs from tests/hosts/%s/plan.txt; now it is:\n%s", name, name,
		      text);
	free(stored);
	free(text);
}
END_TEST

/* arm64 before 4.19 has no event of mmap; its function is one for kprobes. */
static bool is_mmap_without_event(const struct host *saved, const struct plan_choice *c,
				  bool kprobes)
{
	return !kprobes && !strcmp(c->capability->operation, "MMAP") &&
	       !strcmp(saved->machine, "aarch64") &&
	       !host_has_tracepoint(saved, "syscalls:sys_enter_mmap");
}

/* On every kernel, in every tier; what the kernel found, where kprobes are. */
START_TEST(a_saved_host_shows_every_operation)
{
	fixture_headers(dir, saved_hosts[_i]);
	for (unsigned i = 0; i < N_WAYS; i++) {
		struct host *saved = open_saved(saved_hosts[_i], i);

		ck_assert_int_eq(plan_make(&plan, saved, NULL), 0);
		for (unsigned k = 0; k < plan.n_choices; k++) {
			const struct plan_choice *c = &plan.choices[k];

			if (c->capability->stream == STREAM_fs && !c->capability->path[0])
				ck_assert_msg((c->chosen != NULL) !=
						      is_mmap_without_event(saved, c,
									    ways[i].kprobes),
					      "%s: %s", c->capability->operation, c->why);
		}
		ck_assert_int_eq(plan_find(&plan, CAP_NAMES)->chosen != NULL, ways[i].kprobes);
		host_close(saved);
	}
}
END_TEST

static void plan_stream(struct host *saved, enum stream_id stream)
{
	struct plan_request request = { .streams = STREAM_BIT(stream) };

	ck_assert_int_eq(plan_make(&plan, saved, &request), 0);
	ck_assert_uint_eq(plan.n_conflicts, 0);
	ck_assert(plan_has_stream(&plan, stream));
	for (unsigned i = 0; i < plan.n_choices; i++) {
		const struct plan_choice *c = &plan.choices[i];

		if (capability_is_internal(c->capability) || c->capability->stream == stream)
			continue;
		ck_assert_msg(!c->wanted && !c->chosen && !c->n_probes, "%s %s for %s",
			      capability_stream(c->capability), c->capability->operation,
			      streams[stream].name);
		ck_assert_str_eq(c->why, "stream not requested");
	}
}

/* Chosen, and with probes that the plan has. */
static bool is_on(enum capability_id id)
{
	const struct plan_choice *c = plan_find(&plan, id);

	ck_assert_int_eq(c->chosen != NULL, c->n_probes > 0);
	return c->wanted && c->chosen;
}

/* Without kprobes the event of x86 is all that tells of faults. */
static void plan_faults(struct host *saved, bool kprobes)
{
	const struct plan_request request = { .streams = STREAM_BIT(STREAM_pagefault) };
	bool by_address;

	if (!kprobes && !host_has_tracepoint(saved, "exceptions:page_fault_user")) {
		ck_assert_str_eq(saved->machine, "aarch64");
		ck_assert_int_ne(plan_make(&plan, saved, &request), 0);
		return;
	}
	plan_stream(saved, STREAM_pagefault);
	by_address = plan_needs(&plan, USES_MAPPINGS);
	ck_assert_int_eq(by_address, !kprobes);
	ck_assert(is_on(CAP_FILES_OPEN) && is_on(CAP_FILES_CLOSE));
	ck_assert_int_eq(is_on(CAP_MAPPINGS_NEW), by_address);
	ck_assert_int_eq(is_on(CAP_MAPPINGS_MOVED), by_address);
	ck_assert_int_eq(is_on(CAP_MAPPINGS_GONE), by_address);
	ck_assert_int_eq(is_on(CAP_DESCRIPTORS), plan_needs(&plan, USES_DESCRIPTORS));
}

/* Their files are named by what others do with them, though nobody asked for rows of that. */
START_TEST(streams_of_pages_come_with_what_names_files)
{
	fixture_headers(dir, saved_hosts[_i]);
	for (unsigned i = 0; i < N_WAYS; i++) {
		struct host *saved = open_saved(saved_hosts[_i], i);

		plan_stream(saved, STREAM_cache);
		ck_assert(is_on(CAP_FILES_OPEN) && is_on(CAP_FILES_CLOSE));
		ck_assert(!is_on(CAP_MAPPINGS_NEW));
		ck_assert_int_eq(is_on(CAP_DESCRIPTORS), plan_needs(&plan, USES_DESCRIPTORS));
		plan_faults(saved, ways[i].kprobes);
		plan_stream(saved, STREAM_ds);
		ck_assert(is_on(CAP_FILES_OPEN) && is_on(CAP_FILES_CLOSE));
		ck_assert(!is_on(CAP_MAPPINGS_NEW));
		plan_stream(saved, STREAM_sched);
		ck_assert(!is_on(CAP_FILES_OPEN) && !is_on(CAP_FILES_CLOSE));
		ck_assert(!is_on(CAP_MAPPINGS_NEW) && !is_on(CAP_DESCRIPTORS));
		host_close(saved);
	}
}
END_TEST

/* Where functions call programs, which BTF tells, these count: of 32-bit programs as far as they have calls of their own. */
START_TEST(counts_alone_are_called_by_functions)
{
	const struct plan_request alone = {
		.streams = STREAM_BIT(STREAM_layers) | STREAM_BIT(STREAM_lost),
	};
	const struct plan_request beside = {
		.streams = STREAM_BIT(STREAM_layers) | STREAM_BIT(STREAM_nw),
	};
	unsigned n_calls = 0, n_calls32 = 0;
	const struct plan_choice *c;

	fixture_write(dir, "proc/sys/kernel/arch", "x86_64\n");
	fixture_write(dir, "sys/kernel/btf/vmlinux", "");
	fixture_write(
		dir, "proc/kallsyms",
		"0 T register_kprobe\n0 T register_ftrace_direct\n0 T vfs_read\n0 T vfs_write\n"
		"0 t __x64_sys_readv\n0 t __x64_sys_preadv\n0 t __x64_sys_preadv2\n"
		"0 t __x64_sys_writev\n0 t __x64_sys_pwritev\n0 t __x64_sys_pwritev2\n"
		"0 t __x64_sys_fsync\n0 t __x64_sys_fdatasync\n0 t __ia32_sys_readv\n"
		"0 t __ia32_compat_sys_preadv\n0 t __ia32_sys_preadv\n"
		"0 t __x64_sys_sendfile64\n");
	fixture_write(dir, "sys/kernel/tracing/events/syscalls/sys_enter_sendfile64/format",
		      block_format);
	fixture_write(dir, "sys/kernel/tracing/events/syscalls/sys_exit_sendfile64/format",
		      block_format);
	fixture_write(dir, "sys/kernel/tracing/available_filter_functions", "");
	open_host(true, true);
	ck_assert(host->fact[FACT_TRAMPOLINE]);
	plan_make(&plan, host, &alone);
	c = plan_find(&plan, CAP_LAYERS_READ);
	ck_assert_ptr_nonnull(c->chosen);
	ck_assert_str_eq(c->chosen->name, "CALLS_TRAMPOLINE");
	ck_assert_str_eq(plan_find(&plan, CAP_LAYERS_SYNC_DATA)->chosen->name, "CALLS_TRAMPOLINE");
	ck_assert_int_eq(c->tier, TIER_A);
	for (unsigned i = 0; i < c->n_probes; i++) {
		const struct plan_probe *p = &plan.probes[c->probes[i]];

		n_calls += !strncmp(p->target, "__x64_sys_", 10);
		n_calls32 += !strncmp(p->target, "__ia32_", 7);
		ck_assert(probe_is_trampoline(p->kind));
		/* one that is there must have its program */
		ck_assert(!p->optional);
		ck_assert_str_ne(p->target, "__ia32_sys_preadv");
	}
	ck_assert_uint_eq(n_calls, 16);
	ck_assert_uint_eq(n_calls32, 4);
	ck_assert_uint_eq(c->n_probes, 24);
	/* one tracepoint of a call would have every call of the machine pay */
	c = plan_find(&plan, CAP_LAYERS_READ_SENDFILE);
	ck_assert_ptr_nonnull(c->chosen);
	ck_assert_int_eq(plan.probes[c->probes[0]].kind, PROBE_KPROBE);
	ck_assert_str_eq(plan.probes[c->probes[0]].target, "__x64_sys_sendfile64");
	for (unsigned i = 0; i < plan.n_probes; i++)
		ck_assert(strncmp(plan.probes[i].target, "syscalls:", 9) != 0);
	ck_assert(!is_on(CAP_FILES_OPEN));
	ck_assert(!is_on(CAP_MOUNTS));
	/* where others come by calls, these do, too */
	plan_make(&plan, host, &beside);
	c = plan_find(&plan, CAP_LAYERS_READ_SENDFILE);
	ck_assert_int_eq(plan.probes[c->probes[0]].kind, PROBE_TRACEPOINT);

	open_host(true, false);
	ck_assert(!host->fact[FACT_TRAMPOLINE]);
	plan_make(&plan, host, &alone);
	ck_assert(!plan_find(&plan, CAP_LAYERS_READ)->chosen);
}
END_TEST

/* Kernels that mark pages which a read did not ask for say so, with folios and without. */
START_TEST(hits_behind_a_read_are_told)
{
	const struct plan_request cache = { .streams = STREAM_BIT(STREAM_cache) };
	static const struct {
		const char *symbols;
		bool told;
	} kernels[] = {
		{ "0 T mark_page_accessed\n0 T block_read_full_page\n", false },
		{ "0 T mark_page_accessed\n0 T block_read_full_page\n0 T filemap_read\n", true },
		{ "0 T mark_page_accessed\n0 T folio_mark_accessed\n0 T filemap_read\n"
		  "0 T block_read_full_page\n",
		  true },
		{ "0 T mark_page_accessed\n0 T folio_mark_accessed\n0 T filemap_read\n", false },
	};

	fixture_write(dir, "sys/kernel/tracing/available_filter_functions", "");
	for (unsigned i = 0; i < sizeof(kernels) / sizeof(kernels[0]); i++) {
		const struct plan_choice *c;
		char symbols[256];

		snprintf(symbols, sizeof(symbols), "0 T register_kprobe\n%s", kernels[i].symbols);
		fixture_write(dir, "proc/kallsyms", symbols);
		open_host(true, true);
		plan_make(&plan, host, &cache);
		c = plan_find(&plan, CAP_CACHE_HIT);
		ck_assert_ptr_nonnull(c->chosen);
		ck_assert_msg((strstr(c->chosen->limits, "page behind") != NULL) == kernels[i].told,
			      "%s: %s", kernels[i].symbols, c->chosen->limits);
	}
}
END_TEST

/* Where stream fs is not recorded, events of all calls count, if the kernel gives them without a record. */
START_TEST(counts_alone_need_no_probe_of_a_single_call)
{
	static const enum capability_id calls[] = { CAP_LAYERS_READ,  CAP_LAYERS_READ_VECTORED,
						    CAP_LAYERS_WRITE, CAP_LAYERS_WRITE_VECTORED,
						    CAP_LAYERS_SYNC,  CAP_LAYERS_SYNC_DATA };

	fixture_headers(dir, saved_hosts[_i]);
	for (unsigned i = 0; i < N_WAYS; i++) {
		struct host *saved = open_saved(saved_hosts[_i], i);
		bool raw = saved->fact[FACT_RAW_TRACEPOINT];

		if (!host_has_layout(saved)) {
			host_close(saved);
			continue;
		}
		plan_stream(saved, STREAM_layers);
		for (size_t k = 0; k < sizeof(calls) / sizeof(calls[0]); k++) {
			const struct plan_choice *c = plan_find(&plan, calls[k]);

			ck_assert_ptr_nonnull(c->chosen);
			ck_assert_int_eq(!strcmp(c->chosen->name, "CALLS_RAW"), raw);
		}
		ck_assert(!raw || !is_on(CAP_SIZES));
		ck_assert_int_eq(plan_sees_kernel(&plan, CAP_LAYERS_READ_INNER), ways[i].kprobes);
		ck_assert_int_eq(plan_sees_kernel(&plan, CAP_LAYERS_WRITE_INNER), ways[i].kprobes);
		host_close(saved);
	}
}
END_TEST

static bool is_used(unsigned use)
{
	for (size_t i = 0; i < N_CAPABILITIES; i++)
		for (const struct candidate *c = capabilities[i].candidates; c;
		     c = candidate_next(c))
			if (c->uses & use)
				return true;
	return false;
}

START_TEST(what_a_capability_provides_somebody_uses)
{
	for (size_t i = 0; i < N_CAPABILITIES; i++) {
		const struct capability *c = &capabilities[i];

		ck_assert(c->stream < N_EVENT_STREAMS || capability_is_internal(c));
		/* whether calls have programs by number nobody asks: their number decides */
		ck_assert_msg(!c->provides || c->provides == USES_NUMBERS || is_used(c->provides),
			      "%s %s", c->operation, c->path);
	}
}
END_TEST

/* Candidates of one name are one thing to what provides for them. */
START_TEST(candidates_have_probes_and_those_of_one_name_the_same_uses)
{
	struct probe first;

	for (size_t i = 0; i < N_CAPABILITIES; i++)
		for (const struct candidate *c = capabilities[i].candidates; c;
		     c = candidate_next(c)) {
			ck_assert_uint_ne(c->tiers, 0);
			ck_assert(candidate_probe(c, 0, &first));
			for (size_t k = 0; k < N_CAPABILITIES; k++)
				for (const struct candidate *d = capabilities[k].candidates; d;
				     d = candidate_next(d))
					if (!strcmp(c->name, d->name))
						ck_assert_msg(c->uses == d->uses, "%s", c->name);
		}
}
END_TEST

START_TEST(the_end_of_a_system_call_that_is_skipped_shows_elsewhere)
{
	static const char end[] = "syscalls:sys_exit_", start[] = "syscalls:sys_enter_";
	struct probe p;

	for (size_t i = 0; i < N_CAPABILITIES; i++)
		for (const struct candidate *c = capabilities[i].candidates; c;
		     c = candidate_next(c))
			for (unsigned k = 0; candidate_probe(c, k, &p); k++) {
				bool shows = p.flags & PROBE_SKIP_SHOWS;

				ck_assert(!(shows && (p.flags & PROBE_INTERRUPTS)));
				if (!strncmp(p.target, end, strlen(end)))
					ck_assert_msg(shows, "%s", p.target);
				if (!strncmp(p.target, start, strlen(start)))
					ck_assert_msg(!shows, "%s", p.target);
			}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("plan");
	TCase *rules = tcase_create("rules"), *hosts = tcase_create("saved hosts");
	SRunner *runner = srunner_create(suite);
	int failed, n_saved = 0;

	while (saved_hosts[n_saved])
		n_saved++;
	tcase_add_checked_fixture(rules, setup, teardown);
	tcase_add_test(rules, the_first_usable_candidate_wins);
	tcase_add_test(rules, a_feature_is_there_or_told_to_be_absent);
	tcase_add_test(rules, without_kprobes_a_tracepoint_with_headers_is_tier_b);
	tcase_add_test(rules, without_headers_a_kprobe_is_no_use_and_a_tracepoint_is_tier_c);
	tcase_add_test(rules, a_candidate_serves_only_its_tiers);
	tcase_add_test(rules, an_off_choice_says_what_to_install);
	tcase_add_test(rules, long_reasons_leave_room_for_the_remedy);
	tcase_add_test(rules, a_silent_candidate_is_passed_over);
	tcase_add_test(rules, a_candidate_that_did_not_attach_is_passed_over);
	tcase_add_test(rules, optional_probes_may_be_missing);
	tcase_add_test(rules, nothing_but_missing_optional_probes_is_no_candidate);
	tcase_add_test(rules, parts_and_suffixes_become_targets);
	tcase_add_test(rules, an_unusable_function_says_why);
	tcase_add_test(rules, needs_are_met_or_the_candidate_loses);
	tcase_add_test(rules, an_internal_capability_is_wanted_with_what_it_serves);
	tcase_add_test(rules, what_an_option_turns_on_is_off_without_it);
	tcase_add_test(rules, only_streams_asked_for_are_planned);
	tcase_add_test(rules, a_candidate_that_loses_twice_for_the_same_reason_is_told_once);
	tcase_add_test(rules, a_plan_needs_what_the_chosen_and_wanted_use);
	tcase_add_test(rules, a_target_shared_by_two_choices_is_one_probe);
	tcase_add_test(rules, two_programs_on_one_target_are_a_conflict);
	tcase_add_test(rules, a_host_without_bpf_plans_nothing);
	tcase_add_test(rules, counts_alone_are_called_by_functions);
	tcase_add_test(rules, hits_behind_a_read_are_told);
	tcase_add_test(rules, tiers_have_letters);
	tcase_add_test(rules, what_a_capability_provides_somebody_uses);
	tcase_add_test(rules, candidates_have_probes_and_those_of_one_name_the_same_uses);
	tcase_add_test(rules, the_end_of_a_system_call_that_is_skipped_shows_elsewhere);
	suite_add_tcase(suite, rules);
	tcase_add_checked_fixture(hosts, setup, teardown);
	tcase_add_loop_test(hosts, a_saved_host_is_planned_as_stored, 0, n_saved);
	tcase_add_loop_test(hosts, a_saved_host_shows_every_operation, 0, n_saved);
	tcase_add_loop_test(hosts, counts_alone_need_no_probe_of_a_single_call, 0, n_saved);
	tcase_add_loop_test(hosts, streams_of_pages_come_with_what_names_files, 0, n_saved);
	tcase_set_timeout(hosts, 120);
	suite_add_tcase(suite, hosts);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? 1 : 0;
}
