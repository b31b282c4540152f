/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plan that an image carries: what is written is read back, for every saved
 * host and way; what is damaged or of another build is refused; narrowed to a
 * stream it is what would have been made for that stream.
 */
#include <check.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compat/host/host.h"
#include "fixture/host_fixture.h"
#include "image/plan_text.h"
#include "plan/plan.h"
#include "plan/plan_probes.h"
#include "row/schema.h"

static char *dir;
static struct plan all, made, read;

static const struct {
	bool no_headers, no_kprobes, no_syscall_events;
} ways[] = {
	{ false, false, false },
	{ false, true, false },
	{ true, true, false },
	{ false, false, true },
};
enum { N_WAYS = sizeof(ways) / sizeof(ways[0]) };

static void setup(void)
{
	dir = fixture_make();
}
static void teardown(void)
{
	fixture_remove(dir);
}

/* Its headers are in dir from then on: fixture_headers. */
static struct host *open_saved(const char *name, int way)
{
	char path[PATH_MAX];
	const struct host_options options = {
		.root = fixture_saved(name),
		.headers = path,
		.layout = ways[way].no_headers ? LAYOUT_NONE : LAYOUT_ANY,
		.no_kprobes = ways[way].no_kprobes,
		.no_syscall_events = ways[way].no_syscall_events,
	};
	struct host *host;

	snprintf(path, sizeof(path), "%.4080s/headers", dir);
	host = host_open(&options);
	ck_assert_ptr_ne(host, NULL);
	return host;
}

static void same_choice(const struct plan_choice *a, const struct plan_choice *b)
{
	ck_assert_ptr_eq(a->capability, b->capability);
	ck_assert_ptr_eq(a->chosen, b->chosen);
	ck_assert_int_eq(a->wanted, b->wanted);
	ck_assert_int_eq(a->tier, b->tier);
	if (a->wanted && !a->chosen) {
		ck_assert_int_eq(a->absent, b->absent);
		ck_assert_str_eq(a->why, b->why);
	}
	ck_assert_uint_eq(a->n_probes, b->n_probes);
	ck_assert_int_eq(memcmp(a->probes, b->probes, a->n_probes * sizeof(a->probes[0])), 0);
}

static void same_probe(const struct plan_probe *a, const struct plan_probe *b)
{
	ck_assert_int_eq(a->kind, b->kind);
	ck_assert_int_eq(a->optional, b->optional);
	ck_assert_str_eq(a->target, b->target);
	ck_assert_str_eq(a->program, b->program);
	ck_assert_uint_eq(a->choice, b->choice);
}

static void survives(const struct host *host, const struct plan_request *request)
{
	char *text;

	plan_make(&made, host, request);
	text = plan_to_text(&made);
	ck_assert_ptr_ne(text, NULL);
	ck_assert_int_eq(plan_from_text(&read, host, text), 0);
	ck_assert_int_eq(read.headers, made.headers);
	ck_assert_int_eq(read.syscall_functions, made.syscall_functions);
	ck_assert_int_eq(read.given, made.given);
	ck_assert_int_eq(read.layouts, made.layouts);
	ck_assert_uint_eq(read.n_choices, made.n_choices);
	for (unsigned i = 0; i < made.n_choices; i++)
		same_choice(&made.choices[i], &read.choices[i]);
	ck_assert_uint_eq(read.n_probes, made.n_probes);
	for (unsigned i = 0; i < made.n_probes; i++)
		same_probe(&made.probes[i], &read.probes[i]);
	free(text);
}

static void every_plan_survives(const struct host *host)
{
	const struct plan_request everything = { .options = OPTION_DROPS | OPTION_GIVEN },
				  counts = { .streams = STREAM_BIT(STREAM_layers) };

	survives(host, &everything);
	ck_assert_uint_gt(made.n_probes, 0);
	survives(host, &counts);
}

/* Of many calls, or of those beside kprobes, some may be planned another way than alone. */
static bool same_kind(const struct plan_probe *a, const struct plan_probe *b)
{
	return a->kind == b->kind ||
	       (a->kind == PROBE_NUMBER && probe_is_syscall(b->kind, b->target)) ||
	       (b->kind == PROBE_NUMBER && probe_is_syscall(a->kind, a->target));
}

static bool is_caller(const struct plan_probe *probe)
{
	return !strncmp(probe->program, "iot_number_", 11);
}

