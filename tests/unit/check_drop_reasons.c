/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dropped packets: what a kernel calls its reasons and its code, and the rows
 * of stream nw_drop that have it. Reasons are those of the saved hosts, whose
 * own print formats are the authority; places come from made-up symbols.
 */
#include "compat/host/host.h"
#include "compat/host/tracefs.h"
#include "resolve/drop_reasons.h"

#include <arpa/inet.h>
#include <check.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fixture/fixture_events.h"
#include "fixture/fixture_net.h"
#include "fixture/fixture_record.h"
#include "fixture/host_fixture.h"

#define FORMAT "sys/kernel/tracing/events/skb/kfree_skb/format"
#define FIELDS "name: kfree_skb\nformat:\n\tfield:int reason;\toffset:8;\tsize:4;\tsigned:0;\n"

static char *dir;
static struct host *host;
static struct drops *drops;

static void setup(void)
{
	dir = fixture_make();
	fixture_write(dir, "proc/sys/kernel/osrelease", "5.0.0\n");
	fixture_write(dir, "sys/kernel/tracing/available_events", "");
	host = NULL;
	drops = NULL;
}

static void teardown(void)
{
	drops_close(drops);
	host_close(host);
	fixture_remove(dir);
}

static void open_drops(const char *root)
{
	drops_close(drops);
	host_close(host);
	host = fixture_open(root);
	ck_assert(host != NULL);
	drops = drops_open(host);
	ck_assert(drops != NULL);
}

/* ---- reasons ---- */

/* From the matrix: the same word has another number in each of them. */
static const struct {
	const char *host;
	unsigned not_specified, no_socket, netfilter;
} numbers[] = {
	{ "6.1", 1, 2, 7 },
	{ "6.12", 2, 3, 0 },
	{ "6.18", 2, 3, 12 },
	{ "7.2", 2, 3, 0 },
};

START_TEST(reasons_have_the_words_of_their_kernel)
{
	open_drops(fixture_saved(numbers[_i].host));
	ck_assert_str_eq(drops_reason(drops, numbers[_i].not_specified), "NOT_SPECIFIED");
	ck_assert_str_eq(drops_reason(drops, numbers[_i].no_socket), "NO_SOCKET");
	if (numbers[_i].netfilter)
		ck_assert_str_eq(drops_reason(drops, numbers[_i].netfilter), "NETFILTER_DROP");
	/* of a part of the kernel (upper 16 bits), or of none */
	ck_assert_str_eq(drops_reason(drops, 0x10002), "");
	ck_assert_str_eq(drops_reason(drops, 511), "");
	ck_assert_str_eq(drops_reason(drops, UINT32_MAX), "");
}
END_TEST

START_TEST(numbers_below_the_first_reason_are_no_drops)
{
	open_drops(fixture_saved(numbers[_i].host));
	for (uint32_t i = 0; i < numbers[_i].not_specified; i++)
		ck_assert(!drops_is_drop(drops, i));
	ck_assert(drops_is_drop(drops, numbers[_i].not_specified));
	ck_assert(drops_is_drop(drops, 0x10002));
}
END_TEST

static const char *const without[] = { "4.14", "4.18-el8", "4.19", "5.4", "5.10" };

START_TEST(kernels_without_reasons_have_no_words)
{
	open_drops(fixture_saved(without[_i]));
	ck_assert(drops_is_drop(drops, 0));
	for (uint32_t i = 0; i < 20; i++)
		ck_assert_str_eq(drops_reason(drops, i), "");
}
END_TEST

static void count_word(void *arg, uint64_t value, const char *word)
{
	char *text = arg;

	sprintf(text + strlen(text), "%llu=%s;", (unsigned long long)value, word);
}

