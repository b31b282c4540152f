/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The BPF text of every saved host, with headers and without: it says what the
 * plan says, holds every program the plan attaches, and lays tracepoint
 * records out as that host's format files do, which the C compiler ($CC, or
 * cc) is asked to confirm.
 */
#include "compat/host/facts.h"
#include "compat/host/host.h"
#include "compat/host/tracefs.h"
#include "image/source.h"
#include "plan/plan_probes.h"
#include "row/calls.h"

#include <check.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture/host_fixture.h"

enum { MAX_FIELDS = 64 };

static char *dir;
static struct host *host;
static struct plan plan;
static char *text;

static void setup(void)
{
	dir = fixture_make();
}

static void teardown(void)
{
	free(text);
	text = NULL;
	host_close(host);
	host = NULL;
	fixture_remove(dir);
}

/* Each saved host twice: even ones with headers, odd ones without. */
static void make_text(int i)
{
	struct plan_request request = { 0 };
	char headers[4200], root[PATH_MAX];
	struct host_options options = { .root = root,
					.layout = i % 2 ? LAYOUT_NONE : LAYOUT_ANY,
					.headers = headers };

	snprintf(root, sizeof(root), "%s", fixture_saved(saved_hosts[i / 2]));
	fixture_headers(dir, saved_hosts[i / 2]);
	snprintf(headers, sizeof(headers), "%.4000s/headers", dir);
	if (i % 2)
		options.headers = NULL;
	host = host_open(&options);
	ck_assert(host != NULL);
	ck_assert_int_eq(plan_make(&plan, host, &request), 0);
	text = source_make(&plan);
	ck_assert(text != NULL);
}

static bool defined(const char *prefix, const char *name, const char *value)
{
	char line[256];

	snprintf(line, sizeof(line), "#define IOT_%s%s %s\n", prefix, name, value);
	return strstr(text, line) != NULL;
}

START_TEST(defines_are_the_facts_and_choices)
{
	make_text(_i);
	ck_assert_int_eq(plan.headers, !(_i % 2));
	ck_assert_int_eq(defined("HEADERS", "", "1"), plan.headers);
	for (int i = 0; i < N_FACTS; i++)
		ck_assert_msg(defined("HAS_", fact_name(i), "1") == host->fact[i], "%s",
			      fact_name(i));
	for (unsigned i = 0; i < plan.n_choices; i++) {
		const struct plan_choice *c = &plan.choices[i];

		if (!c->chosen)
			continue;
		ck_assert_msg(defined("USE_", c->chosen->name, "1"), "%s", c->chosen->name);
		if (!capability_is_internal(c->capability))
			ck_assert(defined("STREAM_", capability_stream(c->capability), "1"));
	}
}
END_TEST

/* IOT_VIA_FS_READ_IO_URING and so on: its place in the plan, from 1, chosen or not. */
START_TEST(ways_are_numbered_by_their_place)
{
	make_text(_i);
	for (unsigned i = 0; i < plan.n_choices; i++) {
		const struct capability *c = plan.choices[i].capability;
		char name[128], number[16];

		ck_assert(c == &capabilities[i]);
		if (capability_is_internal(c))
			continue;
		snprintf(name, sizeof(name), "%s_%s%s%s", capability_stream(c), c->operation,
			 c->path[0] ? "_" : "", c->path);
		for (char *p = name; *p; p++)
			*p = *p == '-' ? '_' : (char)toupper((unsigned char)*p);
		snprintf(number, sizeof(number), "%u", i + 1);
		ck_assert_msg(defined("VIA_", name, number), "IOT_VIA_%s %s", name, number);
	}
}
END_TEST

/* A use of a candidate that lost would compile its programs, too. */
START_TEST(candidates_that_lost_are_not_used)
{
	make_text(_i);
	for (const char *at = text; (at = strstr(at, "#define IOT_USE_")); at++) {
		char name[64];
		bool chosen = false;

		ck_assert_int_eq(sscanf(at, "#define IOT_USE_%63s 1", name), 1);
		for (unsigned i = 0; i < plan.n_choices; i++)
			chosen = chosen || (plan.choices[i].chosen &&
					    !strcmp(plan.choices[i].chosen->name, name));
		ck_assert_msg(chosen, "%s", name);
	}
}
END_TEST

START_TEST(every_program_of_the_plan_is_in_the_text)
{
	make_text(_i);
	for (unsigned i = 0; i < plan.n_probes; i++)
		ck_assert(defined("PROGRAM_", plan.probes[i].program, "1"));
	for (unsigned i = 0; i < plan.n_probes; i++)
		ck_assert_msg(strstr(text, plan.probes[i].program) != NULL, "%s",
			      plan.probes[i].program);
}
END_TEST