static bool has_probe(const struct plan *plan, const struct plan_probe *probe)
{
	for (unsigned i = 0; i < plan->n_probes; i++)
		if (same_kind(&plan->probes[i], probe) &&
		    !strcmp(plan->probes[i].target, probe->target) &&
		    !strcmp(plan->probes[i].program, probe->program))
			return true;
	return false;
}

static unsigned n_own(const struct plan *plan, const struct plan_choice *choice)
{
	unsigned n = 0;

	/* callers are last */
	while (n < choice->n_probes && !is_caller(&plan->probes[choice->probes[n]]))
		n++;
	return n;
}

/* Of a choice that both have: the same probes, wherever they stand. */
static void same_probes(const struct plan_choice *a, const struct plan_choice *b)
{
	ck_assert_uint_eq(n_own(&made, a), n_own(&read, b));
	for (unsigned i = 0; i < n_own(&made, a); i++)
		ck_assert_str_eq(made.probes[a->probes[i]].target,
				 read.probes[b->probes[i]].target);
}

static void narrowed_is_as_made(const struct host *host, enum stream_id stream)
{
	const struct plan_request one = { .streams = STREAM_BIT(stream) };
	int err, n = 0;

	read = all;
	err = plan_narrow(&read, &one);
	ck_assert_int_eq(plan_make(&made, host, &one), err);
	for (unsigned i = 0; i < made.n_choices; i++) {
		if (made.choices[i].capability->provides == USES_NUMBERS)
			continue;
		ck_assert_ptr_eq(made.choices[i].chosen, read.choices[i].chosen);
		ck_assert_int_eq(made.choices[i].wanted, read.choices[i].wanted);
		same_probes(&made.choices[i], &read.choices[i]);
	}
	for (unsigned i = 0; i < read.n_probes; i++)
		if (is_caller(&read.probes[i]))
			ck_assert(plan_has_kind(&read, PROBE_NUMBER, PROBE_NUMBER));
		else
			n++;
	for (unsigned i = 0; i < made.n_probes; i++)
		n -= !is_caller(&made.probes[i]);
	ck_assert_int_eq(n, 0);
	for (unsigned i = 0; i < made.n_probes; i++) {
		ck_assert(is_caller(&made.probes[i]) || has_probe(&read, &made.probes[i]));
		ck_assert_uint_lt(made.probes[i].choice, made.n_choices);
	}
}

/* But for counts: where fs was wanted as well, its programs make them. */
static void each_narrowed_is_as_made(const struct host *host)
{
	plan_make(&all, host, &(struct plan_request){ .options = OPTION_DROPS });
	for (int i = 0; i < N_EVENT_STREAMS; i++)
		if (!schema_has(i, ALWAYS_RECORDED) && i != STREAM_layers)
			narrowed_is_as_made(host, i);
}

/* One test, since a saved host takes long to read. */
START_TEST(a_plan_survives_the_trip_and_narrowed_is_that_of_the_stream)
{
	fixture_headers(dir, saved_hosts[_i]);
	for (int way = 0; way < N_WAYS; way++) {
		struct host *host = open_saved(saved_hosts[_i], way);

		every_plan_survives(host);
		each_narrowed_is_as_made(host);
		host_close(host);
	}
}
END_TEST

static void plan_of_fs(char **text, struct host **host)
{
	const struct plan_request request = { .streams = STREAM_BIT(STREAM_fs) };

	fixture_headers(dir, "6.1");
	*host = open_saved("6.1", 0);
	ck_assert_int_eq(plan_make(&made, *host, &request), 0);
	*text = plan_to_text(&made);
}

/* What the image was not made for stays out of it, whatever is asked for. */
START_TEST(narrowing_adds_nothing)
{
	struct host *host;
	char *text;

	plan_of_fs(&text, &host);
	ck_assert_int_eq(plan_from_text(&read, host, text), 0);
	ck_assert_int_eq(plan_narrow(&read, &(struct plan_request){ .options = OPTION_DROPS }), 0);
	ck_assert(plan_has_stream(&read, STREAM_fs));
	ck_assert(!plan_has_stream(&read, STREAM_ds));
	ck_assert_str_eq(plan_find(&read, CAP_DS_REQUEST)->why, "not in the image");
	ck_assert_uint_eq(read.n_probes, made.n_probes);
	free(text);
	host_close(host);
}
END_TEST