static const struct {
	const char *print, *words;
	int n;
} prints[] = {
	{ "print fmt: \"%s\", __print_symbolic(REC->reason, { 2, \"A\" }, { 0x10, \"B C\" })\n",
	  "2=A;16=B C;", 2 },
	{ "print fmt: \"%s\", __print_symbolic(REC->reason,{3,\"A\"},{4,\"B\"}) { 5, \"C\" }\n",
	  "3=A;4=B;", 2 },
	/* another field's words, and names that the kernel did not put as numbers */
	{ "print fmt: \"%s\", __print_symbolic(REC->other, { 1, \"A\" }), REC->reason\n", "", 0 },
	{ "print fmt: \"%s\", __print_symbolic(REC->reason, { ONE, \"A\" }, { 2, \"B\" })\n",
	  "2=B;", 1 },
	{ "print fmt: \"%s\", __print_symbolic(REC->reason, { 1, \"A\" }, { 2, \"B\n", "1=A;", 1 },
	{ "print fmt: \"%s\", __print_symbolic(REC->reason, { 1, \"A\n", "", 0 },
	{ "print fmt: \"%s\", __print_symbolic(REC->reason,", "", 0 },
	{ "print fmt: \"%s\", __print_symbolic(REC->reason, { 99999999999999999999999, \"A\" }, { 2, \"B\" })\n",
	  "2=B;", 1 },
	{ "print fmt: \"\"\n", "", 0 },
	{ "", "", 0 },
};

START_TEST(words_stand_in_the_print_format)
{
	char text[2000], seen_words[200] = "";

	snprintf(text, sizeof(text), FIELDS "\n%s", prints[_i].print);
	fixture_write(dir, FORMAT, text);
	host = fixture_open(dir);
	ck_assert_int_eq(host_tp_words(host, "skb:kfree_skb", "reason", count_word, seen_words),
			 prints[_i].n);
	ck_assert_str_eq(seen_words, prints[_i].words);
}
END_TEST

START_TEST(an_event_that_is_not_there_has_no_words)
{
	char text[8] = "";

	open_drops(dir);
	ck_assert_int_eq(host_tp_words(host, "skb:kfree_skb", "reason", count_word, text), -ENOENT);
	ck_assert_str_eq(drops_reason(drops, 2), "");
	ck_assert(drops_is_drop(drops, 0));
}
END_TEST

START_TEST(words_that_are_too_long_or_too_many_are_left_out)
{
	char text[2000], word[400];

	memset(word, 'x', sizeof(word));
	word[60] = '\0';
	snprintf(text, sizeof(text),
		 FIELDS "\nprint fmt: \"\", __print_symbolic(REC->reason, { 1, \"%s\" }, "
			"{ 600, \"FAR\" }, { 3, \"NEAR\" })\n",
		 word);
	fixture_write(dir, FORMAT, text);
	open_drops(dir);
	ck_assert_str_eq(drops_reason(drops, 1), "");
	ck_assert_str_eq(drops_reason(drops, 600), "");
	ck_assert_str_eq(drops_reason(drops, 3), "NEAR");
}
END_TEST

/* ---- places ---- */

/* Out of order, with other names of an address, data and padding in between */
static const char symbols[] = "ffffffff81000000 T _text\n"
			      "ffffffff81002000 t second.part.0\n"
			      "ffffffff81001000 T first\n"
			      "ffffffff81001000 t first_again\n"
			      "ffffffff81001080 d data\n"
			      "ffffffff81001ff0 t __pfx_second\n"
			      "0000000000000000 A fixed_percpu_data\n"
			      "ffffffffc0100000 t in_module\t[veth]\n";

static const struct {
	uint64_t address;
	const char *place;
} places[] = {
	{ 0xffffffff81001000, "first+0x0" },
	{ 0xffffffff81001234, "first+0x234" },
	{ 0xffffffff81001fff, "first+0xfff" },
	{ 0xffffffff81002004, "second.part.0+0x4" },
	{ 0xffffffffc0100020, "in_module+0x20" },
	/* before everything, and too far behind the last one */
	{ 0xffffffff80ffffff, "" },
	{ 0xffffffffc0300000, "" },
	{ 0, "" },
	{ UINT64_MAX, "" },
};

START_TEST(a_place_is_a_function_and_an_offset)
{
	fixture_write(dir, "proc/kallsyms", symbols);
	open_drops(dir);
	for (int again = 0; again < 2; again++)
		ck_assert_str_eq(drops_place(drops, places[_i].address, 0), places[_i].place);
}
END_TEST

START_TEST(hidden_addresses_are_no_places)
{
	open_drops(dir);
	ck_assert_str_eq(drops_place(drops, 0xffffffff81001000, 0), ""); /* no kallsyms */
	fixture_write(dir, "proc/kallsyms",
		      "0000000000000000 T first\n0000000000000000 T second\n");
	open_drops(dir);
	ck_assert_str_eq(drops_place(drops, 0xffffffff81001000, 0), "");
	ck_assert_str_eq(drops_place(drops, 0x20, 0), "");
}
END_TEST