static void struct_name(const char *target, char *name, size_t size)
{
	snprintf(name, size, "iot_tp_%s", target);
	*strchr(name, ':') = '_';
}

/* What the format says of one event as claims on its struct. */
static void put_claims(FILE *out, const char *target)
{
	struct tp_field fields[MAX_FIELDS];
	int n = host_tp_fields(host, target, fields, MAX_FIELDS);
	uint32_t end = 0;
	char name[160];

	struct_name(target, name, sizeof(name));
	ck_assert_int_gt(n, 4);
	for (int i = 0; i < n; i++) {
		const struct tp_field *f = &fields[i];

		if (f->offset < end)
			continue; /* a text behind the record */
		end = f->offset + f->size;
		fprintf(out,
			"_Static_assert(offsetof(struct %s, %s) == %u && sizeof(((struct %s *)0)->%s) == %u, "
			"\"%s.%s\");\n",
			name, f->name, f->offset, name, f->name, f->is_data_loc ? 4 : f->size, name,
			f->name);
		if (!f->is_array && !f->is_data_loc && f->offset % (f->size ? f->size : 1) == 0 &&
		    (f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8))
			fprintf(out,
				"_Static_assert(((__typeof__(((struct %s *)0)->%s))-1 < 0) == %d, "
				"\"sign of %s.%s\");\n",
				name, f->name, f->is_signed, name, f->name);
	}
}

/* Copies "struct NAME {" to its closing brace; there must be exactly one. */
static void put_struct(FILE *out, const char *name)
{
	char begin[200];
	const char *at, *end;

	snprintf(begin, sizeof(begin), "struct %s {\n", name);
	at = strstr(text, begin);
	ck_assert_msg(at != NULL, "%s", begin);
	ck_assert_msg(strstr(at + 1, begin) == NULL, "%s twice", begin);
	end = strstr(at, "}");
	fprintf(out, "%.*s", (int)(strchr(end, '\n') + 1 - at), at);
}

static void compile(const char *file)
{
	const char *cc = getenv("CC");
	char command[9000];

	snprintf(command, sizeof(command), "%s -std=gnu11 -Wall -Wno-pragmas -fsyntax-only '%s'",
		 cc && *cc ? cc : "cc", file);
	ck_assert_msg(system(command) == 0, "%s", command);
}

START_TEST(tracepoint_records_are_laid_out_as_on_the_host)
{
	char file[4200];
	unsigned n = 0;
	FILE *out;

	make_text(_i);
	snprintf(file, sizeof(file), "%.4000s/layout.c", dir);
	out = fopen(file, "w");
	ck_assert(out != NULL);
	fputs("#include <stddef.h>\n#include <stdint.h>\ntypedef uint8_t u8; typedef uint16_t u16;\n"
	      "typedef uint32_t u32; typedef uint64_t u64; typedef int8_t s8; typedef int16_t s16;\n"
	      "typedef int32_t s32; typedef int64_t s64;\n",
	      out);
	for (unsigned i = 0; i < plan.n_probes; i++) {
		const struct plan_probe *p = &plan.probes[i];
		char name[160];

		if (p->kind != PROBE_TRACEPOINT || !strncmp(p->target, "syscalls:", 9))
			continue;
		struct_name(p->target, name, sizeof(name));
		put_struct(out, name);
		put_claims(out, p->target);
		n++;
	}
	ck_assert_int_eq(fclose(out), 0);
	ck_assert_uint_ge(n, 4);
	compile(file);
}
END_TEST

/* By which its programs are called. */
static void every_call_has_its_number(void)
{
	for (unsigned i = 0; i < plan.n_probes; i++) {
		const struct plan_probe *p = &plan.probes[i];
		const char *event = p->target + strlen("syscalls:sys_exit_");

		if (p->kind != PROBE_NUMBER)
			continue;
		event += *event == '_'; /* sys_enter_ is one longer */
		ck_assert_msg(calls_event_number(event) >= 0, "%s", p->target);
	}
}

