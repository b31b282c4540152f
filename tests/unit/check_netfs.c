/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stream netfs: records to rows, and whose address the kernel has for a client of RPC. */
#include "events/netfs.h"

#include <check.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture/fixture_events.h"
#include "fixture/fixture_net.h"
#include "fixture/fixture_record.h"

#include "resolve/rpc_servers.h"

static struct iot_netfs record_rpc(void)
{
	return (struct iot_netfs){
		.head = { .ts = record_later(),
			  .type = IOT_REC_NETFS,
			  .class = IOT_SEQ_netfs,
			  .seq = 1,
			  .tgid = P,
			  .tid = P + 1,
			  .comm = "cat" },
		.id = 77,
		.version = 3,
		.queue = 1000000,
		.server = 2000000,
		.total = 4000000,
		.ino = 12,
		.offset = 4096,
		.size = 8192,
		.dev = 61,
		.sent = 100,
		.received = 8300,
		.sends = 2,
		.status = 8192,
		.known = IOT_NETFS_FILE | IOT_NETFS_SENT | IOT_NETFS_RECEIVED | IOT_NETFS_SENDS |
			 IOT_NETFS_STATUS,
		.program = "nfs",
		.procedure = "READ",
	};
}

START_TEST(request_of_nfs_is_a_row)
{
	struct iot_netfs rec = record_rpc();

	feed(&rec, sizeof(rec));
	feed_end();
	ck_assert_uint_eq(n_seen, 1);
	row_of(STREAM_netfs);
	row_number("pid", P);
	row_number("tid", P + 1);
	row("command", "cat");
	row("protocol", "nfs3");
	row("operation", "READ");
	row("size", "8192");
	row("offset", "4096");
	row("latency_ms", "4.000000");
	row("queue_time_ms", "1.000000");
	row("server_time_ms", "2.000000");
	row("sent", "100");
	row("received", "8300");
	row("sends", "2");
	row("error", "");
	row("dev", "0:61");
	row("inode", "12");
	row("request_id", "77");
	row_number("mono_ns", rec.head.ts);
}
END_TEST

START_TEST(what_the_kernel_does_not_tell_is_empty)
{
	struct iot_netfs rec = record_rpc();

	rec.known = 0;
	rec.status = -ENOENT;
	feed(&rec, sizeof(rec));
	feed_end();
	row("size", "");
	row("offset", "");
	row("sent", "");
	row("received", "");
	row("sends", "");
	row("error", "");
	row("dev", "");
	row("inode", "");
}
END_TEST

START_TEST(errors_have_names)
{
	struct iot_netfs rec = record_rpc();

	rec.status = -ENOENT;
	feed(&rec, sizeof(rec));
	feed_end();
	row("error", "ENOENT");
	n_seen = 0;
	rec.head.seq = 2;
	rec.status = -10008; /* NFS4ERR_DELAY */
	feed(&rec, sizeof(rec));
	feed_end();
	row("error", "ERRNO(10008)");
}
END_TEST

/* The kernel's names are words; what is none must not become a field of its own. */
START_TEST(names_that_are_no_words)
{
	struct iot_netfs rec = record_rpc();

	memcpy(rec.program,
	       "a,b\"\n\x80"
	       "123456789",
	       sizeof(rec.program));
	memset(rec.procedure, 'X', sizeof(rec.procedure));
	feed(&rec, sizeof(rec));
	feed_end();
	row("protocol", "a_b___1234567893");
	row("operation", "XXXXXXXXXXXXXXXXXXXXXXX");
}
END_TEST

static const struct {
	unsigned command;
	const char *word;
} smb[] = { { 0, "NEGOTIATE" }, { 5, "CREATE" },        { 8, "READ" },
	    { 9, "WRITE" },     { 18, "OPLOCK_BREAK" }, { 19, "19" } };