/* A compiler may split kfree_skb; the event comes from its second part then. */
START_TEST(what_frees_packets_is_no_place)
{
	fixture_write(
		dir, "proc/kallsyms",
		"ffffffff81001000 T kfree_skb\nffffffff81001100 T kfree_skb_list\nffffffff81002000 T udp_rcv\n");
	open_drops(dir);
	ck_assert_str_eq(drops_place(drops, 0xffffffff8100102c, 0xffffffff81002010),
			 "udp_rcv+0x10");
	ck_assert_str_eq(drops_place(drops, 0xffffffff8100102c, 0), "kfree_skb+0x2c");
	ck_assert_str_eq(drops_place(drops, 0xffffffff81001144, 0xffffffff81002010),
			 "kfree_skb_list+0x44");
}
END_TEST

/* Looked up once; a table that is full begins anew and stays right. */
START_TEST(places_are_kept)
{
	char want[40];

	fixture_write(dir, "proc/kallsyms", symbols);
	open_drops(dir);
	ck_assert_str_eq(drops_place(drops, 0xffffffff81001010, 0), "first+0x10");
	fixture_write(dir, "proc/kallsyms", "ffffffff81000000 T other\n");
	ck_assert_str_eq(drops_place(drops, 0xffffffff81001010, 0), "first+0x10");
	for (int round = 0; round < 2; round++)
		for (unsigned i = 0; i < 1500; i++) {
			snprintf(want, sizeof(want), "other+0x%x", 0x2000 + i);
			ck_assert_str_eq(drops_place(drops, 0xffffffff81002000 + i, 0), want);
		}
	ck_assert_str_eq(drops_place(drops, 0xffffffff81001010, 0), "other+0x1010");
}
END_TEST

/* ---- rows ---- */

static struct iot_drop packet(uint16_t family, uint16_t known)
{
	struct iot_drop rec = record_drop(P, IOT_DROP_PACKET);

	rec.ends.family = family;
	rec.ends.protocol = IPPROTO_UDP;
	rec.ends.known = IOT_ENDS_LOCAL | IOT_ENDS_REMOTE;
	rec.ends.local_port = 4001;
	rec.ends.remote_port = 7001;
	ck_assert_int_eq(inet_pton(family, family == AF_INET ? "10.9.0.1" : "fd09::1",
				   rec.ends.local),
			 1);
	ck_assert_int_eq(inet_pton(family, family == AF_INET ? "10.9.0.2" : "fd09::2",
				   rec.ends.remote),
			 1);
	rec.location = 0xffffffff81001020;
	rec.reason = 3;
	rec.size = 108;
	rec.known = known;
	return rec;
}

static void setup_rows(void)
{
	setup();
	feed_setup();
	fixture_write(dir, "proc/kallsyms", symbols);
	fixture_write(dir, FORMAT,
		      FIELDS
		      "\nprint fmt: \"\", __print_symbolic(REC->reason, { 2, \"NOT_SPECIFIED\" }, "
		      "{ 3, \"NO_SOCKET\" })\n");
	host = fixture_open(dir);
	feed_anew(&(struct feed_options){ .kernel = true, .drops = host });
}

static void teardown_rows(void)
{
	feed_teardown();
	teardown();
}

static void ends_are(const char *source, const char *source_port, const char *dest,
		     const char *dest_port)
{
	expect(0, "source_addr", source);
	expect(0, "source_port", source_port);
	expect(0, "dest_addr", dest);
	expect(0, "dest_port", dest_port);
}

START_TEST(a_dropped_packet_is_a_row)
{
	struct iot_drop rec = packet(_i ? AF_INET6 : AF_INET, IOT_DROP_SIZE | IOT_DROP_PORTS);

	feed_iot_drop(&rec);
	ck_assert_uint_eq(n_seen, 1);
	ck_assert_int_eq(seen[0].stream, STREAM_nw_drop);
	expect(0, "event_type", "PACKET_DROP");
	expect(0, "protocol", "UDP");
	expect(0, "ip_version", _i ? "6" : "4");
	if (_i)
		ends_are("fd09::1", "4001", "fd09::2", "7001");
	else
		ends_are("10.9.0.1", "4001", "10.9.0.2", "7001");
	expect(0, "packet_size", "108");
	expect(0, "drop_reason", "3");
	expect(0, "drop_reason_name", "NO_SOCKET");
	expect(0, "location", "first+0x20");
	expect(0, "tcp_state", "");
}
END_TEST