START_TEST(system_calls_have_one_layout_everywhere)
{
	struct tp_field fields[MAX_FIELDS];

	bool late; /* el9 has one field more in all records */

	make_text(_i);
	if (plan_has_kind(&plan, PROBE_NUMBER, PROBE_NUMBER)) {
		ck_assert(strstr(text, "#define iot_sys_enter iot_raw\n"));
		every_call_has_its_number();
		return;
	}
	late = !strncmp(host->release, "5.14.0-", 7);
	ck_assert(strstr(
		text,
		late ? "struct iot_sys_enter { char common[12]; s32 number; u64 args[6]; };\n" :
		       "struct iot_sys_enter { char common[8]; s32 number; u32 pad; u64 args[6]; };\n"));
	ck_assert(strstr(text, "struct iot_sys_exit { u64 common[2]; s64 ret; };\n"));
	for (unsigned i = 0; i < plan.n_probes; i++) {
		const char *target = plan.probes[i].target;
		uint32_t at = 16;
		int n;

		if (strncmp(target, "syscalls:", 9))
			continue;
		n = host_tp_fields(host, target, fields, MAX_FIELDS);
		ck_assert_int_gt(n, 4);
		for (int k = 0; k < n; k++) {
			/* what all events have in common, and the call's number */
			if (!strcmp(fields[k].name, "__syscall_nr"))
				ck_assert_uint_eq(fields[k].offset, late ? 12 : 8);
			if (!strncmp(fields[k].name, "common_", 7) ||
			    !strcmp(fields[k].name, "__syscall_nr")) {
				ck_assert_uint_le(fields[k].offset + fields[k].size, 16);
				continue;
			}
			if (fields[k].is_data_loc)
				continue;
			ck_assert_msg(fields[k].offset == at, "%s: %s at %u", target,
				      fields[k].name, fields[k].offset);
			at += 8;
		}
		ck_assert_uint_le(at, 64);
	}
}
END_TEST

START_TEST(same_plan_has_the_same_text)
{
	char *again;

	make_text(_i);
	again = source_make(&plan);
	ck_assert_str_eq(again, text);
	free(again);
}
END_TEST

START_TEST(kernel_headers_are_included_only_when_there_are_any)
{
	make_text(_i);
	ck_assert_int_eq(strstr(text, "#include <linux/fs.h>") != NULL, plan.headers);
}
END_TEST

START_TEST(streams_that_are_not_wanted_are_not_in_the_text)
{
	struct plan_request request = { .streams = STREAM_BIT(STREAM_exec) };

	make_text(_i);
	free(text);
	ck_assert_int_eq(plan_make(&plan, host, &request), 0);
	text = source_make(&plan);
	ck_assert(text != NULL);
	ck_assert(defined("STREAM_", "exec", "1"));
	ck_assert(!defined("STREAM_", "fs", "1"));
	ck_assert(!defined("STREAM_", "ds", "1"));
}
END_TEST

START_TEST(tracepoint_without_a_format_is_refused)
{
	make_text(0);
	plan.probes[plan.n_probes++] = (struct plan_probe){
		.kind = PROBE_TRACEPOINT,
		.target = "no:such_event",
		.program = "x",
	};
	ck_assert(source_make(&plan) == NULL);
}
END_TEST

/* Registers, and what lies where on a stack, are those of the host, not of this machine. */
START_TEST(text_has_the_table_of_the_hosts_machine)
{
	make_text(1);
	ck_assert(defined("NR_", "NATIVE", "IOT_NR_x86_64"));
	ck_assert(!strstr(text, "IOT_PSTATE_32"));
	free(text);
	strcpy(host->machine, "aarch64");
	text = source_make(&plan);
	ck_assert(text != NULL);
	ck_assert(defined("NR_", "NATIVE", "IOT_NR_arm64"));
	ck_assert(defined("", "PSTATE_32", "0x10"));
	ck_assert(!strstr(text, "IOT_USER32_CS"));
}
END_TEST

START_TEST(machine_without_a_table_is_refused)
{
	make_text(1);
	strcpy(host->machine, "s390x");
	ck_assert(source_make(&plan) == NULL);
}
END_TEST

static Suite *source_suite(void)
{
	Suite *suite = suite_create("source");
	TCase *tcase = tcase_create("source");
	int n = 0;

	while (saved_hosts[n / 2])
		n += 2;
	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_set_timeout(tcase, 60);
	tcase_add_loop_test(tcase, defines_are_the_facts_and_choices, 0, n);
	tcase_add_loop_test(tcase, ways_are_numbered_by_their_place, 0, n);
	tcase_add_loop_test(tcase, candidates_that_lost_are_not_used, 0, n);
	tcase_add_loop_test(tcase, every_program_of_the_plan_is_in_the_text, 0, n);
	tcase_add_loop_test(tcase, tracepoint_records_are_laid_out_as_on_the_host, 0, n);
	tcase_add_loop_test(tcase, system_calls_have_one_layout_everywhere, 0, n);
	tcase_add_loop_test(tcase, same_plan_has_the_same_text, 0, 2);
	tcase_add_loop_test(tcase, kernel_headers_are_included_only_when_there_are_any, 0, n);
	tcase_add_loop_test(tcase, streams_that_are_not_wanted_are_not_in_the_text, 0, 2);
	tcase_add_test(tcase, tracepoint_without_a_format_is_refused);
	tcase_add_test(tcase, text_has_the_table_of_the_hosts_machine);
	tcase_add_test(tcase, machine_without_a_table_is_refused);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	SRunner *runner = srunner_create(source_suite());
	int n_failed;

	srunner_run_all(runner, CK_ENV);
	n_failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return n_failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