START_TEST(request_of_smb_is_a_row)
{
	struct iot_netfs rec = { .head = { .ts = record_later(),
					   .type = IOT_REC_NETFS,
					   .class = IOT_SEQ_netfs,
					   .seq = 1,
					   .tgid = P,
					   .tid = P,
					   .comm = "ls" },
				 .id = 9,
				 .command = smb[_i].command,
				 .queue = IOT_NETFS_UNKNOWN,
				 .server = 3000,
				 .total = 3000,
				 .status = -EACCES,
				 .known = IOT_NETFS_SMB | IOT_NETFS_STATUS };

	feed(&rec, sizeof(rec));
	feed_end();
	row("protocol", "smb");
	row("operation", smb[_i].word);
	row("server_addr", "");
	row("queue_time_ms", "");
	row("server_time_ms", "0.003000");
	row("error", "EACCES");
	row("size", "");
}
END_TEST

/* ---- servers ---- */

static char root[] = "/tmp/check_netfs.XXXXXX";

static void put_client(uint32_t number, const char *info)
{
	char name[200];
	FILE *out;

	snprintf(name, sizeof(name), "%s/%x", root, number);
	mkdir(name, 0700);
	strcat(name, "/xprt");
	mkdir(name, 0700);
	strcat(name, "/info");
	out = fopen(name, "w");
	ck_assert_ptr_nonnull(out);
	fputs(info, out);
	fclose(out);
}

START_TEST(servers_by_their_clients)
{
	static const unsigned char v4[4] = { 192, 0, 2, 7 };
	struct rpc_servers *servers;
	const struct rpc_server *server;

	ck_assert_ptr_nonnull(mkdtemp(root));
	put_client(26, "netid: tcp\naddr:  192.0.2.7\nport:  2049\nstate: 0x12\n");
	put_client(27, "netid: tcp6\naddr:  2001:db8::7\nport:  2049\n");
	put_client(28, "netid: local\naddr:  /run/rpcbind.sock\n");
	servers = rpc_servers_open(root);
	server = rpc_servers_of(servers, 26, 1);
	ck_assert_uint_eq(server->family, AF_INET);
	ck_assert(!memcmp(server->addr, v4, sizeof(v4)));
	ck_assert_uint_eq(rpc_servers_of(servers, 27, 1)->family, AF_INET6);
	ck_assert_uint_eq(rpc_servers_of(servers, 28, 1)->family, 0);
	ck_assert_uint_eq(rpc_servers_of(servers, 29, 1)->family, 0);
	/* another client got the number: seen a second later */
	put_client(29, "addr: 192.0.2.7\n");
	ck_assert_uint_eq(rpc_servers_of(servers, 29, 999999999)->family, 0);
	ck_assert_uint_eq(rpc_servers_of(servers, 29, 1000000001)->family, AF_INET);
	/* one place, two numbers */
	ck_assert_uint_eq(rpc_servers_of(servers, 29 + 256, 1000000002)->family, 0);
	ck_assert_uint_eq(rpc_servers_of(servers, 29, 1000000003)->family, AF_INET);
	rpc_servers_close(servers);
}
END_TEST

static Suite *netfs_suite(void)
{
	Suite *suite = suite_create("netfs");
	TCase *tcase = tcase_create("rows");

	tcase_add_checked_fixture(tcase, feed_setup, feed_teardown);
	tcase_add_test(tcase, request_of_nfs_is_a_row);
	tcase_add_test(tcase, what_the_kernel_does_not_tell_is_empty);
	tcase_add_test(tcase, errors_have_names);
	tcase_add_test(tcase, names_that_are_no_words);
	tcase_add_loop_test(tcase, request_of_smb_is_a_row, 0, sizeof(smb) / sizeof(smb[0]));
	suite_add_tcase(suite, tcase);
	tcase = tcase_create("servers");
	tcase_add_test(tcase, servers_by_their_clients);
	suite_add_tcase(suite, tcase);
	return suite;
}

int main(void)
{
	SRunner *runner = srunner_create(netfs_suite());
	int failed;

	srunner_run_all(runner, CK_ENV);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