START_TEST(a_text_that_was_cut_is_refused)
{
	struct host *host;
	char *text;

	plan_of_fs(&text, &host);
	for (size_t len = strlen(text) - 1; len > 0; len -= len > 97 ? 97 : 1) {
		text[len] = '\0';
		/* whole lines may make a smaller plan; the checksum of the image is over all */
		if (text[len - 1] != '\n')
			ck_assert_int_ne(plan_from_text(&read, host, text), 0);
	}
	free(text);
	host_close(host);
}
END_TEST

/* replaced(text, from, to): a copy with the first one replaced */
static char *replaced(const char *text, const char *from, const char *to)
{
	const char *at = strstr(text, from);
	char *copy = malloc(strlen(text) + strlen(to) + 1);

	ck_assert_msg(at != NULL, "no '%s'", from);
	sprintf(copy, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
	return copy;
}

START_TEST(a_text_of_another_build_is_refused)
{
	static const struct {
		const char *from, *to;
		int err;
	} changes[] = {
		{ "layout ", "layout 0", -ESTALE },
		{ "layout ", "", -EBADMSG },
		{ "headers 1", "headers 2", -EBADMSG },
		{ "layouts headers", "layouts any", -EBADMSG },
		{ "headers 1", "something 1", -ESTALE },
		{ "\nprobe ", "\nprobe 9 0 0 a:b c\nprobe ", -EBADMSG },
		{ "\nprobe ", "\nprobe 0 0 0 a:b c\nprobe ", -EBADMSG },
		{ "\nprobe ", "\nprobe 3 0 0 no_colon iot_sc_read\nprobe ", -EBADMSG },
		{ "\nprobe ", "\nprobe 3 0 999 a:b c\nprobe ", -EBADMSG },
		{ "\nprobe ", "\nprobe 3 0 0 a:b iot_no_such_program\nprobe ", -ESTALE },
		{ "\nchoice 0 fs READ - ", "\nchoice 0 fs WRITE - ", -ESTALE },
		{ "\nchoice 0 fs READ - ", "\nchoice 999 fs READ - ", -ESTALE },
		{ "\nchoice 0 fs READ - 0 ", "\nchoice 0 fs READ - 99 ", -ESTALE },
		{ "\nchoice 0 fs READ - ", "\nchoice x fs READ - ", -EBADMSG },
		{ " a 0", " z 0", -EBADMSG },
		{ " a 0", " a 998", -EBADMSG },
	};
	struct host *host;
	char *text;

	plan_of_fs(&text, &host);
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		char *other = replaced(text, changes[i].from, changes[i].to);
		int err = plan_from_text(&read, host, other);

		ck_assert_msg(err == changes[i].err, "'%s' for '%s' is %d", changes[i].to,
			      changes[i].from, err);
		free(other);
	}
	free(text);
	host_close(host);
}
END_TEST

/* Whatever stands there: an answer, and nothing out of bounds (sanitizers look). */
START_TEST(a_damaged_text_does_no_harm)
{
	struct host *host;
	char *text;
	size_t len;

	plan_of_fs(&text, &host);
	len = strlen(text);
	srand(1);
	for (int i = 0; i < 3000; i++) {
		size_t at = (size_t)rand() % len;
		char was = text[at];

		text[at] = (char)(1 + rand() % 255);
		if (!plan_from_text(&read, host, text))
			plan_narrow(&read, &(struct plan_request){ 0 });
		text[at] = was;
	}
	ck_assert_int_eq(plan_from_text(&read, host, text), 0);
	free(text);
	host_close(host);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("plan_text");
	TCase *hosts = tcase_create("saved hosts"), *texts = tcase_create("texts");
	SRunner *runner;
	int failed, n = 0;

	while (saved_hosts[n])
		n++;
	tcase_add_checked_fixture(hosts, setup, teardown);
	tcase_add_loop_test(hosts, a_plan_survives_the_trip_and_narrowed_is_that_of_the_stream, 0,
			    n);
	tcase_set_timeout(hosts, 120);
	suite_add_tcase(suite, hosts);
	tcase_add_checked_fixture(texts, setup, teardown);
	tcase_add_test(texts, narrowing_adds_nothing);
	tcase_add_test(texts, a_text_that_was_cut_is_refused);
	tcase_add_test(texts, a_text_of_another_build_is_refused);
	tcase_add_test(texts, a_damaged_text_does_no_harm);
	tcase_set_timeout(texts, 120);
	suite_add_tcase(suite, texts);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