START_TEST(what_is_not_known_of_a_packet_is_empty)
{
	struct iot_drop rec = packet(AF_INET, 0);

	rec.ends.known = 0;
	rec.ends.protocol = 0;
	rec.reason = 77;
	rec.location = 0x1000;
	feed_iot_drop(&rec);
	expect(0, "protocol", "");
	expect(0, "ip_version", "4");
	ends_are("", "", "", "");
	expect(0, "packet_size", "");
	expect(0, "drop_reason", "77");
	expect(0, "drop_reason_name", "");
	expect(0, "location", "");
}
END_TEST

START_TEST(a_packet_that_is_not_ip_has_no_ends)
{
	struct iot_drop rec = { 0 };

	rec = record_drop(P, IOT_DROP_PACKET);
	rec.reason = 2;
	rec.size = 60;
	rec.known = IOT_DROP_SIZE;
	feed_iot_drop(&rec);
	expect(0, "protocol", "");
	expect(0, "ip_version", "");
	ends_are("", "", "", "");
	expect(0, "packet_size", "60");
	expect(0, "drop_reason_name", "NOT_SPECIFIED");
}
END_TEST

START_TEST(a_packet_that_was_consumed_is_no_row)
{
	struct iot_drop rec = packet(AF_INET, IOT_DROP_SIZE);

	rec.reason = _i;
	feed_iot_drop(&rec);
	ck_assert_uint_eq(n_seen, 0);
	ck_assert_uint_eq(events_totals(ev)->out_of_scope, 1);
	ck_assert_uint_eq(events_totals(ev)->bad, 0);
}
END_TEST

/* Reasons are of packets: what is sent again has none, and none is asked for. */
START_TEST(a_retransmission_has_no_reason)
{
	struct iot_drop rec = packet(AF_INET, IOT_DROP_SIZE | IOT_DROP_PORTS);

	rec.event = IOT_DROP_RETRANSMIT;
	rec.ends.protocol = IPPROTO_TCP;
	rec.reason = 0;
	rec.location = 0;
	rec.size = 0;
	rec.state = 12;
	feed_iot_drop(&rec);
	expect(0, "event_type", "TCP_RETRANSMIT");
	expect(0, "drop_reason", "0");
	expect(0, "drop_reason_name", "");
	expect(0, "location", "");
	expect(0, "packet_size", "0");
	expect(0, "tcp_state", "NEW_SYN_RECV");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("drops");
	TCase *names = tcase_create("reasons and places"), *rows = tcase_create("rows");
	SRunner *runner = srunner_create(suite);
	int failed;

	tcase_add_checked_fixture(names, setup, teardown);
	tcase_add_loop_test(names, reasons_have_the_words_of_their_kernel, 0, 4);
	tcase_add_loop_test(names, numbers_below_the_first_reason_are_no_drops, 0, 4);
	tcase_add_loop_test(names, kernels_without_reasons_have_no_words, 0, 5);
	tcase_add_loop_test(names, words_stand_in_the_print_format, 0,
			    sizeof(prints) / sizeof(prints[0]));
	tcase_add_test(names, an_event_that_is_not_there_has_no_words);
	tcase_add_test(names, words_that_are_too_long_or_too_many_are_left_out);
	tcase_add_loop_test(names, a_place_is_a_function_and_an_offset, 0,
			    sizeof(places) / sizeof(places[0]));
	tcase_add_test(names, hidden_addresses_are_no_places);
	tcase_add_test(names, places_are_kept);
	tcase_add_test(names, what_frees_packets_is_no_place);
	suite_add_tcase(suite, names);
	tcase_add_checked_fixture(rows, setup_rows, teardown_rows);
	tcase_add_loop_test(rows, a_dropped_packet_is_a_row, 0, 2);
	tcase_add_test(rows, what_is_not_known_of_a_packet_is_empty);
	tcase_add_test(rows, a_packet_that_is_not_ip_has_no_ends);
	tcase_add_loop_test(rows, a_packet_that_was_consumed_is_no_row, 0, 2);
	tcase_add_test(rows, a_retransmission_has_no_reason);
	suite_add_tcase(suite, rows);
	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
